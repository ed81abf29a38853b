"""``flagplot take``: take the move files that somebody has sent."""

import asyncio
import sys
from pathlib import Path

import click

from tools.mailing import office_at, place_options
from tools.parameters import Command


@click.command(cls=Command)
@click.argument(
    "files",
    nargs=-1,
    required=True,
    metavar="FILE...",
    type=click.Path(path_type=str, allow_dash=True),
)
@click.option(
    "--invite",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The invite of your seat, if it lies neither here nor where Join keeps them.",
)
@place_options
def take(
    files: tuple[str, ...], invite: Path | None, folder: Path | None, copies: Path | None
) -> int:
    """Take move files: a file, a saved mail, or - for text that is pasted here and ended with Ctrl+D.

    What stands around a move file does not matter. One that was taken before changes nothing.
    """
    from netplay.mail.mail_store import Judged, read_text

    office = office_at(folder, copies)
    if invite is not None:
        office.named(str(invite))
    for name in files:
        if name == "-":
            if sys.stdin.isatty():
                click.echo("Paste the text, then press Enter and Ctrl+D.", err=True)
            raw = _pasted()
        else:
            raw = read_text(Path(name))
        for side, report in asyncio.run(office.take(raw)):
            for line in (*report.lines(), *report.said):
                click.echo(line)
            if report.is_news:
                what = "send" if isinstance(side, Judged) else "join"
                click.echo(f"Next: flagplot {what} {side.match[:8]}")
    return 0


def _pasted() -> bytes:
    """Return all of the standard input."""
    from netplay.mail.move_files.move_payload import MoveFileError

    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise MoveFileError(f"standard input: cannot be read: {error.strerror or error}") from error

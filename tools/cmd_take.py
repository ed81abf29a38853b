"""``flagplot mail take``: import move files that other players have sent."""

import asyncio
import sys
from pathlib import Path

import click

from tools.click_commands import CheckedCommand
from tools.mail_options import folder_options, open_mail_store


@click.command(cls=CheckedCommand, short_help="Import move files that others sent.")
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
    help="Your seat's invite, if it is neither here nor in Join's folder.",
)
@folder_options
def take(
    files: tuple[str, ...], invite: Path | None, folder: Path | None, copies: Path | None
) -> int:
    """Import move files: text files, saved mails, or - for text that you paste and end with Ctrl+D.

    Text around a move file is ignored. Importing the same move file again changes nothing.
    """
    from netplay.mail.mail_store import HostedMatch, read_text

    mail_store = open_mail_store(folder, copies)
    if invite is not None:
        mail_store.find(str(invite))
    for name in files:
        if name == "-":
            if sys.stdin.isatty():
                click.echo("Paste the text, then press Enter and Ctrl+D.", err=True)
            raw = _read_pasted()
        else:
            raw = read_text(Path(name))
        for side, report in asyncio.run(mail_store.receive(raw)):
            for line in (*report.lines(), *report.chat_texts):
                click.echo(line)
            if report.has_effect:
                next_command = "mail send" if isinstance(side, HostedMatch) else "join"
                click.echo(f"Next: flagplot {next_command} {side.match[:8]}")
    return 0


def _read_pasted() -> bytes:
    """Read standard input to its end."""
    from netplay.mail.move_files.move_payload import MoveFileError

    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise MoveFileError(f"cannot read standard input: {error.strerror or error}") from error

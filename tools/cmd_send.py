"""``flagplot mail send``: write move files with the records that the other players in a mail match do not have yet."""

import asyncio
from pathlib import Path

import click

from tools.click_commands import CheckedCommand
from tools.mail_options import folder_options, open_mail_store


@click.command(cls=CheckedCommand, short_help="Write move files with what the others need.")
@click.argument("match", required=False, default="")
@click.option(
    "--to",
    default="",
    metavar="SEAT",
    help="Write only the file for this role or player. Default: all that are needed.",
)
@click.option("--say", default="", metavar="TEXT", help="Chat line to send with the file.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Output file or folder; - prints the text. Default: the current folder.",
)
@click.option(
    "--whole", is_flag=True, help="Include the whole match, for a player who lost their copy."
)
@folder_options
def send(
    match: str,
    to: str,
    say: str,
    out: Path | None,
    folder: Path | None,
    copies: Path | None,
    *,
    whole: bool,
) -> int:
    """Write a move file of MATCH with your commands for the host or, as the host, one per player with what is new.

    MATCH is an invite file or the beginning of a match id; you can omit it if you play only one match by move files.
    The file is text, encrypted for its recipient. Send it by mail or chat, and send it again if it may have been lost.
    """
    mail_store = open_mail_store(folder, copies)
    move_files = asyncio.run(mail_store.send(mail_store.find(match), to, say, from_start=whole))
    if str(out) == "-":
        click.echo("\n".join(move_file.text for move_file in move_files), nl=False)
        return 0
    is_file = out is not None and not out.is_dir()
    if is_file and len(move_files) > 1:
        names = ", ".join(move_file.reader for move_file in move_files)
        raise click.UsageError(
            f"There are files for {names}. Give a folder, or choose one of them with --to."
        )
    for move_file in move_files:
        path = out if out is not None and is_file else (out or Path()) / move_file.name
        _write_file(path, move_file.text)
        click.echo(f"{path}: send it to {move_file.reader}")
    return 0


def _write_file(path: Path, text: str) -> None:
    from saves.errors import StorageError
    from saves.files import FILES, replace_file

    try:
        replace_file(FILES, path, text.encode())
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror or error}") from error

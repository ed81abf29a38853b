"""``flagplot data``: check files that owners of the printed game supply to replace its data."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click

from tools.click_commands import CheckedGroup

_MAX_SENTENCE_CELLS: Final = 2000


@click.group(cls=CheckedGroup)
def data() -> None:
    """Check files that replace a game's charts, map, counters and scenarios (docs/data-overlay.md)."""


_EPILOG = """\b
Exit codes:
    0  all files are valid
    3  a file is invalid; the errors are on stderr
"""


@data.command("check", epilog=_EPILOG)
@click.argument("game", type=click.Choice(["cbps"]))
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE..."
)
def check_data(game: str, files: tuple[Path, ...]) -> int:
    """Report what each FILE replaces in the data of GAME, or what is wrong with the file."""
    del game  # only one game supports data files so far
    from engine.kernel.errors import DataError
    from netplay.wire.sanitising import sanitise

    exit_code = 0
    for path in files:
        refusals = tuple(_refusals(path))
        for refusal in refusals:
            click.echo(f"BAD {sanitise(refusal, _MAX_SENTENCE_CELLS)}", err=True)
        if refusals:
            exit_code = DataError.exit_code
            continue
        for line in _summary(path):
            click.echo(sanitise(line, _MAX_SENTENCE_CELLS))
    return exit_code


def _refusals(path: Path) -> Iterator[str]:
    """Yield one sentence per error in a file."""
    from engine.cbps.overlay import decode_overlay, overlay_faults
    from engine.kernel.errors import DataError

    try:
        overlay = decode_overlay(_read(path), str(path))
    except DataError as error:
        yield str(error)
        return
    for fault in overlay_faults(overlay):
        yield str(DataError(str(path), fault.path, fault.problem))


def _summary(path: Path) -> Iterator[str]:
    """Yield lines with a valid file's digest and the number of values that it replaces."""
    from engine.cbps.game_data import parse_game_data
    from engine.cbps.overlay import decode_overlay, replaced_items

    text = _read(path)
    game_data = parse_game_data(text, str(path))
    parts = replaced_items(decode_overlay(text, str(path)))
    yield f"OK {path}: {sum(parts.values())} values replaced; digest {game_data.overlay_digest}"
    for name, count in parts.items():
        yield f"- {name}: {count}"


def _read(path: Path) -> bytes:
    """Return a file's content, but at most one byte more than the size limit.

    Raises:
        DataError: The file cannot be read.
    """
    from engine.cbps.overlay import MAX_OVERLAY_BYTES
    from engine.kernel.errors import DataError

    try:
        with path.open("rb") as file:
            return file.read(MAX_OVERLAY_BYTES + 1)
    except OSError as error:
        raise DataError(str(path), "", f"cannot be read: {error.strerror or error}") from error

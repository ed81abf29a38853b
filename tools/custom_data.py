"""The ``--data`` option: a user's file that replaces some of a game's charts and lists."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from engine.kernel.errors import DataError
from engine.kernel.text_bytes import EncodingError, strip_bom

if TYPE_CHECKING:
    import msgspec

    from engine.registry import AnyRuleset
    from play.opening import MatchStart

F = TypeVar("F", bound=Callable[..., Any])

MAX_BYTES: Final = 1_000_000
"""Maximum size of a data file in bytes. The limit is low because a record contains the file twice."""


def data_option(command: F) -> F:
    """Add the option ``--data`` to a command."""
    return click.option(
        "--data",
        type=click.Path(path_type=Path, dir_okay=False, exists=True),
        help="File with your own charts and lists, in the game's format.",
    )(command)


def read_data(path: Path | None) -> bytes:
    """Return the content of the user's file; empty if there is no file.

    Raises:
        DataError: The file cannot be read, is empty, or is too large.
    """
    from saves.files import read_file

    if path is None:
        return b""
    try:
        data = read_file(path, MAX_BYTES)
    except OSError as error:
        raise DataError(str(path), "", f"cannot be read: {error.strerror or error}") from error
    try:
        data = strip_bom(data)
    except EncodingError as error:
        raise DataError(str(path), "", str(error)) from error
    if not data:
        raise DataError(str(path), "", "the file is empty")
    return data


def load_match_start(
    path: Path | None,
    rules: "AnyRuleset",
    scenario: str,
    options: Mapping[str, str],
    own: "msgspec.Struct | None" = None,
) -> "tuple[MatchStart, bytes]":
    """Return the start of a match with the user's data, and the content of the data file.

    See :func:`play.opening.resolve_match_start`.

    Raises:
        DataError: The scenario, an option or a value is unknown, or the data file is faulty. The message about a faulty
            file names it.
    """
    from engine.kernel.ruleset import USER_DATA
    from play.opening import resolve_match_start

    overlay = read_data(path)
    try:
        return resolve_match_start(rules, scenario, options, own, overlay), overlay
    except DataError as error:
        if error.file != USER_DATA:
            raise
        raise DataError(str(path), error.path, error.problem) from error

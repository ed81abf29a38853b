"""Reads scenario files and checks that a game can start from them."""

from pathlib import Path
from typing import Final

import msgspec

from engine import registry
from engine.kernel.errors import DataError, PositionError
from engine.kernel.schema_errors import malformed, schema_problem
from engine.kernel.text_bytes import EncodingError, strip_bom
from engine.registry import AnyRuleset
from netplay.wire.sanitising import REASON_LIMIT, sanitise

MAX_BYTES: Final = 4_000_000
"""Maximum size of a scenario file in bytes."""


class _Head(msgspec.Struct, frozen=True):
    """The field that names the game. The game's own decoder reads the other fields."""

    game: str = "eots"


_head: Final = msgspec.json.Decoder(_Head).decode


class LoadedScenario(msgspec.Struct, frozen=True, kw_only=True):
    """A validated scenario file."""

    rules: AnyRuleset
    position: msgspec.Struct


def read_text(path: Path) -> bytes:
    """Return the content of a scenario file.

    Raises:
        PositionError: The file cannot be read or is too large.
    """
    try:
        with path.open("rb") as file:
            text = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise PositionError(str(path), "", f"cannot be read: {error.strerror or error}") from error
    if len(text) > MAX_BYTES:
        raise PositionError(str(path), "", f"the file has more than {MAX_BYTES} bytes")
    try:
        return strip_bom(text)
    except EncodingError as error:
        raise PositionError(str(path), "", str(error)) from error


def load_position(path: Path, game: str | None = None) -> LoadedScenario:
    """Load and check the position of a scenario file.

    Args:
        path: The file.
        game: The game to which the file must belong; None to accept any game.

    Raises:
        PositionError: The file cannot be read, is not a scenario file, is for another or an unknown game, or describes
            an impossible position.
    """
    text = read_text(path)
    try:
        head = _head(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        place, problem = _head_problem(text, error)
        raise PositionError(
            str(path), place, f"this is not a scenario file: {sanitise(problem, REASON_LIMIT)}"
        ) from error
    if game is not None and head.game != game:
        raise PositionError(str(path), "game", f"the file is not for '{game}'")
    try:
        rules = registry.ruleset(head.game)
    except DataError as error:  # the message quotes the file, so sanitise it
        raise PositionError(str(path), "game", sanitise(error.problem, REASON_LIMIT)) from error
    try:
        position = registry.position_decoder(head.game)(text, str(path))
        rules.check_position(position)
    except PositionError as error:
        place, problem = (sanitise(part, REASON_LIMIT) for part in (error.path, error.problem))
        raise PositionError(str(path), place, problem) from error
    return LoadedScenario(rules=rules, position=position)


def _head_problem(text: bytes, error: Exception) -> tuple[str, str]:
    """Return the field at fault (empty for the whole file) and the reason why a text is not a scenario file."""
    if isinstance(error, msgspec.ValidationError):
        field, problem = schema_problem(text, _head, error)
        return field.removeprefix("$").removeprefix("."), problem
    return "", malformed(text, error) if isinstance(error, msgspec.DecodeError) else str(error)


def as_json(position: msgspec.Struct) -> str:
    """Return a position as the text of a scenario file."""
    packed = msgspec.json.encode(position, order="deterministic")
    return msgspec.json.format(packed, indent=2).decode() + "\n"

"""Reads and checks scenario files: what no game could reach is refused with the place (2, 4, 6)."""

from collections.abc import Iterator
from itertools import chain

import msgspec

from engine.cbps.book import book_of
from engine.cbps.invariants import broken_invariants
from engine.cbps.position import FORMAT, Position, state_of
from engine.cbps.position_frames import frame_problems
from engine.cbps.position_japan import japanese_problems
from engine.cbps.position_names import name_problems
from engine.cbps.position_values import value_problems
from engine.cbps.rulings import RULINGS
from engine.kernel.errors import DataError, PositionError
from engine.kernel.rulings import check_options


def decode_position(text: bytes, file: str) -> Position:
    """Return the position of a scenario file.

    Raises:
        PositionError: The file is not a position; the path names the field.
    """
    try:
        return msgspec.json.decode(text, type=Position)
    except msgspec.DecodeError as cause:
        raise _refused(file, cause) from cause


def _refused(file: str, cause: msgspec.DecodeError) -> PositionError:
    problem, _, path = str(cause).partition(" - at ")
    return PositionError(file, path.strip("`") or "$", problem)


def check_position(position: Position) -> None:
    """Accept a position from outside.

    Raises:
        PositionError: It names unknown things or breaks a rule that always holds.
    """
    try:
        msgspec.convert(msgspec.to_builtins(position), Position)
    except msgspec.ValidationError as cause:
        raise _refused("position", cause) from cause
    for path, problem in _problems(position):
        raise PositionError("position", path, problem)


def _problems(position: Position) -> Iterator[tuple[str, str]]:
    try:
        book = book_of(position.overlay)
    except DataError as cause:
        yield "$.overlay", str(cause)
        return
    if position.format != FORMAT:
        yield "$.format", f"format {position.format} is not known"
    if position.scenario not in book.scenarios:
        yield "$.scenario", f"there is no scenario '{position.scenario}'"
        return
    try:
        check_options(RULINGS, position.options)
    except DataError as cause:
        yield "$.options", str(cause)
    if not 0 <= position.turn < len(book.scenarios[position.scenario].turns):
        yield "$.turn", f"the scenario has no turn {position.turn}"
        return
    for name in position.units:
        if name not in book.air_units:
            yield f"$.units.{name}", f"there is no air unit '{name}'"
            return
    for name in position.ships:
        if name not in book.us_ships:
            yield f"$.ships.{name}", f"there is no US ship '{name}'"
            return
    for name in position.hulls:
        if name not in book.japanese_ships:
            yield f"$.hulls.{name}", f"there is no Japanese ship '{name}'"
            return
    state = state_of(position)
    yield from chain(
        name_problems(state),
        value_problems(state),
        japanese_problems(state),
        frame_problems(state),
        broken_invariants(state),
    )

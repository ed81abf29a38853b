"""Reads and checks scenario files. Refuses impossible positions, naming the path of the error (2, 4, 6)."""

from collections.abc import Iterator
from itertools import chain
from typing import Final

import msgspec

from engine.cbps.game_data import load_game_data
from engine.cbps.invariants import broken_invariants
from engine.cbps.position import FORMAT, Position, state_from_position
from engine.cbps.position_checks.frames import frame_problems
from engine.cbps.position_checks.japan import japanese_problems
from engine.cbps.position_checks.names import name_problems
from engine.cbps.position_checks.values import value_problems
from engine.cbps.rulings import RULINGS
from engine.kernel.errors import DataError, PositionError
from engine.kernel.rulings import check_options
from engine.kernel.schema_errors import schema_problem

_decode: Final = msgspec.json.Decoder(Position).decode


def decode_position(text: bytes, file: str) -> Position:
    """Decode a position from a scenario file.

    Raises:
        PositionError: The file is not a valid position. The error's path names the field.
    """
    try:
        return _decode(text)
    except msgspec.DecodeError as cause:
        raise PositionError(file, *schema_problem(text, _decode, cause)) from cause


def check_position(position: Position) -> None:
    """Check an untrusted position.

    Raises:
        PositionError: The position contains unknown names or breaks an invariant.
    """
    text = msgspec.json.encode(position)
    try:
        _decode(text)  # decoding checks the bounds of numbers
    except msgspec.ValidationError as cause:
        raise PositionError("position", *schema_problem(text, _decode, cause)) from cause
    for path, problem in _problems(position):
        raise PositionError("position", path, problem)


def _problems(position: Position) -> Iterator[tuple[str, str]]:
    try:
        game_data = load_game_data(position.overlay)
    except DataError as cause:
        yield "$.overlay", str(cause)
        return
    if position.format != FORMAT:
        yield "$.format", f"format {position.format} is not known"
    if position.scenario not in game_data.scenarios:
        yield "$.scenario", f"there is no scenario '{position.scenario}'"
        return
    try:
        check_options(RULINGS, position.options)
    except DataError as cause:
        yield f"$.options.{cause.path}", cause.problem
    if not 0 <= position.turn < len(game_data.scenarios[position.scenario].turns):
        yield "$.turn", f"the scenario has no turn {position.turn}"
        return
    # The checks end at the first unknown name, because later checks look up these names.
    for name in position.units:
        if name not in game_data.air_units:
            yield f"$.units.{name}", f"there is no air unit '{name}'"
            return
    for name in position.ships:
        if name not in game_data.us_ships:
            yield f"$.ships.{name}", f"there is no US ship '{name}'"
            return
    for name in position.units:
        if game_data.air_units[name].carrier not in position.ships:
            carrier = game_data.air_units[name].carrier
            yield f"$.units.{name}", f"its carrier '{carrier}' is not among the ships"
            return
    for name in position.hulls:
        if name not in game_data.japanese_ships:
            yield f"$.hulls.{name}", f"there is no Japanese ship '{name}'"
            return
    state = state_from_position(position)
    yield from chain(
        name_problems(state),
        value_problems(state),
        japanese_problems(state),
        frame_problems(state),
        broken_invariants(state),
    )

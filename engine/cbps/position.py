"""Positions as stored in scenario files, and the conversion to and from states."""

from typing import Final

from engine.cbps.force_ids import with_counters
from engine.cbps.game_data import load_game_data
from engine.cbps.state import Battle, State
from engine.kernel.structs import shared_fields

FORMAT: Final = 1


class Position(
    Battle,
    frozen=True,
    kw_only=True,
    omit_defaults=True,
    forbid_unknown_fields=True,
    tag_field="game",
    tag="cbps",
):
    """A position as stored in files. If it has no frames, play begins with the player's part of the set-up."""

    format: int = FORMAT


def position_from_state(state: State) -> Position:
    """Return the position that starts a game in exactly this state."""
    return Position(**shared_fields(with_counters(state), Position))


def state_from_position(position: Position) -> State:
    """Return the state of a position. In the state, each force's counter becomes its id."""
    return State(**shared_fields(position, State), game_data=load_game_data(position.overlay))

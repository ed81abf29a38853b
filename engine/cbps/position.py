"""A position as a scenario file holds it, and the way from a state to it."""

from typing import Final

from engine.cbps.book import book_of
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
    """A position; without frames the first turn begins with what the set-up leaves open."""

    format: int = FORMAT


def position_of(state: State) -> Position:
    """Return the position from which this very state can be started again."""
    return Position(**shared_fields(state, Position))


def state_of(position: Position) -> State:
    """Return the state of a position."""
    return State(**shared_fields(position, State), book=book_of(position.overlay))

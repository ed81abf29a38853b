"""Occupation and control of hexes, including intrinsic units (0.4, 6.5, 13.75, 13.76, 13.94)."""

from collections.abc import Mapping
from typing import Final

from engine.eots.board import board
from engine.eots.ch06_supply.deployment import deployment
from engine.eots.ch06_supply.occupancy import (
    home_cities,
    intrinsic_china,
    kunming_area,
    occupancy,
)
from engine.eots.ids import Side, UnitId
from engine.eots.state import State

CHINA_STRENGTH: Final = (9, 12)
"""Attack and defence strength of an intrinsic unit in China (13.76)."""
HOME_STRENGTH: Final = (12, 12)
"""Attack and defence strength of an intrinsic unit in the home islands (13.94)."""
_DIVISIONS: Final = ((9, 3), (5, 2), (0, 1))
"""Intrinsic units in each Chinese city hex, by number of divisions in China (13.76).

Each pair is a minimum number of divisions and the number of units. The first pair that applies counts.
"""


def units_at(state: State) -> Mapping[str, tuple[UnitId, ...]]:
    """Return the units at each occupied place, sorted by id. Results are cached."""
    return deployment(state).places


def _contains(hexes: int, state: State, place: str) -> bool:
    return bool(hexes & occupancy(state).bitsets.bit_by_id.get(place, 0))


def is_enemy_blocked(state: State, side: Side, place: str) -> bool:
    """Return whether a hex contains an enemy ground unit, air unit or HQ (0.4, OP-3).

    Intrinsic units count (13.76, 13.94). Kunming and its neighbours are always blocked for Japan (13.75).
    """
    return _contains(occupancy(state).armed[side.enemy], state, place)


def is_solely_enemy_occupied(state: State, side: Side, place: str) -> bool:
    """Return whether a hex contains ground units, air units or HQs of the enemy but none of this side (0.4)."""
    return _contains(occupancy(state).solely_occupied[side.enemy], state, place)


def is_vacant_for(state: State, side: Side, place: str) -> bool:
    """Return whether a hex contains none of a side's units. Intrinsic units count too (0.4)."""
    return not _contains(occupancy(state).anyone[side], state, place)


def controls(state: State, side: Side, place: str) -> bool:
    """Return whether a side controls a hex. Ocean hexes are never controlled (6.5, 13.75)."""
    if place in kunming_area():
        return side is Side.ALLIED
    return state.control.get(place) is side  # type: ignore[call-overload]  # a place that is not a hex has no controller


def is_friendly_port(state: State, side: Side, place: str) -> bool:
    """Return whether a hex is a port controlled by the side (6.5)."""
    index = board().index.get(place)  # type: ignore[call-overload]  # as above
    return index is not None and board().is_port[index] and controls(state, side, place)


def is_friendly_airfield(state: State, side: Side, place: str) -> bool:
    """Return whether a hex is an airfield controlled by the side (6.5). The air ferry hex of 8.35 does not count."""
    index = board().index.get(place)  # type: ignore[call-overload]  # as above
    return index is not None and board().is_airfield[index] and controls(state, side, place)


def intrinsic_units(state: State, place: str) -> int:
    """Return how many Japanese intrinsic one-step units are in a hex now (13.76, 13.94)."""
    if not _contains(occupancy(state).intrinsic, state, place):
        return 0
    if place in home_cities():
        return 1
    divisions = state.tracks.divisions_in_china
    return next(count for min_divisions, count in _DIVISIONS if divisions >= min_divisions)


def intrinsic_strength(place: str) -> tuple[int, int]:
    """Return the attack and defence strength of the intrinsic units that a hex can have (13.76, 13.94).

    (0, 0) if it can have none.
    """
    if place in home_cities():
        return HOME_STRENGTH
    return CHINA_STRENGTH if place in intrinsic_china() else (0, 0)

"""Stacking-limit checks outside offensives (6.11, 8.24, 8.34, 8.48, 13.74)."""

from collections.abc import Iterable
from typing import Final

from engine.eots.ch06_supply.control import units_at
from engine.eots.counters import counters
from engine.eots.ids import CHINA_BOX, Side, UnitId
from engine.eots.rulings import NAVAL_STACKING
from engine.eots.state import State

NAVAL_LIMIT: Final = 6
"""Maximum number of a side's naval units in a hex (8.24, OP-10)."""
LAND_LIMIT: Final = 3
"""Maximum number of a side's air and ground units in a hex (8.34, 8.48)."""
BOX_LIMIT: Final = 2
BOX_B29_LIMIT: Final = 1
"""Maximum number of B29s among the air units in the China box (13.74-1)."""


def land_stack(units: Iterable[UnitId]) -> int:
    """Return how many air and ground units count against the stacking limit.

    Air units that share a stacking group count as one (8.34).
    """
    count, partners = 0, set[str]()
    for unit in units:
        counter = counters()[unit]
        if not (counter.is_air or counter.is_ground):
            continue
        group = counter.air_stack_group
        if group is not None and group in partners:
            continue
        if group is not None:
            partners.add(group)
        count += 1
    return count


def naval_stack(state: State, units: Iterable[UnitId]) -> int:
    """Return how many naval units count against the limit (8.24, OP-10).

    Under the alternative reading, only units of the most common type count.
    """
    types = [counters()[unit].type for unit in units if counters()[unit].is_naval]
    if NAVAL_STACKING.uses_alternative(state.options):
        return max(map(types.count, types), default=0)
    return len(types)


def stack_at(state: State, side: Side, place: str) -> tuple[UnitId, ...]:
    """Return a side's units at a place, sorted by id."""
    return tuple(unit for unit in units_at(state).get(place, ()) if counters()[unit].side is side)


def has_room(state: State, unit: UnitId, place: str) -> bool:
    """Return whether a unit fits into a hex or the China box without exceeding a stacking limit."""
    counter = counters()[unit]
    # The unit may already be in the hex, but it must not count twice.
    units_there = (
        *(unit_id for unit_id in stack_at(state, counter.side, place) if unit_id != unit),
        unit,
    )
    if place == CHINA_BOX:
        b29s = sum(counters()[other_unit].b29 for other_unit in units_there)
        return len(units_there) <= BOX_LIMIT and b29s <= BOX_B29_LIMIT
    if counter.is_hq:
        return sum(counters()[other_unit].is_hq for other_unit in units_there) == 1  # 6.11
    if counter.is_naval:
        return naval_stack(state, units_there) <= NAVAL_LIMIT
    return land_stack(units_there) <= LAND_LIMIT

"""Facts about the present position that all movement needs (7.22, 8.11, 6.4)."""

from collections.abc import Mapping
from typing import Final

import msgspec

from engine.eots.ch06_supply.bitmap import Bits
from engine.eots.ch06_supply.occupancy import Occupancy, occupancy
from engine.eots.ch06_supply.zoi import zoi
from engine.eots.counters import counters
from engine.eots.frames import Purpose, StackFrame
from engine.eots.ids import Side, UnitId
from engine.eots.state import State, current
from engine.kernel.memo import IdentityMemo


class Classes(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Where the units of some kinds stand, by side."""

    naval: Mapping[Side, Bits]
    ground: Mapping[Side, Bits]


_CLASSES: Final = IdentityMemo[Classes](64)


def activated(state: State, side: Side) -> tuple[UnitId, ...]:
    """Return the units that a side has activated in the offensive under way (7.21, 7.26)."""
    offensive = current(state)
    return offensive.activated if side is offensive.side else offensive.reaction.activated


def bit_of(held: Occupancy, place: str) -> Bits:
    """Return the hex of a place; empty for places that are no hexes."""
    return held.ground.of.get(place, 0)


def classes(state: State) -> Classes:
    """Return where ships and ground units stand; remembered."""
    held = occupancy(state)
    return _CLASSES.get(state, (state.units, held.ground), lambda: _classes(state, held))


def _classes(state: State, held: Occupancy) -> Classes:
    naval = {Side.ALLIED: 0, Side.JAPAN: 0}
    ground = {Side.ALLIED: 0, Side.JAPAN: 0}
    of = held.ground.of
    for unit, counter in counters().items():
        if counter.is_naval or counter.is_ground:
            piece = state.units.get(unit)
            bit = 0 if piece is None else of.get(piece.at, 0)
            if bit:
                (naval if counter.is_naval else ground)[counter.side] |= bit
    return Classes(naval=naval, ground=ground)


def enemy_ground(state: State, side: Side) -> Bits:
    """Return the hexes with ground units of the enemy, intrinsic ones included (13.76, 13.94)."""
    found = classes(state).ground[side.enemy]
    return found | occupancy(state).intrinsic if side.enemy is Side.JAPAN else found


def carrier_ranges(state: State, units: tuple[UnitId, ...]) -> tuple[int, ...]:
    """Return the air ranges of the carriers among some units (1.3)."""
    return tuple(
        counters()[unit].strength(state.units[unit].steps).range
        for unit in units
        if counters()[unit].carrier
    )


def has_naval(units: tuple[UnitId, ...]) -> bool:
    """Return whether ships are among some units."""
    return any(counters()[unit].is_naval for unit in units)


def has_ground(units: tuple[UnitId, ...]) -> bool:
    """Return whether ground units are among some units."""
    return any(counters()[unit].is_ground for unit in units)


def covered(state: State, side: Side) -> Bits:
    """Return the hexes in zones of influence of a side's enemy, neutralised or not (6.4, 7.25E)."""
    return zoi(state).exerted[side.enemy]


def bare(state: State, side: Side) -> Bits:
    """Return the hexes in unneutralised zones of influence of a side's enemy (6.4)."""
    return zoi(state).open[side.enemy]


def lone_frame(side: Side, purpose: Purpose, units: tuple[UnitId, ...], place: str) -> StackFrame:
    """Return the frame of a stack that has not moved yet, for asking what it could do."""
    return StackFrame(side=side, purpose=purpose, units=units, origin=place, at=place)

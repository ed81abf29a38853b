"""Queries about the current position that several kinds of movement use (7.22, 8.11, 6.4)."""

from functools import lru_cache

from engine.eots.ch06_supply.bitsets import Bits
from engine.eots.ch06_supply.occupancy import Occupancy, occupancy
from engine.eots.ch06_supply.zoi import zoi
from engine.eots.counters import counters
from engine.eots.frames import Purpose, StackFrame
from engine.eots.ids import Side, UnitId
from engine.eots.state import State, current_offensive


def activated_units(state: State, side: Side) -> tuple[UnitId, ...]:
    """Return the units that a side has activated in the current offensive (7.21, 7.26)."""
    offensive = current_offensive(state)
    return offensive.activated if side is offensive.side else offensive.reaction.activated


def place_bit(hex_occupancy: Occupancy, place: str) -> Bits:
    """Return the set that contains only this hex; empty if the place is not a hex."""
    return hex_occupancy.bitsets.bit_by_id.get(place, 0)


def naval_hexes(state: State, side: Side) -> Bits:
    """Return the hexes that contain a side's ships."""
    hex_occupancy = occupancy(state)
    return hex_occupancy.deployment.naval[side] & hex_occupancy.bitsets.everywhere


def enemy_ground(state: State, side: Side) -> Bits:
    """Return the hexes with enemy ground units, including intrinsic ones (13.76, 13.94)."""
    hex_occupancy = occupancy(state)
    hexes = hex_occupancy.deployment.ground[side.enemy] & hex_occupancy.bitsets.everywhere
    return hexes | hex_occupancy.intrinsic if side.enemy is Side.JAPAN else hexes


def carrier_ranges(state: State, units: tuple[UnitId, ...]) -> tuple[int, ...]:
    """Return the air ranges of the carriers among these units (1.3)."""
    return tuple(
        counters()[unit].strength(state.units[unit].steps).range
        for unit in units
        if counters()[unit].carrier
    )


def has_naval(units: tuple[UnitId, ...]) -> bool:
    """Return whether any of the units are ships."""
    return any(counters()[unit].is_naval for unit in units)


def has_ground(units: tuple[UnitId, ...]) -> bool:
    """Return whether any of the units are ground units."""
    return any(counters()[unit].is_ground for unit in units)


def enemy_zones(state: State, side: Side) -> Bits:
    """Return the hexes in the enemy's zones of influence, including neutralised zones (6.4, 7.25E)."""
    return zoi(state).exerted[side.enemy]


def unneutralised_enemy_zones(state: State, side: Side) -> Bits:
    """Return the hexes in the enemy's unneutralised zones of influence (6.4)."""
    return zoi(state).open_zones[side.enemy]


@lru_cache(maxsize=1_024)
def probe_frame(side: Side, purpose: Purpose, units: tuple[UnitId, ...], place: str) -> StackFrame:
    """Return a frame for a stack that has not moved, to test its possible moves. Results are cached."""
    return StackFrame(side=side, purpose=purpose, units=units, origin=place, at=place)

"""Airfields, and the range of air units (8.31, 8.35, 1.3)."""

from engine.eots.ch06_supply.bitsets import Bits
from engine.eots.ch06_supply.occupancy import Occupancy, occupancy
from engine.eots.ch08_movement.areas import closed_to_air, enterable_hexes, ferry_bit
from engine.eots.ch08_movement.fleet import naval_hexes
from engine.eots.ch08_movement.search import hexes_around
from engine.eots.counters import counters
from engine.eots.frames import Purpose
from engine.eots.ids import Side, UnitId
from engine.eots.state import State, current_offensive


def longest_leg(state: State, units: tuple[UnitId, ...], purpose: Purpose) -> int:
    """Return the maximum length of a stack's legs, using extended ranges.

    Bracketed ranges do not count in reaction (8.31, 7.26).
    """
    leg_lengths = []
    for unit in units:
        row = counters()[unit].strength(state.units[unit].steps)
        extended_range = row.extended_range or 0
        if row.extended_in_parentheses and purpose is Purpose.REACTION:
            extended_range = 0
        leg_lengths.append(max(row.range, extended_range))
    return min(leg_lengths)


def uses_brackets(state: State, units: tuple[UnitId, ...], leg: int) -> bool:
    """Return whether a leg of the given length uses any unit's bracketed extended range (1.3, 8.31)."""
    return any(counters()[unit].uses_brackets(state.units[unit].steps, leg) for unit in units)


def airfields(hex_occupancy: Occupancy, side: Side) -> Bits:
    """Return the airfields that a side controls and may use (6.5, 8.41, 13.71)."""
    bitsets = hex_occupancy.bitsets
    fields = hex_occupancy.controlled[side] & bitsets.airfields & enterable_hexes(bitsets)
    return fields & ~closed_to_air(bitsets)


def leg_stops(state: State, side: Side) -> Bits:
    """Return the hexes where an air leg may end: friendly airfields and the Allied air ferry (8.31, 8.35)."""
    hex_occupancy = occupancy(state)
    stops = airfields(hex_occupancy, side)
    if side is Side.ALLIED:
        stops |= ferry_bit(hex_occupancy.bitsets) & ~naval_hexes(state, Side.JAPAN)
    return stops


def flight_reach(
    state: State, units: tuple[UnitId, ...], purpose: Purpose, start_hexes: Bits
) -> Bits:
    """Return the friendly airfields that normal movement can reach, including a friendly starting airfield (8.31)."""
    hex_occupancy = occupancy(state)
    side = counters()[units[0]].side
    stops = leg_stops(state, side)
    hexes = longest_leg(state, units, purpose)
    hexes_in_reach = start_hexes
    for _ in range(current_offensive(state).ov):
        nearer_reach = hexes_in_reach
        hexes_in_reach |= stops & hexes_around(hex_occupancy.bitsets, hexes_in_reach, hexes)
        if hexes_in_reach == nearer_reach:
            break  # further legs reach no other stops
    return hexes_in_reach & airfields(hex_occupancy, side)

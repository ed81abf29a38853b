"""The optional rule that US escort carriers may only support landings (18.0)."""

from typing import Final

from engine.eots.ch06_supply.bitsets import Bits
from engine.eots.ch06_supply.occupancy import occupancy
from engine.eots.counters import counters
from engine.eots.ids import Nationality, Side, UnitId, UnitType
from engine.eots.rulings import CVE_SUPPORT
from engine.eots.state import State, current_offensive

EVERYWHERE: Final[Bits] = -1


def is_limited(state: State, unit: UnitId) -> bool:
    """Return whether a unit is restricted by the optional rule: a US CVE in a game that uses it."""
    if not CVE_SUPPORT.uses_alternative(state.options):
        return False
    counter = counters()[unit]
    return counter.type is UnitType.CVE and counter.nationality is Nationality.US


def has_limited_unit(state: State, units: tuple[UnitId, ...]) -> bool:
    """Return whether the rule restricts any of these units."""
    return any(is_limited(state, unit) for unit in units)


def landed_hexes(state: State) -> Bits:
    """Return the hexes where Allied ground units have landed in this offensive (8.45)."""
    bit_by_id = occupancy(state).bitsets.bit_by_id
    hexes = 0
    for unit, move in current_offensive(state).moved.items():
        counter = counters()[unit]
        if counter.side is Side.ALLIED and counter.is_ground and move.mode.is_landing:
            hexes |= bit_by_id.get(state.units[unit].at, 0)
    return hexes


def supported_battles(state: State, unit: UnitId) -> Bits:
    """Return the battle hexes that a unit may join under the optional rule; all hexes if the rule does not restrict it.

    For the Offensive player, these are the hexes with an Allied landing. In reaction, these are the battle hexes in
    which an Allied CVE started the offensive.
    """
    if not is_limited(state, unit):
        return EVERYWHERE
    offensive = current_offensive(state)
    if offensive.side is Side.ALLIED:
        return landed_hexes(state)
    bit_by_id = occupancy(state).bitsets.bit_by_id
    battles, supported = occupancy(state).bitsets.from_hexes(offensive.battles), 0
    for other_unit, piece in state.units.items():
        if (
            counters()[other_unit].type is UnitType.CVE
            and counters()[other_unit].side is Side.ALLIED
        ):
            supported |= bit_by_id.get(offensive.origins.get(other_unit, piece.at), 0)
    return supported & battles

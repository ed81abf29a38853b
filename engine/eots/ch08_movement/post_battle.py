"""The bases where activated air and naval units may end their post-battle movement (9.6, 9.61, 9.62)."""

from typing import Final

from engine.eots.ch06_supply.bitsets import Bits
from engine.eots.ch06_supply.occupancy import Occupancy, occupancy
from engine.eots.ch06_supply.paths import command_hexes
from engine.eots.ch06_supply.supply import supplying_hexes
from engine.eots.ch08_movement.airfields import airfields, flight_reach
from engine.eots.ch08_movement.fleet import enemy_ground, place_bit
from engine.eots.ch08_movement.search import hexes_within_by_sea
from engine.eots.counters import counters
from engine.eots.frames import Purpose
from engine.eots.ids import Side, UnitId
from engine.eots.state import State, current_offensive
from engine.kernel.memo import Memo

_BEST_BASES_CACHE: Final = Memo[Bits](128)
_HQ_RANGE_CACHE: Final = Memo[Bits](16)


def friendly_bases(state: State, unit: UnitId) -> Bits:
    """Return a unit's friendly bases: ports for ships, airfields for air units (9.61, 9.62)."""
    hex_occupancy = occupancy(state)
    counter = counters()[unit]
    if counter.is_air:
        return airfields(hex_occupancy, counter.side) & ~enemy_ground(state, counter.side)  # 8.31
    return hex_occupancy.controlled[counter.side] & hex_occupancy.bitsets.ports


def base_ends(state: State, side: Side, units: tuple[UnitId, ...], origin: str) -> Bits:
    """Return the bases where a stack may end its move, however far away (9.61, 9.62).

    The Offensive player may use any friendly base. The Reaction player may use only bases that are among the best bases
    of every unit in the stack, measured from the hex where it starts.
    """
    end_hexes = -1
    for unit in units:
        if side is current_offensive(state).side:
            end_hexes &= friendly_bases(state, unit)
        else:
            end_hexes &= best_bases(state, unit, origin)
    return end_hexes


def hq_range(state: State, side: Side) -> Bits:
    """Return the hexes within command range of any friendly HQ, even an unsupplied HQ (9.61)."""
    hex_occupancy = occupancy(state)
    return _HQ_RANGE_CACHE.get(
        state, (state.units, hex_occupancy.bitsets, side), lambda: _hq_range(hex_occupancy, side)
    )


def _hq_range(hex_occupancy: Occupancy, side: Side) -> Bits:
    hexes = 0
    for unit, place in hex_occupancy.deployment.hqs:
        if counters()[unit].side is side:
            hexes |= command_hexes(hex_occupancy.bitsets, unit, place)
    return hexes


def best_bases(state: State, unit: UnitId, origin: str) -> Bits:
    """Return a Reaction unit's best bases in reach: those in supply and in range of an HQ (9.61-2).

    If there are none, all friendly bases in reach count as best. The unit's own hex is in reach. Supply is traced from
    the base, as if the unit were not active.
    """
    key = (
        state.units,
        state.control,
        state.tracks,
        current_offensive(state).activated,
        unit,
        origin,
    )
    return _BEST_BASES_CACHE.get(state, key, lambda: _best_bases(state, unit, origin))


def _best_bases(state: State, unit: UnitId, origin: str) -> Bits:
    hex_occupancy = occupancy(state)
    start_bit = place_bit(hex_occupancy, origin)
    if counters()[unit].is_air:
        hexes_in_reach = flight_reach(state, (unit,), Purpose.POST_BATTLE, start_bit)
    else:
        hexes_in_reach = hexes_within_by_sea(
            hex_occupancy.bitsets, start_bit, current_offensive(state).naval_move
        )
    candidates = friendly_bases(state, unit) & hexes_in_reach
    in_range = candidates & hq_range(state, counters()[unit].side)
    return supplying_hexes(state, unit, in_range) or candidates

"""The key of a supply network: everything that determines a side's supply (6.21, 6.22, 6.23)."""

from functools import cache, lru_cache
from typing import NamedTuple

from engine.eots.board import area_of
from engine.eots.ch06_supply.bitsets import SOUTH_PACIFIC, Bits, BoardBitsets, Steps, all_hexes
from engine.eots.ch06_supply.occupancy import JAPANESE_ISLANDS, Occupancy
from engine.eots.ch06_supply.routes import route_steps
from engine.eots.counters import counters
from engine.eots.ids import AreaId, HexId, Side, UnitId
from engine.eots.rulings import (
    MAP_CORNERS,
    MIXED_HEXSIDES,
    SUPPLY_ELIGIBLE_PORT,
)
from engine.eots.state import State


class NetworkKey(NamedTuple):
    """Everything that determines a side's supply. Equal keys mean equal networks."""

    bitsets: BoardBitsets
    side: Side
    hqs: tuple[tuple[UnitId, HexId], ...]
    barred_units: frozenset[UnitId]
    """HQs that supply only their own hex (10.11-5, 11.0-3)."""
    controlled: Bits
    open_hexes: Bits
    """Hexes not solely occupied by the enemy."""
    free_hexes: Bits
    """Hexes outside unneutralised enemy ZOI."""
    fast_hexes: Bits
    """Hexes with a transport route on which movement costs half a point (6.21A-4)."""
    routes: Steps
    sources: Bits
    """Ultimate supply sources (6.22)."""
    east: Bits
    """Supply sources on the east edge (6.25)."""
    hump_airfields: Bits
    """Airfields from which the airlift can fly; empty while the airlift is not active (6.23)."""
    land_only: bool
    sea_only: bool


def _supply_sources(state: State, hex_occupancy: Occupancy, side: Side) -> tuple[Bits, Bits]:
    """Return a side's ultimate supply sources, and its sources on the east edge (6.22, 6.25)."""
    bitsets = hex_occupancy.bitsets
    if side is Side.ALLIED:
        if MAP_CORNERS.uses_alternative(state.options):
            return bitsets.allied_straight_sources, bitsets.east_straight
        return bitsets.allied_sources, bitsets.east
    if state.scenario == SOUTH_PACIFIC:
        return bitsets.from_hexes(bitsets.board.south_pacific.north_edge), 0  # 17.10.5L
    cities = area_of(state.options, JAPANESE_ISLANDS).cities
    return bitsets.from_hexes(cities) & hex_occupancy.controlled[side], 0


def _hump_airfields(state: State, bitsets: BoardBitsets) -> Bits:
    if not state.tracks.hump:
        return 0
    return bitsets.from_hexes(area_of(state.options, AreaId("hump-airfields")).airfields)


@cache
def _route_hexes(routes: Steps) -> Bits:
    route_hexes = 0
    for hexes in routes:
        route_hexes |= hexes
    return route_hexes


@lru_cache(maxsize=256)
def _side_hqs(
    hqs: tuple[tuple[UnitId, HexId], ...], side: Side
) -> tuple[tuple[UnitId, HexId], ...]:
    return tuple((hq, hex_id) for hq, hex_id in hqs if counters()[hq].side is side)


def network_key(state: State, hex_occupancy: Occupancy, side: Side) -> NetworkKey:
    """Build the key for a side's network without enemy zones. `build_network` adds the zones.

    Args:
        state: The position.
        hex_occupancy: The position's occupied and controlled hexes.
        side: The side whose supply is computed.
    """
    bitsets = hex_occupancy.bitsets
    every_hex = all_hexes(bitsets)
    routes = route_steps(bitsets, state)
    enemy = side.enemy
    sources, east = _supply_sources(state, hex_occupancy, side)
    return NetworkKey(
        bitsets=bitsets,
        side=side,
        hqs=_side_hqs(hex_occupancy.deployment.hqs, side),
        barred_units=frozenset(),
        controlled=hex_occupancy.controlled[side],
        open_hexes=every_hex & ~hex_occupancy.solely_occupied[enemy],
        free_hexes=every_hex,
        # 6.21A-4: enemy units in a hex do not matter if a friendly unit is there too.
        fast_hexes=_route_hexes(routes)
        & (~hex_occupancy.anyone[enemy] | hex_occupancy.anyone[side]),
        routes=routes,
        sources=sources,
        east=east,
        hump_airfields=_hump_airfields(state, bitsets) if side is Side.ALLIED else 0,
        land_only=MIXED_HEXSIDES.uses_alternative(state.options),
        sea_only=SUPPLY_ELIGIBLE_PORT.uses_alternative(state.options),
    )

"""Supply of units, and the rules that depend on supply lines (6.2, 6.11, 6.25, 13.74-13.79, 13.93)."""

from functools import cache
from typing import Final

from engine.eots.board import board
from engine.eots.ch06_supply.bitsets import SOUTH_PACIFIC, Bits
from engine.eots.ch06_supply.network import (
    BurmaRoad,
    Network,
    build_network,
    profile,
)
from engine.eots.ch06_supply.projection import is_air_capable
from engine.eots.ch06_supply.railway import area_across_bridge, has_route_to_rangoon
from engine.eots.ch06_supply.routes import RANGOON, bridge_stretch
from engine.eots.ch06_supply.solution import Solution, solution
from engine.eots.counters import counters
from engine.eots.ids import CHINA_BOX, ActivationNation, AreaId, HexId, Side, UnitId
from engine.eots.rulings import BLOCKADE_HEX, KWAI_PLUS_ONE, area_rulings
from engine.eots.state import State
from engine.kernel.memo import Memo

__all__ = [
    "MAX_RAILWAY_MODIFIER",
    "BurmaRoad",
    "Supply",
    "burma_road",
    "effective_efficiency",
    "has_home_line_to_resource",
    "has_sea_supply_line",
    "is_kunming_source",
    "is_near_railway",
    "supply",
    "supply_at",
    "supplying_hexes",
    "would_be_supplied",
]

_MEMO: Final = Memo["Supply"](64)
_LINE_OF_COMMUNICATION: Final = frozenset({ActivationNation.US, ActivationNation.JOINT})
_CBI: Final = (AreaId("burma"), AreaId("ceylon"), AreaId("northern-india"))
"""Areas in which activated units can benefit or suffer from the Kwai railway (6.11, 13.79)."""

MAX_RAILWAY_MODIFIER: Final = 1
"""Largest change that the Kwai railway can make to an efficiency rating (6.11, 13.79)."""


class Supply:
    """The supply of all units in one position.

    Args:
        state: The position.
        solved: The position's zones of influence and networks.
    """

    __slots__ = ("_solution", "_state")

    def __init__(self, state: State, supply_solution: Solution) -> None:
        """Store the position and its solution."""
        self._state = state
        self._solution = supply_solution

    def network(self, side: Side) -> Network:
        """Return a side's supply network."""
        return self._solution.networks[side]

    def is_supplied(self, unit: UnitId) -> bool:
        """Return whether a unit on the map or in the China box is in supply (6.21, 6.23, 13.74).

        Units activated in the current offensive are in supply (6.0). Units off the map are never in supply.
        """
        if unit in self._solution.frozen:
            return True
        unit_place = self._state.units[unit].at
        if unit_place == CHINA_BOX:
            return self.is_box_supplied()
        return self.is_supplied_at(unit, unit_place)

    def is_supplied_at(self, unit: UnitId, place: str) -> bool:
        """Return whether a unit would be in supply at a place, given the current ZOI. Activation is ignored."""
        counter = counters()[unit]
        if counter.is_hq:
            return self.is_hq_supplied(unit) and self._state.units[unit].at == place
        if counter.side is Side.JAPAN and place == self._state.tracks.tokyo_express:
            return True  # 6.23
        network = self._solution.networks[counter.side]
        return network.supplies(unit, self._solution.occupancy.bitsets.bit_by_id.get(place, 0))

    def is_box_supplied(self) -> bool:
        """Return whether air units in the China box are in supply (13.74-2)."""
        if self._state.scenario == SOUTH_PACIFIC:
            return True  # 17.10.5J
        network = self._solution.networks[Side.ALLIED]
        return network.burma_road is BurmaRoad.OPEN or network.is_hump_open

    def is_hq_supplied(self, hq: UnitId) -> bool:
        """Return whether an HQ is in supply (6.21B)."""
        return hq in self._solution.networks[counters()[hq].side].supplied_hqs

    def supplied_hqs(self, side: Side) -> tuple[UnitId, ...]:
        """Return a side's supplied HQs, sorted by id (6.21B)."""
        network = self._solution.networks[side]
        return tuple(hq for hq, _ in network.key.hqs if hq in network.supplied_hqs)

    def _hex_indexes(self, hexes: Bits) -> frozenset[int]:
        return frozenset(self._solution.occupancy.bitsets.indexes(hexes))

    def eligible_ports(self, side: Side) -> frozenset[int]:
        """Return the hex indexes of a side's supply-eligible ports (1.3, OP-2)."""
        return self._hex_indexes(self._solution.networks[side].eligible_ports)

    def eligible_airfields(self, side: Side) -> frozenset[int]:
        """Return the hex indexes of a side's supply-eligible airfields (1.3)."""
        return self._hex_indexes(self._solution.networks[side].eligible_airfields)

    def is_eligible_port(self, side: Side, place: str) -> bool:
        """Return whether a hex is a supply-eligible port for a side (1.3, OP-2)."""
        hexes = self._solution.networks[side].eligible_ports
        return bool(hexes & self._solution.occupancy.bitsets.bit_by_id.get(place, 0))

    def is_eligible_airfield(self, side: Side, place: str) -> bool:
        """Return whether a hex is a supply-eligible airfield for a side (1.3)."""
        hexes = self._solution.networks[side].eligible_airfields
        return bool(hexes & self._solution.occupancy.bitsets.bit_by_id.get(place, 0))


def supply(state: State) -> Supply:
    """Return a position's supply. Results are cached."""
    cached_solution = _MEMO.result_for(state)
    if cached_solution is not None:
        return cached_solution
    supply_solution = solution(state)
    key = (supply_solution, state.units, state.tracks, state.scenario)
    return _MEMO.store(state, _MEMO.get(state, key, lambda: Supply(state, supply_solution)))


def supply_at(state: State, side: Side, barred_units: frozenset[UnitId]) -> Network:
    """Return a side's supply network in which the barred HQs supply only their own hex (10.11-5, 11.0-3)."""
    supply_solution = solution(state)
    if not barred_units:
        return supply_solution.networks[side]
    return build_network(
        state,
        supply_solution.networks[side].key,
        supply_solution.zoi.open_zones[side.enemy],
        barred_units,
    )


def would_be_supplied(state: State, unit: UnitId, hex_id: HexId) -> bool:
    """Return whether a unit would be in supply in a hex, whether or not it is activated (6.21).

    See `supplying_hexes` for the assumptions about the unit.
    """
    bit = solution(state).occupancy.bitsets.bit_by_id[hex_id]
    return bool(supplying_hexes(state, unit, bit))


def supplying_hexes(state: State, unit: UnitId, hexes: Bits) -> Bits:
    """Of the given hexes, return those where a unit would be in supply, whether or not it is activated (6.21).

    For an air unit or carrier, the result assumes that its zone is around the tested hex and not around its current one
    (6.21A). For an HQ, the hex must have a line to an ultimate supply source (6.21B).
    """
    counter, supply_solution = counters()[unit], solution(state)
    side, bitsets = counter.side, supply_solution.occupancy.bitsets
    network = supply_solution.networks[side]
    if counter.is_hq:
        return network.home_line & hexes
    supplied_hexes = 0
    if side is Side.JAPAN and state.tracks.tokyo_express is not None:
        supplied_hexes = bitsets.bit_by_id[state.tracks.tokyo_express] & hexes
    if not is_air_capable(unit):
        return supplied_hexes | _supplied_subset(network, unit, hexes)
    range_hexes = supply_solution.zoi.flier_hexes.get(unit)
    if range_hexes is not None:  # in the unit's own hex, the current zones apply
        bit = bitsets.bit_by_id[range_hexes] & hexes
        supplied_hexes |= _supplied_subset(network, unit, bit)
        hexes &= ~bit
    if not hexes:
        return supplied_hexes
    # A unit's own zone can only help, so hexes supplied without it need no further test.
    zoi_without = supply_solution.zoi.without_units((unit,))
    supplied_hexes |= _supplied_subset(
        build_network(state, network.key, zoi_without.open_zones[side.enemy]), unit, hexes
    )
    for index in bitsets.indexes(hexes & ~supplied_hexes):
        zones = zoi_without.with_passing_units((unit,), bitsets.board.ids[index])
        if zones.open_zones[side.enemy] == zoi_without.open_zones[side.enemy]:
            continue  # the unit's zone makes no difference here
        bit = bitsets.bit_by_index[index]
        if build_network(state, network.key, zones.open_zones[side.enemy]).supplies(unit, bit):
            supplied_hexes |= bit
    return supplied_hexes


def _supplied_subset(network: Network, unit: UnitId, hexes: Bits) -> Bits:
    """Of the given hexes, return those where a network supplies a unit.

    Avoid a search if known areas cover them all.
    """
    unit_profile = profile(unit)
    return (
        hexes
        if network.supplies_everywhere(unit_profile, hexes)
        else network.area(unit_profile) & hexes
    )


def burma_road(state: State) -> BurmaRoad:
    """Return the status of the Burma Road (13.78)."""
    return solution(state).networks[Side.ALLIED].burma_road


def is_kunming_source(state: State) -> bool:
    """Return whether Kunming is an Allied supply source (13.75-1)."""
    return burma_road(state) is not BurmaRoad.CLOSED


@cache
def _cbi_hexes(rulings: tuple[str, ...]) -> frozenset[str]:
    return frozenset(hex_id for area in _CBI for hex_id in board().area(area, rulings).hexes)


def effective_efficiency(state: State, hq: UnitId, activated_units: tuple[UnitId, ...]) -> int:
    """Return an HQ's efficiency rating for activating these units, at least 0 (6.11, 6.25, 13.79)."""
    counter = counters()[hq]
    assert counter.hq is not None
    rating = counter.hq.efficiency
    if counter.side is Side.JAPAN:
        rating += _railway_modifier(state, hq, activated_units)
    elif counter.activation_nation in _LINE_OF_COMMUNICATION and _is_cut_off(state, hq):
        rating -= 1
    return max(rating, 0)


def _is_cut_off(state: State, hq: UnitId) -> bool:
    """Return whether a US or Joint HQ is in supply but cannot trace supply to the east map edge (6.25)."""
    supply_solution = solution(state)
    network = supply_solution.networks[Side.ALLIED]
    if hq not in network.supplied_hqs or network.is_off_sheet(hq):
        return False
    return not network.east_line & supply_solution.occupancy.bitsets.bit_by_id[state.units[hq].at]


def _starting_place(state: State, unit: UnitId) -> str:
    """Return a unit's place at the start of the offensive."""
    offensive = state.offensive
    unit_place = state.units[unit].at
    return unit_place if offensive is None else offensive.origins.get(unit, unit_place)


def is_near_railway(state: State, units: tuple[UnitId, ...]) -> bool:
    """Return whether the Kwai railway can change an HQ's rating for activating these Japanese units (6.11, 13.79)."""
    cbi_hexes = _cbi_hexes(area_rulings(state.options))
    return any(_starting_place(state, unit) in cbi_hexes for unit in units)


def _railway_modifier(state: State, hq: UnitId, activated_units: tuple[UnitId, ...]) -> int:
    """Return the modifier from the Kwai railway to a Japanese efficiency rating: -1, 0 or +1 (6.11, 13.79)."""
    if not is_near_railway(state, activated_units):
        return 0
    japan = bool(solution(state).occupancy.controlled[Side.JAPAN] & _bit(state, RANGOON))
    if not state.tracks.kwai_bridge:
        return 0 if japan else -MAX_RAILWAY_MODIFIER
    return MAX_RAILWAY_MODIFIER if japan and _draws_over_railway(state, hq, activated_units) else 0


def _bit(state: State, place: str) -> Bits:
    return solution(state).occupancy.bitsets.bit_by_id.get(place, 0)


def _draws_over_railway(state: State, hq: UnitId, activated_units: tuple[UnitId, ...]) -> bool:
    """Return whether the HQ has a route over the railway, and at least one unit is supplied over it (13.79, OPB-41).

    Under the alternative reading, the HQ needs no route.
    """
    network = solution(state).networks[Side.JAPAN]
    hq_at = HexId(state.units[hq].at)
    if not KWAI_PLUS_ONE.uses_alternative(state.options) and not has_route_to_rangoon(
        state, network, hq_at
    ):
        return False
    stretch = bridge_stretch(state)
    return any(
        area_across_bridge(network, stretch, profile(unit))
        & _bit(state, _starting_place(state, unit))
        for unit in activated_units
    )


def has_sea_supply_line(state: State, side: Side, start_hex: HexId, end_hex: HexId) -> bool:
    """Return whether two hexes are connected by a line of any length that obeys the rules for HQs (6.21B, 17.38C)."""
    supply_solution = solution(state)
    bit_by_id = supply_solution.occupancy.bitsets.bit_by_id
    return bool(
        supply_solution.networks[side].connected_to(bit_by_id[start_hex]) & bit_by_id[end_hex]
    )


def has_home_line_to_resource(state: State) -> bool:
    """Return whether a line connects a Japanese supply source to a resource hex (13.93b).

    By default, Japan must control the resource hex (OPB-39).
    """
    supply_solution = solution(state)
    network = supply_solution.networks[Side.JAPAN]
    resources = supply_solution.occupancy.bitsets.resources
    if not BLOCKADE_HEX.uses_alternative(state.options):
        resources &= supply_solution.occupancy.controlled[Side.JAPAN]
    return bool(network.home_line & resources)

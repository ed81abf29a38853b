"""Computes the hexes that units can reach in an offensive by march, landing or strike (7.2, 8.1, 8.2, 8.42, 8.45)."""

import heapq
from collections.abc import Iterable
from typing import Final

import msgspec

from engine.bots.greedy_eots_situation import EotsSituation, attack_strength
from engine.bots.greedy_eots_stakes import CLOSED_AREAS
from engine.eots.board import board
from engine.eots.ch06_supply.bitsets import Bits
from engine.eots.ch08_movement.amphibious import NEAR_PORT_HEXES
from engine.eots.ch08_movement.areas import PORT_MORESBY
from engine.eots.ch08_movement.search import (
    distance_layers,
    hexes_within_by_sea,
    sea_steps,
    troop_sea,
    union_layers,
)
from engine.eots.counters import Counter, counters
from engine.eots.deck_terms import Filter
from engine.eots.ids import AreaId, HexId, Nationality, Side
from engine.eots.view import UnitView

_CHINESE: Final = tuple(map(AreaId, ("burma", "northern-india", "kunming-area")))
_INDIA: Final = AreaId("continental-india")
_KUNMING: Final = AreaId("kunming-area")


class Means(msgspec.Struct, frozen=True, kw_only=True):
    """What a card and an HQ provide for an offensive (7.21, 8.1, 8.45A)."""

    limit: int
    """Number of units that may be activated."""
    naval_move: int
    halves: int
    """Movement allowance for a march, in half movement points."""
    asp: int
    battles: int
    """Number of battle hexes that may be declared. For an operations card, this is one (7.24)."""
    is_surprise: bool
    """True if the card specifies Surprise Attack, which limits the enemy's reaction (7.25)."""
    near_ports: bool = False
    """True if troops may land only near friendly ports (17.11)."""
    caps: tuple[tuple[Filter, int], ...] = ()
    """The maximum number of activated units of certain kinds. Each kind is given as a filter (5.31)."""


class UnitReach:
    """Computes on demand which hexes units can reach. `free_units` contains the units without a task."""

    def __init__(self, situation: EotsSituation, units: Iterable[UnitView], means: Means) -> None:
        """Create the analysis. All units are free at first."""
        self.situation = situation
        self.means = means
        self.free_units = {unit.id: unit for unit in units}
        self._shores = (
            hexes_near_own_ports(situation) if means.near_ports else situation.bitsets.everywhere
        )
        """Hexes where the card allows landings."""
        self._seas: dict[str, Bits] = {}
        """Hexes that troops from each port can reach by sea and land on."""
        self._open_seas: dict[str, Bits] = {}
        """Hexes that troops from each port can reach by sea without a carrier."""
        self._nearby_units: dict[HexId, tuple[UnitView, ...]] = {}
        """The units that could strike each hex when it was first looked up, strongest first."""
        self.entrants_by_hex = self._goal_entrants(tuple(self.free_units.values()))

    def _goal_entrants(
        self, units_in_reach: tuple[UnitView, ...]
    ) -> dict[HexId, list[tuple[UnitView, int]]]:
        """Return the ground units that could enter each goal, each with its shipping cost (0 for a march)."""
        entrants: dict[HexId, list[tuple[UnitView, int]]] = {}
        targets = self.situation.targets
        for unit in units_in_reach:
            counter = counters()[unit.id]
            if not counter.is_ground or unit.at not in board().index:
                continue
            on_foot = march_destinations(self.situation, unit, self.means.halves)
            cost = self._shipping_cost(unit)
            sea = 0 if cost is None else self._landing_reach(unit.at)
            for hex_id in targets:
                if hex_id in on_foot:
                    entrants.setdefault(hex_id, []).append((unit, 0))
                elif (
                    cost is not None
                    and self.situation.bitsets.bit_by_id[hex_id] & sea
                    and self._can_land(unit, hex_id)
                ):
                    entrants.setdefault(hex_id, []).append((unit, cost))
        return entrants

    def _shipping_cost(self, unit: UnitView) -> int | None:
        """Return the shipping points for landing a unit from its hex, or None if the unit cannot land (8.45)."""
        counter, unit_hex = counters()[unit.id], HexId(unit.at)
        row = counter.ground
        if row is None or not row.amphibious_assault or not self.situation.is_own(unit_hex):
            return None
        if not board().is_coastal[board().index[unit_hex]] or self.situation.enemy_units(unit_hex):
            return None
        return counter.asp_cost(unit.steps)

    def _landing_reach(self, start_hex: str) -> Bits:
        """Return the hexes that troops can reach by sea.

        If no carrier escorts them, enemy zones block the way (8.45B).
        """
        if start_hex not in self._seas:
            bitsets = self.situation.bitsets
            allowed_hexes = troop_sea(bitsets)
            if not self.carrier_at(start_hex):
                allowed_hexes &= ~self.situation.unneutralised_zones
            layers = distance_layers(
                sea_steps(bitsets),
                bitsets.bit_by_id[start_hex],
                self.means.naval_move,
                allowed_hexes,
            )
            # The search for hexes does not check where it starts, so troops in a closed port are
            # excluded here.
            self._seas[start_hex] = (
                union_layers(layers) & self._shores
                if bitsets.bit_by_id[start_hex] & allowed_hexes
                else 0
            )
        return self._seas[start_hex]

    def carrier_at(self, place: str) -> UnitView | None:
        """Return a free carrier in a place, or None if the place has no free carrier."""
        own_units = (
            unit for unit in self.situation.friendly_units(place) if unit.id in self.free_units
        )
        return next((unit for unit in own_units if counters()[unit.id].carrier), None)

    def _can_land(self, unit: UnitView, hex_id: HexId) -> bool:
        row, counter = board().hexes[hex_id], counters()[unit.id]
        if not may_enter(counter, hex_id):
            return False
        if row.terrain == "mountain" and hex_id != PORT_MORESBY:
            return False
        is_limited = counter.ground is not None and counter.ground.us_army_one_hex_island_limit
        return not (
            is_limited and row.is_one_hex_island and self.situation.enemy_units(hex_id)
        )  # 8.45D

    def is_unescorted_route(self, start_hex: str, hex_id: HexId) -> bool:
        """Return whether troops can reach the goal from the port without a carrier (8.45B)."""
        if start_hex not in self._open_seas:
            bitsets = self.situation.bitsets
            allowed_hexes = troop_sea(bitsets) & ~self.situation.unneutralised_zones
            layers = distance_layers(
                sea_steps(bitsets),
                bitsets.bit_by_id[start_hex],
                self.means.naval_move,
                allowed_hexes,
            )
            self._open_seas[start_hex] = (
                union_layers(layers) if bitsets.bit_by_id[start_hex] & allowed_hexes else 0
            )
        return bool(self._open_seas[start_hex] & self.situation.bitsets.bit_by_id[hex_id])

    def strikers(self, hex_id: HexId) -> tuple[UnitView, ...]:
        """Return the free units that could fight for a hex by air or sea, strongest first."""
        if hex_id not in self._nearby_units:
            strikers = [unit for unit in self.free_units.values() if self._can_strike(unit, hex_id)]
            self._nearby_units[hex_id] = tuple(
                sorted(strikers, key=lambda unit: (-attack_strength(unit), unit.id))
            )
        return tuple(unit for unit in self._nearby_units[hex_id] if unit.id in self.free_units)

    def _can_strike(self, unit: UnitView, hex_id: HexId) -> bool:
        counter = counters()[unit.id]
        if unit.at not in board().index:
            return False
        own_index = board().index[HexId(unit.at)]
        if counter.is_naval:
            # Distances are measured from the battle hex, so that one cached row serves all ships.
            sea = board().sea_distances(board().index[hex_id])
            return sea[own_index] <= self.means.naval_move
        return counter.is_air and board().distance(HexId(unit.at), hex_id) <= battle_range(unit)


def battle_range(unit: UnitView) -> int:
    """Return the maximum distance, in hexes, to a battle that an air unit or carrier may join (1.3, 8.31)."""
    counter = counters()[unit.id]
    row = counter.strength(max(unit.steps, 1))
    if row.extended_range is not None and not row.extended_in_parentheses and counter.is_air:
        return max(row.range, row.extended_range)
    return row.range


def may_enter(counter: Counter, hex_id: HexId) -> bool:
    """Return whether a ground unit's nationality allows the unit to enter a hex (8.41, 13.75)."""
    areas = board().areas
    if counter.nationality is Nationality.CHINA:
        return any(hex_id in areas[area].hexes for area in _CHINESE)
    if any(hex_id in areas[area].hexes for area in CLOSED_AREAS):
        return False
    if counter.side is Side.JAPAN:
        return hex_id not in areas[_INDIA].hexes and hex_id not in areas[_KUNMING].hexes
    return True


def hexes_near_own_ports(situation: EotsSituation) -> Bits:
    """Return the hexes that are a short distance by water from a friendly port (17.11)."""
    bitsets, hexes = situation.bitsets, 0
    for index in bitsets.indexes(bitsets.ports):
        if situation.is_own(board().ids[index]):
            hexes |= hexes_within_by_sea(bitsets, bitsets.bit_by_index[index], NEAR_PORT_HEXES)
    return hexes


def march_destinations(situation: EotsSituation, unit: UnitView, halves: int) -> dict[HexId, int]:
    """Return the hexes that a ground unit could reach by a march, each with the cost in half movement points (8.42)."""
    counter, map_ = counters()[unit.id], board()
    start_index = map_.index[HexId(unit.at)]
    destinations: dict[HexId, int] = {}
    queue = [(0, start_index)]
    while queue:
        halves_spent, current_hex = heapq.heappop(queue)
        hex_id = map_.ids[current_hex]
        if hex_id in destinations:
            continue
        destinations[hex_id] = halves_spent
        # A march ends in the first hex that contains enemies.
        if current_hex != start_index and (
            situation.enemy_units(hex_id) or situation.garrison(hex_id)
        ):
            continue
        # A route that an event opens may still be closed, so it is ignored.
        routes = {other for other, event in map_.route_adjacent[current_hex] if event is None}
        for neighbour in map_.land_adjacent[current_hex]:
            next_hex = map_.ids[neighbour]
            cost = (
                1
                if neighbour in routes and not situation.enemy_units(next_hex)
                else 2 * map_.terrain_mp[neighbour]
            )
            if cost and halves_spent + cost <= halves and may_enter(counter, next_hex):
                heapq.heappush(queue, (halves_spent + cost, neighbour))
    del destinations[map_.ids[start_index]]
    return destinations


def is_ship(unit: UnitView) -> bool:
    """Return whether a unit is a ship."""
    return counters()[unit.id].is_naval


def fights_in_air_or_at_sea(unit: UnitView) -> bool:
    """Return whether a unit takes part in air-naval combat (9.2)."""
    counter = counters()[unit.id]
    return counter.is_air or counter.is_naval

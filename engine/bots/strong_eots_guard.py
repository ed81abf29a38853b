"""Plans offensives that move troops into important unguarded hexes without a battle (8.42, 8.44, 8.45)."""

from collections.abc import Iterable, Mapping
from typing import Final

from msgspec.structs import replace

from engine.bots.greedy_eots_plan import OffensivePlan, PlannedTarget, may_serve
from engine.bots.greedy_eots_reach import Means, UnitReach
from engine.bots.greedy_eots_situation import EotsSituation, attack_strength
from engine.bots.strong_eots_dangers import HEXES_PER_LOSS, Dangers
from engine.eots.board import board
from engine.eots.ch06_supply.bitsets import Bits
from engine.eots.ch08_movement.search import distance_layers, sea_steps, troop_sea, union_layers
from engine.eots.ch16_victory.will import ALEUTIANS
from engine.eots.counters import counters
from engine.eots.ids import HexId, Service, UnitId
from engine.eots.view import UnitView

MIN_LOSS: Final = 30
"""A hex needs a guard if its loss would cost at least this much."""
OCCUPATION_VALUE: Final = 90
"""Value of Japan's hold on Alaska, which lowers the Allies' Political Will (16.42)."""


def guard_plan(
    situation: EotsSituation, units: Iterable[UnitView], means: Means, dangers: Dangers
) -> OffensivePlan:
    """Return the best assignment of troops to hexes. Under rivalry, use only one service's troops (14.1C, 14.2A)."""
    unguarded_hexes = _unguarded_hexes(situation, dangers)
    troops = [unit for unit in units if counters()[unit.id].is_ground]
    if not unguarded_hexes or not troops:
        return OffensivePlan(goals=())
    # Only targets are considered as destinations, so the hexes to guard are used as targets.
    guarding = replace(situation, targets=unguarded_hexes)
    if not situation.view.sides[situation.side].rivalry:
        return _assign_troops(guarding, troops, means, dangers)
    plans = (
        _assign_troops(
            guarding,
            [unit for unit in troops if may_serve(situation.side, unit, service)],
            means,
            dangers,
        )
        for service in Service
    )
    return max(plans, key=lambda plan: plan.value)


def _unguarded_hexes(situation: EotsSituation, dangers: Dangers) -> tuple[HexId, ...]:
    """Return the endangered hexes without a ground unit, most valuable first."""
    return tuple(
        hex_id
        for hex_id, loss in dangers.items()
        if loss >= MIN_LOSS
        and not situation.has_garrison(hex_id)
        and not situation.enemy_units(hex_id)
    )


def _assign_troops(
    situation: EotsSituation, troops: list[UnitView], means: Means, dangers: Dangers
) -> OffensivePlan:
    unit_reach = UnitReach(situation, troops, means)
    ships = _Transports(situation, means)
    goals: list[PlannedTarget] = []
    asp = means.asp
    departures: dict[str, int] = {}
    for hex_id in situation.targets:
        if len(goals) >= means.limit:
            break
        shipped = [
            (unit, 0)
            for unit in unit_reach.free_units.values()
            if ships.can_transport(unit, hex_id)
        ]
        landing = [
            (unit, cost)
            for unit, cost in unit_reach.entrants_by_hex.get(hex_id, ())
            if unit.id in unit_reach.free_units
            and cost <= asp
            and (not cost or unit_reach.is_unescorted_route(unit.at, hex_id))
        ]
        assignments = [
            (
                cost,
                _exposure_cost(situation, unit, departures, dangers),
                attack_strength(unit),
                unit.id,
            )
            for unit, cost in (*shipped, *landing)
            # Moves that expose an equally valuable hex are excluded, because they gain nothing.
            if _exposure_cost(situation, unit, departures, dangers) < dangers[hex_id]
        ]
        if not assignments:
            continue
        cost, exposure, _, unit_id = min(
            assignments, key=lambda way: (way[1], way[0], way[2], way[3])
        )
        departures[situation.units[unit_id].at] = departures.get(situation.units[unit_id].at, 0) + 1
        asp -= cost
        unit_reach.free_units.pop(unit_id)
        goals.append(
            _guard_goal(hex_id, unit_id, cost, (dangers[hex_id] - exposure) // HEXES_PER_LOSS)
        )
    return OffensivePlan(goals=tuple(goals))


class _Transports:
    """Finds transports between ports that avoid enemy zones and cost no shipping points (8.44)."""

    def __init__(self, situation: EotsSituation, means: Means) -> None:
        self._situation = situation
        self._means = means
        self._seas: dict[str, Bits] = {}

    def can_transport(self, unit: UnitView, hex_id: HexId) -> bool:
        """Return whether a unit can be transported to a friendly port."""
        row, bitsets = counters()[unit.id].ground, self._situation.bitsets
        if row is None or not row.strategic_ground_transport or unit.at not in board().index:
            return False
        return bool(bitsets.bit_by_id[hex_id] & bitsets.ports & self._sea_reach(unit.at))

    def _sea_reach(self, start_hex: str) -> Bits:
        if start_hex not in self._seas:
            bitsets = self._situation.bitsets
            allowed_hexes = troop_sea(bitsets) & ~self._situation.unneutralised_zones
            start_bit = bitsets.bit_by_id[start_hex]
            max_distance = self._means.naval_move * (2 if start_bit & bitsets.ports else 1)
            is_open = start_bit & allowed_hexes and self._situation.is_own(HexId(start_hex))
            layers = (
                distance_layers(sea_steps(bitsets), start_bit, max_distance, allowed_hexes)
                if is_open
                else ()
            )
            self._seas[start_hex] = union_layers(layers)
        return self._seas[start_hex]


def _exposure_cost(
    situation: EotsSituation, unit: UnitView, leaving_counts: Mapping[str, int], dangers: Dangers
) -> int:
    """Return the cost of exposing the hex that a unit leaves. If other ground units stay, return 0."""
    hex_id = HexId(unit.at)
    stay = sum(counters()[friend.id].is_ground for friend in situation.friendly_units(hex_id)) - 1
    if stay - leaving_counts.get(hex_id, 0) > 0:
        return 0
    return OCCUPATION_VALUE if hex_id in board().areas[ALEUTIANS].hexes else dangers.get(hex_id, 0)


def _guard_goal(hex_id: HexId, unit: UnitId, asp: int, value: int) -> PlannedTarget:
    return PlannedTarget(
        target=hex_id,
        troops=(unit,),
        escorts=(),
        strikers=(),
        asp=asp,
        is_battle=False,
        value=value,
    )

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
    unguarded = _unguarded_hexes(situation, dangers)
    troops = [unit for unit in units if counters()[unit.id].is_ground]
    if not unguarded or not troops:
        return OffensivePlan(goals=())
    # Only targets are considered as destinations, so the hexes to guard are used as targets.
    guarding = replace(situation, targets=unguarded)
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
        at
        for at, loss in dangers.items()
        if loss >= MIN_LOSS and not situation.has_garrison(at) and not situation.enemy_units(at)
    )


def _assign_troops(
    situation: EotsSituation, troops: list[UnitView], means: Means, dangers: Dangers
) -> OffensivePlan:
    reach = UnitReach(situation, troops, means)
    ships = _Transports(situation, means)
    goals: list[PlannedTarget] = []
    asp = means.asp
    departures: dict[str, int] = {}
    for at in situation.targets:
        if len(goals) >= means.limit:
            break
        shipped = [(unit, 0) for unit in reach.free_units.values() if ships.can_transport(unit, at)]
        landing = [
            (unit, cost)
            for unit, cost in reach.entrants_by_hex.get(at, ())
            if unit.id in reach.free_units
            and cost <= asp
            and (not cost or reach.is_unescorted_route(unit.at, at))
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
            if _exposure_cost(situation, unit, departures, dangers) < dangers[at]
        ]
        if not assignments:
            continue
        cost, exposure, _, unit_id = min(
            assignments, key=lambda way: (way[1], way[0], way[2], way[3])
        )
        departures[situation.units[unit_id].at] = departures.get(situation.units[unit_id].at, 0) + 1
        asp -= cost
        reach.free_units.pop(unit_id)
        goals.append(_guard_goal(at, unit_id, cost, (dangers[at] - exposure) // HEXES_PER_LOSS))
    return OffensivePlan(goals=tuple(goals))


class _Transports:
    """Finds transports between ports that avoid enemy zones and cost no shipping points (8.44)."""

    def __init__(self, situation: EotsSituation, means: Means) -> None:
        self._situation = situation
        self._means = means
        self._seas: dict[str, Bits] = {}

    def can_transport(self, unit: UnitView, at: HexId) -> bool:
        """Return whether a unit can be transported to a friendly port."""
        row, bitsets = counters()[unit.id].ground, self._situation.bitsets
        if row is None or not row.strategic_ground_transport or unit.at not in board().index:
            return False
        return bool(bitsets.bit_by_id[at] & bitsets.ports & self._sea_reach(unit.at))

    def _sea_reach(self, start: str) -> Bits:
        if start not in self._seas:
            bitsets = self._situation.bitsets
            allowed = troop_sea(bitsets) & ~self._situation.unneutralised_zones
            start_bit = bitsets.bit_by_id[start]
            max_distance = self._means.naval_move * (2 if start_bit & bitsets.ports else 1)
            is_open = start_bit & allowed and self._situation.is_own(HexId(start))
            layers = (
                distance_layers(sea_steps(bitsets), start_bit, max_distance, allowed)
                if is_open
                else ()
            )
            self._seas[start] = union_layers(layers)
        return self._seas[start]


def _exposure_cost(
    situation: EotsSituation, unit: UnitView, leaving: Mapping[str, int], dangers: Dangers
) -> int:
    """Return the cost of exposing the hex that a unit leaves. If other ground units stay, return 0."""
    at = HexId(unit.at)
    stay = sum(counters()[other.id].is_ground for other in situation.friendly_units(at)) - 1
    if stay - leaving.get(at, 0) > 0:
        return 0
    return OCCUPATION_VALUE if at in board().areas[ALEUTIANS].hexes else dangers.get(at, 0)


def _guard_goal(at: HexId, unit: UnitId, asp: int, value: int) -> PlannedTarget:
    return PlannedTarget(
        target=at, troops=(unit,), escorts=(), strikers=(), asp=asp, is_battle=False, value=value
    )

"""Plans offensives without a battle that move troops into important unguarded hexes (8.42, 8.44, 8.45)."""

from collections.abc import Iterable, Mapping
from typing import Final

from msgspec.structs import replace

from engine.bots.greedy_eots_plan import OffensivePlan, PlannedTarget, may_serve
from engine.bots.greedy_eots_reach import Means, UnitReach
from engine.bots.greedy_eots_situation import EotsSituation, attack_strength
from engine.bots.strong_eots_dangers import HEXES_PER_LOSS, Dangers
from engine.eots.board import board
from engine.eots.ch06_supply.bitmap import Bits
from engine.eots.ch08_movement.search import distance_layers, sea_steps, troop_sea, union_layers
from engine.eots.ch16_victory.will import ALEUTIANS
from engine.eots.counters import counters
from engine.eots.ids import HexId, Service, UnitId
from engine.eots.view import UnitView

MIN_LOSS: Final = 30
"""Value from which a hex needs a guard."""
OCCUPATION_VALUE: Final = 90
"""Value of Japan's hold on Alaska, which lowers the Allies' Political Will (16.42)."""


def guard_plan(
    now: EotsSituation, units: Iterable[UnitView], means: Means, dangers: Dangers
) -> OffensivePlan:
    """Return the best assignment of troops to hexes, using only one service under rivalry (14.1C, 14.2A)."""
    bare = _unguarded_hexes(now, dangers)
    troops = [unit for unit in units if counters()[unit.id].is_ground]
    if not bare or not troops:
        return OffensivePlan(goals=())
    looking = replace(now, targets=bare)
    if not now.view.sides[now.side].rivalry:
        return _assign_troops(looking, troops, means, dangers)
    plans = (
        _assign_troops(
            looking,
            [unit for unit in troops if may_serve(now.side, unit, service)],
            means,
            dangers,
        )
        for service in Service
    )
    return max(plans, key=lambda plan: plan.value)


def _unguarded_hexes(now: EotsSituation, dangers: Dangers) -> tuple[HexId, ...]:
    """Return the endangered hexes without a ground unit, most valuable first."""
    return tuple(
        at
        for at, loss in dangers.items()
        if loss >= MIN_LOSS and not now.has_garrison(at) and not now.enemies(at)
    )


def _assign_troops(
    now: EotsSituation, troops: list[UnitView], means: Means, dangers: Dangers
) -> OffensivePlan:
    reach = UnitReach(now, troops, means)
    ships = _Transports(now, means)
    goals: list[PlannedTarget] = []
    asp = means.asp
    leaving: dict[str, int] = {}
    for at in now.targets:
        if len(goals) >= means.limit:
            break
        shipped = [(unit, 0) for unit in reach.free.values() if ships.can_transport(unit, at)]
        landing = [
            (unit, cost)
            for unit, cost in reach.ways.get(at, ())
            if unit.id in reach.free
            and cost <= asp
            and (not cost or reach.is_unescorted_route(unit.at, at))
        ]
        ways = [
            (cost, _exposure_cost(now, unit, leaving, dangers), attack_strength(unit), unit.id)
            for unit, cost in (*shipped, *landing)
            if _exposure_cost(now, unit, leaving, dangers) < dangers[at]
        ]
        if not ways:
            continue
        cost, price, _, unit_id = min(ways, key=lambda way: (way[1], way[0], way[2], way[3]))
        leaving[now.units[unit_id].at] = leaving.get(now.units[unit_id].at, 0) + 1
        asp -= cost
        reach.free.pop(unit_id)
        goals.append(_guard_goal(at, unit_id, cost, (dangers[at] - price) // HEXES_PER_LOSS))
    return OffensivePlan(goals=tuple(goals))


class _Transports:
    """Possible transports without shipping points, between ports and around enemy zones (8.44)."""

    def __init__(self, now: EotsSituation, means: Means) -> None:
        self._now = now
        self._means = means
        self._seas: dict[str, Bits] = {}

    def can_transport(self, unit: UnitView, at: HexId) -> bool:
        """Return whether a unit can be transported to a friendly port."""
        row, ground = counters()[unit.id].ground, self._now.ground
        if row is None or not row.strategic_ground_transport or unit.at not in board().index:
            return False
        return bool(ground.of[at] & ground.ports & self._sea_reach(unit.at))

    def _sea_reach(self, start: str) -> Bits:
        if start not in self._seas:
            ground = self._now.ground
            allowed = troop_sea(ground) & ~self._now.bare
            here = ground.of[start]
            most = self._means.naval_move * (2 if here & ground.ports else 1)
            is_open = here & allowed and self._now.is_own(HexId(start))
            way = distance_layers(sea_steps(ground), here, most, allowed) if is_open else ()
            self._seas[start] = union_layers(way)
        return self._seas[start]


def _exposure_cost(
    now: EotsSituation, unit: UnitView, leaving: Mapping[str, int], dangers: Dangers
) -> int:
    """Return the cost of exposing the hex that a unit leaves, or 0 if other ground units stay."""
    at = HexId(unit.at)
    stay = sum(counters()[other.id].is_ground for other in now.friends(at)) - 1
    if stay - leaving.get(at, 0) > 0:
        return 0
    return OCCUPATION_VALUE if at in board().areas[ALEUTIANS].hexes else dangers.get(at, 0)


def _guard_goal(at: HexId, unit: UnitId, asp: int, value: int) -> PlannedTarget:
    return PlannedTarget(
        target=at, troops=(unit,), escorts=(), strikers=(), asp=asp, is_battle=False, value=value
    )

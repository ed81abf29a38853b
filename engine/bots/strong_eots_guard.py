"""Offensives without a battle that put troops where nobody guards what the game is about (8.42, 8.45)."""

from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

from engine.bots.greedy_eots_plan import Goal, Plan, serves
from engine.bots.greedy_eots_reach import Means, Reach
from engine.bots.greedy_eots_situation import Situation, attack
from engine.eots.counters import counters
from engine.eots.ids import HexId, Service, UnitId
from engine.eots.view import UnitView

LEAST_VALUE: Final = 25
"""A hex of less worth needs no guard."""
NEAR: Final = 12
"""Hexes from an enemy base within which a hex is in danger."""
SHARE: Final = 4
"""A guard saves this part of a hex."""


def guard_plan(now: Situation, units: Iterable[UnitView], means: Means) -> Plan:
    """Return which troops go where, the best first; under rivalry those of one service (14.1C, 14.2A)."""
    bare = _bare_hexes(now)
    troops = [unit for unit in units if counters()[unit.id].is_ground]
    if not bare or not troops:
        return Plan(goals=())
    looking = replace(now, targets=bare)
    if not now.view.sides[now.side].rivalry:
        return _filled(looking, troops, means)
    plans = (
        _filled(looking, [unit for unit in troops if serves(now.side, unit, service)], means)
        for service in Service
    )
    return max(plans, key=lambda plan: plan.value)


def _bare_hexes(now: Situation) -> tuple[HexId, ...]:
    """Return the own hexes in danger that no ground unit guards, the most worth first."""
    found = [
        at
        for at, value in now.values.items()
        if value >= LEAST_VALUE
        and now.is_own(at)
        and now.front_distance(at) <= NEAR
        and not now.has_garrison(at)
        and not now.enemies(at)
    ]
    return tuple(sorted(found, key=lambda at: (-now.value(at), at)))


def _filled(now: Situation, troops: list[UnitView], means: Means) -> Plan:
    reach = Reach(now, troops, means)
    goals: list[Goal] = []
    asp = means.asp
    leaving: dict[str, int] = {}
    for at in now.targets:
        if len(goals) >= means.limit:
            break
        ways = [
            (cost, _price(now, unit, leaving), attack(unit), unit.id)
            for unit, cost in reach.ways.get(at, ())
            if unit.id in reach.free
            and cost <= asp
            and (not cost or reach.is_open_way(unit.at, at))
            and _price(now, unit, leaving) < now.value(at)
        ]
        if not ways:
            continue
        cost, price, _, unit_id = min(ways, key=lambda way: (way[1], way[0], way[2], way[3]))
        leaving[now.units[unit_id].at] = leaving.get(now.units[unit_id].at, 0) + 1
        asp -= cost
        reach.free.pop(unit_id)
        goals.append(_goal(at, unit_id, cost, (now.value(at) - price) // SHARE))
    return Plan(goals=tuple(goals))


def _price(now: Situation, unit: UnitView, leaving: dict[str, int]) -> int:
    """Return what the hex is worth that a unit leaves without a guard; 0 where others stay."""
    stay = sum(counters()[other.id].is_ground for other in now.friends(unit.at)) - 1
    return 0 if stay - leaving.get(unit.at, 0) > 0 else now.value(HexId(unit.at))


def _goal(at: HexId, unit: UnitId, asp: int, value: int) -> Goal:
    return Goal(
        target=at, troops=(unit,), escorts=(), strikers=(), asp=asp, is_battle=False, value=value
    )

"""What the greedy player reads off a view: who stands where, what a hex is worth, the best target of an HQ."""

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Final

import msgspec

from engine.eots.board import board
from engine.eots.counters import Counter, counters
from engine.eots.frames import Purpose
from engine.eots.ids import AreaId, HexId, Side, UnitId
from engine.eots.view import EotsView, OffensiveView, UnitView

RESOURCE_VALUE: Final = 14
PORT_VALUE: Final = 5
AIRFIELD_VALUE: Final = 4
CITY_VALUE: Final = 3
KEY_VALUE: Final = 10
"""Extra for hexes that decide areas of the scenarios (13.84, 13.85, 13.92)."""
KEY_AREAS: Final = (
    AreaId("mandates"),
    AreaId("marshall-islands"),
    AreaId("new-guinea"),
    AreaId("burma"),
)
SAFETY: Final = 3
"""An attack is worth planning when own ground strength times this reaches twice the defence."""
FAR: Final = 99
"""Distance to the front where there is none."""
STRIKERS: Final = 4
"""Air units and carriers that a plan brings at most."""


def _value(at: HexId) -> int:
    """Return what holding a hex is worth to whoever does not hold it."""
    row = board().hexes[at]
    if not row.is_named_location:
        return 0
    value = (
        RESOURCE_VALUE * row.resource
        + PORT_VALUE * row.port
        + AIRFIELD_VALUE * row.airfield
        + CITY_VALUE * (row.city is not None)
    )
    if any(
        at in board().areas[area].control_hexes or at in board().areas[area].ports
        for area in KEY_AREAS
    ):
        value += KEY_VALUE
    return value


@cache
def _values() -> Mapping[HexId, int]:
    """Return the hexes that are worth something, in ascending order."""
    return {at: value for at in sorted(board().hexes) if (value := _value(at)) > 0}


@cache
def _prizes() -> tuple[HexId, ...]:
    """Return the land hexes that are worth something, in ascending order."""
    return tuple(at for at in _values() if board().hexes[at].is_land)


@lru_cache(maxsize=16)
def _front(targets: tuple[HexId, ...]) -> bytes:
    """Return the distance from every hex, by index, to the nearest of some hexes; FAR without any."""
    rows = [board().distances(board().index[at]) for at in targets]
    return bytes(map(min, *rows, rows[0])) if rows else bytes([FAR]) * len(board().ids)


class Plan(msgspec.Struct, frozen=True):
    """One target and the units that go for it, the most needed first."""

    target: HexId
    units: tuple[UnitId, ...]
    value: int


class Situation(msgspec.Struct, frozen=True, kw_only=True):
    """A view, indexed."""

    view: EotsView
    side: Side
    units: Mapping[UnitId, UnitView]
    at: Mapping[str, tuple[UnitView, ...]]
    japan: frozenset[HexId]

    @classmethod
    def of(cls, view: EotsView, side: Side) -> "Situation":
        """Index a view for a side."""
        at: dict[str, list[UnitView]] = {}
        for unit in view.units:
            if unit.steps > 0:
                at.setdefault(unit.at, []).append(unit)
        return cls(
            view=view,
            side=side,
            units={unit.id: unit for unit in view.units},
            at={place: tuple(units) for place, units in at.items()},
            japan=frozenset(view.japan_controls),
        )

    def is_own(self, at: HexId) -> bool:
        """Return whether the side controls a land hex."""
        return (at in self.japan) is (self.side is Side.JAPAN)

    def enemies(self, at: str) -> tuple[UnitView, ...]:
        """Return the enemy units in a hex."""
        return tuple(
            unit for unit in self.at.get(at, ()) if counters()[unit.id].side is not self.side
        )

    def defence(self, at: str) -> int:
        """Return the attack strength that enemy ground units in a hex would bring, garrisons estimated."""
        total = 0
        for unit in self.enemies(at):
            counter = counters()[unit.id]
            if counter.is_ground:
                total += counter.strength(unit.steps).attack
        row = board().hexes.get(HexId(at))
        garrison = (
            row is not None
            and row.city is not None
            and row.city != "city"
            and not self.is_own(row.id)
        )
        return total + (12 if garrison else 0)

    def worth(self, at: HexId) -> int:
        """Return what holding an enemy hex is worth; 0 for hexes without a base, city or resource."""
        return 0 if self.is_own(at) else _values().get(at, 0)

    def front_distance(self, at: str) -> int:
        """Return the distance to the nearest enemy-controlled named hex, 99 off the map."""
        here = board().index.get(HexId(at))
        if here is None:
            return FAR
        return _front(self.targets())[here]

    def targets(self) -> tuple[HexId, ...]:
        """Return every enemy hex that is worth something, in ascending order."""
        return tuple(at for at in _prizes() if not self.is_own(at))

    def reaction_value(self, unit: UnitId) -> int:
        """Return what a unit's reaction is worth: its attack strength, unless the side is far too weak."""
        counter, piece = counters()[unit], self.units[unit]
        if counter.is_ground:
            return 0
        return 10 + counter.strength(max(piece.steps, 1)).attack

    def pick_value(self, unit: UnitId, purpose: Purpose) -> int:
        """Return in which order units move: landing forces first, then carriers, ships and air units."""
        counter = counters()[unit]
        if purpose is Purpose.POST_BATTLE:
            return 2
        if counter.is_ground:
            return 30
        if counter.carrier:
            return 20
        return 15 if counter.is_naval else 10


def best_plan(now: Situation, offensive: OffensiveView, hq_id: str) -> Plan | None:
    """Return the plan of the highest value for an HQ, None when nothing is in reach."""
    hq = counters()[UnitId(hq_id)]
    place = now.units[hq.id].at
    if hq.hq is None or place not in board().index:
        return None
    limit = offensive.limit or hq.hq.efficiency + offensive.ov
    reach = tuple(
        unit
        for unit in now.view.units
        if unit.steps > 0
        and unit.supplied
        and unit.at in board().index
        and counters()[unit.id].side is now.side
        and not counters()[unit.id].is_hq
        and board().distance(HexId(place), HexId(unit.at)) <= hq.hq.command_range
    )
    plans = [
        plan
        for at in now.targets()
        if (plan := _plan(now, offensive, reach, at, limit)) is not None
    ]
    return max(plans, key=lambda plan: (plan.value, plan.target), default=None)


def _plan(
    now: Situation, offensive: OffensiveView, reach: tuple[UnitView, ...], target: HexId, limit: int
) -> Plan | None:
    """Return how one target could be attacked with the units in reach."""
    index = board().index[target]
    row, sea = board().distances(index), board().sea_distances(index)
    landing = [
        unit
        for unit in reach
        if counters()[unit.id].is_ground and _can_land(now, offensive, unit, target, row, sea)
    ]
    if not landing:
        return None
    landing.sort(key=lambda unit: -_attack(unit))
    defence = now.defence(target)
    force: list[UnitView] = []
    while (
        landing
        and len(force) < max(limit - 1, 1)
        and (not force or sum(map(_attack, force)) < defence + 6)
    ):
        force.append(landing.pop(0))
    strength = sum(map(_attack, force))
    if strength * SAFETY < defence * 2:
        return None
    support = _support(now, offensive, reach, force, target, row, sea)
    units = [unit.id for unit in (*force, *support)][:limit]
    enemy_air = sum(
        _attack(unit) for unit in now.enemies(target) if not counters()[unit.id].is_ground
    )
    own_air = sum(_attack(unit) for unit in support if unit.id in units)
    value = now.worth(target) * 4 + min(own_air - enemy_air, 20) + min(strength - defence, 12)
    return Plan(target, tuple(units), max(value, 1))


def _attack(unit: UnitView) -> int:
    counter = counters()[unit.id]
    return 0 if counter.is_hq else counter.strength(unit.steps).attack


def _can_land(
    now: Situation, offensive: OffensiveView, unit: UnitView, target: HexId, row: bytes, sea: bytes
) -> bool:
    """Return whether a ground unit could get at a target by sea, or from next door."""
    counter: Counter = counters()[unit.id]
    here = board().index[HexId(unit.at)]
    if row[here] == 1 and board().index[target] in board().land_adjacent[here]:
        return True
    ground = counter.ground
    if ground is None or not ground.amphibious_assault or not board().is_coastal[here]:
        return False
    if board().hexes[target].terrain == "mountain" and target != "3823":
        return False
    cost = counter.asp_cost(unit.steps) or 0
    own = now.view.sides[now.side]
    return sea[here] <= offensive.naval_move and cost <= own.asp - own.asp_used


def _support(
    now: Situation,
    offensive: OffensiveView,
    reach: tuple[UnitView, ...],
    force: list[UnitView],
    target: HexId,
    row: bytes,
    sea: bytes,
) -> tuple[UnitView, ...]:
    """Return ships that start with the landing force, then strikers by strength."""
    starts = {unit.at for unit in force}
    index = board().index
    escorts = [unit for unit in reach if counters()[unit.id].is_naval and unit.at in starts]
    strikers = [
        unit
        for unit in reach
        if unit not in escorts and _can_strike(offensive, unit, index[HexId(unit.at)], row, sea)
    ]
    strikers.sort(key=lambda unit: (not counters()[unit.id].is_air_capable, -_attack(unit)))
    escorts.sort(key=lambda unit: (not counters()[unit.id].carrier, -_attack(unit)))
    needed = bool(now.enemies(target)) or any(now.enemies(at) for at in _around(target))
    return (*escorts[:2], *strikers[: STRIKERS if needed else 1])


def _can_strike(
    offensive: OffensiveView, unit: UnitView, here: int, row: bytes, sea: bytes
) -> bool:
    """Return whether a ship can sail to the target, or an air unit reaches it from where it is."""
    counter = counters()[unit.id]
    if counter.is_naval:
        return sea[here] <= offensive.naval_move
    return counter.is_air and row[here] <= counter.strength(unit.steps).range


def _around(target: HexId) -> tuple[HexId, ...]:
    ids = board().ids
    return tuple(ids[i] for i in board().within(board().index[target], 3))

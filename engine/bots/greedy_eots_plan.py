"""Plans a whole offensive: its goals, the units that take them, and the supporting units (7.2, 8, 9).

A plan is built goal by goal as long as units, shipping points and battles remain. Each step adds the goal with the
highest value relative to the activations and shipping points that the goal uses.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec

from engine.bots.greedy_eots_odds import CERTAIN_PERCENT, air_naval_chance, ground_chance
from engine.bots.greedy_eots_reach import Means, UnitReach, fights_in_air_or_at_sea, is_ship
from engine.bots.greedy_eots_situation import EotsSituation, attack_strength, step_costs
from engine.eots.board import board
from engine.eots.ch06_supply.bitsets import SOUTH_PACIFIC, ZOI_HEXES
from engine.eots.counters import Counter, counters
from engine.eots.ids import HexId, Nationality, Service, Side, UnitId
from engine.eots.view import UnitView

HQ_VALUE: Final = 25
"""Bonus for taking the hex of an enemy HQ and forcing it to leave (6.14)."""
DECISIVE_HQ_VALUE: Final = 240
"""Bonus for taking the last enemy HQ's hex, because that decides the game (17.10.7)."""
STEP_VALUE: Final = 8
"""Value of removing a step from enemy ships or aircraft."""
MIN_CHANCE: Final = 30
"""Minimum chance of success of an attack, in percent."""
GOOD_CHANCE: Final = 80
"""No more units are added to an attack once its chance of success reaches this percentage."""
MAX_TROOPS: Final = 3
"""Maximum number of ground units for one hex."""
MAX_STRIKERS: Final = 5
"""Maximum number of ships and air units for one hex, not counting ships that escort a landing."""
REACTION_SHARE: Final = 3
"""The expected reaction to a battle is the strength of nearby enemy aircraft and carriers, divided by this number."""
REACTION_HEXES: Final = 6
MIN_VALUE_PER_ASP: Final = 6
"""Minimum value per shipping point. Later offensives in the turn also need shipping points (10.3)."""
SHARE_SCALE: Final = 1_000
SUPERIORITY_DRM: Final = 2
BOMBARDMENT_DRM: Final = 2
CONTESTED_DRM: Final = 3
"""Modifiers in ground combat (9.4)."""


class PlannedTarget(msgspec.Struct, frozen=True, kw_only=True):
    """A goal of an offensive: a hex, and the units assigned to it."""

    target: HexId
    troops: tuple[UnitId, ...]
    """Ground units that enter the hex; empty if only ships and aircraft strike."""
    escorts: tuple[UnitId, ...]
    """Ships in the same port that sail with the troops (8.45B)."""
    strikers: tuple[UnitId, ...]
    asp: int
    is_battle: bool
    value: int

    @property
    def units(self) -> tuple[UnitId, ...]:
        """Return all assigned units, most important first."""
        return (*self.troops, *self.escorts, *self.strikers)


class OffensivePlan(msgspec.Struct, frozen=True, kw_only=True):
    """The plan of an offensive: its goals, best first."""

    goals: tuple[PlannedTarget, ...]

    @property
    def value(self) -> int:
        """Return the total value of the goals."""
        return sum(goal.value for goal in self.goals)

    @property
    def units(self) -> tuple[UnitId, ...]:
        """Return all units in the plan, in goal order."""
        return tuple(unit for goal in self.goals for unit in goal.units)

    def goal_for(self, unit: UnitId) -> PlannedTarget | None:
        """Return a unit's goal, or None if the plan does not use the unit."""
        return next((goal for goal in self.goals if unit in goal.units), None)

    def extended_by(self, other_plan: "OffensivePlan") -> "OffensivePlan":
        """Return the plan with another plan's goals added."""
        return OffensivePlan(goals=(*self.goals, *other_plan.goals))


NO_PLAN: Final = OffensivePlan(goals=())


def plan_offensive(
    situation: EotsSituation,
    units_in_reach: Iterable[UnitView],
    means: Means,
    taken_hexes: Sequence[HexId] = (),
) -> OffensivePlan:
    """Return the best goals for the units in reach. Under rivalry, use the units of only one service (14.1C, 14.2A).

    Args:
        situation: The situation.
        units_in_reach: Units that may be activated.
        means: The means that the card and the HQ provide.
        taken_hexes: Hexes that are already goals.
    """
    units = tuple(unit for unit in units_in_reach if counters()[unit.id].is_hq is False)
    if not situation.view.sides[situation.side].rivalry:
        return _PlanBuilder(situation, units, means, taken_hexes).build()
    plans = (
        _PlanBuilder(
            situation,
            tuple(unit_id for unit_id in units if may_serve(situation.side, unit_id, service)),
            means,
            taken_hexes,
        ).build()
        for service in Service
    )
    return max(plans, key=lambda plan: plan.value)


def may_serve(side: Side, unit: UnitView, service: Service) -> bool:
    """Return whether a unit may join a service's offensive under rivalry (14.1C, 14.2A)."""
    counter = counters()[unit.id]
    if side is Side.ALLIED and counter.nationality is not Nationality.US:
        return True
    return counter.isr_service in {None, service}


class _PlanBuilder:
    """Builds the plan of one offensive."""

    def __init__(
        self,
        situation: EotsSituation,
        units_in_reach: tuple[UnitView, ...],
        means: Means,
        taken_hexes: Sequence[HexId],
    ) -> None:
        self.situation = situation
        self.means = means
        self.free_slots = means.limit
        self.asp = means.asp
        self.battles = means.battles
        self.goals: list[PlannedTarget] = []
        self.goals_by_hex: dict[HexId, PlannedTarget | None] = {}
        self.reach = UnitReach(situation, units_in_reach, means)
        # UnitReach uses the same dictionary, so a unit removed from it is no longer available for
        # other goals.
        self.free_units = self.reach.free_units
        self.target_hexes = sorted(
            {*self.reach.entrants_by_hex, *self._strikeable_hexes()} - {*taken_hexes}
        )

    def build(self) -> OffensivePlan:
        """Return the plan. The best remaining goal is added repeatedly until no goal is left."""
        while self.free_slots > 0 and (goal := self._best_goal()) is not None:
            self.goals.append(goal)
            self.free_slots -= len(goal.units)
            self.asp -= goal.asp
            self.battles -= goal.is_battle
            for unit in goal.units:
                self.free_units.pop(unit, None)
            self.target_hexes.remove(goal.target)
            self._drop_stale_goals()
        return OffensivePlan(goals=tuple(self.goals))

    def _drop_stale_goals(self) -> None:
        """Drop cached goals that are no longer possible, so that they are computed again."""
        for hex_id, goal in list(self.goals_by_hex.items()):
            # Hexes without a possible goal are not tried again, because units and points only
            # decrease.
            if goal is not None and not self._is_possible(goal):
                del self.goals_by_hex[hex_id]

    def _is_possible(self, goal: PlannedTarget) -> bool:
        return (
            len(goal.units) <= self.free_slots
            and goal.asp <= self.asp
            and goal.is_battle <= self.battles
            and all(unit in self.free_units for unit in goal.units)
            and self._is_within_caps(goal)
        )

    def _is_within_caps(self, goal: PlannedTarget) -> bool:
        units = [unit for goal_in_plan in (*self.goals, goal) for unit in goal_in_plan.units]
        return all(
            sum(unit_filter.matches(counters()[unit]) for unit in units) <= max_count
            for unit_filter, max_count in self.means.caps
        )

    def _best_goal(self) -> PlannedTarget | None:
        targets: list[PlannedTarget] = []
        for hex_id in self.target_hexes:
            if hex_id not in self.goals_by_hex:
                self.goals_by_hex[hex_id] = self._make_goal(hex_id)
            goal = self.goals_by_hex[hex_id]
            if goal is not None and self._is_within_caps(goal):
                targets.append(goal)
        return max(targets, key=self._relative_value, default=None)

    def _relative_value(self, goal: PlannedTarget) -> int:
        """Return a goal's value relative to the activations and shipping points that it uses."""
        unit_share = SHARE_SCALE * len(goal.units) // max(self.means.limit, 1)
        unit_share += SHARE_SCALE * goal.asp // max(self.means.asp, 1)
        return SHARE_SCALE * goal.value // max(unit_share, 1)

    # -- goals

    def _strikeable_hexes(self) -> Iterator[HexId]:
        """Yield the hexes with enemy ships or aircraft."""
        for place, units in self.situation.enemy_at.items():
            if place in board().index and any(map(fights_in_air_or_at_sea, units)):
                yield HexId(place)

    def _make_goal(self, hex_id: HexId) -> PlannedTarget | None:
        situation = self.situation
        plans = [
            (unit, asp)
            for unit, asp in self.reach.entrants_by_hex.get(hex_id, ())
            if unit.id in self.free_units and asp <= self.asp
        ]
        if not situation.enemy_units(hex_id) and not situation.garrison(hex_id):
            return self._unopposed_entry(hex_id, plans)
        if self.battles < 1:
            return None
        assault = self._plan_assault(hex_id, plans)
        return (
            assault
            if assault is not None and self._is_within_caps(assault)
            else self._plan_strike(hex_id)
        )

    def _unopposed_entry(
        self, hex_id: HexId, entries: list[tuple[UnitView, int]]
    ) -> PlannedTarget | None:
        """Return the best way to take an empty hex; None if taking it is not worth the cost.

        Its units and points count as a cost, because other goals cannot use them.
        """
        entrants = []
        for unit, asp in entries:
            escorts = self._landing_escorts(unit, hex_id) if asp else ()
            if escorts is None or 1 + len(escorts) > self.free_slots:
                continue
            value = self._capture_value(hex_id, counters()[unit.id]) - self.situation.duty_cost(
                unit
            )
            if self.means.is_surprise and self.means.battles > 1:
                value //= 2  # Surprise should be used on defended hexes. Empty hexes can wait.
            loss = len(escorts) * STEP_VALUE + asp * 2 + attack_strength(unit) // 4
            if value > MIN_VALUE_PER_ASP * asp:
                entrants.append((value - loss, unit, asp, escorts, value))
        if not entrants:
            return None
        _, unit, asp, escorts, value = max(entrants, key=lambda row: (row[0], row[1].id))
        return PlannedTarget(
            target=hex_id,
            troops=(unit.id,),
            escorts=escorts,
            strikers=(),
            asp=asp,
            is_battle=False,
            value=value,
        )

    def _capture_value(self, hex_id: HexId, counter: Counter) -> int:
        """Return the value of taking a hex. The value is reduced if supply will probably not reach the hex (6.21)."""
        prize = self.situation.capture_value(hex_id)
        return (
            prize
            if self.situation.is_in_hq_supply(
                hex_id, counter, max_distance=self._supply_hexes(hex_id)
            )
            else prize // 2
        )

    def _supply_hexes(self, hex_id: HexId) -> int:
        """Return the maximum distance from the supplied area to the hex.

        It is greater if the attack removes an enemy zone of influence (6.4).
        """
        return (
            ZOI_HEXES
            if any(map(fights_in_air_or_at_sea, self.situation.enemy_units(hex_id)))
            else 0
        )

    def _landing_escorts(self, unit: UnitView, hex_id: HexId) -> tuple[UnitId, ...] | None:
        """Return the carrier that must escort a landing (6.4, 8.45B).

        The result is empty if no escort is needed, and None if an escort is needed but no carrier is available.
        """
        if self.reach.is_unescorted_route(unit.at, hex_id):
            return ()
        carrier = self.reach.carrier_at(unit.at)
        return None if carrier is None else (carrier.id,)

    def _plan_assault(
        self, hex_id: HexId, entries: list[tuple[UnitView, int]]
    ) -> PlannedTarget | None:
        """Return the most cost-effective attack on a defended hex, or None if no attack has a fair chance."""
        entries.sort(
            key=lambda way: (
                self.situation.duty_cost(way[0]) - attack_strength(way[0]),
                way[1],
                way[0].id,
            )
        )
        strikers = self.reach.strikers(hex_id)
        best_target: PlannedTarget | None = None
        troops: list[UnitView] = []
        asp = 0
        for unit, cost in entries:
            if asp + cost > self.asp or len(troops) >= min(MAX_TROOPS, self.free_slots):
                continue
            troops.append(unit)
            asp += cost
            goal = self._plan_attack(hex_id, tuple(troops), asp, strikers)
            if goal is not None and (
                best_target is None
                or self._relative_value(goal) > self._relative_value(best_target)
            ):
                best_target = goal
        return best_target

    def _plan_attack(
        self, hex_id: HexId, troops: tuple[UnitView, ...], asp: int, attackers: tuple[UnitView, ...]
    ) -> PlannedTarget | None:
        """Return an attack with as many strikers as needed, or None if the attack has no fair chance."""
        escorts: tuple[UnitView, ...] = ()
        if asp:
            origins = {unit.at for unit in troops}
            ships = [
                unit_id
                for unit_id in self.free_units.values()
                if unit_id.at in origins and is_ship(unit_id)
            ]
            escorts = tuple(sorted(ships, key=_striker_order)[:1])
            if self.situation.is_in_enemy_zone(hex_id) and not any(
                counters()[unit.id].carrier for unit in (*escorts, *attackers)
            ):
                return None
            if not escorts and any(is_ship(unit) for unit in self.situation.enemy_units(hex_id)):
                return None  # 8.45B
        other_units = [unit for unit in attackers if unit not in escorts]
        room = min(self.free_slots - len(troops) - len(escorts), MAX_STRIKERS)
        if room < 0:
            return None
        best_target: PlannedTarget | None = None
        for number in range(min(room, len(other_units)) + 1):
            helpers = (*escorts, *other_units[:number])
            chance = self._success_chance(hex_id, troops, helpers, is_landing=asp > 0)
            if chance < MIN_CHANCE:
                continue
            value = self._battle_value(hex_id, troops, helpers, chance)
            goal = PlannedTarget(
                target=hex_id,
                troops=tuple(unit.id for unit in troops),
                escorts=tuple(unit.id for unit in escorts),
                strikers=tuple(unit.id for unit in other_units[:number]),
                asp=asp,
                is_battle=True,
                value=value,
            )
            if value > MIN_VALUE_PER_ASP * asp and (
                best_target is None
                or self._relative_value(goal) > self._relative_value(best_target)
            ):
                best_target = goal
            if chance >= GOOD_CHANCE:
                break
        return best_target

    def _success_chance(
        self,
        hex_id: HexId,
        troops: tuple[UnitView, ...],
        helpers: tuple[UnitView, ...],
        *,
        is_landing: bool,
    ) -> int:
        """Return the chance, in percent, that troops and supporting units take a hex."""
        enemies = self.situation.enemy_units(hex_id)
        air_chance = air_naval_chance(
            sum(map(attack_strength, helpers)),
            sum(attack_strength(unit) for unit in enemies if fights_in_air_or_at_sea(unit))
            + self._expected_reaction(hex_id),
        )
        ground = tuple(unit for unit in enemies if counters()[unit.id].is_ground)
        costs = list(step_costs(ground))
        if self.situation.garrison(hex_id):
            costs.append(self.situation.garrison(hex_id))
        own_costs = [-(-cost // 2) if is_landing else cost for cost in step_costs(troops)]
        own_drm = board().terrain_drm[board().index[hex_id]]
        own_drm += SUPERIORITY_DRM * any(counters()[unit.id].is_air_capable for unit in helpers)
        own_drm += BOMBARDMENT_DRM * any(is_ship(unit) for unit in helpers)
        win_chance = ground_chance(
            (sum(map(attack_strength, troops)), tuple(own_costs)),
            (self.situation.defence(hex_id), tuple(costs)),
            own_drm,
            CONTESTED_DRM * is_landing,
        )
        if not is_landing:
            return win_chance  # Troops on land fight even if the air-naval combat is lost (9.32).
        return win_chance * air_chance // CERTAIN_PERCENT

    def _battle_value(
        self,
        hex_id: HexId,
        troops: tuple[UnitView, ...],
        helpers: tuple[UnitView, ...],
        chance: int,
    ) -> int:
        """Return an attack's value: the hex and the enemy losses, less the risk and the cost of leaving."""
        enemies = self.situation.enemy_units(hex_id)
        prize = self._capture_value(hex_id, counters()[troops[0].id])
        prize += self._hq_value() * any(counters()[unit.id].is_hq for unit in enemies)
        prize += sum(map(attack_strength, enemies)) // 3
        duties = sum(self.situation.duty_cost(unit) for unit in troops)
        risk = sum(map(attack_strength, (*troops, *helpers))) // 4
        return (prize * chance - risk * (CERTAIN_PERCENT - chance)) // CERTAIN_PERCENT - duties

    def _hq_value(self) -> int:
        """Return the value of forcing an enemy HQ to leave.

        In the South Pacific scenario, a side without an HQ loses (17.10.7).
        """
        if self.situation.view.scenario != SOUTH_PACIFIC:
            return HQ_VALUE
        remaining_value = sum(
            counters()[unit.id].is_hq
            for hex_id, units in self.situation.enemy_at.items()
            for unit in units
            if hex_id in self.situation.bitsets.bit_by_id
            and hex_id not in board().south_pacific.off_map_hexes
        )
        return DECISIVE_HQ_VALUE if remaining_value == 1 else HQ_VALUE

    def _expected_reaction(self, hex_id: HexId) -> int:
        """Return the strength of the enemy aircraft and carriers that will probably react to a battle (7.26)."""
        row = board().distances(board().index[hex_id])
        total = sum(
            strength
            for place, strength in self.situation.enemy_air_strengths
            if 0 < row[board().index[place]] <= REACTION_HEXES
        )
        return total // (REACTION_SHARE * (1 + self.means.is_surprise))

    def _plan_strike(self, hex_id: HexId) -> PlannedTarget | None:
        """Return an attack on enemy ships and aircraft by carriers and aircraft, or None if no attack is worthwhile."""
        victims = tuple(
            unit for unit in self.situation.enemy_units(hex_id) if fights_in_air_or_at_sea(unit)
        )
        if not victims:
            return None
        strikers = [
            unit for unit in self.reach.strikers(hex_id) if counters()[unit.id].is_air_capable
        ]
        enemy = sum(map(attack_strength, victims)) + self._expected_reaction(hex_id)
        best_value, value_gained = 0, 0
        for number in range(1, min(self.free_slots, MAX_STRIKERS, len(strikers)) + 1):
            own_strength = sum(map(attack_strength, strikers[:number]))
            gain = _expected_steps(own_strength, victims) - _expected_steps(
                enemy, tuple(strikers[:number])
            )
            if own_strength > enemy and gain > value_gained:
                best_value, value_gained = number, gain
        if not best_value:
            return None
        return PlannedTarget(
            target=hex_id,
            troops=(),
            escorts=(),
            strikers=tuple(unit.id for unit in strikers[:best_value]),
            asp=0,
            is_battle=True,
            value=value_gained * STEP_VALUE,
        )


def _expected_steps(strength: int, victims: tuple[UnitView, ...]) -> int:
    """Return how many steps are removed by hits equal to half the strength.

    The cheapest steps are removed first (9.2F).
    """
    hits, steps = strength // 2, 0
    for cost in sorted(step_costs(victims)):
        if hits < cost:
            break
        hits -= cost
        steps += 1
    return steps


def _striker_order(unit: UnitView) -> tuple[bool, int, UnitId]:
    return (not counters()[unit.id].carrier, -attack_strength(unit), unit.id)

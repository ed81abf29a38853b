"""Launches by the greedy bot for Carrier Battle: CAP, interceptors, strikes (6.24)."""

from collections.abc import Sequence
from typing import Final

from engine.bots.greedy_cbps_orders import Answer, Options, options_of_kind
from engine.bots.greedy_cbps_situation import CbpsSituation
from engine.bots.greedy_cbps_targets import TargetAnalysis
from engine.cbps import commands as orders
from engine.cbps.ids import DISPLAYS

LAST_CAP: Final = 4
"""With fewer than this many phases until dusk, CAP is launched only in an alarm."""
ALARM_HEXES: Final = 6
"""Maximum distance, in hexes, at which interceptors are launched against raids."""
JOINABLE_FUEL: Final = 10
"""Minimum fuel that an intercept mission needs for other units to join it."""
RESERVED_DISPLAYS: Final = 2
"""Number of displays that CAP must leave free for strikes and interceptors."""
_MIN_FIGHT_FUEL: Final = 4
"""Minimum fuel that an interceptor needs to fight and land."""


class LaunchPlanner:
    """The possible launches at one moment."""

    def __init__(
        self, now: CbpsSituation, targets: TargetAnalysis, recovering: frozenset[str]
    ) -> None:
        """Initialise for the current situation.

        Args:
            now: The situation.
            targets: The targets worth a strike.
            recovering: Carriers whose decks are kept free for landings.
        """
        self.now = now
        self.targets = targets
        self.recovering = recovering

    def next_launch(self, options: Options) -> Answer:
        """Return the next launch, the next move of a mission just launched, or None if there are no more."""
        flown = options_of_kind(options, orders.Launch)
        return (
            self._fill_cap(options_of_kind(options, orders.Cap))
            or self._launch_interceptor(flown)
            or self._launch_strike(flown)
            or self._first_move(options_of_kind(options, orders.Fly))
        )

    def is_free(self, unit: str) -> bool:
        """Return whether a unit's carrier is free to launch it."""
        return self.now.view.units[unit].at not in self.recovering

    def is_alarm(self) -> bool:
        """Return whether a raid is close enough for fighters to be launched."""
        now = self.now
        return bool(now.raids) and now.raid_range(now.raids[0]) <= ALARM_HEXES

    def fighters_wanted(self) -> int:
        """Return how many more fighters should be in the air against the raids on the map."""
        now = self.now
        if not self.is_alarm():
            return 0
        near = [raid for raid in now.raids if now.raid_range(raid) <= ALARM_HEXES]
        points = sum(now.view.raids[raid].points for raid in near)
        flying = sum(
            len(now.units_at("mission", name))
            for name, mission in now.view.missions.items()
            if mission.kind == "intercept" and (mission.cap or mission.fuel >= _MIN_FIGHT_FUEL)
        )
        return points + points // 2 + 2 - flying

    def _fill_cap(self, caps: Sequence[orders.Cap]) -> Answer:
        """Fill the CAP boxes by day, with one mission per group if possible."""
        now = self.now
        if now.phases_to_dusk < LAST_CAP and not self.is_alarm():
            return None
        ranked = []
        for option in caps:
            group = now.view.ships[now.view.units[option.unit].at].group
            flying = now.cap_units(group)
            if flying >= now.stance.cap or not self.is_free(option.unit):
                continue
            is_new = option.mission not in now.view.missions
            if is_new and (flying or self._free_displays() <= RESERVED_DISPLAYS):
                continue
            ranked.append((flying, self._deck_size(option.unit), option.unit, option))
        return min(ranked, key=lambda one: one[:3])[3] if ranked else None

    def _free_displays(self) -> int:
        """Return the number of free Air Mission displays (4.13)."""
        return len(DISPLAYS) - len(self.now.view.missions)

    def _deck_size(self, unit: str) -> int:
        """Return the deck size of a unit's carrier, used to empty small decks first."""
        return self.now.deck_size(self.now.view.units[unit].at)

    def _launch_interceptor(self, launches: Sequence[orders.Launch]) -> Answer:
        """Launch ready fighters if a raid is close and there are too few in the air."""
        now = self.now
        if self.fighters_wanted() <= 0:
            return None
        is_close = now.raid_range(now.raids[0]) <= 2  # noqa: PLR2004  # it attacks in this phase or the next
        interceptors = [
            option
            for option in launches
            if option.mission.startswith("intercept")
            and not now.is_attacker(option.unit)
            and (is_close or self.is_free(option.unit))
        ]
        joined = [
            option
            for option in interceptors
            if option.mission in now.view.missions
            and now.view.missions[option.mission].fuel >= JOINABLE_FUEL
        ]
        new = [option for option in interceptors if option.mission not in now.view.missions]
        if not joined and self._free_displays() < RESERVED_DISPLAYS and self.targets.detected():
            new = []
        return next(iter(joined or new), None)

    # -- strikes

    def _launch_strike(self, launches: Sequence[orders.Launch]) -> Answer:
        """Launch ready attackers with escorts against the best target in range."""
        now = self.now
        free = [
            option
            for option in launches
            if option.mission.startswith("strike") and self.is_free(option.unit)
        ]
        if not free:
            return None
        formed = self._forming_strike()
        if not formed:
            return self._start_strike(free)
        joining = [option for option in free if option.mission == formed]
        heavy = now.attackers(formed)
        escorts = len(now.units_at("mission", formed)) - heavy
        wanted = min(heavy // now.stance.escort_share, now.stance.most_escorts)
        fighters = [option for option in joining if not now.is_attacker(option.unit)]
        if fighters and escorts < wanted and not self.is_alarm():
            return fighters[0]
        fuel = now.view.missions[formed].fuel
        more = [
            option
            for option in joining
            if now.is_attacker(option.unit)
            and (
                now.endurance(option.unit) >= fuel or self.open_targets(now.endurance(option.unit))
            )
        ]
        if more and heavy < self._max_attackers:
            return max(more, key=lambda option: now.endurance(option.unit))
        return None

    @property
    def _max_attackers(self) -> int:
        """Return the maximum number of attackers in a strike."""
        return 1 if self.now.is_reconnaissance else self.now.stance.most_strike

    def _forming_strike(self) -> str:
        """Return the strike that is being formed, or an empty string if there is none."""
        now = self.now
        for name, mission in now.view.missions.items():
            is_own = mission.commander == now.view.role
            is_forming = mission.kind == "strike" and mission.is_fresh and is_own
            if (
                is_forming
                and mission.hex in now.carrier_hexes
                and now.attackers(name) < self._max_attackers
            ):
                return name
        return ""

    def open_targets(self, fuel: int) -> list[str]:
        """Return the targets within reach that need more strikes than are already in the air."""
        now = self.now
        bound: dict[str, int] = {}
        for name, mission in now.view.missions.items():
            if mission.kind == "strike" and not mission.is_flipped:
                goal = self.targets.mission_target(name)
                bound[goal] = bound.get(goal, 0) + now.attackers(name)
        return [
            name
            for name in self.targets.launch_targets(fuel)
            if bound.get(name, 0) * 2 < self.targets.worth(name)
        ]

    def _start_strike(self, launches: Sequence[orders.Launch]) -> Answer:
        """Start a strike if enough attackers are ready."""
        now = self.now
        attackers = {
            option.unit: option
            for option in launches
            if now.is_attacker(option.unit) and option.mission not in now.view.missions
        }
        if len(attackers) < min(now.stance.least_strike, self._max_attackers):
            return None
        unit = max(attackers, key=now.endurance)
        return attackers[unit] if self.open_targets(now.endurance(unit)) else None

    def _first_move(self, moves: Sequence[orders.Fly]) -> Answer:
        """Make the first move of a mission that was just launched."""
        now = self.now
        for option in moves:
            held = now.view.missions[option.mission]
            if held.kind == "strike":
                target = self.targets.mission_target(option.mission)
                goal = self.targets.target_hex(target) if target else ""
            else:
                near = [
                    now.view.raids[raid].hex
                    for raid in now.raids
                    if now.distance(now.view.raids[raid].hex, held.hex) == 1
                ]
                goal = near[0] if near else ""
            if goal and now.distance(option.hex, goal) < now.distance(held.hex, goal):
                return option
        return None

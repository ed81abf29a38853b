"""Launches CAP, interceptors and strikes for the greedy Carrier Battle bot (6.24)."""

from collections.abc import Sequence
from typing import Final

from engine.bots.greedy_cbps_orders import Answer, Options, options_of_kind
from engine.bots.greedy_cbps_situation import CbpsSituation
from engine.bots.greedy_cbps_targets import TargetAnalysis
from engine.cbps import commands as orders
from engine.cbps.ids import DISPLAYS

LAST_CAP: Final = 4
"""Minimum number of phases until dusk for launching CAP without an alarm."""
ALARM_HEXES: Final = 6
"""Maximum distance, in hexes, of raids against which interceptors are launched."""
JOINABLE_FUEL: Final = 10
"""Minimum fuel of an intercept mission that other units may join."""
RESERVED_DISPLAYS: Final = 2
"""Number of Air Mission displays that CAP must leave free for strikes and interceptors."""
_MIN_FIGHT_FUEL: Final = 4
"""Minimum fuel that an interceptor needs to fight and land."""


class LaunchPlanner:
    """Plans launches for one decision."""

    def __init__(
        self, situation: CbpsSituation, targets: TargetAnalysis, recovering_ids: frozenset[str]
    ) -> None:
        """Create the planner for the current situation.

        Args:
            situation: The situation.
            targets: The targets worth a strike.
            recovering_ids: The carriers that keep their decks free for landings.
        """
        self.situation = situation
        self.targets = targets
        self.recovering_carriers = recovering_ids

    def next_launch(self, options: Options) -> Answer:
        """Return the next launch or the first move of a mission just launched, or None if neither is useful."""
        launch_options = options_of_kind(options, orders.Launch)
        return (
            self._fill_cap(options_of_kind(options, orders.Cap))
            or self._launch_interceptor(launch_options)
            or self._launch_strike(launch_options)
            or self._first_move(options_of_kind(options, orders.Fly))
        )

    def can_launch(self, unit: str) -> bool:
        """Return whether a unit's carrier may launch the unit now."""
        return self.situation.view.units[unit].at not in self.recovering_carriers

    def is_raid_near(self) -> bool:
        """Return whether a raid is close enough for fighters to be launched."""
        situation = self.situation
        return bool(situation.raids) and situation.raid_range(situation.raids[0]) <= ALARM_HEXES

    def missing_fighters(self) -> int:
        """Return how many fighters are still missing in the air against nearby raids."""
        situation = self.situation
        if not self.is_raid_near():
            return 0
        nearby_raids = [
            raid for raid in situation.raids if situation.raid_range(raid) <= ALARM_HEXES
        ]
        points = sum(situation.view.raids[raid].points for raid in nearby_raids)
        fighters_in_air = sum(
            len(situation.units_at("mission", name))
            for name, mission in situation.view.missions.items()
            if mission.kind == "intercept" and (mission.cap or mission.fuel >= _MIN_FIGHT_FUEL)
        )
        return points + points // 2 + 2 - fighters_in_air

    def _fill_cap(self, caps: Sequence[orders.Cap]) -> Answer:
        """Fill the CAP boxes by day. If possible, each group has only one CAP mission."""
        situation = self.situation
        if situation.phases_to_dusk < LAST_CAP and not self.is_raid_near():
            return None
        ranked_options = []
        for option in caps:
            group = situation.view.ships[situation.view.units[option.unit].at].group
            cap_count = situation.cap_units(group)
            if cap_count >= situation.stance.cap_units or not self.can_launch(option.unit):
                continue
            is_new = option.mission not in situation.view.missions
            if is_new and (cap_count or self._free_displays() <= RESERVED_DISPLAYS):
                continue
            ranked_options.append((cap_count, self._deck_size(option.unit), option.unit, option))
        return min(ranked_options, key=lambda entry: entry[:3])[3] if ranked_options else None

    def _free_displays(self) -> int:
        """Return how many Air Mission displays are free (4.13)."""
        return len(DISPLAYS) - len(self.situation.view.missions)

    def _deck_size(self, unit: str) -> int:
        """Return the deck size of a unit's carrier. Smaller decks are emptied first."""
        return self.situation.deck_size(self.situation.view.units[unit].at)

    def _launch_interceptor(self, launch_options: Sequence[orders.Launch]) -> Answer:
        """Launch ready fighters if a raid is close and too few fighters are in the air."""
        situation = self.situation
        if self.missing_fighters() <= 0:
            return None
        is_close = situation.raid_range(situation.raids[0]) <= 2  # noqa: PLR2004  # it attacks in this phase or the next
        interceptors = [
            option
            for option in launch_options
            if option.mission.startswith("intercept")
            and not situation.is_attacker(option.unit)
            and (is_close or self.can_launch(option.unit))
        ]
        joined_missions = [
            option
            for option in interceptors
            if option.mission in situation.view.missions
            and situation.view.missions[option.mission].fuel >= JOINABLE_FUEL
        ]
        new_missions = [
            option for option in interceptors if option.mission not in situation.view.missions
        ]
        if (
            not joined_missions
            and self._free_displays() < RESERVED_DISPLAYS
            and self.targets.detected()
        ):
            new_missions = []
        return next(iter(joined_missions or new_missions), None)

    # -- strikes

    def _launch_strike(self, launch_options: Sequence[orders.Launch]) -> Answer:
        """Launch ready attackers with escorts against the best target in range."""
        situation = self.situation
        strike_launches = [
            option
            for option in launch_options
            if option.mission.startswith("strike") and self.can_launch(option.unit)
        ]
        if not strike_launches:
            return None
        forming = self._forming_strike()
        if not forming:
            return self._start_strike(strike_launches)
        joining_launches = [option for option in strike_launches if option.mission == forming]
        attacker_count = situation.attackers(forming)
        escorts = len(situation.units_at("mission", forming)) - attacker_count
        max_escorts = min(
            attacker_count // situation.stance.attackers_per_escort, situation.stance.max_escorts
        )
        fighters = [option for option in joining_launches if not situation.is_attacker(option.unit)]
        if fighters and escorts < max_escorts and not self.is_raid_near():
            return fighters[0]
        fuel = situation.view.missions[forming].fuel
        useful_launches = [
            option
            for option in joining_launches
            if situation.is_attacker(option.unit)
            and (
                situation.endurance(option.unit) >= fuel
                or self.open_targets(situation.endurance(option.unit))
            )
        ]
        if useful_launches and attacker_count < self._max_attackers:
            return max(useful_launches, key=lambda option: situation.endurance(option.unit))
        return None

    @property
    def _max_attackers(self) -> int:
        """Return the maximum number of attackers in a strike."""
        return 1 if self.situation.is_reconnaissance else self.situation.stance.max_attackers

    def _forming_strike(self) -> str:
        """Return the strike that is being formed, or an empty string if no strike is being formed."""
        situation = self.situation
        for name, mission in situation.view.missions.items():
            is_own = mission.commander == situation.view.role
            is_forming = mission.kind == "strike" and mission.is_fresh and is_own
            if (
                is_forming
                and mission.hex in situation.carrier_hexes
                and situation.attackers(name) < self._max_attackers
            ):
                return name
        return ""

    def open_targets(self, fuel: int) -> list[str]:
        """Return the targets within reach against which too few attackers are in the air."""
        situation = self.situation
        units_by_target: dict[str, int] = {}
        for name, mission in situation.view.missions.items():
            if mission.kind == "strike" and not mission.is_flipped:
                goal = self.targets.mission_target(name)
                units_by_target[goal] = units_by_target.get(goal, 0) + situation.attackers(name)
        return [
            name
            for name in self.targets.launch_targets(fuel)
            if units_by_target.get(name, 0) * 2 < self.targets.target_value(name)
        ]

    def _start_strike(self, launch_options: Sequence[orders.Launch]) -> Answer:
        """Start a strike if enough attackers are ready."""
        situation = self.situation
        attackers = {
            option.unit: option
            for option in launch_options
            if situation.is_attacker(option.unit) and option.mission not in situation.view.missions
        }
        if len(attackers) < min(situation.stance.min_attackers, self._max_attackers):
            return None
        unit = max(attackers, key=situation.endurance)
        return attackers[unit] if self.open_targets(situation.endurance(unit)) else None

    def _first_move(self, fly_options: Sequence[orders.Fly]) -> Answer:
        """Return the first move of a mission that was just launched."""
        situation = self.situation
        for option in fly_options:
            mission_view = situation.view.missions[option.mission]
            if mission_view.kind == "strike":
                target = self.targets.mission_target(option.mission)
                goal = self.targets.target_hex(target) if target else ""
            else:
                nearby_options = [
                    situation.view.raids[raid].hex
                    for raid in situation.raids
                    if situation.distance(situation.view.raids[raid].hex, mission_view.hex) == 1
                ]
                goal = nearby_options[0] if nearby_options else ""
            if goal and situation.distance(option.hex, goal) < situation.distance(
                mission_view.hex, goal
            ):
                return option
        return None

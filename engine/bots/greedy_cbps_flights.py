"""Handles mission movement and combat for the greedy Carrier Battle bot (4.4, 4.5, 5.1)."""

from collections.abc import Sequence
from typing import Final

from engine.bots.greedy_cbps_orders import Answer, Options, options_of_kind
from engine.bots.greedy_cbps_situation import CbpsSituation
from engine.bots.greedy_cbps_targets import TargetAnalysis
from engine.cbps import commands as orders

COMBAT_FUEL: Final = 3
"""Fuel used by an interception (4.434)."""
FUEL_RESERVE: Final = 2
_FAST_FLIGHT_FUEL: Final = 2
"""An interceptor flies home at two hexes per segment if its fuel exceeds the distance home by more than this."""
_ACCEPTED_SHORTFALL: Final = 3
"""Maximum fuel that a strike may lack for the flight home if it flies fast or waits for a search."""
_LOITER_HEXES: Final = 5
"""A strike waits for the next search if undetected carriers are at most this many hexes away."""
_SEVERE_RAID_POINTS: Final = 4
"""Fighters ignore their fuel if the raids over the ships have at least this many points."""
_ENOUGH_FIGHTERS: Final = 2
"""Number of fighters per raid point that is considered enough."""
_SEGMENT_REACH: Final = 2


class FlightPlanner:
    """Plans the moves and combats of the missions on the map for one decision."""

    def __init__(self, situation: CbpsSituation, targets: TargetAnalysis) -> None:
        """Create the planner for the current situation."""
        self.situation = situation
        self.targets = targets

    # -- the US Air Movement Segment: 4.4

    def next_move(self, options: Options) -> Answer:
        """Return a mission's next move, or None if the remaining missions stay in their hexes."""
        deployment = self._deploy(options_of_kind(options, orders.Deploy))
        if deployment is not None:
            return deployment
        steps: dict[str, list[orders.Fly]] = {}
        for option in options_of_kind(options, orders.Fly):
            steps.setdefault(option.mission, []).append(option)
        for mission, mission_steps in steps.items():
            step = self._next_step(mission, mission_steps)
            if step is not None:
                return step
        return None

    def _deploy(self, deployments: Sequence[orders.Deploy]) -> Answer:
        """Send CAP one or two hexes out to meet a raid. The CAP can then fight there and again over the ships."""
        situation = self.situation
        for option in deployments:
            start_hex = situation.mission_hex(option.mission)
            nearby_options = [
                raid
                for raid in situation.raids
                if 0
                < situation.distance(start_hex, situation.view.raids[raid].hex)
                <= _SEGMENT_REACH
                and self._fighters_against(raid)
                < situation.view.raids[raid].points * _ENOUGH_FIGHTERS
            ]
            if nearby_options:
                return option
        return None

    def _fighters_against(self, raid: str) -> int:
        """Return the number of fighters that are in a raid's hex or can reach the hex in this segment."""
        situation = self.situation
        raid_hex = situation.view.raids[raid].hex
        return sum(
            len(situation.units_at("mission", name))
            for name, mission in situation.view.missions.items()
            if mission.kind == "intercept"
            and not mission.cap
            and mission.fuel >= COMBAT_FUEL
            and situation.distance(mission.hex, raid_hex) <= _SEGMENT_REACH - mission.moved
        )

    def _next_step(self, mission: str, steps: Sequence[orders.Fly]) -> Answer:
        situation = self.situation
        mission_view = situation.view.missions[mission]
        goal, is_urgent = (
            self._interceptor_destination(mission)
            if mission_view.kind == "intercept"
            else self._strike_destination(mission)
        )
        distance = situation.distance(mission_view.hex, goal)
        if not distance or (mission_view.moved and not is_urgent):
            return None
        closer_steps = [
            option for option in steps if situation.distance(option.hex, goal) < distance
        ]
        return closer_steps[0] if closer_steps else None

    def _strike_destination(self, mission: str) -> tuple[str, bool]:
        """Return a strike's destination, and whether the strike flies two hexes per segment."""
        situation = self.situation
        mission_view = situation.view.missions[mission]
        target = self.targets.mission_target(mission)
        if target:
            goal = self.targets.target_hex(target)
            distance_out = situation.distance(mission_view.hex, goal)
            spare_phases = (
                mission_view.fuel
                - distance_out
                - distance_out // 4
                - 1
                - self.targets.return_fuel(goal)
            )
            is_late = situation.phases_left <= 2 * distance_out + 2
            return goal, spare_phases >= -_ACCEPTED_SHORTFALL or is_late
        if self._waits_for_search(mission):
            return mission_view.hex, False
        goal = situation.nearest_carrier_hex(mission_view.hex)
        distance = situation.distance(mission_view.hex, goal)
        is_late = situation.phases_left <= distance or situation.phases_to_dusk <= distance
        return goal, mission_view.fuel > distance + distance // 4 + FUEL_RESERVE or is_late

    def _waits_for_search(self, mission: str) -> bool:
        """Return whether a strike that has lost its target waits for another search this turn."""
        situation = self.situation
        mission_view = situation.view.missions[mission]
        is_spent = mission_view.is_flipped or not situation.attackers(mission)
        if (
            is_spent
            or situation.view.has_searched
            or not situation.view.searches
            or not situation.is_day
        ):
            return False
        for hex_id in self.targets.known_carriers().values():
            distance_out = situation.distance(mission_view.hex, hex_id)
            if (
                distance_out <= _LOITER_HEXES
                and mission_view.fuel - distance_out - 2
                >= self.targets.return_fuel(hex_id) - _ACCEPTED_SHORTFALL
            ):
                return True
        return False

    def _interceptor_destination(self, mission: str) -> tuple[str, bool]:
        """Return an interceptor's destination, and whether the interceptor flies two hexes per segment.

        The destination is a raid that it can meet in this segment. If there is no such raid, the destination is home.
        """
        situation = self.situation
        mission_view = situation.view.missions[mission]
        reach = (_SEGMENT_REACH if mission_view.fuel > 1 else 1) - mission_view.moved
        for raid in situation.raids:
            raid_hex = situation.view.raids[raid].hex
            distance_out = situation.distance(mission_view.hex, raid_hex)
            if distance_out > reach or not distance_out:
                if not distance_out:
                    return raid_hex, False
                continue
            return_distance = situation.distance(raid_hex, situation.nearest_carrier_hex(raid_hex))
            if mission_view.fuel >= distance_out + COMBAT_FUEL + return_distance - 1:
                return raid_hex, True
        goal = situation.nearest_carrier_hex(mission_view.hex)
        distance = situation.distance(mission_view.hex, goal)
        return goal, mission_view.fuel > distance + _FAST_FLIGHT_FUEL or not situation.raids

    # -- combat

    def intercept(self, options: Options) -> Answer:
        """Commit enough missions against a raid, CAP last. Pair the largest missions with the largest raids."""
        situation = self.situation
        fight_options = options_of_kind(options, orders.Intercept)
        if fight_options:
            return max(
                fight_options,
                key=lambda option: (
                    len(situation.units_at("mission", option.mission)),
                    situation.view.raids[option.raid].points,
                ),
            )
        commit_options = options_of_kind(options, orders.Commit)
        if not commit_options:
            return None
        meeting_hex = situation.mission_hex(commit_options[0].mission)
        points = sum(
            raid.points
            for name, raid in situation.view.raids.items()
            if raid.hex == meeting_hex and name in situation.raids
        )
        frame = situation.view.frames[-1]
        committed_missions = getattr(frame, "committed", ())
        committed_units = sum(
            len(situation.units_at("mission", name)) for name in committed_missions
        )
        if committed_units >= points * _ENOUGH_FIGHTERS:
            return None
        ranked_options = sorted(
            commit_options,
            key=lambda option: (
                bool(situation.view.missions[option.mission].cap),
                -situation.view.missions[option.mission].fuel,
            ),
        )
        return next(
            (option for option in ranked_options if self._may_fight(option.mission, meeting_hex)),
            None,
        )

    def _may_fight(self, mission: str, hex_id: str) -> bool:
        """Return whether a mission can fight and return.

        Directly over the ships, a mission may become Fuel Critical to stop a severe raid.
        """
        mission_view = self.situation.view.missions[mission]
        if mission_view.cap:
            return True
        return_distance = self.situation.distance(
            hex_id, self.situation.nearest_carrier_hex(hex_id)
        )
        if return_distance:
            return mission_view.fuel > COMBAT_FUEL + return_distance
        points = sum(
            self.situation.view.raids[raid].points
            for raid in self.situation.raids
            if self.situation.view.raids[raid].hex == hex_id
        )
        return mission_view.fuel > COMBAT_FUEL or points >= _SEVERE_RAID_POINTS

    def attack(self, options: Options) -> Answer:
        """Attack the most valuable target in the strike's hex."""
        attacks = options_of_kind(options, orders.Attack)
        ranked_options = [
            option
            for option in attacks
            if self.targets.target_value(option.target) > 0
            and self.situation.attackers(option.mission)
        ]
        return (
            max(ranked_options, key=lambda option: self.targets.target_value(option.target))
            if ranked_options
            else None
        )

    def retry(self, options: Options) -> Answer:
        """Try again to make contact."""
        retries = options_of_kind(options, orders.Retry)
        return (
            max(retries, key=lambda option: self.targets.target_value(option.target))
            if retries
            else None
        )

"""Movement and combat of missions by the greedy bot for Carrier Battle (4.4, 4.5, 5.1)."""

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
"""Fuel needed above the slow-flight minimum for a mission to fly two hexes per segment."""
_ACCEPTED_SHORTFALL: Final = 3
"""Maximum fuel shortfall for the flight home that a strike in a hurry accepts."""
_LOITER_HEXES: Final = 5
"""Maximum distance, in hexes, to undetected carriers at which a strike waits for the next search."""
_SEVERE_RAID_POINTS: Final = 4
"""Minimum number of raid points over the ships at which fighters fight regardless of fuel."""
_ENOUGH_FIGHTERS: Final = 2
"""Number of fighters per raid point that is considered enough."""
_SEGMENT_REACH: Final = 2


class FlightPlanner:
    """The missions on the map at one moment."""

    def __init__(self, now: CbpsSituation, targets: TargetAnalysis) -> None:
        """Initialise for the current situation."""
        self.now = now
        self.targets = targets

    # -- the US Air Movement Segment: 4.4

    def next_move(self, options: Options) -> Answer:
        """Return a mission's next move, or None if the remaining missions stay where they are."""
        deployed = self._deploy(options_of_kind(options, orders.Deploy))
        if deployed is not None:
            return deployed
        steps: dict[str, list[orders.Fly]] = {}
        for option in options_of_kind(options, orders.Fly):
            steps.setdefault(option.mission, []).append(option)
        for mission, mission_steps in steps.items():
            step = self._next_step(mission, mission_steps)
            if step is not None:
                return step
        return None

    def _deploy(self, found: Sequence[orders.Deploy]) -> Answer:
        """Send CAP one or two hexes out to meet a raid, so that it fights there and again over the ships."""
        now = self.now
        for option in found:
            start = now.mission_hex(option.mission)
            near = [
                raid
                for raid in now.raids
                if 0 < now.distance(start, now.view.raids[raid].hex) <= _SEGMENT_REACH
                and self._fighters_against(raid) < now.view.raids[raid].points * _ENOUGH_FIGHTERS
            ]
            if near:
                return option
        return None

    def _fighters_against(self, raid: str) -> int:
        """Return the number of fighters in a raid's hex or able to reach it in this segment."""
        now = self.now
        where = now.view.raids[raid].hex
        return sum(
            len(now.units_at("mission", name))
            for name, mission in now.view.missions.items()
            if mission.kind == "intercept"
            and not mission.cap
            and mission.fuel >= COMBAT_FUEL
            and now.distance(mission.hex, where) <= _SEGMENT_REACH - mission.moved
        )

    def _next_step(self, mission: str, found: Sequence[orders.Fly]) -> Answer:
        now = self.now
        held = now.view.missions[mission]
        goal, hurry = (
            self._interceptor_destination(mission)
            if held.kind == "intercept"
            else self._strike_destination(mission)
        )
        near = now.distance(held.hex, goal)
        if not near or (held.moved and not hurry):
            return None
        closer = [option for option in found if now.distance(option.hex, goal) < near]
        return closer[0] if closer else None

    def _strike_destination(self, mission: str) -> tuple[str, bool]:
        """Return a strike's destination, and whether it flies two hexes per segment."""
        now = self.now
        held = now.view.missions[mission]
        target = self.targets.mission_target(mission)
        if target:
            goal = self.targets.target_hex(target)
            out = now.distance(held.hex, goal)
            spare = held.fuel - out - out // 4 - 1 - self.targets.return_fuel(goal)
            is_late = now.phases_left <= 2 * out + 2
            return goal, spare >= -_ACCEPTED_SHORTFALL or is_late
        if self._waits_for_search(mission):
            return held.hex, False
        goal = now.nearest_carrier_hex(held.hex)
        way = now.distance(held.hex, goal)
        is_late = now.phases_left <= way or now.phases_to_dusk <= way
        return goal, held.fuel > way + way // 4 + FUEL_RESERVE or is_late

    def _waits_for_search(self, mission: str) -> bool:
        """Return whether a strike that has lost its target waits for another search in this turn."""
        now = self.now
        held = now.view.missions[mission]
        is_spent = held.is_flipped or not now.attackers(mission)
        if is_spent or now.view.has_searched or not now.view.searches or not now.is_day:
            return False
        for hex_id in self.targets.known_carriers().values():
            out = now.distance(held.hex, hex_id)
            if (
                out <= _LOITER_HEXES
                and held.fuel - out - 2 >= self.targets.return_fuel(hex_id) - _ACCEPTED_SHORTFALL
            ):
                return True
        return False

    def _interceptor_destination(self, mission: str) -> tuple[str, bool]:
        """Return an interceptor's destination: a raid that it can meet in this segment or, if there is none, home."""
        now = self.now
        held = now.view.missions[mission]
        reach = (_SEGMENT_REACH if held.fuel > 1 else 1) - held.moved
        for raid in now.raids:
            where = now.view.raids[raid].hex
            out = now.distance(held.hex, where)
            if out > reach or not out:
                if not out:
                    return where, False
                continue
            back = now.distance(where, now.nearest_carrier_hex(where))
            if held.fuel >= out + COMBAT_FUEL + back - 1:
                return where, True
        goal = now.nearest_carrier_hex(held.hex)
        way = now.distance(held.hex, goal)
        return goal, held.fuel > way + _FAST_FLIGHT_FUEL or not now.raids

    # -- combat

    def intercept(self, options: Options) -> Answer:
        """Commit enough missions against a raid, CAP last, then pair the largest missions with the largest raids."""
        now = self.now
        fights = options_of_kind(options, orders.Intercept)
        if fights:
            return max(
                fights,
                key=lambda option: (
                    len(now.units_at("mission", option.mission)),
                    now.view.raids[option.raid].points,
                ),
            )
        commits = options_of_kind(options, orders.Commit)
        if not commits:
            return None
        where = now.mission_hex(commits[0].mission)
        points = sum(
            raid.points
            for name, raid in now.view.raids.items()
            if raid.hex == where and name in now.raids
        )
        top = now.view.frames[-1]
        committed = getattr(top, "committed", ())
        flying = sum(len(now.units_at("mission", name)) for name in committed)
        if flying >= points * _ENOUGH_FIGHTERS:
            return None
        ranked = sorted(
            commits,
            key=lambda option: (
                bool(now.view.missions[option.mission].cap),
                -now.view.missions[option.mission].fuel,
            ),
        )
        return next((option for option in ranked if self._may_fight(option.mission, where)), None)

    def _may_fight(self, mission: str, where: str) -> bool:
        """Return whether a mission can fight and return. Directly over the ships, it may become Fuel Critical."""
        held = self.now.view.missions[mission]
        if held.cap:
            return True
        way = self.now.distance(where, self.now.nearest_carrier_hex(where))
        if way:
            return held.fuel > COMBAT_FUEL + way
        points = sum(
            self.now.view.raids[raid].points
            for raid in self.now.raids
            if self.now.view.raids[raid].hex == where
        )
        return held.fuel > COMBAT_FUEL or points >= _SEVERE_RAID_POINTS

    def attack(self, options: Options) -> Answer:
        """Attack the most valuable target in the strike's hex."""
        attacks = options_of_kind(options, orders.Attack)
        ranked = [
            option
            for option in attacks
            if self.targets.worth(option.target) > 0 and self.now.attackers(option.mission)
        ]
        return max(ranked, key=lambda one: self.targets.worth(one.target)) if ranked else None

    def retry(self, options: Options) -> Answer:
        """Try again to make contact."""
        retries = options_of_kind(options, orders.Retry)
        return max(retries, key=lambda one: self.targets.worth(one.target)) if retries else None

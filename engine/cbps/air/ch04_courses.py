"""Legal moves of US missions.

Strikes stay near their groups, fly home or approach a target. Intercepts avoid hexes with Japanese ships (4.22,
4.36).
"""

from collections.abc import Iterator
from typing import Final

from engine.cbps.air.ch04_fuel import is_critical
from engine.cbps.locations import carrier_groups, nearest_carrier_groups, sea_map, ships_in_group
from engine.cbps.rulings import STRIKE_RADIUS
from engine.cbps.state import Mission, State
from engine.kernel.ids import Refusal, Rule

GUAM_TARGET: Final = "Guam"


def strike_radius(state: State) -> int:
    """Return how far from its launching groups a strike without a target may fly, in hexes (OP-5)."""
    return int(STRIKE_RADIUS.value(state.options))


def has_japanese_ships(state: State, hex: str) -> bool:
    """Return whether a hex contains a Japanese force or a lone crippled Japanese ship (4.36)."""
    return has_force(state, hex) or has_lone_hull(state, hex)


def has_force(state: State, hex: str) -> bool:
    """Return whether a hex contains a Japanese force (6.35)."""
    return any(force.hex == hex for force in state.forces.values())


def has_lone_hull(state: State, hex: str) -> bool:
    """Return whether a hex contains a lone crippled Japanese ship (12.41)."""
    return any(hull.hex == hex and not hull.fate for hull in state.hulls.values())


def strike_targets(state: State) -> dict[str, str]:
    """Return the possible strike targets with their hexes: detected forces, lone crippled ships and Guam (4.22)."""
    hexes = {name: force.hex for name, force in state.forces.items() if force.detection}
    for name, hull in state.hulls.items():
        if hull.hex and not hull.fate:
            hexes[name] = hull.hex
    if state.game_data.map.guam:
        hexes[GUAM_TARGET] = state.game_data.map.guam
    return hexes


class Course:
    """The legal moves of one mission from its current hex. A course is valid only for the state passed to it."""

    __slots__ = ("_approach", "_hex", "_home", "_loiter", "_sea", "_state", "mission")

    def __init__(self, state: State, name: str) -> None:
        """Prepare the moves for a mission on the map."""
        self._state = state
        self.mission: Mission = state.missions[name]
        self._sea = sea_map(state)
        self._hex = self.mission.hex
        if self.mission.kind != "strike":
            return
        groups = state.groups
        self._home = [groups[name].hex for name in carrier_groups(state)]
        self._loiter = [
            groups[name].hex for name in self.mission.groups if ships_in_group(state, name)
        ]
        self._approach = {} if self.mission.is_flipped else strike_targets(state)

    def approached_targets(self, hex: str) -> tuple[str, ...]:
        """Return the targets approached by a step into a hex and by all earlier steps of the move (4.22)."""
        if self.mission.kind != "strike":
            return ()
        distance = self._sea.distance
        targets = [
            name
            for name, target in self._approach.items()
            if distance(target, hex) < distance(target, self._hex)
        ]
        # Every hex of a move must approach the same target, so the first step limits the second
        # (4.22). A launch move has no earlier step.
        if self.mission.moved and not self.mission.is_fresh:
            targets = [name for name in targets if name in self.mission.toward]
        return tuple(targets)

    def is_homeward(self, hex: str) -> bool:
        """Return whether a step brings the mission closer to a group with a carrier (4.22)."""
        distance = self._sea.distance
        return any(distance(home, hex) < distance(home, self._hex) for home in self._home)

    def is_loitering(self, hex: str) -> bool:
        """Return whether a hex is near enough to one of the launching groups to wait there without a target (4.22)."""
        distance, radius = self._sea.distance, strike_radius(self._state)
        return any(distance(group, hex) <= radius for group in self._loiter)

    def refusals(self, hex: str) -> Iterator[Refusal]:
        """Yield the reasons why the mission cannot enter a hex in one step."""
        sea, state = self._sea, self._state
        if hex not in sea or not sea.is_adjacent(self._hex, hex):
            yield Refusal(Rule("4.41"), "a mission can only move into an adjacent hex on the map")
            return
        if self.mission.kind == "intercept":
            if has_japanese_ships(state, hex):
                yield Refusal(Rule("4.36"), "interceptors cannot enter a hex with Japanese ships")
        elif not self.is_homeward(hex) and (
            self.must_go_home() or not (self.is_loitering(hex) or self.approached_targets(hex))
        ):
            if self.mission.is_flipped:
                text = "a strike with no contact attempts left must go home"
                yield Refusal(Rule("5.23"), text)
            else:
                text = (
                    f"a strike stays within {strike_radius(state)} hexes of its groups, or flies home, "
                    "or straight toward a detected force or Guam"
                )
                yield Refusal(Rule("4.22"), text)

    def is_legal(self, hex: str) -> bool:
        """Return whether the mission may enter a hex in one step."""
        return next(self.refusals(hex), None) is None

    def legal_steps(self) -> list[str]:
        """Return the adjacent hexes that the mission may enter, clockwise from north-east."""
        return [hex for hex in self._sea.neighbours(self._hex) if self.is_legal(hex)]

    def must_go_home(self) -> bool:
        """Return whether the mission must move toward home: a flipped strike far from all carriers (4.23, 5.23)."""
        if self.mission.kind != "strike" or not self.mission.is_flipped:
            return False
        distance, radius = self._sea.distance, strike_radius(self._state)
        # With no carrier left, there is no home to fly to.
        return bool(self._home) and all(distance(home, self._hex) > radius for home in self._home)

    def step_home(self) -> str:
        """Return the next hex on a shortest path to the nearest carrier, or an empty string if no step is legal."""
        for group in nearest_carrier_groups(self._state, self._hex):
            goal = self._state.groups[group].hex
            if goal == self._hex:
                return ""
            for hex in self._sea.steps_toward(self._hex, goal):
                if self.is_legal(hex):
                    return hex
        return ""


def goes_home_by_default(mission: Mission) -> bool:
    """Return whether a mission's default move is toward home (D-4.4)."""
    return mission.is_flipped or is_critical(mission)

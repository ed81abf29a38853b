"""Course orders for missions as lines of text, such as ``strike-5 to A least 1 by day units hornet-b1``."""

from functools import lru_cache
from typing import Final, get_args

import msgspec

from engine.cbps.air.ch04_fuel import LAST_BOX, mission_units
from engine.cbps.ids import Light
from engine.cbps.state import State

COURSE_HELP: Final = "strike-1 to a, strike-1 to a fast, strike-1 to home"
"""The short forms of an order."""
HOME: Final = "home"
"""The word for an order that only flies home."""
SAFE_FUEL: Final = 1
"""Minimum fuel, after paying for the landing, with which a mission does not land Fuel Critical (4.451)."""
_WORDS: Final = 9


class CourseOrder(msgspec.Struct, frozen=True, kw_only=True):
    """An order for one mission."""

    mission: str
    target: str = ""
    """The counter of a force, or a lone crippled ship. Empty if the mission only flies home."""
    least: int
    """The lowest fuel after landing that the player accepts. It determines when the mission flies a second hex."""
    light: Light
    """The darkest light on landing that the player accepts."""
    units: tuple[str, ...]
    """The mission's units when the order was given. A later mission with the same name has other units."""

    @property
    def text(self) -> str:
        """Return the order as a line of text."""
        units = ",".join(self.units)
        return f"{self.mission} to {self.target or HOME} least {self.least} by {self.light} units {units}"


@lru_cache(maxsize=64)
def parse_order(text: str) -> CourseOrder | None:
    """Parse an order from a line. None if the line is not a complete order, for example in a damaged file."""
    words = text.split()
    if len(words) != _WORDS or words[1::2] != ["to", "least", "by", "units"]:
        return None
    mission, target, least, light, units = words[::2]
    if light not in get_args(Light) or not least.removeprefix("-").isdecimal():
        return None
    return CourseOrder(
        mission=mission,
        target="" if target == HOME else target,
        least=max(int(least[:3]), 1 - LAST_BOX),
        light=light,  # type: ignore[arg-type]  # checked above
        units=tuple(units.split(",")),
    )


def parse_orders(courses: tuple[str, ...]) -> tuple[CourseOrder, ...]:
    """Parse the orders from lines of text, skipping damaged lines."""
    return tuple(order for line in courses if (order := parse_order(line)) is not None)


def is_in_play(state: State, order: CourseOrder) -> bool:
    """Return whether the order's own mission, and not another one with its name, is in flight."""
    return order.mission in state.missions and bool(
        set(order.units).intersection(mission_units(state, order.mission))
    )


def is_outbound(state: State, order: CourseOrder) -> bool:
    """Return whether the mission still has to attack. A flipped strike goes home (5.23)."""
    mission = state.missions[order.mission]
    return bool(order.target) and mission.kind == "strike" and not mission.is_flipped

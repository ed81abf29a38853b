"""Course orders for missions, searches, CAP, TF 58 and submarines, and their text form.

Examples in full: ``strike-5 to A least 1 by day units hornet-b1``, ``hornet-b1 search 300 units hornet-b1,hornet-b2``,
``cap-58.1 until 7 size 3`` and ``tf-58 stay turn 7``.
"""

from functools import lru_cache
from typing import Final, TypeAlias, get_args

import msgspec

from engine.cbps.air.ch04_fuel import LAST_BOX, mission_units
from engine.cbps.ids import Light, SearchKind
from engine.cbps.locations import carriers_in_group, sea_map, ship_hex
from engine.cbps.search_area import BEARINGS, narrow_radii
from engine.cbps.state import Search, State

COURSE_HELP: Final = (
    "strike-1 to a, strike-1 to a fast, strike-1 to 1110, strike-1 to home, search 300, "
    "cap 58.1 until 1210, tf-58 stay until 1210"
)
"""The short forms of an order."""
HOME: Final = "home"
"""The word for an order that only flies home."""
SAFE_FUEL: Final = 1
"""Minimum fuel that a mission needs after paying for the landing, so as not to land Fuel Critical (4.451)."""
_WORDS: Final = 9
_SEARCH_WORD_COUNT: Final = 5
_CAP_WORD_COUNT: Final = 5
_STAY_WORD_COUNT: Final = 4
FLEET: Final = "tf-58"
"""Subject of an order to stay that answers US Move."""
STAY_SUBJECTS: Final = (FLEET, "submarines")
_MAX_NUMBER: Final = 99
_BEARING_DIGITS: Final = 3
HEX_DIGITS: Final = 4
CAP_PREFIX: Final = "cap-"
LONG_SUFFIX: Final = "-long"
"""Marks the bearing of a search to 12 hexes (18.21)."""


class CourseOrder(msgspec.Struct, frozen=True, kw_only=True):
    """An order for one mission."""

    mission: str
    target: str = ""
    """The counter of a force, a lone crippled ship, or the hex in which the mission turns home.

    Empty if the mission only flies home.
    """
    least: int
    """The lowest fuel after landing that the player accepts. It determines when the mission flies a second hex."""
    light: Light
    """The darkest light on landing that the player accepts."""
    units: tuple[str, ...]
    """The mission's units when the order was given. A later mission with the same name has other units."""

    @property
    def turning_hex(self) -> str:
        """Return the hex to which the mission flies before it turns home. Empty if its target is a force or a ship."""
        return self.target if len(self.target) == HEX_DIGITS and _is_number(self.target) else ""

    @property
    def text(self) -> str:
        """Return the order as a line of text."""
        units = ",".join(self.units)
        return f"{self.mission} to {self.target or HOME} least {self.least} by {self.light} units {units}"


class SearchOrder(msgspec.Struct, frozen=True, kw_only=True):
    """An order to search in one direction and return (8.25, 8.26, 8.28)."""

    course: str
    """A bearing in degrees, with ``-long`` for a search to 12 hexes, or the radius hex of a narrow search."""
    units: tuple[str, ...]
    """One or two units. The first names the order."""

    @property
    def text(self) -> str:
        """Return the order as a line of text."""
        return f"{self.units[0]} search {self.course} units {','.join(self.units)}"

    @property
    def kind(self) -> SearchKind:
        """Return the kind of search, which the form of the course determines (8.23, 18.21)."""
        if self.course.endswith(LONG_SUFFIX):
            return "long"
        return "standard" if len(self.course) <= _BEARING_DIGITS else "narrow"

    @property
    def bearing(self) -> int:
        """Return the bearing in degrees, or 0 for a narrow search."""
        return 0 if self.kind == "narrow" else int(self.course.removesuffix(LONG_SUFFIX))

    @property
    def radius(self) -> str:
        """Return the radius hex of a narrow search, or an empty string."""
        return self.course if self.kind == "narrow" else ""


class CapOrder(msgspec.Struct, frozen=True, kw_only=True):
    """An order to keep CAP over a task group until the beginning of a turn, and then to land it (4.33)."""

    group: str
    until: int
    """Number of the turn in which the CAP lands, counted from 0."""
    size: int
    """Number of units to keep in the CAP box."""

    @property
    def text(self) -> str:
        """Return the order as a line of text."""
        return f"{CAP_PREFIX}{self.group} until {self.until} size {self.size}"


class StayOrder(msgspec.Struct, frozen=True, kw_only=True):
    """An order to TF 58 or the submarines to stay where they are until the beginning of a turn (6.31, 14.12)."""

    subject: str
    """One of `STAY_SUBJECTS`."""
    until: int
    """Number of the first turn without the order, counted from 0."""

    @property
    def text(self) -> str:
        """Return the order as a line of text."""
        return f"{self.subject} stay turn {self.until}"


AnyOrder: TypeAlias = CourseOrder | SearchOrder | CapOrder | StayOrder


def parse_any(text: str) -> AnyOrder | None:
    """Parse an order of any kind from a line. None if the line is not a complete order."""
    return parse_order(text) or _parse_search(text) or _parse_cap(text) or _parse_stay(text)


@lru_cache(maxsize=64)
def _parse_search(text: str) -> SearchOrder | None:
    words = text.split()
    if len(words) != _SEARCH_WORD_COUNT or words[1::2] != ["search", "units"]:
        return None
    search_name, course, units = words[0], words[2], tuple(words[4].split(","))
    if not _is_number(course.removesuffix(LONG_SUFFIX)) or units[0] != search_name:
        return None
    return SearchOrder(course=course, units=units)


@lru_cache(maxsize=64)
def _parse_cap(text: str) -> CapOrder | None:
    words = text.split()
    if len(words) != _CAP_WORD_COUNT or words[1::2] != ["until", "size"]:
        return None
    subject, end_text, size = words[::2]
    if not (subject.startswith(CAP_PREFIX) and _is_number(end_text) and _is_number(size)):
        return None
    return CapOrder(
        group=subject.removeprefix(CAP_PREFIX),
        until=min(int(end_text), _MAX_NUMBER),
        size=min(int(size), _MAX_NUMBER),
    )


def _parse_stay(text: str) -> StayOrder | None:
    words = text.split()
    if len(words) != _STAY_WORD_COUNT or words[1:3] != ["stay", "turn"]:
        return None
    subject, end_text = words[0], words[3]
    if subject not in STAY_SUBJECTS or not _is_number(end_text):
        return None
    return StayOrder(subject=subject, until=min(int(end_text), _MAX_NUMBER))


def _is_number(word: str) -> bool:
    """Return whether a word is a number of at most four digits."""
    return word.isascii() and word.isdecimal() and len(word) <= _BEARING_DIGITS + 1


@lru_cache(maxsize=64)
def parse_order(text: str) -> CourseOrder | None:
    """Parse an order from a line. None if the line is not a complete order, for example in a damaged file."""
    words = text.split()
    if len(words) != _WORDS or words[1::2] != ["to", "least", "by", "units"]:
        return None
    mission, target, fuel_word, light, units = words[::2]
    if light not in get_args(Light) or not fuel_word.removeprefix("-").isdecimal():
        return None
    return CourseOrder(
        mission=mission,
        target="" if target == HOME else target,
        least=max(int(fuel_word[:3]), 1 - LAST_BOX),
        light=light,  # type: ignore[arg-type]  # checked above
        units=tuple(units.split(",")),
    )


def parse_orders(courses: tuple[str, ...]) -> tuple[CourseOrder, ...]:
    """Parse the orders of missions from lines of text, skipping other orders and damaged lines."""
    return tuple(order for line in courses if (order := parse_order(line)) is not None)


def parse_all(courses: tuple[str, ...]) -> tuple[AnyOrder, ...]:
    """Parse the orders of every kind from lines of text, skipping damaged lines."""
    return tuple(order for line in courses if (order := parse_any(line)) is not None)


def is_live(state: State, order: AnyOrder) -> bool:
    """Return whether an order of any kind still has something to carry out."""
    match order:
        case CourseOrder():
            return is_in_play(state, order)
        case SearchOrder():
            unit = state.units.get(order.units[0])
            if unit is None or unit.place != "ready":
                return bool(search_of(state, order)[0])
            # A file written by hand may name units that do not exist.
            if not all(unit in state.units for unit in order.units):
                return False
            return is_course(state, order.units[0], order)
        case CapOrder():
            is_flying = any(mission.cap == order.group for mission in state.missions.values())
            return bool(carriers_in_group(state, order.group)) and (
                is_flying or state.turn < order.until
            )
        case StayOrder():
            return state.turn < order.until


def is_course(state: State, unit: str, order: SearchOrder) -> bool:
    """Return whether the order's bearing or radius hex is possible for a unit aboard its carrier (8.25, 8.26)."""
    if not order.radius:
        return order.bearing in BEARINGS
    ship = state.ships.get(state.units[unit].at)
    if ship is None or not ship.group:
        return False
    return order.radius in narrow_radii(
        state.game_data.map.grid, ship_hex(state, state.units[unit].at)
    )


def search_of(state: State, order: SearchOrder) -> tuple[str, Search | None]:
    """Return the name and state of the search that carries out an order, or ``("", None)`` if none is in flight."""
    unit = state.units.get(order.units[0])
    if unit is None or unit.place != "search":
        return "", None
    search = state.searches[unit.at]
    is_same = search.kind == order.kind and (
        search.radius == order.radius if order.radius else search.bearing == order.bearing
    )
    return (unit.at, search) if is_same else ("", None)


def is_in_play(state: State, order: CourseOrder) -> bool:
    """Return whether the mission that received the order is in flight, and its turning hex is on the map.

    A later mission of the same name does not count.
    """
    if order.turning_hex and order.turning_hex not in sea_map(state):
        return False
    return order.mission in state.missions and bool(
        set(order.units).intersection(mission_units(state, order.mission))
    )


def is_outbound(state: State, order: CourseOrder) -> bool:
    """Return whether the mission still has to reach its target. A flipped strike goes home (5.23)."""
    mission = state.missions[order.mission]
    if order.turning_hex:
        return mission.hex != order.turning_hex
    return bool(order.target) and mission.kind == "strike" and not mission.is_flipped


def has_attack_left(state: State, order: CourseOrder) -> bool:
    """Return whether the mission still has to attack a force or a ship."""
    return is_outbound(state, order) and not order.turning_hex


def is_turning(state: State, order: CourseOrder) -> bool:
    """Return whether the mission is in the hex in which it turns home. It stays there until the phase ends."""
    return bool(order.turning_hex) and state.missions[order.mission].hex == order.turning_hex


def current_order(state: State, order: AnyOrder) -> AnyOrder:
    """Return an order, reduced to the flight home if the mission has done what it was sent to a hex for.

    It has spent a phase in the hex, or has fought a raid on the way (4.51).
    """
    if isinstance(order, CourseOrder) and order.turning_hex and is_in_play(state, order):
        mission = state.missions[order.mission]
        has_stayed = is_turning(state, order) and not mission.moved and not mission.is_fresh
        if has_stayed or mission.has_fought:
            return msgspec.structs.replace(order, target="")
    return order

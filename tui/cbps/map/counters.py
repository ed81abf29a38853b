"""Counters on the operations map, with at most five characters, such as ``TF58``, ``A?2``, ``R9`` and ``◆3 f9``."""

from collections import Counter as Tally
from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from engine.cbps.game_data import MapData
from tui.cbps.map.view_protocols import (
    MapContents,
    MapForce,
    MapGroup,
    MapMission,
    MapRaid,
    MapSearch,
)
from tui.maps.enums import Owner
from tui.maps.hexmap.elements import Emphasis, MapCounter

_UNDETECTED_MARK: Final = "."
_DETECTION_NAMES: Final = {"": "unseen", "?": "approx", "L": "located", "S": "spotted"}
_SHORT_DETECTION_NAMES: Final = {"?": "rough", "L": "loc.", "S": "spot."}
"""Abbreviated detection states, used when a counter shows its detection on a separate line."""
_MAX_LABEL_CELLS: Final = 5
_PLANE_SYMBOL: Final = "◆"
_EMPHASES: Final = {
    "": Emphasis.QUIET,
    "?": Emphasis.NORMAL,
    "L": Emphasis.NORMAL,
    "S": Emphasis.ACTIVE,
}
_LOST_BOX: Final = "lost"
_TASK_FORCE: Final = "TF58"
_SURFACE_PREFIX: Final = "surface-"


def _without_spaces(text: str) -> str:
    """Return a counter's text, without its spaces if it is too long."""
    return text if len(text) <= _MAX_LABEL_CELLS else text.replace(" ", "")


def group_name(name: str) -> str:
    """Return a task group's name, shortened to at most four characters, such as ``58.7`` or ``Srf1``."""
    return name.replace(_SURFACE_PREFIX, "Srf")


def force_name(name: str) -> str:
    """Return a force's letter, or ``b`` and the number of a Butai, such as ``b2``."""
    return f"b{name}" if name.isdigit() else name


def force_counter(name: str, force: MapForce, *, is_alone: bool = False) -> MapCounter:
    """Return the counter for a Japanese force: name, detection, level, and ``c`` for known carriers (7.3, 8.11).

    Args:
        name: The force.
        force: What is known about it.
        is_alone: True if the force is alone in its hex. Its detection is then shown on the line below.
    """
    short_text = f"{force_name(name)}{force.detection or _UNDETECTED_MARK}{force.level}"
    second_line = _SHORT_DETECTION_NAMES.get(force.detection, "") if is_alone else ""
    text = f"{force_name(name)}·{force.level}" if second_line else short_text
    return MapCounter(
        text=text + ("c" if force.is_carrier else ""),
        brief=short_text,
        long=f"{force_name(name)} {force.level} {_DETECTION_NAMES[force.detection]}",
        owner=Owner.TWO,
        emphasis=_EMPHASES[force.detection],
        course=force.heading or "",
        note_below=second_line,
    )


def fleet_counters(groups: dict[str, MapGroup]) -> Iterator[MapCounter]:
    """Yield the counters for the task groups in a hex: one for TF 58, then one for each detached group (6.31)."""
    in_task_force = [name for name, group in groups.items() if not group.is_detached]
    if in_task_force:
        lights_mark = "*" if any(groups[name].is_lit for name in in_task_force) else ""
        yield MapCounter(
            text=f"{_TASK_FORCE}{lights_mark}",
            brief="TF",
            long=f"TF 58 ({len(in_task_force)} TG){lights_mark}",
            owner=Owner.ONE,
            course=groups[in_task_force[0]].heading or "",
        )
    for name, group in groups.items():
        if group.is_detached:
            lights_mark = "*" if group.is_lit else ""
            yield MapCounter(
                text=f"{group_name(name)}{lights_mark}",
                brief=name[-2:],
                long=f"TG {group_name(name)}{lights_mark}",
                owner=Owner.ONE,
                course=group.heading or "",
            )


def cap_counter(units: int) -> MapCounter:
    """Return the counter for the CAP over one hex, with the number of units (4.33)."""
    return MapCounter(
        text=_without_spaces(f"CAP {units}"),
        brief="cap",
        owner=Owner.ONE,
        emphasis=Emphasis.QUIET,
        long=f"CAP {units}",
    )


def mission_counter(name: str, mission: MapMission, units: int) -> MapCounter:
    """Return an air mission's counter, with units and fuel: ``◆4 f9``. A ``!`` means Fuel Critical (4.43, 4.44)."""
    # Missions have names such as strike-3.
    number = name.rpartition("-")[2]
    fuel = f"f{mission.fuel}" if mission.fuel > 0 else "!"
    return MapCounter(
        text=_without_spaces(f"{_PLANE_SYMBOL}{units} {fuel}"),
        brief=f"{mission.kind[0].upper()}{number}",
        long=f"{mission.kind[:3].title()} {number}: {units}u {fuel}",
        owner=Owner.ONE,
        emphasis=Emphasis.FLIGHT if mission.fuel > 0 else Emphasis.ALERT,
    )


def search_counter(search: MapSearch) -> MapCounter:
    """Return the counter for a search: ``s270``, or ``sN`` for a narrow search.

    A returning search has a ``<`` (8.23).
    """
    direction = "N" if search.kind == "narrow" else f"{search.bearing:03}"
    return_mark = "<" if search.is_back else ""
    return MapCounter(
        text=f"s{direction}{return_mark}",
        brief=f"s{direction[:2]}",
        long=f"search {direction}{return_mark}",
        owner=Owner.ONE,
        emphasis=Emphasis.QUIET,
    )


def _search_counters(table: MapContents) -> dict[str, list[MapCounter]]:
    """Return the counters for the searches in each hex. Identical searches share a counter."""
    tallies: dict[str, Tally[MapCounter]] = {}
    for search in table.searches.values():
        tallies.setdefault(search.hex, Tally())[search_counter(search)] += 1
    return {
        hex: [replace(counter, count=count) for counter, count in tally.items()]
        for hex, tally in tallies.items()
    }


def raid_counter(raid: MapRaid, course: str) -> MapCounter:
    """Return the counter for a raid, with its points and the direction to its target (10.2)."""
    points = raid.points or raid.fighters + raid.attackers
    return MapCounter(
        text=f"R{points}",
        long=f"raid {points} pt",
        owner=Owner.TWO,
        emphasis=Emphasis.ALERT,
        course=course,
    )


def boats_counter(names: list[str]) -> MapCounter:
    """Return the counter for the US submarines in one hex (14.1)."""
    return MapCounter(
        text="SS",
        owner=Owner.NONE,
        count=len(names),
        long=names[0].title() if len(names) == 1 else "",
    )


def cripples_counter(count: int, owner: Owner) -> MapCounter:
    """Return the counter for crippled ships outside task groups (12.41)."""
    text = "crUS" if owner is Owner.ONE else "crJP"
    return MapCounter(text=text, brief="cr", owner=owner, long="crippled", count=count)


def guam_counter(table: MapContents) -> MapCounter | None:
    """Return the counter for Guam's air points; None if Guam has no air points (11.29)."""
    points = sum(count for box, count in table.guam.boxes.items() if box != _LOST_BOX)
    if not points:
        return None
    return MapCounter(
        text=f"air{points}", brief=f"G{points}", owner=Owner.TWO, long=f"air points {points}"
    )


def counters_by_hex(
    table: MapContents, map_data: MapData, courses: dict[str, str]
) -> dict[str, list[MapCounter]]:
    """Return the counters in each hex, most important first.

    Args:
        table: The pieces on the map.
        map_data: The printed map.
        courses: Each raid's flight direction.
    """
    by_hex: dict[str, list[MapCounter]] = {}

    def add_counters(hex: str, *counters: MapCounter | None) -> None:
        present = [counter for counter in counters if counter is not None]
        if hex and present:
            by_hex.setdefault(hex, []).extend(present)

    # List the most important counters first, because the overview shows only one per hex.
    unit_counts = Tally(unit.at for unit in table.units.values())
    for name, raid in table.raids.items():
        add_counters(raid.hex, raid_counter(raid, courses.get(name, "")))
    for hex in dict.fromkeys(group.hex for group in table.groups.values()):
        add_counters(
            hex,
            *fleet_counters(
                {name: group for name, group in table.groups.items() if group.hex == hex}
            ),
        )
    for name, force in table.forces.items():
        add_counters(force.hex, force_counter(name, force))
    add_counters(map_data.guam, guam_counter(table))
    cap: Tally[str] = Tally()
    for name, mission in table.missions.items():
        add_counters(mission.hex, mission_counter(name, mission, unit_counts[name]))
        if mission.cap in table.groups:
            cap[table.groups[mission.cap].hex] += unit_counts[name]
    for hex, units in cap.items():
        add_counters(hex, cap_counter(units))
    for hex, search_counters in _search_counters(table).items():
        add_counters(hex, *search_counters)
    for hex in dict.fromkeys(boat.hex for boat in table.boats.values()):
        add_counters(
            hex, boats_counter([name for name, boat in table.boats.items() if boat.hex == hex])
        )
    for ships, owner in ((table.ships, Owner.ONE), (table.hulls, Owner.TWO)):
        for hex, count in Tally(ship.hex for ship in ships.values()).items():
            add_counters(hex, cripples_counter(count, owner))
    for hex in table.oilers.values():
        add_counters(hex, MapCounter(text="oil", owner=Owner.TWO, long="oiler"))
    # Do this last, because it depends on the other counters in the hex.
    _move_detection_below(table, by_hex)
    return by_hex


def _move_detection_below(table: MapContents, by_hex: dict[str, list[MapCounter]]) -> None:
    """Move detection to a separate line for forces that are alone in their hex."""
    for name, force in table.forces.items():
        if force.hex and len(by_hex[force.hex]) == 1:
            by_hex[force.hex] = [force_counter(name, force, is_alone=True)]

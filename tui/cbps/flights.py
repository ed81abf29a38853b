"""Everything in the air and under water: missions, searches, raids and submarines (4, 8, 10, 14)."""

from collections.abc import Iterator
from typing import Final

from engine.cbps.air.ch04_fuel import LAST_BOX
from engine.cbps.planner.searches import search_plan
from engine.cbps.planner.strikes import mission_plan
from engine.cbps.prose.names import display_name
from engine.cbps.scenario_rules import scenario_rules
from engine.cbps.search.ch08_courses import NARROW
from engine.kernel.chances import percent
from engine.kernel.sentences import pluralise
from tui.cbps.index import Index, moment_text
from tui.cbps.texts import (
    bearing_text,
    force_text,
    hex_text,
    raid_points,
    target_text,
    type_counts,
)

KEY: Final = "f"
NAME: Final = "Missions, searches, raids, submarines"


# -- missions


def fuel_text(index: Index, mission: str) -> str:
    """Return a mission's fuel, or its Fuel Critical box (4.44)."""
    one = index.view.missions[mission]
    if one.cap:
        return "no fuel used"
    return f"fuel {one.fuel}" if one.fuel > 0 else f"FUEL CRITICAL box {-one.fuel} of {LAST_BOX}"


_CERTAIN: Final = 100


def home_text(index: Index, mission: str) -> str:
    """Describe a mission's way home if it turns back now: arrival time, light and fuel; empty for CAP."""
    one = index.view.missions[mission]
    if one.cap:
        return ""
    home = index.nearest_home(one.hex)
    if home is None:
        return "no carrier is left"
    group, hexes = home
    if not hexes:
        return f"over {display_name(group)}"
    where = f"{display_name(group)} {pluralise(hexes, 'hex', 'hexes')}"
    if not scenario_rules(index.table).flies_home:
        return where
    plan = mission_plan(index.table, mission)
    least, most = plan.way_home.least + plan.land, plan.way_home.most + plan.land
    need = f"{least}" if least == most else f"{least}-{most}"
    lost = percent(plan.landing.lost)
    if lost == _CERTAIN:
        return f"{where}, out of reach: needs {need} fuel, has {max(one.fuel, 0)}"
    more = f", {lost} % lost on the way" if plan.landing.lost else ""
    when = "not home before the end"
    if plan.home_at is not None:
        when = f"home by {moment_text(plan.home_at)}"
    return f"{where}, {when}, needs {need} fuel{more}"


def mission_state(index: Index, mission: str) -> str:
    """Describe a mission's past and possible actions: contact attempts, combat and moves."""
    one = index.view.missions[mission]
    parts = []
    if one.is_flipped:
        parts.append("goes home")
    elif one.attempts:
        parts.append("one contact attempt left")
    if one.has_fought:
        parts.append("has fought")
    if one.is_fresh:
        parts.append("just launched")
    if one.toward:
        parts.append(f"toward {', '.join(map(display_name, one.toward))}")
    return ", ".join(parts)


def mission_lines(index: Index, mission: str) -> Iterator[str]:
    """Yield lines that describe one mission: kind, units, fuel, hex and way home."""
    one = index.view.missions[mission]
    units = index.mission_units(mission)
    where = f"CAP of {display_name(one.cap)}" if one.cap else f"at {hex_text(index, one.hex)}"
    held = type_counts(index, units) or "nothing"
    yield f"{display_name(mission)}: {held}, {where}, {fuel_text(index, mission)}"
    for words in (home_text(index, mission), mission_state(index, mission)):
        if words:
            yield f"  {words}"


def _missions(index: Index) -> Iterator[str]:
    missions = index.view.missions
    yield f"Air missions ({len(missions)} of 8 displays)"
    for mission in missions:
        yield from (f"  {line}" for line in mission_lines(index, mission))
        aborted = [
            unit for unit in index.mission_units(mission) if index.view.units[unit].is_aborted
        ]
        if aborted:
            yield f"    aborted: {', '.join(map(display_name, aborted))}"
    if not missions:
        yield "  none"


# -- searches


def search_line(index: Index, search: str) -> str:
    """Describe one search: units, direction, leg, and the hexes it covers next."""
    one = index.view.searches[search]
    units = type_counts(index, index.units("search", search)) or "nothing"
    if one.kind == NARROW:
        way = f"narrow to {hex_text(index, one.radius)}"
    else:
        way = f"{one.kind} {bearing_text(one.bearing)}"
    leg = "on its way home" if one.is_back else "outbound"
    return f"{display_name(search)}: {units}, {way}, at {hex_text(index, one.hex)}, {leg}: {timetable(index, search)}"


def timetable(index: Index, search: str) -> str:
    """Return the hexes a search covers, by time, at one Search Segment per turn: ``0930 far to 1118; ...`` (8.271)."""
    one = index.view.searches[search]
    if one.shadowing:
        return f"shadows {display_name(one.shadowing)}"
    if one.group not in index.view.groups:
        return "has no group to return to"
    plan = search_plan(index.table, one, index.units("search", search), search)
    legs = [
        f"{leg.time} {leg.zone or ('looks' if leg.hexes else 'flies')} to {leg.hex}"
        for leg in plan.legs
    ]
    if plan.is_home and legs:
        zone = f"{plan.legs[-1].zone}, " if plan.legs[-1].zone else ""
        legs[-1] = f"{plan.legs[-1].time} {zone}lands"
    return "; ".join(legs) or "is not home before the end"


def _searches(index: Index) -> Iterator[str]:
    view = index.view
    held = "held" if view.has_searched else "not yet held"
    yield f"Searches (Search Segment of this turn {held})"
    for search in view.searches:
        yield f"  {search_line(index, search)}"
    if not view.searches:
        yield "  none"


# -- raids


def raid_target_hex(index: Index, raid: str) -> str:
    """Return the current hex of a raid's target; empty if it is not on the map."""
    target, view = index.view.raids[raid].target, index.view
    if target in view.groups:
        return view.groups[target].hex
    if target in view.ships:
        return index.ship_hex(target)
    return index.book.map.guam if target == "Guam" else ""


def raid_line(index: Index, raid: str) -> str:
    """Describe one raid: points, position, target and arrival time (10.2)."""
    one = index.view.raids[raid]
    parts = [
        raid_points(index, raid),
        *(
            [f"from {display_name(one.origin)}"]
            if display_name(one.origin) != display_name(raid)
            else []
        ),
        f"at {hex_text(index, one.hex)}",
    ]
    if one.target:
        goal = raid_target_hex(index, raid)
        hexes = index.distance(one.hex, goal) if goal else 0
        speed = index.book.charts.constants.value("raid_move_hexes_per_segment")
        when = index.phase(-(-hexes // speed)) if hexes else None
        by = f", there {moment_text(when)}" if when else ""
        there = f", {pluralise(hexes, 'hex', 'hexes')} away{by}" if hexes else ", over it"
        parts.append(f"against {display_name(one.target)}{there if goal else ''}")
    if one.kind != "raid":
        parts.append(one.kind)
    if one.is_home:
        parts.append("flies home")
    if one.was_intercepted:
        parts.append("was intercepted")
    if one.aborted:
        parts.append(f"{one.aborted} aborted")
    return f"{display_name(raid)}: {', '.join(parts)}"


def _raids(index: Index) -> Iterator[str]:
    yield "Japanese raids in flight"
    for raid in index.view.raids:
        yield f"  {raid_line(index, raid)}"
    if not index.view.raids:
        yield "  none"


# -- submarines


def boat_line(index: Index, boat: str) -> str:
    """Describe one US submarine (14.1)."""
    one = index.view.boats[boat]
    if one.is_sunk:
        return f"{display_name(boat)}: sunk"
    if not one.hex:
        return f"{display_name(boat)}: not placed"
    parts = [f"at {hex_text(index, one.hex)}"]
    if one.shadowing:
        parts.append(f"shadows {target_text(index, one.shadowing)}")
    if one.pin:
        parts.append(f"pinned {one.pin}")
    return f"{display_name(boat)}: {', '.join(parts)}"


def _boats(index: Index) -> Iterator[str]:
    if index.view.boats:
        yield "US submarines"
        yield from (f"  {boat_line(index, boat)}" for boat in index.view.boats)


def force_line(index: Index, force: str) -> str:
    """Describe one Japanese force: hex, heading, state, and what is known about it (7)."""
    one = index.view.forces[force]
    parts = [f"at {hex_text(index, one.hex)}", force_text(index, force)]
    if one.heading:
        parts.append(f"moved {one.heading}")
    if one.partner:
        parts.append(f"double force with {display_name(one.partner)}")
    if one.is_retiring:
        parts.append("retires")
    if one.has_advantage:
        parts.append("US Advantage")
    if one.has_acted:
        parts.append("has acted")
    home = index.nearest_home(one.hex)
    if home:
        parts.append(f"{pluralise(home[1], 'hex', 'hexes')} from {display_name(home[0])}")
    return f"{display_name(force)}: {', '.join(parts)}"


def flight_lines(index: Index) -> tuple[str, ...]:
    """Describe everything in the air and under water."""
    lines = [*_missions(index), "", *_searches(index), "", *_raids(index)]
    boats = list(_boats(index))
    return (*lines, *(("", *boats) if boats else ()))

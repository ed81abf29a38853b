"""Descriptions of everything in the air and under water: missions, searches, raids and submarines (4, 8, 10, 14)."""

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
PANEL_NAME: Final = "Missions, searches, raids, submarines"


# -- missions


def fuel_text(index: Index, mission: str) -> str:
    """Return a mission's remaining fuel. If it is Fuel Critical, return its Fuel Critical box instead (4.44)."""
    flight = index.view.missions[mission]
    if flight.cap:
        return "no fuel used"
    return (
        f"fuel {flight.fuel}"
        if flight.fuel > 0
        else f"FUEL CRITICAL box {-flight.fuel} of {LAST_BOX}"
    )


_CERTAIN_LOSS: Final = 100


def home_text(index: Index, mission: str) -> str:
    """Return a mission's arrival time, light and fuel at home if it turned back now; empty for CAP."""
    flight = index.view.missions[mission]
    if flight.cap:
        return ""
    nearest_home = index.nearest_home(flight.hex)
    if nearest_home is None:
        return "no carrier is left"
    group, hexes = nearest_home
    if not hexes:
        return f"over {display_name(group)}"
    distance_text = f"{display_name(group)} {pluralise(hexes, 'hex', 'hexes')}"
    if not scenario_rules(index.table).flies_home:
        return distance_text
    plan = mission_plan(index.table, mission)
    min_fuel, max_fuel = plan.way_home.least + plan.land, plan.way_home.most + plan.land
    need = f"{min_fuel}" if min_fuel == max_fuel else f"{min_fuel}-{max_fuel}"
    loss_percent = percent(plan.landing.lost)
    if loss_percent == _CERTAIN_LOSS:
        return f"{distance_text}, out of reach: needs {need} fuel, has {max(flight.fuel, 0)}"
    loss_text = f", {loss_percent} % lost on the way" if plan.landing.lost else ""
    arrival = "not home before the end"
    if plan.home_at is not None:
        arrival = f"home by {moment_text(plan.home_at)}"
    return f"{distance_text}, {arrival}, needs {need} fuel{loss_text}"


def mission_state(index: Index, mission: str) -> str:
    """Describe a mission's state: contact attempts left, combat, launch, and targets.

    Empty if there is nothing to report.
    """
    flight = index.view.missions[mission]
    parts = []
    if flight.is_flipped:
        parts.append("goes home")
    elif flight.attempts:
        parts.append("one contact attempt left")
    if flight.has_fought:
        parts.append("has fought")
    if flight.is_fresh:
        parts.append("just launched")
    if flight.toward:
        parts.append(f"toward {', '.join(map(display_name, flight.toward))}")
    return ", ".join(parts)


def mission_lines(index: Index, mission: str) -> Iterator[str]:
    """Yield lines that describe one mission: kind, units, fuel, hex and flight home."""
    flight = index.view.missions[mission]
    units = index.mission_units(mission)
    location = (
        f"CAP of {display_name(flight.cap)}" if flight.cap else f"at {hex_text(index, flight.hex)}"
    )
    unit_text = type_counts(index, units) or "nothing"
    yield f"{display_name(mission)}: {unit_text}, {location}, {fuel_text(index, mission)}"
    for line in (home_text(index, mission), mission_state(index, mission)):
        if line:
            yield f"  {line}"


def _mission_section(index: Index) -> Iterator[str]:
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
    """Describe one search: its units, direction and leg, and the hexes that it covers next."""
    search_piece = index.view.searches[search]
    units = type_counts(index, index.units("search", search)) or "nothing"
    if search_piece.kind == NARROW:
        direction = f"narrow to {hex_text(index, search_piece.radius)}"
    else:
        direction = f"{search_piece.kind} {bearing_text(search_piece.bearing)}"
    state = "on its way home" if search_piece.is_back else "outbound"
    text = f"{display_name(search)}: {units}, {direction}, at {hex_text(index, search_piece.hex)}, {state}"
    return f"{text}: {timetable(index, search)}"


def timetable(index: Index, search: str) -> str:
    """Describe the part of a search's flight in each Search Segment, as in ``0930 far to 1118; ...`` (8.271)."""
    search_piece = index.view.searches[search]
    if search_piece.shadowing:
        return f"shadows {display_name(search_piece.shadowing)}"
    if search_piece.group not in index.view.groups:
        return "has no group to return to"
    plan = search_plan(index.table, search_piece, index.units("search", search), search)
    legs = [
        f"{leg.time} {leg.zone or ('looks' if leg.hexes else 'flies')} to {leg.hex}"
        for leg in plan.legs
    ]
    if plan.is_home and legs:
        zone = f"{plan.legs[-1].zone}, " if plan.legs[-1].zone else ""
        legs[-1] = f"{plan.legs[-1].time} {zone}lands"
    return "; ".join(legs) or "is not home before the end"


def _search_section(index: Index) -> Iterator[str]:
    view = index.view
    held_text = "held" if view.has_searched else "not yet held"
    yield f"Searches (Search Segment of this turn {held_text})"
    for search in view.searches:
        yield f"  {search_line(index, search)}"
    if not view.searches:
        yield "  none"


# -- raids


def raid_target_hex(index: Index, raid: str) -> str:
    """Return the current hex of a raid's target; empty if the target is not on the map."""
    target, view = index.view.raids[raid].target, index.view
    if target in view.groups:
        return view.groups[target].hex
    if target in view.ships:
        return index.ship_hex(target)
    return index.game_data.map.guam if target == "Guam" else ""


def raid_line(index: Index, raid: str) -> str:
    """Describe one raid: its points, position, target and arrival time (10.2)."""
    raid_piece = index.view.raids[raid]
    parts = [
        raid_points(index, raid),
        *(
            [f"from {display_name(raid_piece.origin)}"]
            if display_name(raid_piece.origin) != display_name(raid)
            else []
        ),
        f"at {hex_text(index, raid_piece.hex)}",
    ]
    if raid_piece.target:
        target_hex = raid_target_hex(index, raid)
        hexes = index.distance(raid_piece.hex, target_hex) if target_hex else 0
        speed = index.game_data.charts.constants.value("raid_move_hexes_per_segment")
        moment = index.phase_after(-(-hexes // speed)) if hexes else None
        arrival = f", there {moment_text(moment)}" if moment else ""
        distance_text = (
            f", {pluralise(hexes, 'hex', 'hexes')} away{arrival}" if hexes else ", over it"
        )
        parts.append(
            f"against {display_name(raid_piece.target)}{distance_text if target_hex else ''}"
        )
    if raid_piece.kind != "raid":
        parts.append(raid_piece.kind)
    if raid_piece.is_home:
        parts.append("flies home")
    if raid_piece.was_intercepted:
        parts.append("was intercepted")
    if raid_piece.aborted:
        parts.append(f"{raid_piece.aborted} aborted")
    return f"{display_name(raid)}: {', '.join(parts)}"


def _raid_section(index: Index) -> Iterator[str]:
    yield "Japanese raids in flight"
    for raid in index.view.raids:
        yield f"  {raid_line(index, raid)}"
    if not index.view.raids:
        yield "  none"


# -- submarines


def boat_line(index: Index, boat: str) -> str:
    """Describe one US submarine (14.1)."""
    boat_piece = index.view.boats[boat]
    if boat_piece.is_sunk:
        return f"{display_name(boat)}: sunk"
    if not boat_piece.hex:
        return f"{display_name(boat)}: not placed"
    parts = [f"at {hex_text(index, boat_piece.hex)}"]
    if boat_piece.shadowing:
        parts.append(f"shadows {target_text(index, boat_piece.shadowing)}")
    if boat_piece.pin:
        parts.append(f"pinned {boat_piece.pin}")
    return f"{display_name(boat)}: {', '.join(parts)}"


def _boat_section(index: Index) -> Iterator[str]:
    if index.view.boats:
        yield "US submarines"
        yield from (f"  {boat_line(index, boat)}" for boat in index.view.boats)


def force_line(index: Index, force: str) -> str:
    """Describe one Japanese force: hex, heading, state and known strength (7)."""
    known_force = index.view.forces[force]
    parts = [f"at {hex_text(index, known_force.hex)}", force_text(index, force)]
    if known_force.heading:
        parts.append(f"moved {known_force.heading}")
    if known_force.partner:
        parts.append(f"double force with {display_name(known_force.partner)}")
    if known_force.is_retiring:
        parts.append("retires")
    if known_force.has_advantage:
        parts.append("US Advantage")
    if known_force.has_acted:
        parts.append("has acted")
    nearest_home = index.nearest_home(known_force.hex)
    if nearest_home:
        parts.append(
            f"{pluralise(nearest_home[1], 'hex', 'hexes')} from {display_name(nearest_home[0])}"
        )
    return f"{display_name(force)}: {', '.join(parts)}"


def flight_lines(index: Index) -> tuple[str, ...]:
    """Describe everything in the air and under water."""
    lines = [*_mission_section(index), "", *_search_section(index), "", *_raid_section(index)]
    boats = list(_boat_section(index))
    return (*lines, *(("", *boats) if boats else ()))

"""A table of everything in play, and a calendar with the clock and arrivals (3.1, 7.1)."""

from collections.abc import Iterator
from typing import Final

from engine.cbps.damage.ch12_hulls import hull_level, us_level
from engine.cbps.forces.ch07_forces import free_letters
from engine.cbps.forces.ch09_points import known_strength
from engine.cbps.ids import ABOARD, GUAM, LOST_PLACES
from engine.cbps.prose.names import display_name
from engine.kernel.sentences import count_noun, pluralise
from tui.cbps.enemy import hull_text
from tui.cbps.flights import fuel_text, mission_state, raid_target_hex
from tui.cbps.index import Index
from tui.cbps.panels.carrier_board import carrier_state
from tui.cbps.panels.page_texts import clock_lines, cup_text
from tui.cbps.texts import (
    DAMAGE_LEVELS,
    DETECTION_NAMES,
    group_hex,
    hex_text,
    raid_points,
    type_counts,
)
from tui.drawing.colour_roles import TextRole
from tui.panels.roster import Roster, RosterCell, RosterColumn, RosterEntry
from tui.panels.status_segments import Row

_COLUMNS: Final = (
    RosterColumn("Name"),
    RosterColumn("Type", 2),
    RosterColumn("Hex"),
    RosterColumn("With or at", 1),
    RosterColumn("Away", 4),
    RosterColumn("State"),
)
_BOX_TONES: Final = {
    "hangar": TextRole.CHIP_STORED,
    "servicing": TextRole.CHIP_WORKED,
    "ready": TextRole.CHIP_READY,
    "landed": TextRole.CHIP_SPENT,
    "mission": TextRole.CHIP_FLIGHT,
    "search": TextRole.CHIP_FLIGHT,
}
_PLACE_NOTES: Final = {
    "lost": "lost away from the task groups",
    "lost-at-group": "lost at a task group",
    "gone": "left the game",
}


def roster(index: Index) -> Roster:
    """Return the roster: the known enemy units, then task groups, flights, ships and air units."""
    entries = (
        *_raid_entries(index),
        *_force_entries(index),
        *_hull_entries(index),
        *_guam_entries(index),
        *_group_entries(index),
        *_mission_entries(index),
        *_search_entries(index),
        *_boat_entries(index),
        *_ship_entries(index),
        *_unit_entries(index),
    )
    return Roster(columns=_COLUMNS, entries=entries, noun="ships, flights and forces")


def _roster_entry(
    index: Index,
    item_id: str,
    title: tuple[str, TextRole],
    kind: str,
    hex: str,
    company: str = "",
    state: tuple[str, TextRole] = ("", TextRole.PLAIN),
) -> RosterEntry:
    nearest_home = index.nearest_home(hex) if hex else None
    distance = nearest_home[1] if nearest_home else 0
    return RosterEntry(
        id=item_id,
        place=hex,
        cells=(
            RosterCell(f" {title[0]} ", title[1]),
            RosterCell(kind),
            RosterCell(hex_text(index, hex) if hex else "", TextRole.NAME),
            RosterCell(company),
            RosterCell(
                pluralise(distance, "hex", "hexes") if distance else "", TextRole.DIM, distance
            ),
            RosterCell(*state),
        ),
    )


# -- the enemy


def _raid_entries(index: Index) -> Iterator[RosterEntry]:
    for raid, raid_piece in index.view.raids.items():
        notes = ["flies home"] if raid_piece.is_home else []
        notes += ["was intercepted"] if raid_piece.was_intercepted else []
        target_hex = raid_target_hex(index, raid)
        target_text = f"against {display_name(raid_piece.target)}" if raid_piece.target else ""
        if target_hex and target_hex != raid_piece.hex and not raid_piece.is_home:
            hexes = pluralise(index.distance(raid_piece.hex, target_hex), "hex", "hexes")
            notes.append(f"{hexes} to go")
        state = ", ".join((raid_points(index, raid), *notes))
        title = (display_name(raid), TextRole.ALERT)
        yield _roster_entry(
            index, raid, title, "raid", raid_piece.hex, target_text, (state, TextRole.WARN)
        )


def _force_entries(index: Index) -> Iterator[RosterEntry]:
    for force, known_force in index.view.forces.items():
        parts = [f"level {known_force.level}", DETECTION_NAMES[known_force.detection]]
        strength = known_strength(known_force) if known_force.is_butai else None
        if strength is not None:
            parts.append(f"strength {strength}")
        if known_force.is_retiring:
            parts.append("retires")
        kind = "carrier force" if known_force.is_carrier else f"{known_force.chit} force".strip()
        tone = TextRole.CHIP_TWO_ACTIVE if known_force.detection else TextRole.CHIP_TWO
        company = f"with {display_name(known_force.partner)}" if known_force.partner else ""
        state = (", ".join(parts), TextRole.PLAIN if known_force.detection else TextRole.DIM)
        yield _roster_entry(
            index, force, (display_name(force), tone), kind, known_force.hex, company, state
        )


def _hull_entries(index: Index) -> Iterator[RosterEntry]:
    for ship, hull in index.view.hulls.items():
        row = index.game_data.japanese_ships[ship]
        force = index.view.forces.get(hull.force)
        hex = hull.hex or (force.hex if force is not None and not hull.fate else "")
        company = display_name(hull.force) if force is not None and not hull.hex else ""
        # Drop the name, which has its own column, and the ages of the hits, which do not fit.
        damage = hull_text(index, ship).removeprefix(f"{row.name} ({row.type})")
        state = damage.removeprefix(", ").partition(" (")[0]
        tone = _damage_tone(hull_level(index.table, ship), hull.fate)
        title = (row.name, TextRole.CHIP_TWO if not hull.fate else TextRole.HOLLOW_TWO)
        yield _roster_entry(index, ship, title, row.type, hex, company, (state, tone))


def _guam_entries(index: Index) -> Iterator[RosterEntry]:
    guam = index.view.guam
    if guam.air_value or guam.boxes:
        lost_points = guam.boxes.get("lost", 0)
        seen_points = sum(guam.boxes.values()) - lost_points
        state = f"Air Value {guam.air_value}, {count_noun(seen_points, 'point')} seen, {lost_points} lost"
        title = (GUAM, TextRole.CHIP_TWO)
        yield _roster_entry(
            index, GUAM, title, "air base", index.game_data.map.guam, "", (state, TextRole.PLAIN)
        )


# -- the fleet


def _damage_tone(level: str, fate: str = "") -> TextRole:
    if fate:
        return TextRole.DIM
    return {"": TextRole.PLAIN, "light": TextRole.WARN}.get(level, TextRole.BAD)


def _group_entries(index: Index) -> Iterator[RosterEntry]:
    for group, task_group in index.view.groups.items():
        cap = sum(len(index.mission_units(mission)) for mission in index.cap_missions(group))
        notes = [f"CAP {cap}"] if cap else []
        notes += [f"heading {task_group.heading}"] if task_group.heading else []
        notes += ["lights on"] if task_group.is_lit else []
        company = "on its own" if task_group.is_detached else "TF 58"
        title = (display_name(group), TextRole.CHIP_ONE)
        state = (", ".join(notes), TextRole.PLAIN)
        yield _roster_entry(index, group, title, "task group", task_group.hex, company, state)


def _ship_entries(index: Index) -> Iterator[RosterEntry]:
    rows = index.game_data.us_ships
    ships = sorted(
        index.view.ships.items(), key=lambda pair: (pair[1].group, not rows[pair[0]].is_carrier)
    )
    for ship, ship_piece in ships:
        row = rows[ship]
        level = us_level(index.table, ship)
        if row.is_carrier and not ship_piece.is_sunk:
            state_text = carrier_state(index, ship)
        else:
            state_text = (
                f"{DAMAGE_LEVELS[level]} {ship_piece.hits}/{row.damage_capacity}" if level else ""
            )
        state_text = "sunk" if ship_piece.is_sunk else state_text
        tone = TextRole.HOLLOW_ONE if ship_piece.is_sunk else TextRole.CHIP_ONE
        company = (
            display_name(ship_piece.group)
            if ship_piece.group
            else "alone"
            if ship_piece.hex
            else ""
        )
        hex = index.ship_hex(ship)
        state = (state_text, _damage_tone(level, state_text if ship_piece.is_sunk else ""))
        yield _roster_entry(index, ship, (row.name, tone), row.type, hex, company, state)


def _unit_entries(index: Index) -> Iterator[RosterEntry]:
    for unit, unit_piece in index.view.units.items():
        row = index.game_data.air_units[unit]
        hex = ""
        if unit_piece.place in ABOARD:
            hex = index.ship_hex(unit_piece.at)
            company = f"{display_name(unit_piece.at)}, {unit_piece.place}"
        elif unit_piece.place in ("mission", "search"):
            hex, company = (
                _flight_hex(index, unit_piece.place, unit_piece.at),
                display_name(unit_piece.at),
            )
        else:
            company = ""
        notes = [_PLACE_NOTES[unit_piece.place]] if unit_piece.place in _PLACE_NOTES else []
        notes += ["aborted"] if unit_piece.is_aborted else []
        tone = _BOX_TONES.get(unit_piece.place, TextRole.HOLLOW_ONE)
        state = (
            ", ".join(notes),
            TextRole.DIM if unit_piece.place in LOST_PLACES else TextRole.WARN,
        )
        yield _roster_entry(index, unit, (row.name, tone), row.type, hex, company, state)


# -- units in the air and under water


def _flight_hex(index: Index, place: str, flight: str) -> str:
    if place == "search":
        return index.view.searches[flight].hex
    mission = index.view.missions[flight]
    return group_hex(index, mission.cap) if mission.cap else mission.hex


def _mission_entries(index: Index) -> Iterator[RosterEntry]:
    for mission, flight in index.view.missions.items():
        hex = _flight_hex(index, "mission", mission)
        notes = [
            fuel_text(index, mission),
            _short_state(mission_state(index, mission), flight.toward),
        ]
        tone = TextRole.BAD if flight.fuel <= 0 and not flight.cap else TextRole.PLAIN
        kind = f"{flight.kind}, CAP" if flight.cap else flight.kind
        unit_counts = type_counts(index, index.mission_units(mission))
        title = (display_name(mission), TextRole.CHIP_ONE if flight.cap else TextRole.CHIP_FLIGHT)
        state = (", ".join(note for note in notes if note), tone)
        yield _roster_entry(index, mission, title, kind, hex, unit_counts, state)


def _short_state(state: str, toward_hexes: tuple[str, ...]) -> str:
    """Shorten the description of a mission's state to name only its first target."""
    first_target, *other_targets = (
        (display_name(target) for target in toward_hexes) if toward_hexes else ("",)
    )
    return (
        state.replace(
            ", ".join((first_target, *other_targets)), f"{first_target} +{len(other_targets)}"
        )
        if other_targets
        else state
    )


def _search_entries(index: Index) -> Iterator[RosterEntry]:
    for search, search_piece in index.view.searches.items():
        unit_counts = type_counts(index, index.units("search", search))
        leg_text = "on its way home" if search_piece.is_back else "outbound"
        title = (display_name(search), TextRole.CHIP_WORKED)
        state = (leg_text, TextRole.DIM)
        yield _roster_entry(
            index,
            search,
            title,
            f"{search_piece.kind} search",
            search_piece.hex,
            unit_counts,
            state,
        )


def _boat_entries(index: Index) -> Iterator[RosterEntry]:
    for boat, boat_piece in index.view.boats.items():
        notes = [f"shadows {display_name(boat_piece.shadowing)}"] if boat_piece.shadowing else []
        notes += [f"pinned {boat_piece.pin}"] if boat_piece.pin else []
        notes += ["sunk"] if boat_piece.is_sunk else [] if boat_piece.hex else ["not placed"]
        title = (
            display_name(boat),
            TextRole.HOLLOW_ONE if boat_piece.is_sunk else TextRole.CHIP_ONE,
        )
        yield _roster_entry(
            index, boat, title, "submarine", boat_piece.hex, "", (", ".join(notes), TextRole.WARN)
        )


# -- calendar


def calendar(index: Index) -> tuple[Row, ...]:
    """Return the calendar: each turn with its light, the chits in the cup, and possible arrivals."""
    return tuple(_calendar_rows(index))


def _calendar_rows(index: Index) -> Iterator[Row]:
    view, scenario = index.view, index.game_data.scenarios[index.view.scenario]
    yield "Clock of the battle (3.1)", TextRole.HEAD
    yield from clock_lines(index)
    if view.cup:
        yield ""
        yield "Chits in the cup (3.2)", TextRole.HEAD
        yield f"  {cup_text(index)}"
    letters = free_letters(index.table)
    if scenario.japan.letters:
        yield ""
        yield "Japanese arrivals (7.1)", TextRole.HEAD
        arrivals = "a third of them arrive when a turn begins."
        if view.limit_reached:
            arrivals = "no more will arrive: the limit is reached (13.24)."
        yield f"{count_noun(len(letters), 'counter')} not on the map; {arrivals}"
    refuelling = scenario.refuelling
    if refuelling is not None and view.oilers:
        yield f"The oilers leave on {' '.join(refuelling.oilers_leave)} (20.8)."

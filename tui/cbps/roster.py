"""A table of everything in play, and a calendar with the clock and arrivals (3.1, 7.1)."""

from collections.abc import Iterator
from typing import Final

from engine.cbps.damage.ch12_hulls import hull_level, us_level
from engine.cbps.forces.ch07_forces import free_letters
from engine.cbps.forces.ch09_points import known_strength
from engine.cbps.ids import ABOARD, GUAM, LOST
from engine.cbps.prose.names import display_name
from engine.kernel.sentences import count_noun, pluralise
from tui.cbps.carrier_board import carrier_state
from tui.cbps.enemy import hull_text
from tui.cbps.flights import fuel_text, mission_state, raid_target_hex
from tui.cbps.index import Index
from tui.cbps.panels import clock_lines, cup_text
from tui.cbps.texts import DETECTIONS, LEVELS, group_hex, hex_text, raid_points, type_counts
from tui.drawing.tones import TextRole
from tui.roster import Roster, RosterCell, RosterColumn, RosterEntry
from tui.status_bar import Row

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
_PLACES: Final = {
    "lost": "lost away from the task groups",
    "lost-at-group": "lost at a task group",
    "gone": "left the game",
}


def roster(index: Index) -> Roster:
    """Return the known enemy units, then task groups, flights, ships and air units."""
    entries = (
        *_raids(index),
        *_forces(index),
        *_hulls(index),
        *_guam(index),
        *_groups(index),
        *_missions(index),
        *_searches(index),
        *_boats(index),
        *_ships(index),
        *_units(index),
    )
    return Roster(columns=_COLUMNS, entries=entries, noun="ships, flights and forces")


def _entry(
    index: Index,
    thing: str,
    title: tuple[str, TextRole],
    kind: str,
    at: str,
    beside: str = "",
    state: tuple[str, TextRole] = ("", TextRole.PLAIN),
) -> RosterEntry:
    home = index.nearest_home(at) if at else None
    away = home[1] if home else 0
    return RosterEntry(
        id=thing,
        place=at,
        cells=(
            RosterCell(f" {title[0]} ", title[1]),
            RosterCell(kind),
            RosterCell(hex_text(index, at) if at else "", TextRole.NAME),
            RosterCell(beside),
            RosterCell(pluralise(away, "hex", "hexes") if away else "", TextRole.DIM, away),
            RosterCell(*state),
        ),
    )


# -- the enemy


def _raids(index: Index) -> Iterator[RosterEntry]:
    for raid, one in index.view.raids.items():
        notes = ["flies home"] if one.is_home else []
        notes += ["was intercepted"] if one.was_intercepted else []
        goal = raid_target_hex(index, raid)
        against = f"against {display_name(one.target)}" if one.target else ""
        if goal and goal != one.hex and not one.is_home:
            hexes = pluralise(index.distance(one.hex, goal), "hex", "hexes")
            notes.append(f"{hexes} to go")
        state = ", ".join((raid_points(index, raid), *notes))
        title = (display_name(raid), TextRole.ALERT)
        yield _entry(index, raid, title, "raid", one.hex, against, (state, TextRole.WARN))


def _forces(index: Index) -> Iterator[RosterEntry]:
    for force, one in index.view.forces.items():
        parts = [f"level {one.level}", DETECTIONS[one.detection]]
        strength = known_strength(one) if one.is_butai else None
        if strength is not None:
            parts.append(f"strength {strength}")
        if one.is_retiring:
            parts.append("retires")
        kind = "carrier force" if one.is_carrier else f"{one.chit} force".strip()
        tone = TextRole.CHIP_TWO_ACTIVE if one.detection else TextRole.CHIP_TWO
        beside = f"with {display_name(one.partner)}" if one.partner else ""
        state = (", ".join(parts), TextRole.PLAIN if one.detection else TextRole.DIM)
        yield _entry(index, force, (display_name(force), tone), kind, one.hex, beside, state)


def _hulls(index: Index) -> Iterator[RosterEntry]:
    for ship, hull in index.view.hulls.items():
        row = index.book.japanese_ships[ship]
        force = index.view.forces.get(hull.force)
        at = hull.hex or (force.hex if force is not None and not hull.fate else "")
        beside = display_name(hull.force) if force is not None and not hull.hex else ""
        words = hull_text(index, ship).removeprefix(f"{row.name} ({row.type})")
        state = words.removeprefix(", ").partition(" (")[0]
        tone = _damage_tone(hull_level(index.table, ship), hull.fate)
        title = (row.name, TextRole.CHIP_TWO if not hull.fate else TextRole.HOLLOW_TWO)
        yield _entry(index, ship, title, row.type, at, beside, (state, tone))


def _guam(index: Index) -> Iterator[RosterEntry]:
    guam = index.view.guam
    if guam.air_value or guam.boxes:
        lost = guam.boxes.get("lost", 0)
        seen = sum(guam.boxes.values()) - lost
        state = f"Air Value {guam.air_value}, {count_noun(seen, 'point')} seen, {lost} lost"
        title = (GUAM, TextRole.CHIP_TWO)
        yield _entry(
            index, GUAM, title, "air base", index.book.map.guam, "", (state, TextRole.PLAIN)
        )


# -- the fleet


def _damage_tone(level: str, fate: str = "") -> TextRole:
    if fate:
        return TextRole.DIM
    return {"": TextRole.PLAIN, "light": TextRole.WARN}.get(level, TextRole.BAD)


def _groups(index: Index) -> Iterator[RosterEntry]:
    for group, one in index.view.groups.items():
        cap = sum(len(index.mission_units(mission)) for mission in index.cap_missions(group))
        notes = [f"CAP {cap}"] if cap else []
        notes += [f"heading {one.heading}"] if one.heading else []
        notes += ["lights on"] if one.is_lit else []
        beside = "on its own" if one.is_detached else "TF 58"
        title = (display_name(group), TextRole.CHIP_ONE)
        state = (", ".join(notes), TextRole.PLAIN)
        yield _entry(index, group, title, "task group", one.hex, beside, state)


def _ships(index: Index) -> Iterator[RosterEntry]:
    rows = index.book.us_ships
    ships = sorted(
        index.view.ships.items(), key=lambda pair: (pair[1].group, not rows[pair[0]].is_carrier)
    )
    for ship, one in ships:
        row = rows[ship]
        level = us_level(index.table, ship)
        if row.is_carrier and not one.is_sunk:
            words = carrier_state(index, ship)
        else:
            words = f"{LEVELS[level]} {one.hits}/{row.damage_capacity}" if level else ""
        words = "sunk" if one.is_sunk else words
        tone = TextRole.HOLLOW_ONE if one.is_sunk else TextRole.CHIP_ONE
        beside = display_name(one.group) if one.group else "alone" if one.hex else ""
        at = index.ship_hex(ship)
        state = (words, _damage_tone(level, words if one.is_sunk else ""))
        yield _entry(index, ship, (row.name, tone), row.type, at, beside, state)


def _units(index: Index) -> Iterator[RosterEntry]:
    for unit, one in index.view.units.items():
        row = index.book.air_units[unit]
        where = ""
        if one.place in ABOARD:
            where = index.ship_hex(one.at)
            beside = f"{display_name(one.at)}, {one.place}"
        elif one.place in ("mission", "search"):
            where, beside = _flight_hex(index, one.place, one.at), display_name(one.at)
        else:
            beside = ""
        notes = [_PLACES[one.place]] if one.place in _PLACES else []
        notes += ["aborted"] if one.is_aborted else []
        tone = _BOX_TONES.get(one.place, TextRole.HOLLOW_ONE)
        state = (", ".join(notes), TextRole.DIM if one.place in LOST else TextRole.WARN)
        yield _entry(index, unit, (row.name, tone), row.type, where, beside, state)


# -- in the air and under water


def _flight_hex(index: Index, place: str, flight: str) -> str:
    if place == "search":
        return index.view.searches[flight].hex
    mission = index.view.missions[flight]
    return group_hex(index, mission.cap) if mission.cap else mission.hex


def _missions(index: Index) -> Iterator[RosterEntry]:
    for mission, one in index.view.missions.items():
        at = _flight_hex(index, "mission", mission)
        notes = [fuel_text(index, mission), _short_state(mission_state(index, mission), one.toward)]
        tone = TextRole.BAD if one.fuel <= 0 and not one.cap else TextRole.PLAIN
        kind = f"{one.kind}, CAP" if one.cap else one.kind
        held = type_counts(index, index.mission_units(mission))
        title = (display_name(mission), TextRole.CHIP_ONE if one.cap else TextRole.CHIP_FLIGHT)
        state = (", ".join(note for note in notes if note), tone)
        yield _entry(index, mission, title, kind, at, held, state)


def _short_state(state: str, toward: tuple[str, ...]) -> str:
    """Shorten a mission's state so that it names only the first target."""
    first, *others = (display_name(target) for target in toward) if toward else ("",)
    return (
        state.replace(", ".join((first, *others)), f"{first} +{len(others)}") if others else state
    )


def _searches(index: Index) -> Iterator[RosterEntry]:
    for search, one in index.view.searches.items():
        held = type_counts(index, index.units("search", search))
        leg = "on its way home" if one.is_back else "outbound"
        title = (display_name(search), TextRole.CHIP_WORKED)
        state = (leg, TextRole.DIM)
        yield _entry(index, search, title, f"{one.kind} search", one.hex, held, state)


def _boats(index: Index) -> Iterator[RosterEntry]:
    for boat, one in index.view.boats.items():
        notes = [f"shadows {display_name(one.shadowing)}"] if one.shadowing else []
        notes += [f"pinned {one.pin}"] if one.pin else []
        notes += ["sunk"] if one.is_sunk else [] if one.hex else ["not placed"]
        title = (display_name(boat), TextRole.HOLLOW_ONE if one.is_sunk else TextRole.CHIP_ONE)
        yield _entry(
            index, boat, title, "submarine", one.hex, "", (", ".join(notes), TextRole.WARN)
        )


# -- calendar


def calendar(index: Index) -> tuple[Row, ...]:
    """Return the clock with the light in each turn, the chits in the cup, and possible arrivals."""
    return tuple(_calendar(index))


def _calendar(index: Index) -> Iterator[Row]:
    view, scenario = index.view, index.book.scenarios[index.view.scenario]
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
        when = "a third of them arrive when a turn begins."
        if view.limit_reached:
            when = "none arrives any more: the limit is reached (13.24)."
        yield f"{count_noun(len(letters), 'counter')} not on the map; {when}"
    times = scenario.refuelling
    if times is not None and view.oilers:
        yield f"The oilers leave on {' '.join(times.oilers_leave)} (20.8)."

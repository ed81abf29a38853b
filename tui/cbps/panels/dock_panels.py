"""The coloured lines of the panels below the map: enemy sightings, and all flights."""

from collections import Counter as Tally
from collections.abc import Iterator, Sequence
from typing import Final

from engine.cbps.planner.moments import Moment
from engine.cbps.planner.strikes import mission_plan
from engine.cbps.prose.names import display_name
from engine.cbps.scenario_rules import scenario_rules
from engine.cbps.search.ch08_courses import NARROW
from engine.kernel.sentences import pluralise
from tui.cbps.flights import raid_target_hex
from tui.cbps.index import Index, moment_text
from tui.cbps.panels.carrier_board import carrier_state
from tui.cbps.texts import force_text, raid_points, type_counts
from tui.drawing.colour_roles import TextRole
from tui.panels.status_segments import Row, Toned
from tui.text.log_style import log_tones

plan_line_tone: Final = log_tones(
    (
        (
            r"^\s*(Contact|Surprise|Hits|Second try)|found \d|destroys|^\s*CAP \d|hits \d+%",
            TextRole.GOOD,
        ),
        (r"\b[Ll]ost\b|^Lands Fuel Critical|^Out of fuel|Must turn|^Wrong force", TextRole.WARN),
        (r"^\s*(Attack|Home by|Fuel)\b|^If ", TextRole.HEAD),
    )
)
"""Returns the tone of a plan line, depending on whether the line states a gain, a cost or a time."""
TonedLine = tuple[Toned, ...]
ASSUMED_SUFFIX: Final = "(assumed)"
"""Marks values in the log that the rulebook does not specify."""
_ASSUMED_MARK: Final = "*"
_ASSUMED_NOTE: Final = (
    "* a value supplied by this program, because the rulebook leaves the cell open"
)
_NAME_CELLS: Final = 13
_report_line_tone: Final = log_tones(
    (
        (r"^\s{4}|^\s*Why:$|^\s*\*", TextRole.DIM),
        (r"US units? lost|^Raid .*(\bhit|sunk)|\bcrash|inoperative|\bfires?\b", TextRole.BAD),
        (r"\braided\b|^Raid |come to light|launch", TextRole.WARN),
        (r"^Strike .*(\bhit|sunk|shot down|contact)|loses? \d", TextRole.GOOD),
        (
            r": (located|spotted|more is known)|is (spotted|located|known)|reaches level",
            TextRole.GOOD,
        ),
        (r"nothing new|sent nothing| stayed in |no losses", TextRole.DIM),
        (r"^\S", TextRole.HEAD),
    )
)
"""Returns the tone of a report line, such as a US loss, an enemy attack, a success, a failure or a heading."""


def report_rows(lines: Sequence[str]) -> tuple[Toned, ...]:
    """Return the rows of a report, each with its tone.

    Assumed values are marked, and a final note explains the mark.
    """
    rows: list[Toned] = []
    is_marked = False
    for line in lines:
        text = line.replace(f" {ASSUMED_SUFFIX}", _ASSUMED_MARK)
        is_marked = is_marked or text != line
        rows.append((text, _report_line_tone(line)))
    if is_marked:
        rows.append((_ASSUMED_NOTE, TextRole.DIM))
    return tuple(rows)


def _phase_text(moment: Moment | None) -> str:
    """Return a phase in short form, such as ``1050/3``. If it is not daylight, the light is added: ``1930/1 dusk``."""
    return moment_text(moment).removesuffix(" day")


def _panel_row(
    title: str, tone: TextRole, text: str, note: str = "", note_tone: TextRole = TextRole.DIM
) -> TonedLine:
    pieces = [(f" {title} ".ljust(_NAME_CELLS), tone), (f" {text}", TextRole.PLAIN)]
    if note:
        pieces.append((f"  {note}", note_tone))
    return tuple(pieces)


def panel_rows(index: Index, course_rows: Sequence[Row]) -> tuple[Row, ...]:
    """Return the rows of the panel: raids, which threaten the carriers, then course orders, then everything else."""
    rows, raids = air_rows(index), len(index.view.raids)
    return (*rows[:raids], *course_rows, *rows[raids:])


def air_rows(index: Index) -> tuple[TonedLine, ...]:
    """Return one line per raid, mission, CAP, search, detected force and damaged carrier."""
    rows = [
        *_raid_rows(index),
        *_mission_rows(index),
        *_cap_rows(index),
        *_search_rows(index),
        *_force_rows(index),
        *_damaged_carrier_rows(index),
    ]
    return tuple(rows) or ((("nothing", TextRole.DIM),),)


def _raid_rows(index: Index) -> Iterator[TonedLine]:
    for raid, raid_piece in index.view.raids.items():
        target_hex = raid_target_hex(index, raid)
        location = f"{raid_points(index, raid)} at {raid_piece.hex}"
        if raid_piece.is_home or not target_hex:
            yield _panel_row(
                display_name(raid),
                TextRole.ALERT,
                location,
                "flies home" if raid_piece.is_home else "",
            )
            continue
        hexes = index.distance(raid_piece.hex, target_hex)
        speed = index.game_data.charts.constants.value("raid_move_hexes_per_segment")
        # Round up, because the raid arrives in the phase in which it enters the last hex.
        arrival = (
            f"there {_phase_text(index.phase_after(-(-hexes // speed)))}" if hexes else "over it"
        )
        yield _panel_row(
            display_name(raid),
            TextRole.ALERT,
            f"{location} for {display_name(raid_piece.target)}",
            arrival,
            TextRole.WARN,
        )


def _mission_rows(index: Index) -> Iterator[TonedLine]:
    """Yield the missions on the map, with their fuel and when they would be home if they turned back now (4.43)."""
    for mission, flight in index.view.missions.items():
        if flight.cap:
            continue
        location = f"{type_counts(index, index.mission_units(mission)) or 'empty'} at {flight.hex}"
        plan = mission_plan(index.table, mission)
        is_critical = flight.fuel <= 0
        fuel = f"CRITICAL {-flight.fuel}" if is_critical else f"fuel {flight.fuel}"
        home_text = _home_text(index, plan.home_at) if plan.home else ", no carrier is left"
        is_lost = plan.end_waits is not None and plan.end_waits < 0
        if plan.home and is_lost:
            home_text = ", lost at the end"
        tone = TextRole.BAD if is_critical or is_lost or not plan.home else TextRole.DIM
        if tone is TextRole.DIM and plan.turn_at is None and plan.waits < 0:
            tone = TextRole.WARN
        yield _panel_row(
            display_name(mission), TextRole.CHIP_FLIGHT, location, f"{fuel}{home_text}", tone
        )


def _home_text(index: Index, moment: Moment | None) -> str:
    """Return text that says when a mission gets home, or that it will not be home in time.

    Empty if missions need not return.
    """
    if moment is not None:
        return f", home {_phase_text(moment)}"
    return ", not home before the end" if scenario_rules(index.table).flies_home else ""


def _cap_rows(index: Index) -> Iterator[TonedLine]:
    for group in index.view.groups:
        units = tuple(
            unit for mission in index.cap_missions(group) for unit in index.mission_units(mission)
        )
        if units:
            yield _panel_row(f"CAP {group}", TextRole.CHIP_ONE, type_counts(index, units))


def _search_rows(index: Index) -> Iterator[TonedLine]:
    """Yield a row for each search. Identical searches share a row (8.23)."""
    tally: Tally[tuple[str, str, str]] = Tally()
    for search, search_piece in index.view.searches.items():
        direction = (
            f"to {search_piece.radius}"
            if search_piece.kind == NARROW
            else f"{search_piece.bearing:03}"
        )
        state = "flies home" if search_piece.is_back else "outbound"
        if search_piece.shadowing:
            state = f"shadows {display_name(search_piece.shadowing)}"
        units = type_counts(index, index.units("search", search))
        tally[f"{direction} at {search_piece.hex}", units, state] += 1
    for (direction, units, state), count in tally.items():
        times = f" x{count}" if count > 1 else ""
        yield _panel_row(f"Search{times}", TextRole.CHIP_WORKED, f"{direction}: {units}", state)


def _force_rows(index: Index) -> Iterator[TonedLine]:
    for force, known_force in index.view.forces.items():
        if known_force.detection:
            tone = TextRole.CHIP_TWO_ACTIVE if known_force.detection == "S" else TextRole.CHIP_TWO
            home = index.nearest_home(known_force.hex)
            distance = pluralise(home[1], "hex", "hexes") if home else ""
            yield _panel_row(
                display_name(force),
                tone,
                f"{known_force.hex}, {force_text(index, force)}",
                distance,
            )


def _damaged_carrier_rows(index: Index) -> Iterator[TonedLine]:
    for group in index.carrier_groups():
        for carrier in index.carriers(group):
            state = carrier_state(index, carrier)
            if state:
                yield _panel_row(display_name(carrier), TextRole.CHIP_ONE, "", state, TextRole.BAD)

"""The panels below the map, as coloured lines: enemy sightings, and everything in the air."""

from collections import Counter as Tally
from collections.abc import Iterator, Sequence
from typing import Final

from engine.cbps.planner.moments import Moment
from engine.cbps.planner.strikes import mission_plan
from engine.cbps.prose.names import display_name
from engine.cbps.scenario_rules import scenario_rules
from engine.cbps.search.ch08_courses import NARROW
from engine.kernel.sentences import pluralise
from tui.cbps.carrier_board import carrier_state
from tui.cbps.flights import raid_target_hex
from tui.cbps.index import Index, moment_text
from tui.cbps.texts import force_text, raid_points, type_counts
from tui.drawing.tones import TextRole
from tui.log_style import log_tones
from tui.status_bar import Toned

plan_tone: Final = log_tones(
    (
        (
            r"^\s*(Contact|Surprise|Hits|Second try)|found \d|destroys|^\s*CAP \d|hits \d+%",
            TextRole.GOOD,
        ),
        (r"\b[Ll]ost\b|^Lands Fuel Critical|^Out of fuel|Must turn|^Wrong force", TextRole.WARN),
        (r"^\s*(Attack|Home by|Fuel)\b|^If ", TextRole.HEAD),
    )
)
"""Returns the tone of a plan line, such as a gain, a cost or a time."""
Line = tuple[Toned, ...]
ASSUMED: Final = "(assumed)"
"""Text that marks log values that the rulebook does not supply."""
_MARK: Final = "*"
_NOTE: Final = "* a value of the program's own, for a cell that the rulebook does not give"
_NAME_CELLS: Final = 13
_TONES: Final = log_tones(
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
    """Return a report with tones. Assumed values are marked, and a note at the end explains the mark."""
    rows: list[Toned] = []
    is_marked = False
    for line in lines:
        text = line.replace(f" {ASSUMED}", _MARK)
        is_marked = is_marked or text != line
        rows.append((text, _TONES(line)))
    if is_marked:
        rows.append((_NOTE, TextRole.DIM))
    return tuple(rows)


def _phase_text(moment: Moment | None) -> str:
    """Return a phase in short form, with the light unless it is day: ``1050/3``, ``1930/1 dusk``."""
    return moment_text(moment).removesuffix(" day")


def _row(
    title: str, tone: TextRole, text: str, more: str = "", more_tone: TextRole = TextRole.DIM
) -> Line:
    pieces = [(f" {title} ".ljust(_NAME_CELLS), tone), (f" {text}", TextRole.PLAIN)]
    if more:
        pieces.append((f"  {more}", more_tone))
    return tuple(pieces)


def air_rows(index: Index) -> tuple[Line, ...]:
    """Return one line per raid, mission, CAP, search, detected force and damaged carrier."""
    rows = [
        *_raids(index),
        *_missions(index),
        *_cap(index),
        *_searches(index),
        *_forces(index),
        *_damaged_carriers(index),
    ]
    return tuple(rows) or ((("nothing", TextRole.DIM),),)


def _raids(index: Index) -> Iterator[Line]:
    for raid, one in index.view.raids.items():
        goal = raid_target_hex(index, raid)
        where = f"{raid_points(index, raid)} at {one.hex}"
        if one.is_home or not goal:
            yield _row(
                display_name(raid), TextRole.ALERT, where, "flies home" if one.is_home else ""
            )
            continue
        hexes = index.distance(one.hex, goal)
        speed = index.book.charts.constants.value("raid_move_hexes_per_segment")
        when = f"there {_phase_text(index.phase(-(-hexes // speed)))}" if hexes else "over it"
        yield _row(
            display_name(raid),
            TextRole.ALERT,
            f"{where} for {display_name(one.target)}",
            when,
            TextRole.WARN,
        )


def _missions(index: Index) -> Iterator[Line]:
    """Yield the missions on the map with their fuel and their arrival time if they turn for home now (4.43)."""
    for mission, one in index.view.missions.items():
        if one.cap:
            continue
        words = f"{type_counts(index, index.mission_units(mission)) or 'empty'} at {one.hex}"
        plan = mission_plan(index.table, mission)
        is_critical = one.fuel <= 0
        fuel = f"CRITICAL {-one.fuel}" if is_critical else f"fuel {one.fuel}"
        home = _home_text(index, plan.home_at) if plan.home else ", no carrier is left"
        is_lost = plan.end_waits is not None and plan.end_waits < 0
        if plan.home and is_lost:
            home = ", lost at the end"
        tone = TextRole.BAD if is_critical or is_lost or not plan.home else TextRole.DIM
        if tone is TextRole.DIM and plan.turn_at is None and plan.waits < 0:
            tone = TextRole.WARN
        yield _row(display_name(mission), TextRole.CHIP_FLIGHT, words, f"{fuel}{home}", tone)


def _home_text(index: Index, moment: Moment | None) -> str:
    """Return a mission's arrival time at home, or a note that it is too late; empty if it need not return."""
    if moment is not None:
        return f", home {_phase_text(moment)}"
    return ", not home before the end" if scenario_rules(index.table).flies_home else ""


def _cap(index: Index) -> Iterator[Line]:
    for group in index.view.groups:
        units = tuple(
            unit for one in index.cap_missions(group) for unit in index.mission_units(one)
        )
        if units:
            yield _row(f"CAP {group}", TextRole.CHIP_ONE, type_counts(index, units))


def _searches(index: Index) -> Iterator[Line]:
    """Yield the searches. Identical searches share a line (8.23)."""
    found: Tally[tuple[str, str, str]] = Tally()
    for search, one in index.view.searches.items():
        way = f"to {one.radius}" if one.kind == NARROW else f"{one.bearing:03}"
        leg = "flies home" if one.is_back else "outbound"
        if one.shadowing:
            leg = f"shadows {display_name(one.shadowing)}"
        units = type_counts(index, index.units("search", search))
        found[f"{way} at {one.hex}", units, leg] += 1
    for (way, units, leg), count in found.items():
        times = f" x{count}" if count > 1 else ""
        yield _row(f"Search{times}", TextRole.CHIP_WORKED, f"{way}: {units}", leg)


def _forces(index: Index) -> Iterator[Line]:
    for force, one in index.view.forces.items():
        if one.detection:
            tone = TextRole.CHIP_TWO_ACTIVE if one.detection == "S" else TextRole.CHIP_TWO
            home = index.nearest_home(one.hex)
            far = pluralise(home[1], "hex", "hexes") if home else ""
            yield _row(display_name(force), tone, f"{one.hex}, {force_text(index, force)}", far)


def _damaged_carriers(index: Index) -> Iterator[Line]:
    for group in index.carrier_groups():
        for carrier in index.carriers(group):
            state = carrier_state(index, carrier)
            if state:
                yield _row(display_name(carrier), TextRole.CHIP_ONE, "", state, TextRole.BAD)

"""Text of the pages next to the map: a hex, the clock and score, and a summary of the situation."""

from collections import Counter as Tally
from collections.abc import Iterator
from typing import Final

from engine.cbps.damage.ch12_hulls import us_level
from engine.cbps.damage.ch15_victory import score_lines, victory_level
from engine.cbps.ids import ABOARD, NO_OP, Box
from engine.cbps.planner.fighters import raid_plan
from engine.cbps.planner.moments import PHASES
from engine.cbps.prose.names import display_name, display_names
from engine.cbps.prose.turns import segment_name
from engine.cbps.rulings import RULINGS
from engine.kernel.chances import format_tenths, percent
from engine.kernel.sentences import count_noun, pluralise
from tui.cbps.enemy import enemy_lines, force_lines, guam_lines, hull_text
from tui.cbps.flights import boat_line, flight_lines, mission_lines, raid_line, search_line
from tui.cbps.index import LIGHT_MARKS, Index, moment_text
from tui.cbps.panels.carrier_board import carrier_lines, carrier_state, group_text
from tui.cbps.texts import DAMAGE_LEVELS, hex_text, type_counts

Page = tuple[str, str, tuple[str, ...]]
_BAR_CELLS: Final = 40
"""Width of the Commitment Index bar, in characters."""
_BOX_ORDER: Final[tuple[Box, ...]] = ("ready", "landed", "servicing", "hangar")


# -- status bar


def cup_text(index: Index) -> str:
    """Return the chits left in the cup (3.2)."""
    view = index.view
    blank_count = view.cup.count(NO_OP)
    chits = [chit for chit in view.cup if chit != NO_OP]
    if blank_count:
        chits.append(NO_OP if blank_count == 1 else f"{blank_count} {NO_OP}")
    return ", ".join(chits) or "empty"


def commitment_text(index: Index) -> str:
    """Return the Commitment Index with its threshold and limit; empty if the scenario does not use it (13)."""
    view = index.view
    if not view.limit:
        return ""
    limit_text = ", limit reached" if view.limit_reached else ""
    return f"{view.commitment} (threshold {view.threshold}, limit {view.limit}{limit_text})"


# -- hexes


def hex_lines(index: Index, hex: str) -> tuple[str, ...]:
    """Describe a hex: its name, its contents, its zone, and its distance from the carriers."""
    map_data = index.game_data.map
    hex_data = map_data.hexes.get(hex)
    if hex_data is None:
        return (f"There is no hex '{hex}'.",)
    lines = [hex_text(index, hex)]
    lines += _enemy_force_lines(index, hex)
    lines += _us_force_lines(index, hex)
    nearest_home = index.nearest_home(hex)
    facts = [f"zone {hex_data.zone}"]
    if nearest_home and nearest_home[1]:
        facts.append(
            f"{pluralise(nearest_home[1], 'hex', 'hexes')} from {display_name(nearest_home[0])}"
        )
    if hex in map_data.invasion_zone:
        facts.append("invasion zone")
    lines.append(", ".join(facts))
    return tuple(lines)


def _enemy_force_lines(index: Index, hex: str) -> Iterator[str]:
    view = index.view
    for raid, raid_piece in view.raids.items():
        if raid_piece.hex == hex:
            yield raid_line(index, raid)
            yield from interception_lines(index, raid)
    for force, known_force in view.forces.items():
        if known_force.hex == hex:
            yield from force_lines(index, force)
    for ship, hull in view.hulls.items():
        if hull.hex == hex and not hull.fate:
            yield f"alone: {hull_text(index, ship)}"
    if hex == index.game_data.map.guam:
        yield from guam_lines(index)
    for oiler, oiler_hex in view.oilers.items():
        if oiler_hex == hex:
            yield f"oiler {oiler}"


def interception_lines(index: Index, raid: str) -> Iterator[str]:
    """Yield the airborne fighters that can intercept a raid, with the expected results (4.51).

    Missions with the same results share a line.
    """
    missions: dict[str, list[str]] = {}
    for meeting in raid_plan(index.table, raid).meetings:
        interception = meeting.interception
        result = (
            f"destroys {format_tenths(interception.destroyed)}, loses {format_tenths(interception.lost)},"
            f" stops it {percent(interception.stopped)}%"
        )
        text = f"can meet it in {meeting.hex}, {moment_text(meeting.at)}: {{each}}{result}"
        missions.setdefault(text, []).append(meeting.mission)
    for text, names in missions.items():
        each_word = "each " if len(names) > 1 else ""
        in_order = sorted(names, key=lambda name: (len(name), name))
        yield f"  {display_names(tuple(in_order))} {text.format(each=each_word)}"


def _us_force_lines(index: Index, hex: str) -> Iterator[str]:
    view = index.view
    for group, task_group in view.groups.items():
        if task_group.hex != hex:
            continue
        yield group_text(index, group)
        for mission in index.cap_missions(group):
            yield f"  CAP {display_name(mission)}: {type_counts(index, index.mission_units(mission))}"
        for carrier in index.carriers(group):
            state = carrier_state(index, carrier)
            yield f"  {display_name(carrier)}: {boxes_text(index, carrier)}{f', {state}' if state else ''}"
        yield from _damaged_ship_lines(index, group)
    for mission in index.missions_at(hex):
        yield from mission_lines(index, mission)
    for search, search_piece in view.searches.items():
        if search_piece.hex == hex:
            yield search_line(index, search)
    for ship, ship_piece in view.ships.items():
        if ship_piece.hex == hex:
            yield f"alone: {display_name(ship)}, {DAMAGE_LEVELS[us_level(index.table, ship)]}"
    for boat, boat_piece in view.boats.items():
        if boat_piece.hex == hex:
            yield boat_line(index, boat)


def boxes_text(index: Index, carrier: str) -> str:
    """Return text that lists the units aboard a carrier, flight deck first: ``ready 2 SB2C; servicing 1 F6F``."""
    box_contents = ((box, type_counts(index, index.units(box, carrier))) for box in _BOX_ORDER)
    return (
        "; ".join(f"{box} {unit_text}" for box, unit_text in box_contents if unit_text)
        or "nothing aboard"
    )


def _damaged_ship_lines(index: Index, group: str) -> Iterator[str]:
    """Yield a line for each damaged ship in a group, except carriers."""
    for ship, ship_piece in index.view.ships.items():
        row = index.game_data.us_ships[ship]
        if ship_piece.group == group and ship_piece.hits and not row.is_carrier:
            yield f"  {row.name}: hits {ship_piece.hits} of {row.damage_capacity}"


# -- clock and score


def clock_lines(index: Index) -> Iterator[str]:
    """Yield a line for each turn of the scenario, with the light in its phases. The current turn is marked (3.1)."""
    view = index.view
    track = index.game_data.charts.turn_track
    day = ""
    for number, (turn_day, time) in enumerate(index.game_data.scenarios[view.scenario].turns):
        if turn_day != day:
            day = turn_day
            yield day
        light = "".join(LIGHT_MARKS[phase_light] for phase_light in track.turn(time).light)
        if number == view.turn:
            yield f" >{time}  {index.light_marks()}  phase {view.phase} of {PHASES}, {view.light}"
        else:
            yield f"  {time}  {light}"
    yield "o day   - dusk   * night   [ ] this phase"


def _commitment_lines(index: Index) -> Iterator[str]:
    view = index.view
    if not view.limit:
        return
    yield f"Commitment Index (13): {commitment_text(index)}"
    scale = max(view.limit, view.commitment, 1)
    filled_cells = view.commitment * _BAR_CELLS // scale
    marks = ["#" if column < filled_cells else "." for column in range(_BAR_CELLS)]
    marks[min(view.threshold * _BAR_CELLS // scale, _BAR_CELLS - 1)] = "T"
    # The limit is drawn last, so that it remains visible if both marks are in the same cell.
    marks[min(view.limit * _BAR_CELLS // scale, _BAR_CELLS - 1)] = "L"
    yield f"  {''.join(marks)}  T threshold, L limit"


def score_page(index: Index) -> Page:
    """Return the page with score, victory levels, Commitment Index, cup, clock and options."""
    view = index.view
    level = victory_level(index.table, view.victory_points)
    lines = [
        f"Victory points now: {view.victory_points}; if the scenario ended now: {level} (15.1)"
    ]
    lines += [
        f"  {line.points:+4}  {line.label}" for line in score_lines(index.table) if line.points
    ]
    lines += ["Levels:", *_level_lines(index), "", *_commitment_lines(index)]
    lines.append(f"Activation cup (3.2): {cup_text(index)}")
    if view.chits_per_phase:
        lines.append(f"  {view.chits_per_phase} are drawn in each phase")
    lines += [f"Wind blows to the {view.wind}", "", "Clock of the battle", *clock_lines(index)]
    lines += ["", f"Scenario {view.scenario}", *_ruling_lines(index)]
    return ("T", "Clock and score", tuple(lines))


def _level_lines(index: Index) -> Iterator[str]:
    levels = index.game_data.scenarios[index.view.scenario].victory.levels
    if levels:
        for level in levels:
            yield f"  {'less' if level.min is None else f'{level.min} or more'}: {level.level}"
        return
    for row in reversed(index.game_data.charts.victory_levels.columns):
        yield f"  {'less' if row.min is None else f'{row.min} or more'}: {row.result}"


def _ruling_lines(index: Index) -> Iterator[str]:
    for ruling in RULINGS:
        yield f"  {ruling.question}: {ruling.answers[ruling.value(index.view.options)]}"


# -- summary


def _fleet_lines(index: Index) -> Iterator[str]:
    for group in index.carrier_groups():
        ready_types: Tally[str] = Tally()
        unit_count = 0
        damage = []
        for carrier in index.carriers(group):
            ready_types.update(index.air_type(unit) for unit in index.units("ready", carrier))
            unit_count += sum(len(index.units(box, carrier)) for box in ABOARD)
            state = carrier_state(index, carrier)
            if state:
                damage.append(f"{display_name(carrier)}: {state}")
        ready_text = (
            ", ".join(f"{number} {air_type}" for air_type, number in ready_types.items())
            or "nothing"
        )
        damage_text = f"; {'; '.join(damage)}" if damage else ""
        yield f"{group_text(index, group)}; {count_noun(unit_count, 'unit')} aboard, ready {ready_text}{damage_text}"


def situation_lines(index: Index) -> tuple[str, ...]:
    """Summarise the situation: time, points, fleet, flights and known enemy units."""
    view = index.view
    level = victory_level(index.table, view.victory_points)
    lines = [
        f"{view.day} {view.time}, phase {view.phase} of {PHASES} ({view.light}), {segment_name(view.segment)}",
        f"Victory points {view.victory_points}; if the scenario ended now: {level}",
    ]
    if view.limit:
        lines.append(f"Commitment Index {commitment_text(index)}")
    lines.append(f"Cup: {cup_text(index)}. Wind blows to the {view.wind}.")
    lines += ["", *_fleet_lines(index), "", *flight_lines(index), "", "Japanese forces"]
    lines += (f"  {line}" for line in enemy_lines(index))
    return tuple(lines)


def brief_lines(index: Index) -> tuple[str, ...]:
    """Return the facts printed before a prompt in line-by-line play: raids, flights, detected forces and damage."""
    view = index.view
    lines = [raid_line(index, raid) for raid in view.raids]
    for mission, flight in view.missions.items():
        if not flight.cap:
            lines += mission_lines(index, mission)
    lines += _cap_lines(index)
    lines += [search_line(index, search) for search in view.searches]
    for force, known_force in view.forces.items():
        if known_force.detection:
            lines.append(next(iter(force_lines(index, force))))
    for carrier in (name for group in index.carrier_groups() for name in index.carriers(group)):
        state = carrier_state(index, carrier)
        if state:
            lines.append(f"{display_name(carrier)}: {state}")
    return tuple(lines)


def _cap_lines(index: Index) -> list[str]:
    """Return one line that lists the CAP over all groups; no line if there is no CAP (4.33)."""
    cap_by_group = {
        group: type_counts(
            index,
            tuple(
                unit
                for mission in index.cap_missions(group)
                for unit in index.mission_units(mission)
            ),
        )
        for group in index.view.groups
    }
    group_texts = [
        f"{display_name(group)} {unit_text}"
        for group, unit_text in cap_by_group.items()
        if unit_text
    ]
    return [f"CAP: {', '.join(group_texts)}"] if group_texts else []


def unit_location(index: Index, unit: str) -> tuple[str, tuple[str, ...]]:
    """Return the name of a unit's carrier or mission and lines that describe it; empty if the unit has neither."""
    unit_piece = index.view.units[unit]
    if unit_piece.at in index.view.ships:
        row = index.game_data.us_ships[unit_piece.at]
        return f"{row.name} ({row.type})", carrier_lines(index, unit_piece.at)
    if unit_piece.at in index.view.missions:
        return display_name(unit_piece.at), tuple(mission_lines(index, unit_piece.at))
    return "", ()


def legend_page() -> Page:
    """Return the legend for the map and the boards."""
    return (
        "g",
        "Map symbols",
        (
            "TF58, 58.2  US task groups (* lights on)      CAP4  units of combat air patrol",
            "◆4 f9       a mission of 4 units with fuel 9 (! Fuel Critical)",
            "s270, sN    search on a bearing, narrow search (< on its way home)",
            "A?2c, A·2c  force A, roughly sighted, level 2, carriers known; b1 Butai 1",
            "  . unseen  ? roughly sighted  L located  S spotted; then the level 0 to 4",
            "R12         raid of 12 points; the line leads to its target",
            "SS          US submarines   crUS, crJP  crippled ships alone   oil  oiler",
            "Ground tints, or their letters without colours; the bottom line names those in use:",
            "  , strike radius  - invasion zone  o oil hex  + may be chosen  @ aim of this order",
            "  ; near  : middle  . far  ' extended zone of a search; playback: o way  x target  * changed",
            "Overlays: O zones, sections, arrival and oil hexes; a ranges of strikes, searches, raids.",
            "Boards: F fighters, n behind those that fly by night, B dive bombers, T torpedo bombers.",
            "  + before a unit: orders are available for it; the last line lists the keys.",
            "Header: day turn/phase, light of the four phases (o day, - dusk, * night), VP and level,",
            "  CI Commitment Index/threshold/limit, wind, chits left in the cup.",
            "k carrier board, f flights, i enemy boards, T clock and score, h situation, B what was seen.",
        ),
    )

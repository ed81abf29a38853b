"""Texts shown next to the map: a hex, the clock and the score, and a summary of the situation."""

from collections import Counter as Tally
from collections.abc import Iterator
from typing import Final

from engine.cbps.damage.ch12_hulls import us_level
from engine.cbps.damage.ch15_victory import score_lines, victory_level
from engine.cbps.ids import ABOARD, NO_OP, Box
from engine.cbps.planner.fighters import raid_plan
from engine.cbps.planner.moments import PHASES
from engine.cbps.prose.names import display_name
from engine.cbps.prose.turns import segment_name
from engine.cbps.rulings import RULINGS
from engine.kernel.chances import format_tenths, percent
from engine.kernel.sentences import count_noun, pluralise
from tui.cbps.carrier_board import carrier_lines, carrier_state, group_text
from tui.cbps.enemy import enemy_lines, force_lines, guam_lines, hull_text
from tui.cbps.flights import boat_line, flight_lines, mission_lines, raid_line, search_line
from tui.cbps.index import LIGHT_MARKS, Index, moment_text
from tui.cbps.texts import LEVELS, hex_text, type_counts

Page = tuple[str, str, tuple[str, ...]]
_BAR: Final = 40
"""Width of the Commitment Index bar, in characters."""
_DECK_FIRST: Final[tuple[Box, ...]] = ("ready", "landed", "servicing", "hangar")


# -- status bar


def cup_text(index: Index) -> str:
    """Return the chits left in the cup (3.2)."""
    view = index.view
    blanks = view.cup.count(NO_OP)
    chits = [chit for chit in view.cup if chit != NO_OP]
    if blanks:
        chits.append(NO_OP if blanks == 1 else f"{blanks} {NO_OP}")
    return ", ".join(chits) or "empty"


def commitment_text(index: Index) -> str:
    """Return the Commitment Index with its threshold and limit; empty if the scenario does not use it (13)."""
    view = index.view
    if not view.limit:
        return ""
    reached = ", limit reached" if view.limit_reached else ""
    return f"{view.commitment} (threshold {view.threshold}, limit {view.limit}{reached})"


# -- hexes


def hex_lines(index: Index, hex: str) -> tuple[str, ...]:
    """Describe a hex: its name, its contents, its zone, and its distance from the carriers."""
    sea = index.book.map
    row = sea.hexes.get(hex)
    if row is None:
        return (f"There is no hex '{hex}'.",)
    lines = [hex_text(index, hex)]
    lines += _forces_at(index, hex)
    lines += _us_forces_at(index, hex)
    home = index.nearest_home(hex)
    facts = [f"zone {row.zone}"]
    if home and home[1]:
        facts.append(f"{pluralise(home[1], 'hex', 'hexes')} from {display_name(home[0])}")
    if hex in sea.invasion_zone:
        facts.append("invasion zone")
    lines.append(", ".join(facts))
    return tuple(lines)


def _forces_at(index: Index, hex: str) -> Iterator[str]:
    view = index.view
    for raid, flying in view.raids.items():
        if flying.hex == hex:
            yield raid_line(index, raid)
            yield from _possible_interceptions(index, raid)
    for force, one in view.forces.items():
        if one.hex == hex:
            yield from force_lines(index, force)
    for ship, hull in view.hulls.items():
        if hull.hex == hex and not hull.fate:
            yield f"alone: {hull_text(index, ship)}"
    if hex == index.book.map.guam:
        yield from guam_lines(index)
    for oiler, where in view.oilers.items():
        if where == hex:
            yield f"oiler {oiler}"


def _possible_interceptions(index: Index, raid: str) -> Iterator[str]:
    """Yield the airborne fighters that can intercept a raid, with the expected results (4.51)."""
    for met in raid_plan(index.table, raid).meetings:
        fight = met.interception
        yield (
            f"  {display_name(met.mission)} can meet it in {met.hex}, {moment_text(met.at)}: destroys "
            f"{format_tenths(fight.destroyed)}, loses {format_tenths(fight.lost)}, stops it {percent(fight.stopped)} %"
        )


def _us_forces_at(index: Index, hex: str) -> Iterator[str]:
    view = index.view
    for group, one in view.groups.items():
        if one.hex != hex:
            continue
        yield group_text(index, group)
        for mission in index.cap_missions(group):
            yield f"  CAP {display_name(mission)}: {type_counts(index, index.mission_units(mission))}"
        for carrier in index.carriers(group):
            state = carrier_state(index, carrier)
            yield f"  {display_name(carrier)}: {boxes_text(index, carrier)}{f', {state}' if state else ''}"
        yield from _damaged_ships(index, group)
    for mission in index.missions_at(hex):
        yield from mission_lines(index, mission)
    for search, flying in view.searches.items():
        if flying.hex == hex:
            yield search_line(index, search)
    for ship, alone in view.ships.items():
        if alone.hex == hex:
            yield f"alone: {display_name(ship)}, {LEVELS[us_level(index.table, ship)]}"
    for boat, at in view.boats.items():
        if at.hex == hex:
            yield boat_line(index, boat)


def boxes_text(index: Index, carrier: str) -> str:
    """Return the units aboard a carrier, flight deck first, such as ``ready 2 SB2C; servicing 1 F6F``."""
    held = ((box, type_counts(index, index.units(box, carrier))) for box in _DECK_FIRST)
    return "; ".join(f"{box} {kinds}" for box, kinds in held if kinds) or "nothing aboard"


def _damaged_ships(index: Index, group: str) -> Iterator[str]:
    """Yield the damaged ships of a group, except carriers."""
    for ship, one in index.view.ships.items():
        row = index.book.us_ships[ship]
        if one.group == group and one.hits and not row.is_carrier:
            yield f"  {row.name}: hits {one.hits} of {row.damage_capacity}"


# -- clock and score


def clock_lines(index: Index) -> Iterator[str]:
    """Yield every turn of the scenario with the light in its phases, marking the current turn (3.1)."""
    view = index.view
    track = index.book.charts.turn_track
    day = ""
    for number, (of, time) in enumerate(index.book.scenarios[view.scenario].turns):
        if of != day:
            day = of
            yield day
        light = "".join(LIGHT_MARKS[one] for one in track.turn(time).light)
        if number == view.turn:
            yield f" >{time}  {index.light_marks()}  phase {view.phase} of {PHASES}, {view.light}"
        else:
            yield f"  {time}  {light}"
    yield "o day   - dusk   * night   [ ] this phase"


def _bar(index: Index) -> Iterator[str]:
    view = index.view
    if not view.limit:
        return
    yield f"Commitment Index (13): {commitment_text(index)}"
    most = max(view.limit, view.commitment, 1)
    filled = view.commitment * _BAR // most
    marks = ["#" if place < filled else "." for place in range(_BAR)]
    marks[min(view.threshold * _BAR // most, _BAR - 1)] = "T"
    marks[min(view.limit * _BAR // most, _BAR - 1)] = "L"
    yield f"  {''.join(marks)}  T threshold, L limit"


def score_page(index: Index) -> Page:
    """Return the page with score, victory levels, Commitment Index, cup, clock and options."""
    view = index.view
    level = victory_level(index.table, view.victory_points)
    lines = [f"Victory points now: {view.victory_points}, {level} (15.1)"]
    lines += [
        f"  {line.points:+4}  {line.label}" for line in score_lines(index.table) if line.points
    ]
    lines += ["Levels:", *_levels(index), "", *_bar(index)]
    lines.append(f"Activation cup (3.2): {cup_text(index)}")
    if view.chits_per_phase:
        lines.append(f"  {view.chits_per_phase} are drawn in each phase")
    lines += [f"Wind blows to the {view.wind}", "", "Clock of the battle", *clock_lines(index)]
    lines += ["", f"Scenario {view.scenario}", *_options(index)]
    return ("T", "Clock and score", tuple(lines))


def _levels(index: Index) -> Iterator[str]:
    levels = index.book.scenarios[index.view.scenario].victory.levels
    if levels:
        for one in levels:
            yield f"  {'less' if one.min is None else f'{one.min} or more'}: {one.level}"
        return
    for row in reversed(index.book.charts.victory_levels.columns):
        yield f"  {'less' if row.min is None else f'{row.min} or more'}: {row.result}"


def _options(index: Index) -> Iterator[str]:
    for ruling in RULINGS:
        yield f"  {ruling.question}: {ruling.answers[ruling.value(index.view.options)]}"


# -- summary


def _fleet(index: Index) -> Iterator[str]:
    for group in index.carrier_groups():
        ready: Tally[str] = Tally()
        aboard = 0
        trouble = []
        for carrier in index.carriers(group):
            ready.update(index.kind(unit) for unit in index.units("ready", carrier))
            aboard += sum(len(index.units(box, carrier)) for box in ABOARD)
            state = carrier_state(index, carrier)
            if state:
                trouble.append(f"{display_name(carrier)}: {state}")
        words = ", ".join(f"{number} {kind}" for kind, number in ready.items()) or "nothing"
        hurt = f"; {'; '.join(trouble)}" if trouble else ""
        yield f"{group_text(index, group)}; {count_noun(aboard, 'unit')} aboard, ready {words}{hurt}"


def situation_lines(index: Index) -> tuple[str, ...]:
    """Summarise the situation: time, points, fleet, flights, and what is known about the enemy."""
    view = index.view
    level = victory_level(index.table, view.victory_points)
    lines = [
        f"{view.day} {view.time}, phase {view.phase} of {PHASES} ({view.light}), {segment_name(view.segment)}",
        f"Victory points {view.victory_points}: {level}",
    ]
    if view.limit:
        lines.append(f"Commitment Index {commitment_text(index)}")
    lines.append(f"Cup: {cup_text(index)}. Wind blows to the {view.wind}.")
    lines += ["", *_fleet(index), "", *flight_lines(index), "", "Japanese forces"]
    lines += (f"  {line}" for line in enemy_lines(index))
    return tuple(lines)


def brief_lines(index: Index) -> tuple[str, ...]:
    """Return the key facts before a prompt in line-by-line play: raids, missions, detected forces and damage."""
    view = index.view
    lines = [raid_line(index, raid) for raid in view.raids]
    for mission, one in view.missions.items():
        if not one.cap:
            lines += mission_lines(index, mission)
    lines += _cap_line(index)
    lines += [search_line(index, search) for search in view.searches]
    for force, seen in view.forces.items():
        if seen.detection:
            lines.append(next(iter(force_lines(index, force))))
    for carrier in (one for group in index.carrier_groups() for one in index.carriers(group)):
        state = carrier_state(index, carrier)
        if state:
            lines.append(f"{display_name(carrier)}: {state}")
    return tuple(lines)


def _cap_line(index: Index) -> list[str]:
    """Return the CAP over all groups as one line; an empty list if there is none (4.33)."""
    flying = {
        group: type_counts(
            index, tuple(u for one in index.cap_missions(group) for u in index.mission_units(one))
        )
        for group in index.view.groups
    }
    held = [f"{display_name(group)} {kinds}" for group, kinds in flying.items() if kinds]
    return [f"CAP: {', '.join(held)}"] if held else []


def unit_about(index: Index, unit: str) -> tuple[str, tuple[str, ...]]:
    """Describe the carrier or mission that contains a unit."""
    held = index.view.units[unit]
    if held.at in index.view.ships:
        row = index.book.us_ships[held.at]
        return f"{row.name} ({row.type})", carrier_lines(index, held.at)
    if held.at in index.view.missions:
        return display_name(held.at), tuple(mission_lines(index, held.at))
    return "", ()


def legend_page() -> Page:
    """Return the legend for the map and the boards."""
    return (
        "g",
        "Signs on the map",
        (
            "TF58, 58.2  US task groups (* lights on)      CAP4  units of combat air patrol",
            "◆4 f9       a mission of 4 units with fuel 9 (! Fuel Critical)",
            "s270, sN    search on a bearing, narrow search (< on its way home)",
            "A?2c, A·2c  force A, roughly sighted, level 2, carriers known; b1 Butai 1",
            "  . unseen  ? roughly sighted  L located  S spotted; then the level 0 to 4",
            "R12         raid of 12 points; the line leads to its target",
            "SS          US submarines   crUS, crJP  crippled ships alone   oil  oiler",
            "Ground, or a letter where nothing is painted; the lowest line names what is in use:",
            "  , strike radius  - invasion zone  o oil hex  + may be chosen  @ aim of this order",
            "  ; near  : middle  . far  ' extended zone of a search; playback: o way  x target  * changed",
            "Overlays: O zones, sections, arrival and oil hexes; a ranges of strikes, searches, raids.",
            "Boards: F fighters, n behind those that fly by night, B dive bombers, T torpedo bombers.",
            "  + before a unit: something can be ordered about it; the last line names the keys.",
            "Header: day turn/phase, light of the four phases (o day, - dusk, * night), VP and level,",
            "  CI Commitment Index/threshold/limit, wind, chits left in the cup.",
            "k carrier board, f flights, i enemy boards, T clock and score, h situation, B what was seen.",
        ),
    )

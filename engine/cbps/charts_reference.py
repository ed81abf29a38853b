"""Turns the charts into entries of the rules reference, with cells, modifiers and origins (appendix E)."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from engine.cbps.charts.chart import (
    Bracketed,
    Cell,
    Chart,
    ColumnChart,
    DieChart,
    LookupChart,
    Row,
    is_assumed,
)
from engine.cbps.charts.listed import (
    BoxesChart,
    ChitChart,
    DamageChart,
    FormulaChart,
    MixChart,
    TurnChart,
    ValuesChart,
)
from engine.cbps.charts.special import (
    CommitmentOneChart,
    CommitmentTestChart,
    FirstLevelChart,
    KnownStrengthChart,
    MatrixChart,
    NamedMatrixChart,
    RaidGenerationChart,
    ScreenChart,
    SectionChart,
    SurfaceFireChart,
    SurpriseChart,
)
from engine.cbps.game_data import standard_game_data
from engine.cbps.run import result_text
from engine.kernel.reference import Paragraph

PARENT: Final = "appendix-e-table-index-tables-json"
"""The heading under which charts are listed."""
_ANY_RANGE: Final = 99
ASSUMED_MARK: Final = "*"
"""The mark printed after assumed values."""
_BLANK_LINES: Final = re.compile(r"\n{3,}")
_STATUS: Final = {
    "seed": "complete in the rulebook",
    "inferred": "follows from the rulebook",
    "partial": "some cells are assumed",
    "missing": "its contents are assumed; only its existence is certain",
    "printed": "as printed",
}


def chart_paragraphs() -> Iterator[Paragraph]:
    """Yield a paragraph for every chart, which can be looked up by ``T:name``, key or title."""
    for chart in standard_game_data().charts.all():
        yield Paragraph(
            number=f"T:{chart.id}",
            title=chart.title,
            text=_BLANK_LINES.sub("\n\n", "\n".join(_chart_lines(chart))),
            parent=PARENT,
            names=(chart.id,),
        )


def _chart_lines(chart: Chart) -> Iterator[str]:
    yield f"Rule: {chart.rule}"
    yield f"Status: {chart.status} ({_STATUS[chart.status]})"
    body = list(_body_lines(chart))
    modifiers = [_modifier_line(modifier) for modifier in chart.modifiers]
    if any(ASSUMED_MARK in line for line in (*body, *modifiers)):
        yield f"{ASSUMED_MARK} assumed: the rulebook leaves it open"
    yield ""
    yield from body
    if modifiers:
        yield ""
        yield "Modifiers:"
        yield from modifiers
    if chart.reason or chart.notes:
        yield ""
        yield from chart.notes
        if chart.reason:
            yield chart.reason


def _assumed_mark(row: Row) -> str:
    return ASSUMED_MARK if row.is_assumed else ""


def _modifier_line(modifier: Any) -> str:  # noqa: ANN401  # a modifier of a chart
    value = f"{modifier.value:+d}" if isinstance(modifier.value, int) else modifier.value
    return f"- {value}{_assumed_mark(modifier)} {modifier.when}"


def _die_text(cells: Iterable[Cell[Any]]) -> str:
    """Return die ranges with their results as text, such as ``1-3: none; 4-5: ?``."""
    return "; ".join(
        f"{_range_text(cell.lo, cell.hi)}: {result_text(cell.result)}{_assumed_mark(cell)}"
        for cell in cells
    )


def _range_text(min_value: int | None, max_value: int | None) -> str:
    if min_value is None:
        return "any" if max_value is None else f"up to {max_value}"
    if max_value is None:
        return f"{min_value}+"
    return str(min_value) if min_value == max_value else f"{min_value}-{max_value}"


def _bracket_range(bracket: Bracketed) -> str:
    return _range_text(bracket.min, bracket.max)


def _body_lines(chart: Chart) -> Iterator[str]:
    """Yield text lines with the cells in a chart, one per column or row."""
    match chart:
        case DieChart():
            yield f"Die: {_die_text(chart.cells)}"
            if isinstance(chart, SurpriseChart):
                yield from _surprise_lines(chart)
        case ColumnChart():
            yield f"Column by {chart.column_axis.name}, then the die:"
            for column in chart.columns:
                yield f"- {column.key} | {_die_text(column.cells)}"
            yield from _extra_column_lines(chart)
        case LookupChart():
            yield f"By {chart.column_axis.name}, without a die:"
            for entry in chart.columns:
                yield f"- {entry.key}: {result_text(entry.result)}{_assumed_mark(entry)}{_modifier_text(entry.result)}"
            yield from _extra_entry_lines(chart)
        case ValuesChart() | FormulaChart():
            for value in chart.values:
                yield f"- {_with_spaces(value.id)}: {_value_text(value.value)}{_assumed_mark(value)} ({value.rule})"
        case _:
            yield from _special_lines(chart)


def _with_spaces(name: str) -> str:
    return name.replace("_", " ")


def _value_text(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{_with_spaces(str(key))} {item}" for key, item in value.items())
    return str(value)


def _modifier_text(result: object) -> str:
    """Return a result's modifier as text, or an empty string if the result has none (7.44)."""
    drm = getattr(result, "drm", 0)
    return f" {drm:+d}" if drm else ""


def _surprise_lines(chart: SurpriseChart) -> Iterator[str]:
    yield from ("", "Effects:")
    for word, effect in chart.effects.items():
        cap = "no CAP" if effect.cap_roll_drm is None else f"CAP die {effect.cap_roll_drm:+d}"
        yield (
            f"- {word}: {cap}, AA {effect.aa}, damage dice {effect.damage_drm:+d}{_assumed_mark(effect)}"
        )


def _extra_column_lines(chart: Chart) -> Iterator[str]:
    """Yield text lines for the other contents of a column chart, such as footnotes and column shifts."""
    match chart:
        case FirstLevelChart():
            for number, note in chart.footnotes.items():
                yield f"- note {number}: {note.text}{_assumed_mark(note)}"
        case KnownStrengthChart():
            yield from ("", "Column shift to the right, by force:")
            for shift in chart.column_shift:
                yield f"- {shift.force}: {shift.shift:+d}{_assumed_mark(shift)}"
        case SurfaceFireChart():
            yield f"- torpedoes | {_die_text(chart.torpedo_column.cells)}"
            yield from ("", "Defence, subtracted from the attack value:")
            for value in chart.defence_values:
                yield f"- {value.target}: {value.value}{_assumed_mark(value)}"
        case _:
            pass


def _extra_entry_lines(chart: Chart) -> Iterator[str]:
    """Yield text lines for the other contents of a lookup chart, such as special values."""
    match chart:
        case ScreenChart():
            for special_row in chart.special:
                yield f"- {special_row.id}: {special_row.result}{_assumed_mark(special_row)}"
        case CommitmentOneChart():
            yield f"- Unknown: {chart.unknown.value}{_assumed_mark(chart.unknown)}"
        case _:
            pass


def _special_lines(chart: Chart) -> Iterator[str]:
    """Yield text lines with the cells in a chart that has a special layout."""
    match chart:
        case SectionChart():
            for section, rows in chart.sections.items():
                yield from ("", f"{section}, by Known Air Strength:")
                for row in rows:
                    yield f"- {row.label} | {_die_text(row.cells)}"
        case MatrixChart():
            yield from _matrix_lines(chart)
        case NamedMatrixChart():
            yield f"For {', '.join(chart.columns)}:"
            for line in chart.rows:
                yield f"- {_with_spaces(line.id)}: {', '.join(map(str, line.values))}{_assumed_mark(line)}"
        case CommitmentTestChart():
            for ships in chart.lines:
                yield from ("", f"{_with_spaces(ships.line)}, by the Commitment Index:")
                for column in ships.columns:
                    yield f"- {column.key} | {_die_text(column.cells)}"
        case RaidGenerationChart():
            yield from _raid_lines(chart)
        case _:
            yield from _list_lines(chart)


def _matrix_lines(chart: MatrixChart) -> Iterator[str]:
    mark = ASSUMED_MARK if is_assumed(chart.prov) else ""
    yield f"By {chart.row_axis.name}; columns by {chart.column_axis.name}:"
    yield f"- columns: {', '.join(map(_bracket_range, chart.columns))}"
    for row, cells in zip(chart.rows, chart.cells, strict=True):
        yield f"- {_bracket_range(row)}: {', '.join(map(str, cells))}{mark}"


def _raid_lines(chart: RaidGenerationChart) -> Iterator[str]:
    launch_roll = chart.launch_at_or_above
    yield f"A raid is launched at {launch_roll.value}{_assumed_mark(launch_roll)} or more."
    yield f"Phases: {chart.phase_limit.value}{_assumed_mark(chart.phase_limit)}"
    yield from ("", "By turn, the longest range in hexes and the modifier:")
    for turn in chart.turns:
        range_text = (
            "no raid" if turn.max_range is None else f"{turn.max_range} hexes, {turn.drm:+d}"
        )
        yield f"- {turn.turn}: {range_text}{_assumed_mark(turn)}"
    yield from ("", "Modifier by range:")
    for drm_row in chart.range_drm:
        yield f"- {_bracket_range(drm_row)}: {drm_row.drm:+d}{_assumed_mark(drm_row)}"


def _list_lines(chart: Chart) -> Iterator[str]:
    match chart:
        case MixChart():
            for entry in chart.entries:
                yield f"- {entry.chit}: {entry.count}{_assumed_mark(entry)}"
            changes = chart.rule_7_5_changes
            yield ""
            yield (
                f"With double forces: add {_value_text(changes.add)}; remove {_value_text(changes.remove)};"
                f" set aside {', '.join(changes.set_aside_for_double)}"
            )
        case ChitChart():
            for chit in chart.chits:
                value = f", Air Value {chit.air_value}" if chit.air_value else ""
                yield f"- {chit.id}: commitment {chit.commitment}{value}{_assumed_mark(chit)}"
        case BoxesChart():
            for box in chart.return_track:
                yield f"- {box.id}: on the way home from {_bracket_range(box)} hexes{_assumed_mark(box)}"
            for row in chart.turnaround:
                max_range = _reach_text(row.usable_range)
                yield f"- {row.id}: {max_range}{_assumed_mark(row)}"
            first_box, later_boxes = chart.guam.first_box, ", ".join(chart.guam.then)
            yield f"- Guam: {first_box}, then {later_boxes}{_assumed_mark(chart.guam)}"
        case DamageChart():
            for ship, levels in chart.ship_types.items():
                yield from ("", f"{ship}:")
                for level in levels:
                    flights = f", flight operations: {level.flight_ops}" if level.flight_ops else ""
                    move = "" if level.move else ", does not move"
                    hits = f"{_bracket_range(level)} hits"
                    yield f"- {level.level}, {hits}: AA {level.aa}{flights}{move}{_assumed_mark(level)}"
            yield from ("", f"Others: {chart.other_ships}")
        case TurnChart():
            for turn in chart.turns:
                yield f"- {turn.label}: {', '.join(turn.light)}{_assumed_mark(turn)}"
        case _:
            raise AssertionError(chart.id)


def _reach_text(hexes: int | None) -> str:
    if hexes is None:
        return "cannot fly"
    return "flies at any range" if hexes >= _ANY_RANGE else f"flies to {hexes} hexes"

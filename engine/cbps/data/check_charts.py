"""Checks that chart die ranges have no gaps, columns are in order, and modifiers are of the expected kind."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, Protocol, TypeAlias, get_args

from engine.cbps.charts.chart import (
    B,
    Bracketed,
    Cell,
    Chart,
    ColumnChart,
    DieChart,
    LookupChart,
    R,
)
from engine.cbps.charts.listed import BoxesChart, DamageChart, TurnChart
from engine.cbps.charts.results import CarrierSection, LevelOneForce, SurfaceSize
from engine.cbps.charts.special import (
    CommitmentTestChart,
    MatrixChart,
    NamedMatrixChart,
    RaidGenerationChart,
    SectionChart,
    ShipLine,
    SurfaceFireChart,
)
from engine.cbps.data.tables_file import FILE, Charts
from engine.cbps.data.verdicts import VERDICTS

Problem: TypeAlias = tuple[str, str, str]
MODIFIER_WORDS: Final = {
    ("safe_return", "fuel_critical_box"): "+box",
    ("air_attack_damage", "die_modifier"): "per die",
    ("l1_to_l2", "known_air_strength"): "lookup",
    ("l2_to_l3_surface", "screen"): "lookup",
}
"""Modifiers computed by the rules, each with the word that the chart gives instead of a number."""
COUNTED_MODIFIERS: Final = {("japanese_submarine_attack", "screen")}
"""Modifiers that count items, such as ``-1 each, max -3``."""
FIRST_FACE: Final = 1
LAST_FACE: Final = 10
L1_CARRIER: Final = "L1 Carrier"
DAWN_MINUTES: Final = 330
"""The time of the first turn, 0530, in minutes after midnight."""
TURNS_PER_DAY: Final = 18
MINUTES_PER_TURN: Final = 80


def chart_problems(charts: Charts) -> Iterator[Problem]:
    """Yield the errors found in the charts."""
    for chart in charts.all():
        for path, problem in _problems_of_chart(chart):
            yield FILE, f"tables.{chart.id}{path}", problem
    for path, problem in _cross_chart_problems(charts):
        yield FILE, f"tables.{path}", problem


def _problems_of_chart(chart: Chart) -> Iterator[tuple[str, str]]:
    yield from _modifier_problems(chart)
    if isinstance(chart, DieChart):
        yield from _cell_problems(".cells", chart.cells, chart.die.covers)
    elif isinstance(chart, ColumnChart):
        yield from _heading_problems(chart.columns, 1, is_exact=chart.column_axis.select == "exact")
        for column in chart.columns:
            yield from _cell_problems(
                f".columns.{column.key}.cells", column.cells, chart.die.covers
            )
        if isinstance(chart, SurfaceFireChart):
            cells = chart.torpedo_column.cells
            yield from _cell_problems(".torpedo_column.cells", cells, chart.die.covers)
    elif isinstance(chart, LookupChart):
        yield from _heading_problems(chart.columns, 1, is_exact=False)
    else:
        yield from _special_problems(chart)


def _modifier_problems(chart: Chart) -> Iterator[tuple[str, str]]:
    for modifier in chart.modifiers:
        path = f".modifiers.{modifier.id}.drm"
        word = MODIFIER_WORDS.get((chart.id, modifier.id))
        if word is not None:
            if modifier.value != word:
                yield path, f"the rules compute this modifier; it must stay '{word}'"
        elif (chart.id, modifier.id) in COUNTED_MODIFIERS:
            if not modifier.is_by_number:
                yield path, f"'{modifier.value}' is not of the form '-1 each, max -3'"
        elif not isinstance(modifier.value, int):
            yield path, f"'{modifier.value}' is not a whole number"


def _cell_problems(
    path: str, cells: Sequence[Cell[R]], covers: tuple[int, int]
) -> Iterator[tuple[str, str]]:
    """Yield an error for each gap or overlap in the die ranges."""
    if covers[0] > FIRST_FACE or covers[1] < LAST_FACE:
        yield path, f"the die goes from {FIRST_FACE} to {LAST_FACE}, not {covers[0]} to {covers[1]}"
    expected_text = covers[0]
    for cell in cells:
        if cell.lo != expected_text:
            fault = "no entry" if cell.lo > expected_text else "more than one entry"
            yield path, f"there is {fault} for die {min(cell.lo, expected_text)}"
        if cell.hi < cell.lo:
            yield path, f"the range {cell.lo} to {cell.hi} ends before it begins"
        expected_text = cell.hi + 1
    if expected_text != covers[1] + 1:
        yield path, f"the ranges end at {expected_text - 1}, not at {covers[1]}"


class _Keyed(Bracketed, Protocol):
    """A column with a heading."""

    @property
    def key(self) -> str:
        """The column heading."""


def _heading_problems(
    columns: Sequence[_Keyed], first_value: int, *, is_exact: bool
) -> Iterator[tuple[str, str]]:
    keys = [column.key for column in columns]
    for key in sorted({key for key in keys if keys.count(key) > 1}):
        yield ".columns", f"there are several columns '{key}'"
    if not is_exact:
        yield from _bracket_problems(".columns", columns, first_value)


def _bracket_problems(
    path: str, brackets: Sequence[B], first_value: int
) -> Iterator[tuple[str, str]]:
    """Yield an error for each gap or overlap in ranges that must cover all numbers from ``first_value`` up."""
    if not brackets:
        yield path, "there are no entries here"
        return
    lowest_min = brackets[0].min
    if lowest_min is not None and lowest_min > first_value:
        yield path, f"there is no entry for {first_value}"
    for before, after in pairwise(brackets):
        if before.max is None or after.min != before.max + 1:
            end = "without end" if before.max is None else f"up to {before.max}"
            yield path, f"the range {end} is followed by one from {after.min}"
        elif before.min is not None and before.max < before.min:
            yield path, f"the range {before.min} to {before.max} ends before it begins"
    if brackets[-1].max is not None:
        yield path, f"there is no entry above {brackets[-1].max}"


def _special_problems(chart: Chart) -> Iterator[tuple[str, str]]:
    match chart:
        case SectionChart():
            yield from _section_problems(chart)
        case CommitmentTestChart():
            for line in chart.lines:
                yield from _bracket_problems(f".lines.{line.line}.columns", line.columns, 0)
                for column in line.columns:
                    path = f".lines.{line.line}.columns.{column.key}"
                    yield from _cell_problems(path, column.cells, chart.die.covers)
        case MatrixChart():
            yield from _matrix_problems(chart)
        case NamedMatrixChart():
            for row in chart.rows:
                if len(row.values) != len(chart.columns):
                    yield f".rows.{row.id}.values", f"{len(chart.columns)} values are needed"
        case RaidGenerationChart():
            yield from _bracket_problems(".range_drm", chart.range_drm, 0)
        case BoxesChart():
            yield from _bracket_problems(".return_track", chart.return_track[::-1], 0)
        case DamageChart():
            for ship, levels in chart.ship_types.items():
                yield from _bracket_problems(f".ship_types.{ship}", levels, 1)
                if [level.level for level in levels] != ["light", "heavy", "crippled", "sunk"]:
                    yield (
                        f".ship_types.{ship}",
                        "the levels must be light, heavy, crippled and sunk",
                    )
        case TurnChart():
            yield from _turn_problems(chart)
        case _:
            pass


def _section_problems(chart: SectionChart) -> Iterator[tuple[str, str]]:
    for section in get_args(CarrierSection):
        rows = chart.sections.get(section, ())
        path = f".sections.{section}"
        yield from _bracket_problems(path, rows, 0)
        if rows and sum(row.includes_unknown for row in rows) != 1:
            yield path, "exactly one row must be for an Unknown strength"
        for row in rows:
            yield from _cell_problems(f"{path}.{row.label}.cells", row.cells, chart.die.covers)


def _matrix_problems(chart: MatrixChart) -> Iterator[tuple[str, str]]:
    yield from _bracket_problems(".rows", chart.rows, 0)
    yield from _bracket_problems(".columns", chart.columns, 0)
    if len(chart.cells) != len(chart.rows):
        yield ".cells", f"{len(chart.rows)} rows are needed, not {len(chart.cells)}"
        return
    for index, (row, cells) in enumerate(zip(chart.rows, chart.cells, strict=True)):
        if len(cells) != len(chart.columns):
            yield f".cells[{index}]", f"{len(chart.columns)} values are needed, not {len(cells)}"
        elif any(not 0 <= cell <= (row.min or 0) for cell in cells):
            yield f".cells[{index}]", f"what is left must be between 0 and {row.min}"
        elif any(after > before for before, after in pairwise(cells)):
            yield f".cells[{index}]", "more is left when more is lost"


def _turn_problems(chart: TurnChart) -> Iterator[tuple[str, str]]:
    for index, turn in enumerate(chart.turns):
        minutes = (DAWN_MINUTES + MINUTES_PER_TURN * index) % (24 * 60)
        label = f"{minutes // 60:02}{minutes % 60:02}"
        if turn.label != label or turn.index != index + 1:
            yield f".turns.{turn.label}", f"turn {index + 1} of the day is {label}"
    if len(chart.turns) != TURNS_PER_DAY:
        yield ".turns", f"a day has {TURNS_PER_DAY} turns, not {len(chart.turns)}"


def _cross_chart_problems(charts: Charts) -> Iterator[tuple[str, str]]:
    """Yield an error for each inconsistency between charts."""
    sections = set(get_args(CarrierSection))
    expected_charts: tuple[tuple[str, Sequence[_Keyed], set[str]], ...] = (
        ("l1_to_l2", charts.l1_to_l2.columns, set(get_args(LevelOneForce))),
        ("l2_to_l3_surface", charts.l2_to_l3_surface.columns, set(get_args(SurfaceSize))),
        ("l3_to_l4", charts.l3_to_l4.columns, {chit.id for chit in charts.l3_chits.chits}),
        ("raid_strength_unknown", charts.raid_strength_unknown.columns, {L1_CARRIER, *sections}),
    )
    for name, columns, keys in expected_charts:
        if {column.key for column in columns} != keys:
            yield f"{name}.columns", f"the columns must be {', '.join(sorted(keys))}"
    if {shift.force for shift in charts.raid_strength_known.column_shift} != {
        L1_CARRIER,
        *sections,
    }:
        yield "raid_strength_known.column_shift", "each type of carrier force must have one shift"
    for level in charts.victory_levels.columns:
        if level.result not in VERDICTS:
            text = f"'{level.result}' is not a level: {', '.join(VERDICTS)}"
            yield f"victory_levels.columns.{level.key}", text
    labels = sorted(turn.label for turn in charts.turn_track.turns)
    if sorted(turn.turn for turn in charts.air_raid_generation.turns) != labels:
        yield "air_raid_generation.turns", "the turns are not those of turn_track"
    if {shift.line for shift in charts.commitment_test.lines} != set(get_args(ShipLine)):
        yield "commitment_test.lines", f"the lines must be {', '.join(get_args(ShipLine))}"
    for column in charts.japanese_escort_fighters.columns:
        if any(not 0 <= cell.result <= (column.min or 0) for cell in column.cells):
            path = f"japanese_escort_fighters.columns.{column.key}"
            yield path, "there are more fighters than air points"

"""Names and formats in the charts that the rules depend on. An overlay may change only the values."""

from collections.abc import Iterator
from functools import cache

from engine.cbps.charts.chart import Chart, ColumnChart, LookupChart
from engine.cbps.charts.listed import (
    BoxesChart,
    ChitChart,
    DamageChart,
    FormulaChart,
    MixChart,
    ValuesChart,
)
from engine.cbps.charts.special import NamedMatrixChart, ScreenChart, SurfaceFireChart
from engine.cbps.data.reading import PARTS, Sources, convert_sources, read_plain


def removed_names(sources: Sources) -> Iterator[tuple[str, str]]:
    """Yield a path and a message for each required name or format that an overlay's charts lack."""
    for standard in _standard_charts():
        chart = sources.tables.tables.chart(standard.id)
        required_names = _required_names(chart)
        for name in _required_names(standard):
            if name not in required_names:
                yield f"tables.{chart.id}", f"'{name}' is missing"
        for path, form in _formats_by_path(standard).items():
            if _formats_by_path(chart).get(path, form) != form:
                yield f"tables.{chart.id}.{path}", f"the rules need {form} here"


@cache
def _standard_charts() -> tuple[Chart, ...]:
    return convert_sources(
        {part_name: read_plain(part_name) for part_name in PARTS}
    ).tables.tables.all()


def _formats_by_path(chart: Chart) -> dict[str, str]:
    """Return the required formats in a chart, by path. For the required names, see :func:`_required_names`."""
    match chart:
        case ColumnChart() | LookupChart():
            return {"column_axis.select": f"'{chart.column_axis.select}'"}
        case ValuesChart():
            return {
                f"values.{value.id}.value": "a number"
                if isinstance(value.value, int)
                else "numbers"
                for value in chart.values
            }
        case _:
            return {}


def _required_names(chart: Chart) -> tuple[str, ...]:
    modifiers = tuple(modifier.id for modifier in chart.modifiers)
    match chart:
        case ValuesChart() | FormulaChart():
            return (*modifiers, *(modifier.id for modifier in chart.values))
        case NamedMatrixChart():
            return (*modifiers, *chart.columns, *(row.id for row in chart.rows))
        case BoxesChart():
            boxes = [box.id for box in chart.return_track] + [box.id for box in chart.turnaround]
            return (*boxes, *chart.guam.then, chart.guam.first_box)
        case ChitChart():
            return tuple(chit.id for chit in chart.chits)
        case MixChart():
            return tuple(modifier.chit for modifier in chart.entries)
        case DamageChart():
            return tuple(chart.ship_types)
        case SurfaceFireChart():
            return (*modifiers, *(modifier.target for modifier in chart.defence_values))
        case ScreenChart():
            return tuple(modifier.id for modifier in chart.special)
        case _:
            return modifiers

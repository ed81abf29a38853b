"""Probabilities read from charts (2.41)."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import TypeVar

from engine.cbps.charts.chart import Cell, ColumnChart, DieChart
from engine.cbps.events.chance import Modifier
from engine.cbps.ids import D10
from engine.kernel.chances import uniform

T = TypeVar("T")


def _uniform_results(cell_for: Callable[[int], Cell[T]], drm: int) -> dict[T, Fraction]:
    return uniform(cell_for(face + drm).result for face in D10.faces)


def die_chances(chart: DieChart[T], modifiers: Iterable[Modifier] = ()) -> dict[T, Fraction]:
    """Return the probability of each result in a single-column chart (2.41)."""
    return _uniform_results(chart.look_up, sum(modifier.drm for modifier in modifiers))


def column_chances(
    chart: ColumnChart[T], column: int | str, modifiers: Iterable[Modifier] = ()
) -> dict[T, Fraction]:
    """Return the probability of each result in a chart column, selected by number or name (2.41)."""
    key = chart.column_for(column)
    return _uniform_results(
        lambda total: chart.look_up(total, key), sum(modifier.drm for modifier in modifiers)
    )


def cell_chances(cell_for: Callable[[int], Cell[T]], drm: int = 0) -> dict[T, Fraction]:
    """Return the probability of each result in a chart with its own lookup function."""
    return _uniform_results(cell_for, drm)

"""Computes the positions of places, in character cells, when a chart is drawn at a given size.

Only whole columns and rows of the chart are stretched, so places have the same neighbours at every size. A drawing has
at least one cell per square.
"""

from collections.abc import Mapping
from functools import cache, cached_property
from itertools import pairwise
from typing import Final

import msgspec

from tui.maps.areamap.scene import AreaChart, AreaLink
from tui.maps.enums import Zoom

Size = tuple[int, int]
"""Number of columns and lines in a whole drawing."""
_MIN_CELLS_PER_SQUARE: Final = {
    Zoom.OVERVIEW: (1.0, 1.0),
    Zoom.OPERATIONAL: (1.5, 1.7),
    Zoom.DETAIL: (2.0, 2.0),
}
"""Minimum number of cells per square, across and down, at each zoom level."""
_MAX_CELLS_PER_SQUARE: Final = (3, 3)
"""Maximum number of cells per square, across and down. A larger drawing would not show more detail."""
_MAX_BRIDGE_LENGTH: Final = 3
"""Maximum length, in squares, of a link drawn along a border or through a narrow strip of land."""


class CellRun(msgspec.Struct, frozen=True):
    """Adjacent cells of one place on one line."""

    y: int
    start: int
    stop: int

    @property
    def width(self) -> int:
        """Number of cells."""
        return self.stop - self.start


class OutlineCell(msgspec.Struct, frozen=True):
    """A cell on the outline of a place.

    For each side of the cell, the place beyond it; None if the side is not on the outline.
    """

    x: int
    y: int
    left: str | None
    right: str | None
    above: str | None
    below: str | None


class Bridge(msgspec.Struct, frozen=True):
    """A line that links two places without a shared border, as characters drawn in cells."""

    strokes: tuple[tuple[int, int, str], ...]
    """Column, line and one of ``\\``, ``/``, ``=`` and ``|``."""


# Comparison by identity makes layouts cheap keys for the caches below and in `paint`.
class ChartLayout(msgspec.Struct, frozen=True, eq=False, dict=True):
    """A chart drawn at one size."""

    chart: AreaChart
    width: int
    height: int

    def column(self, square: int) -> int:
        """Return the first column of cells in a column of squares."""
        return square * self.width // self.chart.size[0]

    def line(self, square: int) -> int:
        """Return the first line of cells in a row of squares."""
        return square * self.height // self.chart.size[1]

    @cached_property
    def owners(self) -> tuple[tuple[str, ...], ...]:
        """The place to which each cell belongs, line by line."""
        columns, rows = self.chart.size
        lines: list[tuple[str, ...]] = []
        for row in range(rows):
            squares = self.chart.rows[row]
            line: list[str] = []
            for column, name in enumerate(squares):
                line += [name] * (self.column(column + 1) - self.column(column))
            lines += [tuple(line)] * (self.line(row + 1) - self.line(row))
        assert columns <= self.width
        return tuple(lines)

    @cached_property
    def runs(self) -> Mapping[str, tuple[CellRun, ...]]:
        """Each place's runs of cells, line by line."""
        runs_by_place: dict[str, list[CellRun]] = {}
        for y, line in enumerate(self.owners):
            start = 0
            for x in range(1, self.width + 1):
                if x == self.width or line[x] != line[start]:
                    runs_by_place.setdefault(line[start], []).append(CellRun(y, start, x))
                    start = x
        return {name: tuple(runs) for name, runs in runs_by_place.items()}

    @cached_property
    def outlines(self) -> Mapping[str, tuple[OutlineCell, ...]]:
        """The outline of each place. Beyond the edge of the drawing, the adjacent place is an empty string."""
        outlines: dict[str, list[OutlineCell]] = {name: [] for name in self.runs}
        blank_line = ("",) * self.width
        lines = (blank_line, *self.owners, blank_line)
        for y, (above, line, lower_line) in enumerate(
            zip(lines, lines[1:], lines[2:], strict=False)
        ):
            cells = zip(("", *line), line, (*line[1:], ""), above, lower_line, strict=False)
            for x, (left, name, right, upper, lower) in enumerate(cells):
                if not left == right == upper == lower == name:
                    sides = (None if side == name else side for side in (left, right, upper, lower))
                    outlines[name].append(OutlineCell(x, y, *sides))
        return {name: tuple(cells) for name, cells in outlines.items()}

    def owner(self, x: int, y: int) -> str:
        """Return the place at a cell; empty if the cell belongs to no place."""
        is_inside = 0 <= x < self.width and 0 <= y < self.height
        return self.owners[y][x] if is_inside else ""

    @cached_property
    def centres(self) -> Mapping[str, tuple[int, int]]:
        """The centre of the widest part of each place, as column and line."""
        centres = {}
        for name, runs in self.runs.items():
            widest_run = max(run.width for run in runs)
            widest_runs = [run for run in runs if run.width == widest_run]
            run = widest_runs[len(widest_runs) // 2]
            centres[name] = (run.start + run.stop) // 2, run.y
        return centres


@cache
def chart_layout(chart: AreaChart, width: int, height: int) -> ChartLayout:
    """Return a chart at the given size, with at least one cell per square."""
    columns, rows = chart.size
    return ChartLayout(chart, max(width, columns), max(height, rows))


def min_size(chart: AreaChart, zoom: Zoom) -> Size:
    """Return the minimum size of a drawing at a zoom level."""
    (columns, rows), (columns_per_square, lines_per_square) = (
        chart.size,
        _MIN_CELLS_PER_SQUARE[zoom],
    )
    return int(columns * columns_per_square), int(rows * lines_per_square)


def best_zoom(chart: AreaChart, width: int, height: int) -> Zoom:
    """Return the most detailed zoom level that shows the whole map; the overview if no level does."""
    for zoom in sorted(Zoom, reverse=True):
        columns, lines = min_size(chart, zoom)
        if columns <= width and lines <= height:
            return zoom
    return Zoom.OVERVIEW


def full_size(chart: AreaChart, zoom: Zoom, width: int, height: int) -> Size:
    """Return the size of a drawing that fills the available space, within the zoom level's and the chart's limits."""
    columns, lines = min_size(chart, zoom)
    max_columns, max_lines = (
        squares * cells for squares, cells in zip(chart.size, _MAX_CELLS_PER_SQUARE, strict=True)
    )
    return min(max(columns, width), max_columns), min(max(lines, height), max_lines)


# -- adjacency


@cache
def touching_pairs(chart: AreaChart) -> frozenset[tuple[str, str]]:
    """Return the pairs of places that share a side, in both orders."""
    pairs = {pair for row in chart.rows for pair in pairwise(row)}
    for row, lower_row in pairwise(chart.rows):
        pairs |= set(zip(row, lower_row, strict=True))
    return frozenset(
        pair
        for first, second in pairs
        if first and second and first != second
        for pair in ((first, second), (second, first))
    )


@cache
def neighbours_by_side(chart: AreaChart) -> Mapping[str, frozenset[str]]:
    """Return, for each place, the places that share a side with it."""
    neighbours: dict[str, set[str]] = {}
    for place, neighbour in touching_pairs(chart):
        neighbours.setdefault(place, set()).add(neighbour)
    return {name: frozenset(touching_areas) for name, touching_areas in neighbours.items()}


def bridge(chart_layout: ChartLayout, link: AreaLink) -> Bridge | None:
    """Return the line that links two places without a shared side; None if no line can be drawn."""
    # The cache key is just the two places, because the link's mark and owner do not affect the
    # line.
    return _bridge(chart_layout, link.first, link.second)


@cache
def _bridge(chart_layout: ChartLayout, first: str, second: str) -> Bridge | None:
    if (first, second) in touching_pairs(chart_layout.chart):
        return None
    return _corner_bridge(chart_layout, first, second) or _straight_bridge(
        chart_layout, first, second
    )


_Corner = tuple[str, str, str, str]
"""The places around a point where four squares meet: the two above, then the two below."""


@cache
def _corners(chart: AreaChart) -> Mapping[tuple[int, int], _Corner]:
    """Return the points inside the chart where squares of different places meet, row by row."""
    corners = {}
    for y, (above, lower_row) in enumerate(zip(chart.rows, chart.rows[1:], strict=False), start=1):
        squares = zip(above, above[1:], lower_row, lower_row[1:], strict=False)
        for x, places in enumerate(squares, start=1):
            if len(set(places)) > 1:
                corners[x, y] = places
    return corners


def _corner_bridge(chart_layout: ChartLayout, first: str, second: str) -> Bridge | None:
    """Return a stroke through the corner where two places meet; None if they do not meet at a corner."""
    ends = {first, second}
    for point, (above_left, above_right, below_left, below_right) in _corners(
        chart_layout.chart
    ).items():
        if ends in ({above_left, below_right}, {above_right, below_left}):
            x, y = chart_layout.column(point[0]), chart_layout.line(point[1])
            if ends == {above_left, below_right}:
                return Bridge(((x - 1, y - 1, "\\"), (x, y, "\\")))
            return Bridge(((x, y - 1, "/"), (x - 1, y, "/")))
    return None


def _straight_bridge(chart_layout: ChartLayout, first: str, second: str) -> Bridge | None:
    """Return strokes along the shortest straight line between two places; None if they are too far apart."""
    rows, corners = chart_layout.chart.rows, _corners(chart_layout.chart)
    starts = [
        (point, places) for point, places in corners.items() if first in places or second in places
    ]
    for length in range(1, _MAX_BRIDGE_LENGTH + 1):
        candidates = []
        for (x, y), places in starts:
            for dx, dy in ((1, 0), (0, 1)):
                far_places = corners.get((x + dx * length, y + dy * length), ())
                if (first in places and second in far_places) or (
                    second in places and first in far_places
                ):
                    is_inside = rows[y][x] == rows[y - dx][x - dy]
                    # False sorts first, so a line along the border of other places is preferred.
                    candidates.append((is_inside, (x, y), (dx, dy)))
        if candidates:
            _, start, step = min(candidates)
            return Bridge(_strokes(chart_layout, start, step, length))
    return None


def _strokes(
    chart_layout: ChartLayout, start: tuple[int, int], step: tuple[int, int], length: int
) -> tuple[tuple[int, int, str], ...]:
    x, y = start
    if step == (1, 0):
        columns = range(chart_layout.column(x), chart_layout.column(x + length))
        return tuple((column, chart_layout.line(y) - 1, "=") for column in columns)
    lines = range(chart_layout.line(y), chart_layout.line(y + length))
    return tuple((chart_layout.column(x), line, "|") for line in lines)

"""Draws the score of a finished game as a text chart, on top of the bands of points that decide the game."""

import textwrap
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Final, NamedTuple

from rich.cells import cell_len

from engine.kernel.scoring import ScoreBand, ScoreCurve, ScoreScale, ScoreSide, band_of
from play.game_summary import ScoreSample
from tui.drawing.colour_roles import TextRole
from tui.panels.status_segments import Row, Toned

_MIN_ROWS: Final = 5
_MAX_GROUP_ROWS: Final = 3
"""Maximum number of rows for one value if there are fewer values than rows."""
_MARGIN_CELLS: Final = {0: 0, 70: 16, 100: 25}
"""Width of the right margin, which contains the names of bands and curves, by minimum width of the chart."""
_SECOND_CURVE: Final = "•"
_RIVALS: Final = 2
"""Number of curves between which one can lead."""
_CAPTION_GAP: Final = 2
"""Minimum number of cells between two captions below the chart."""
_EDGE: Final = "·"
"""Marks the lower edge of a band if colours cannot show it."""


class ChartMark(NamedTuple):
    """A numbered mark on the curve."""

    seq: int
    label: str
    tone: TextRole


class _Rows(NamedTuple):
    """The range of values that the rows of a chart represent."""

    top_value: int
    """Highest value in the top row."""
    step: int
    """Number of values that share their rows."""
    groups: int
    """Number of groups of such values, at most `total`. Each has one row or several adjacent ones."""
    total: int

    def row_of(self, value: int) -> int:
        """Return the middle row of a value's group."""
        group = min(max((self.top_value - value) // self.step, 0), self.groups - 1)
        first, after = (number * self.total // self.groups for number in (group, group + 1))
        return (first + after - 1) // 2

    def lowest_value(self, row: int) -> int:
        return self.highest_value(row) - self.step + 1

    def highest_value(self, row: int) -> int:
        group = ((row + 1) * self.groups - 1) // self.total
        return self.top_value - group * self.step

    def label(self, row: int) -> str:
        """Return the highest value of a row if the curve can pass through the row; empty otherwise."""
        value = self.highest_value(row)
        return str(value) if self.row_of(value) == row else ""


class _Cell(NamedTuple):
    text: str
    tone: TextRole | None = None
    """Tone of the text; None to use the tone of the row's band."""


def score_chart(
    scale: ScoreScale,
    sides: Sequence[ScoreSide],
    samples: Sequence[ScoreSample],
    marks: Sequence[ChartMark],
    size: tuple[int, int],
) -> tuple[Row, ...]:
    """Return the lines of the chart, followed by a line with the turns.

    With two curves, the leader's colour fills the space between them, and a last line gives the lead in each turn.

    Args:
        scale: What the score counts, and its bands.
        sides: Both sides. The first one has the first colour.
        samples: The score over time; at least one sample.
        marks: Marks to draw beside the curve.
        size: Available width and height in cells, including the lines below the chart.
    """
    width, height = size
    has_lead = len(scale.curves) == _RIVALS
    rows = _scale_rows(scale, samples, max(height - 1 - has_lead, _MIN_ROWS))
    label_cells = max(len(str(rows.highest_value(row))) for row in (0, rows.total - 1)) + 2
    least_width = max(min_cells for min_cells in _MARGIN_CELLS if min_cells <= width)
    margin = _MARGIN_CELLS[least_width]
    plot_cells = max(width - label_cells - margin, 10)
    columns = _columns(samples, plot_cells)
    tones = _curve_tones(scale.curves, sides)
    heights = [
        [rows.row_of(samples[index].values[number]) for index in columns]
        for number in range(len(scale.curves))
    ]
    cells = _lead_cells(heights, tones) if has_lead else {}
    for number in reversed(range(len(heights))):
        _draw_curve(cells, heights[number], tones[number], is_dotted=number > 0)
    _draw_marks(cells, heights[0], rows.total, _mark_places(samples, columns, marks))
    margin_texts = (
        _band_names(scale, rows, margin - 1)
        if scale.bands
        else _curve_names(scale, samples[-1], rows, tones)
    )
    lines: list[Row] = []
    for row in range(rows.total):
        band = band_of(scale.bands, rows.lowest_value(row))
        tone = _band_tone(band, sides, has_bands=bool(scale.bands))
        is_edge = band is not None and row + 1 < rows.total and not _holds(band, rows, row + 1)
        pieces: list[Toned] = [(f"{rows.label(row):>{label_cells - 1}} ", TextRole.DIM)]
        pieces += _plot_pieces(cells, row, plot_cells, tone, is_edge=is_edge)
        text, text_tone = margin_texts.get(row, ("", TextRole.DIM))
        if margin and text:
            pieces.append((f" {text}", text_tone))
        lines.append(tuple(pieces))
    leads = [_lead_text(scale.curves, sample.values) if has_lead else "" for sample in samples]
    captions = list(_captions(samples, columns, leads, width - label_cells))
    lines.append(_caption_line([(at, samples[index].turn) for at, index in captions], label_cells))
    if has_lead:
        lines.append(_caption_line([(at, leads[index]) for at, index in captions], label_cells))
    return tuple(lines)


def _holds(band: ScoreBand, rows: _Rows, row: int) -> bool:
    return band.contains(rows.lowest_value(row))


def _scale_rows(scale: ScoreScale, samples: Sequence[ScoreSample], height: int) -> _Rows:
    """Choose the values of the rows so that the curve and the nearest band edges are visible."""
    values = [value for sample in samples for value in sample.values]
    low, high = min(values), max(values)
    reach = max(high - low, 4)
    edges = [band.least for band in scale.bands if band.least is not None]
    low = min([low, *(edge - 1 for edge in edges if low - reach <= edge <= low)])
    high = max([high, *(edge for edge in edges if high < edge <= high + reach)])
    while high - low + 1 < _MIN_ROWS:
        high += 1
        low -= high - low + 1 < _MIN_ROWS and low > 0
    # If a row covers several values, the chart's top is a multiple of the number of values per row.
    for step in range(-(-(high - low + 1) // height), high - low + 3):
        top = -(-high // step) * step
        if top - step * height + 1 <= low:
            groups = -(-(top - low + 1) // step)
            return _Rows(top, step, groups, min(height, groups * _MAX_GROUP_ROWS))
    raise AssertionError("one row can hold all values")


def _columns(samples: Sequence[ScoreSample], width: int) -> list[int]:
    """Return the index of the sample shown in each column."""
    last_column = len(samples) - 1
    if not last_column:
        return [0] * width
    return [column * last_column // (width - 1) for column in range(width)]


def _curve_tones(curves: Sequence[ScoreCurve], sides: Sequence[ScoreSide]) -> list[TextRole | None]:
    first_side = sides[0].id if sides else None
    return [
        None
        if curve.side is None
        else TextRole.SIDE_ONE
        if curve.side == first_side
        else TextRole.SIDE_TWO
        for curve in curves
    ]


def _draw_curve(
    cells: dict[tuple[int, int], _Cell],
    heights: Sequence[int],
    tone: TextRole | None,
    *,
    is_dotted: bool,
) -> None:
    """Draw a curve, given its row in each column.

    A dotted curve can be distinguished from the other curve without colours.
    """
    for column, row in enumerate(heights):
        cells[column, row] = _Cell(_SECOND_CURVE if is_dotted else "━", tone)
    for column, (previous_row, row) in enumerate(pairwise(heights), start=1):
        if previous_row == row:
            continue
        is_falling = row > previous_row
        for row_between in range(min(previous_row, row) + 1, max(previous_row, row)):
            cells[column, row_between] = _Cell(_SECOND_CURVE if is_dotted else "┃", tone)
        if is_dotted:
            cells[column, previous_row] = _Cell(_SECOND_CURVE, tone)
        else:
            cells[column, previous_row] = _Cell("┓" if is_falling else "┛", tone)
            cells[column, row] = _Cell("┗" if is_falling else "┏", tone)


def _draw_marks(
    cells: dict[tuple[int, int], _Cell],
    heights: Sequence[int],
    row_count: int,
    places: Sequence[tuple[int, ChartMark]],
) -> None:
    """Write each mark next to the curve, in the given column."""

    def is_free(at: int, row: int) -> bool:
        return (at, row) not in cells or cells[at, row].text == " "

    for column, mark in places:
        row = heights[column]
        free_cells = [
            (edge_column, row_beside)
            for row_beside in (row - 1, row + 1, row - 2, row + 2)
            for edge_column in (column, column + 1, column - 1, column + 2)
            if 0 <= row_beside < row_count
            and 0 <= edge_column < len(heights)
            and is_free(edge_column, row_beside)
        ]
        if free_cells:
            cells[free_cells[0]] = _Cell(mark.label, mark.tone)


def _mark_places(
    samples: Sequence[ScoreSample], columns: Sequence[int], marks: Sequence[ChartMark]
) -> list[tuple[int, ChartMark]]:
    """Return each mark with the first column that shows the score after the mark's record."""
    seqs = [sample.seq for sample in samples]
    return [
        (min(bisect_left(columns, bisect_left(seqs, mark.seq)), len(columns) - 1), mark)
        for mark in marks
    ]


def _plot_pieces(
    cells: Mapping[tuple[int, int], _Cell], row: int, width: int, tone: TextRole, *, is_edge: bool
) -> list[Toned]:
    """Return a row of the plot. Adjacent cells of the same tone are joined."""
    blanks = (_EDGE if is_edge and not column % 2 else " " for column in range(width))
    row_cells = (cells.get((column, row), _Cell(blank)) for column, blank in enumerate(blanks))
    toned_texts = ((cell.text, tone if cell.tone is None else cell.tone) for cell in row_cells)
    return [
        ("".join(text for text, _ in group), group_tone)
        for group_tone, group in groupby(toned_texts, key=lambda piece: piece[1])
    ]


def _band_tone(band: ScoreBand | None, sides: Sequence[ScoreSide], *, has_bands: bool) -> TextRole:
    if not has_bands:
        return TextRole.PLAIN
    if band is None or band.winner is None:
        return TextRole.BAND_NEUTRAL
    if band.winner == sides[0].id:
        return TextRole.BAND_ONE_DEEP if band.is_decisive else TextRole.BAND_ONE
    return TextRole.BAND_TWO_DEEP if band.is_decisive else TextRole.BAND_TWO


def band_range(band: ScoreBand) -> str:
    """Return a band's range of points in words."""
    if band.least is None:
        return f"{band.most} or fewer"
    if band.most is None:
        return f"{band.least} or more"
    return f"{band.least} to {band.most}" if band.least < band.most else str(band.least)


def _band_names(scale: ScoreScale, rows: _Rows, width: int) -> dict[int, Toned]:
    """Return the names of the visible bands by row, wrapped to the margin. Names that do not fit are omitted."""
    names: dict[int, Toned] = {}
    for band in scale.bands if width > 0 else ():
        band_rows = [row for row in range(rows.total) if band.contains(rows.lowest_value(row))]
        text = f"{band.text}: {band_range(band)}"
        lines = textwrap.wrap(text, width)
        if len(lines) > len(band_rows):
            lines = textwrap.wrap(band.text, width)
        if len(lines) <= len(band_rows):
            names |= {
                row: (line, TextRole.DIM) for row, line in zip(band_rows, lines, strict=False)
            }
    return names


def unnamed_bands(
    scale: ScoreScale, samples: Sequence[ScoreSample], size: tuple[int, int]
) -> tuple[ScoreBand, ...]:
    """Return the visible bands whose range of points does not fit into the chart's margin."""
    width, height = size
    rows = _scale_rows(scale, samples, max(height - 1, _MIN_ROWS))
    margin = _MARGIN_CELLS[max(min_cells for min_cells in _MARGIN_CELLS if min_cells <= width)]
    texts = " ".join(text for text, _ in _band_names(scale, rows, margin - 1).values())
    return tuple(
        band
        for band in scale.bands
        if any(band.contains(rows.lowest_value(row)) for row in range(rows.total))
        and f"{band.text}: {band_range(band)}" not in texts
    )


def _curve_names(
    scale: ScoreScale, last_sample: ScoreSample, rows: _Rows, tones: Sequence[TextRole | None]
) -> dict[int, Toned]:
    """Return the name and final points of each curve, at the row where the curve ends."""
    names: dict[int, Toned] = {}
    for curve, value, tone in zip(scale.curves, last_sample.values, tones, strict=True):
        row = rows.row_of(value)
        while row in names and row + 1 < rows.total:
            row += 1
        names[row] = f"{curve.name} {value}", TextRole.HEAD if tone is None else tone
    return names


def _captions(
    samples: Sequence[ScoreSample], columns: Sequence[int], leads: Sequence[str], width: int
) -> Iterator[tuple[int, int]]:
    """Yield the column where each turn begins, with the index of its sample. Turns whose texts overlap are omitted."""
    shown_turn, end = "", -_CAPTION_GAP
    for column, index in enumerate(columns):
        turn = samples[index].turn
        cells = max(cell_len(turn), cell_len(leads[index]))
        if turn != shown_turn and column >= end + _CAPTION_GAP and column + cells <= width:
            yield column, index
            end = column + cells
        shown_turn = turn


def _caption_line(texts: Sequence[tuple[int, str]], indent: int) -> Row:
    """Return a line with each text at its column."""
    line = ""
    for column, text in texts:
        line = line.ljust(indent + column) + text
    return line, TextRole.DIM


def _lead_text(curves: Sequence[ScoreCurve], values: Sequence[int]) -> str:
    """Return which of two curves leads, and by how much."""
    lead = values[0] - values[1]
    return f"{curves[lead < 0].name} +{abs(lead)}" if lead else "level"


def _lead_cells(
    heights: Sequence[Sequence[int]], tones: Sequence[TextRole | None]
) -> dict[tuple[int, int], _Cell]:
    """Return the cells between two curves, in the colour of the curve that leads."""
    bands = {TextRole.SIDE_ONE: TextRole.BAND_ONE, TextRole.SIDE_TWO: TextRole.BAND_TWO}
    cells = {}
    for column, (first, second) in enumerate(zip(*heights, strict=True)):
        leader = tones[0] if first < second else tones[1]
        tone = TextRole.PLAIN if leader is None else bands[leader]
        for row in range(min(first, second) + 1, max(first, second)):
            cells[column, row] = _Cell(" ", tone)
    return cells

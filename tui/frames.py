"""What the terminal shows now, so that only cells that change are sent (robustness S6).

Textual repaints whole widgets and, after a change of layout, whole screens. Over a slow line that is too
much; this model of the screen turns each repaint into the few runs of cells that differ.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import compress, count, repeat
from operator import ne
from typing import Final

from rich.cells import get_character_cell_size
from rich.color import ColorSystem
from rich.segment import Segment

from tui.inks import Cell, Pen, is_same_blank

Placed = tuple[int, int, Sequence[Segment]]
"""Line, column, and what is painted from there on."""

_NARROW: Final = re.compile(
    "[ -~\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2190-\u21ff\u2500-\u25fc\u2605\u2606]*"
)
"""Letters that take one cell each, without a look at the tables."""
_UNKNOWN: Final[Cell] = ("\0", None)
_NEAR: Final = 4
"""Runs so close to each other are sent as one: moving the cursor costs as much."""


def cells_of(segments: Iterable[Segment]) -> list[Cell]:
    """Return the segments cell by cell."""
    cells: list[Cell] = []
    for text, style, control in segments:
        if control:
            continue
        if text.isascii() or _NARROW.fullmatch(text):
            cells.extend(zip(text, repeat(style)))
            continue
        for letter in text:
            width = get_character_cell_size(letter)
            if width == 0 and cells:
                before, look = cells[-1]
                cells[-1] = (before + letter, look)
            elif width:
                cells.append((letter, style))
                cells.extend(repeat(("", style), width - 1))
    return cells


class Frame:
    """The cells that the terminal shows."""

    def __init__(self) -> None:
        self._size = (0, 0)
        self._rows: list[list[Cell]] = []

    def forget(self) -> None:
        """Know nothing any more, so that the next update is sent whole."""
        columns, rows = self._size
        self._rows = [[_UNKNOWN] * columns for _ in range(rows)]

    def fit(self, columns: int, rows: int) -> None:
        """Take the size of the terminal; another size means that nothing is known."""
        if self._size != (columns, rows):
            self._size = (columns, rows)
            self.forget()

    def update(self, placed: Iterable[Placed], colours: ColorSystem) -> str:
        """Return the sequences that bring the terminal up to date; empty when nothing changes."""
        pen = Pen(colours)
        for line, column, segments in placed:
            if 0 <= line < len(self._rows):
                self._line(line, column, cells_of(segments), pen)
        return pen.text()

    def _line(self, line: int, column: int, cells: list[Cell], pen: Pen) -> None:
        row = self._rows[line]
        cells = cells[: max(len(row) - column, 0)]
        before = row[column : column + len(cells)]
        if before == cells:
            return
        row[column : column + len(cells)] = cells
        for start, stop in _runs(before, cells):
            pen.go(line, column + start)
            pen.write(cells[start:stop])


def _runs(before: list[Cell], after: list[Cell]) -> Iterator[tuple[int, int]]:
    """Yield the ranges that differ; wide letters stay whole, near neighbours are joined."""
    start = stop = -1
    for place in compress(count(), map(ne, before, after)):
        if is_same_blank(before[place], after[place]):
            continue
        if start < 0:
            start = place
        elif place - stop > _NEAR:
            yield _whole(before, after, start, stop)
            start = place
        stop = place + 1
    if start >= 0:
        yield _whole(before, after, start, stop)


def _whole(before: list[Cell], after: list[Cell], start: int, stop: int) -> tuple[int, int]:
    """Return the range widened to whole letters, old and new."""
    while start > 0 and ("" in (before[start][0], after[start][0])):
        start -= 1
    while stop < len(after) and ("" in (before[stop][0], after[stop][0])):
        stop += 1
    return start, stop

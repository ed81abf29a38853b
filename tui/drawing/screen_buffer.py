"""A model of the terminal's contents, used to send only changed cells (robustness S6).

Textual repaints whole widgets and, after a layout change, whole screens. That is too much for a slow connection, so
each repaint is reduced to the runs of cells that differ.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import compress, count, repeat
from operator import ne
from typing import Final

from rich.cells import get_character_cell_size
from rich.color import ColorSystem
from rich.segment import Segment

from tui.drawing.ansi_writer import AnsiWriter, Cell, is_same_blank

Placed = tuple[int, int, Sequence[Segment]]
"""Line and column of a cell, and the segments painted from there to the right."""

_NARROW_TEXT: Final = re.compile(
    "[ -~\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2190-\u21ff\u2500-\u25fc\u2605\u2606]*"
)
"""Matches text in which every character is one cell wide. Such text needs no width lookup."""
# The output filter removes NUL, so this cell differs from every cell that can be drawn.
_UNKNOWN_CELL: Final[Cell] = ("\0", None)
_MAX_GAP: Final = 4
"""Maximum gap, in cells, between runs that are sent as one run. Moving the cursor would cost as many bytes."""


def split_cells(segments: Iterable[Segment]) -> list[Cell]:
    """Split segments into cells."""
    cells: list[Cell] = []
    for text, style, control in segments:
        if control:
            continue
        if text.isascii() or _NARROW_TEXT.fullmatch(text):
            cells.extend(zip(text, repeat(style)))
            continue
        for character in text:
            width = get_character_cell_size(character)
            # A combining character belongs to the cell of the character before it.
            if width == 0 and cells:
                base, base_style = cells[-1]
                cells[-1] = (base + character, base_style)
            elif width:
                cells.append((character, style))
                cells.extend(repeat(("", style), width - 1))
    return cells


class ScreenBuffer:
    """The cells that the terminal shows."""

    def __init__(self) -> None:
        self._size = (0, 0)
        self._rows: list[list[Cell]] = []

    def invalidate(self) -> None:
        """Treat every cell as unknown, so that the next update sends all cells."""
        columns, rows = self._size
        self._rows = [[_UNKNOWN_CELL] * columns for _ in range(rows)]

    def resize(self, columns: int, rows: int) -> None:
        """Set the terminal's size. If the size has changed, treat every cell as unknown."""
        if self._size != (columns, rows):
            self._size = (columns, rows)
            self.invalidate()

    def update(self, placed: Iterable[Placed], colours: ColorSystem) -> str:
        """Return the escape sequences that bring the terminal up to date; empty if nothing has changed."""
        writer = AnsiWriter(colours)
        for line, column, segments in placed:
            if 0 <= line < len(self._rows):
                self._update_line(line, column, split_cells(segments), writer)
        return writer.text()

    def _update_line(self, line: int, column: int, cells: list[Cell], writer: AnsiWriter) -> None:
        row = self._rows[line]
        cells = cells[: max(len(row) - column, 0)]
        cells_before = row[column : column + len(cells)]
        if cells_before == cells:
            return
        # The row may now record a blank in a style that was not sent. This is safe, because the
        # blank looks the same.
        row[column : column + len(cells)] = cells
        for start, stop in _changed_ranges(cells_before, cells):
            writer.move_to(line, column + start)
            writer.write(cells[start:stop])


def _changed_ranges(old_cells: list[Cell], new_cells: list[Cell]) -> Iterator[tuple[int, int]]:
    """Yield the ranges of cells that differ. Ranges close together are joined, and wide characters are not split."""
    start = stop = -1
    for index in compress(count(), map(ne, old_cells, new_cells)):
        if is_same_blank(old_cells[index], new_cells[index]):
            continue
        if start < 0:
            start = index
        elif index - stop > _MAX_GAP:
            yield _widen_to_characters(old_cells, new_cells, start, stop)
            start = index
        stop = index + 1
    if start >= 0:
        yield _widen_to_characters(old_cells, new_cells, start, stop)


def _widen_to_characters(
    old_cells: list[Cell], new_cells: list[Cell], start: int, stop: int
) -> tuple[int, int]:
    """Widen a range so that it does not split a wide character, in the old or the new cells."""
    while start > 0 and ("" in (old_cells[start][0], new_cells[start][0])):
        start -= 1
    while stop < len(new_cells) and ("" in (old_cells[stop][0], new_cells[stop][0])):
        stop += 1
    return start, stop

"""Positions the names of seas and countries, which span many small hexes."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from tui.drawing.colour_roles import TextRole
from tui.maps.hexmap.elements import Caption
from tui.maps.pieces import Cell, is_coverable, overwrite

DrawLine = Callable[[int], Sequence[Cell]]
HexCentre = Callable[[str], tuple[int, int]]

_LINE_OFFSETS = (0, -1, 1, -2, 2, -3, 3)
_PLACE_GAP = 2
"""Distance in cells from the centre of a hex to its name."""
_COLUMN_OFFSETS = (0, -3, 3, -6, 6, -9, 9, -12, 12)
"""Allowed offsets of a caption from its preferred position, in lines and cells, nearest first."""


class PlacedCaptions:
    """The captions that fit on the map, with their positions."""

    def __init__(
        self, captions: Iterable[Caption], hex_centre: HexCentre, draw_line: DrawLine
    ) -> None:
        """Position the captions in order. Captions that do not fit are omitted.

        Args:
            captions: The captions, most important first.
            hex_centre: Returns the cell at the centre of a hex.
            draw_line: Draws a line of the map without captions.
        """
        self._lines: dict[int, list[tuple[int, str, Caption]]] = {}
        for caption in captions:
            for text in (caption.wide, caption.text):
                centre = hex_centre(caption.hex)
                starts = _starts_beside if caption.is_place else _starts_around
                position = next(self._free_positions(text, starts(text, *centre), draw_line), None)
                if text and position is not None:
                    x, y = position
                    self._lines.setdefault(y, []).append((x, text, caption))
                    break

    def _free_positions(
        self, text: str, positions: Iterable[tuple[int, int]], draw_line: DrawLine
    ) -> Iterator[tuple[int, int]]:
        """Yield the positions where the text would not cover anything important."""
        for start, y in positions:
            cells, placed = draw_line(y), self._lines.get(y, ())
            stop = start + len(text)
            if start < 1 or stop >= len(cells):
                continue
            is_free = all(
                start > placed_start + len(placed_text) + 1 or stop + 1 < placed_start
                for placed_start, placed_text, _ in placed
            )
            if is_free and all(map(is_coverable, cells[start - 1 : stop + 1])):
                yield start, y

    def chars(self, y: int) -> dict[int, tuple[str, TextRole]]:
        """Return the characters of the captions on line `y` and their tones, by column."""
        return {
            column: (char, caption.tone)
            for x, text, caption in self._lines.get(y, ())
            for column, char in enumerate(text, x)
            if char != " "
        }

    def write(self, cells: list[Cell], y: int) -> None:
        """Write the captions that are on line `y` into the line's cells."""
        for column, (char, tone) in self.chars(y).items():
            overwrite(cells, column, char, tone)


def _starts_around(text: str, x: int, y: int) -> Iterator[tuple[int, int]]:
    """Yield the positions of an area's name near the centre of the area, nearest first."""
    for line_offset in _LINE_OFFSETS:
        for column_offset in _COLUMN_OFFSETS:
            yield x - len(text) // 2 + column_offset, y + line_offset


def _starts_beside(text: str, x: int, y: int) -> Iterator[tuple[int, int]]:
    """Yield the positions of a place's name to the right, to the left, below and above its hex."""
    start_column = x - len(text) // 2
    for line in (y, y - 1):
        yield x + _PLACE_GAP, line
        yield x - _PLACE_GAP - len(text), line
    yield start_column, y + 1
    yield start_column, y - 2

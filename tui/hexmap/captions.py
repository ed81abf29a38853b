"""Positions the names of seas and countries, which span many small hexes."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from tui.hexmap.elements import Caption
from tui.hexmap.pieces import Cell, can_draw_over, overwrite

Line = Callable[[int], Sequence[Cell]]
Middle = Callable[[str], tuple[int, int]]

_DOWN = (0, -1, 1, -2, 2, -3, 3)
_ACROSS = (0, -3, 3, -6, 6, -9, 9, -12, 12)
"""Allowed horizontal offsets of a caption from its preferred position, nearest first."""


class PlacedCaptions:
    """The captions for which there is room, with their positions."""

    def __init__(self, captions: Iterable[Caption], middle: Middle, line: Line) -> None:
        """Place the captions in order, omitting those that do not fit.

        Args:
            captions: The captions, most important first.
            middle: Returns the cell at the middle of a hex.
            line: Draws a line of the map without captions.
        """
        self._lines: dict[int, list[tuple[int, str, Caption]]] = {}
        for caption in captions:
            for text in (caption.wide, caption.text):
                found = next(self._rooms(text, *middle(caption.hex), line), None)
                if text and found is not None:
                    x, y = found
                    self._lines.setdefault(y, []).append((x, text, caption))
                    break

    def _rooms(self, text: str, x: int, y: int, line: Line) -> Iterator[tuple[int, int]]:
        """Yield the positions near the preferred one where a text would cover nothing."""
        for down in _DOWN:
            cells = line(y + down)
            taken = self._lines.get(y + down, ())
            for across in _ACROSS:
                start = x - len(text) // 2 + across
                stop = start + len(text)
                if start < 1 or stop >= len(cells):
                    continue
                is_free = all(
                    start > at + len(other) + 1 or stop + 1 < at for at, other, _ in taken
                )
                if is_free and all(map(can_draw_over, cells[start - 1 : stop + 1])):
                    yield start, y + down

    def write(self, cells: list[Cell], y: int) -> None:
        """Write the captions on line `y` into its cells."""
        for x, text, caption in self._lines.get(y, ()):
            for at, letter in enumerate(text, x):
                if letter != " ":
                    overwrite(cells, at, letter, caption.tone)

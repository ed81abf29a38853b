"""Draws a scene: one line of the map at a time, as a strip; a pure function of scene, zoom, cursor and palette."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator

from rich.segment import Segment
from textual.strip import Strip

from tui.hexmap.geometry import SHAPES, Shape, column_at, shift, spot
from tui.hexmap.inside import interior, is_bare
from tui.hexmap.pieces import Piece, merged
from tui.hexmap.scene import Border, Ground, HexCell, HexScene, Place
from tui.hexmap.tracks import with_tracks
from tui.marks import HIGHLIGHT_TONES, Highlight, Zoom
from tui.palette import Palette
from tui.tones import Tone


def is_shown(cell: HexCell | None) -> bool:
    """Return whether a hex has an outline."""
    return cell is not None and cell.ground is not Ground.VOID


class _Line(ABC):
    """One line of the drawing under construction."""

    def __init__(self, scene: HexScene, zoom: Zoom, y: int, cursor: str) -> None:
        self.scene = scene
        self.zoom = zoom
        self.shape: Shape = SHAPES[scene.grid.top][zoom]
        self.y = y
        self.cursor = cursor

    def place(self, column: int) -> tuple[int, int]:
        """Return the map row and the line inside the hex that this line crosses in a column."""
        down = shift(self.scene, self.shape, column, 0).y
        row, line = divmod(self.y - self.shape.roof - down, self.shape.height)
        return self.scene.first_row + row, line

    def beside(self, column: int, row: int, side: str) -> Place:
        """Return the coordinates across a side."""
        grid = self.scene.grid
        return grid.neighbour(column, row, grid.sides.index(side))

    def is_cursor(self, cell: HexCell | None) -> bool:
        """Return whether a hex is the one under the cursor."""
        return cell is not None and bool(cell.id) and cell.id == self.cursor

    @abstractmethod
    def pieces(self, first: int, last: int) -> Iterator[Piece]:
        """Yield the pieces from the left edge of one place up to the right edge of another, counted from the left."""


class _LeaningLine(_Line):
    """A line through flat-topped hexes."""

    def _edge(self, line: int, border: Border | None, *, shown: bool, near_cursor: str) -> Piece:
        """Return the character between two columns."""
        if near_cursor:
            return near_cursor, Tone.CURSOR
        if border is not None:
            return border[0].upright, border[1]
        if self.zoom is Zoom.OVERVIEW or not shown:
            return " ", Tone.GRID
        return "/" if line < self.shape.slope else "\\", Tone.GRID

    def _inside(self, column: int, row: int, line: int) -> Iterable[Piece]:
        """Return the pieces of the hex in a column, or what stands for a missing one."""
        cell = self.scene.at(column, row)
        if cell is not None and cell.id == self.cursor:
            text = "".join(text for text, _ in interior(cell, self.shape, self.zoom, line))
            return ((text, Tone.CURSOR),)
        if cell is not None and is_shown(cell):
            return self._floored(column, row, line, interior(cell, self.shape, self.zoom, line))
        width = self.shape.width(line)
        if self.zoom is Zoom.OVERVIEW or line != self.shape.height - 1:
            return ((" " * width, Tone.VOID),)
        below = self.scene.at(*self.beside(column, row, "S"))
        floor = ("_" * width, Tone.GRID) if is_shown(below) else (" " * width, Tone.VOID)
        return self._floored(column, row, line, (floor,))

    def _floored(
        self, column: int, row: int, line: int, pieces: tuple[Piece, ...]
    ) -> Iterable[Piece]:
        """Return the last line of a hex with its lower border."""
        border = self.scene.borders.get((column, row, "S"))
        if border is None or line != self.shape.height - 1:
            return pieces
        return [
            (border[0].level * len(text), border[1]) if not text.strip("_ ") else (text, tone)
            for text, tone in pieces
        ]

    def pieces(self, first: int, last: int) -> Iterator[Piece]:
        """Yield the pieces from the left edge of one place up to the right edge of another, counted from the left."""
        before: HexCell | None = None
        for place in range(first, last + 1):
            column = column_at(self.scene, place)
            row, line = self.place(column)
            cell = self.scene.at(column, row)
            near = "[" if self.is_cursor(cell) else "]" if self.is_cursor(before) else ""
            side = "NW" if line < self.shape.slope else "SW"
            border = self.scene.borders.get((column, row, side))
            shown = is_shown(cell) or is_shown(before)
            yield self._edge(line, border, shown=shown, near_cursor=near)
            yield from self._inside(column, row, line)
            before = cell


class _UprightLine(_Line):
    """A line through pointy-topped hexes; the first line of a hex is the last of those above."""

    def _border(self, column: int, row: int, side: str) -> tuple[bool, Border | None]:
        """Return whether there is an edge at a side, and how it looks when it is not plain."""
        border = self.scene.borders.get((column, row, side))
        if border is not None or is_shown(self.scene.at(column, row)):
            return True, border
        return is_shown(self.scene.at(*self.beside(column, row, side))), None

    def pieces(self, first: int, last: int) -> Iterator[Piece]:
        """Yield the pieces from the left edge of one place up to the right edge of another, counted from the left."""
        row, line = self.place(0)
        before: HexCell | None = None
        for place in range(first, last + 1):
            column = column_at(self.scene, place)
            cell = self.scene.at(column, row)
            if line == 0 and self.shape.height > 1:
                yield from self._head(column, row, cell)
            else:
                yield self._side(column, row, cell, before)
                yield from self._inside(column, row, cell, line)
            before = cell

    def _inside(self, column: int, row: int, cell: HexCell | None, line: int) -> Iterable[Piece]:
        if cell is None or not is_shown(cell):
            return ((" " * self.shape.flat, Tone.VOID),)
        pieces = interior(cell, self.shape, self.zoom, line)
        if self.zoom is not Zoom.OVERVIEW:
            return pieces
        if self.is_cursor(cell):
            return (("".join(text for text, _ in pieces), Tone.CURSOR),)
        return self._low_roof(column, row, cell, pieces)

    def _low_roof(
        self, column: int, row: int, cell: HexCell, pieces: tuple[Piece, ...]
    ) -> Iterable[Piece]:
        """Return the line of the overview with the upper borders that stand out, where nothing but ground is."""
        borders = [self.scene.borders.get((column, row, side)) for side in ("NW", "NE")]
        if not any(borders) or not is_bare(cell):
            return pieces
        letters = [(letter, tone) for text, tone in pieces for letter in text]
        for border, at in zip(borders, (0, len(letters) - 1), strict=True):
            if border is not None:
                letters[at] = border[0].level, border[1]
        return letters

    def _side(self, column: int, row: int, cell: HexCell | None, before: HexCell | None) -> Piece:
        """Return the left edge of a hex; in the overview also why the hex stands out."""
        if self.is_cursor(cell) or self.is_cursor(before):
            return "[" if self.is_cursor(cell) else "]", Tone.CURSOR
        if self.zoom is Zoom.OVERVIEW and cell is not None and cell.highlight is not Highlight.NONE:
            return cell.highlight.value, HIGHLIGHT_TONES[cell.highlight]
        shown, border = self._border(column, row, "W")
        if border is not None:
            return border[0].upright, border[1]
        if self.zoom is Zoom.OVERVIEW or not shown:
            return " ", Tone.GRID
        return "▏", Tone.GRID

    def _head(self, column: int, row: int, cell: HexCell | None) -> Iterator[Piece]:
        """Yield the upper corners with what stands between them."""
        shape = self.shape
        inside = tuple(self._inside(column, row, cell, 0))
        if self.is_cursor(cell):
            text = "".join(text for text, _ in inside)
            yield f"╱{text[: shape.flat - 1]}╲", Tone.CURSOR
            return
        left, right = self._border(column, row, "NW"), self._border(column, row, "NE")
        half, end = shape.pitch // 2 - 1, shape.flat - 1
        yield self._corner("╱", *left)
        if left[1] is None and right[1] is None:
            yield from cut(inside, 0, end)
        else:
            yield from self._roof(left[1], half, inside if len(inside[0][0]) <= half else ())
            yield from self._roof(right[1], end - half, ())
        yield self._corner("╲", *right)

    def _corner(self, letter: str, shown: bool, border: Border | None) -> Piece:  # noqa: FBT001
        if border is not None:
            return letter, border[1]
        return (letter, Tone.GRID) if shown else (" ", Tone.VOID)

    def _roof(self, border: Border | None, width: int, plain: Iterable[Piece]) -> Iterable[Piece]:
        """Return half of the line between the corners; a number that does not fit beside a border is left out."""
        if border is not None:
            return ((border[0].level * width, border[1]),)
        return (*cut(plain, 0, width), (" " * (0 if plain else width), Tone.VOID))


def cut(pieces: Iterable[Piece], start: int, stop: int) -> Iterator[Piece]:
    """Yield the part of a line from one cell up to another."""
    at = 0
    for text, tone in pieces:
        part = text[max(start - at, 0) : max(stop - at, 0)]
        if part:
            yield part, tone
        at += len(text)


def draw_line(
    scene: HexScene, zoom: Zoom, palette: Palette, y: int, x: int, width: int, cursor: str
) -> Strip:
    """Return one line of the map.

    Args:
        scene: The hexes.
        zoom: How much of a hex is shown.
        palette: How tones look.
        y: Line of the unscrolled drawing, from 0.
        x: First cell of the unscrolled drawing that is visible.
        width: Cells wanted; the strip is exactly as wide.
        cursor: Hex that is framed; empty for none.
    """
    shape = SHAPES[scene.grid.top][zoom]
    kind = _LeaningLine if shape.leans else _UprightLine
    line = kind(scene, zoom, y, cursor)
    first = max(x // shape.pitch - 1, 0 if shape.leans else -1)
    last = min(first + width // shape.pitch + 3, scene.columns)
    column = column_at(scene, first)
    row, start_line = line.place(column)
    start = spot(scene, shape, column, row).x + shape.inset(start_line)
    pieces: list[Piece] = [(" " * max(start, 0), Tone.VOID)]
    pieces += cut(line.pieces(first, last), max(-start, 0), width + x + shape.pitch)
    if scene.tracks:
        pieces = with_tracks(scene, shape, pieces, y)
    segments = [Segment(text, palette.style(tone)) for text, tone in merged(pieces)]
    return Strip(segments).crop_extend(x, x + width, palette.style(Tone.PLAIN))

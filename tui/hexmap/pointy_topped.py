"""Draws one line through pointy-topped hexes. The first line of a hex is also the last line of those above it."""

from collections.abc import Iterable, Iterator

from typing_extensions import override

from tui.drawing.colour_roles import TextRole
from tui.hexmap.geometry import column_at, hex_origin
from tui.hexmap.line import MapLine, is_shown, write_name
from tui.hexmap.pieces import EMPTY, Cell, Paint, Piece, paint_pieces
from tui.hexmap.pointy_interior import is_plain, pointy_topped_line, shows_only_ground
from tui.hexmap.scene import Border, HexCell
from tui.map_enums import HIGHLIGHT_TONES, Highlight, Zoom


class PointyToppedLine(MapLine):
    """A line through pointy-topped hexes."""

    @override
    def cells(self, first: int, last: int) -> list[Cell]:
        """Return the cells of the line up to the right edge of `last`, with blanks before the left edge of `first`."""
        scene, shape = self.scene, self.shape
        row, line = self.place(0)
        start = hex_origin(scene, shape, column_at(scene, first - 1), row).x
        cells: list[Cell] = [EMPTY] * max(start, 0)
        names = []
        for place in range(first - 1, last + 1):
            column = column_at(scene, place)
            cell = scene.at(column, row)
            if cell is not None and is_shown(cell):
                words = self.name(column, row, line, cell)
                if words is not None:
                    names.append((len(cells) + 1, words, cell))
            if line == 0 and shape.height > 1:
                cells.extend(self._head(column, row, cell))
            else:
                cells.extend(self._body(column, row, cell, line))
        for at, words, cell in names:
            write_name(cells, at, words, cell)
        return cells[max(-start, 0) :]

    def _border(self, column: int, row: int, side: str) -> tuple[bool, Border | None]:
        """Return whether a hexside has an edge, and the style of its border if it has a special one."""
        border = self.scene.borders.get((column, row, side))
        if border is not None or is_shown(self.scene.at(column, row)):
            return True, border
        return is_shown(self.scene.at(*self.neighbour(column, row, side))), None

    def _body(self, column: int, row: int, cell: HexCell | None, line: int) -> Iterable[Cell]:
        """Return a line below the upper corners, including the left edge. Identical empty hexes are drawn only once."""
        side = self._side(column, row, cell)
        paint = self.paint(cell)
        has_roof = self.hex_style.zoom is Zoom.OVERVIEW and self.scene.borders
        if cell is None or has_roof or not is_plain(cell):
            return paint_pieces((side, *self._inside(column, row, cell, line)), paint)
        key = (line, cell.ground, cell.tint, paint, side)
        known = self.bare_cells.get(key)
        if known is None:
            known = tuple(paint_pieces((side, *self._inside(column, row, cell, line)), paint))
            self.bare_cells[key] = known
        return known

    def _inside(self, column: int, row: int, cell: HexCell | None, line: int) -> Iterable[Piece]:
        if cell is None or not is_shown(cell):
            return ((" " * self.shape.flat, TextRole.VOID),)
        pieces = tuple(pointy_topped_line(cell, self.hex_style, line))
        if self.hex_style.zoom is not Zoom.OVERVIEW:
            return pieces
        return self._low_roof(column, row, cell, pieces)

    def _low_roof(
        self, column: int, row: int, cell: HexCell, pieces: tuple[Piece, ...]
    ) -> Iterable[Piece]:
        """Return the overview line, with special upper borders drawn over empty ground."""
        borders = [self.scene.borders.get((column, row, side)) for side in ("NW", "NE")]
        if not any(borders) or not shows_only_ground(cell):
            return pieces
        letters = [(letter, tone) for text, tone in pieces for letter in text]
        for border, at in zip(borders, (0, len(letters) - 1), strict=True):
            if border is not None:
                letters[at] = self._level(border, 1), border[1]
        return letters

    def _level(self, border: Border, width: int) -> str:
        """Return a level part of a border. With background colours, it joins the corners."""
        outline = border[0]
        if not self.hex_style.has_backgrounds:
            return outline.level * width
        return (outline.top_border * width)[:width]

    def _side(self, column: int, row: int, cell: HexCell | None) -> Piece:
        """Return a hex's left edge. In the overview without background colours, the edge shows the highlight."""
        is_far = self.hex_style.zoom is Zoom.OVERVIEW
        is_lit = cell is not None and cell.highlight is not Highlight.NONE
        if is_far and is_lit and cell is not None and not self.hex_style.has_backgrounds:
            return cell.highlight.value, HIGHLIGHT_TONES[cell.highlight]
        shown, border = self._border(column, row, "W")
        if border is not None:
            return border[0].edge if self.hex_style.has_backgrounds else border[0].upright, border[
                1
            ]
        if is_far or not shown:
            return " ", TextRole.GRID
        return "▏", TextRole.GRID

    def _head(self, column: int, row: int, cell: HexCell | None) -> Iterator[Cell]:
        """Yield the upper corners, which are also the lower tips of the hexes above, with the text between them."""
        shape = self.shape
        left, right = self._border(column, row, "NW"), self._border(column, row, "NE")
        half, end = shape.pitch // 2 - 1, shape.flat - 1
        yield from self._corner("╱", self._tip(column, row, "NW"), *left)
        inside = tuple(self._inside(column, row, cell, 0))
        if left[1] is None and right[1] is None:
            roof: tuple[Piece, ...] = tuple(cut_pieces(inside, 0, end))
        else:
            roof = (
                *self._roof(left[1], half, inside if len(inside[0][0]) <= half else ()),
                *self._roof(right[1], end - half, ()),
            )
        yield from paint_pieces(roof, self.paint(cell))
        yield from self._corner("╲", self._tip(column, row, "NE"), *right)

    def _tip(self, column: int, row: int, side: str) -> Paint:
        """Return the ground of the hex above, whose lower tip shares this corner."""
        return self.paint(self.scene.at(*self.neighbour(column, row, side)))

    def _corner(
        self,
        letter: str,
        paint: Paint,
        shown: bool,  # noqa: FBT001  (half of a pair)
        border: Border | None,
    ) -> Iterator[Cell]:
        if border is not None:
            yield from paint_pieces(((letter, border[1]),), paint)
        else:
            yield from paint_pieces(
                ((letter, TextRole.GRID) if shown else (" ", TextRole.VOID),), paint
            )

    def _roof(self, border: Border | None, width: int, plain: Iterable[Piece]) -> Iterable[Piece]:
        """Return half of the line between the corners. A number that does not fit next to a border is omitted."""
        if border is not None:
            return ((self._level(border, width), border[1]),)
        return (*cut_pieces(plain, 0, width), (" " * (0 if plain else width), TextRole.VOID))

    @override
    def room(self, column: int, row: int, line: int) -> tuple[int, int]:
        del line
        if self.hex_style.zoom is Zoom.DETAIL:
            return 0, 0
        found = []
        for side in ("W", "E"):
            there = self.scene.at(*self.neighbour(column, row, side))
            is_free = there is None or shows_only_ground(there)
            found.append(self.shape.flat if is_free else 0)
        return found[0], found[1]


def cut_pieces(pieces: Iterable[Piece], start: int, stop: int) -> Iterator[Piece]:
    """Yield the part of a line between two cells, excluding the end cell."""
    at = 0
    for text, tone in pieces:
        part = text[max(start - at, 0) : max(stop - at, 0)]
        if part:
            yield part, tone
        at += len(text)

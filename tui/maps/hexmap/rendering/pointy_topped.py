"""Draws one line through pointy-topped hexes. A hex's first line is also the last line of the hexes above it."""

from collections.abc import Iterable, Iterator

from typing_extensions import override

from tui.drawing.colour_roles import TextRole
from tui.maps.enums import HIGHLIGHT_TONES, Highlight, Zoom
from tui.maps.hexmap.geometry import column_at, hex_origin
from tui.maps.hexmap.rendering.line import MapLine, has_outline, write_name
from tui.maps.hexmap.rendering.pointy_interior import (
    is_plain,
    pointy_topped_line,
    shows_only_ground,
)
from tui.maps.hexmap.scene import Border, HexCell
from tui.maps.pieces import BLANK_CELL, Cell, Paint, Piece, paint_pieces


class PointyToppedLine(MapLine):
    """A line through pointy-topped hexes."""

    @override
    def cells(self, first_column: int, last_column: int) -> list[Cell]:
        """Return the cells of the line up to the right edge of `last_column`.

        The cells before the left edge of `first_column` are blank.
        """
        scene, shape = self.scene, self.shape
        row, line = self.row_and_line(0)
        start = hex_origin(scene, shape, column_at(scene, first_column - 1), row).x
        cells: list[Cell] = [BLANK_CELL] * max(start, 0)
        names = []
        for index in range(first_column - 1, last_column + 1):
            column = column_at(scene, index)
            cell = scene.cell_at(column, row)
            if cell is not None and has_outline(cell):
                placed_name = self.name_on_line(column, row, line, cell)
                if placed_name is not None:
                    names.append((len(cells) + 1, placed_name, cell))
            if line == 0 and shape.height > 1:
                cells.extend(self._corner_line(column, row, cell))
            else:
                cells.extend(self._lower_line(column, row, cell, line))
        # Names are written last, because a long name extends over the next hex.
        for x, placed_name, cell in names:
            write_name(cells, x, placed_name, cell)
        return cells[max(-start, 0) :]

    def _border(self, column: int, row: int, side: str) -> tuple[bool, Border | None]:
        """Return whether a hexside is drawn, and its special border; the border is None for an ordinary hexside."""
        border = self.scene.borders.get((column, row, side))
        if border is not None or has_outline(self.scene.cell_at(column, row)):
            return True, border
        return has_outline(self.scene.cell_at(*self.neighbour(column, row, side))), None

    def _lower_line(self, column: int, row: int, cell: HexCell | None, line: int) -> Iterable[Cell]:
        """Return a line below the upper corners, including the left edge. Lines of identical empty hexes are cached."""
        left_edge = self._left_edge(column, row, cell)
        paint = self.paint(cell)
        has_upper_borders = self.hex_style.zoom is Zoom.OVERVIEW and self.scene.borders
        # An upper border depends on the neighbouring hexes, which are not part of the cache key.
        if cell is None or has_upper_borders or not is_plain(cell):
            return paint_pieces((left_edge, *self._interior(column, row, cell, line)), paint)
        key = (line, cell.ground, cell.tint, paint, left_edge)
        cached_hex = self.empty_hex_cache.get(key)
        if cached_hex is None:
            cached_hex = tuple(
                paint_pieces((left_edge, *self._interior(column, row, cell, line)), paint)
            )
            self.empty_hex_cache[key] = cached_hex
        return cached_hex

    def _interior(self, column: int, row: int, cell: HexCell | None, line: int) -> Iterable[Piece]:
        if cell is None or not has_outline(cell):
            return ((" " * self.shape.flat_width, TextRole.VOID),)
        pieces = tuple(pointy_topped_line(cell, self.hex_style, line))
        if self.hex_style.zoom is not Zoom.OVERVIEW:
            return pieces
        return self._with_upper_borders(column, row, cell, pieces)

    def _with_upper_borders(
        self, column: int, row: int, cell: HexCell, pieces: tuple[Piece, ...]
    ) -> Iterable[Piece]:
        """Return the overview line, with special upper borders if the hex shows only terrain."""
        borders = [self.scene.borders.get((column, row, side)) for side in ("NW", "NE")]
        if not any(borders) or not shows_only_ground(cell):
            return pieces
        chars = [(char, tone) for text, tone in pieces for char in text]
        for border, index in zip(borders, (0, len(chars) - 1), strict=True):
            if border is not None:
                chars[index] = self._horizontal_border(border, 1), border[1]
        return chars

    def _horizontal_border(self, border: Border, width: int) -> str:
        """Return a horizontal part of a border. If background colours are on, its characters connect to the corners."""
        outline = border[0]
        if not self.hex_style.has_backgrounds:
            return outline.horizontal_char * width
        return (outline.top_border * width)[:width]

    def _left_edge(self, column: int, row: int, cell: HexCell | None) -> Piece:
        """Return a hex's left edge. In the overview without background colours, the edge shows the highlight."""
        is_overview = self.hex_style.zoom is Zoom.OVERVIEW
        is_highlighted = cell is not None and cell.highlight is not Highlight.NONE
        if (
            is_overview
            and is_highlighted
            and cell is not None
            and not self.hex_style.has_backgrounds
        ):
            return cell.highlight.value, HIGHLIGHT_TONES[cell.highlight]
        has_edge, border = self._border(column, row, "W")
        if border is not None:
            return border[0].side_border if self.hex_style.has_backgrounds else border[
                0
            ].vertical_char, border[1]
        if is_overview or not has_edge:
            return " ", TextRole.GRID
        return "▏", TextRole.GRID

    def _corner_line(self, column: int, row: int, cell: HexCell | None) -> Iterator[Cell]:
        """Yield the upper corners, which are also the lower corners of the hexes above, and the text between them."""
        shape = self.shape
        left, right = self._border(column, row, "NW"), self._border(column, row, "NE")
        half, width = shape.pitch // 2 - 1, shape.flat_width - 1
        yield from self._corner("╱", self._ground_above(column, row, "NW"), *left)
        interior = tuple(self._interior(column, row, cell, 0))
        if left[1] is None and right[1] is None:
            upper_border: tuple[Piece, ...] = tuple(cut_pieces(interior, 0, width))
        else:
            upper_border = (
                *self._upper_border_half(
                    left[1], half, interior if len(interior[0][0]) <= half else ()
                ),
                *self._upper_border_half(right[1], width - half, ()),
            )
        yield from paint_pieces(upper_border, self.paint(cell))
        yield from self._corner("╲", self._ground_above(column, row, "NE"), *right)

    def _ground_above(self, column: int, row: int, side: str) -> Paint:
        """Return the background of the hex above, whose lowest corner is drawn on this line."""
        return self.paint(self.scene.cell_at(*self.neighbour(column, row, side)))

    def _corner(
        self,
        char: str,
        paint: Paint,
        has_edge: bool,  # noqa: FBT001  (half of a pair)
        border: Border | None,
    ) -> Iterator[Cell]:
        if border is not None:
            yield from paint_pieces(((char, border[1]),), paint)
        else:
            yield from paint_pieces(
                ((char, TextRole.GRID) if has_edge else (" ", TextRole.VOID),), paint
            )

    def _upper_border_half(
        self, border: Border | None, width: int, interior: Iterable[Piece]
    ) -> Iterable[Piece]:
        """Return half of the line between the corners. A special border replaces the text in this half."""
        if border is not None:
            return ((self._horizontal_border(border, width), border[1]),)
        return (*cut_pieces(interior, 0, width), (" " * (0 if interior else width), TextRole.VOID))

    @override
    def name_margins(self, column: int, row: int, line: int) -> tuple[int, int]:
        del line
        if self.hex_style.zoom is Zoom.DETAIL:
            return 0, 0
        margins = []
        for side in ("W", "E"):
            neighbour = self.scene.cell_at(*self.neighbour(column, row, side))
            is_free = neighbour is None or shows_only_ground(neighbour)
            margins.append(self.shape.flat_width if is_free else 0)
        return margins[0], margins[1]


def cut_pieces(pieces: Iterable[Piece], start: int, stop: int) -> Iterator[Piece]:
    """Yield the part of a line from cell `start` up to, but not including, cell `stop`."""
    offset = 0
    for text, tone in pieces:
        part = text[max(start - offset, 0) : max(stop - offset, 0)]
        if part:
            yield part, tone
        offset += len(text)

"""Draws one text line of a map of flat-topped hexes, whose sides slant."""

from collections.abc import Iterable, Iterator

from typing_extensions import override

from tui.drawing.colour_roles import OverlayRole, TextRole
from tui.maps.enums import Zoom
from tui.maps.hexmap.geometry import column_at
from tui.maps.hexmap.rendering.hex_interior import (
    flat_topped_line,
    has_tag_below,
    shows_only_ground,
)
from tui.maps.hexmap.rendering.line import MapLine, has_outline, write_name
from tui.maps.hexmap.rendering.names import is_name_too_long
from tui.maps.hexmap.scene import HexCell
from tui.maps.pieces import BLANK_CELL, Cell, Piece, paint_pieces


class FlatToppedLine(MapLine):
    """A line through flat-topped hexes."""

    @override
    def cells(self, first_column: int, last_column: int) -> list[Cell]:
        """Return the cells of the line up to the right edge of `last_column`.

        The cells before the left edge of `first_column` are blank.
        """
        scene, shape = self.scene, self.shape
        column = column_at(scene, first_column)
        # Every other column is shifted down, so the line crosses the hexes alternately at two
        # heights.
        rows = {step: self.row_and_line(column + step) for step in (0, 1)}
        cells = [BLANK_CELL] * (first_column * shape.pitch + shape.inset(rows[0][1]))
        names = []
        previous_cell = scene.cell_at(column - 1, self.row_and_line(column - 1)[0])
        was_shown = has_outline(previous_cell)
        for index in range(last_column + 1 - first_column):
            row, line = rows[index % 2]
            cell = scene.cell_at(column + index, row)
            is_shown = has_outline(cell)
            edge = self._edge(column + index, row, line, is_shown=is_shown or was_shown)
            if cell is not None and is_shown:
                placed_name = (
                    self.name_on_line(column + index, row, line, cell) if cell.name else None
                )
                if placed_name is not None:
                    names.append((len(cells) + 1, placed_name, cell))
                cells += self._hex(column + index, row, line, cell, edge)
            else:
                blank_cells = (edge, *self._missing_hex(column + index, row, line))
                cells += paint_pieces(blank_cells, self.paint(cell))
            was_shown = is_shown
        # Names are written last, because a long name extends over the next hex.
        for x, placed_name, cell in names:
            write_name(cells, x, placed_name, cell)
        return cells

    def _hex(self, column: int, row: int, line: int, cell: HexCell, edge: Piece) -> Iterable[Cell]:
        """Return a hex's left edge and interior. Lines of identical empty hexes are cached."""
        paint = cell.paint
        # A border depends on the neighbouring hexes, which are not part of the cache key.
        if self.scene.borders or not shows_only_ground(cell, self.hex_style, line):
            interior = self._with_lower_border(
                column, row, line, flat_topped_line(cell, self.hex_style, line)
            )
            return paint_pieces((edge, *interior), paint)
        hex_number = cell.id if line == 0 else ""
        # With background colours, the paint in the key already includes the tint.
        tint = OverlayRole.NONE if self.hex_style.has_backgrounds else cell.tint
        key = (hex_number, line, cell.ground, tint, paint, edge, cell.highlight)
        cached_hex = self.empty_hex_cache.get(key)
        if cached_hex is None:
            cached_hex = tuple(
                paint_pieces((edge, *flat_topped_line(cell, self.hex_style, line)), paint)
            )
            self.empty_hex_cache[key] = cached_hex
        return cached_hex

    def _edge(self, column: int, row: int, line: int, *, is_shown: bool) -> Piece:
        """Return the edge character to the left of a column."""
        if self.scene.borders:
            side = "NW" if line < self.shape.half_height else "SW"
            border = self.scene.borders.get((column, row, side))
            if border is not None:
                return border[0].vertical_char, border[1]
        if self.is_overview or not is_shown:
            return " ", TextRole.GRID
        return "╱" if line < self.shape.half_height else "╲", TextRole.GRID

    @property
    def is_overview(self) -> bool:
        """True if the hexes are too small for outlines."""
        return self.hex_style.zoom is Zoom.OVERVIEW

    def _missing_hex(self, column: int, row: int, line: int) -> Iterator[Piece]:
        """Yield blank cells in place of a missing hex. The last line may show the top outline of the hex below."""
        width = self.shape.width(line)
        may_have_outline = line == self.shape.height - 1 and not self.is_overview
        if may_have_outline and has_outline(self.scene.cell_at(*self.neighbour(column, row, "S"))):
            yield from self._with_lower_border(
                column, row, line, iter([("_" * width, TextRole.GRID)])
            )
        else:
            yield " " * width, TextRole.VOID

    def _with_lower_border(
        self, column: int, row: int, line: int, pieces: Iterator[Piece]
    ) -> Iterator[Piece]:
        """Yield a line of a hex. If the hex has a special lower border, draw it on the last line."""
        if not self.scene.borders or line != self.shape.height - 1:
            yield from pieces
            return
        border = self.scene.borders.get((column, row, "S"))
        for text, tone in pieces:
            if border is None or text.strip("_ "):
                yield text, tone
            else:
                yield border[0].horizontal_char * len(text), border[1]

    @override
    def name_margins(self, column: int, row: int, line: int) -> tuple[int, int]:
        if self.hex_style.zoom is not Zoom.OPERATIONAL:
            return 0, 0
        if line == 0:
            return self._number_line_margins(column, row)
        flat_cells = self.shape.flat_width
        margins = []
        for side, step in (("NW", -1), ("NE", 1)):
            neighbour = self.scene.cell_at(*self.neighbour(column, row, side))
            bottom_text_cells = (
                0 if neighbour is None else len(f"{neighbour.owner_mark}{neighbour.symbols}")
            )
            if neighbour is not None and has_tag_below(neighbour, self.hex_style):
                bottom_text_cells += len(neighbour.tag)
            # Owner and bases are at the left end of a line, so the right neighbour's are next to
            # this hex, but the left neighbour's are not.
            free_cells = (
                flat_cells + 1
                if not bottom_text_cells
                else flat_cells - bottom_text_cells
                if step < 0
                else 0
            )
            # Two long names share the cells between them.
            same_row_cell = self.scene.cell_at(column + 2 * step, row)
            if same_row_cell is not None and is_name_too_long(same_row_cell, self.hex_style):
                free_cells = min(free_cells, flat_cells // 2)
            margins.append(max(free_cells, 0))
        return margins[0], margins[1]

    def _number_line_margins(self, column: int, row: int) -> tuple[int, int]:
        """Return the margins of a name on the first line. The name must not cover the neighbours' counters or names."""
        margins = []
        for side in ("NW", "NE"):
            place = self.neighbour(column, row, side)
            neighbour = self.scene.cell_at(*place)
            name_line = self.shape.half_height
            is_free = neighbour is None or not (
                neighbour.counters or self.name_on_line(*place, name_line, neighbour)
            )
            margins.append(self.shape.flat_width if is_free else 0)
        return margins[0], margins[1]

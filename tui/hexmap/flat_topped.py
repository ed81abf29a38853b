"""Draws one line through flat-topped hexes, which have slanting sides."""

from collections.abc import Iterable, Iterator

from typing_extensions import override

from tui.drawing.colour_roles import OverlayRole, TextRole
from tui.hexmap.geometry import column_at
from tui.hexmap.hex_interior import flat_topped_line, has_tag_below, shows_only_ground
from tui.hexmap.line import MapLine, is_shown, write_name
from tui.hexmap.names import is_long
from tui.hexmap.pieces import EMPTY, Cell, Piece, paint_pieces
from tui.hexmap.scene import HexCell
from tui.map_enums import Zoom


class FlatToppedLine(MapLine):
    """A line through flat-topped hexes."""

    @override
    def cells(self, first: int, last: int) -> list[Cell]:
        """Return the cells of the line up to the right edge of `last`, with blanks before the left edge of `first`."""
        scene, shape = self.scene, self.shape
        column = column_at(scene, first)
        rows = {step: self.place(column + step) for step in (0, 1)}
        cells = [EMPTY] * (first * shape.pitch + shape.inset(rows[0][1]))
        names = []
        before = scene.at(column - 1, self.place(column - 1)[0])
        was_shown = is_shown(before)
        for place in range(last + 1 - first):
            row, line = rows[place % 2]
            cell = scene.at(column + place, row)
            shown = is_shown(cell)
            edge = self._edge(column + place, row, line, shown=shown or was_shown)
            if cell is not None and shown:
                words = self.name(column + place, row, line, cell) if cell.name else None
                if words is not None:
                    names.append((len(cells) + 1, words, cell))
                cells += self._hex(column + place, row, line, cell, edge)
            else:
                missing = (edge, *self._missing_hex(column + place, row, line))
                cells += paint_pieces(missing, self.paint(cell))
            was_shown = shown
        for at, words, cell in names:
            write_name(cells, at, words, cell)
        return cells

    def _hex(self, column: int, row: int, line: int, cell: HexCell, edge: Piece) -> Iterable[Cell]:
        """Return a hex's left edge and interior. Identical empty hexes are drawn only once."""
        paint = cell.paint
        if self.scene.borders or not shows_only_ground(cell, self.hex_style, line):
            inside = self._with_ground(
                column, row, line, flat_topped_line(cell, self.hex_style, line)
            )
            return paint_pieces((edge, *inside), paint)
        number = cell.id if line == 0 else ""
        tint = OverlayRole.NONE if self.hex_style.has_backgrounds else cell.tint
        key = (number, line, cell.ground, tint, paint, edge, cell.highlight)
        known = self.bare_cells.get(key)
        if known is None:
            known = tuple(
                paint_pieces((edge, *flat_topped_line(cell, self.hex_style, line)), paint)
            )
            self.bare_cells[key] = known
        return known

    def _edge(self, column: int, row: int, line: int, *, shown: bool) -> Piece:
        """Return the edge character to the left of a column."""
        if self.scene.borders:
            side = "NW" if line < self.shape.slope else "SW"
            border = self.scene.borders.get((column, row, side))
            if border is not None:
                return border[0].upright, border[1]
        if self.is_overview or not shown:
            return " ", TextRole.GRID
        return "╱" if line < self.shape.slope else "╲", TextRole.GRID

    @property
    def is_overview(self) -> bool:
        """True if the hexes are too small for outlines."""
        return self.hex_style.zoom is Zoom.OVERVIEW

    def _missing_hex(self, column: int, row: int, line: int) -> Iterator[Piece]:
        """Yield a missing hex as blank cells or as the top outline of the hex below."""
        width = self.shape.width(line)
        is_roof = line == self.shape.height - 1 and not self.is_overview
        if is_roof and is_shown(self.scene.at(*self.neighbour(column, row, "S"))):
            yield from self._with_ground(column, row, line, iter([("_" * width, TextRole.GRID)]))
        else:
            yield " " * width, TextRole.VOID

    def _with_ground(
        self, column: int, row: int, line: int, pieces: Iterator[Piece]
    ) -> Iterator[Piece]:
        """Yield a line of a hex. The last line includes the lower border."""
        if not self.scene.borders or line != self.shape.height - 1:
            yield from pieces
            return
        border = self.scene.borders.get((column, row, "S"))
        for text, tone in pieces:
            if border is None or text.strip("_ "):
                yield text, tone
            else:
                yield border[0].level * len(text), border[1]

    @override
    def room(self, column: int, row: int, line: int) -> tuple[int, int]:
        if self.hex_style.zoom is not Zoom.OPERATIONAL:
            return 0, 0
        if line == 0:
            return self._room_on_top(column, row)
        flat = self.shape.flat
        found = []
        for side, step in (("NW", -1), ("NE", 1)):
            there = self.scene.at(*self.neighbour(column, row, side))
            base = 0 if there is None else len(f"{there.owner_mark}{there.symbols}")
            if there is not None and has_tag_below(there, self.hex_style):
                base += len(there.tag)
            free = flat + 1 if not base else flat - base if step < 0 else 0
            rival = self.scene.at(column + 2 * step, row)
            if rival is not None and is_long(rival, self.hex_style):
                free = min(free, flat // 2)
            found.append(max(free, 0))
        return found[0], found[1]

    def _room_on_top(self, column: int, row: int) -> tuple[int, int]:
        """Like `room`, but for a name in place of the hex number, where neighbouring counters may be in the way."""
        found = []
        for side in ("NW", "NE"):
            place = self.neighbour(column, row, side)
            there = self.scene.at(*place)
            lower = self.shape.slope
            is_free = there is None or not (there.counters or self.name(*place, lower, there))
            found.append(self.shape.flat if is_free else 0)
        return found[0], found[1]

r"""Where a hex lies among the character cells, at each zoom.

A hex is ``2 * slope`` lines high. A line is an edge character and the interior; the right edge is the
left edge of the neighbouring column. Flat-topped hexes lean, and their columns are shifted by half a hex; pointy-topped
ones are drawn upright like bricks, and their rows are shifted::

      ____        ____         ______ ______
     /    \____/      line 0  |      |      |
    /      \          line 1  |______|______|__
    \      /          line 2     |      |      |
     \____/           line 3     |______|______|
"""

from typing import Final

import msgspec

from engine.kernel.hexgrid import Top
from tui.hexmap.scene import HexScene
from tui.marks import Zoom


class Shape(msgspec.Struct, frozen=True):
    """Size of one hex in character cells."""

    slope: int
    """Lines of the upper half, and of the lower half."""
    flat: int
    """Interior cells of the first and the last line."""
    leans: bool = True
    """False for hexes with upright edges."""

    @property
    def pitch(self) -> int:
        """Return the distance of two columns."""
        return self.flat + (self.slope if self.leans else 1)

    @property
    def height(self) -> int:
        """Return the lines of one hex."""
        return 2 * self.slope

    def depth(self, line: int) -> int:
        """Return how far a line's edge lies left of the first line's edge."""
        return min(line, self.height - 1 - line) if self.leans else 0

    def inset(self, line: int) -> int:
        """Return how far a line's edge lies right of the widest line's."""
        return self.slope - 1 - self.depth(line) if self.leans else 0

    def width(self, line: int) -> int:
        """Return the interior cells of a line."""
        return self.flat + 2 * self.depth(line)


SHAPES: Final = {
    Top.FLAT: {
        Zoom.OVERVIEW: Shape(slope=1, flat=2),
        Zoom.OPERATIONAL: Shape(slope=2, flat=6),
        Zoom.DETAIL: Shape(slope=3, flat=15),
    },
    Top.POINTY: {
        Zoom.OVERVIEW: Shape(slope=1, flat=3, leans=False),
        Zoom.OPERATIONAL: Shape(slope=2, flat=7, leans=False),
        Zoom.DETAIL: Shape(slope=3, flat=17, leans=False),
    },
}


class Spot(msgspec.Struct, frozen=True):
    """Left edge and first line of a hex on the unscrolled map."""

    x: int
    y: int


def shift(scene: HexScene, shape: Shape, column: int, row: int) -> Spot:
    """Return how far a hex lies further right and down than one of a line that is not shifted."""
    if shape.leans:
        return Spot(0, shape.slope if scene.grid.is_shifted(column) else 0)
    return Spot(shape.pitch // 2 if scene.grid.is_shifted(row) else 0, 0)


def map_size(scene: HexScene, shape: Shape) -> tuple[int, int]:
    """Return columns and lines of the whole drawing, outlines included."""
    width, height = scene.columns * shape.pitch, scene.rows * shape.height
    if shape.leans:
        return width + shape.slope, height + shape.slope + 1
    return width + shape.pitch // 2 + 1, height + 1


def spot(scene: HexScene, shape: Shape, column: int, row: int) -> Spot:
    """Return where a hex is drawn; line 0 of the drawing holds only the top outline."""
    more = shift(scene, shape, column, row)
    return Spot(
        (column - scene.first_column) * shape.pitch + more.x,
        (row - scene.first_row) * shape.height + more.y + 1,
    )


def hex_at(scene: HexScene, shape: Shape, x: int, y: int) -> tuple[int, int]:
    """Return the map coordinates of the hex that owns a character cell; they may lie off the map."""
    if not shape.leans:
        row = scene.first_row + (y - 1) // shape.height
        return scene.first_column + (x - shift(scene, shape, 0, row).x) // shape.pitch, row
    for place in (x // shape.pitch, x // shape.pitch - 1):
        column = scene.first_column + place
        row, line = divmod(y - 1 - shift(scene, shape, column, 0).y, shape.height)
        left = place * shape.pitch + shape.inset(line)
        if left <= x <= left + shape.width(line):
            return column, scene.first_row + row
    return scene.first_column + x // shape.pitch, scene.first_row + (y - 1) // shape.height

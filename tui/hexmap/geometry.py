r"""Where a hex lies among the character cells, at each zoom.

A hex is ``2 * slope`` lines high. A line is an edge character and the interior; the right edge is the
left edge of the neighbouring column, which is shifted by half a hex::

      ____        ____
     /    \____/      line 0
    /      \          line 1
    \      /          line 2
     \____/           line 3
"""

from typing import Final

import msgspec

from tui.hexmap.scene import HexScene
from tui.marks import Zoom


class Shape(msgspec.Struct, frozen=True):
    """Size of one hex in character cells."""

    slope: int
    """Lines of the upper half, and of the lower half."""
    flat: int
    """Interior cells of the first and the last line."""

    @property
    def pitch(self) -> int:
        """Return the distance of two columns."""
        return self.flat + self.slope

    @property
    def height(self) -> int:
        """Return the lines of one hex."""
        return 2 * self.slope

    def depth(self, line: int) -> int:
        """Return how far a line's edge lies left of the first line's edge."""
        return min(line, self.height - 1 - line)

    def width(self, line: int) -> int:
        """Return the interior cells of a line."""
        return self.flat + 2 * self.depth(line)


SHAPES: Final = {
    Zoom.OVERVIEW: Shape(slope=1, flat=2),
    Zoom.OPERATIONAL: Shape(slope=2, flat=6),
    Zoom.DETAIL: Shape(slope=3, flat=15),
}


class Spot(msgspec.Struct, frozen=True):
    """Left edge and first line of a hex on the unscrolled map."""

    x: int
    y: int


def map_size(scene: HexScene, shape: Shape) -> tuple[int, int]:
    """Return columns and lines of the whole drawing, outlines included."""
    return scene.columns * shape.pitch + shape.slope, scene.rows * shape.height + shape.slope + 1


def spot(scene: HexScene, shape: Shape, column: int, row: int) -> Spot:
    """Return where a hex is drawn; line 0 of the drawing holds only the top outline."""
    shift = shape.slope if scene.is_lower(column) else 0
    return Spot(
        (column - scene.first_column) * shape.pitch,
        (row - scene.first_row) * shape.height + shift + 1,
    )


def hex_at(scene: HexScene, shape: Shape, x: int, y: int) -> tuple[int, int]:
    """Return the map coordinates of the hex that owns a character cell; they may lie off the map."""
    for place in (x // shape.pitch, x // shape.pitch - 1):
        column = scene.first_column + place
        shift = shape.slope if scene.is_lower(column) else 0
        row, line = divmod(y - 1 - shift, shape.height)
        left = place * shape.pitch + shape.slope - 1 - shape.depth(line)
        if left <= x <= left + shape.width(line):
            return column, scene.first_row + row
    return scene.first_column + x // shape.pitch, scene.first_row + (y - 1) // shape.height

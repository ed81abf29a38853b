r"""Where a hex lies among the character cells, at each zoom.

A line is an edge character and the interior; the right edge is the left edge of the neighbouring column. Flat-topped
hexes lean, and their columns are shifted by half a hex. Rows of pointy-topped ones are shifted; they stand upright, and
their upper corners share a line with the lower corners of the row above::

      ____        ____         /1001 \/1002 \
     /    \____/      line 0  |      |      |
    /      \          line 1  |      |      |
    \      /          line 2  \ /1101 \/1102 \
     \____/           line 3     |      |      |
"""

from typing import Final, NamedTuple

import msgspec

from engine.kernel.hexgrid import Top
from tui.hexmap.scene import HexScene
from tui.marks import Zoom


class Shape(msgspec.Struct, frozen=True):
    """Size of one hex in character cells."""

    slope: int
    """Lines of the upper half, and of the lower half; the halves of an upright hex share its middle line."""
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
        return 2 * self.slope - (not self.leans)

    @property
    def roof(self) -> int:
        """Return the lines above the first row that hold only its outline."""
        return 1 if self.leans else 0

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
        Zoom.OPERATIONAL: Shape(slope=2, flat=5, leans=False),
        Zoom.DETAIL: Shape(slope=3, flat=13, leans=False),
    },
}


class Manner(NamedTuple):
    """How hexes are drawn."""

    shape: Shape
    zoom: Zoom
    has_floors: bool
    """Backgrounds paint the ground; letters tell it else."""


class Spot(msgspec.Struct, frozen=True):
    """Left edge and first line of a hex on the unscrolled map."""

    x: int
    y: int


def from_left(scene: HexScene, column: int) -> int:
    """Return how many columns lie left of one."""
    if scene.grid.columns_from_right:
        return scene.last_column - column
    return column - scene.first_column


def column_at(scene: HexScene, place: int) -> int:
    """Return the column with so many others left of it."""
    if scene.grid.columns_from_right:
        return scene.last_column - place
    return scene.first_column + place


def shift(scene: HexScene, shape: Shape, column: int, row: int) -> Spot:
    """Return how far a hex lies further right and down than one of the line that begins first."""
    if shape.leans:
        return Spot(0, shape.slope if scene.grid.is_shifted(column) else 0)
    is_right = scene.grid.is_shifted(row) != scene.grid.columns_from_right
    return Spot(shape.pitch // 2 if is_right else 0, 0)


def map_size(scene: HexScene, shape: Shape) -> tuple[int, int]:
    """Return columns and lines of the whole drawing, outlines included."""
    width, height = scene.columns * shape.pitch, scene.rows * shape.height
    if shape.leans:
        return width + shape.slope, height + shape.slope + 1
    return width + shape.pitch // 2 + 1, height + (shape.slope > 1)


def spot(scene: HexScene, shape: Shape, column: int, row: int) -> Spot:
    """Return where a hex is drawn."""
    more = shift(scene, shape, column, row)
    return Spot(
        from_left(scene, column) * shape.pitch + more.x,
        (row - scene.first_row) * shape.height + more.y + shape.roof,
    )


def middle(scene: HexScene, shape: Shape, column: int, row: int) -> tuple[int, int]:
    """Return the cell in the middle of a hex, where tracks meet."""
    at = spot(scene, shape, column, row)
    return at.x + (shape.width(shape.slope - 1) + 2) // 2, at.y + shape.height // 2


def hex_at(scene: HexScene, shape: Shape, x: int, y: int) -> tuple[int, int]:
    """Return the map coordinates of the hex that owns a character cell; they may lie off the map."""
    if not shape.leans:
        row = scene.first_row + (y - shape.roof) // shape.height
        place = (x - shift(scene, shape, 0, row).x) // shape.pitch
        return column_at(scene, place), row
    for place in (x // shape.pitch, x // shape.pitch - 1):
        column = column_at(scene, place)
        row, line = divmod(y - 1 - shift(scene, shape, column, 0).y, shape.height)
        left = place * shape.pitch + shape.inset(line)
        if left <= x <= left + shape.width(line):
            return column, scene.first_row + row
    return column_at(scene, x // shape.pitch), scene.first_row + (y - 1) // shape.height

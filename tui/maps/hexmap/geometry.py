r"""Hex positions in character cells, at each zoom level.

Each line of a hex consists of an edge character and an interior. Its right edge character belongs to the next hex.
Flat-topped hexes have slanting sides, and every other column is shifted down by half a hex. Pointy-topped hexes have
vertical sides, and every other row is shifted right. A row's upper corners share a line with the lower corners of the
row above::

   ____        ____         /1001 \/1002 \
  /    \____/      line 0  |      |      |
 /      \          line 1  |      |      |
 \      /          line 2  \ /1101 \/1102 \
  \____/           line 3     |      |      |
"""

from typing import Final, NamedTuple

import msgspec

from engine.kernel.hexgrid import HexOrientation
from tui.maps.enums import Zoom
from tui.maps.hexmap.scene import HexScene


class Shape(msgspec.Struct, frozen=True):
    """Size of one hex in character cells."""

    half_height: int
    """Number of lines in each half of a hex. The halves of a pointy-topped hex share the middle line."""
    flat_width: int
    """Number of interior cells on the first and the last line."""
    is_flat_topped: bool = True
    """True if the sides slant, as in flat-topped hexes."""

    @property
    def pitch(self) -> int:
        """Distance between two columns, in cells."""
        return self.flat_width + (self.half_height if self.is_flat_topped else 1)

    @property
    def height(self) -> int:
        """Height of one hex, in lines."""
        return 2 * self.half_height - (not self.is_flat_topped)

    @property
    def lines_above(self) -> int:
        """Number of lines above the first row. They contain only the row's top outline."""
        return 1 if self.is_flat_topped else 0

    def outdent(self, line: int) -> int:
        """Return the left edge's offset on this line, in cells to the left of its position on the first line."""
        return min(line, self.height - 1 - line) if self.is_flat_topped else 0

    def inset(self, line: int) -> int:
        """Return the left edge's offset on this line, in cells to the right of its position on the widest line."""
        return self.half_height - 1 - self.outdent(line) if self.is_flat_topped else 0

    def width(self, line: int) -> int:
        """Return the number of interior cells on a line."""
        return self.flat_width + 2 * self.outdent(line)


SHAPES: Final = {
    HexOrientation.FLAT: {
        Zoom.OVERVIEW: Shape(half_height=1, flat_width=2),
        Zoom.OPERATIONAL: Shape(half_height=2, flat_width=6),
        Zoom.DETAIL: Shape(half_height=3, flat_width=15),
    },
    HexOrientation.POINTY: {
        Zoom.OVERVIEW: Shape(half_height=1, flat_width=3, is_flat_topped=False),
        Zoom.OPERATIONAL: Shape(half_height=2, flat_width=5, is_flat_topped=False),
        Zoom.DETAIL: Shape(half_height=3, flat_width=13, is_flat_topped=False),
    },
}


class HexStyle(NamedTuple):
    """The settings for drawing hexes."""

    shape: Shape
    zoom: Zoom
    has_backgrounds: bool
    """True if background colours show the terrain; False if characters do."""


class HexOrigin(msgspec.Struct, frozen=True):
    """The first cell and the first line of a hex on the unscrolled map."""

    x: int
    y: int


def columns_from_left(scene: HexScene, column: int) -> int:
    """Return the number of map columns to the left of this column."""
    if scene.grid.columns_from_right:
        return scene.last_column - column
    return column - scene.first_column


def column_at(scene: HexScene, index: int) -> int:
    """Return the map column at a position. Positions are counted from the left, starting at 0."""
    if scene.grid.columns_from_right:
        return scene.last_column - index
    return scene.first_column + index


def hex_offset(scene: HexScene, shape: Shape, column: int, row: int) -> HexOrigin:
    """Return how far a hex is shifted right because of its row, or down because of its column, in cells and lines."""
    if shape.is_flat_topped:
        return HexOrigin(0, shape.half_height if scene.grid.is_shifted(column) else 0)
    is_right = scene.grid.is_shifted(row) != scene.grid.columns_from_right
    return HexOrigin(shape.pitch // 2 if is_right else 0, 0)


def map_size(scene: HexScene, shape: Shape) -> tuple[int, int]:
    """Return the width and height of the whole drawing in cells and lines, including outlines."""
    width, height = scene.columns * shape.pitch, scene.rows * shape.height
    if shape.is_flat_topped:
        return width + shape.half_height, height + shape.half_height + 1
    return width + shape.pitch // 2 + 1, height + (shape.half_height > 1)


def hex_origin(scene: HexScene, shape: Shape, column: int, row: int) -> HexOrigin:
    """Return the position of a hex in the drawing."""
    offset = hex_offset(scene, shape, column, row)
    return HexOrigin(
        columns_from_left(scene, column) * shape.pitch + offset.x,
        (row - scene.first_row) * shape.height + offset.y + shape.lines_above,
    )


def hex_centre(scene: HexScene, shape: Shape, column: int, row: int) -> tuple[int, int]:
    """Return the cell at the centre of a hex, where tracks meet."""
    origin = hex_origin(scene, shape, column, row)
    return origin.x + (shape.width(shape.half_height - 1) + 2) // 2, origin.y + shape.height // 2


def hex_at(scene: HexScene, shape: Shape, x: int, y: int) -> tuple[int, int]:
    """Return the map coordinates of the hex at a character cell. The coordinates may be off the map."""
    if not shape.is_flat_topped:
        row = scene.first_row + (y - shape.lines_above) // shape.height
        index = (x - hex_offset(scene, shape, 0, row).x) // shape.pitch
        return column_at(scene, index), row
    # Near a slanting side, the cell may belong to the hex in the previous column.
    for index in (x // shape.pitch, x // shape.pitch - 1):
        column = column_at(scene, index)
        row, line = divmod(y - 1 - hex_offset(scene, shape, column, 0).y, shape.height)
        left_column = index * shape.pitch + shape.inset(line)
        if left_column <= x <= left_column + shape.width(line):
            return column, scene.first_row + row
    return column_at(scene, x // shape.pitch), scene.first_row + (y - 1) // shape.height

"""Maps of hexes: which is beside which, how far apart they are, and how they are numbered.

Pure geometry: which hexes exist, and what may cross a side, is the business of a ruleset's board. Columns count from
the left unless the grid says otherwise, rows from the top.
"""

from enum import StrEnum
from typing import Final

import msgspec

_NEAR: Final = ((0, -1), (1, -1), (1, 0), (0, 1), (-1, 0), (-1, -1))
_FAR: Final = ((0, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0))
"""Steps in lines and places: from a line that is not shifted, and from one that is; clockwise from north if flat."""
_TURNED: Final = (4, 3, 2, 1, 0, 5)
"""Side of a pointy-topped hex, and the side that lies there on the map mirrored at its diagonal."""


class Top(StrEnum):
    """What a hex has above: a side, so that columns stand in lines, or a corner, so that rows do."""

    FLAT = "flat"
    POINTY = "pointy"


class Numbering(msgspec.Struct, frozen=True):
    """How the hexes of a map are numbered; a map with other names than these brings a class of its own."""

    column_digits: int = 2
    row_digits: int = 2
    """Digits, leading zeros kept; the second number may have more."""
    is_row_first: bool = False

    def name(self, column: int, row: int) -> str:
        """Return the id of coordinates."""
        columns, rows = f"{column:0{self.column_digits}}", f"{row:0{self.row_digits}}"
        return rows + columns if self.is_row_first else columns + rows

    def coordinates(self, hex_id: str) -> tuple[int, int]:
        """Return column and row of an id."""
        digits = self.row_digits if self.is_row_first else self.column_digits
        first, second = int(hex_id[:digits]), int(hex_id[digits:])
        return (second, first) if self.is_row_first else (first, second)


class HexGrid(msgspec.Struct, frozen=True):
    """The layout of one map.

    A line is a column of flat-topped hexes or a row of pointy-topped ones; every other line lies half a hex further
    on, downwards or to where columns grow.
    """

    odd_lines_shifted: bool = True
    """True when the odd lines lie further on, False when the even ones do."""
    top: Top = Top.FLAT
    numbering: Numbering = Numbering()
    columns_from_right: bool = False
    """True when column numbers grow to the left."""

    @property
    def sides(self) -> tuple[str, ...]:
        """Return the six directions clockwise, from north or from north-east."""
        if self.top is Top.FLAT:
            return ("N", "NE", "SE", "S", "SW", "NW")
        return ("NE", "E", "SE", "SW", "W", "NW")

    def is_shifted(self, line: int) -> bool:
        """Return whether a line lies half a hex further on."""
        return (line % 2 == 1) == self.odd_lines_shifted

    def neighbour(self, column: int, row: int, side: int) -> tuple[int, int]:
        """Return the coordinates across a side, by its place in :attr:`sides`; they may lie off the map."""
        if self.columns_from_right:
            side = -side % 6 if self.top is Top.FLAT else 5 - side
        if self.top is Top.FLAT:
            step = (_FAR if self.is_shifted(column) else _NEAR)[side]
            return column + step[0], row + step[1]
        step = (_FAR if self.is_shifted(row) else _NEAR)[_TURNED[side]]
        return column + step[1], row + step[0]

    def distance(self, column: int, row: int, other_column: int, other_row: int) -> int:
        """Return the number of hexes from one to the other; the start is not counted, the target is."""
        if self.top is Top.POINTY:
            column, row, other_column, other_row = row, column, other_row, other_column
        near = 0 if self.odd_lines_shifted else 1
        z = row - (column + near) // 2
        other_z = other_row - (other_column + near) // 2
        dx = other_column - column
        dz = other_z - z
        return max(abs(dx), abs(dz), abs(dx + dz))

    def name(self, column: int, row: int) -> str:
        """Return the id of coordinates."""
        return self.numbering.name(column, row)

    def coordinates(self, hex_id: str) -> tuple[int, int]:
        """Return column and row of an id."""
        return self.numbering.coordinates(hex_id)

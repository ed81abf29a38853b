"""Hex map geometry: neighbours, distances and numbering.

Only geometry is handled here. A ruleset's board determines the existing hexes and what may cross a hexside. Columns are
counted from the left unless ``columns_from_right`` is set. Rows are counted from the top.
"""

from enum import StrEnum
from typing import Final

import msgspec

_UNSHIFTED_STEPS: Final = ((0, -1), (1, -1), (1, 0), (0, 1), (-1, 0), (-1, -1))
_SHIFTED_STEPS: Final = ((0, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0))
"""Offsets of the six neighbours as (line, position), clockwise from north if flat-topped.

``_UNSHIFTED_STEPS`` applies to a line that is not shifted, ``_SHIFTED_STEPS`` to a shifted one.
"""
_MIRRORED_SIDES: Final = (4, 3, 2, 1, 0, 5)
"""For each side of a pointy-topped hex, the corresponding side after the map is mirrored along its diagonal."""


class HexOrientation(StrEnum):
    """The top of a hex: a side, so that columns form straight lines, or a corner, so that rows form straight lines."""

    FLAT = "flat"
    POINTY = "pointy"


class Numbering(msgspec.Struct, frozen=True):
    """A map's scheme for numbering hexes. A map with another kind of scheme needs its own class."""

    column_digits: int = 2
    row_digits: int = 2
    """Number of digits, including leading zeros. The second number in an id may have more digits."""
    is_row_first: bool = False

    def name(self, column: int, row: int) -> str:
        """Return the id of the hex at these coordinates."""
        columns, rows = f"{column:0{self.column_digits}}", f"{row:0{self.row_digits}}"
        return rows + columns if self.is_row_first else columns + rows

    def coordinates(self, hex_id: str) -> tuple[int, int]:
        """Return the column and row of a hex."""
        digits = self.row_digits if self.is_row_first else self.column_digits
        first, second = int(hex_id[:digits]), int(hex_id[digits:])
        return (second, first) if self.is_row_first else (first, second)


class HexGrid(msgspec.Struct, frozen=True):
    """One map's layout.

    A line is a column of flat-topped hexes or a row of pointy-topped hexes. Every other line is shifted by half a hex,
    downwards or towards higher columns.
    """

    odd_lines_shifted: bool = True
    """True if odd lines are shifted, False if even lines are."""
    top: HexOrientation = HexOrientation.FLAT
    numbering: Numbering = Numbering()
    columns_from_right: bool = False
    """True if column numbers increase to the left."""

    @property
    def sides(self) -> tuple[str, ...]:
        """Return the six directions clockwise, starting from north or north-east."""
        if self.top is HexOrientation.FLAT:
            return ("N", "NE", "SE", "S", "SW", "NW")
        return ("NE", "E", "SE", "SW", "W", "NW")

    def is_shifted(self, line: int) -> bool:
        """Return whether a line is shifted by half a hex."""
        return (line % 2 == 1) == self.odd_lines_shifted

    def neighbour(self, column: int, row: int, side: int) -> tuple[int, int]:
        """Return the coordinates of the neighbour across a side, which may be off the map.

        The side is an index into :attr:`sides`.
        """
        if self.columns_from_right:
            # With columns numbered from the right, east and west swap.
            side = -side % 6 if self.top is HexOrientation.FLAT else 5 - side
        if self.top is HexOrientation.FLAT:
            step = (_SHIFTED_STEPS if self.is_shifted(column) else _UNSHIFTED_STEPS)[side]
            return column + step[0], row + step[1]
        step = (_SHIFTED_STEPS if self.is_shifted(row) else _UNSHIFTED_STEPS)[_MIRRORED_SIDES[side]]
        return column + step[1], row + step[0]

    def distance(self, column: int, row: int, other_column: int, other_row: int) -> int:
        """Return the distance between two hexes. Neighbours are 1 apart."""
        if self.top is HexOrientation.POINTY:
            # Distances do not change if the map is mirrored along its diagonal.
            column, row, other_column, other_row = row, column, other_row, other_column
        # In cube coordinates, the distance is the largest of the three differences.
        row_shift = 0 if self.odd_lines_shifted else 1
        z = row - (column + row_shift) // 2
        other_z = other_row - (other_column + row_shift) // 2
        dx = other_column - column
        dz = other_z - z
        return max(abs(dx), abs(dz), abs(dx + dz))

    def name(self, column: int, row: int) -> str:
        """Return the id of the hex at these coordinates."""
        return self.numbering.name(column, row)

    def coordinates(self, hex_id: str) -> tuple[int, int]:
        """Return the column and row of a hex."""
        return self.numbering.coordinates(hex_id)

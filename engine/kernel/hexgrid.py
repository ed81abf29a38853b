"""Flat-topped hexes in vertical columns, numbered ``CCRR``; odd or even columns lie half a hex lower.

Pure geometry: which hexes exist, and what may cross a side, is the business of a ruleset's board.
"""

from typing import Final

import msgspec

SIDES: Final = ("N", "NE", "SE", "S", "SW", "NW")
"""Directions clockwise from north; index 0 to 5."""
_LOWER: Final = ((0, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0))
_UPPER: Final = ((0, -1), (1, -1), (1, 0), (0, 1), (-1, 0), (-1, -1))


class HexGrid(msgspec.Struct, frozen=True):
    """The numbering of one map."""

    odd_columns_lower: bool = True
    """True when odd columns lie half a hex south of even ones."""

    def _is_lower(self, column: int) -> bool:
        return (column % 2 == 1) == self.odd_columns_lower

    def neighbour(self, column: int, row: int, side: int) -> tuple[int, int]:
        """Return the coordinates across a side (0 north, clockwise); they may lie off the map."""
        step = (_LOWER if self._is_lower(column) else _UPPER)[side]
        return column + step[0], row + step[1]

    def distance(self, column: int, row: int, other_column: int, other_row: int) -> int:
        """Return the number of hexes from one to the other; the start is not counted, the target is."""
        lower = 0 if self.odd_columns_lower else 1
        z = row - (column + lower) // 2
        other_z = other_row - (other_column + lower) // 2
        dx = other_column - column
        dz = other_z - z
        return max(abs(dx), abs(dz), abs(dx + dz))


def coordinates(hex_id: str) -> tuple[int, int]:
    """Return column and row of a ``CCRR`` id."""
    return int(hex_id[:2]), int(hex_id[2:])


def hex_name(column: int, row: int) -> str:
    """Return the ``CCRR`` id of coordinates, leading zeros kept."""
    return f"{column:02}{row:02}"

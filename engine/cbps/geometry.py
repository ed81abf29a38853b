"""Hex geometry of the map: neighbours, distances, direct movement (0, 2.1, 7.22, 10.2).

A hex name starts with the row, as in ``1013``. Row 01 is the north edge, column 01 is the east edge, and odd rows are
shifted half a hex to the west.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from engine.cbps.directions import (
    DIRECTIONS,
    OFFSETS,
    Direction,
    Offset,
    nearest_directions,
    normalised_cross_product,
    offset_distance,
    straight_path,
)
from engine.kernel.hexgrid import HexGrid, HexOrientation, Numbering

ROWS: Final = 24
COLUMNS: Final = 30
GRID: Final = HexGrid(
    odd_lines_shifted=True,
    top=HexOrientation.POINTY,
    numbering=Numbering(is_row_first=True),
    columns_from_right=True,
)
"""The hex grid with this map's numbering (0)."""


class HexMap:
    """A map with a given number of rows and columns and precomputed lookup tables."""

    __slots__ = (
        "_distances",
        "_hexes_by_place",
        "_index",
        "_lines",
        "_neighbours",
        "_places",
        "_steps",
        "columns",
        "hexes",
        "rows",
    )

    def __init__(self, rows: int, columns: int) -> None:
        """Build the lookup tables. Use :func:`hex_map` to get a map, since it caches one map per size."""
        self.rows = rows
        self.columns = columns
        places = [(column, row) for row in range(1, rows + 1) for column in range(1, columns + 1)]
        self.hexes: tuple[str, ...] = tuple(GRID.name(*place) for place in places)
        """Every hex on the map in ascending order."""
        self._index = {hex: index for index, hex in enumerate(self.hexes)}
        self._places = {
            hex: (-2 * column - GRID.is_shifted(row), row)
            for hex, (column, row) in zip(self.hexes, places, strict=True)
        }
        self._hexes_by_place = {place: hex for hex, place in self._places.items()}
        on_map = set(places)
        self._steps: dict[str, dict[Direction, str | None]] = {}
        for hex, place in zip(self.hexes, places, strict=True):
            neighbours = (GRID.neighbour(*place, side) for side in range(6))
            names = [
                GRID.name(*neighbour) if neighbour in on_map else None for neighbour in neighbours
            ]
            self._steps[hex] = dict(zip(DIRECTIONS, names, strict=True))
        self._neighbours = {
            hex: tuple(neighbour for neighbour in steps.values() if neighbour is not None)
            for hex, steps in self._steps.items()
        }
        self._distances: dict[str, bytes] = {}
        self._lines: dict[tuple[str, str], tuple[tuple[str, ...], ...]] = {}

    def __contains__(self, hex: str) -> bool:
        """Return whether a hex is on the map."""
        return hex in self._places

    def centre(self, hex: str) -> Offset:
        """Return the position of a hex's centre, in half hexes east and rows south."""
        return self._places[hex]

    def hex_at(self, position: Offset) -> str | None:
        """Return the hex whose centre is at a position, or None if it is off the map."""
        return self._hexes_by_place.get(position)

    def offset(self, start_hex: str, end_hex: str) -> Offset:
        """Return the offset from one hex to another."""
        (x, y), (to_x, to_y) = self._places[start_hex], self._places[end_hex]
        return to_x - x, to_y - y

    def hex_at_offset(self, start_hex: str, offset: Offset) -> str | None:
        """Return the hex at an offset from the start, or None if it is off the map."""
        x, y = self._places[start_hex]
        return self._hexes_by_place.get((x + offset[0], y + offset[1]))

    def neighbour(self, hex: str, direction: Direction) -> str | None:
        """Return the adjacent hex in a direction, or None if it is off the map."""
        return self._steps[hex][direction]

    def neighbours(self, hex: str) -> tuple[str, ...]:
        """Return the adjacent hexes on the map, clockwise from north-east."""
        return self._neighbours[hex]

    def is_adjacent(self, hex: str, neighbour: str) -> bool:
        """Return whether two hexes share a side."""
        return neighbour in self._neighbours[hex]

    def direction_between(self, start_hex: str, end_hex: str) -> Direction:
        """Return the direction of a move between adjacent hexes."""
        for direction, neighbour in self._steps[start_hex].items():
            if neighbour == end_hex:
                return direction
        raise AssertionError(f"{start_hex} and {end_hex} are not adjacent")

    def distance(self, start_hex: str, end_hex: str) -> int:
        """Return the distance in hexes, counting the end but not the start (0)."""
        row = self._distances.get(start_hex) or self._distance_row(start_hex)
        return row[self._index[end_hex]]

    def _distance_row(self, start_hex: str) -> bytes:
        row = self._distances.get(start_hex)
        if row is None:
            x, y = self._places[start_hex]
            # With two-digit rows and columns, every distance fits into a byte.
            offsets = ((to_x - x, to_y - y) for to_x, to_y in self._places.values())
            row = self._distances[start_hex] = bytes(map(offset_distance, offsets))
        return row

    def within(self, centre: str, hexes: int) -> tuple[str, ...]:
        """Return every hex within a distance of the centre, including the centre, in ascending order."""
        row = self._distance_row(centre)
        return tuple(
            hex_id for hex_id, distance in zip(self.hexes, row, strict=True) if distance <= hexes
        )

    def easternmost(self, hexes: Iterable[str]) -> tuple[str, ...]:
        """Return the easternmost of several hexes, in the given order (7.21, OP-23)."""
        easts = [(self._places[hex][0], hex) for hex in hexes]
        max_east = max((east for east, _ in easts), default=0)
        return tuple(hex for east, hex in easts if east == max_east)

    def steps_toward(self, hex: str, goal: str, line_from: str | None = None) -> tuple[str, ...]:
        """Return the candidates for the next hex of direct movement (0, 10.23).

        Among the neighbours that are one hex nearer to the goal, these are the closest to the straight line. If the
        goal is at the start of the line, a new line is drawn from the mover's hex.

        Args:
            hex: The mover's current hex.
            goal: The mover's destination.
            line_from: Start of the straight line, or None for the mover's own hex.

        Returns:
            Hexes clockwise from north-east. More than one means a tie. Empty at the goal.
        """
        start = hex if line_from is None or line_from == goal else line_from
        row, index = self._distance_row(goal), self._index
        next_distance = row[index[hex]] - 1
        options = [
            neighbour
            for neighbour in self._neighbours[hex]
            if row[index[neighbour]] == next_distance
        ]
        if len(options) <= 1:
            return tuple(options)
        line = self.offset(start, goal)
        sideways_widths = [
            abs(normalised_cross_product(line, self.offset(start, option))) for option in options
        ]
        min_width = min(sideways_widths)
        return tuple(
            option
            for option, width in zip(options, sideways_widths, strict=True)
            if width == min_width
        )

    def line(self, start_hex: str, end_hex: str) -> tuple[tuple[str, ...], ...]:
        """Return the straight path between two hexes (0, 8.27, 10.21).

        Returns:
            One entry per step, including the start. Entry n contains the hexes after n steps. An entry of two hexes is
            a tie, with the anticlockwise hex first. Every hex in the next entry can be reached from either of them.
        """
        cached_line = self._lines.get((start_hex, end_hex))
        if cached_line is None:
            straight_hexes = straight_path(self.offset(start_hex, end_hex))
            cached_line = tuple(self._hexes_on_map(start_hex, hexes) for hexes in straight_hexes)
            self._lines[start_hex, end_hex] = cached_line
        return cached_line

    def _hexes_on_map(self, start_hex: str, offsets: Iterable[Offset]) -> tuple[str, ...]:
        hexes = (self.hex_at_offset(start_hex, offset) for offset in offsets)
        return tuple(hex for hex in hexes if hex is not None)

    def last_on_map(self, start_hex: str, offset: Offset) -> tuple[str, ...]:
        """Return the last on-map hexes on the straight path to an offset, even if the offset is off the map (8.261)."""
        for offsets in reversed(straight_path(offset)):
            if hexes := self._hexes_on_map(start_hex, offsets):
                return hexes
        raise AssertionError(f"{start_hex} is not on the map")

    def receding(self, hex: str, away_from: str) -> tuple[str, ...]:
        """Return the adjacent on-map hexes one hex further away from another hex, clockwise (7.21, OP-23)."""
        row, index = self._distance_row(away_from), self._index
        next_distance = row[index[hex]] + 1
        return tuple(
            neighbour
            for neighbour in self._neighbours[hex]
            if row[index[neighbour]] == next_distance
        )

    def receding_directions(self, hex: str, away_from: str) -> tuple[Direction, ...]:
        """Return the directions that lead one hex further away, on or off the map, clockwise (19.2)."""
        x, y = self.offset(away_from, hex)
        next_distance = offset_distance((x, y)) + 1
        return tuple(
            direction
            for direction, (east, south) in OFFSETS.items()
            if offset_distance((x + east, y + south)) == next_distance
        )

    def edge_step(self, hex: str, direction: Direction) -> tuple[str, ...]:
        """Return the hexes that a force may enter, without leaving the map, when it must move in a direction (7.222).

        Returns:
            The hex in that direction or, if it is off the map, the adjacent on-map hexes at the smallest angle to it.
        """
        steps = self._steps[hex]
        on_map = [option for option in DIRECTIONS if steps[option] is not None]
        edge_steps = (steps[option] for option in nearest_directions(on_map, direction))
        return tuple(edge_hex for edge_hex in edge_steps if edge_hex is not None)


@lru_cache(maxsize=8)
def hex_map(rows: int = ROWS, columns: int = COLUMNS) -> HexMap:
    """Return the cached map of a given size. An overlay may use a size other than the standard one."""
    return HexMap(rows, columns)

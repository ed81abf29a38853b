"""The hexes of the map: neighbours, distances, direct movement (0, 2.1, 7.22, 10.2).

Hexes are named row first, ``1013``: row 01 is the north edge, column 01 the east edge, and odd rows lie half a hex
further west.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from engine.cbps.directions import (
    DIRECTIONS,
    OFFSETS,
    Direction,
    Offset,
    cross,
    nearest_directions,
    offset_distance,
    straight,
)
from engine.kernel.hexgrid import HexGrid, Numbering, Top

ROWS: Final = 24
COLUMNS: Final = 30
GRID: Final = HexGrid(
    odd_lines_shifted=True,
    top=Top.POINTY,
    numbering=Numbering(is_row_first=True),
    columns_from_right=True,
)
"""Geometry of this map's numbering (0)."""


class HexMap:
    """One map of so many rows and columns, with its tables."""

    __slots__ = (
        "_at",
        "_distances",
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
        """Lay out the tables; use :func:`hex_map`, which does it once per size."""
        self.rows = rows
        self.columns = columns
        places = [(column, row) for row in range(1, rows + 1) for column in range(1, columns + 1)]
        self.hexes: tuple[str, ...] = tuple(GRID.name(*place) for place in places)
        """Every hex of the map in ascending order."""
        self._index = {hex: index for index, hex in enumerate(self.hexes)}
        self._places = {
            hex: (-2 * column - GRID.is_shifted(row), row)
            for hex, (column, row) in zip(self.hexes, places, strict=True)
        }
        self._at = {place: hex for hex, place in self._places.items()}
        on_map = set(places)
        self._steps: dict[str, dict[Direction, str | None]] = {}
        for hex, place in zip(self.hexes, places, strict=True):
            beside = (GRID.neighbour(*place, side) for side in range(6))
            names = [GRID.name(*other) if other in on_map else None for other in beside]
            self._steps[hex] = dict(zip(DIRECTIONS, names, strict=True))
        self._neighbours = {
            hex: tuple(other for other in steps.values() if other is not None)
            for hex, steps in self._steps.items()
        }
        self._distances: dict[str, bytes] = {}
        self._lines: dict[tuple[str, str], tuple[tuple[str, ...], ...]] = {}

    def __contains__(self, hex: str) -> bool:
        """Return whether a hex lies on the map."""
        return hex in self._places

    def place(self, hex: str) -> Offset:
        """Return where the middle of a hex lies, in half hexes east and rows south."""
        return self._places[hex]

    def at(self, place: Offset) -> str | None:
        """Return the hex with its middle at a place, None off the map."""
        return self._at.get(place)

    def offset(self, start: str, end: str) -> Offset:
        """Return what leads from one hex to another."""
        (x, y), (to_x, to_y) = self._places[start], self._places[end]
        return to_x - x, to_y - y

    def beyond(self, start: str, offset: Offset) -> str | None:
        """Return the hex to which an offset leads, None off the map."""
        x, y = self._places[start]
        return self._at.get((x + offset[0], y + offset[1]))

    def step(self, hex: str, direction: Direction) -> str | None:
        """Return the next hex in a direction, None off the map."""
        return self._steps[hex][direction]

    def neighbours(self, hex: str) -> tuple[str, ...]:
        """Return the adjacent hexes on the map, clockwise from north-east."""
        return self._neighbours[hex]

    def is_adjacent(self, hex: str, other: str) -> bool:
        """Return whether two hexes share a side."""
        return other in self._neighbours[hex]

    def direction_between(self, start: str, end: str) -> Direction:
        """Return the direction of a move between adjacent hexes."""
        for direction, other in self._steps[start].items():
            if other == end:
                return direction
        raise AssertionError(f"{start} and {end} are not adjacent")

    def distance(self, start: str, end: str) -> int:
        """Return the distance in hexes; the start is not counted, the end is (0)."""
        row = self._distances.get(start) or self._row(start)
        return row[self._index[end]]

    def _row(self, start: str) -> bytes:
        row = self._distances.get(start)
        if row is None:
            x, y = self._places[start]
            offsets = ((to_x - x, to_y - y) for to_x, to_y in self._places.values())
            row = self._distances[start] = bytes(map(offset_distance, offsets))
        return row

    def within(self, centre: str, hexes: int) -> tuple[str, ...]:
        """Return every hex at most so many hexes away, the centre included, in ascending order."""
        row = self._row(centre)
        return tuple(h for h, distance in zip(self.hexes, row, strict=True) if distance <= hexes)

    def easternmost(self, hexes: Iterable[str]) -> tuple[str, ...]:
        """Return those of some hexes that lie furthest east, in the given order (7.21, OP-23)."""
        easts = [(self._places[hex][0], hex) for hex in hexes]
        most = max((east for east, _ in easts), default=0)
        return tuple(hex for east, hex in easts if east == most)

    def steps_toward(self, hex: str, goal: str, line_from: str | None = None) -> tuple[str, ...]:
        """Return the hexes to which one hex of direct movement may lead (0, 10.23).

        They are one hex nearer to the goal, and of those nearest to the straight line. A line whose start is the goal
        itself, because the goal has moved there, is not a line; then the way is straight from where the mover is.

        Args:
            hex: Where the mover is.
            goal: Where it wants to be.
            line_from: Start of the straight line, the mover's own hex when None.

        Returns:
            Clockwise from north-east; more than one is a tie, none at the goal.
        """
        start = hex if line_from is None or line_from == goal else line_from
        row, index = self._row(goal), self._index
        nearer = row[index[hex]] - 1
        options = [other for other in self._neighbours[hex] if row[index[other]] == nearer]
        if len(options) <= 1:
            return tuple(options)
        line = self.offset(start, goal)
        aside = [abs(cross(line, self.offset(start, option))) for option in options]
        least = min(aside)
        return tuple(o for o, width in zip(options, aside, strict=True) if width == least)

    def line(self, start: str, end: str) -> tuple[tuple[str, ...], ...]:
        """Return the straight way between two hexes (0, 8.27, 10.21).

        Returns:
            One entry per step, from the start to the end; the entry at index n holds the hexes n steps on. Two hexes
            are a tie, anticlockwise one first; either leads on to every hex of the next entry.
        """
        known = self._lines.get((start, end))
        if known is None:
            way = straight(self.offset(start, end))
            known = tuple(self._on_map(start, hexes) for hexes in way)
            self._lines[start, end] = known
        return known

    def _on_map(self, start: str, offsets: Iterable[Offset]) -> tuple[str, ...]:
        found = (self.beyond(start, offset) for offset in offsets)
        return tuple(hex for hex in found if hex is not None)

    def last_on_map(self, start: str, offset: Offset) -> tuple[str, ...]:
        """Return the last hexes on the map of the straight way to a place that may lie off it (8.261)."""
        for offsets in reversed(straight(offset)):
            if hexes := self._on_map(start, offsets):
                return hexes
        raise AssertionError(f"{start} is not on the map")

    def receding(self, hex: str, away_from: str) -> tuple[str, ...]:
        """Return the adjacent hexes on the map one further away, clockwise from north-east (7.21, OP-23)."""
        row, index = self._row(away_from), self._index
        further = row[index[hex]] + 1
        return tuple(other for other in self._neighbours[hex] if row[index[other]] == further)

    def receding_directions(self, hex: str, away_from: str) -> tuple[Direction, ...]:
        """Return the directions that lead one hex further away, also off the map, clockwise (19.2)."""
        x, y = self.offset(away_from, hex)
        further = offset_distance((x, y)) + 1
        return tuple(
            direction
            for direction, (east, south) in OFFSETS.items()
            if offset_distance((x + east, y + south)) == further
        )

    def edge_step(self, hex: str, direction: Direction) -> tuple[str, ...]:
        """Return where a force goes that is ordered in a direction but may not leave the map (7.222).

        Returns:
            The hex in that direction, or the adjacent ones in the directions nearest to it if it lies off the map; two
            are a tie.
        """
        steps = self._steps[hex]
        on_map = [option for option in DIRECTIONS if steps[option] is not None]
        found = (steps[option] for option in nearest_directions(on_map, direction))
        return tuple(other for other in found if other is not None)


@lru_cache(maxsize=8)
def hex_map(rows: int = ROWS, columns: int = COLUMNS) -> HexMap:
    """Return the map of a size, made once; an overlay may bring another size than the game's."""
    return HexMap(rows, columns)

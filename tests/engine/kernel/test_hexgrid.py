"""Neighbours, distances and numbers on maps of either orientation."""

from collections import deque
from itertools import product

import pytest
from typing_extensions import override

from engine.kernel.hexgrid import HexGrid, HexOrientation, Numbering

GRIDS = [
    pytest.param(
        HexGrid(odd_lines_shifted=odd, top=top, columns_from_right=mirrored),
        id=f"{top}-{'odd' if odd else 'even'}-{'right' if mirrored else 'left'}",
    )
    for top, odd, mirrored in product(HexOrientation, (True, False), (False, True))
]
COLUMNS, ROWS = range(1, 9), range(1, 8)


def middle(grid: HexGrid, column: int, row: int) -> tuple[int, int]:
    """Return the centre of a hex in units in which lines are 3 apart and places 4 apart."""
    if grid.top is HexOrientation.FLAT:
        x, y = 3 * column, 4 * row + 2 * grid.is_shifted(column)
    else:
        x, y = 4 * column + 2 * grid.is_shifted(row), 3 * row
    return (-x if grid.columns_from_right else x), y


@pytest.mark.parametrize("grid", GRIDS)
def test_neighbours_are_in_the_direction_of_their_side(grid: HexGrid) -> None:
    for column, row, (side, name) in product(COLUMNS, ROWS, enumerate(grid.sides)):
        x, y = middle(grid, column, row)
        other = grid.neighbour(column, row, side)
        to_x, to_y = middle(grid, *other)
        east, south = to_x - x, to_y - y
        assert ("N" in name, "S" in name) == (south < 0, south > 0)
        assert ("W" in name, "E" in name) == (east < 0, east > 0)
        assert (abs(east), abs(south)) in {(0, 4), (3, 2), (4, 0), (2, 3)}
        assert grid.neighbour(*other, (side + 3) % 6) == (column, row)


@pytest.mark.parametrize("grid", GRIDS)
def test_distance_is_the_length_of_the_shortest_path(grid: HexGrid) -> None:
    start = (4, 4)
    found = {start: 0}
    queue = deque([start])
    while queue:
        at = queue.popleft()
        for side in range(6):
            other = grid.neighbour(*at, side)
            if other not in found and found[at] < 6:
                found[other] = found[at] + 1
                queue.append(other)
    assert len(found) == 1 + 6 * sum(range(7))
    assert all(grid.distance(*start, *at) == hexes for at, hexes in found.items())
    assert all(grid.distance(*at, *start) == hexes for at, hexes in found.items())


@pytest.mark.parametrize(
    ("numbering", "place", "name"),
    [
        (Numbering(), (9, 4), "0904"),
        (Numbering(column_digits=1, row_digits=2), (9, 12), "912"),
        (Numbering(is_row_first=True), (9, 4), "0409"),
        (Numbering(column_digits=3, row_digits=3), (120, 7), "120007"),
        (Numbering(), (9, 104), "09104"),
    ],
)
def test_hex_names_round_trip_through_coordinates(
    numbering: Numbering, place: tuple[int, int], name: str
) -> None:
    grid = HexGrid(numbering=numbering)
    assert grid.name(*place) == name
    assert grid.coordinates(name) == place


def test_a_game_may_define_its_own_hex_names() -> None:
    class Lettered(Numbering, frozen=True):
        @override
        def name(self, column: int, row: int) -> str:
            return f"{chr(64 + column)}{row}"

        @override
        def coordinates(self, hex_id: str) -> tuple[int, int]:
            return ord(hex_id[0]) - 64, int(hex_id[1:])

    grid = HexGrid(top=HexOrientation.POINTY, numbering=Lettered())
    assert grid.name(3, 11) == "C11"
    assert grid.coordinates("C11") == (3, 11)

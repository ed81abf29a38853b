"""Hexes, directions and straight moves (0, 7.22, 10.2, 14.13, 17.0)."""

import math
from collections import deque
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cbps.directions import (
    _ANGLES,
    DIRECTIONS,
    OFFSETS,
    Approach,
    Direction,
    approach_angle,
    is_downwind,
    nearest_directions,
    offset_distance,
    opposite,
    straight_path,
)
from engine.cbps.geometry import COLUMNS, GRID, ROWS, hex_map

MAP = hex_map()
SMALL = hex_map(7, 5)
HEXES = st.sampled_from(MAP.hexes)
WAYS = st.sampled_from(DIRECTIONS)


def middle(hex: str) -> tuple[float, float]:
    """Return the centre of a hex in hexes east and south, by the formula of section 0."""
    row, column = int(hex[:2]), int(hex[2:])
    return -column - (0.5 if row % 2 else 0.0), row * math.sqrt(3) / 2


def aside(hex: str, start: str, end: str) -> float:
    """Return the distance of a hex from a straight line (0)."""
    (x, y), (from_x, from_y), (to_x, to_y) = middle(hex), middle(start), middle(end)
    across = (to_x - from_x) * (y - from_y) - (to_y - from_y) * (x - from_x)
    return abs(across) / math.hypot(to_x - from_x, to_y - from_y)


def reached(start: str) -> dict[str, int]:
    """Return the distance to every hex of the map by walking."""
    found, queue = {start: 0}, deque([start])
    while queue:
        at = queue.popleft()
        for other in MAP.neighbours(at):
            if other not in found:
                found[other] = found[at] + 1
                queue.append(other)
    return found


def test_0_the_map_has_24_rows_of_30_hexes() -> None:
    assert (ROWS, COLUMNS) == (MAP.rows, MAP.columns) == (24, 30)
    assert len(MAP.hexes) == 720
    assert (MAP.hexes[0], MAP.hexes[-1]) == ("0101", "2430")
    assert list(MAP.hexes) == sorted(MAP.hexes)
    assert "2430" in MAP
    assert "2431" not in MAP
    assert "2501" not in MAP
    assert GRID.sides == DIRECTIONS


def test_0_a_map_of_another_size_has_its_own_edges() -> None:
    assert SMALL is hex_map(7, 5)
    assert SMALL is not MAP
    assert SMALL.hexes[-1] == "0705"
    assert SMALL.neighbour("0405", "W") is None
    assert MAP.neighbour("0405", "W") == "0406"


@pytest.mark.parametrize(
    ("hex", "around"),
    [
        pytest.param("1013", "0912 1012 1112 1113 1014 0913", id="0-even-row"),
        pytest.param("0913", "0813 0912 1013 1014 0914 0814", id="0-odd-row"),
    ],
)
def test_neighbours_are_listed_clockwise_from_north_east(hex: str, around: str) -> None:
    assert MAP.neighbours(hex) == tuple(around.split())
    assert tuple(MAP.neighbour(hex, direction) for direction in DIRECTIONS) == MAP.neighbours(hex)


@pytest.mark.parametrize(
    ("start", "end", "direction"),
    [
        pytest.param("1013", "1012", "E", id="14.131-force"),
        pytest.param("0912", "1012", "SE", id="14.131-boat"),
        pytest.param("1013", "0913", "NW", id="17.1-northwest"),
        pytest.param("1013", "1014", "W", id="17.1-west"),
        pytest.param("1013", "1113", "SW", id="17.1-southwest"),
    ],
)
def test_directions_match_the_examples(start: str, end: str, direction: Direction) -> None:
    assert MAP.direction_between(start, end) == direction
    assert MAP.direction_between(end, start) == opposite(direction)


@pytest.mark.parametrize(
    ("hex", "around"),
    [
        pytest.param("0101", {"SE": "0201", "SW": "0202", "W": "0102"}, id="0-north-east"),
        pytest.param("0201", {"NW": "0101", "SW": "0301", "W": "0202"}, id="0-east"),
        pytest.param("2430", {"NE": "2329", "E": "2429", "NW": "2330"}, id="0-south-west"),
        pytest.param("0130", {"E": "0129", "SE": "0230"}, id="0-north-west"),
    ],
)
def test_neighbours_off_the_map_are_none(hex: str, around: dict[Direction, str]) -> None:
    steps = {direction: MAP.neighbour(hex, direction) for direction in DIRECTIONS}
    assert {direction: other for direction, other in steps.items() if other} == around


@given(HEXES, WAYS)
def test_a_step_moves_in_its_direction(hex: str, direction: Direction) -> None:
    other = MAP.neighbour(hex, direction)
    assert other == MAP.hex_at_offset(hex, OFFSETS[direction])
    if other is None:
        return
    (x, y), (to_x, to_y) = middle(hex), middle(other)
    degrees = math.degrees(math.atan2(to_x - x, y - to_y)) % 360
    assert degrees == pytest.approx(30 + 60 * DIRECTIONS.index(direction))
    assert MAP.neighbour(other, opposite(direction)) == hex
    assert MAP.is_adjacent(hex, other)
    assert MAP.hex_at(MAP.centre(other)) == other


def test_directions_are_60_degrees_apart() -> None:
    assert [_ANGLES["NE", other] for other in DIRECTIONS] == [0, 60, 120, 180, 120, 60]
    for first, second in product(DIRECTIONS, DIRECTIONS):
        assert _ANGLES[first, second] == _ANGLES[second, first]
        assert _ANGLES[first, second] + _ANGLES[opposite(first), second] == 180


@given(HEXES)
def test_distance_is_the_length_of_the_shortest_path(start: str) -> None:
    assert reached(start) == {hex: MAP.distance(start, hex) for hex in MAP.hexes}


@given(HEXES, HEXES)
def test_distance_matches_the_formula(start: str, end: str) -> None:
    rows = abs(int(start[:2]) - int(end[:2]))
    across = abs(middle(start)[0] - middle(end)[0])
    assert MAP.distance(start, end) == rows + max(0.0, across - rows / 2)
    assert MAP.distance(start, end) == MAP.distance(end, start)
    assert MAP.distance(start, end) == offset_distance(MAP.offset(start, end))
    assert MAP.distance(start, end) == GRID.distance(
        *GRID.coordinates(start), *GRID.coordinates(end)
    )


def test_within_returns_all_hexes_up_to_a_distance() -> None:
    assert MAP.within("1013", 0) == ("1013",)
    assert set(MAP.within("1013", 1)) == {"1013", *MAP.neighbours("1013")}
    assert len(MAP.within("1213", 6)) == 1 + 6 * sum(range(7))
    assert list(MAP.within("1213", 6)) == sorted(MAP.within("1213", 6))


@given(HEXES, HEXES, HEXES)
def test_a_step_toward_a_goal_is_closest_to_the_line(hex: str, goal: str, line_from: str) -> None:
    steps = MAP.steps_toward(hex, goal, line_from)
    if hex == goal:
        assert steps == ()
        return
    start = hex if line_from == goal else line_from
    nearer = [
        n for n in MAP.neighbours(hex) if MAP.distance(n, goal) == MAP.distance(hex, goal) - 1
    ]
    widths = [aside(n, start, goal) for n in nearer]
    expected = [n for n, width in zip(nearer, widths, strict=True) if width < min(widths) + 1e-6]
    assert list(steps) == expected
    assert 1 <= len(steps) <= 2
    assert MAP.steps_toward(hex, goal) == MAP.steps_toward(hex, goal, hex)


def test_a_step_from_off_the_line_returns_to_the_line() -> None:
    assert MAP.steps_toward("1013", "1003", "1013") == ("1012",)
    assert MAP.steps_toward("1112", "1003", "1013") == ("1012",)
    assert MAP.steps_toward("1112", "1003") == ("1111",)


def test_a_step_along_a_hexside_is_a_tie() -> None:
    assert MAP.steps_toward("1013", "0613") == ("0912", "0913")
    assert MAP.steps_toward("0912", "0613", "1013") == ("0813",)
    assert MAP.steps_toward("0913", "0613", "1013") == ("0813",)


def test_a_tie_does_not_include_a_hex_off_the_map() -> None:
    assert MAP.steps_toward("0801", "0401") == ("0701",)
    assert MAP.line("0801", "0401") == (("0801",), ("0701",), ("0601",), ("0501",), ("0401",))


@given(HEXES, HEXES)
def test_every_step_of_a_line_approaches_the_end(start: str, end: str) -> None:
    line = MAP.line(start, end)
    assert line[0] == (start,)
    assert line[-1] == (end,)
    assert len(line) == 1 + MAP.distance(start, end)
    for number, hexes in enumerate(line[:-1]):
        for hex in hexes:
            assert MAP.distance(start, hex) == number
            assert MAP.distance(hex, end) == len(line) - 1 - number
            assert set(MAP.steps_toward(hex, end, start)) == set(line[number + 1])


@given(HEXES, HEXES)
def test_a_reversed_line_is_the_same_line(start: str, end: str) -> None:
    back = MAP.line(end, start)[::-1]
    assert list(map(set, MAP.line(start, end))) == list(map(set, back))


@pytest.mark.parametrize(
    ("start", "end", "line"),
    [
        pytest.param("1013", "1013", "1013", id="10.21-no-way"),
        pytest.param("1013", "1010", "1013 1012 1011 1010", id="10.21-in-a-row"),
        pytest.param("1013", "0713", "1013 0913 0813 0713", id="10.21-steep"),
        pytest.param("1013", "0813", "1013 0913/0912 0813", id="10.21-hexside"),
        pytest.param("1010", "1313", "1010 1110 1111 1212 1213 1313", id="10.21-southwest"),
    ],
)
def test_lines_match_the_examples(start: str, end: str, line: str) -> None:
    found = [set(hexes) for hexes in MAP.line(start, end)]
    assert found == [set(hexes.split("/")) for hexes in line.split()]


def test_a_straight_path_may_lead_off_the_map() -> None:
    assert straight_path((0, -2)) == (((0, 0),), ((-1, -1), (1, -1)), ((0, -2),))
    assert MAP.last_on_map("0213", (0, -4)) == ("0113", "0112")
    assert MAP.last_on_map("0113", (0, -4)) == ("0113",)
    assert MAP.last_on_map("1003", (20, 0)) == ("1001",)


@given(HEXES, HEXES)
def test_receding_hexes_are_one_hex_further_away(hex: str, other: str) -> None:
    distance = MAP.distance(other, hex)
    expected = [n for n in MAP.neighbours(hex) if MAP.distance(other, n) == distance + 1]
    assert list(MAP.receding(hex, other)) == expected
    ways = MAP.receding_directions(hex, other)
    assert [n for way in ways if (n := MAP.neighbour(hex, way))] == expected
    assert 2 <= len(ways) <= 6


def test_receding_directions_may_lead_off_the_map() -> None:
    assert MAP.receding_directions("0101", "0103") == ("NE", "E", "SE")
    assert MAP.receding("0101", "0103") == ("0201",)
    assert MAP.receding("1013", "1013") == MAP.neighbours("1013")


def test_easternmost_of_several_hexes() -> None:
    assert MAP.easternmost(MAP.receding("1013", "1016")) == ("1012",)
    assert MAP.easternmost(("0912", "1013", "1112")) == ("0912", "1112")
    assert MAP.easternmost(("1012", "1112")) == ("1012",)
    assert MAP.easternmost(()) == ()


@pytest.mark.parametrize(
    ("hex", "direction", "steps"),
    [
        pytest.param("1013", "NE", "0912", id="7.222-on-map"),
        pytest.param("0113", "NE", "0112", id="7.222-north-edge-to-east"),
        pytest.param("0113", "NW", "0114", id="7.222-north-edge-to-west"),
        pytest.param("2413", "SW", "2414", id="7.222-south-edge"),
        pytest.param("0901", "E", "0801 1001", id="7.222-east-edge-odd-tie"),
        pytest.param("1001", "E", "0901 1101", id="7.222-east-edge-even-tie"),
        pytest.param("1001", "NE", "0901", id="7.222-east-edge-even"),
        pytest.param("0901", "SE", "1001", id="7.222-on-map-beside-the-edge"),
        pytest.param("0101", "NE", "0201 0102", id="7.222-corner-tie"),
        pytest.param("0101", "E", "0201", id="7.222-corner"),
    ],
)
def test_orders_off_the_map_step_along_the_edge(hex: str, direction: Direction, steps: str) -> None:
    assert set(MAP.edge_step(hex, direction)) == set(steps.split())


@given(HEXES, WAYS)
def test_an_edge_step_differs_least_from_the_order(hex: str, direction: Direction) -> None:
    angles = {n: _ANGLES[MAP.direction_between(hex, n), direction] for n in MAP.neighbours(hex)}
    least = [n for n, degrees in angles.items() if degrees == min(angles.values())]
    assert list(MAP.edge_step(hex, direction)) == least


def test_nearest_of_several_directions() -> None:
    assert nearest_directions(("NE", "W", "SW"), "NW") == ("NE", "W")
    assert nearest_directions(("NE", "W"), "SE") == ("NE", "W")
    assert nearest_directions((), "E") == ()


@pytest.mark.parametrize(
    ("boat", "expected"),
    [
        pytest.param("0912", "oblique", id="14.131-example-oblique"),
        pytest.param("1112", "oblique", id="14.131-mirrored"),
        pytest.param("1013", "stern chase", id="14.131-example-stern-chase"),
        pytest.param("0911", None, id="14.131-from-ahead-north"),
        pytest.param("1111", None, id="14.131-from-ahead-south"),
        pytest.param("1011", None, id="14.131-head-on"),
    ],
)
def test_approach_angles(boat: str, expected: Approach | None) -> None:
    last_move = MAP.direction_between("1013", "1012")
    assert approach_angle(MAP.direction_between(boat, "1012"), last_move) == expected


@pytest.mark.parametrize(
    ("to", "expected"),
    [
        pytest.param("0913", True, id="17.1-example-northwest"),
        pytest.param("1014", True, id="17.1-example-west"),
        pytest.param("1113", True, id="17.1-example-southwest"),
        pytest.param("0912", False, id="17.0-northeast"),
        pytest.param("1012", False, id="17.0-east"),
        pytest.param("1112", False, id="17.0-southeast"),
    ],
)
def test_leeward_moves_depend_on_the_wind(to: str, expected: bool) -> None:
    assert is_downwind(MAP.direction_between("1013", to), "W") is expected

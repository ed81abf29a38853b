"""Bearings, wedges, zones and radius hexes of searches (8.2, 8.3, 18.2)."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cbps.directions import DIRECTIONS
from engine.cbps.geometry import hex_map
from engine.cbps.search_area import (
    BEARINGS,
    ZONES,
    Zone,
    is_in_search_area,
    last_zone,
    leg_hexes,
    narrow_radii,
    radius_hex,
    zone_at,
    zone_hexes,
)

MAP = hex_map()
WIDE = hex_map(60, 60)
"""A map so large that no search from its middle leaves it."""
MIDDLE = "3030"
HEXES = st.sampled_from(MAP.hexes)


def degrees(start: str, end: str) -> float:
    """Return the bearing of one hex from another, clockwise from north."""
    (x, y), (to_x, to_y) = MAP.centre(start), MAP.centre(end)
    return math.degrees(math.atan2((to_x - x) / 2, (y - to_y) * math.sqrt(3) / 2)) % 360


def test_8_25_there_are_12_bearings() -> None:
    assert tuple(range(0, 360, 30)) == BEARINGS


@pytest.mark.parametrize("bearing", BEARINGS)
def test_8_25_the_radius_hex_is_ten_hexes_away(bearing: int) -> None:
    if bearing % 60:
        ways = [DIRECTIONS[bearing // 60]] * 10
    else:
        ways = [DIRECTIONS[bearing // 60 - 1]] * 5 + [DIRECTIONS[bearing // 60]] * 5
    hex: str | None = MIDDLE
    for way in ways:
        assert hex is not None
        hex = WIDE.neighbour(hex, way)
    assert radius_hex(WIDE, MIDDLE, bearing) == hex
    assert WIDE.distance(MIDDLE, radius_hex(WIDE, MIDDLE, bearing)) == 10
    assert WIDE.distance(MIDDLE, radius_hex(WIDE, MIDDLE, bearing, 12)) == 12


@pytest.mark.parametrize(
    ("origin", "bearing", "radius"),
    [
        pytest.param("1003", 90, "1001", id="8.261-east"),
        pytest.param("0413", 30, "0111", id="8.261-north-east"),
        pytest.param("0113", 0, "0113", id="8.261-no-way-out"),
        pytest.param("0213", 0, "0113", id="8.261-hexside"),
        pytest.param("0313", 0, "0113", id="8.261-north"),
        pytest.param("1301", 0, "0301", id="8.261-along-the-edge"),
        pytest.param("1028", 270, "1030", id="8.261-west"),
    ],
)
def test_a_radius_off_the_map_ends_at_the_last_hex_on_the_map(
    origin: str, bearing: int, radius: str
) -> None:
    assert radius_hex(MAP, origin, bearing) == radius


@given(HEXES, HEXES, st.sampled_from(BEARINGS))
def test_8_251_wedges_extend_30_degrees_to_both_sides(origin: str, hex: str, bearing: int) -> None:
    apart = abs((degrees(origin, hex) - bearing + 180) % 360 - 180)
    expected = origin == hex or apart < 30 + 1e-6
    assert is_in_search_area(MAP, origin, bearing, hex) is expected


def test_8_251_a_hex_is_in_two_areas_or_three_on_a_ray() -> None:
    rays = {
        hex
        for bearing in BEARINGS
        for entry in WIDE.line(MIDDLE, radius_hex(WIDE, MIDDLE, bearing))
        if len(entry) == 1
        for hex in entry
    }
    for hex in WIDE.within(MIDDLE, 10):
        covering = [b for b in BEARINGS if is_in_search_area(WIDE, MIDDLE, b, hex)]
        expected = 12 if hex == MIDDLE else 3 if hex in rays else 2
        assert len(covering) == expected, hex


def test_8_25_adjacent_bearings_share_a_wedge() -> None:
    three, four = 60, 90
    shared, only_four, only_three = "2927", "3127", "2727"
    assert is_in_search_area(WIDE, MIDDLE, three, shared)
    assert is_in_search_area(WIDE, MIDDLE, four, shared)
    assert is_in_search_area(WIDE, MIDDLE, four, only_four)
    assert not is_in_search_area(WIDE, MIDDLE, three, only_four)
    assert is_in_search_area(WIDE, MIDDLE, three, only_three)
    assert not is_in_search_area(WIDE, MIDDLE, four, only_three)


@pytest.mark.parametrize(
    ("distance", "zone"),
    [
        pytest.param(0, "near", id="8.33-origin"),
        pytest.param(2, "near", id="8.33-near"),
        pytest.param(3, "middle", id="8.33-middle-first"),
        pytest.param(6, "middle", id="8.33-middle-last"),
        pytest.param(7, "far", id="8.33-far-first"),
        pytest.param(10, "far", id="8.33-far-last"),
        pytest.param(11, "extended", id="18.22-first"),
        pytest.param(12, "extended", id="18.22-last"),
        pytest.param(13, None, id="18.22-beyond"),
    ],
)
def test_zones_are_determined_by_distance(distance: int, zone: Zone | None) -> None:
    assert zone_at(distance) == zone


@given(HEXES, st.sampled_from(BEARINGS), st.sampled_from(sorted(ZONES)))
def test_8_33_an_area_contains_its_zone_of_the_wedges(
    origin: str, bearing: int, zone: Zone
) -> None:
    first, last = ZONES[zone]
    expected = tuple(
        hex
        for hex in MAP.hexes
        if first <= MAP.distance(origin, hex) <= last
        and is_in_search_area(MAP, origin, bearing, hex)
    )
    assert zone_hexes(MAP, origin, bearing, zone) == expected


@pytest.mark.parametrize(
    ("origin", "bearing", "farthest", "zone"),
    [
        pytest.param("1213", 90, "far", "far", id="8.332-all-zones"),
        pytest.param("0613", 0, "far", "middle", id="8.332-far-off-map"),
        pytest.param("0313", 0, "far", "near", id="8.332-middle-off-map"),
        pytest.param("1004", 90, "far", "middle", id="8.332-corner-of-the-middle-zone"),
        pytest.param("1213", 90, "extended", "extended", id="18.22-reached"),
        pytest.param("1009", 90, "extended", "far", id="18.22-off-map"),
    ],
)
def test_a_search_turns_back_in_the_last_zone_on_the_map(
    origin: str, bearing: int, farthest: Zone, zone: Zone
) -> None:
    assert last_zone(MAP, origin, bearing, farthest) == zone


def test_8_26_a_narrow_search_may_target_any_hex_14_hexes_away() -> None:
    ring = [hex for hex in WIDE.hexes if WIDE.distance(MIDDLE, hex) == 14]
    assert len(ring) == 84
    assert list(narrow_radii(WIDE, MIDDLE)) == ring


@given(HEXES)
def test_8_261_narrow_radii_are_14_hexes_away_or_at_the_edge(origin: str) -> None:
    radii = narrow_radii(MAP, origin)
    assert list(radii) == sorted(set(radii))
    assert origin not in radii
    assert {hex for hex in MAP.hexes if MAP.distance(origin, hex) == 14} <= set(radii)
    for hex in radii:
        assert MAP.distance(origin, hex) == 14 or len(MAP.neighbours(hex)) < 6


def test_8_32_a_narrow_search_along_a_hexside_has_a_choice_of_hexes() -> None:
    line = MAP.line("2013", "0613")
    assert "0613" in narrow_radii(MAP, "2013")
    assert line[1:3] == (("1913", "1912"), ("1813",))
    assert [len(entry) for entry in line] == [1, 2] * 7 + [1]


@pytest.mark.parametrize(
    ("origin", "radius", "legs"),
    [
        pytest.param("1220", "1210", [(1, 2), (3, 6), (7, 10), None], id="8.271-standard"),
        pytest.param("1220", "1208", [(1, 2), (3, 6), (7, 10), (11, 12)], id="18.22-extended"),
        pytest.param("1220", "1206", [(1, 2), (3, 6), (7, 10), (11, 14)], id="8.27-narrow"),
        pytest.param("1205", "1201", [(1, 2), (3, 4), None, None], id="8.332-map-edge"),
        pytest.param("1201", "1201", [None, None, None, None], id="8.332-origin-at-the-edge"),
    ],
)
def test_outbound_moves_of_a_narrow_search(
    origin: str, radius: str, legs: list[tuple[int, int] | None]
) -> None:
    found = [
        [MAP.distance(origin, hex) for (hex,) in leg_hexes(MAP, origin, radius, number)]
        for number in range(4)
    ]
    assert found == [list(range(steps[0], steps[1] + 1)) if steps else [] for steps in legs]


def test_8_32_a_move_along_a_hexside_lists_both_hexes() -> None:
    assert leg_hexes(MAP, "2013", "0613", 0) == (("1913", "1912"), ("1813",))
    assert [len(entry) for entry in leg_hexes(MAP, "2013", "0613", 1)] == [2, 1, 2, 1]

from typing import Final

import msgspec
import pytest

from engine.eots.board import (
    GRID,
    LAND,
    LAND_AND_SEA,
    NO_ENTRY,
    SEA,
    UNPLAYABLE,
    UNREACHABLE,
    board,
    read_board,
    south_pacific_board,
)
from engine.eots.data import map_file
from engine.eots.data.map_file import RouteRow
from engine.eots.data.reading import content
from engine.eots.ids import HexId, RouteEvent, RouteKind, RulingId, Side, Terrain
from engine.kernel.errors import DataError

BOARD: Final = board()


def at(name: str) -> int:
    return BOARD.index[HexId(name)]


def names(indexes: tuple[int, ...]) -> list[str]:
    return [BOARD.ids[i] for i in indexes]


@pytest.mark.parametrize(
    ("start", "end", "hexes"),
    [
        pytest.param("3319", "3520", 2, id="EX-1-1-biak-hollandia"),
        pytest.param("5506", "5808", 3, id="EX-1-1-at-sea-oahu"),
        pytest.param("4825", "4423", 4, id="EX-1-1-espiritu-santo-guadalcanal"),
        pytest.param("4612", "5108", 6, id="8.32-wake-midway"),
        pytest.param("3014", "2220", 10, id="8.22-leyte-soerabaja"),
        pytest.param("4715", "4612", 4, id="EX-1-5-kwajalein-wake"),
        pytest.param("2220", "2220", 0, id="0.2-start-not-counted"),
    ],
)
def test_distance_between_hexes(start: str, end: str, hexes: int) -> None:
    assert BOARD.distance(HexId(start), HexId(end)) == hexes
    assert BOARD.distance_index(at(start), at(end)) == hexes
    assert BOARD.distance_index(at(end), at(start)) == hexes
    assert at(end) in BOARD.within(at(start), hexes)


def test_distance_follows_the_formula_everywhere() -> None:
    # 0.2: max(|dx|, |dy|, |dz|) with x = c, z = r - c // 2, y = -x - z
    for start in BOARD.ids[::53]:
        for end in BOARD.ids:
            (c, r), (d, s) = GRID.coordinates(start), GRID.coordinates(end)
            dx, dz = d - c, (s - d // 2) - (r - c // 2)
            assert BOARD.distance(start, end) == max(abs(dx), abs(dz), abs(dx + dz))


def test_distance_to_a_grey_hex_is_defined() -> None:
    grey = BOARD.grey_hexes[0]
    assert BOARD.distance(grey, grey) == 0
    assert BOARD.distance(grey, HexId("5808")) == BOARD.distance(HexId("5808"), grey) > 0


@pytest.mark.parametrize(
    ("name", "around"),
    [
        pytest.param("2220", "2119 2120 2219 2221 2319 2320", id="EX-1-2-even-column"),
        pytest.param("2105", "2005 2006 2104 2106 2205 2206", id="EX-1-2-odd-column"),
    ],
)
def test_neighbours_of_a_hex(name: str, around: str) -> None:
    column, row = GRID.coordinates(name)
    found = {GRID.name(*GRID.neighbour(column, row, side)) for side in range(6)}
    assert found == {*around.split()}
    assert {BOARD.ids[other] for other, _ in BOARD.neighbours[at(name)]} <= found


def test_neighbours_are_listed_clockwise_from_north() -> None:
    around = [(BOARD.ids[other], code) for other, code in BOARD.neighbours[at("2220")]]
    assert around == [
        ("2219", SEA),
        ("2319", SEA),
        ("2320", SEA),
        ("2221", UNPLAYABLE),
        ("2120", UNPLAYABLE),
        ("2119", LAND),
    ]


@pytest.mark.parametrize(
    ("name", "island"),
    [
        pytest.param("3014", True, id="EX-1-4-samar-leyte"),
        pytest.param("5018", True, id="EX-1-4-tarawa"),
        pytest.param("4727", False, id="EX-1-4-new-caledonia-north"),
        pytest.param("4828", False, id="EX-1-4-noumea"),
    ],
)
def test_one_hex_islands_are_marked(name: str, island: bool) -> None:
    assert BOARD.is_one_hex_island[at(name)] is island
    assert BOARD.hexes[HexId(name)].is_one_hex_island is island


def test_ships_enter_soerabaja_from_three_sides() -> None:
    # EX-8-2
    assert sorted(names(BOARD.sea_adjacent[at("2220")])) == ["2219", "2319", "2320"]
    sides = dict(BOARD.neighbours[at("2220")])
    assert sides[at("2119")] == LAND
    assert sides[at("2120")] == UNPLAYABLE
    assert sides[at("2221")] == UNPLAYABLE
    assert at("5808") not in sides


def test_adjacency_follows_the_side_codes() -> None:
    for here, around in enumerate(BOARD.neighbours):
        assert list(BOARD.land_adjacent[here]) == [
            j for j, code in around if code in {LAND, LAND_AND_SEA}
        ]
        assert list(BOARD.sea_adjacent[here]) == [
            j for j, code in around if code in {SEA, LAND_AND_SEA}
        ]
        assert list(BOARD.water_adjacent[here]) == [j for j, code in around if code == SEA]


def test_sides_are_symmetric() -> None:
    for here, around in enumerate(BOARD.neighbours):
        for other, code in around:
            assert (here, code) in BOARD.neighbours[other]


def test_map_totals() -> None:
    hexes = BOARD.hexes.values()
    assert len(BOARD.ids) == 1139
    assert len(BOARD.grey_hexes) == 25
    assert sum(x.is_sea for x in hexes) == 779
    assert sum(BOARD.is_land) == 360
    assert sum(BOARD.is_port) == 76
    assert sum(BOARD.is_airfield) == 142
    assert sum(BOARD.is_resource) == len(BOARD.resource_hexes) == 14
    assert sum(BOARD.is_one_hex_island) == 116
    assert sum(BOARD.is_coastal) == 184 + 116
    assert len(BOARD.routes) == 59
    assert sum(route.kind is RouteKind.ROAD for route in BOARD.routes) == 5
    assert len(BOARD.areas) == 51
    assert [x.id for x in hexes if x.port and not x.airfield] == ["2509"]


def test_indexes_are_ordered_by_id() -> None:
    assert list(BOARD.ids) == sorted(BOARD.ids)
    assert all(BOARD.hexes[name].index == i for i, name in enumerate(BOARD.ids))
    assert BOARD.indexes((HexId("5808"), HexId("1004"))) == (at("5808"), 0)


@pytest.mark.parametrize(
    ("name", "terrain", "cost", "drm"),
    [
        pytest.param("2812", Terrain.OPEN, 1, 0, id="8.1-open"),
        pytest.param("2007", Terrain.JUNGLE, 2, -1, id="8.1-jungle"),
        pytest.param("2913", Terrain.MIXED, 2, -2, id="8.1-mixed"),
        pytest.param("3823", Terrain.MOUNTAIN, 3, -3, id="8.1-mountain"),
        pytest.param("5018", Terrain.ATOLL, NO_ENTRY, 0, id="8.1-atoll"),
        pytest.param("6015", Terrain.OCEAN, NO_ENTRY, 0, id="8.1-ocean"),
    ],
)
def test_terrain_of_hexes(name: str, terrain: Terrain, cost: int, drm: int) -> None:
    assert (BOARD.terrain[at(name)], BOARD.terrain_mp[at(name)], BOARD.terrain_drm[at(name)]) == (
        terrain,
        cost,
        drm,
    )


@pytest.mark.parametrize(
    ("name", "named"),
    [
        pytest.param("2017", True, id="1.3-resource-only"),
        pytest.param("2210", True, id="1.3-city-only"),
        pytest.param("2111", True, id="1.3-airfield-only"),
        pytest.param("2509", True, id="1.3-port"),
        pytest.param("2912", False, id="1.3-plain-land"),
        pytest.param("5408", False, id="8.35-air-ferry-is-no-airfield"),
    ],
)
def test_named_locations_are_marked(name: str, named: bool) -> None:
    assert BOARD.is_named_location[at(name)] is named


def test_kwai_bridge_routes() -> None:
    kwai = {
        frozenset(route.hexes) for route in BOARD.routes if route.event is RouteEvent.KWAI_BRIDGE
    }
    assert kwai == {frozenset(pair.split()) for pair in ("2008 2108", "2108 2109", "2010 2109")}
    assert (at("2108"), RouteEvent.KWAI_BRIDGE) in BOARD.route_adjacent[at("2008")]
    assert (at("2007"), None) in BOARD.route_adjacent[at("2008")]


@pytest.mark.parametrize("radius", [0, 1, 3, 25])
def test_within_returns_every_hex_at_that_distance(radius: int) -> None:
    centre = at("2813")
    found = BOARD.within(centre, radius)
    assert list(found) == [
        i for i, name in enumerate(BOARD.ids) if BOARD.distance(HexId("2813"), name) <= radius
    ]
    assert BOARD.within(centre, radius) is found


def test_sea_distances_are_symmetric_and_respect_reachability() -> None:
    tokyo, oahu = at("3706"), at("5808")
    row = BOARD.sea_distances(tokyo)
    assert row[tokyo] == 0
    assert row[oahu] == BOARD.sea_distances(oahu)[tokyo] >= BOARD.distance_index(tokyo, oahu)
    assert row[at("2407")] == UNREACHABLE
    assert BOARD.sea_distances(at("2407"))[tokyo] == UNREACHABLE
    for here in BOARD.sea_adjacent[oahu]:
        assert abs(row[here] - row[oahu]) <= 1


def test_every_port_can_be_reached_by_sea() -> None:
    row = BOARD.sea_distances(at("6015"))
    assert [
        BOARD.ids[i] for i, port in enumerate(BOARD.is_port) if port and row[i] == UNREACHABLE
    ] == []


def test_supply_edges_are_marked() -> None:
    assert [name for i, name in enumerate(BOARD.ids) if BOARD.is_allied_edge[i]] == list(
        BOARD.supply_edges.allied
    )
    assert BOARD.is_east_edge[at("6015")]
    assert not BOARD.is_east_edge[at("1004")]
    assert BOARD.is_allied_edge[at("1004")]
    assert not BOARD.is_allied_edge[at("3700")]


def test_rulings_about_other_areas_are_ignored() -> None:
    burma = next(name for name in BOARD.areas if name == "burma")
    assert BOARD.area(burma, [RulingId("OPB-40")]) is BOARD.areas[burma]
    assert "2108" not in BOARD.area(burma, [RulingId("OPB-17")]).hexes


def test_south_pacific_sheet_is_isolated() -> None:
    small = south_pacific_board()
    assert small.ids == BOARD.ids
    assert small.sea_adjacent[at("5808")] == ()
    assert small.is_in_play[at("5808")]
    assert not small.is_in_play[at("3706")]
    row = small.sea_distances(at("4017"))
    assert row[at("4828")] < UNREACHABLE
    assert row[at("3706")] == UNREACHABLE
    assert sum(small.is_in_play) == len(small.south_pacific.hexes) + 1


def test_the_two_sides_are_enemies() -> None:
    assert [side.enemy for side in Side] == [Side.JAPAN, Side.ALLIED]


TEXT = content(map_file.FILE)


def changed(old: str, new: str) -> bytes:
    text = TEXT.decode()
    assert old in text
    return text.replace(old, new, 1).encode()


@pytest.mark.parametrize(
    ("text", "path"),
    [
        pytest.param(b"{", "$", id="no-json"),
        pytest.param(
            changed('"terrain": "open"', '"terrain": "swamp"'), "hexes", id="unknown-terrain"
        ),
        pytest.param(
            changed('"rule": "13.33"', '"rulle": "13.33"'), "rule_areas", id="unknown-key"
        ),
        pytest.param(
            changed('"hexes": ["1911", "2010", "2011"', '"hexes": ["1911", "2010", "9999"'),
            "rule_areas.siam",
            id="unknown-hex-of-an-area",
        ),
        pytest.param(
            changed('"Attu": "4600"', '"Attu": "4699"'), "name_aliases", id="unknown-alias"
        ),
    ],
)
def test_bad_map_is_refused_with_its_path(text: bytes, path: str) -> None:
    with pytest.raises(DataError) as caught:
        read_board(text)
    assert caught.value.file == "map.json"
    assert path in caught.value.path


def test_contradictory_hexsides_are_refused() -> None:
    file = msgspec.json.decode(TEXT, type=map_file.MapFile)
    sides = msgspec.structs.replace(file.hexes[HexId("6015")].sides, north="unplayable")
    row = msgspec.structs.replace(file.hexes[HexId("6015")], sides=sides)
    broken = msgspec.structs.replace(file, hexes={**file.hexes, HexId("6015"): row})
    with pytest.raises(DataError, match="6015 says 'unplayable'"):
        read_board(msgspec.json.encode(broken))


def test_route_without_land_is_refused() -> None:
    file = msgspec.json.decode(TEXT, type=map_file.MapFile)
    route = RouteRow(hexes=(HexId("6014"), HexId("6015")), kind=RouteKind.RAIL, side="S")
    broken = msgspec.structs.replace(file, routes=(*file.routes, route))
    with pytest.raises(DataError, match="no land side between 6014 and 6015"):
        read_board(msgspec.json.encode(broken))

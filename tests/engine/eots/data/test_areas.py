"""Rule areas recomputed from their definitions."""

import itertools
from collections.abc import Iterable

import pytest

from engine.eots.board import GRID, board
from engine.eots.geography import Area
from engine.eots.ids import AreaId, CityKind, HexId, HexKind, RouteEvent
from tests.engine.eots.data import map_facts
from tests.engine.eots.data.map_checks import beyond

BOARD = board()
HEXES = BOARD.hexes
LAND = {h for h, x in HEXES.items() if x.is_land}


def area(name: str) -> Area:
    return BOARD.areas[AreaId(name)]


def around(name: str) -> set[HexId]:
    return {beyond(name, side) for side in GRID.sides}


def mass(*seeds: str) -> set[HexId]:
    """All land joined to the seeds."""
    names = {HEXES[HexId(seed)].landmass for seed in seeds}
    return {h for h in LAND if HEXES[h].landmass in names}


def near(centre: str, hexes: int) -> set[HexId]:
    return {h for h in LAND if BOARD.distance(h, HexId(centre)) <= hexes}


def joined(start: str, allowed: set[HexId]) -> set[HexId]:
    seen, todo = {HexId(start)}, [HexId(start)]
    while todo:
        for other in around(todo.pop()):
            if other in allowed and other not in seen:
                seen.add(other)
                todo.append(other)
    return seen


def nation(name: str) -> set[HexId]:
    return {h for h in LAND if HEXES[h].nation == name}


def of_kind(kind: HexKind) -> set[HexId]:
    return {h for h in LAND if HEXES[h].kind is kind}


def union(*names: str) -> set[HexId]:
    return {h for name in names for h in area(name).hexes}


ASIA = mass("2015")
ISLANDS = LAND - ASIA - mass("3727")
MANCHUKUO = {HexId("3302"), HexId("3303")} | around("3302") | around("3303")
FIVE = area("mandates").named
INTRINSIC = {h for h in LAND if HEXES[h].city is CityKind.INTRINSIC}

DEFINITIONS: list[tuple[str, str, Iterable[str]]] = [
    ("1.3", "one-hex-island", of_kind(HexKind.ISLAND)),
    ("1.3", "japanese-empire", {h for h in LAND if HEXES[h].in_empire}),
    (
        "13.21",
        "philippines",
        mass("2813", "2915") | (near("2813", 2) & ISLANDS) | {HexId("2715")},
    ),
    ("13.31", "malaya", joined("2015", near("2015", 3) & ASIA)),
    (
        "13.41",
        "dutch-east-indies",
        mass("1813", "2018", "2517", "2620", "2320", "2919", "2721", "3017"),
    ),
    ("13.61", "india", union("northern-india", "continental-india", "ceylon")),
    ("13.61", "ceylon", mass("1307")),
    ("13.71", "china", union("china-coast", "china-interior")),
    ("13.71", "china-interior", nation("China") & of_kind(HexKind.INLAND)),
    ("13.71", "china-coast", nation("China") & of_kind(HexKind.COASTAL)),
    ("13.75", "kunming-area", {"2407"} | around("2407")),
    ("13.76", "intrinsic-china", INTRINSIC - {"2407"} - union("manchukuo")),
    (
        "13.81",
        "mandates",
        mass(*FIVE) | (set[HexId]().union(*map(around, FIVE)) & of_kind(HexKind.ISLAND)),
    ),
    ("13.81", "australia", mass("3727")),
    ("13.85", "new-guinea", mass("3520") | {HexId("3319")}),
    ("13.9", "manchukuo", (MANCHUKUO & LAND) - {"3304"}),
    ("13.9", "korea", ({HexId("3305")} | around("3305")) & LAND),
    ("13.9", "hokkaido", mass("3704")),
    ("13.9", "japanese-islands", mass("3706", "3704", "3307")),
    ("13.92", "marshall-islands", near("4415", 2) | near("4715", 2)),
    ("13.93", "honshu", mass("3706")),
    ("12.11", "resource-hexes", {h for h in LAND if HEXES[h].resource}),
    (
        "16.42",
        "aleutians",
        {h for h in LAND if GRID.coordinates(h)[1] == 0 and 46 <= GRID.coordinates(h)[0] <= 51},
    ),
    ("17.10", "new-hebrides-sp", near("4828", 3)),
    *(
        ("nation", name, nation(text))
        for name, text in (
            ("philippines", "Philippines"),
            ("malaya", "Malaya"),
            ("siam", "Siam"),
            ("burma", "Burma"),
            ("china", "China"),
            ("dutch-east-indies", "Dutch East Indies"),
            ("australia", "Australia"),
            ("mandates", "Australian Mandate"),
            ("new-guinea", "New Guinea"),
            ("korea", "Korea"),
            ("manchukuo", "Manchukuo"),
        )
    ),
]


@pytest.mark.parametrize(
    ("name", "hexes"),
    [pytest.param(name, hexes, id=f"{rule}-{name}") for rule, name, hexes in DEFINITIONS],
)
def test_area_follows_its_definition(name: str, hexes: Iterable[str]) -> None:
    assert list(area(name).hexes) == sorted(hexes)


@pytest.mark.parametrize("name", list(BOARD.areas))
def test_area_lists_match_the_map_symbols(name: AreaId) -> None:
    one = BOARD.areas[name]
    assert list(one.hexes) == sorted(set(one.hexes))
    here = [HEXES[h] for h in one.hexes]
    assert one.ocean or all(x.is_land for x in here)
    if name != "one-hex-island":
        assert list(one.ports) == [x.id for x in here if x.port]
        assert list(one.airfields) == [x.id for x in here if x.airfield]
        assert list(one.resources) == [x.id for x in here if x.resource]
        assert list(one.cities) == [x.id for x in here if x.city]
    assert {*one.control_hexes, *one.named} <= {*one.hexes}
    assert all({*BOARD.areas[part].hexes} <= {*one.hexes} for part in one.parts)


@pytest.mark.parametrize(
    ("name", "lists", "hexes"),
    [pytest.param(*row, id=f"{row[0]}-{row[1]}") for row in map_facts.RULE_LISTS],
)
def test_area_agrees_with_the_list_in_the_rules(name: str, lists: str, hexes: str) -> None:
    one = area(name)
    parts = {
        "bases": one.bases,
        "resources": one.resources,
        "control_hexes": one.control_hexes,
        "named": one.named,
        "hexes": one.hexes,
    }
    assert {h for key in lists.split() for h in parts[key]} == {*hexes.split()}


def test_countries_do_not_overlap() -> None:
    whole = [
        "philippines",
        "malaya",
        "siam",
        "dutch-east-indies",
        "burma",
        "india",
        "maldives",
        "china",
        "hong-kong",
        "korea",
        "manchukuo",
        "soviet-territory",
        "formosa",
        "japanese-islands",
        "australia",
        "mandates",
        "new-guinea",
        "marshall-islands",
        "aleutians",
        "hawaii",
        "midway",
    ]
    hexes = [h for name in whole for h in area(name).hexes]
    assert len(hexes) == len(set(hexes))


def test_japanese_cities_match_the_printed_map() -> None:
    printed = [h for h, x in HEXES.items() if x.city is CityKind.JAPANESE_INTRINSIC]
    assert list(area("japanese-islands").cities) == printed


def test_control_of_new_guinea_needs_its_ports_and_the_resource_hex() -> None:
    one = area("new-guinea")
    assert list(one.control_hexes) == sorted({*one.ports, *one.resources})


def test_kwai_route_follows_its_path() -> None:
    edges = {route.hexes: route.event for route in BOARD.routes}
    path = area("kwai-route").path
    for start, end in itertools.pairwise(path):
        low, high = sorted((start, end))
        is_bridge = bool({start, end} & {"2108", "2109"})
        assert (edges[low, high] is RouteEvent.KWAI_BRIDGE) == is_bridge


def test_burma_road_follows_its_area() -> None:
    hexes = {
        h for route in BOARD.routes if route.event is RouteEvent.BURMA_ROAD for h in route.hexes
    }
    assert hexes == {*area("burma-road").hexes}


def test_south_pacific_sheet_contains_the_ports_of_its_scenario() -> None:
    sheet, ports = BOARD.south_pacific, BOARD.areas[AreaId("south-pacific-ports")]
    inside = {h for h in (*sheet.hexes, *sheet.off_map_hexes) if h in LAND}
    assert {h for h in inside if HEXES[h].port} == {*ports.allied_ports, *ports.japan_ports}
    assert union("new-hebrides-sp") <= inside


def test_route_marker_locations_match_the_printed_map() -> None:
    stay = [h for h, x in HEXES.items() if "no_transport_route_marker_location" in x.special]
    assert stay == list(area("no-transport-route").hexes)


@pytest.mark.parametrize(("name", "ruling"), list(BOARD.rulings))
def test_other_ruling_gives_a_different_area(name: AreaId, ruling: str) -> None:
    chosen = BOARD.areas[name]
    other = BOARD.area(name, [r for r in chosen.alternatives if r == ruling])
    assert other != chosen
    assert BOARD.area(name) == chosen
    assert list(other.hexes) == sorted(other.hexes)


def test_opb_21_removes_biak_from_new_guinea() -> None:
    name = AreaId("new-guinea")
    one = BOARD.area(name, BOARD.areas[name].alternatives)
    assert "3319" not in (*one.hexes, *one.ports, *one.control_hexes)
    assert len(one.hexes) == len(BOARD.areas[name].hexes) - 1

"""Kunming, the Burma Road, the China box and the Kwai railway (6.11, 6.25, 13.74-13.79)."""

import pytest

from engine.eots.board import board
from engine.eots.ch06_supply.supply import (
    BurmaRoad,
    burma_road,
    effective_efficiency,
    is_kunming_source,
    supply,
)
from engine.eots.ids import AreaId, HexId, UnitId
from engine.eots.state import State
from tests.engine.eots.positions import position, start_of, state_1943, with_units

YAMAMOTO = {"jp-hq-combined-fleet-yamamoto": "3407"}
SOUTH = {"jp-hq-south": "2212", **YAMAMOTO}
BURMA = board().areas[AreaId("burma")].hexes
UPPER = tuple(h for h in BURMA if h != "2008")
"""Burma without Rangoon."""
MARKERS = (HexId("2104"), HexId("2105"), HexId("2205"))


def supplied(state: State, unit: str) -> bool:
    return supply(state).is_supplied(UnitId(unit))


# -- the Burma Road (13.78)


@pytest.mark.parametrize(
    ("state", "road"),
    [
        pytest.param(position(allied=BURMA), BurmaRoad.OPEN, id="13.78A-rangoon"),
        pytest.param(
            position(allied=UPPER, japan=["2008"]), BurmaRoad.CLOSED, id="13.78C-rangoon-lost"
        ),
        pytest.param(
            position(allied=["2008", "2206"], japan=["2106", "2305"]),
            BurmaRoad.CLOSED,
            id="13.78C-route-cut",
        ),
        pytest.param(
            position(japan=["2008"], allied=UPPER, no_transport_route=()),
            BurmaRoad.OPEN,
            id="13.78B-to-madras",
        ),
        pytest.param(
            position(
                japan=["2008"],
                allied=UPPER,
                no_transport_route=MARKERS[2:],
            ),
            BurmaRoad.OPEN,
            id="13.78B-by-imphal",
        ),
        pytest.param(
            position(
                japan=["2008"],
                allied=UPPER,
                no_transport_route=MARKERS[:1],
            ),
            BurmaRoad.CLOSED,
            id="13.78B-without-jarhat",
        ),
        pytest.param(start_of("campaign-1941"), BurmaRoad.OPEN, id="13.78A-campaign"),
        pytest.param(state_1943(), BurmaRoad.CLOSED_HUMP, id="13.78D-1943"),
        pytest.param(start_of("south-pacific"), BurmaRoad.CLOSED, id="17.10.5J"),
    ],
)
def test_burma_road_status(state: State, road: BurmaRoad) -> None:
    assert burma_road(state) is road
    assert is_kunming_source(state) is (road is not BurmaRoad.CLOSED)


def test_13_78b_an_enemy_occupied_hex_blocks_the_route() -> None:
    state = position({"jp-army-15": "2206"}, japan=["2008"], allied=UPPER, no_transport_route=())
    assert burma_road(state) is BurmaRoad.CLOSED
    assert burma_road(with_units(state, {"cw-corps-15": "2206"})) is BurmaRoad.OPEN


# -- the Hump (6.23, OPB-16)

INDIA = {"cw-hq-seac": "1805"}


@pytest.mark.parametrize(
    ("lost", "hump", "options", "road"),
    [
        pytest.param([], True, {}, BurmaRoad.CLOSED_HUMP, id="6.23-both-airfields"),
        pytest.param([], False, {}, BurmaRoad.CLOSED, id="6.23-not-active"),
        pytest.param(["1905"], True, {}, BurmaRoad.CLOSED_HUMP, id="6.23-jarhat-left"),
        pytest.param(["2104"], True, {}, BurmaRoad.CLOSED_HUMP, id="6.23-dacca-left"),
        pytest.param(["1905", "2104"], True, {}, BurmaRoad.CLOSED, id="OPB-16-ledo-does-not-count"),
        pytest.param(
            ["1905", "2104"],
            True,
            {"hump-airfields": "northern-india"},
            BurmaRoad.CLOSED_HUMP,
            id="OPB-16-any-in-northern-india",
        ),
    ],
)
def test_hump_status_determines_the_burma_road(
    lost: list[str], hump: bool, options: dict[str, str], road: BurmaRoad
) -> None:
    state = position(INDIA, japan=["2008", *lost], allied=["2205"], hump=hump, options=options)
    assert burma_road(state) is road


# -- Kunming (13.75) and the China box (13.74)


@pytest.mark.parametrize(
    ("unit", "at", "held"),
    [
        pytest.param("china-army-5", "2407", True, id="13.75-2-kunming"),
        pytest.param("china-army-5", "2206", True, id="13.75-2-lashio"),
        pytest.param("china-army-5", "2106", True, id="13.75-2-mandalay-2-mp"),
        pytest.param("china-army-5", "2104", True, id="13.75-2-jarhat-4-mp"),
        pytest.param("us-air-avg", "2110", False, id="13.75-2-too-far"),
        pytest.param("us-air-avg", "2206", True, id="13.75-2-air-unit"),
        pytest.param("cw-corps-15", "2206", True, id="OP-4-every-allied-unit"),
    ],
)
def test_13_75_kunming_is_a_supply_source_without_an_hq(unit: str, at: str, held: bool) -> None:
    state = position({unit: at}, allied=BURMA, no_transport_route=MARKERS)
    assert is_kunming_source(state)
    assert supplied(state, unit) is held
    cut = position({unit: at}, allied=UPPER, japan=["2008"], no_transport_route=MARKERS)
    assert not supplied(cut, unit)


@pytest.mark.parametrize(
    ("state", "held"),
    [
        pytest.param(position({"us-air-14af": "china-box"}, allied=BURMA), True, id="13.74-2-road"),
        pytest.param(
            position({"us-air-14af": "china-box", **INDIA}, japan=["2008"], hump=True),
            True,
            id="13.74-2-hump",
        ),
        pytest.param(
            position({"us-air-14af": "china-box", **INDIA}, japan=["2008"], hump=False),
            False,
            id="13.74-2-cut",
        ),
    ],
)
def test_13_74_supply_of_the_china_box(state: State, held: bool) -> None:
    assert supplied(state, "us-air-14af") is held


# -- efficiency of Japanese HQs (6.11, 13.79, OPB-41)


def kwai(
    *, bridge: bool, rangoon: str, options: dict[str, str] | None = None, **units: str
) -> State:
    at = {name.replace("_", "-"): place for name, place in units.items()}
    japan = [*BURMA, "2010"] if rangoon == "japan" else [h for h in BURMA if h != "2008"]
    allied = [] if rangoon == "japan" else ["2008"]
    base = {**SOUTH, "jp-army-15": "2106", "jp-army-38": "2212", **at}
    return position(base, japan=japan, allied=allied, kwai_bridge=bridge, options=options or {})


IN_BURMA = (UnitId("jp-army-15"), UnitId("jp-army-38"))
OUTSIDE = (UnitId("jp-army-38"),)


@pytest.mark.parametrize(
    ("state", "units", "rating"),
    [
        pytest.param(kwai(bridge=False, rangoon="allied"), IN_BURMA, 0, id="EX-6-1-minus-1"),
        pytest.param(
            kwai(bridge=False, rangoon="allied"), OUTSIDE, 1, id="EX-6-1-nobody-starts-in-burma"
        ),
        pytest.param(kwai(bridge=False, rangoon="japan"), IN_BURMA, 1, id="13.79-rangoon-japanese"),
        pytest.param(
            kwai(bridge=True, rangoon="allied"), IN_BURMA, 1, id="13.79-bridge-but-no-rangoon"
        ),
        pytest.param(kwai(bridge=True, rangoon="japan"), IN_BURMA, 2, id="13.79-plus-1"),
        pytest.param(
            kwai(bridge=True, rangoon="japan"), OUTSIDE, 1, id="13.79-plus-1-needs-a-unit-there"
        ),
        pytest.param(
            kwai(bridge=True, rangoon="japan", cw_corps_15="2108"),
            IN_BURMA,
            1,
            id="13.79-railway-blocked",
        ),
        pytest.param(
            kwai(bridge=True, rangoon="japan", jp_hq_south="2015"),
            IN_BURMA,
            2,
            id="13.79-from-singapore",
        ),
        pytest.param(
            kwai(bridge=True, rangoon="japan", options={"kwai-path": "direct"}),
            IN_BURMA,
            2,
            id="OP-18-direct",
        ),
    ],
)
def test_13_79_hq_efficiency_depends_on_the_kwai_railway(
    state: State, units: tuple[UnitId, ...], rating: int
) -> None:
    assert effective_efficiency(state, UnitId("jp-hq-south"), units) == rating

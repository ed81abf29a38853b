"""Supply lines of units and HQs (6.2, OP-1 to OP-5)."""

import pytest

from engine.eots.board import board
from engine.eots.ch06_supply.bitsets import Bits, bitsets_in_play, steps_inside
from engine.eots.ch06_supply.lines import overland_reach
from engine.eots.ch06_supply.network import Mover, allowed_hexes
from engine.eots.ch06_supply.solution import solution
from engine.eots.ch06_supply.supply import (
    has_home_line_to_resource,
    supply,
    would_be_supplied,
)
from engine.eots.ch06_supply.zoi import zoi
from engine.eots.ids import HexId, Side, UnitId
from engine.eots.state import State
from tests.engine.eots.positions import (
    in_offensive,
    position,
    start_of,
    with_control,
)
from tests.engine.eots.reached import line_hexes

YAMAMOTO = {"jp-hq-combined-fleet-yamamoto": "3407"}
SOUTH = {"jp-hq-south": "2212", **YAMAMOTO}
BURMA = [
    "2005",
    "2006",
    "2007",
    "2008",
    "2104",
    "2105",
    "2106",
    "2107",
    "2205",
    "2206",
    "2207",
    "2305",
]
MARKERS = (HexId("2104"), HexId("2105"), HexId("2205"))


def supplied(state: State, unit: str) -> bool:
    return supply(state).is_supplied(UnitId(unit))


def ports(state: State, side: Side) -> set[str]:
    return {board().ids[i] for i in supply(state).eligible_ports(side)}


# -- overland logistical range (6.21A-4)


def burma(units: dict[str, str] | None = None) -> State:
    return position({**SOUTH, **(units or {})}, japan=BURMA, no_transport_route=MARKERS)


def within(state: State, halves: int) -> Bits:
    """Return the hexes within the given number of half points of Rangoon for a Japanese ground unit."""
    key = solution(state).networks[Side.JAPAN].key
    ground = bitsets_in_play(state)
    land = solution(state).networks[Side.JAPAN].steps.land
    allowed = allowed_hexes(ground, Mover.JAPAN_GROUND)
    routes = steps_inside(key.routes, key.fast_hexes & key.open_hexes)
    return overland_reach(ground.bit_by_id["2008"], land, routes, ground.entry, allowed, halves)


@pytest.mark.parametrize(
    ("at", "halves"),
    [
        pytest.param("2106", 2, id="EX-6-4-mandalay-1"),
        pytest.param("2206", 3, id="EX-6-4-lashio-1.5"),
        pytest.param("2305", 4, id="EX-6-4-myitkyina-2"),
        pytest.param("2205", 7, id="EX-6-4-ledo-3.5"),
        pytest.param("2105", 6, id="EX-6-4-imphal-3"),
        pytest.param("2104", 8, id="EX-6-4-jarhat-4"),
    ],
)
def test_ex_6_4_supply_costs_from_rangoon(at: str, halves: int) -> None:
    state = burma()
    bit = bitsets_in_play(state).bit_by_id[at]
    assert within(state, halves) & bit
    assert not within(state, halves - 1) & bit


# -- eligible ports (1.3, OP-2)


@pytest.mark.parametrize(
    ("bridge", "options", "eligible"),
    [
        pytest.param(True, {}, True, id="EX-6-5-bridge"),
        pytest.param(False, {}, False, id="EX-6-5-no-bridge"),
        pytest.param(True, {"kwai-path": "direct"}, True, id="EX-6-5-direct"),
        pytest.param(True, {"supply-eligible-port": "sea-only"}, False, id="OP-2-sea-only"),
    ],
)
def test_ex_6_5_supply_of_rangoon_by_land(
    bridge: bool, options: dict[str, str], eligible: bool
) -> None:
    fleet = {"cw-hq-seac": "1805", "cw-cv-indomitable": "2006", "cw-cvl-hermes": "1909"}
    state = position(
        {**SOUTH, **fleet},
        japan=["2008", "2108", "2109", "2010"],
        allied=["2006"],
        kwai_bridge=bridge,
        options=options,
    )
    assert zoi(state).is_unneutralised(Side.ALLIED, board().index[HexId("2008")])
    assert ("2008" in ports(state, Side.JAPAN)) is eligible


# -- restrictions on lines (6.21 A to G)


@pytest.mark.parametrize(
    ("blocker", "held"),
    [
        pytest.param({}, True, id="6.21E-open"),
        pytest.param({"jp-army-18": "3922"}, True, id="6.21E-beside"),
        pytest.param({"jp-cv-junyo": "3922"}, True, id="6.21E-naval-units-block-nothing"),
    ],
)
def test_6_21e_units_that_close_land_hexes(blocker: dict[str, str], held: bool) -> None:
    units = {"joint-hq-anzac": "3823", "us-corps-i": "4024"}
    state = position({**units, **blocker}, allied=["3823", "4024", "3922"], options={})
    assert supplied(state, "us-corps-i") is held


@pytest.mark.parametrize(
    ("blocker", "held"),
    [
        pytest.param({}, True, id="6.21E-nobody"),
        pytest.param({"jp-army-18": "3722"}, False, id="6.21E-ground"),
        pytest.param({"jp-air-division-5": "3722"}, False, id="6.21E-air"),
        pytest.param({"jp-army-18": "3722", "us-corps-i": "3722"}, True, id="6.21E-not-alone"),
    ],
)
def test_6_21e_an_enemy_occupied_hex_closes_its_land_hexsides(
    blocker: dict[str, str], held: bool
) -> None:
    units = {"joint-hq-anzac": "3823", "us-corps-xi": "3622", "jp-army-17": "3623"}
    state = position({**units, **blocker}, allied=["3622", "3722", "3822", "3823"])
    assert supplied(state, "us-corps-xi") is held


@pytest.mark.parametrize(
    ("allied", "held"),
    [
        pytest.param(["3620", "3721"], False, id="6.21C-a-beach-is-no-port"),
        pytest.param(["3720"], True, id="6.21C-a-port"),
        pytest.param([], False, id="6.21G-enemy-ports"),
    ],
)
def test_6_21_c_and_g_supply_line_from_sea_to_land(allied: list[str], held: bool) -> None:
    state = position(
        {"us-hq-southwest-pacific": "3727", "us-corps-i": "3621"},
        japan=["3520", "3720", "3822", "3823", "4024"],
        allied=allied,
    )
    reaches = line_hexes(state, UnitId("us-hq-southwest-pacific"))
    assert {board().index[HexId(h)] for h in ("3620", "3720", "3721")} <= reaches
    assert supplied(state, "us-corps-i") is held


@pytest.mark.parametrize(
    ("lae", "held"),
    [
        pytest.param(Side.ALLIED, True, id="6.21D-own-port"),
        pytest.param(Side.JAPAN, False, id="6.21F-enemy-port"),
    ],
)
def test_6_21_d_and_f_supply_line_from_land_to_sea(lae: Side, held: bool) -> None:
    """The sea around Port Moresby is closed, so the line goes to the north coast; Buna is not a port (D)."""
    fleet = {"jp-cv-junyo": "3825", "us-bb-washington": "3921"}
    units = {"joint-hq-anzac": "3823", "us-hq-southwest-pacific": "3626", **fleet}
    state = position(units, allied=["3823"], options={"mixed-hexsides": "land-only"})
    state = with_control(state, lae, ["3822"])
    state = in_offensive(state, Side.JAPAN, activated=["jp-cv-junyo"])
    anzac = line_hexes(state, UnitId("joint-hq-anzac"))
    assert (board().index[HexId("3921")] in anzac) is held


@pytest.mark.parametrize(
    ("hq_at", "held"),
    [
        pytest.param("3626", False, id="6.21A-3-changes-in-moresby-and-in-lae"),
        pytest.param("3823", True, id="6.21A-3-own-port-of-the-hq-does-not-count"),
    ],
)
def test_6_21a_3_supply_line_through_one_port(hq_at: str, held: bool) -> None:
    """The way around New Guinea is longer than the range of 7, so the line must cross from Port Moresby to Lae."""
    state = position(
        {"us-hq-south-pacific-ghormley": hq_at, "us-bb-washington": "3821"},
        allied=["3822", "3823"],
        options={"mixed-hexsides": "land-only"},
    )
    assert {"3822", "3823"} <= ports(state, Side.ALLIED)
    assert supplied(state, "us-bb-washington") is held


@pytest.mark.parametrize(
    ("unit", "at", "held"),
    [
        pytest.param("us-air-avg", "2014", True, id="EX-6-2-us-air"),
        pytest.param("cw-corps-3-ind", "2014", True, id="EX-6-2-indian"),
        pytest.param("us-corps-i", "2014", False, id="EX-6-2-us-ground"),
        pytest.param("dutch-air", "2014", False, id="EX-6-2-dutch"),
        pytest.param("us-ca-us-asia", "2015", False, id="EX-6-2-us-ship"),
    ],
)
def test_6_21a_1_hq_class_must_match_the_unit(unit: str, at: str, held: bool) -> None:
    state = position({"cw-hq-malaya": "2015", unit: at}, scenario_id="campaign-1941")
    assert supplied(state, unit) is held


# -- mixed hexsides (OP-1)

HOLLANDIA = {"joint-hq-anzac": "3823", "us-corps-i": "3520"}


@pytest.mark.parametrize(
    ("units", "options", "held"),
    [
        pytest.param({}, {}, True, id="EX-6-11-open"),
        pytest.param({"jp-army-18": "3519"}, {}, True, id="EX-6-11-one-side-closed"),
        pytest.param(
            {"jp-army-18": "3519", "jp-army-17": "3620"}, {}, False, id="EX-6-11-both-sides-closed"
        ),
        pytest.param(
            {"jp-air-division-6": "3719", **YAMAMOTO, "jp-hq-south-seas": "4017"},
            {},
            True,
            id="EX-6-11-zoi-over-one",
        ),
        pytest.param({}, {"mixed-hexsides": "land-only"}, False, id="OP-1-land-only"),
    ],
)
def test_ex_6_11_supply_of_hollandia(
    units: dict[str, str], options: dict[str, str], held: bool
) -> None:
    state = position({**HOLLANDIA, **units}, allied=["3520", "3823"], options=options)
    assert supplied(state, "us-corps-i") is held


# -- HQs (6.21B, 6.22, OP-31)


CITIES = ("3307", "3407", "3506", "3507", "3607", "3704", "3705", "3706")


@pytest.mark.parametrize(
    ("lost", "options", "held"),
    [
        pytest.param((), {}, True, id="6.22-all-cities"),
        pytest.param(CITIES[1:], {}, True, id="OP-31-sasebo-is-enough"),
        pytest.param(CITIES[:5] + CITIES[6:], {}, True, id="OP-31-hakodate-is-enough"),
        pytest.param(CITIES, {}, False, id="6.22-no-city"),
        pytest.param(CITIES[1:], {"japan-supply-cities": "honshu"}, False, id="OP-31-honshu-only"),
        pytest.param(
            CITIES[:1], {"japan-supply-cities": "honshu"}, True, id="OP-31-honshu-is-left"
        ),
    ],
)
def test_6_22_japanese_supply_sources(
    lost: tuple[str, ...], options: dict[str, str], held: bool
) -> None:
    state = position({"jp-hq-south-seas": "4017"}, allied=lost, options=options)
    assert supply(state).is_hq_supplied(UnitId("jp-hq-south-seas")) is held
    assert has_home_line_to_resource(state) is held


# -- would be in supply (6.21A, 7.28)


def test_6_21a_an_air_unit_projects_its_own_zone() -> None:
    units = {
        "us-hq-south-pacific-halsey": "4828",
        "us-cv-essex": "4828",
        "us-bb-washington": "4828",
        "jp-air-flotilla-25": "4222",
        "jp-hq-south-seas": "4017",
        **YAMAMOTO,
    }
    state = position(units, allied=["4423"])
    assert would_be_supplied(state, UnitId("us-cv-essex"), HexId("4423"))
    assert not would_be_supplied(state, UnitId("us-bb-washington"), HexId("4423"))


# -- lines between hexes (17.38C, 13.93b)


def test_13_93b_resource_hexes_must_be_japanese() -> None:
    resources = board().resource_hexes
    none = position({}, allied=resources)
    assert not has_home_line_to_resource(none)
    assert has_home_line_to_resource(
        position({}, allied=resources, options={"blockade-hex": "any"})
    )
    assert has_home_line_to_resource(position({}, allied=[h for h in resources if h != "3305"]))


# -- the South Pacific sheet (17.10.5)


def test_17_10_5_map_edges_of_the_south_pacific_are_supply_sources() -> None:
    state = start_of("south-pacific")
    lines = supply(state)
    assert len(lines.supplied_hqs(Side.ALLIED)) == 4
    assert set(lines.supplied_hqs(Side.JAPAN)) == {
        "jp-hq-combined-fleet-yamamoto",
        "jp-hq-south-seas",
    }
    on_map = [u for u, p in state.units.items() if p.is_on_map]
    assert [u for u in on_map if not lines.is_supplied(u)] == []
    assert lines.is_supplied(UnitId("us-lrb-14af")), "17.10.5J: always in supply"

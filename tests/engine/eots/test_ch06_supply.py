"""Supply lines of units and HQs (6.2, OP-1 to OP-5)."""

import gc
import weakref

import pytest

from engine.eots.board import board
from engine.eots.ch06_supply.bitsets import Bits, bitsets_in_play, steps_inside
from engine.eots.ch06_supply.lines import overland_reach
from engine.eots.ch06_supply.network import Mover, Network, allowed_hexes
from engine.eots.ch06_supply.solution import solution
from engine.eots.ch06_supply.supply import (
    has_sea_supply_line,
    home_line_to_resource,
    supply,
    would_be_supplied,
)
from engine.eots.ch06_supply.zoi import zoi
from engine.eots.ids import CHINA_BOX, HexId, Side, UnitId
from engine.eots.state import State
from tests.engine.eots.positions import (
    in_offensive,
    position,
    start_of,
    state_1943,
    with_control,
    with_units,
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


def airfields(state: State, side: Side) -> set[str]:
    return {board().ids[i] for i in supply(state).eligible_airfields(side)}


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
def test_ex_6_4_costs_from_rangoon(at: str, halves: int) -> None:
    state = burma()
    bit = bitsets_in_play(state).bit_by_id[at]
    assert within(state, halves) & bit
    assert not within(state, halves - 1) & bit


def test_ex_6_4_a_unit_in_jarhat() -> None:
    assert "2008" in ports(burma(), Side.JAPAN)
    assert supplied(burma({"jp-army-15": "2104"}), "jp-army-15")
    assert not supplied(burma({"jp-army-15": "2104", "cw-corps-1-ind": "2105"}), "jp-army-15")


@pytest.mark.parametrize(
    ("there", "halves"),
    [
        pytest.param({}, 2, id="6.21A-4-empty-route"),
        pytest.param({"jp-army-28": "2107"}, 2, id="6.21A-4-own-unit"),
        pytest.param({"jp-army-28": "2107", "cw-corps-1-ind": "2107"}, 2, id="6.21A-4-both"),
    ],
)
def test_routes_cost_half_where_no_enemy_stands_alone(there: dict[str, str], halves: int) -> None:
    state = burma(there)
    bit = bitsets_in_play(state).bit_by_id["2106"]
    assert within(state, halves) & bit
    assert not within(state, halves - 1) & bit


def test_op_4_hexes_of_the_enemy_alone_end_the_measure() -> None:
    state = burma({"cw-corps-1-ind": "2107"})
    assert not within(state, 8) & bitsets_in_play(state).bit_by_id["2107"]


def test_6_21a_4_arrival_by_sea_needs_no_port_nearby() -> None:
    state = position({"us-hq-southwest-pacific": "3727", "us-corps-i": "2721"}, allied=["2721"])
    by_sea = with_units(state, {"us-corps-i": "2917"})
    assert supplied(by_sea, "us-corps-i"), "Buru has no port and needs none"


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
def test_ex_6_5_rangoon_by_land(bridge: bool, options: dict[str, str], eligible: bool) -> None:
    fleet = {"cw-hq-seac": "1805", "cw-cv-indomitable": "2006", "cw-cvl-hermes": "1909"}
    state = position(
        {**SOUTH, **fleet},
        japan=["2008", "2108", "2109", "2010"],
        allied=["2006"],
        kwai_bridge=bridge,
        options=options,
    )
    assert zoi(state).unneutralised(Side.ALLIED, board().index[HexId("2008")])
    assert ("2008" in ports(state, Side.JAPAN)) is eligible


@pytest.mark.parametrize(
    ("options", "halves"),
    [
        pytest.param({}, 6, id="OP-18-via-2010-3-mp"),
        pytest.param({"kwai-path": "direct"}, 5, id="OP-18-direct-2.5-mp"),
    ],
)
def test_op_18_length_of_the_railway(options: dict[str, str], halves: int) -> None:
    state = position(SOUTH, kwai_bridge=True, options=options)
    rangoon, saigon = (
        bitsets_in_play(state).bit_by_id["2008"],
        bitsets_in_play(state).bit_by_id["2212"],
    )
    network = solution(state).networks[Side.JAPAN]
    routes = steps_inside(network.key.routes, network.key.fast_hexes)
    allowed = allowed_hexes(bitsets_in_play(state), Mover.JAPAN_GROUND)
    entry = bitsets_in_play(state).entry
    assert overland_reach(saigon, network.steps.land, routes, entry, allowed, halves) & rangoon
    assert (
        not overland_reach(saigon, network.steps.land, routes, entry, allowed, halves - 1) & rangoon
    )


def test_1_3_eligible_ports_need_no_supplied_hq() -> None:
    closed_in = position(
        {"jp-hq-south": "4017"},
        allied=["3307", "3407", "3506", "3507", "3607", "3704", "3705", "3706"],
    )
    assert supply(closed_in).supplied_hqs(Side.JAPAN) == ()
    assert {"4017", "4021", "2212"} <= ports(closed_in, Side.JAPAN)


def test_1_3_an_enemy_port_is_not_eligible() -> None:
    assert "4423" in ports(state_1943(), Side.ALLIED)
    assert "4423" not in ports(state_1943(), Side.JAPAN)
    assert "4021" in ports(state_1943(), Side.JAPAN)


def test_1_3_eligible_airfields_may_lie_inland_at_any_length() -> None:
    assert {"2106", "2305", "3004"} <= airfields(state_1943(), Side.JAPAN)
    assert {"1905", "2104", "2205"} <= airfields(state_1943(), Side.ALLIED)


# -- restrictions on lines (6.21 A to G)


def test_6_21b_zoi_closes_water_unless_neutralised() -> None:
    units = {
        "us-hq-south-pacific-halsey": "4828",
        "us-marine-1-division": "4423",
        "jp-air-flotilla-25": "4222",
        "jp-hq-south-seas": "4017",
        **YAMAMOTO,
    }
    assert not supplied(position(units, allied=["4423"]), "us-marine-1-division")
    covered = position({**units, "us-cv-enterprise": "4424"}, allied=["4423"])
    assert supplied(covered, "us-cv-enterprise"), "its own zone opens the way (6.21A)"
    assert supplied(covered, "us-marine-1-division")
    lrb = position({**units, "us-lrb-13af": "4424"}, allied=["4423"])
    assert not supplied(lrb, "us-marine-1-division"), "an LRB neutralises nothing (6.4)"


def test_6_21b_zoi_does_not_close_land() -> None:
    units = {
        "joint-hq-anzac": "3823",
        "us-corps-xi": "3922",
        "jp-air-division-6": "3822",
        "jp-hq-south-seas": "4017",
        **YAMAMOTO,
    }
    state = position(units, allied=["3922", "3823"])
    assert zoi(state).unneutralised(Side.JAPAN, board().index[HexId("3922")])
    assert supplied(state, "us-corps-xi")


@pytest.mark.parametrize(
    ("blocker", "held"),
    [
        pytest.param({}, True, id="6.21E-open"),
        pytest.param({"jp-army-18": "3922"}, True, id="6.21E-beside"),
        pytest.param({"jp-cv-junyo": "3922"}, True, id="6.21E-naval-units-block-nothing"),
    ],
)
def test_6_21e_who_closes_land(blocker: dict[str, str], held: bool) -> None:
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
def test_6_21e_a_hex_of_the_enemy_alone_closes_its_land_hexsides(
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
def test_6_21_c_and_g_from_the_sea_onto_land(allied: list[str], held: bool) -> None:
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
def test_6_21_d_and_f_from_land_onto_the_sea(lae: Side, held: bool) -> None:
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
def test_6_21a_3_one_port_on_a_line(hq_at: str, held: bool) -> None:
    """The way around New Guinea is longer than the range of 7, so the line must cross from Port Moresby to Lae."""
    state = position(
        {"us-hq-south-pacific-ghormley": hq_at, "us-bb-washington": "3821"},
        allied=["3822", "3823"],
        options={"mixed-hexsides": "land-only"},
    )
    assert {"3822", "3823"} <= ports(state, Side.ALLIED)
    assert supplied(state, "us-bb-washington") is held


def test_6_21b_hqs_change_in_any_number_of_ports() -> None:
    """ANZAC is in Lae with the sea closed: overland to Port Moresby and on by sea, unless Port Moresby is lost."""
    units = {"joint-hq-anzac": "3822", "jp-cv-junyo": "3820"}
    state = position(units, allied=["3822", "3823"], options={"mixed-hexsides": "land-only"})
    state = in_offensive(state, Side.JAPAN, activated=["jp-cv-junyo"])
    assert supply(state).is_hq_supplied(UnitId("joint-hq-anzac"))
    lost = with_control(state, Side.JAPAN, ["3823", "4024"])
    assert not supply(lost).is_hq_supplied(UnitId("joint-hq-anzac"))


def test_6_21a_2_the_line_is_no_longer_than_the_range() -> None:
    base = {"us-hq-south-pacific-ghormley": "4828"}
    assert supplied(position({**base, "us-cv-essex": "4821"}), "us-cv-essex"), "7 hexes"
    assert not supplied(position({**base, "us-cv-essex": "4820"}), "us-cv-essex"), "8 hexes"


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
def test_6_21a_1_the_class_must_fit(unit: str, at: str, held: bool) -> None:
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
def test_ex_6_11_hollandia(units: dict[str, str], options: dict[str, str], held: bool) -> None:
    state = position({**HOLLANDIA, **units}, allied=["3520", "3823"], options=options)
    assert supplied(state, "us-corps-i") is held


def test_ex_6_11_zoi_over_the_coast_stops_the_line_where_it_enters() -> None:
    state = position(
        {**HOLLANDIA, "jp-cv-junyo": "3519", **YAMAMOTO, "jp-hq-south-seas": "4017"},
        allied=["3520", "3823"],
    )
    for at in ("3519", "3520", "3620"):
        assert zoi(state).unneutralised(Side.JAPAN, board().index[HexId(at)])
    assert not supplied(state, "us-corps-i")


def test_ex_6_11_no_turn_from_the_sea_onto_land() -> None:
    state = position(
        {"joint-hq-anzac": "3823", "us-corps-i": "3621"}, japan=["3520", "3720", "3822"]
    )
    assert not supplied(state, "us-corps-i")


# -- HQs (6.21B, 6.22, OP-31)


def test_6_22_allied_sources_are_the_edges() -> None:
    assert set(supply(state_1943()).supplied_hqs(Side.ALLIED)) == {
        "cw-hq-seac",
        "joint-hq-anzac",
        "us-hq-central-pacific",
        "us-hq-south-pacific-halsey",
        "us-hq-southwest-pacific",
    }


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
def test_6_22_japanese_sources(lost: tuple[str, ...], options: dict[str, str], held: bool) -> None:
    state = position({"jp-hq-south-seas": "4017"}, allied=lost, options=options)
    assert supply(state).is_hq_supplied(UnitId("jp-hq-south-seas")) is held
    assert home_line_to_resource(state) is held


def test_6_21b_an_hq_in_its_own_source_hex() -> None:
    state = position({"us-hq-southwest-pacific": "3727", "jp-air-division-6": "3727"})
    assert supply(state).is_hq_supplied(UnitId("us-hq-southwest-pacific")), (
        "Townsville is on the edge"
    )


# -- zones against zones (OP-5)

MALAYA = {
    **SOUTH,
    "cw-hq-malaya": "2015",
    "cw-air-ma": "2015",
    "jp-air-division-1": "2012",
    "jp-air-division-2": "2415",
}


def test_ex_6_6_mutual_exclusion_favours_the_allies() -> None:
    state = position({**MALAYA, "jp-air-flotilla-21": "2019"}, scenario_id="campaign-1941")
    assert supply(state).is_hq_supplied(UnitId("cw-hq-malaya"))
    assert supplied(state, "cw-air-ma")
    assert not supplied(state, "jp-air-flotilla-21")
    assert zoi(state).covers(Side.ALLIED, board().index[HexId("2015")])


def test_ex_6_6_no_exclusion_when_the_japanese_unit_is_supplied_anyway() -> None:
    """The mixed hexsides along Sumatra would let the line pass the zone (OP-1), so the alternative reading is used."""
    state = position(
        {**MALAYA, "jp-air-flotilla-21": "2018"},
        scenario_id="campaign-1941",
        options={"mixed-hexsides": "land-only"},
    )
    assert supplied(state, "jp-air-flotilla-21")
    assert not supply(state).is_hq_supplied(UnitId("cw-hq-malaya"))
    assert not supplied(state, "cw-air-ma")
    assert not zoi(state).covers(Side.ALLIED, board().index[HexId("2015")])


def test_op_1_mixed_hexsides_lead_the_line_along_sumatra() -> None:
    state = position({**MALAYA, "jp-air-flotilla-21": "2018"}, scenario_id="campaign-1941")
    assert supply(state).is_hq_supplied(UnitId("cw-hq-malaya"))
    guarded = with_units(state, {"jp-army-25": "1817"})
    assert not supply(guarded).is_hq_supplied(UnitId("cw-hq-malaya")), (
        "an army alone closes them (E)"
    )


def test_6_0_activated_units_stay_in_supply() -> None:
    state = position({"us-corps-i": "3520"})
    assert not supplied(state, "us-corps-i")
    active = in_offensive(state, Side.ALLIED, activated=["us-corps-i"])
    assert supplied(active, "us-corps-i")
    assert not would_be_supplied(active, UnitId("us-corps-i"), HexId("3520")), (
        "judged as if inactive"
    )


# -- Tokyo Express (6.23)


def test_6_23_the_tokyo_express_supplies_one_hex() -> None:
    units = {
        **YAMAMOTO,
        "jp-air-flotilla-25": "4423",
        "jp-army-17": "4423",
        "us-cv-essex": "4424",
        "us-hq-south-pacific-halsey": "4828",
    }
    cut = position(units, japan=["4423"])
    assert not supplied(cut, "jp-army-17")
    served = position(units, japan=["4423"], tokyo_express=HexId("4423"))
    assert supplied(served, "jp-army-17")
    assert supplied(served, "jp-air-flotilla-25")
    assert zoi(served).covers(Side.JAPAN, board().index[HexId("4423")])
    assert not supply(
        position({"jp-hq-south-seas": "4423"}, allied=CITIES, tokyo_express=HexId("4423"))
    ).is_hq_supplied(UnitId("jp-hq-south-seas"))


# -- would be in supply (6.21A, 7.28)


def test_6_21a_an_air_unit_brings_its_own_zone() -> None:
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


def test_6_21a_the_zone_leaves_with_its_unit() -> None:
    """The carrier keeps the way to Guadalcanal open; from Espiritu Santo it does so only for itself."""
    units = {
        "us-hq-south-pacific-halsey": "4828",
        "us-cv-essex": "4424",
        "us-marine-1-division": "4423",
        "jp-air-flotilla-25": "4222",
        "jp-hq-south-seas": "4017",
        **YAMAMOTO,
    }
    state = position(units, allied=["4423"])
    assert supplied(state, "us-marine-1-division")
    assert supplied(with_units(state, {"us-cv-essex": "4824"}), "us-marine-1-division") is False


def test_6_15_an_hq_would_be_in_supply_where_a_line_begins() -> None:
    state = position({})
    assert would_be_supplied(state, UnitId("us-hq-southwest-pacific"), HexId("3626"))
    assert not would_be_supplied(position({}, allied=CITIES), UnitId("jp-hq-south"), HexId("4017"))


def test_supply_knows_units_off_the_map() -> None:
    assert not supplied(state_1943(), "us-cv-essex")
    assert state_1943().units[UnitId("us-lrb-14af")].at == CHINA_BOX


# -- lines between hexes (17.38C, 13.93b)


def test_17_38c_townsville_and_oahu() -> None:
    assert has_sea_supply_line(state_1943(), Side.ALLIED, HexId("3727"), HexId("5808"))
    off_oahu = position({"jp-cv-akagi": "5808"})
    cut = in_offensive(off_oahu, Side.JAPAN, activated=["jp-cv-akagi"])
    assert not has_sea_supply_line(cut, Side.ALLIED, HexId("3727"), HexId("5808"))


def test_13_93b_resources_must_be_japanese() -> None:
    resources = board().resource_hexes
    none = position({}, allied=resources)
    assert not home_line_to_resource(none)
    assert home_line_to_resource(position({}, allied=resources, options={"blockade-hex": "any"}))
    assert home_line_to_resource(position({}, allied=[h for h in resources if h != "3305"]))


# -- the South Pacific sheet (17.10.5)


def test_17_10_5_edges_of_the_sheet_are_sources() -> None:
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


def test_17_10_5k_the_central_pacific_hq_reaches_the_new_hebrides_only() -> None:
    units = {
        "us-hq-central-pacific": "5808",
        "us-corps-xi": "4825",
        "us-corps-i": "3823",
        "us-corps-xiv": "5808",
    }
    state = position(units, scenario_id="south-pacific", allied=["4825", "3823"])
    assert supplied(state, "us-corps-xi")
    assert supplied(state, "us-corps-xiv"), "OPS-11: its own hex"
    assert not supplied(state, "us-corps-i")


def test_a_network_that_is_no_longer_recent_frees_the_networks_it_was_compared_with() -> None:
    key = solution(burma()).networks[Side.JAPAN].key
    recent: list[Network] = []
    first = Network(key, recent)
    recent.append(first)
    second = Network(key, recent)
    assert second._comparable_networks
    assert second._dominated_networks
    freed = weakref.ref(first)
    second.release_references()
    del first, recent
    gc.collect()
    assert freed() is None

"""Placement of reinforcements and returning units (10.11, 11.0, 13.74)."""

import pytest
from msgspec.structs import replace

from engine.eots.board import board
from engine.eots.ch06_supply.activation import placement_hexes, placement_refusals
from engine.eots.counters import counters
from engine.eots.ids import CHINA_BOX, AreaId, NationId, UnitId
from engine.eots.state import State
from tests.engine.eots.positions import position, start_of

BURMA = board().areas[AreaId("burma")].hexes
HQS = {"us-hq-southwest-pacific": "3727", "us-hq-central-pacific": "5808"}


def broken(state: State, unit: str, at: str) -> list[str]:
    return [refusal.rule for refusal in placement_refusals(state, UnitId(unit), at)]


@pytest.mark.parametrize(
    ("unit", "at", "rules"),
    [
        pytest.param("us-cv-essex", "5808", [], id="10.11-1-port"),
        pytest.param("us-cv-essex", "3226", ["10.11"], id="10.11-1-ship-on-an-airfield"),
        pytest.param("us-corps-xxiv", "5808", [], id="10.11-1-ground"),
        pytest.param("us-corps-xxiv", "5708", ["10.11"], id="10.11-1-ground-needs-a-port"),
        pytest.param("us-air-3maw", "5708", [], id="10.11-2-airfield"),
        pytest.param("us-air-3maw", "4017", ["10.11"], id="10.11-2-enemy-airfield"),
        pytest.param("us-air-3maw", "5408", ["10.11"], id="8.35-air-ferry"),
        pytest.param("us-air-3maw", "2106", ["10.11"], id="10.11-2-no-hq-near"),
        pytest.param("cw-corps-1-aus", "5808", ["10.11"], id="10.11-1-wrong-class"),
        pytest.param("us-air-3maw", "9999", ["10.11"], id="10.11-no-hex"),
    ],
)
def test_10_11_placement_requires_base_and_supply(unit: str, at: str, rules: list[str]) -> None:
    assert broken(position(HQS, japan=["2106"]), unit, at) == rules


# -- HQs


@pytest.mark.parametrize(
    ("state", "at", "rules"),
    [
        pytest.param(position(HQS), "3626", [], id="10.11-3-eligible-port"),
        pytest.param(position(HQS), "5808", ["6.11"], id="6.11-two-hqs"),
        pytest.param(position(HQS), "3226", ["10.11"], id="10.11-3-no-port"),
        pytest.param(position({}), "3626", [], id="OPB-37-first-hq"),
        pytest.param(
            position({}, options={"hq-arrival-port": "eligible"}),
            "3626",
            ["10.11"],
            id="OPB-37-eligible-only",
        ),
    ],
)
def test_10_11_3_placement_of_hqs(state: State, at: str, rules: list[str]) -> None:
    assert broken(state, "us-hq-south-pacific-halsey", at) == rules


# -- stacking


def test_8_24_placement_respects_the_limit_of_six_ships() -> None:
    ships = [
        u
        for u, c in counters().items()
        if c.is_naval and u.startswith("us-") and u != "us-cv-essex"
    ]
    full = position({**HQS, **dict.fromkeys(ships[:6], "5808")})
    assert broken(full, "us-cv-essex", "5808") == ["8.24"]
    assert "5808" not in placement_hexes(full, UnitId("us-cv-essex"))
    by_type = replace(full, options={"naval-stacking": "six-of-a-type"})
    assert broken(by_type, "us-cv-essex", "5808") == []


def test_8_34_placement_limit_counts_air_partners_as_one_unit() -> None:
    two = {**HQS, "us-corps-x": "5808", "us-air-7af": "5808"}
    assert broken(position(two), "us-corps-xxiv", "5808") == []
    three = {**two, "us-marine-1-division": "5808"}
    assert broken(position(three), "us-corps-xxiv", "5808") == ["8.48"]
    assert broken(position(three), "us-air-3maw", "5808") == ["8.34"]
    assert broken(position(three), "us-lrb-7af", "5808") == [], "partner of the 7AF"


# -- China


@pytest.mark.parametrize(
    ("state", "unit", "rules"),
    [
        pytest.param(position({}, allied=BURMA), "us-air-14af", [], id="13.74-5-open"),
        pytest.param(
            position({}, japan=["2008"], hump=False), "us-air-14af", ["13.74"], id="13.74-5-closed"
        ),
        pytest.param(
            position({}, allied=BURMA, surrendered=(NationId("china"),)),
            "us-air-14af",
            ["13.74"],
            id="13.74-5-china-out",
        ),
        pytest.param(
            position({"us-air-5af": CHINA_BOX, "us-lrb-14af": CHINA_BOX}, allied=BURMA),
            "us-air-14af",
            ["13.74"],
            id="13.74-1-full",
        ),
        pytest.param(
            position({"us-b29-20bc": CHINA_BOX}, allied=BURMA),
            "us-b29-21bc",
            ["13.74"],
            id="13.74-1-one-b29",
        ),
        pytest.param(
            position({}, allied=BURMA), "jp-air-division-1", ["13.74"], id="13.74-japanese"
        ),
        pytest.param(position({}, allied=BURMA), "us-corps-x", ["13.74"], id="13.74-ground"),
    ],
)
def test_13_74_5_placement_in_the_china_box(state: State, unit: str, rules: list[str]) -> None:
    assert broken(state, unit, CHINA_BOX) == rules


# -- all of them together


@pytest.mark.parametrize("name", ["campaign-1941", "1942", "1943", "1944", "south-pacific"])
def test_10_11_placement_hexes_are_exactly_the_legal_ones(name: str) -> None:
    state = start_of(name)
    for unit in (
        "us-cv-essex",
        "us-air-3maw",
        "cw-corps-33",
        "cw-air-seac",
        "us-hq-south-pacific-halsey",
        "jp-cv-taiho",
        "jp-air-division-8",
        "jp-army-38",
        "jp-hq-south",
    ):
        places = placement_hexes(state, UnitId(unit))
        slow = [at for at in (*board().ids, CHINA_BOX) if not broken(state, unit, at)]
        assert list(places) == slow

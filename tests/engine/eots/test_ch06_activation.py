"""Activation, and HQs that leave and return (6.12-6.15, 6.3, 7.26, 13.74)."""

import pytest

from engine.eots.board import board
from engine.eots.ch06_supply.activation import (
    activation_refusals,
    return_refusals,
    withdraw_refusals,
)
from engine.eots.ids import AreaId, Side, UnitId
from engine.eots.state import State
from tests.engine.eots.positions import position, state_1943, with_units
from tests.engine.eots.reached import path_hexes

BURMA = board().areas[AreaId("burma")].hexes
MALAYA = {
    "cw-hq-malaya": "2015",
    "us-air-avg": "2014",
    "cw-corps-3-ind": "2014",
    "us-ca-us-asia": "2015",
    "dutch-air": "2019",
}
ANZAC = {
    "us-hq-central-pacific": "5808",
    "joint-hq-anzac": "4828",
    "us-corps-x": "4828",
    "cw-corps-1-aus": "4828",
    "us-air-avg": "4828",
    "cw-corps-3-ind": "4828",
    "us-ca-us-asia": "4828",
    "dutch-air": "4828",
    "china-army-5": "4828",
}


def rules(state: State, hq: str, unit: str, *, reaction: bool = False) -> list[str]:
    return [
        refusal.rule for refusal in activation_refusals(state, UnitId(hq), UnitId(unit), reaction)
    ]


@pytest.mark.parametrize(
    ("units", "hq", "unit", "may"),
    [
        pytest.param(MALAYA, "cw-hq-malaya", "us-air-avg", True, id="EX-6-2-malaya-us-air"),
        pytest.param(MALAYA, "cw-hq-malaya", "cw-corps-3-ind", True, id="EX-6-2-malaya-indian"),
        pytest.param(MALAYA, "cw-hq-malaya", "us-ca-us-asia", False, id="EX-6-2-malaya-us-ship"),
        pytest.param(MALAYA, "cw-hq-malaya", "dutch-air", False, id="EX-6-2-malaya-dutch"),
        pytest.param(ANZAC, "us-hq-central-pacific", "us-corps-x", True, id="EX-6-2-c-pac-us"),
        pytest.param(
            ANZAC, "us-hq-central-pacific", "china-army-5", True, id="EX-6-2-c-pac-chinese"
        ),
        pytest.param(
            ANZAC, "us-hq-central-pacific", "cw-corps-1-aus", False, id="EX-6-2-c-pac-australian"
        ),
        *(
            pytest.param(ANZAC, "joint-hq-anzac", unit, True, id=f"EX-6-2-anzac-{unit}")
            for unit in ANZAC
            if "hq" not in unit
        ),
        pytest.param(
            ANZAC, "joint-hq-anzac", "us-hq-central-pacific", False, id="6.12-no-hq-is-activated"
        ),
    ],
)
def test_6_12_activation_requires_a_matching_class(
    units: dict[str, str], hq: str, unit: str, may: bool
) -> None:
    assert ("6.12" not in rules(position(units), hq, unit)) is may


def test_6_3_units_off_the_map_cannot_be_activated() -> None:
    assert rules(state_1943(), "us-hq-central-pacific", "us-cv-essex") == ["6.3"]


# -- the path (6.3, OP-24)


def path(state: State, hq: str, *, reaction: bool = False) -> set[str]:
    return {board().ids[i] for i in path_hexes(state, UnitId(hq), reaction=reaction)}


@pytest.mark.parametrize(
    ("blocker", "open_"),
    [
        pytest.param({"jp-army-33": "2106"}, False, id="6.3-ground"),
        pytest.param({"jp-air-division-5": "2106"}, False, id="6.3-air"),
        pytest.param({"jp-hq-south-seas": "2106"}, False, id="OP-3-hq"),
        pytest.param({"jp-army-33": "2106", "cw-corps-15": "2106"}, True, id="6.3-not-alone"),
        pytest.param({}, True, id="6.3-nobody"),
    ],
)
def test_6_3_an_enemy_occupied_hex_blocks_paths_over_land(
    blocker: dict[str, str], open_: bool
) -> None:
    state = position({"cw-hq-seac": "2008", **blocker}, allied=BURMA)
    assert ("2106" in path(state, "cw-hq-seac")) is open_


# -- HQs that leave and return (6.13-6.15)


@pytest.mark.parametrize(
    ("side", "hq", "broken"),
    [
        pytest.param(Side.ALLIED, "joint-hq-anzac", [], id="6.13-own-hq"),
        pytest.param(Side.JAPAN, "joint-hq-anzac", ["6.13"], id="6.13-enemy-hq"),
        pytest.param(Side.ALLIED, "cw-hq-malaya", ["6.13"], id="6.13-not-on-the-map"),
        pytest.param(Side.ALLIED, "us-corps-x", ["6.13"], id="6.13-no-hq"),
        pytest.param(Side.ALLIED, "nobody", ["6.13"], id="6.13-unknown"),
    ],
)
def test_6_13_hq_withdrawal_conditions(side: Side, hq: str, broken: list[str]) -> None:
    assert [r.rule for r in withdraw_refusals(state_1943(), side, UnitId(hq))] == broken


def waiting(hq: str = "us-hq-southwest-pacific", **units: str) -> State:
    return with_units(
        position({u.replace("_", "-"): at for u, at in units.items()}), {hq: ("turn-track", 0)}
    )


@pytest.mark.parametrize(
    ("state", "hq", "at", "broken"),
    [
        pytest.param(waiting(), "us-hq-southwest-pacific", "3727", [], id="6.15-townsville"),
        pytest.param(waiting(), "us-hq-southwest-pacific", "5808", [], id="6.15-oahu"),
        pytest.param(waiting(), "us-hq-southwest-pacific", "1805", [], id="6.15-calcutta"),
        pytest.param(waiting(), "us-hq-southwest-pacific", "4828", ["6.15"], id="6.15-noumea"),
        pytest.param(waiting(), "us-hq-southwest-pacific", "3226", ["6.15"], id="6.15-airfield"),
        pytest.param(
            waiting(joint_hq_anzac="3727"),
            "us-hq-southwest-pacific",
            "3727",
            ["6.11"],
            id="6.11-occupied",
        ),
        pytest.param(waiting("jp-hq-south"), "jp-hq-south", "3407", [], id="6.15-kure"),
        pytest.param(waiting("jp-hq-south"), "jp-hq-south", "4017", ["6.15"], id="6.15-truk"),
        pytest.param(state_1943(), "joint-hq-anzac", "3727", ["6.15"], id="6.15-on-the-map"),
        pytest.param(state_1943(), "us-corps-x", "3727", ["6.15"], id="6.15-no-hq"),
    ],
)
def test_6_15_early_hq_return_conditions(state: State, hq: str, at: str, broken: list[str]) -> None:
    assert [r.rule for r in return_refusals(state, UnitId(hq), at)] == broken

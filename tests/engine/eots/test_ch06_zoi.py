"""Air zones of influence (6.4)."""

import pytest
from msgspec.structs import replace

from engine.eots.board import board
from engine.eots.ch06_supply.supply import supply
from engine.eots.ch06_supply.zoi import Zoi, zoi
from engine.eots.ids import HexId, Side, UnitId
from engine.eots.state import State
from tests.engine.eots.positions import in_offensive, position

INDEX = board().index
HQS = {
    "us-hq-central-pacific": "5808",
    "jp-hq-combined-fleet-yamamoto": "3407",
    "jp-hq-south-seas": "4017",
}


def covered(zones: Zoi, side: Side) -> set[str]:
    return {h for h, i in INDEX.items() if zones.covers(side, i)}


def open_to(zones: Zoi, side: Side) -> set[str]:
    return {h for h, i in INDEX.items() if zones.is_unneutralised(side, i)}


def test_ex_6_8_an_lrb_projects_but_does_not_neutralise() -> None:
    state = position({**HQS, "us-lrb-7af": "5808", "jp-cv-junyo": "5708"})
    zones = zoi(in_offensive(state, Side.JAPAN, activated=["jp-cv-junyo"], reacting=["us-lrb-7af"]))
    at = INDEX[HexId("5708")]
    assert zones.covers(Side.ALLIED, at)
    assert zones.covers(Side.JAPAN, at)
    assert not zones.is_unneutralised(Side.ALLIED, at)
    assert zones.is_unneutralised(Side.JAPAN, at)


@pytest.mark.parametrize(
    ("unit", "side", "at", "projects"),
    [
        pytest.param("us-air-7af", Side.ALLIED, "5808", True, id="6.4-air"),
        pytest.param("us-cv-essex", Side.ALLIED, "5808", True, id="6.4-carrier"),
        pytest.param("us-bb-washington", Side.ALLIED, "5808", False, id="6.4-battleship"),
        pytest.param("us-corps-x", Side.ALLIED, "5808", False, id="6.4-ground"),
        pytest.param("us-air-14af", Side.ALLIED, "china-box", False, id="OP-20-china-box"),
    ],
)
def test_unit_types_that_project_a_zone(unit: str, side: Side, at: str, projects: bool) -> None:
    zones = zoi(position({**HQS, unit: at}))
    assert len(covered(zones, side)) == (19 if projects else 0)


def test_6_4_units_out_of_supply_neither_project_nor_neutralise() -> None:
    state = position(
        {"jp-hq-combined-fleet-yamamoto": "3407", "us-air-7af": "3813", "jp-air-division-1": "3813"}
    )
    assert not supply(state).is_supplied(UnitId("us-air-7af")), "no Allied HQ"
    assert covered(zoi(state), Side.ALLIED) == set()
    assert HexId("3813") in open_to(zoi(state), Side.JAPAN)


def carrier_at(at: str) -> State:
    state = position(
        {**HQS, "us-cv-essex": at, "us-bb-washington": at, "jp-air-flotilla-24": "4715"}
    )
    return in_offensive(state, Side.ALLIED, activated=["us-cv-essex", "us-bb-washington"])


def test_10_11_7_newly_arrived_units_project_but_do_not_neutralise() -> None:
    state = carrier_at("4815")
    new = zoi(replace(state, arrived_air=(UnitId("us-cv-essex"),)))
    assert new.covers(Side.ALLIED, INDEX[HexId("4715")])
    assert new.is_unneutralised(Side.JAPAN, INDEX[HexId("4715")])

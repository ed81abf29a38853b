"""Occupation and control (0.4, 6.5, 13.75, 13.76, 13.94)."""

import pytest

from engine.eots.ch06_supply.control import (
    controls,
    intrinsic_strength,
    intrinsic_units,
    is_enemy_blocked,
    is_friendly_airfield,
    is_friendly_port,
    is_solely_enemy_occupied,
    is_vacant_for,
)
from engine.eots.ids import HexId, Side
from engine.eots.state import State
from tests.engine.eots.positions import position, state_1943

HOLLANDIA = "3520"


@pytest.mark.parametrize(
    ("units", "blocked", "sole", "vacant"),
    [
        pytest.param({}, False, False, True, id="0.4-empty"),
        pytest.param({"jp-army-18": HOLLANDIA}, True, True, False, id="0.4-ground"),
        pytest.param({"jp-air-division-1": HOLLANDIA}, True, True, False, id="0.4-air"),
        pytest.param({"jp-hq-south": HOLLANDIA}, True, True, False, id="OP-3-hq"),
        pytest.param({"jp-cv-junyo": HOLLANDIA}, False, False, False, id="0.4-naval-only"),
        pytest.param(
            {"jp-army-18": HOLLANDIA, "us-corps-i": HOLLANDIA}, True, False, False, id="0.4-both"
        ),
        pytest.param(
            {"jp-army-18": HOLLANDIA, "us-cv-essex": HOLLANDIA},
            True,
            True,
            False,
            id="0.4-own-naval-does-not-count",
        ),
    ],
)
def test_enemy_occupation_blocks_a_hex(
    units: dict[str, str], blocked: bool, sole: bool, vacant: bool
) -> None:
    state = position(units)
    assert is_enemy_blocked(state, Side.ALLIED, HOLLANDIA) is blocked
    assert is_solely_enemy_occupied(state, Side.ALLIED, HOLLANDIA) is sole
    assert is_vacant_for(state, Side.JAPAN, HOLLANDIA) is vacant


@pytest.mark.parametrize("at", ["2407", "2306", "2506", "2408"])
def test_13_75_kunming_and_adjacent_hexes_are_always_allied(at: str) -> None:
    state = position(japan=[at])
    assert controls(state, Side.ALLIED, at)
    assert not controls(state, Side.JAPAN, at)
    assert is_solely_enemy_occupied(state, Side.JAPAN, at)
    assert not is_enemy_blocked(state, Side.ALLIED, at)


@pytest.mark.parametrize(
    ("divisions", "units"),
    [
        pytest.param(0, 1, id="13.76-0"),
        pytest.param(4, 1, id="13.76-4"),
        pytest.param(5, 2, id="EX13-1-5"),
        pytest.param(8, 2, id="13.76-8"),
        pytest.param(9, 3, id="13.76-9"),
        pytest.param(12, 3, id="13.76-12"),
    ],
)
def test_intrinsic_units_in_china_depend_on_divisions(divisions: int, units: int) -> None:
    state = position(japan=["2609", "2709"], divisions_in_china=divisions)
    assert intrinsic_units(state, "2609") == units
    assert intrinsic_units(state, "2709") == units, "Hong Kong has them, too"
    assert intrinsic_strength("2609") == (9, 12)
    assert intrinsic_units(state, "2508") == units
    assert intrinsic_units(state, "2509") == 0, "Hainan has none"
    assert intrinsic_units(state, "2407") == 0


@pytest.mark.parametrize(
    ("state", "units"),
    [
        pytest.param(position(), 1, id="13.94-at-start"),
        pytest.param(position(allied=["3706"]), 0, id="13.94-allied"),
        pytest.param(position(cities_taken=(HexId("3706"),)), 0, id="13.94-retaken"),
    ],
)
def test_tokyo_has_an_intrinsic_unit(state: State, units: int) -> None:
    assert intrinsic_units(state, "3706") == units
    assert intrinsic_strength("3706") == (12, 12)
    assert is_enemy_blocked(state, Side.ALLIED, "3706") is bool(units)


@pytest.mark.parametrize(
    ("side", "at", "port", "airfield"),
    [
        pytest.param(Side.ALLIED, "5808", True, True, id="6.5-oahu"),
        pytest.param(Side.JAPAN, "5808", False, False, id="6.5-oahu-is-not-japanese"),
        pytest.param(Side.JAPAN, "2509", True, False, id="6.5-taan-has-no-airfield"),
        pytest.param(Side.ALLIED, "5408", False, False, id="8.35-ferry-is-no-airfield"),
        pytest.param(Side.ALLIED, "china-box", False, False, id="13.74-box-is-no-hex"),
    ],
)
def test_friendly_bases_require_control(side: Side, at: str, port: bool, airfield: bool) -> None:
    state = state_1943()
    assert is_friendly_port(state, side, at) is port
    assert is_friendly_airfield(state, side, at) is airfield

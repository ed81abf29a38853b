"""Attrition and the Tokyo Express (6.23, 6.24, 13.74-4)."""

import pytest

from engine.eots.board import board
from engine.eots.ch06_supply.attrition import (
    attrition,
    tokyo_express_hexes,
)
from engine.eots.evolve import evolve
from engine.eots.flow import EotsRun
from engine.eots.hex_control import capture_hexes
from engine.eots.ids import HexId, Side, UnitId
from engine.eots.state import State
from engine.kernel.dice import ScriptedDice
from engine.kernel.ids import Rule
from tests.engine.eots.positions import Place, position

CITIES = ("3307", "3407", "3506", "3507", "3607", "3704", "3705", "3706")


def lost_empire(units: dict[str, Place]) -> State:
    """Return a position in which no Japanese HQ has a source."""
    return position(units, allied=CITIES)


def ids(units: tuple[UnitId, ...]) -> list[str]:
    return list(units)


@pytest.mark.parametrize(
    ("units", "eliminated", "flipped"),
    [
        pytest.param(
            {"jp-hq-south-seas": "4017", "jp-army-17": ("4021", 1)},
            [],
            [],
            id="EX-6-9-i-in-range-of-an-hq",
        ),
        pytest.param(
            {"jp-army-17": ("4021", 1)}, ["jp-army-17"], [], id="EX-6-9-ii-outside-every-range"
        ),
        pytest.param(
            {"jp-hq-south-seas": "4017", "jp-air-flotilla-21": "4021"},
            [],
            ["jp-air-flotilla-21"],
            id="EX-6-9-iii-full-strength-flips",
        ),
        pytest.param(
            {"dutch-regiment-1": "1916"}, ["dutch-regiment-1"], [], id="EX-6-9-iv-one-step"
        ),
        pytest.param({"jp-ca-nachi": "4017"}, [], [], id="EX-6-9-v-ships-are-exempt"),
        pytest.param({"jp-hq-south-seas": "4017"}, [], [], id="6.24-hqs-are-exempt"),
        pytest.param(
            {"jp-army-17": "4021"}, [], ["jp-army-17"], id="6.24-flipped-not-tested-again"
        ),
    ],
)
def test_ex_6_9_attrition(
    units: dict[str, Place], eliminated: list[str], flipped: list[str]
) -> None:
    found = attrition(lost_empire(units))
    assert (ids(found[0]), ids(found[1])) == (eliminated, flipped)


def test_6_23_tokyo_express_hexes_are_in_range_of_a_supplied_hq() -> None:
    hexes = tokyo_express_hexes(position({"jp-hq-south-seas": "4017"}))
    assert "4222" in hexes
    assert all(board().distance(HexId("4017"), at) <= 12 for at in hexes)
    assert tokyo_express_hexes(lost_empire({"jp-hq-south-seas": "4017"})) == ()


@pytest.mark.parametrize(("taken", "left"), [("4423", None), ("4322", HexId("4423"))])
def test_6_23_tokyo_express_marker_is_removed_when_control_changes(
    taken: str, left: HexId | None
) -> None:
    state = position(japan=["4423", "4322"], tokyo_express=HexId("4423"))
    run = EotsRun(state, evolve, ScriptedDice())
    capture_hexes(run, Side.ALLIED, (HexId(taken),), Rule("6.5"))
    assert run.state.tracks.tokyo_express == left

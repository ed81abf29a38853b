"""Attrition and the Tokyo Express (6.23, 6.24, 13.74-4)."""

import pytest

from engine.eots.board import board
from engine.eots.ch06_supply.attrition import (
    apply_attrition,
    attrition,
    check_tokyo_express,
    is_in_hq_range,
    tokyo_express_hexes,
)
from engine.eots.evolve import evolve
from engine.eots.flow import EotsRun
from engine.eots.hex_control import capture_hexes
from engine.eots.ids import HexId, Side, UnitId
from engine.eots.state import ELIMINATED, REMOVED, Piece, State
from engine.kernel.dice import ScriptedDice
from engine.kernel.ids import Rule
from tests.engine.eots.positions import Place, position, state_1943

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


def test_ex_6_9_vi_the_tokyo_express_feeds_its_hex() -> None:
    brigade: dict[str, Place] = {"jp-ss-brigade": ("4423", 1)}
    assert attrition(position(brigade, japan=["4423"]))[0] == ("jp-ss-brigade",)
    served = position(brigade, japan=["4423"], tokyo_express=HexId("4423"))
    assert attrition(served) == ((), ())


def test_13_74_4_units_in_the_china_box_are_never_eliminated() -> None:
    full = position({"us-air-14af": "china-box"}, japan=["2008"], hump=False)
    reduced = position({"us-air-14af": ("china-box", 1)}, japan=["2008"], hump=False)
    assert attrition(full) == ((), ("us-air-14af",))
    assert attrition(reduced) == ((), ())


def test_6_24_distance_to_hqs_is_straight() -> None:
    state = position({"jp-hq-south-seas": "4017", "us-cv-essex": "4018"})
    assert is_in_hq_range(state, Side.JAPAN, "4021")
    far = next(h for h in board().ids if board().distance(HexId("4017"), h) == 12)
    too_far = next(h for h in board().ids if board().distance(HexId("4017"), h) == 13)
    assert is_in_hq_range(state, Side.JAPAN, far)
    assert not is_in_hq_range(state, Side.JAPAN, too_far)
    assert not is_in_hq_range(state, Side.ALLIED, "4021")
    assert not is_in_hq_range(state, Side.JAPAN, "china-box")


def test_6_24_is_applied_from_one_moment() -> None:
    state = lost_empire(
        {"jp-army-17": ("4021", 1), "jp-army-18": "3822", "dutch-regiment-1": "1916"}
    )
    ledger = EotsRun(state, evolve, ScriptedDice())
    apply_attrition(ledger)
    after = ledger.state.units
    assert after[UnitId("jp-army-17")] == Piece(ELIMINATED, 0)
    assert after[UnitId("jp-army-18")] == Piece("3822", 1)
    assert after[UnitId("dutch-regiment-1")].at in (ELIMINATED, REMOVED)
    assert [event.rule for event in ledger.events] == ["6.24"] * 3  # type: ignore[attr-defined]  # both facts are ruled


def test_6_24_nothing_in_supply_suffers() -> None:
    ledger = EotsRun(state_1943(), evolve, ScriptedDice())
    apply_attrition(ledger)
    assert ledger.events == ()


@pytest.mark.parametrize(
    ("at", "rules"),
    [
        pytest.param("4222", [], id="6.23-bougainville"),
        pytest.param("4423", ["6.23"], id="6.23-allied-hex"),
        pytest.param("4018", ["6.23"], id="CP-32-ocean"),
        pytest.param("5808", ["6.23"], id="6.23-oahu"),
    ],
)
def test_6_23_where_the_tokyo_express_may_go(at: str, rules: list[str]) -> None:
    assert [r.rule for r in check_tokyo_express(state_1943(), at)] == rules


def test_6_23_the_hex_lies_in_range_of_a_supplied_hq() -> None:
    hexes = tokyo_express_hexes(position({"jp-hq-south-seas": "4017"}))
    assert "4222" in hexes
    assert all(board().distance(HexId("4017"), at) <= 12 for at in hexes)
    assert tokyo_express_hexes(lost_empire({"jp-hq-south-seas": "4017"})) == ()


@pytest.mark.parametrize(("taken", "left"), [("4423", None), ("4322", HexId("4423"))])
def test_6_23_the_marker_leaves_with_control(taken: str, left: HexId | None) -> None:
    state = position(japan=["4423", "4322"], tokyo_express=HexId("4423"))
    run = EotsRun(state, evolve, ScriptedDice())
    capture_hexes(run, Side.ALLIED, (HexId(taken),), Rule("6.5"))
    assert run.state.tracks.tokyo_express == left

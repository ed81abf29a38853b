"""Air movement: legs, the ferry, strategic transport, the China box (8.3, 13.74)."""

import pytest

from engine.eots.board import board
from engine.eots.commands import Fly, FlyStrategic, Halt
from engine.eots.ids import CHINA_BOX, HexId, Side, UnitId
from engine.eots.state import Mode, Moved
from tests.engine.eots.moving import Mover, fly, moving, pick
from tests.engine.eots.positions import position

JAPAN, ALLIED = Side.JAPAN, Side.ALLIED
AF7 = "us-air-7af"
HAWAII = {AF7: "5808"}


def _moved(game: Mover, unit: str) -> Moved:
    record = game.state.offensive
    assert record is not None
    return record.moved[UnitId(unit)]


def test_a_ferry_hex_cannot_end_the_move() -> None:
    """EX-8-5, 8.35: with one leg only strategic transport leads to Midway."""
    game = moving(position(HAWAII), ALLIED, [AF7], ov=1)(*pick(AF7))
    assert "5408" not in game.ends(Fly)
    assert game.refusals(fly("5408")) == ["8.31"]
    assert "5108" in game.ends(FlyStrategic)
    assert "5408" not in game.ends(FlyStrategic)
    game(FlyStrategic(to="5108"))
    assert _moved(game, AF7).mode is Mode.AIR_STRATEGIC


@pytest.mark.parametrize(
    ("unit", "at", "reach"),
    [
        pytest.param("jp-air-division-1", "4017", 4, id="8.31-division-2-4"),
        pytest.param("jp-air-flotilla-24", "4017", 5, id="8.31-flotilla-3-5"),
        pytest.param("us-lrb-7af", "5808", 6, id="8.31-lrb-6"),
        pytest.param("us-b29-20bc", "3814", 8, id="8.31-b29-8"),
        pytest.param("us-air-feaf", "2813", 4, id="8.31-brackets-usable-to-move"),
    ],
)
def test_leg_length_is_limited_by_range(unit: str, at: str, reach: int) -> None:
    side = JAPAN if unit.startswith("jp") else ALLIED
    fields = [h for h, row in board().hexes.items() if row.airfield]
    state = position({unit: at}, japan=fields if side is JAPAN else ())
    state = state if side is JAPAN else position({unit: at}, allied=fields)
    game = moving(state, side, [unit], ov=1)(*pick(unit))
    ends = game.ends(Fly)
    assert max(board().distance(HexId(at), HexId(end)) for end in ends) <= reach
    closed = {"3302", "3303"}
    within = {h for h in fields if 0 < board().distance(HexId(at), h) <= reach and h not in closed}
    assert set(ends) == within


# -- the China box

BOX = {"us-air-14af": CHINA_BOX, "cw-hq-seac": "1805", "us-hq-southwest-pacific": "3727"}


def test_13_74_a_flight_to_the_china_box_is_one_leg_at_any_range() -> None:
    state = position({**BOX, "us-air-14af": "1905"})
    game = moving(state, ALLIED, ["us-air-14af"], ov=1)(*pick("us-air-14af"))
    assert fly(CHINA_BOX) in game.options
    game(fly(CHINA_BOX))
    assert game.at("us-air-14af") == CHINA_BOX


@pytest.mark.parametrize(
    ("there", "unit", "enters"),
    [
        pytest.param([], "us-b29-20bc", True, id="13.74-empty"),
        pytest.param(["us-b29-21bc"], "us-b29-20bc", False, id="13.74-EX13-10-second-b29"),
        pytest.param(["us-b29-21bc"], "us-air-14af", True, id="13.74-EX13-10-other-unit"),
        pytest.param(["us-b29-21bc", "us-lrb-14af"], "us-air-14af", False, id="13.74-full"),
    ],
)
def test_china_box_capacity_is_enforced(there: list[str], unit: str, enters: bool) -> None:
    units = {**dict.fromkeys(there, CHINA_BOX), "cw-hq-seac": "1805", unit: "1905"}
    game = moving(position(units), ALLIED, [unit], ov=1)(*pick(unit))
    assert (fly(CHINA_BOX) in game.options) is enters
    if not enters:
        assert game.refusals(fly(CHINA_BOX)) == ["13.74"]


def test_13_74_the_china_box_connects_two_airfields() -> None:
    game = moving(position(BOX), ALLIED, ["us-air-14af"], ov=2)
    game(*pick("us-air-14af"), fly("1905"))
    assert Halt() in game.options
    game(fly(CHINA_BOX))
    assert game.is_over
    assert _moved(game, "us-air-14af").path == ("1905",)

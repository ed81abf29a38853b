"""Air movement: legs, the ferry, strategic transport, the China box (8.3, 13.74)."""

import pytest

from engine.eots.board import board
from engine.eots.commands import Enlist, Fly, FlyStrategic, Halt, Pick
from engine.eots.ids import CHINA_BOX, HexId, Side, UnitId
from engine.eots.state import ChinaFront, Mode, Moved
from tests.engine.eots.moving import DONE, DROP, HALT, Mover, fly, moving, pick
from tests.engine.eots.positions import position

JAPAN, ALLIED = Side.JAPAN, Side.ALLIED
AF7 = "us-air-7af"
HAWAII = {AF7: "5808"}


def _moved(game: Mover, unit: str) -> Moved:
    record = game.state.offensive
    assert record is not None
    return record.moved[UnitId(unit)]


def test_ferry_is_a_stop_on_the_way() -> None:
    """EX-8-5, 8.35: 5808-5408-5108 with two legs."""
    game = moving(position(HAWAII), ALLIED, [AF7], ov=2)(*pick(AF7), fly("5408"))
    assert HALT not in game.options
    game(fly("5108"))
    assert _moved(game, AF7).path[-1] == "5108"
    assert len(_moved(game, AF7).path) == 7


def test_ferry_is_no_end() -> None:
    """EX-8-5, 8.35: with one leg only strategic transport leads to Midway."""
    game = moving(position(HAWAII), ALLIED, [AF7], ov=1)(*pick(AF7))
    assert "5408" not in game.ends(Fly)
    assert game.refusals(fly("5408")) == ["8.31"]
    assert "5108" in game.ends(FlyStrategic)
    assert "5408" not in game.ends(FlyStrategic)
    game(FlyStrategic(to="5108"))
    assert _moved(game, AF7).mode is Mode.AIR_STRATEGIC


def test_enemy_ship_closes_the_ferry() -> None:
    """EX-8-5, 8.35."""
    state = position({**HAWAII, "jp-ca-aoba": "5408"})
    game = moving(state, ALLIED, [AF7], ov=2)(*pick(AF7))
    assert "5408" not in game.ends(Fly)
    assert "5108" not in game.ends(FlyStrategic)


def test_8_35_ferry_serves_the_allies_only() -> None:
    state = position({"jp-air-flotilla-24": "5808"}, japan=["5808", "5708"])
    game = moving(state, JAPAN, ["jp-air-flotilla-24"], ov=3)
    game(*pick("jp-air-flotilla-24"))
    assert "5408" not in game.ends(Fly)


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
def test_leg_length(unit: str, at: str, reach: int) -> None:
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


def test_1_3_bracketed_range_is_noted() -> None:
    state = position({"us-air-feaf": "2813"}, allied=["2813", "3014", "2812", "2915"])
    far = moving(state, ALLIED, ["us-air-feaf"], ov=1)(*pick("us-air-feaf"))
    ends = far.ends(Fly)
    long = next(h for h in ends if board().distance(HexId("2813"), HexId(h)) > 2)
    far(fly(long))
    assert _moved(far, "us-air-feaf").parentheses
    near = moving(state, ALLIED, ["us-air-feaf"], ov=1)(*pick("us-air-feaf"))
    short = next(h for h in ends if board().distance(HexId("2813"), HexId(h)) <= 2)
    near(fly(short))
    assert not _moved(near, "us-air-feaf").parentheses


@pytest.mark.parametrize("enemy", ["us-marine-1-division", "us-ca-northampton"])
def test_8_31_airfield_with_enemy_units_is_a_stop_only(enemy: str) -> None:
    """8.31, OP-27: staging is allowed, but not ending, next to enemy troops or ships during an offensive."""
    units = {"jp-air-flotilla-24": "4017", enemy: "4021"}
    state = position(units)
    one = moving(state, JAPAN, ["jp-air-flotilla-24"], ov=1)(*pick("jp-air-flotilla-24"))
    assert "4021" not in one.ends(Fly)
    assert one.refusals(fly("4021")) == ["8.31"]
    two = moving(state, JAPAN, ["jp-air-flotilla-24"], ov=2)(*pick("jp-air-flotilla-24"))
    two(fly("4021"))
    assert HALT not in two.options


def test_8_31_enemy_airfield_is_no_stop() -> None:
    state = position({"jp-air-flotilla-24": "4715"}, allied=["4415"])
    game = moving(state, JAPAN, ["jp-air-flotilla-24"], ov=3)(*pick("jp-air-flotilla-24"))
    assert "4415" not in game.ends(Fly)
    assert game.refusals(fly("4415")) == ["8.31"]


def test_8_31_leg_out_of_range() -> None:
    state = position({"jp-air-flotilla-24": "4017"})
    game = moving(state, JAPAN, ["jp-air-flotilla-24"], ov=3)(*pick("jp-air-flotilla-24"))
    assert game.refusals(fly("4715")) == ["8.31"]


def test_8_31_legs_are_counted_and_the_stack_may_end_at_each() -> None:
    state = position({"jp-air-flotilla-24": "4017", "jp-air-flotilla-25": "4017"})
    units = ["jp-air-flotilla-24", "jp-air-flotilla-25"]
    game = moving(state, JAPAN, units, ov=2)(*pick(*units), fly("4021"))
    assert HALT in game.options
    game(fly("4017"))
    assert _moved(game, units[0]).path[-1] == "4017"
    assert _moved(game, units[1]).mode is Mode.AIR
    assert game.is_over


def test_8_33_strategic_transport_doubles_legs() -> None:
    state = position({"jp-air-flotilla-24": "4017"})
    one = moving(state, JAPAN, ["jp-air-flotilla-24"], ov=1)(*pick("jp-air-flotilla-24"))
    plain = set(one.ends(Fly))
    far = set(one.ends(FlyStrategic))
    assert plain < far
    two = moving(state, JAPAN, ["jp-air-flotilla-24"], ov=2)(*pick("jp-air-flotilla-24"))
    assert far < set(two.ends(FlyStrategic))


def test_8_33_no_unneutralised_zone_at_any_time() -> None:
    units = {
        "jp-air-flotilla-24": "4017",
        "us-air-7af": "4021",
        "us-hq-southwest-pacific": "3727",
    }
    state = position(units, allied=["4021"])
    game = moving(state, JAPAN, ["jp-air-flotilla-24"], ov=3)(*pick("jp-air-flotilla-24"))
    assert "4020" not in game.ends(FlyStrategic)
    assert game.refusals(FlyStrategic(to="4020")) == ["8.33"]
    assert "4020" in game.ends(Fly)


def test_7_23_air_units_move_apart_from_others() -> None:
    state = position({"jp-air-flotilla-24": "4017", "jp-ca-aoba": "4017"})
    game = moving(state, JAPAN, ["jp-air-flotilla-24", "jp-ca-aoba"], ov=1)
    game(*pick("jp-air-flotilla-24"))
    assert not any(isinstance(option, Enlist) for option in game.options)
    game(DROP)
    assert Pick(unit=UnitId("jp-ca-aoba")) in game.options


# -- the China box

BOX = {"us-air-14af": CHINA_BOX, "cw-hq-seac": "1805", "us-hq-southwest-pacific": "3727"}


def test_13_74_flight_from_the_box_is_one_leg() -> None:
    game = moving(position(BOX), ALLIED, ["us-air-14af"], ov=1)(*pick("us-air-14af"))
    assert set(game.ends(Fly)) <= {"1905", "2104", "2205"}
    assert "1905" in game.ends(Fly)
    game(fly("1905"))
    assert _moved(game, "us-air-14af").path == ("1905",)
    assert _moved(game, "us-air-14af").origin == CHINA_BOX


def test_13_74_flight_to_the_box_is_one_leg_whatever_the_range() -> None:
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
def test_box_capacity(there: list[str], unit: str, enters: bool) -> None:
    units = {**dict.fromkeys(there, CHINA_BOX), "cw-hq-seac": "1805", unit: "1905"}
    game = moving(position(units), ALLIED, [unit], ov=1)(*pick(unit))
    assert (fly(CHINA_BOX) in game.options) is enters
    if not enters:
        assert game.refusals(fly(CHINA_BOX)) == ["13.74"]


def test_13_73_no_flight_after_the_collapse_of_china() -> None:
    state = position({**BOX, "us-air-14af": "1905"}, china_front=ChinaFront.GOVERNMENT_COLLAPSED)
    game = moving(state, ALLIED, ["us-air-14af"], ov=1)(*pick("us-air-14af"))
    assert fly(CHINA_BOX) not in game.options


def test_13_74_box_as_a_way_between_two_airfields() -> None:
    game = moving(position(BOX), ALLIED, ["us-air-14af"], ov=2)
    game(*pick("us-air-14af"), fly("1905"))
    assert Halt() in game.options
    game(fly(CHINA_BOX))
    assert game.is_over
    assert _moved(game, "us-air-14af").path == ("1905",)


def test_13_74_japan_never_flies_to_the_box() -> None:
    state = position({"jp-air-division-5": "1905", "jp-hq-south": "2212"}, japan=["1905"])
    game = moving(state, JAPAN, ["jp-air-division-5"], ov=1)(*pick("jp-air-division-5"))
    assert fly(CHINA_BOX) not in game.options
    assert game.refusals(fly(CHINA_BOX)) == ["13.74"]


def test_movement_ends_when_the_player_is_done() -> None:
    """7.23: no unit has to move."""
    game = moving(position(HAWAII), ALLIED, [AF7], ov=2)(DONE)
    assert game.is_over
    assert game.at(AF7) == "5808"

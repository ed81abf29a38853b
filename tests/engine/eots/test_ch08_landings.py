"""Landings, shipping points, organic transport, barges, strategic ground transport (8.44-8.49)."""

from collections.abc import Iterable

import pytest
from msgspec.structs import replace

from engine.eots.board import LAND_AND_SEA, board
from engine.eots.ch08_movement.amphibious import ASSAULT
from engine.eots.ch08_movement.asp import asp_cost, asp_left
from engine.eots.ch08_movement.fleet import probe_frame
from engine.eots.commands import (
    Assault,
    AssaultVia,
    BargeAssault,
    Transport,
)
from engine.eots.frames import Purpose
from engine.eots.ids import HexId, Side, UnitId
from engine.eots.state import Mode, Moved, State
from tests.engine.eots.moving import Mover, assault, moving, pick
from tests.engine.eots.positions import Place, in_offensive, position

JAPAN, ALLIED = Side.JAPAN, Side.ALLIED


def transport(to: str) -> Transport:
    return Transport(to=HexId(to))


def _moved(game: Mover, unit: str) -> Moved:
    record = game.state.offensive
    assert record is not None
    return record.moved[UnitId(unit)]


# -- shipping points


@pytest.mark.parametrize(
    ("unit", "steps", "cost"),
    [
        pytest.param("jp-army-14", 2, 2, id="8.45A-EX-8-9-full-army"),
        pytest.param("jp-army-19", 1, 1, id="8.45A-EX-8-9-reduced-army"),
        pytest.param("jp-sn-1", 2, 1, id="8.45A-EX-8-9-brigade"),
        pytest.param("jp-army-korean", 2, 4, id="8.45A-EX-8-9-korean-army"),
        pytest.param("jp-army-korean", 1, 2, id="8.45A-EX-8-9-reduced-korean-army"),
        pytest.param("us-marine-1-division", 2, 1, id="8.45A-division"),
        pytest.param("us-corps-x", 2, 2, id="8.45A-corps"),
        pytest.param("cw-corps-1-ind", 2, None, id="8.45A-indian-none"),
        pytest.param("dutch-division-j", 2, None, id="8.45A-dutch-none"),
        pytest.param("china-army-5", 2, None, id="8.45A-chinese-none"),
        pytest.param("cw-brigade-7-armor", 2, None, id="8.49-armour-none"),
    ],
)
def test_shipping_point_costs_of_units(unit: str, steps: int, cost: int | None) -> None:
    state = position({unit: ("4017", steps)})
    assert asp_cost(state, (UnitId(unit),)) == cost


@pytest.mark.parametrize(
    ("level", "used", "rivalry", "left"),
    [
        pytest.param(7, 0, False, 7, id="10.3-all"),
        pytest.param(7, 3, False, 4, id="10.3-used"),
        pytest.param(7, 0, True, 4, id="14.2B-EX14-1-half-rounded-up"),
        pytest.param(7, 3, True, 1, id="14.2B-EX14-1-three-used"),
        pytest.param(1, 0, True, 1, id="14.2B-EX14-1-level-1"),
        pytest.param(4, 3, True, 0, id="14.2B-never-negative"),
    ],
)
def test_shipping_points_left_depend_on_level_and_rivalry(
    level: int, used: int, rivalry: bool, left: int
) -> None:
    state = position(japan_asp=level, japan_asp_used=used, japan_rivalry=rivalry)
    assert asp_left(in_offensive(state, JAPAN), JAPAN) == left


def test_a_5_forbids_shipping_points_in_reaction() -> None:
    state = in_offensive(position(allied_asp=5), JAPAN)
    assert state.offensive is not None
    reaction = replace(state.offensive.reaction, counter_card="A-5")
    countered = replace(state, offensive=replace(state.offensive, reaction=reaction))
    assert asp_left(countered, ALLIED) == 0


# -- where to land


def _land(
    units: dict[str, Place],
    mover: list[str],
    *,
    ov: int = 3,
    japan: Iterable[str] = (),
    allied: Iterable[str] = (),
) -> Mover:
    """Pick up a stack, with enough points for both sides."""
    state = position(
        units, japan=japan, allied=allied, japan_asp=7, allied_asp=7, japan_rivalry=False
    )
    side = JAPAN if mover[0].startswith("jp") else ALLIED
    return moving(state, side, mover, ov=ov)(*pick(*mover))


@pytest.mark.parametrize(
    ("unit", "lands"),
    [
        pytest.param("us-corps-x", True, id="1.3-us-army"),
        pytest.param("us-marine-1-division", True, id="1.3-marines"),
        pytest.param("cw-corps-1-aus", True, id="1.3-australian"),
        pytest.param("cw-corps-15", True, id="1.3-british"),
        pytest.param("cw-division-3-nz", True, id="1.3-new-zealand"),
        pytest.param("cw-corps-1-ind", False, id="1.3-indian"),
        pytest.param("dutch-division-j", False, id="1.3-dutch"),
        pytest.param("china-army-5", False, id="1.3-chinese"),
        pytest.param("cw-brigade-7-armor", False, id="8.49-armour"),
    ],
)
def test_units_that_can_land(unit: str, lands: bool) -> None:
    state = position({unit: "3727", "jp-army-18": "3822"}, allied_asp=7)
    frame = probe_frame(ALLIED, Purpose.OFFENSIVE, (UnitId(unit),), "3727")
    begun = in_offensive(state, ALLIED, event=True, activated=[unit])
    assert bool(ASSAULT.named_hexes(begun, frame)) is lands


def test_8_45_landing_range_is_never_doubled() -> None:
    game = _land({"us-corps-x": "5808"}, ["us-corps-x"], ov=1)
    row = board().sea_distances(board().index[HexId("5808")])
    assert max(row[board().index[HexId(end)]] for end in game.ends(Assault)) <= 5


@pytest.mark.parametrize(
    ("to", "lands"),
    [
        pytest.param("1805", False, id="8.41B-continental-india"),
        pytest.param("2006", True, id="8.45-burma"),
        pytest.param("1307", True, id="8.41B-ceylon"),
    ],
)
def test_closed_shores_cannot_be_landed_on(to: str, lands: bool) -> None:
    game = _land({"jp-army-14": "2008"}, ["jp-army-14"], allied=["2006"])
    assert (to in game.ends(Assault)) is lands


# -- zones and ships on the path


def test_a_landing_may_use_waypoints() -> None:
    """8.45: the player may steer the stack, and it can land where it is."""
    game = _land({"jp-army-14": "4017"}, ["jp-army-14"], ov=2)
    via = next(at for at in game.ends(AssaultVia) if at in game.ends(Assault))
    game(AssaultVia(to=HexId(via)))
    assert game.at("jp-army-14") == via
    game(assault(via))
    assert _moved(game, "jp-army-14").path[-1] == via


def test_8_45_a_waypoint_beyond_enemies_keeps_all_landings_in_reach() -> None:
    """8.11, 7.24: troops at sea pass an enemy-occupied hex; they end in the only battle of an OC."""
    units: dict[str, Place] = {
        "jp-army-14": "4017",
        "us-hq-central-pacific": "4021",
        "us-corps-x": "4423",
    }
    state = position(units, allied=["4021", "4423"], japan_asp=7)
    game = moving(state, JAPAN, ["jp-army-14"], ov=2, event=False)(*pick("jp-army-14"))
    assert {"4021", "4423"} <= set(game.ends(Assault))
    game(AssaultVia(to=HexId("4021")))
    assert {"4021", "4423"} <= set(game.ends(Assault))


def test_8_45_a_waypoint_may_be_an_enemy_hex_closed_to_landings() -> None:
    """8.41B, 7.24: Calcutta is closed to Japanese troops, but their ships can sail past it."""
    units: dict[str, Place] = {
        "jp-army-25": "1916",
        "cw-corps-15": "1805",
        "cw-division-1-burma": "1905",
        "cw-corps-33": "2006",
    }
    state = position(units, japan=["1916"], japan_asp=7)
    game = moving(state, JAPAN, ["jp-army-25"], ov=3, event=False)(*pick("jp-army-25"))
    assert "1805" not in game.ends(Assault)
    game(AssaultVia(to=HexId("1805")))
    assert game.ends(Assault) == ["1905", "2006"]


# -- US Army and Marines (8.45D)

TARAWA: dict[str, Place] = {
    "us-corps-x": "4825",
    "us-marine-2-division": "4825",
    "jp-sn-4": "5018",
}


def test_a_62_waives_the_marine_requirement() -> None:
    state = position(TARAWA, allied_asp=7)
    game = moving(state, ALLIED, ["us-corps-x"], card="A-62")(*pick("us-corps-x"))
    assert "5018" in game.ends(Assault)


# -- barges


@pytest.mark.parametrize(
    ("value", "more"),
    [
        pytest.param("all-water", False, id="OP-15-all-water-side"),
        pytest.param("any-sea", True, id="OP-15-other-reading"),
    ],
)
def test_barge_hexsides_follow_the_ruling(value: str, more: bool) -> None:
    of = board()
    start = HexId("1814")
    units: dict[str, Place] = {"jp-army-14": start, "jp-hq-south": "2212"}
    state = position(units, japan=[start], barges=True, options={"barge-side": value})
    game = moving(state, JAPAN, ["jp-army-14"])(*pick("jp-army-14"))
    mixed = {of.ids[j] for j, code in of.neighbours[of.index[start]] if code == LAND_AND_SEA}
    assert bool(mixed & set(game.ends(BargeAssault))) is more


# -- strategic ground transport


def _far(start: str, ov: int) -> tuple[Mover, State]:
    units: dict[str, Place] = {
        "us-corps-x": start,
        "us-hq-southwest-pacific": "3727",
        "us-hq-central-pacific": "5808",
    }
    state = position(units, allied_asp=0)
    return moving(state, ALLIED, ["us-corps-x"], ov=ov)(*pick("us-corps-x")), state


def test_transport_range_is_doubled_from_a_port() -> None:
    """EX-8-15, 8.44."""

    def farthest(start: str) -> int:
        game, _ = _far(start, 2)
        row = board().sea_distances(board().index[HexId(start)])
        return max((row[board().index[HexId(end)]] for end in game.ends(Transport)), default=0)

    assert 10 < farthest("5808") <= 20
    assert farthest("5708") <= 10


def test_8_44_escorts_of_long_transports_move_strategically() -> None:
    units: dict[str, Place] = {
        "us-corps-x": "5808",
        "us-ca-northampton": "5808",
        "us-hq-central-pacific": "5808",
        "us-hq-southwest-pacific": "3727",
    }
    state = position(units, allied_asp=0)
    row = board().sea_distances(board().index[HexId("5808")])
    game = moving(state, ALLIED, ["us-corps-x", "us-ca-northampton"], ov=3)
    game(*pick("us-corps-x", "us-ca-northampton"))
    far = next(to for to in game.ends(Transport) if row[board().index[HexId(to)]] > 15)
    game(transport(far))
    assert _moved(game, "us-ca-northampton").mode is Mode.NAVAL_STRATEGIC

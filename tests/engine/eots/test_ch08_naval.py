"""Naval movement: where ships may sail and end (8.1, 8.2, 7.24)."""

import pytest

from engine.eots.board import board
from engine.eots.ch06_supply.bitsets import bitsets_in_play
from engine.eots.ch08_movement.search import hexes_within_by_sea, sea_steps, shortest_path
from engine.eots.commands import Enlist, Halt, Pick, Sail, SailStrategic, SailVia
from engine.eots.events.offensive import MoveFinished, ZoiTouched
from engine.eots.ids import HexId, Side, UnitId
from engine.eots.state import Mode
from tests.engine.eots.moving import DONE, DROP, assault, moving, pick, sail
from tests.engine.eots.positions import position

JAPAN, ALLIED = Side.JAPAN, Side.ALLIED
CVL, CA, BB = "jp-cvl-zuiho", "jp-ca-aoba", "jp-bb-kongo"
WAKE = {CVL: "4715", CA: "4715", "us-marine-w-brigade": "4612"}


def _sea(start: str, hexes: int) -> set[str]:
    ground = bitsets_in_play(position())
    return {
        str(at) for at in ground.ids(hexes_within_by_sea(ground, ground.bit_by_id[start], hexes))
    } - {start}


def _ports(state_hexes: set[str]) -> set[str]:
    start = position()
    of = board()
    return {h for h in state_hexes if of.hexes[HexId(h)].port and start.control[HexId(h)] is JAPAN}


def test_carrier_ends_near_a_battle_or_in_port() -> None:
    """EX-8-1, 8.21-2."""
    game = moving(position(WAKE, allied=["4612"]), JAPAN, [CVL], ov=2, event=False)
    game(*pick(CVL))
    reach = _sea("4715", 10)
    near = {h for h in reach if board().distance(HexId(h), HexId("4612")) <= 3}
    assert set(game.ends(Sail)) == near | _ports(reach)
    far = min(h for h in reach - _ports(reach) if board().distance(HexId(h), HexId("4612")) == 4)
    assert game.refusals(sail(far)) == ["8.21"]


@pytest.mark.parametrize(
    ("start", "enters"),
    [
        pytest.param("2219", True, id="8.21-EX-8-2-from-2219"),
        pytest.param("2319", True, id="8.21-EX-8-2-from-2319"),
        pytest.param("2320", True, id="8.21-EX-8-2-from-2320"),
        pytest.param("2119", False, id="8.21-EX-8-2-land-hexside"),
        pytest.param("2120", False, id="8.21-EX-8-2-unplayable-from-2120"),
        pytest.param("2221", False, id="8.21-EX-8-2-unplayable-from-2221"),
    ],
)
def test_hexsides(start: str, enters: bool) -> None:
    ground = bitsets_in_play(position())
    assert (
        bool(hexes_within_by_sea(ground, ground.bit_by_id[start], 1) & ground.bit_by_id["2220"])
        is enters
    )


@pytest.mark.parametrize(
    ("ov", "hexes"),
    [
        pytest.param(1, 5, id="8.1-7.22-ov-1"),
        pytest.param(2, 10, id="8.1-7.22-ov-2"),
        pytest.param(3, 15, id="8.1-7.22-ov-3"),
    ],
)
def test_allowance(ov: int, hexes: int) -> None:
    game = moving(position({CA: "4017"}), JAPAN, [CA], ov=ov)(*pick(CA))
    assert set(game.ends(Sail)) == _ports(_sea("4017", hexes))


def test_8_21_non_carrier_does_not_end_at_sea() -> None:
    game = moving(position(WAKE, allied=["4612"]), JAPAN, [CA], ov=2)(*pick(CA))
    assert "4612" in game.ends(Sail)
    assert game.refusals(sail("4614")) == ["8.21"]


def test_8_21_ship_stays_with_a_carrier_at_sea() -> None:
    game = moving(position(WAKE, allied=["4612"]), JAPAN, [CVL, CA], ov=2)
    game(*pick(CA, CVL), sail("4614"))
    assert game.at(CA) == game.at(CVL) == "4614"
    moved = game.state.offensive
    assert moved is not None
    assert moved.moved[UnitId(CA)].mode is Mode.NAVAL
    assert moved.moved[UnitId(CA)].path[-1] == "4614"


def test_8_21_4_ships_end_where_troops_landed_before() -> None:
    units = {"jp-sn-4": "4715", CA: "4715"}
    game = moving(position(units, allied=["4612"], japan_asp=3), JAPAN, ["jp-sn-4", CA], ov=2)
    game(*pick(CA))
    assert "4612" not in game.ends(Sail)
    game(DROP, *pick("jp-sn-4"), assault("4612"), *pick(CA))
    assert "4612" in game.ends(Sail)


def test_8_21_4_carriers_cover_a_landing_from_a_distance() -> None:
    units = {"jp-sn-4": "4715", CVL: "4715"}
    game = moving(position(units, allied=["4612"], japan_asp=3), JAPAN, ["jp-sn-4", CVL], ov=2)
    game(*pick(CVL))
    assert "4614" not in game.ends(Sail)
    game(DROP, *pick("jp-sn-4"), assault("4612"), *pick(CVL))
    assert "4614" in game.ends(Sail)


def test_7_24_operations_card_allows_one_battle_hex() -> None:
    units = {**WAKE, "us-corps-x": "5018"}
    oc = moving(position(units, allied=["4612", "5018"]), JAPAN, [CA, CVL], event=False)
    oc(*pick(CA), sail("4612"), *pick(CVL))
    assert "5018" not in oc.ends(Sail)
    assert oc.refusals(sail("5018")) == ["7.24"]
    ec = moving(position(units, allied=["4612", "5018"]), JAPAN, [CA, CVL], event=True)
    ec(*pick(CA), sail("4612"), *pick(CVL), sail("5018"))
    assert ec.at(CVL) == "5018"


def test_7_24_carrier_at_sea_fixes_the_battle_of_an_operations_card() -> None:
    units = {**WAKE, "us-corps-x": "5018"}
    game = moving(position(units, allied=["4612", "5018"]), JAPAN, [CA, CVL], event=False)
    game(*pick(CVL), sail("4614"), *pick(CA))
    assert "4612" in game.ends(Sail)
    assert game.refusals(sail("5018")) == ["7.24"]


def test_way_points_keep_an_end_in_reach() -> None:
    """8.21: the player steers with way points; the stack ends in a later leg or halts on a legal hex."""
    game = moving(position(WAKE, allied=["4612"]), JAPAN, [CVL], ov=2)(*pick(CVL))
    vias = game.ends(SailVia)
    assert "4714" in vias
    assert "4715" not in vias
    game(SailVia(to=HexId("4714")))
    assert game.at(CVL) == "4714"
    assert Halt() in game.options
    game(SailVia(to=HexId("4713")), sail("4715"))
    moved = game.state.offensive
    assert moved is not None
    path = moved.moved[UnitId(CVL)].path
    assert path[:2] == ("4714", "4713")
    assert path[-1] == "4715"
    assert len(path) <= 10


def test_8_21_way_point_that_is_no_end_offers_no_halt() -> None:
    game = moving(position({CA: "4017"}), JAPAN, [CA], ov=2)(*pick(CA))
    game(SailVia(to=HexId("4018")))
    assert Halt() not in game.options
    assert game.refusals(Halt()) == ["8.21", "7.23"]
    assert game.ends(Sail)


def test_7_23_stack_starts_together() -> None:
    units = {**WAKE, "jp-ca-nachi": "4017", "jp-air-flotilla-24": "4715", "jp-bb-hiei": "4715"}
    game = moving(position(units), JAPAN, [CVL, CA, "jp-ca-nachi", "jp-air-flotilla-24"], ov=1)
    game(*pick(CVL))
    joins = [option.unit for option in game.options if isinstance(option, Enlist)]
    assert joins == [CA]
    assert game.refusals(Enlist(unit=UnitId("jp-ca-nachi"))) == ["7.23"]
    assert game.refusals(Enlist(unit=UnitId("jp-air-flotilla-24"))) == ["7.23"]
    assert game.refusals(Enlist(unit=UnitId("jp-bb-hiei"))) == ["7.21"]


def test_7_23_one_move_each() -> None:
    game = moving(position({CA: "4715", CVL: "4715"}), JAPAN, [CA, CVL], ov=1)
    port = game(*pick(CA)).ends(Sail)[0]
    game(sail(port))
    assert game.refusals(Pick(unit=UnitId(CA))) == ["7.23"]
    assert game.refusals(Pick(unit=UnitId(BB))) == ["7.21"]
    assert game(DONE).is_over


def test_7_25e_sighting_is_noted_once() -> None:
    units = {
        CVL: "4715",
        CA: "4715",
        "us-air-7af": "4612",
        "us-hq-central-pacific": "5808",
        "us-marine-w-brigade": "4612",
    }
    state = position(units, allied=["4612"])
    game = moving(state, JAPAN, [CVL, CA], ov=2)(*pick(CVL), sail("4612"), *pick(CA), sail("4612"))
    assert sum(isinstance(event, ZoiTouched) for event in game.events) == 1


def test_7_25e_nothing_is_noted_outside_enemy_zones() -> None:
    game = moving(position({CA: "4017"}), JAPAN, [CA], ov=1)(*pick(CA))
    game(sail(game.ends(Sail)[0]))
    assert not any(isinstance(event, ZoiTouched) for event in game.events)
    assert any(isinstance(event, MoveFinished) for event in game.events)


def test_path_prefers_fewest_enemy_zones_then_lowest_hexes() -> None:
    """8.21: the fewest hexes, then the fewest hexes in enemy zones, then the lowest hex numbers."""
    ground = bitsets_in_play(position())
    of = ground.bit_by_id
    plain = shortest_path(
        ground, sea_steps(ground), of["4717"], of["4714"], max_distance=9, allowed_hexes=-1
    )
    assert plain == ("4716", "4715", "4714")
    start, goal = of["4517"], of["4715"]
    lowest = shortest_path(ground, sea_steps(ground), start, goal, max_distance=9, allowed_hexes=-1)
    assert lowest is not None
    around = shortest_path(
        ground,
        sea_steps(ground),
        start,
        goal,
        max_distance=9,
        allowed_hexes=-1,
        unneutralised=of[lowest[0]],
    )
    assert around is not None
    assert len(around) == len(lowest)
    assert lowest[0] not in around
    assert lowest < around


# -- strategic naval movement


def test_strategic_twice_the_allowance() -> None:
    """EX-8-4: Truk to Kwajalein is 7 hexes."""
    game = moving(position({CA: "4017"}), JAPAN, [CA], ov=1)(*pick(CA))
    assert "4715" not in game.ends(Sail)
    assert "4715" in game.ends(SailStrategic)
    game(SailStrategic(to=HexId("4715")))
    record = game.state.offensive
    assert record is not None
    assert record.moved[UnitId(CA)].mode is Mode.NAVAL_STRATEGIC
    assert len(record.moved[UnitId(CA)].path) == 7


def test_8_23_unneutralised_zones_bar_strategic_movement() -> None:
    units = {CA: "4017", "us-air-7af": "4612", "us-hq-central-pacific": "5808"}
    blocked = {**units, "us-cv-essex": "4715"}
    free = moving(position(units, allied=["4612"]), JAPAN, [CA], ov=1)(*pick(CA))
    assert "4715" in free.ends(SailStrategic)
    barred = moving(position(blocked, allied=["4612"]), JAPAN, [CA], ov=1)(*pick(CA))
    assert "4715" not in barred.ends(SailStrategic)
    assert barred.refusals(SailStrategic(to=HexId("4715"))) == ["8.23", "8.23"]


@pytest.mark.parametrize(
    ("value", "leaves"),
    [
        pytest.param("no-leaving-no-entering", False, id="OP-21-no-leaving"),
        pytest.param("no-entering", True, id="OP-21-other-reading"),
    ],
)
def test_strategic_start_in_enemy_zone(value: str, leaves: bool) -> None:
    units = {CA: "4017", "us-cv-essex": "4019", "us-hq-southwest-pacific": "3727"}
    state = position(units, options={"strategic-zoi": value})
    game = moving(state, JAPAN, [CA], ov=1)(*pick(CA))
    assert bool(game.ends(SailStrategic)) is leaves


def test_8_23_carriers_neutralise_nothing_in_strategic_movement() -> None:
    units = {CVL: "4017", "us-cv-essex": "4015", "us-hq-southwest-pacific": "3727"}
    game = moving(position(units), JAPAN, [CVL], ov=1)(*pick(CVL))
    assert not game.ends(SailStrategic)
    assert game.ends(Sail)


def test_8_23_starts_in_a_port() -> None:
    game = moving(position({CA: "4018"}), JAPAN, [CA], ov=1)(*pick(CA))
    assert not game.ends(SailStrategic)

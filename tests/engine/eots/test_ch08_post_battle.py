"""Post-battle movement, emergency movement and stacking (9.6, 8.22, 8.32, 8.24, 8.34, 8.48)."""

import pytest

from engine.eots.board import board
from engine.eots.commands import Emergency, Fly, RemoveExcess, Sail
from engine.eots.events.offensive import UnitMoved
from engine.eots.events.units import UnitEliminated, UnitScheduled
from engine.eots.ids import CHINA_BOX, HexId, Side, UnitId
from engine.eots.state import Mode
from tests.engine.eots.moving import (
    DONE,
    Mover,
    after_battle,
    displaced,
    distance,
    fly,
    pick,
    restacking,
    sail,
)
from tests.engine.eots.positions import Place, position

JAPAN, ALLIED = Side.JAPAN, Side.ALLIED
AIR, SEA, LANDED, BARGE = Mode.AIR, Mode.NAVAL, Mode.ASP, Mode.BARGE


def _lost(game: Mover) -> list[str]:
    return [event.unit for event in game.events if isinstance(event, UnitEliminated)]


# -- the Offensive player


def test_9_62_4_ships_without_a_port_in_reach_are_lost() -> None:
    state = position({"jp-ca-aoba": "6007"})
    game = after_battle(state, JAPAN, JAPAN, activated=["jp-ca-aoba"], ov=1)
    assert game.is_over
    assert _lost(game) == ["jp-ca-aoba"]


def test_9_62_a_move_to_the_only_port_is_automatic() -> None:
    """9-j: there is no question if only one outcome is possible."""
    ports = [h for h, row in board().hexes.items() if row.port and h != "4017"]
    state = position({"jp-ca-aoba": "4019"}, allied=ports, japan=["4017"])
    game = after_battle(state, JAPAN, JAPAN, activated=["jp-ca-aoba"], ov=1)
    assert game.is_over
    moved = [event for event in game.events if isinstance(event, UnitMoved)]
    assert [(event.unit, event.entered) for event in moved] == [("jp-ca-aoba", ("4018", "4017"))]


def test_9_62_air_units_land_on_friendly_airfields() -> None:
    units: dict[str, Place] = {"jp-air-flotilla-24": "4021"}
    state = position(units, allied=["4021"])
    game = after_battle(state, JAPAN, JAPAN, activated=list(units), ov=1)
    assert DONE not in game.options
    game(*pick("jp-air-flotilla-24"))
    assert "4017" in game.ends(Fly)
    assert "4825" not in game.ends(Fly)
    game(fly("4017"))
    assert game.is_over


def test_13_74_units_in_the_china_box_may_stay_after_battle() -> None:
    units: dict[str, Place] = {"us-air-14af": CHINA_BOX, "cw-hq-seac": "1805"}
    game = after_battle(position(units), ALLIED, ALLIED, activated=["us-air-14af"])
    assert DONE in game.options
    game(*pick("us-air-14af"))
    assert "1905" in game.ends(Fly)


# -- landing troops that lost

BEACH: dict[str, Place] = {"us-marine-1-division": "4423", "jp-army-17": "4423"}


def _beaten(
    units: dict[str, Place],
    activated: list[str],
    *,
    ov: int = 2,
    reaction: tuple[str, ...] = (),
) -> Mover:
    state = position(units, japan=["4423"])
    moves = {"us-marine-1-division": (LANDED, "4825")}
    return after_battle(
        state, ALLIED, ALLIED, activated=activated, reaction=reaction, moves=moves, ov=ov
    )


def test_9_62_defeated_units_with_ships_end_in_a_port() -> None:
    units: dict[str, Place] = {**BEACH, "us-ca-northampton": "4423"}
    movers = ["us-marine-1-division", "us-ca-northampton"]
    alone = _beaten(units, movers)(*pick("us-marine-1-division"))
    joined = _beaten(units, movers)(*pick(*movers))
    assert set(joined.ends(Sail)) <= set(alone.ends(Sail))
    joined(sail("4825"))
    assert joined.at("us-ca-northampton") == "4825"


def test_9_62_2_defeated_units_avoid_unneutralised_zones() -> None:
    free = _beaten(BEACH, ["us-marine-1-division"])(*pick("us-marine-1-division"))
    assert "4825" in free.ends(Sail)
    watched = _beaten(
        {**BEACH, "jp-cv-shokaku": "4824"}, ["us-marine-1-division"], reaction=("jp-cv-shokaku",)
    )
    watched(*pick("us-marine-1-division"))
    assert "4825" not in watched.ends(Sail)
    assert watched.ends(Sail)
    units: dict[str, Place] = {**BEACH, "jp-cv-shokaku": "4824", "us-cv-essex": "4423"}
    movers = ["us-marine-1-division", "us-cv-essex"]
    covered = _beaten(units, movers, reaction=("jp-cv-shokaku",))(*pick(*movers))
    assert "4825" in covered.ends(Sail)


def test_9_62_2_defeated_units_do_not_pass_enemy_hexes() -> None:
    ring = ["4323", "4324", "4422", "4424", "4523", "4522", "4524", "4322"]
    ships = [
        "jp-ca-aoba",
        "jp-ca-mogami",
        "jp-ca-nachi",
        "jp-ca-takao",
        "jp-cl-tenryu",
        "jp-bb-hiei",
    ]
    around = [at for at in ring if distance(at, "4423") == 1]
    assert len(around) == 6
    units: dict[str, Place] = {**BEACH, **dict(zip(ships, around, strict=True))}
    game = _beaten(units, ["us-marine-1-division"])
    assert game.is_over
    assert _lost(game) == ["us-marine-1-division"]


def test_8_45c_defeated_units_without_a_way_out_are_lost() -> None:
    game = _beaten(BEACH, ["us-marine-1-division"], ov=0)
    assert game.is_over
    assert _lost(game) == ["us-marine-1-division"]


def test_8_47_defeated_barge_units_return_to_their_origin() -> None:
    units: dict[str, Place] = {"jp-army-17": "4423", "us-marine-1-division": "4423"}
    moves = {"jp-army-17": (BARGE, "4322")}
    state = position(units, allied=["4423"], japan=["4322"])
    game = after_battle(state, JAPAN, JAPAN, activated=["jp-army-17"], moves=moves)
    assert game.is_over
    assert game.at("jp-army-17") == "4322"
    lost = position(units, allied=["4423", "4322"])
    gone = after_battle(lost, JAPAN, JAPAN, activated=["jp-army-17"], moves=moves)
    assert _lost(gone) == ["jp-army-17"]


# -- the Reaction player


def test_9_61_ships_without_a_base_in_reach_are_lost() -> None:
    game = after_battle(
        position({"jp-ca-aoba": "6007"}), ALLIED, JAPAN, reaction=["jp-ca-aoba"], ov=1
    )
    assert _lost(game) == ["jp-ca-aoba"]


# -- emergency movement


def test_8_22_emergency_moves_of_eleven_hexes_are_refused() -> None:
    state = position({"us-ca-us-asia": "3014"}, allied=["2220", "3023"], japan=["3014"])
    game = displaced(state, "us-ca-us-asia")
    order = Emergency(unit=UnitId("us-ca-us-asia"), to=HexId("5808"))
    assert game.refusals(order) == ["8.22"]
    other = Emergency(unit=UnitId("us-cv-essex"), to=HexId("2220"))
    assert game.refusals(other) == ["8.22"]


def test_8_22_displaced_units_move_one_after_another() -> None:
    units: dict[str, Place] = {"us-ca-us-asia": "3014", "us-dd-us-asia": "3014"}
    state = position(units, allied=["2220", "3023"], japan=["3014"])
    game = displaced(state, "us-ca-us-asia", "us-dd-us-asia")
    second = Emergency(unit=UnitId("us-dd-us-asia"), to=HexId("2220"))
    assert game.refusals(second) == ["8.22"]
    game(Emergency(unit=UnitId("us-ca-us-asia"), to=HexId("3023")), second)
    assert game.is_over


# -- stacking

OAHU: dict[str, Place] = {
    "us-air-7af": "5808",
    "us-lrb-7af": "5808",
    "us-corps-x": "5808",
    "us-marine-2-division": "5808",
    "us-hq-central-pacific": "5808",
}


def test_8_48_excess_ground_units_return_later() -> None:
    units = ["us-corps-x", "us-corps-xi", "us-corps-i", "us-marine-2-division"]
    state = position({**dict.fromkeys(units, "5808"), "us-hq-central-pacific": "5808"})
    game = restacking(state, ALLIED)
    assert len(game.options) == 4
    game(RemoveExcess(unit=UnitId("us-corps-i")))
    event = game.events[0]
    assert isinstance(event, UnitScheduled)
    assert event.turn == state.turn + 2


def test_8_34_excess_units_out_of_supply_are_eliminated() -> None:
    units = ["us-corps-x", "us-corps-xi", "us-corps-i", "us-marine-2-division"]
    game = restacking(position(dict.fromkeys(units, "5808")), ALLIED)
    game(RemoveExcess(unit=UnitId("us-corps-x")))
    assert _lost(game) == ["us-corps-x"]


@pytest.mark.parametrize(
    ("value", "turns"),
    [
        pytest.param("two-turns", 2, id="OP-13-two-turns"),
        pytest.param("next-turn", 1, id="OP-13-other-reading"),
    ],
)
def test_return_of_excess_air_units_follows_the_ruling(value: str, turns: int) -> None:
    state = position({**OAHU, "us-air-1maw": "5808"}, options={"excess-air": value})
    game = restacking(state, ALLIED)(RemoveExcess(unit=UnitId("us-air-1maw")))
    event = game.events[0]
    assert isinstance(event, UnitScheduled)
    assert event.turn == state.turn + turns


SHIPS = [
    "us-cv-essex",
    "us-cv-wasp",
    "us-cv-lexington",
    "us-cv-enterprise",
    "us-cv-bunker-hill",
    "us-ca-northampton",
    "us-ca-new-orleans",
]


def test_op_10_other_ruling_limits_ships_per_type() -> None:
    """OP-10, alternative reading: six of each type."""
    state = position(dict.fromkeys(SHIPS, "5808"), options={"naval-stacking": "six-of-a-type"})
    assert restacking(state, ALLIED).is_over
    carriers = [
        *SHIPS[:5],
        "us-cv-hancock",
        "us-cv-franklin",
    ]
    many = position(dict.fromkeys(carriers, "5808"), options={"naval-stacking": "six-of-a-type"})
    assert len(restacking(many, ALLIED).options) == 7


def test_8_34_excess_prewar_units_never_return() -> None:
    units = ["us-air-feaf", "us-corps-x", "us-corps-xi", "us-corps-i"]
    state = position({**dict.fromkeys(units, "5808"), "us-hq-central-pacific": "5808"})
    game = restacking(state, ALLIED)
    assert game.is_over
    assert game.at("us-air-feaf") == "removed"

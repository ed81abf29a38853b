"""Reaction movement: every unit ends in a battle (7.26, 9.11, 9.12)."""

import pytest

from engine.eots.ch06_supply.occupancy import occupancy
from engine.eots.ch08_movement.air import flight_ends
from engine.eots.ch08_movement.reaction import can_react
from engine.eots.commands import (
    Assault,
    BargeAssault,
    Done,
    Enlist,
    Fly,
    FlyStrategic,
    March,
    OrganicAssault,
    Pick,
    Sail,
    SailStrategic,
    SailVia,
    Transport,
)
from engine.eots.events.offensive import ActivationLost
from engine.eots.ids import HexId, Side, UnitId
from engine.eots.state import Mode, State
from tests.engine.eots.moving import (
    DONE,
    HALT,
    Mover,
    assault,
    distance,
    fly,
    march,
    pick,
    reacting,
    sail,
    with_battles,
)
from tests.engine.eots.positions import Place, in_offensive, position

JAPAN, ALLIED = Side.JAPAN, Side.ALLIED
RABAUL = "4021"
RAID: dict[str, Place] = {"us-marine-1-division": RABAUL, "us-ca-northampton": RABAUL}
LANDED: dict[str, Place] = {"us-marine-1-division": RABAUL}


def _react(
    units: dict[str, Place],
    activated: list[str],
    battles: tuple[str, ...] = (RABAUL,),
    *,
    ov: int = 2,
    raid: dict[str, Place] = RAID,
) -> Mover:
    state = position({**raid, **units}, japan_asp=7)
    return reacting(state, JAPAN, activated, battles, ov=ov, offensive=list(raid))


def _before(
    units: dict[str, Place],
    *,
    ov: int = 2,
    ships: tuple[str, ...] = (),
    asp: int = 7,
    raid: dict[str, Place] = RAID,
) -> State:
    """Return step 8 with only some ships activated."""
    state = position({**raid, **units}, japan_asp=asp)
    begun = in_offensive(state, ALLIED, ov=ov, activated=list(raid), reacting=ships, step=8)
    return with_battles(begun, [RABAUL])


def test_7_26_ships_end_in_the_battle() -> None:
    game = _react({"jp-ca-aoba": "4017"}, ["jp-ca-aoba"])(*pick("jp-ca-aoba"))
    assert game.ends(Sail) == [RABAUL]
    assert game.refusals(sail("4715")) == ["7.26"]
    assert not game.ends(SailVia)
    assert not game.ends(SailStrategic)
    assert game.refusals(SailStrategic(to=HexId("4715"))) == ["8.23"]
    game(sail(RABAUL))
    assert game.is_over


def test_7_26_carriers_end_in_range_of_the_battle() -> None:
    game = _react({"jp-cv-shokaku": "4017"}, ["jp-cv-shokaku"])(*pick("jp-cv-shokaku"))
    ends = game.ends(Sail)
    assert RABAUL in ends
    assert "4019" in ends
    assert all(distance(end, RABAUL) <= 3 for end in ends)


def test_8_21_ships_stand_with_a_carrier() -> None:
    units: dict[str, Place] = {"jp-cv-shokaku": "4017", "jp-bb-kongo": "4017"}
    together = _react(units, list(units))(*pick("jp-bb-kongo", "jp-cv-shokaku"), sail("4019"))
    assert together.at("jp-bb-kongo") == "4019"
    after = _react(units, list(units))(*pick("jp-cv-shokaku"), sail("4019"), *pick("jp-bb-kongo"))
    assert after.ends(Sail) == ["4019", RABAUL]
    after(sail("4019"))
    assert after.is_over
    assert not any(isinstance(event, ActivationLost) for event in after.events)


def test_8_21_carrier_does_not_leave_its_escort() -> None:
    units: dict[str, Place] = {"jp-cv-shokaku": "4020", "jp-bb-kongo": "4017"}
    game = _react(units, list(units))(*pick("jp-bb-kongo"), sail("4020"))
    assert game.is_over or Pick(unit=UnitId("jp-cv-shokaku")) not in game.options


def test_7_26_due_units_must_move() -> None:
    units: dict[str, Place] = {"jp-ca-aoba": "4017", "jp-cv-shokaku": "4019"}
    game = _react(units, list(units))
    assert Done() not in game.options
    assert game.refusals(DONE) == ["7.26"]
    game(*pick("jp-ca-aoba"), sail(RABAUL))
    assert DONE in game.options


@pytest.mark.parametrize(
    ("unit", "at"),
    [
        pytest.param("jp-ca-aoba", RABAUL, id="7.26-OP-7-ship-stays"),
        pytest.param("jp-army-17", RABAUL, id="7.26-OP-7-army-stays"),
    ],
)
def test_units_in_a_battle_hex_stay(unit: str, at: str) -> None:
    game = _react({unit: at, "jp-cv-shokaku": "4017"}, [unit, "jp-cv-shokaku"])
    assert Pick(unit=UnitId(unit)) not in game.options
    assert game.refusals(Pick(unit=UnitId(unit))) == ["7.26"]


def test_another_battle_hex_does_not_let_go() -> None:
    """EX-7-2: the 8th Australian stays in its declared battle hex 2015."""
    units: dict[str, Place] = {
        "jp-army-38": "2014",
        "cw-corps-3-ind": "2014",
        "cw-division-8-aus": "2015",
        "cw-air-ma": "2015",
        "jp-bb-kongo": "2015",
    }
    named = ["cw-corps-3-ind", "cw-division-8-aus", "cw-air-ma"]
    state = position(units, allied=["2014", "2015"])
    offensive = ["jp-army-38", "jp-bb-kongo"]
    game = reacting(state, ALLIED, named, ["2014", "2015"], ov=3, offensive=offensive)
    assert game.is_over or game.refusals(Pick(unit=UnitId("cw-division-8-aus"))) == ["7.26"]


def test_7_26_fliers_leave_a_battle_hex_but_stay_in_its_range() -> None:
    units: dict[str, Place] = {"jp-air-flotilla-25": RABAUL, "us-corps-x": "4715"}
    game = _react(units, ["jp-air-flotilla-25"], (RABAUL, "4715"), ov=3)
    game(*pick("jp-air-flotilla-25"))
    ends = game.ends(Fly)
    assert "4020" in ends
    assert "4715" not in ends
    game(fly("4020"))
    assert all(distance(end, RABAUL) <= 5 or distance(end, "4020") <= 5 for end in game.ends(Fly))
    assert game(HALT).is_over


def test_9_11_carrier_that_leaves_a_battle_hex_fights_there() -> None:
    units: dict[str, Place] = {"jp-cv-shokaku": RABAUL, "us-corps-x": "4423"}
    game = _react(units, ["jp-cv-shokaku"], (RABAUL, "4423"), ov=3)(*pick("jp-cv-shokaku"))
    ends = game.ends(Sail)
    assert "4423" not in ends
    assert all(distance(end, RABAUL) <= 3 for end in ends)


def test_7_26_air_units_end_in_range() -> None:
    units: dict[str, Place] = {"jp-air-division-6": "3720"}
    game = _react(units, ["jp-air-division-6"], ov=1)(*pick("jp-air-division-6"))
    ends = game.ends(Fly)
    assert ends
    assert all(distance(end, RABAUL) <= 4 and end != RABAUL for end in ends)
    assert not game.ends(FlyStrategic)
    assert game.refusals(fly("3319")) == ["7.26"] or "8.31" in game.refusals(fly("3319"))


def test_7_26_no_bracketed_range() -> None:
    """1.3: with 5 hexes in brackets, Tainan can neither fly to an airfield nor into battle."""
    state = _before({"jp-air-tainan": "4017"}, ov=1)
    assert can_react(state, UnitId("jp-air-tainan"))
    far = _before({"jp-air-tainan": "4715"}, ov=1)
    assert not can_react(far, UnitId("jp-air-tainan"))


def test_7_26_ground_units_march_into_battle_only() -> None:
    units: dict[str, Place] = {"jp-army-15": "2211", "us-corps-x": "2011"}
    state = position(units, allied=[], japan_asp=0, kwai_bridge=False)
    game = reacting(state, JAPAN, ["jp-army-15"], ["2011"], ov=3, offensive=["us-corps-x"])
    game(*pick("jp-army-15"))
    assert "2011" in game.ends(March)
    assert "2210" not in game.ends(March)
    game(march("2110"))
    assert HALT not in game.options
    game(march("2011"))
    assert game.is_over


def test_8_42_reaction_enters_enemies_at_terrain_cost() -> None:
    units: dict[str, Place] = {"jp-army-15": "2110", "us-corps-x": "2011"}
    state = position(units, kwai_bridge=False)
    begun = in_offensive(state, ALLIED, ov=1, activated=["us-corps-x"], step=8)
    assert not can_react(with_battles(begun, ["2011"]), UnitId("jp-army-15"))
    begun = in_offensive(state, ALLIED, ov=2, activated=["us-corps-x"], step=8)
    assert can_react(with_battles(begun, ["2011"]), UnitId("jp-army-15"))


# -- landings in reaction


@pytest.mark.parametrize(
    ("unit", "steps", "lands"),
    [
        pytest.param("jp-army-17", 1, True, id="8.45A-EX-8-10-reduced-army"),
        pytest.param("jp-army-17", 2, False, id="8.45A-EX-8-10-full-army"),
        pytest.param("jp-sn-1", 2, True, id="8.45A-EX-8-10-brigade"),
    ],
)
def test_one_point(unit: str, steps: int, lands: bool) -> None:
    state = _before({unit: ("4017", steps)}, raid=LANDED)
    assert can_react(state, UnitId(unit)) is lands


def test_8_45a_second_landing_only_by_organic_transport() -> None:
    """EX-8-10: one brigade by APD and another unit for one point."""
    units: dict[str, Place] = {
        "jp-sn-1": "4017",
        "jp-sn-2": "4017",
        "jp-sn-3": "4017",
        "jp-apd-kamikaze": "4017",
    }
    game = _react(units, list(units), raid=LANDED)
    game(*pick("jp-sn-2"))
    assert not game.ends(BargeAssault)
    assert not game.ends(Transport)
    game(assault(RABAUL), *pick("jp-apd-kamikaze", "jp-sn-1"))
    assert not game.ends(Assault)
    game(OrganicAssault(to=HexId(RABAUL)))
    record = game.state.offensive
    assert record is not None
    assert record.moved[UnitId("jp-sn-1")].mode is Mode.ORGANIC
    assert record.reaction.asp_spent == 1
    lost = [event.unit for event in game.events if isinstance(event, ActivationLost)]
    assert lost == ["jp-sn-3"]
    assert record.reaction.activated == ("jp-sn-1", "jp-sn-2", "jp-apd-kamikaze")


def test_8_45b_enemy_ships_in_the_battle_demand_an_escort() -> None:
    units: dict[str, Place] = {"jp-sn-1": "4017", "jp-bb-kongo": "4017"}
    game = _react(units, list(units))(*pick("jp-sn-1"))
    assert not game.ends(Assault)
    game(Enlist(unit=UnitId("jp-bb-kongo")), assault(RABAUL))
    assert game.at("jp-bb-kongo") == RABAUL


# -- units that may be activated


@pytest.mark.parametrize(
    ("unit", "at", "can"),
    [
        pytest.param("jp-ca-aoba", "4017", True, id="7.26-ship-in-reach"),
        pytest.param("jp-ca-aoba", "3706", False, id="7.26-ship-too-far"),
        pytest.param("jp-cv-shokaku", "4017", True, id="7.26-carrier"),
        pytest.param("jp-air-flotilla-25", "3922", True, id="7.26-air-in-place"),
        pytest.param("jp-air-flotilla-25", "3706", False, id="7.26-air-too-far"),
        pytest.param("jp-army-17", RABAUL, True, id="7.26-in-the-battle-hex"),
        pytest.param("jp-army-17", "3706", False, id="7.26-army-too-far"),
    ],
)
def test_who_can_react(unit: str, at: str, can: bool) -> None:
    assert can_react(_before({unit: at}), UnitId(unit)) is can


AIR, ARMY = "jp-air-flotilla-25", "jp-army-17"
GUADALCANAL = "4423"
BEHIND_A_ZONE: dict[str, Place] = {
    "us-marine-1-division": GUADALCANAL,
    "us-ca-northampton": "4424",
    "us-cv-enterprise": "4424",
}


def _with_landing(*activated: str) -> Mover:
    """Return a reaction at 2 legs. 4017 is two legs from 4222, whose aircraft neutralise the zone of the landing."""
    units: dict[str, Place] = {"jp-hq-south-seas": "4017", AIR: "4017", ARMY: (RABAUL, 1)}
    japan = ["4222", "4121"]
    state = position({**BEHIND_A_ZONE, **units}, japan=japan, scenario_id="1943", japan_asp=7)
    return reacting(
        state, JAPAN, list(activated), [GUADALCANAL], ov=2, offensive=list(BEHIND_A_ZONE)
    )


def test_7_26_an_air_unit_opens_the_way_of_a_landing_after_its_last_leg() -> None:
    assert not can_react(_with_landing().state, UnitId(ARMY))
    assert can_react(_with_landing(AIR).state, UnitId(ARMY))
    game = _with_landing(AIR, ARMY)(*pick(AIR), fly("4121"), fly("4222"), *pick(ARMY))
    assert GUADALCANAL in game.ends(Assault)


def _flown(game: Mover) -> set[str]:
    """Return the possible ends of the moving stack, found by flying every leg."""
    found: set[str] = set()
    for to in game.ends(Fly):
        after = Mover(game.state)(fly(to))
        if after.is_over:
            found.add(to)
        else:
            found |= ({to} if HALT in after.options else set()) | _flown(after)
    return found


def test_7_26_flights_end_where_their_last_leg_leads() -> None:
    units: dict[str, Place] = {AIR: "4017"}
    game = reacting(position(units), JAPAN, [AIR], [RABAUL], ov=2, offensive=[])
    ends = {*occupancy(game.state).bitsets.ids(flight_ends(game.state, UnitId(AIR)))}
    begun = game(*pick(AIR))
    assert ends - {"4017"} == _flown(begun) - {"4017"}
    assert {*begun.ends(Fly)} - ends, "some airfields are only passed"


def test_9_12_ship_out_of_reach_joins_a_carrier() -> None:
    """A ship six hexes from the battle reaches a carrier that fights from a distance."""
    units: dict[str, Place] = {"jp-bb-kongo": "4015", "jp-cv-shokaku": "4017"}
    assert distance("4015", RABAUL) == 6
    assert not can_react(_before(units, ov=1), UnitId("jp-bb-kongo"))
    with_carrier = _before(units, ov=1, ships=("jp-cv-shokaku",))
    assert can_react(with_carrier, UnitId("jp-bb-kongo"))


def test_7_26_organic_transport_makes_a_brigade_eligible() -> None:
    units: dict[str, Place] = {"jp-sn-1": "4017", "jp-ca-aoba": "4017"}
    alone = _before(units, asp=0, raid=LANDED)
    assert not can_react(alone, UnitId("jp-sn-1"))
    carried = _before(units, asp=0, raid=LANDED, ships=("jp-ca-aoba",))
    assert can_react(carried, UnitId("jp-sn-1"))

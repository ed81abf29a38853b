"""Reaction movement: every unit ends in a battle (7.26, 9.11, 9.12)."""

import pytest

from engine.eots.ch08_movement.reaction import can_react
from engine.eots.commands import (
    Assault,
    BargeAssault,
    Enlist,
    March,
    OrganicAssault,
    Pick,
    Transport,
)
from engine.eots.events.offensive import ActivationLost
from engine.eots.ids import HexId, Side, UnitId
from engine.eots.state import Mode, State
from tests.engine.eots.moving import (
    HALT,
    Mover,
    assault,
    distance,
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


def test_8_21_a_carrier_does_not_leave_its_escort_behind() -> None:
    units: dict[str, Place] = {"jp-cv-shokaku": "4020", "jp-bb-kongo": "4017"}
    game = _react(units, list(units))(*pick("jp-bb-kongo"), sail("4020"))
    assert game.is_over or Pick(unit=UnitId("jp-cv-shokaku")) not in game.options


def test_7_26_reacting_ground_units_march_only_into_battle() -> None:
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


# -- landings in reaction


@pytest.mark.parametrize(
    ("unit", "steps", "lands"),
    [
        pytest.param("jp-army-17", 1, True, id="8.45A-EX-8-10-reduced-army"),
        pytest.param("jp-army-17", 2, False, id="8.45A-EX-8-10-full-army"),
        pytest.param("jp-sn-1", 2, True, id="8.45A-EX-8-10-brigade"),
    ],
)
def test_one_shipping_point_limits_the_reacting_unit(unit: str, steps: int, lands: bool) -> None:
    state = _before({unit: ("4017", steps)}, raid=LANDED)
    assert can_react(state, UnitId(unit)) is lands


def test_8_45a_a_second_reaction_landing_requires_organic_transport() -> None:
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


def test_8_45b_a_landing_among_enemy_ships_requires_an_escort() -> None:
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
def test_units_that_can_react(unit: str, at: str, can: bool) -> None:
    assert can_react(_before({unit: at}), UnitId(unit)) is can


AIR, ARMY = "jp-air-flotilla-25", "jp-army-17"


def test_9_12_a_ship_out_of_reach_of_the_battle_may_join_a_carrier() -> None:
    """A ship six hexes from the battle reaches a carrier that fights from a distance."""
    units: dict[str, Place] = {"jp-bb-kongo": "4015", "jp-cv-shokaku": "4017"}
    assert distance("4015", RABAUL) == 6
    assert not can_react(_before(units, ov=1), UnitId("jp-bb-kongo"))
    with_carrier = _before(units, ov=1, ships=("jp-cv-shokaku",))
    assert can_react(with_carrier, UnitId("jp-bb-kongo"))


def test_7_26_organic_transport_makes_a_brigade_eligible_to_react() -> None:
    units: dict[str, Place] = {"jp-sn-1": "4017", "jp-ca-aoba": "4017"}
    alone = _before(units, asp=0, raid=LANDED)
    assert not can_react(alone, UnitId("jp-sn-1"))
    carried = _before(units, asp=0, raid=LANDED, ships=("jp-ca-aoba",))
    assert can_react(carried, UnitId("jp-sn-1"))

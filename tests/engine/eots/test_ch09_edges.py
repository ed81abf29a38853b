"""Edge cases of battle that other tests do not cover (9.0, 12.31)."""

from typing import Final

import pytest
from msgspec.structs import replace

from engine.eots.ch07_offensive.declaration import declare_battle, declare_forced_battles
from engine.eots.ch08_movement.reaction import can_react
from engine.eots.ch09_battle.preview import preview_battle
from engine.eots.evolve import evolve
from engine.eots.flow import EotsRun
from engine.eots.ids import HexId, Side, UnitId
from engine.eots.state import State
from engine.kernel.dice import ScriptedDice
from tests.engine.eots.battlefield import field, landing
from tests.engine.eots.moving import after_battle, fly, pick
from tests.engine.eots.positions import Place, position, with_units

ALLIED, JAPAN = Side.ALLIED, Side.JAPAN
SHANGHAI: Final = "2908"
TOKYO: Final = "3706"


def declared(state: State) -> State:
    """Return the position after the forced declarations of step 3 (7.24)."""
    assert state.offensive is not None
    ledger = EotsRun(
        replace(state, offensive=replace(state.offensive, battles={})), evolve, ScriptedDice()
    )
    declare_forced_battles(ledger)
    return ledger.state


@pytest.mark.parametrize("at", [SHANGHAI, TOKYO], ids=["9.4-R1-13.76", "9.4-R1-13.94"])
@pytest.mark.parametrize(
    ("defender", "reading", "row"),
    [
        pytest.param({}, "counts", {"R1": 3}, id="OPB-7-intrinsic-units-count"),
        pytest.param({}, "does-not", {}, id="OPB-7-intrinsic-units-do-not"),
        pytest.param({"jp-army-14": ""}, "does-not", {"R1": 3}, id="OPB-7-an-army-does"),
        pytest.param({"jp-hq-south": ""}, "does-not", {"R1": 3}, id="OPB-7-an-hq-does"),
    ],
)
def test_landing_against_intrinsic_units_follows_the_ruling(
    at: str, defender: dict[str, str], reading: str, row: dict[str, int]
) -> None:
    units: dict[str, Place] = {"us-corps-xi": at, **dict.fromkeys(defender, at)}
    state = declared(
        field(
            units,
            ALLIED,
            at,
            moved={"us-corps-xi": landing(at, "3008")},
            options={"intrinsic-plus-three": reading},
            japan=[at],
        )
    )
    roll = next(roll for roll in preview_battle(state, HexId(at)).ground if roll.side is JAPAN)
    assert {m.row: m.value for m in roll.modifiers} == row


@pytest.mark.parametrize(
    ("before", "row"),
    [
        pytest.param("3822", {"R1": 3}, id="9.4-R1-withdrew-from-the-landing"),
        pytest.param("3720", {}, id="9.4-R1-came-only-in-reaction"),
    ],
)
def test_landing_against_an_army_that_returned_in_reaction(
    before: str, row: dict[str, int]
) -> None:
    """A hex from which the army withdrew (8.43) became a battle hex by special reaction (7.27)."""
    units: dict[str, Place] = {"us-corps-xi": "3822", "jp-army-18": before}
    state = field(
        units, ALLIED, "3822", moved={"us-corps-xi": landing("3822", "3922")}, japan=["3822"]
    )
    assert state.offensive is not None
    away = with_units(state, {"jp-army-18": "3721"})
    ledger = EotsRun(
        replace(away, offensive=replace(state.offensive, battles={})), evolve, ScriptedDice()
    )
    declare_battle(ledger, HexId("3822"), is_special=True)
    back = with_units(ledger.state, {"jp-army-18": "3822"})
    roll = next(roll for roll in preview_battle(back, HexId("3822")).ground if roll.side is JAPAN)
    assert {m.row: m.value for m in roll.modifiers} == row


BOMBER: Final = "us-b29-21bc"
IWO_JIMA: Final = "3709"


@pytest.mark.parametrize(
    ("battle", "invader", "bombed", "may"),
    [
        pytest.param("3813", "3813", False, True, id="12.31-4-b29-that-did-not-bomb"),
        pytest.param("3813", "3813", True, False, id="12.31-4-battle-elsewhere"),
        pytest.param(IWO_JIMA, "3809", True, False, id="12.31-4-struck-from-outside"),
        pytest.param(IWO_JIMA, IWO_JIMA, True, True, id="12.31-4-enemy-entered-its-hex"),
    ],
)
def test_bomber_reacts_only_to_an_enemy_in_its_hex(
    battle: str, invader: str, bombed: bool, may: bool
) -> None:
    state = field(
        {BOMBER: IWO_JIMA, "us-marine-3-division": battle, "jp-cv-akagi": invader},
        JAPAN,
        battle,
        allied=[battle, IWO_JIMA],
        joined={"jp-cv-akagi": battle},
        bombed_this_turn=(UnitId(BOMBER),) if bombed else (),
    )
    assert can_react(state, UnitId(BOMBER)) is may


@pytest.mark.parametrize(
    ("hq", "at", "to"),
    [
        pytest.param(("jp-hq-south", "2212"), "3720", "3319", id="9-i-out-of-hq-range-near-by"),
        pytest.param(("jp-hq-south-seas", "4017"), "2709", "2812", id="9-i-over-the-sea"),
        pytest.param(("jp-hq-south", "2212"), "3704", "3506", id="9-i-home-islands"),
    ],
)
def test_default_of_a_reaction_flight_is_the_nearest_qualifying_base(
    hq: tuple[str, str], at: str, to: str
) -> None:
    state = position({"jp-air-flotilla-26": at, hq[0]: hq[1]}, allied=[at])
    game = after_battle(state, ALLIED, JAPAN, reaction=["jp-air-flotilla-26"], ov=2)
    game(*pick("jp-air-flotilla-26"))
    assert game.default == fly(to)

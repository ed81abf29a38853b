"""Submarines and the bombing of Japan (12.2, 12.3)."""

import pytest
from msgspec.structs import replace

from engine.eots.ch12_strategic_warfare import (
    begin_strategic_warfare,
    bomb_refusals,
    bombers,
)
from engine.eots.commands import Bomb, Done, Stay
from engine.eots.events.tracks import BombingResolved, DieRolled
from engine.eots.events.units import StepLost
from engine.eots.flow import EotsRun
from engine.eots.frames import Phase
from engine.eots.ids import Side, UnitId
from engine.eots.state import ELIMINATED, Piece, State
from engine.kernel.dice import ScriptedDice
from tests.engine.eots.positions import Place, position, with_control, with_tracks, with_units
from tests.engine.eots.strategic import (
    advance,
    give,
    in_phase,
    ledger_on,
    of_type,
    rolling,
    rules_against,
)

B29 = UnitId("us-b29-20bc")
SAIPAN = "3813"
IWO_JIMA = "3709"


def begun(state: State, *faces: int, turn: int | None = None) -> EotsRun:
    """Return the ledger after the submarine roll, which gets the first face."""
    ledger = ledger_on(in_phase(state, Phase.STRATEGIC_WARFARE, turn))
    begin_strategic_warfare(rolling(ledger, ScriptedDice(*faces)))
    return ledger


# -- submarines


@pytest.mark.parametrize(
    ("turn", "escorts", "face", "success"),
    [
        pytest.param(2, 0, 2, False, id="EX12-1-12.22-torpedoes"),
        pytest.param(2, 0, 1, True, id="EX12-2-12.21-turn-2-dr-1"),
        pytest.param(2, 0, 0, True, id="EX12-2-12.21-turn-2-dr-0"),
        pytest.param(6, 2, 5, False, id="EX12-3-12.22-escorts-dr-5"),
        pytest.param(6, 2, 4, True, id="EX12-3-12.22-escorts-dr-4"),
        pytest.param(12, 0, 9, True, id="EX12-4-12.21-turn-12"),
        pytest.param(5, 0, 5, True, id="12.22-no-torpedo-drm-from-turn-5"),
        pytest.param(4, 0, 4, False, id="12.22-torpedo-drm-on-turn-4"),
        pytest.param(8, 4, 5, False, id="12.22-escorts-4"),
    ],
)
def test_submarine_success_costs_cards_and_shipping(
    turn: int, escorts: int, face: int, success: bool
) -> None:
    ledger = begun(position(escorts=escorts, japan_asp=7), face, turn=turn)
    tracks = ledger.state.tracks
    assert tracks.draw_loss == int(success)
    assert tracks.japan_asp == 7 - int(success)
    assert tracks.escorts == (max(0, escorts - 2) if success else escorts)
    [roll] = of_type(ledger, DieRolled)
    assert (roll.rule, roll.side, roll.face) == ("12.21", Side.ALLIED, face)
    assert (roll.face + roll.modifier <= 0) is success


# -- bombing


def based(at: str = SAIPAN, steps: int = 2, **tracks: object) -> State:
    """Return turn 10 with the Central Pacific HQ on Saipan and a B29."""
    units: dict[str, Place] = {"us-hq-central-pacific": SAIPAN, B29: (at, steps)}
    state = position(units, allied=(SAIPAN,), **tracks)  # type: ignore[arg-type]  # tracks by name
    return replace(state, turn=10)


@pytest.mark.parametrize(
    ("steps", "face", "interceptors", "success", "left"),
    [
        pytest.param(2, 8, False, True, 2, id="12.32-full-8"),
        pytest.param(2, 9, False, False, 1, id="12.32-full-9-loses-a-step"),
        pytest.param(1, 4, False, True, 1, id="12.32-reduced-4"),
        pytest.param(1, 5, False, False, 1, id="12.32-reduced-5"),
        pytest.param(1, 9, False, False, 0, id="12.32-reduced-9-is-lost"),
        pytest.param(2, 7, True, True, 2, id="12.32-J-71-7"),
        pytest.param(2, 8, True, False, 1, id="OPB-13-J-71-8-is-9"),
        pytest.param(1, 3, True, True, 1, id="12.32-J-71-reduced-3"),
        pytest.param(1, 4, True, False, 1, id="12.32-J-71-reduced-4"),
    ],
)
def test_bombing_roll_and_losses(
    steps: int, face: int, interceptors: bool, success: bool, left: int
) -> None:
    ledger = begun(based(steps=steps, interceptors=interceptors), 9)
    lost_before = ledger.state.tracks.draw_loss
    give(ledger, Bomb(unit=B29), ScriptedDice(face))
    assert [event.success for event in of_type(ledger, BombingResolved)] == [success]
    assert ledger.state.tracks.draw_loss - lost_before == int(success)
    assert ledger.state.tracks.bombing_turns == ((10,) if success else ())
    assert ledger.state.tracks.bombed_this_turn == (B29,)
    piece = ledger.state.units[B29]
    assert piece == (Piece(SAIPAN, left) if left else Piece(ELIMINATED, 0))
    assert advance(ledger, ScriptedDice()) is None


def test_natural_9_ruling_changes_b29_losses() -> None:  # OPB-13
    state = replace(based(interceptors=True), options={"b29-loss": "natural-9"})
    ledger = begun(state, 9)
    give(ledger, Bomb(unit=B29), ScriptedDice(8))
    assert of_type(ledger, StepLost) == []


def test_a_supply_eligible_airfield_in_range_ends_the_interceptors() -> None:  # 12.32, J-71
    near = with_control(based(interceptors=True), Side.ALLIED, (IWO_JIMA,))
    ledger = begun(near, 9)
    assert not ledger.state.tracks.interceptors
    assert begun(based(interceptors=True), 9).state.tracks.interceptors


def test_bombing_decision_offers_bomb_or_stay() -> None:  # 12-a
    ledger = begun(based(), 9)
    question = advance(ledger, ScriptedDice())
    assert question is not None
    assert question.options == (Bomb(unit=B29), Stay(unit=B29))
    assert question.default == Bomb(unit=B29)
    give(ledger, Stay(unit=B29), ScriptedDice())
    assert advance(ledger, ScriptedDice()) is None
    assert ledger.state.tracks.bombed_this_turn == ()


@pytest.mark.parametrize(
    ("state", "words"),
    [
        pytest.param(based("3815"), "airfield", id="12.31-2-no-airfield"),
        pytest.param(
            with_control(based("4017"), Side.ALLIED, ("4017",)), "8 hexes", id="12.31-2-too-far"
        ),
        pytest.param(
            with_units(based(), {"us-hq-central-pacific": (ELIMINATED, 0)}),
            "supply",
            id="12.31-2-supply",
        ),
        pytest.param(replace(based(), rebuilt=(B29,)), "brought back", id="12.31-3-rebuilt"),
        pytest.param(
            with_tracks(based(), bombed_this_turn=(B29,)), "bombed", id="12.31-bombed-already"
        ),
        pytest.param(
            with_units(based(), {B29: (ELIMINATED, 0)}), "airfield", id="12.31-not-on-map"
        ),
    ],
)
def test_ineligible_bombers_cannot_bomb(state: State, words: str) -> None:
    found = [*bomb_refusals(state, B29)]
    assert [refusal.rule for refusal in found] == ["12.31"] * len(found)
    assert any(words in refusal.text for refusal in found)
    assert bombers(state) == ()


def test_only_b29s_can_bomb() -> None:  # 12.31-1
    state = with_units(based(), {"us-lrb-7af": SAIPAN})
    ledger = begun(state, 9)
    assert rules_against(ledger.state, Bomb(unit=UnitId("us-lrb-7af"))) == ["12.31", "12.31"]
    assert rules_against(ledger.state, Done()) == ["12.31"]
    assert rules_against(ledger.state, Stay(unit=UnitId("us-b29-99bc"))) == ["12.31"]

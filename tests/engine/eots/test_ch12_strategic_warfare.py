"""Submarines and the bombing of Japan (12.2, 12.3)."""

import pytest
from msgspec.structs import replace

from engine.eots.ch12_deal import Hand, japan_hand
from engine.eots.ch12_strategic_warfare import (
    begin_strategic_warfare,
    bombers,
    check_bomb,
    submarine_modifier,
)
from engine.eots.commands import Bomb, Done, Stay
from engine.eots.events.tracks import AspLevelChanged, BombingResolved, DieRolled, EscortsSet
from engine.eots.events.units import StepLost
from engine.eots.flow import EotsRun
from engine.eots.frames import Phase
from engine.eots.ids import CHINA_BOX, Side, UnitId
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
from tests.engine.eots.test_ch12_deal import holding

B29 = UnitId("us-b29-20bc")
OTHER = UnitId("us-b29-21bc")
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
def test_submarines(turn: int, escorts: int, face: int, success: bool) -> None:
    ledger = begun(position(escorts=escorts, japan_asp=7), face, turn=turn)
    tracks = ledger.state.tracks
    assert tracks.draw_loss == int(success)
    assert tracks.japan_asp == 7 - int(success)
    assert tracks.escorts == (max(0, escorts - 2) if success else escorts)
    [roll] = of_type(ledger, DieRolled)
    assert (roll.rule, roll.side, roll.face) == ("12.21", Side.ALLIED, face)
    assert (roll.face + roll.modifier <= 0) is success


def test_turn_2_hands() -> None:  # EX12-1, EX12-2
    assert japan_hand(begun(holding(3, 2), 2, turn=2).state) == Hand(7, 0)
    assert japan_hand(begun(holding(3, 2), 1, turn=2).state) == Hand(6, 1)


def test_eleven_resources() -> None:  # EX12-3
    assert japan_hand(begun(holding(11, 6, escorts=2), 5).state) == Hand(6, 1)
    assert japan_hand(begun(holding(11, 6, escorts=2), 4).state) == Hand(5, 2)


def test_last_shipping_point_stays() -> None:  # EX10-5, 10.32
    ledger = begun(position(japan_asp=1, escorts=4), 0, turn=8)
    assert ledger.state.tracks.japan_asp == 1
    assert ledger.state.tracks.escorts == 2
    assert ledger.state.tracks.draw_loss == 1
    assert of_type(ledger, AspLevelChanged) == []


def test_no_escorts_left() -> None:  # 12.21
    ledger = begun(position(escorts=0), 0, turn=8)
    assert of_type(ledger, EscortsSet) == []


def test_new_submarine_doctrine() -> None:  # the torpedo card stays in force
    state = position(escorts=0, escorts_void=True)
    assert submarine_modifier(replace(state, turn=3)) == -2
    assert submarine_modifier(replace(state, turn=7)) == -7


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
def test_bombing(steps: int, face: int, interceptors: bool, success: bool, left: int) -> None:
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


def test_natural_9_switch() -> None:  # OPB-13
    state = replace(based(interceptors=True), options={"b29-loss": "natural-9"})
    ledger = begun(state, 9)
    give(ledger, Bomb(unit=B29), ScriptedDice(8))
    assert of_type(ledger, StepLost) == []


def test_allied_airfield_near_tokyo_spares_the_b29() -> None:  # 12.32
    ledger = begun(with_control(based(), Side.ALLIED, (IWO_JIMA,)), 9)
    give(ledger, Bomb(unit=B29), ScriptedDice(9))
    assert of_type(ledger, StepLost) == []


def test_supply_eligible_airfield_ends_the_interceptors() -> None:  # 12.32, J-71
    near = with_control(based(interceptors=True), Side.ALLIED, (IWO_JIMA,))
    ledger = begun(near, 9)
    assert not ledger.state.tracks.interceptors
    assert begun(based(interceptors=True), 9).state.tracks.interceptors


def test_two_b29s() -> None:  # EX12-5
    state = with_units(holding(10, 10), {"us-hq-central-pacific": SAIPAN})
    state = with_units(state, {B29: SAIPAN, OTHER: (SAIPAN, 1)})
    ledger = begun(with_control(state, Side.ALLIED, (SAIPAN,)), 0)
    give(ledger, Bomb(unit=B29), ScriptedDice(3))
    give(ledger, Bomb(unit=OTHER), ScriptedDice(4))
    assert ledger.state.tracks.draw_loss == 3
    assert japan_hand(ledger.state) == Hand(4, 2)
    assert ledger.state.tracks.bombing_turns == (10,)


def test_question() -> None:  # 12-a
    ledger = begun(based(), 9)
    question = advance(ledger, ScriptedDice())
    assert question is not None
    assert question.options == (Bomb(unit=B29), Stay(unit=B29))
    assert question.default == Bomb(unit=B29)
    give(ledger, Stay(unit=B29), ScriptedDice())
    assert advance(ledger, ScriptedDice()) is None
    assert ledger.state.tracks.bombed_this_turn == ()


def test_china_box() -> None:  # 12.31-2, 13.74-2
    units: dict[str, Place] = {"cw-hq-seac": "1805", B29: CHINA_BOX}
    assert bombers(position(units, hump=True)) == (B29,)
    assert bombers(position(units, hump=False)) == ()


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
def test_may_not_bomb(state: State, words: str) -> None:
    found = [*check_bomb(state, B29)]
    assert [refusal.rule for refusal in found] == ["12.31"] * len(found)
    assert any(words in refusal.text for refusal in found)
    assert bombers(state) == ()


def test_only_b29s_bomb() -> None:  # 12.31-1
    state = with_units(based(), {"us-lrb-7af": SAIPAN})
    ledger = begun(state, 9)
    assert rules_against(ledger.state, Bomb(unit=UnitId("us-lrb-7af"))) == ["12.31", "12.31"]
    assert rules_against(ledger.state, Done()) == ["12.31"]
    assert rules_against(ledger.state, Stay(unit=UnitId("us-b29-99bc"))) == ["12.31"]


def test_one_after_the_other() -> None:  # 12.3
    ledger = begun(with_units(based(), {OTHER: SAIPAN}), 9)
    assert rules_against(ledger.state, Bomb(unit=OTHER)) == ["12.31"]


def test_arrival_may_bomb_at_once() -> None:  # 12.31-3
    assert bombers(replace(based(), arrived_air=(B29,))) == (B29,)

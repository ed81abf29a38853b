"""Drafts: where they end automatically, and errors in the rules that are not an end."""

from collections.abc import Mapping
from typing import Any, cast

import pytest
from typing_extensions import override

from engine.eots.commands import RollIntelligence
from engine.eots.deck import cards
from engine.eots.ruleset import EOTS
from engine.eots.scripting import EOTS_WORDS
from engine.eots.state import HIDDEN as HIDDEN_EOTS
from engine.kernel.errors import HiddenError
from engine.kernel.ids import Role
from engine.kernel.ledger import Ledger
from engine.qmg.deck import CARD
from engine.qmg.ids import HIDDEN as HIDDEN_QMG
from engine.scripts.runner import Runner
from play.draft import Draft
from saves.entries import visible_events
from saves.match import Match
from tests.play.tables import toy_match
from tests.toy_game import BLUE, RED, TOY, Hold, ToyCommand, ToyEvent, ToyGame, ToyState


class _Failing(ToyGame):
    """Rules that raise an error."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self._error = error

    @override
    def resolve(self, ledger: Ledger[ToyState, ToyEvent], role: Role, command: ToyCommand) -> None:
        raise self._error


@pytest.mark.parametrize(
    "error",
    [
        AssertionError("a piece in two places"),
        AttributeError("'NoneType' object has no attribute 'hex'"),
        KeyError("9999"),
        TypeError("unsupported operand"),
        ValueError("not in tuple"),
        ZeroDivisionError("division by zero"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_rules_error_is_raised_instead_of_ending_the_draft(error: Exception) -> None:
    draft = Draft(_Failing(error), RED, _copy(RED))
    with pytest.raises(type(error)):
        draft.attempt(Hold())


def test_draft_stops_before_information_missing_from_its_copy() -> None:
    match = toy_match()
    match.submit(BLUE, Hold(), match.seq)
    full = Draft(TOY, RED, match.state)
    assert full.attempt(Hold())
    copy = Draft(TOY, RED, _copy(RED, match))
    assert not copy.attempt(Hold())
    assert copy.entries == ()


_SINGAPORE = """clear
unit jp-hq-south 2212
unit jp-bb-kongo 2311
unit cw-ca-exeter 2015
unit cw-hq-malaya 2015
hand japan J-23
hand allied none
play japan"""


def test_plan_that_leads_to_dice_is_held_until_commit() -> None:
    """The last activation closes its step and all following ones up to the battle (7.26, 9.2)."""
    runner = Runner(EOTS, EOTS_WORDS, None)
    runner.set_scenario("1942")
    for line in _SINGAPORE.splitlines():
        runner.apply_setup(line.split())
    runner.dice.scripted.extend([0])
    for line in ("oc J-23", "activate jp-bb-kongo", "done", "pick jp-bb-kongo", "sail 2015"):
        runner.give_line(Role("japan"), line)
    allied, last = Role("allied"), EOTS.notation.parse("activate cw-ca-exeter")
    assert not Draft(EOTS, allied, runner.state).attempt(RollIntelligence())
    runner.give_line(allied, "roll")
    draft = Draft(EOTS, allied, runner.state)
    assert draft.attempt(EOTS.notation.parse("hq cw-hq-malaya"))
    before = draft.state
    assert draft.attempt(last)
    assert draft.commands[1:] == (last,)
    assert not draft.is_open
    assert draft.state is before
    assert not draft.rebased(runner.state).is_open
    assert draft.undo() == last
    assert draft.is_open


@pytest.mark.parametrize(
    ("faces", "hidden"), [(cards(), HIDDEN_EOTS), (CARD, HIDDEN_QMG)], ids=["eots", "qmg"]
)
def test_hidden_card_has_no_face(faces: Mapping[str, object], hidden: str) -> None:
    assert hidden not in faces
    with pytest.raises(HiddenError):
        faces[hidden]
    with pytest.raises(KeyError):
        faces["no-such-card"]


def _copy(role: Role, match: Match[Any] | None = None) -> ToyState:
    match = match or toy_match()
    state = TOY.initial_state()
    for record in match.redacted_records(role, -1):
        state = TOY.fold(state, cast("tuple[ToyEvent, ...]", visible_events(TOY, record)))
    return state

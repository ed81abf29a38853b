"""Runs the segments of the strategic phase in tests."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from msgspec.structs import replace

from engine.eots import ch10_reinforcements, ch11_replacements, ch12_strategic_warfare
from engine.eots.commands import EotsCommand
from engine.eots.deck import cards
from engine.eots.events.base import EotsEvent
from engine.eots.evolve import evolve
from engine.eots.flow import EotsRun, Handler
from engine.eots.frames import FrameBase, Phase, TurnFrame
from engine.eots.ids import Side
from engine.eots.state import Deck, State
from engine.kernel.decision import Decision
from engine.kernel.dice import Dice, ScriptedDice
from engine.kernel.ids import Refusal, Rule
from tests.engine.actions import check_actions

HANDLERS: Final[Mapping[type[FrameBase], Handler[Any]]] = {
    handler.frame: handler
    for handler in (
        *ch10_reinforcements.HANDLERS,
        *ch11_replacements.HANDLERS,
        *ch12_strategic_warfare.HANDLERS,
    )
}
Answer = Callable[[Decision[EotsCommand]], EotsCommand]


def in_phase(state: State, phase: Phase, turn: int | None = None) -> State:
    """Return the state at the beginning of a segment."""
    turn = state.turn if turn is None else turn
    return replace(state, turn=turn, frames=(TurnFrame(phase=phase, entered=True),))


def with_decks(state: State) -> State:
    """Return the state with every card in its side's draw deck."""
    decks = {
        side: Deck(draw=tuple(card.id for card in cards().values() if card.side is side))
        for side in Side
    }
    return replace(state, decks=decks)


def ledger_on(state: State) -> EotsRun:
    """Return a ledger."""
    return EotsRun(state, evolve, ScriptedDice())


def rolling(ledger: EotsRun, dice: Dice) -> EotsRun:
    """Return the ledger with other dice."""
    ledger.dice = dice
    return ledger


def advance(ledger: EotsRun, dice: Dice) -> Decision[EotsCommand] | None:
    """Run the segment to its next question and return it; None if the segment is over."""
    for _ in range(1000):
        frame = ledger.state.frames[-1]
        if isinstance(frame, TurnFrame):
            return None
        handler = HANDLERS[type(frame)]
        asked = handler.active_roles(ledger.state, frame)
        if asked:
            check_actions(handler, ledger.state, asked[0])
            return handler.decision(ledger.state, frame, asked[0])
        handler.step(rolling(ledger, dice), frame)
    raise AssertionError("the segment does not end")


def give(ledger: EotsRun, command: EotsCommand, dice: Dice) -> None:
    """Answer the open question with one of its options."""
    frame = ledger.state.frames[-1]
    handler = HANDLERS[type(frame)]
    side = handler.active_roles(ledger.state, frame)[0]
    assert command in handler.decision(ledger.state, frame, side).options, command
    handler.resolve(rolling(ledger, dice), frame, side, command)


def run(ledger: EotsRun, dice: Dice, answer: Answer) -> None:
    """Run the segment to its end."""
    while (question := advance(ledger, dice)) is not None:
        give(ledger, answer(question), dice)


def refusals(state: State, command: EotsCommand) -> tuple[Refusal, ...]:
    """Return why the asked side may not give a command."""
    frame = state.frames[-1]
    handler = HANDLERS[type(frame)]
    side = handler.active_roles(state, frame)[0]
    assert command not in handler.decision(state, frame, side).options
    return tuple(handler.why_not(state, frame, side, command))


def rules_against(state: State, command: EotsCommand) -> list[Rule]:
    """Return the numbers of the rules against a command."""
    return [refusal.rule for refusal in refusals(state, command)]


def of_type(ledger: EotsRun, kind: type[EotsEvent]) -> list[Any]:
    """Return the events of one kind."""
    return [event for event in ledger.events if isinstance(event, kind)]

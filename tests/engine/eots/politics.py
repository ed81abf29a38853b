"""Runs the Political Phase in tests."""

from collections.abc import Callable, Mapping
from typing import Final

from msgspec.structs import replace

from engine.eots.ch08_movement import handlers as movement
from engine.eots.ch13_nations import india
from engine.eots.ch13_nations.national_status import begin_national_status
from engine.eots.ch16_victory.will import begin_political_will
from engine.eots.commands import EotsCommand
from engine.eots.events.base import EotsEvent
from engine.eots.evolve import evolve
from engine.eots.flow import DecisionHandler, EotsRun, top_frame
from engine.eots.frames import FrameBase, Phase, TurnFrame
from engine.eots.ids import Side
from engine.eots.state import State
from engine.kernel.decision import Decision
from engine.kernel.dice import ScriptedDice
from tests.engine.actions import check_actions
from tests.engine.eots.moving import AnyHandler

HANDLERS: Final[Mapping[type[FrameBase], AnyHandler]] = {
    handler.frame: handler for handler in (*movement.HANDLERS, *india.HANDLERS)
}
Answer = Callable[[Decision[EotsCommand]], EotsCommand]
Asked = list[tuple[Side, Decision[EotsCommand]]]


def book(state: State) -> EotsRun:
    """Return a ledger on a state."""
    return EotsRun(state, evolve, ScriptedDice())


def at_phase(state: State, phase: Phase) -> State:
    """Return the state inside a segment."""
    return replace(state, frames=(TurnFrame(phase=phase, entered=True),))


def settle(
    state: State, answer: Answer = lambda decision: decision.default, asked: Asked | None = None
) -> EotsRun:
    """Run a National Status Segment to its end. ``answer`` answers the questions, and ``asked`` collects them."""
    ledger = book(at_phase(state, Phase.NATIONAL_STATUS))
    begin_national_status(ledger)
    while ledger.state.outcome is None and not isinstance(top_frame(ledger.state), TurnFrame):
        frame = top_frame(ledger.state)
        handler = HANDLERS[type(frame)]
        sides = handler.active_roles(ledger.state, frame)
        if not sides:
            handler.step(ledger, frame)
            continue
        decision = handler.decision(ledger.state, frame, sides[0])
        if isinstance(handler, DecisionHandler):
            check_actions(handler, ledger.state, sides[0])
        command = answer(decision)
        assert command in decision.options
        if asked is not None:
            asked.append((sides[0], decision))
        handler.resolve(ledger, frame, sides[0], command)
    return ledger


def judge_will(state: State) -> EotsRun:
    """Run a Political Will Segment."""
    ledger = book(at_phase(state, Phase.POLITICAL_WILL))
    begin_political_will(ledger)
    return ledger


def of_kind(ledger: EotsRun, kind: type[EotsEvent]) -> list[EotsEvent]:
    """Return the events of one kind."""
    return [event for event in ledger.events if isinstance(event, kind)]

"""All handlers of frames, and the loop that runs a game to its next question."""

from collections.abc import Mapping
from typing import Any, Final

from engine.eots import (
    ch04_sequence,
    ch10_reinforcements,
    ch11_replacements,
    ch12_strategic_warfare,
    ch17_opening,
)
from engine.eots.ch05_cards import handler as card_play
from engine.eots.ch07_offensive import declaration, steps
from engine.eots.ch08_movement import handlers as movement
from engine.eots.ch09_battle import handlers as battle
from engine.eots.ch13_nations import handlers as nations
from engine.eots.flow import EotsLedger, Handler, top
from engine.eots.frames import Frame, FrameBase
from engine.eots.ids import Side
from engine.eots.state import State
from engine.kernel.dice import Dice
from engine.kernel.memo import LatestMemo

_ALL: Final[tuple[Handler[Any], ...]] = (
    *ch04_sequence.HANDLERS,
    *card_play.HANDLERS,
    *steps.HANDLERS,
    *declaration.HANDLERS,
    *movement.HANDLERS,
    *battle.HANDLERS,
    *ch10_reinforcements.HANDLERS,
    *ch11_replacements.HANDLERS,
    *ch12_strategic_warfare.HANDLERS,
    *nations.HANDLERS,
    *ch17_opening.HANDLERS,
)

HANDLERS: Final[Mapping[type[FrameBase], Handler[Any]]] = {
    handler.frame: handler for handler in _ALL
}
"""One handler per frame type; a test holds that none is missing."""

_ASKED: Final = LatestMemo[State, tuple[Side, ...]]()
LOOP_LIMIT: Final = 10_000
"""Automatic steps after one command; more are a mistake of ours."""


def handler_of(frame: Frame) -> Handler[Any]:
    """Return the handler of a frame."""
    return HANDLERS[type(frame)]


def asked_sides(state: State) -> tuple[Side, ...]:
    """Return whom the innermost frame asks; remembered, since everybody wants to know about the same position."""
    found = _ASKED.get(state)
    if found is not None:
        return found
    frame = top(state)
    return _ASKED.keep(state, handler_of(frame).asked(state, frame))


def advance(ledger: EotsLedger, dice: Dice) -> None:
    """Let happen what happens by itself, up to the next question or the end of the game."""
    for _ in range(LOOP_LIMIT):
        state: State = ledger.state
        if state.outcome is not None:
            return
        if asked_sides(state):
            return
        frame = top(state)
        handler_of(frame).step(ledger, frame, dice)
    raise AssertionError(f"no question after {LOOP_LIMIT} steps", top(ledger.state))

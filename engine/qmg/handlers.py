"""All handlers of frames, and the loop that runs a game to its next question (10)."""

from collections.abc import Mapping
from typing import Any, Final

from engine.qmg import (
    ch03_setup,
    ch07_actions,
    ch08_play_step,
    ch08_reallocate,
    ch08_steps,
    ch08_turn,
    ch09_cards,
    ch09_looking,
    ch09_playing,
    ch10_windows,
    ch11_economic_warfare,
    ch12_victory,
    ch13_air,
    ch13_decks,
)
from engine.qmg.cards.interpreter import INTERPRETER
from engine.qmg.frames import Frame, FrameBase
from engine.qmg.run import LOOP_LIMIT, Handler, Run

_ALL: Final[tuple[Handler[Any], ...]] = (
    ch03_setup.SetupHandler(),
    ch13_decks.ConstructionHandler(),
    ch07_actions.BattleHandler(),
    ch07_actions.RemovalHandler(),
    ch07_actions.RepositionHandler(),
    ch07_actions.SuperiorityHandler(),
    ch08_turn.TurnHandler(),
    ch08_play_step.PlayStepHandler(),
    ch08_reallocate.ReallocateHandler(),
    ch08_steps.SupplyStepHandler(),
    ch08_steps.DiscardStepHandler(),
    ch09_cards.HandDiscardHandler(),
    ch09_looking.SearchHandler(),
    ch09_looking.LookHandler(),
    ch09_playing.PlayHandler(),
    ch10_windows.WindowHandler(),
    ch10_windows.UseHandler(),
    ch11_economic_warfare.EwHandler(),
    ch12_victory.BonusHandler(),
    ch13_air.AirStepHandler(),
    INTERPRETER,
)
HANDLERS: Final[Mapping[type[FrameBase], Handler[Any]]] = {each.frame: each for each in _ALL}
"""One handler per frame type; a test holds that none is missing."""


def handler_of(frame: Frame) -> Handler[Any]:
    """Return the handler of a frame."""
    return HANDLERS[type(frame)]


def advance(run: Run) -> None:
    """Let happen what happens by itself up to the next question or the end of the game, and record where it stands."""
    for _ in range(LOOP_LIMIT):
        if run.state.outcome is not None:
            run.stack.clear()
            run.park()
            return
        frame = run.stack[-1]
        if not HANDLERS[type(frame)].go(run, frame):
            run.park()
            return
    raise AssertionError(f"no question after {LOOP_LIMIT} steps", run.stack)

"""The handlers of all frame types, run by one state machine (10)."""

from typing import Final

from engine.kernel.machine import Machine
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
from engine.qmg.commands import QmgCommand
from engine.qmg.run import Run
from engine.qmg.state import State

MACHINE: Final[Machine[State, QmgCommand, Run, str]] = Machine(
    (
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
    ),
    str,
)
"""One handler per frame type, for every decision in the game (14.3). A test checks that the list is complete."""

"""Combines all frame handlers into the game's state machine."""

from typing import Final

from engine.eots import (
    ch04_sequence,
    ch10_reinforcements,
    ch11_replacements,
    ch12_strategic_warfare,
    ch17_december,
    ch17_opening,
)
from engine.eots.cards import events
from engine.eots.ch05_cards import handler as card_play
from engine.eots.ch07_offensive import declaration, steps
from engine.eots.ch08_movement import handlers as movement
from engine.eots.ch09_battle import battle
from engine.eots.ch13_nations import india
from engine.eots.commands import EotsCommand
from engine.eots.flow import EotsRun
from engine.eots.ids import Side
from engine.eots.state import State
from engine.kernel.machine import Machine

MACHINE: Final[Machine[State, EotsCommand, EotsRun, Side]] = Machine(
    (
        *ch04_sequence.HANDLERS,
        *card_play.HANDLERS,
        *events.HANDLERS,
        *steps.HANDLERS,
        *declaration.HANDLERS,
        *movement.HANDLERS,
        *battle.HANDLERS,
        *ch10_reinforcements.HANDLERS,
        *ch11_replacements.HANDLERS,
        *ch12_strategic_warfare.HANDLERS,
        *india.HANDLERS,
        *ch17_december.HANDLERS,
        *ch17_opening.HANDLERS,
    ),
    Side,
)
"""The game's state machine, with one handler per frame type. A test checks that every frame type has a handler."""

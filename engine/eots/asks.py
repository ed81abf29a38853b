"""How many cards of the enemy hand one command can turn up by chance (CP-03)."""

from functools import cache
from typing import Final

from engine.eots.commands import (
    ChinaOffensive,
    EndRivalry,
    EotsCommand,
    OperationsOffensive,
    PlaceFuture,
    PlayEvent,
    ReturnHq,
    WithdrawHq,
)
from engine.eots.deck import Card, cards
from engine.eots.deck_campaign import DiscardRandom
from engine.eots.deck_steps import AskingStep
from engine.eots.deck_terms import Window

_PLAYS_WITHOUT_EVENT: Final = (
    ChinaOffensive,
    EndRivalry,
    OperationsOffensive,
    PlaceFuture,
    ReturnHq,
    WithdrawHq,
)
"""Plays of a card for something else than its event."""


def max_asks(command: EotsCommand) -> int:
    """Return how many cards of the enemy hand a command can turn up.

    An event takes them when it is played, or later, when any command has ended the step before.
    """
    if isinstance(command, PlayEvent):
        return _losses(cards()[command.card], *Window)
    if isinstance(command, _PLAYS_WITHOUT_EVENT):
        return 0
    return _late_losses()


def _losses(card: Card, *windows: Window) -> int:
    """Return how many enemy cards the event of a card takes at random in some windows."""
    return sum(
        step.n
        for step in card.effects
        if isinstance(step, DiscardRandom) and step.side is not card.side and step.when in windows
    )


@cache
def _late_losses() -> int:
    """Return how many enemy cards an event takes after the command that plays it."""
    return max(_losses(card, *_late_windows(card)) for card in cards().values())


def _late_windows(card: Card) -> tuple[Window, ...]:
    """Return the windows that can come later; all of them where the event asks a side."""
    if any(isinstance(step, AskingStep) for step in card.effects):
        return tuple(Window)
    return tuple(window for window in Window if window is not Window.ON_PLAY)

"""Computes how many random cards from the opponent's hand a command can reveal (CP-03)."""

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
"""Commands that play a card without using its event."""


def max_reveal_requests(command: EotsCommand) -> int:
    """Return the maximum number of cards in the opponent's hand that a command can reveal.

    An event takes the cards when it is played, or when a later command completes the event step before the loss.
    """
    if isinstance(command, PlayEvent):
        return _random_losses(cards()[command.card], *Window)
    # These commands never carry out an event's steps, so they reveal no cards.
    if isinstance(command, _PLAYS_WITHOUT_EVENT):
        return 0
    return _max_late_losses()


def _random_losses(card: Card, *windows: Window) -> int:
    """Return how many random cards a card's event takes from the enemy hand in these windows."""
    return sum(
        step.n
        for step in card.effects
        if isinstance(step, DiscardRandom) and step.side is not card.side and step.when in windows
    )


@cache
def _max_late_losses() -> int:
    """Return the maximum number of enemy cards that any event can take after the command that plays it."""
    return max(_random_losses(card, *_late_windows(card)) for card in cards().values())


def _late_windows(card: Card) -> tuple[Window, ...]:
    """Return the windows that can open in commands after the command that plays the card.

    If the event needs a decision, these are all windows, including the window for playing the card.
    """
    if any(isinstance(step, AskingStep) for step in card.effects):
        return tuple(Window)
    return tuple(window for window in Window if window is not Window.ON_PLAY)

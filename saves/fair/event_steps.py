"""Defines event steps. A step is an event with the states before and after it and the card piles that it changes."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias

from engine.kernel.cards import PileContents
from engine.kernel.ids import Role
from engine.kernel.ruleset import Event
from saves.codec import AnyGame

Piles: TypeAlias = Mapping[str, PileContents]


class PileChange(NamedTuple):
    """A deck's piles by name, before and after an event."""

    before: Piles
    after: Piles


class EventStep(NamedTuple):
    """An event, and the states before and after it as known to this copy."""

    number: int
    """The event's number in the record."""
    event: Event
    is_hidden: bool
    """True if part of the event is hidden from the public."""
    before: Any
    after: Any
    changes: Mapping[Role, PileChange]
    """The changed piles by deck owner; usually empty, because few events move cards."""


def event_step(
    game: AnyGame,
    decks: Iterable[Role],
    number: int,
    event: Event,
    before: Any,  # noqa: ANN401  # any game's state
    *,
    is_hidden: bool,
) -> EventStep:
    """Apply an event to a state, and find the card piles that the event changes.

    Args:
        game: The game.
        decks: The decks whose piles are compared.
        number: The event's number in the record.
        event: The event.
        before: The state before the event.
        is_hidden: True if part of the event is hidden from the public.
    """
    after = game.evolve(before, event)
    piles = (
        (role, PileChange(game.card_piles(before, role), game.card_piles(after, role)))
        for role in decks
    )
    changes = {role: change for role, change in piles if change.before != change.after}
    return EventStep(number, event, is_hidden, before, after, changes)

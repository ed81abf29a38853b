"""Hidden cards in the encrypted deal: their owners, the events that reveal them, and how they are picked (9.3)."""

from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Final

from msgspec.structs import replace

from engine.qmg.deck import CARD, CARDS, INSTANCES
from engine.qmg.events import CardsMoved, QmgEvent, TopOrdered, UseDeclared
from engine.qmg.ids import COUNTRIES, HIDDEN, STATUS
from engine.qmg.state import Cards, State

_HIDEABLE_PLACES: Final = ("hand", "responses", "deck", "deck-below", "discard")
"""Places where cards can be hidden."""


@cache
def all_decks() -> Mapping[str, tuple[str, ...]]:
    """Return each country's cards, including cards that Total War adds or replaces (3.2)."""
    return MappingProxyType(
        {
            country: tuple(
                instance
                for card in CARDS.values()
                if card.deck == country
                for instance in INSTANCES[card.id]
            )
            for country in COUNTRIES
        }
    )


def secret_owner(event: QmgEvent) -> str | None:
    """Return the owner of the secret cards that an event may contain, or None if it cannot contain any."""
    match event:
        case CardsMoved(country=country, shown=False) | TopOrdered(country=country):
            return country
        case _:
            return None


def revealed_cards(event: QmgEvent) -> tuple[str, ...]:
    """Return the cards that an event reveals to everyone. Cards from a discard pile may have been known already."""
    match event:
        case CardsMoved(cards=cards, source=source, shown=True) if source in _HIDEABLE_PLACES:
            return cards
        case UseDeclared(card=card) if CARD[card].type != STATUS:
            return (card,)
        case _:
            return ()


def hidden_pile(state: State, country: str, place: str) -> tuple[str, ...]:
    """Return a country's pile, in the order used by random picks."""
    cards = state.cards_of(country)
    match place:
        case "deck":
            return cards.deck
        case "hand":
            return cards.hand
        # These orders must match the piles that cards/zones.py passes to the dice.
        case "responses":
            return tuple(sorted(cards.responses))
        case "discard":
            return tuple(sorted(cards.discard))
        case _:
            return ()


def complete_event(
    state: State, event: QmgEvent, picked_cards: Sequence[str]
) -> tuple[QmgEvent, int]:
    """Fill in the faces that the event's country knows. Return the completed event and the number of picks used."""
    if not isinstance(event, CardsMoved) or event.shown or HIDDEN not in event.cards:
        return event, 0
    cards = state.cards_of(event.country)
    if len(event.cards) > 1:
        return replace(event, cards=_pile_moved_whole(cards, event.source)), 0
    determined_card = _determined_card(cards, event.source)
    return replace(event, cards=(determined_card or picked_cards[0],)), 0 if determined_card else 1


def _pile_moved_whole(cards: Cards, source: str) -> tuple[str, ...]:
    """Return a pile that moves as a whole: a hand, or the cards not chosen for a deck (9.4, 13.9)."""
    return cards.deck if source == "deck" else cards.hand


def _determined_card(cards: Cards, source: str) -> str:
    """Return the card that moves if it is determined: the only card, or a card in a known position.

    If the card is picked at random, return an empty string (14.1).
    """
    match source:
        case "deck" if cards.deck_top:
            return cards.deck_top[0]
        case "deck" | "deck-below" if not cards.deck:
            return cards.deck_bottom[0]
        case "hand":
            return cards.hand[0]
        case _:
            return ""

"""What a table that deals cards in cipher must know: whose they are, what shows them, what chance picks (9.3)."""

from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Final

from msgspec.structs import replace

from engine.qmg.deck import CARD, CARDS, INSTANCES
from engine.qmg.events import CardsMoved, QmgEvent, TopOrdered, UseDeclared
from engine.qmg.ids import COUNTRIES, HIDDEN, STATUS
from engine.qmg.state import Cards, State

_UNSEEN: Final = ("hand", "responses", "deck", "deck-below", "discard")
"""Places whose cards lie hidden, or may."""


@cache
def all_decks() -> Mapping[str, tuple[str, ...]]:
    """Return every card of each country, those that Total War brings and replaces among them (3.2)."""
    return MappingProxyType(
        {
            country: tuple(
                one for card in CARDS.values() if card.deck == country for one in INSTANCES[card.id]
            )
            for country in COUNTRIES
        }
    )


def keeper(event: QmgEvent) -> str | None:
    """Return the country whose secret cards an event may hold; None when it holds nobody's."""
    match event:
        case CardsMoved(country=country, shown=False) | TopOrdered(country=country):
            return country
        case _:
            return None


def turned_up(event: QmgEvent) -> tuple[str, ...]:
    """Return the cards that an event shows to everybody, having lain hidden.

    Those of a discard pile may have been known.
    """
    match event:
        case CardsMoved(cards=cards, source=source, shown=True) if source in _UNSEEN:
            return cards
        case UseDeclared(card=card) if CARD[card].type != STATUS:
            return (card,)
        case _:
            return ()


def pile(state: State, country: str, place: str) -> tuple[str, ...]:
    """Return a pile of a country in the order in which chance counts it."""
    cards = state.cards_of(country)
    match place:
        case "deck":
            return cards.deck
        case "hand":
            return cards.hand
        case "responses":
            return tuple(sorted(cards.responses))
        case "discard":
            return tuple(sorted(cards.discard))
        case _:
            return ()


def filled(state: State, event: QmgEvent, picked: Sequence[str]) -> tuple[QmgEvent, int]:
    """Return an event with the faces that its country knows, and how many picks it took."""
    if not isinstance(event, CardsMoved) or event.shown or HIDDEN not in event.cards:
        return event, 0
    cards = state.cards_of(event.country)
    if len(event.cards) > 1:
        return replace(event, cards=_whole(cards, event.source)), 0
    known = _known(cards, event.source)
    return replace(event, cards=(known or picked[0],)), 0 if known else 1


def _whole(cards: Cards, source: str) -> tuple[str, ...]:
    """Return a pile that moves as a whole: a hand, or what was not chosen for a deck (9.4, 13.9)."""
    return cards.deck if source == "deck" else cards.hand


def _known(cards: Cards, source: str) -> str:
    """Return the card that moves where no choice and no chance is: the only one, or one of a known order.

    Empty where chance picks it (14.1).
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

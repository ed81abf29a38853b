"""Support for matches with encrypted cards: card ownership, events that reveal cards, and random draws (5.0)."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from engine.eots.deck import card_ids
from engine.eots.events.base import EotsEvent
from engine.eots.events.cards import (
    CardDiscarded,
    CardDrawn,
    CardPlayed,
    CardReclaimed,
    CardsDealt,
    CardTakenBack,
    DeckReshuffled,
    DrawPileAdded,
    FuturePlaced,
)
from engine.eots.ids import CardId, Side
from engine.eots.state import HIDDEN, State

Pile = tuple[CardId, ...]


def all_decks() -> Mapping[Side, tuple[CardId, ...]]:
    """Return the cards of both sides, in order of number (1.21)."""
    return {side: card_ids(side) for side in Side}


def secret_owner(event: EotsEvent) -> Side | None:
    """Return the side whose secret cards an event may contain, or None if the event cannot contain secrets."""
    match event:
        case (
            CardsDealt(side=side)
            | CardDrawn(side=side)
            | CardReclaimed(side=side)
            | CardTakenBack(side=side)
            | DeckReshuffled(side=side)
            | DrawPileAdded(side=side)
            | FuturePlaced(side=side)
        ):
            return side
        case _:
            return None


def revealed_cards(event: EotsEvent) -> tuple[CardId, ...]:
    """Return the card revealed from a hand or a future offensives slot. Empty if the event reveals no card."""
    match event:
        case CardPlayed(card=card) | CardDiscarded(card=card):
            return (card,)
        case _:
            return ()


def hidden_pile(
    state: State, side: Side, place: str, event: EotsEvent | None, picked_cards: Sequence[str]
) -> Pile:
    """Return the named pile of a side: its hand, or the pile from which its next cards are dealt."""
    if place == "hand":
        return state.decks[side].hand
    if place != "deck":
        return ()
    draw_pile = (
        _split_deal(state, event)[1] if isinstance(event, CardsDealt) else state.decks[side].draw
    )
    return tuple(card for card in draw_pile if card not in picked_cards)


def complete_event(
    state: State, event: EotsEvent, picked_cards: Sequence[str]
) -> tuple[EotsEvent, int]:
    """Fill in the faces that the event's side knows.

    Return the completed event, and how many of the randomly picked cards were used.
    """
    match event:
        case CardsDealt(cards=faces) if HIDDEN in faces:
            used_up, _ = _split_deal(state, event)
            used_count = faces.count(HIDDEN) - len(used_up)
            face_iterator = iter((*used_up, *map(CardId, picked_cards[:used_count])))
            dealt_faces = tuple(next(face_iterator) if card == HIDDEN else card for card in faces)
            return replace(event, cards=dealt_faces), used_count
        case CardDrawn(card=card) if card == HIDDEN:
            return replace(event, card=picked_cards[0]), 1
        case DeckReshuffled(side=side, cards=faces) | DrawPileAdded(side=side, cards=faces) if (
            HIDDEN in faces
        ):
            return replace(event, cards=state.decks[side].discard), 0
        case _:
            return event, 0


def _split_deal(state: State, event: CardsDealt) -> tuple[Pile, Pile]:
    """Return the hidden cards in the piles that a deal uses up, and the pile from which the other cards come.

    When a pile is exhausted, the next pile is used (4.14, 5.37, CP-46). Cards whose faces both sides know are excluded
    (17.12).
    """
    piles = state.shuffled.get(event.side)
    if piles is None:
        piles = (state.decks[event.side].draw, state.beneath.get(event.side, ()))
    hidden_count = event.cards.count(HIDDEN)
    used_up: Pile = ()
    for pile in piles:
        remaining_cards = tuple(card for card in pile if card not in event.cards)
        # If a whole pile is dealt, no random picks are needed (see ``kernel.dice.draw``).
        if len(remaining_cards) > hidden_count - len(used_up):
            return used_up, remaining_cards
        used_up += remaining_cards
    return used_up, ()

"""Fold the facts about cards; a hidden face is taken from the hidden cards of a seat's copy."""

from typing import Final

from msgspec.structs import replace

from engine.eots.events.cards import (
    CardDiscarded,
    CardDrawn,
    CardPlayed,
    CardsDealt,
    CardSettled,
    CardsUnlocked,
    CardTakenBack,
    DeckReshuffled,
    FuturePlaced,
    PassUsed,
    PlayFinished,
    ReshuffleOrdered,
)
from engine.eots.ids import CardId, Side
from engine.eots.state import HIDDEN, Deck, State


def with_deck(state: State, side: Side, deck: Deck) -> State:
    """Return the state with one side's cards changed."""
    return replace(state, decks={**state.decks, side: deck})


def without(cards: tuple[CardId, ...], card: CardId) -> tuple[CardId, ...]:
    """Return the cards less one; an unknown card of the tuple stands in when the face is not there."""
    wanted = card if card in cards else HIDDEN
    at = cards.index(wanted)
    return cards[:at] + cards[at + 1 :]


def _number(card: CardId) -> int:
    return int(card.partition("-")[2] or 0)


def _ordered(cards: tuple[CardId, ...]) -> tuple[CardId, ...]:
    return tuple(sorted(cards, key=_number))


def cards_dealt(state: State, event: CardsDealt) -> State:
    """Move cards from the draw pile to the hand."""
    deck = state.decks[event.side]
    draw = deck.draw
    for card in event.cards:
        draw = without(draw, card)
    hand = _ordered((*deck.hand, *event.cards))
    return with_deck(state, event.side, replace(deck, draw=draw, hand=hand, passes=event.passes))


def card_drawn(state: State, event: CardDrawn) -> State:
    """Move one card from the draw pile to the hand."""
    deck = state.decks[event.side]
    locked = (*deck.locked, event.card) if event.locked else deck.locked
    changed = replace(
        deck,
        draw=without(deck.draw, event.card),
        hand=_ordered((*deck.hand, event.card)),
        locked=locked,
        event_draws=deck.event_draws + 1,
    )
    return with_deck(state, event.side, changed)


def card_played(state: State, event: CardPlayed) -> State:
    """Take a card out of the hand, or take the future offensives card."""
    deck = state.decks[event.side]
    changed = (
        replace(deck, future=None)
        if event.future
        else replace(deck, hand=without(deck.hand, event.card))
    )
    played = (
        (*state.events_played, event.card)
        if event.use in {"event", "reaction"}
        else state.events_played
    )
    return replace(with_deck(state, event.side, changed), events_played=played)


def card_discarded(state: State, event: CardDiscarded) -> State:
    """Move a card from the hand to the discard pile."""
    deck = state.decks[event.side]
    changed = replace(
        deck, hand=without(deck.hand, event.card), discard=_ordered((*deck.discard, event.card))
    )
    return with_deck(state, event.side, changed)


def card_settled(state: State, event: CardSettled) -> State:
    """Put a played card where it belongs."""
    deck = state.decks[event.side]
    if event.removed:
        return with_deck(
            state, event.side, replace(deck, removed=_ordered((*deck.removed, event.card)))
        )
    return with_deck(
        state, event.side, replace(deck, discard=_ordered((*deck.discard, event.card)))
    )


def future_placed(state: State, event: FuturePlaced) -> State:
    """Move a card from the hand to the future offensives place."""
    deck = state.decks[event.side]
    changed = replace(
        deck,
        hand=without(deck.hand, event.card),
        future=event.card,
        future_turn=state.turn,
        placed_turn=state.turn,
    )
    return with_deck(state, event.side, changed)


def deck_reshuffled(state: State, event: DeckReshuffled) -> State:
    """Return the discard pile to the undrawn cards."""
    deck = state.decks[event.side]
    changed = replace(deck, draw=_ordered((*deck.draw, *event.cards)), discard=(), reshuffle=False)
    return with_deck(state, event.side, changed)


def reshuffle_ordered(state: State, event: ReshuffleOrdered) -> State:
    """Note a reshuffle for the end of the turn."""
    return with_deck(state, event.side, replace(state.decks[event.side], reshuffle=True))


def cards_unlocked(state: State, _: CardsUnlocked) -> State:
    """Release the cards drawn during the offensive."""
    return replace(
        state, decks={side: replace(deck, locked=()) for side, deck in state.decks.items()}
    )


def pass_used(state: State, event: PassUsed) -> State:
    """Count a pass."""
    deck = state.decks[event.side]
    return with_deck(state, event.side, replace(deck, passes=deck.passes - 1))


def card_taken_back(state: State, event: CardTakenBack) -> State:
    """Return a card to the hand or to the future offensives place."""
    deck = state.decks[event.side]
    back = (
        replace(deck, future=event.card)
        if event.future
        else replace(deck, hand=_ordered((*deck.hand, event.card)))
    )
    return replace(
        with_deck(state, event.side, back),
        taken_back=(*state.taken_back, event.card),
    )


def play_finished(state: State, _: PlayFinished) -> State:
    """Forget what was taken back."""
    return replace(state, taken_back=()) if state.taken_back else state


FOLDS: Final = {
    CardsDealt: cards_dealt,
    CardDrawn: card_drawn,
    CardPlayed: card_played,
    CardDiscarded: card_discarded,
    CardSettled: card_settled,
    FuturePlaced: future_placed,
    DeckReshuffled: deck_reshuffled,
    ReshuffleOrdered: reshuffle_ordered,
    CardsUnlocked: cards_unlocked,
    PassUsed: pass_used,
    CardTakenBack: card_taken_back,
    PlayFinished: play_finished,
}

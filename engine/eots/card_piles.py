"""Lists which of a side's cards are in which pile (5.0)."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from msgspec.structs import replace

from engine.eots.deck import card_ids
from engine.eots.ids import CardId, ScenarioId, Side
from engine.eots.scenarios import omitted_cards
from engine.eots.state import HIDDEN, State
from engine.kernel.cards import OPEN_PILE, PileContents, PileKind
from engine.kernel.memo import Memo

DRAW: Final = "draw"
BENEATH_PILE: Final = "beneath"
SHUFFLED_PILE: Final = "shuffled"
HAND: Final = "hand"
FUTURE_PILE: Final = "future"


def deck_segments(state: State, side: Side) -> tuple[tuple[CardId, ...], ...]:
    """Return the draw pile, the pile beneath it, and the discards shuffled during this command (5.37, CP-46).

    If both draw piles are empty, the shuffled discards are the draw pile.
    """
    parts = state.shuffled.get(side)
    if parts is None:
        return state.decks[side].draw, state.beneath.get(side, ()), ()
    draw, cards_beneath, shuffled_cards = parts
    return (
        (draw, cards_beneath, shuffled_cards) if draw or cards_beneath else (shuffled_cards, (), ())
    )


def with_card_face(state: State, side: Side, pile: str, card: CardId) -> State:
    """Reveal one hidden card in one of a side's piles. Do nothing if no card in the pile is hidden."""
    piles = card_piles(state, side)
    cards = piles.get(pile)
    if cards is None or card in cards.cards or HIDDEN not in cards.cards:
        return state
    index = cards.cards.index(HIDDEN)
    new_cards = tuple(map(CardId, (*cards.cards[:index], card, *cards.cards[index + 1 :])))
    if pile == BENEATH_PILE:
        return replace(state, beneath={**state.beneath, side: new_cards})
    changed = card if pile == FUTURE_PILE else new_cards
    deck = replace(state.decks[side], **{pile: changed})
    return replace(state, decks={**state.decks, side: deck})


_PILES: Final = Memo[Mapping[str, PileContents]](16)
"""Cache of a side's piles, which are compared before and after every event. Most events move no cards."""


def card_piles(state: State, side: Side) -> Mapping[str, PileContents]:
    """Return a side's piles. The deck's segments are in drawing order."""
    parts = (side, state.decks, state.beneath, state.shuffled, state.played)
    return _PILES.get(state, parts, lambda: MappingProxyType(_pile_contents(state, side)))


def _pile_contents(state: State, side: Side) -> dict[str, PileContents]:
    # Before the set-up event there are no decks, and every card is face up.
    if side not in state.decks:
        return {OPEN_PILE: PileContents(PileKind.OPEN, card_ids(side))}
    deck = state.decks[side]
    draw, cards_beneath, shuffled_cards = deck_segments(state, side)
    left_out = omitted_cards(ScenarioId(state.scenario), side)
    face_up = (*deck.removed, *state.played.get(side, ()), *sorted(left_out))
    future_card = () if deck.future is None else (deck.future,)
    return {
        DRAW: PileContents(PileKind.RANDOM, draw),
        BENEATH_PILE: PileContents(PileKind.RANDOM, cards_beneath),
        SHUFFLED_PILE: PileContents(PileKind.RANDOM, shuffled_cards),
        HAND: PileContents(PileKind.HAND, deck.hand),
        FUTURE_PILE: PileContents(PileKind.LAID, future_card),
        "discard": PileContents(PileKind.DISCARD, deck.discard),
        OPEN_PILE: PileContents(PileKind.OPEN, face_up),
    }

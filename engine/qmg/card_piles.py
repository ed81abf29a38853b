"""Lists where each of a country's cards is (9.1)."""

from collections.abc import Mapping
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Final

from msgspec.structs import replace

from engine.kernel.cards import OPEN_PILE, PileContents, PileKind
from engine.qmg.deck import deck_list
from engine.qmg.frames import SearchFrame
from engine.qmg.hidden_cards import all_decks
from engine.qmg.ids import COUNTRIES, FORCE_INDEX, HIDDEN
from engine.qmg.state import Cards, State

DECK: Final = "deck"
RESPONSES: Final = "responses"
DISCARD: Final = "discard"


def card_piles(state: State, country: str) -> Mapping[str, PileContents]:
    """Return a country's piles, including the segments of its deck in drawing order.

    The pile ``out`` contains the cards left out of a constructed deck (13.9). Other players cannot see these cards.
    """
    if not state.scenario:
        return {OPEN_PILE: PileContents(PileKind.OPEN, _all_cards(country))}
    index = FORCE_INDEX[country]
    face_up = (
        *state.statuses[index],
        *state.played[index],
        *_not_in_scenario(country, is_total_war=state.total_war),
    )
    is_searched = _is_searched_before_a_shuffle(state, country)
    return _pile_contents(country, state.cards[index], face_up, is_searched=is_searched)


@lru_cache(
    maxsize=256
)  # after a card move, every copy of the game looks up all six decks, although only one has changed
def _pile_contents(
    country: str, cards: Cards, shown_cards: tuple[str, ...], *, is_searched: bool
) -> Mapping[str, PileContents]:
    top, deck, bottom = cards.deck_top, cards.deck, cards.deck_bottom
    if is_searched:
        top, deck, bottom = (), tuple(sorted(cards.undrawn_cards)), ()
    piles = {
        "deck-top": PileContents(PileKind.ORDERED, top),
        DECK: PileContents(PileKind.RANDOM, deck),
        "deck-bottom": PileContents(PileKind.ORDERED, bottom),
        "hand": PileContents(PileKind.HAND, cards.hand),
        RESPONSES: PileContents(PileKind.LAID, cards.responses),
        DISCARD: PileContents(PileKind.DISCARD, cards.discard),
    }
    known_cards = [*shown_cards, *(card for place in piles.values() for card in place.cards)]
    piles["out"] = PileContents(PileKind.LAID, _remaining_cards(country, known_cards))
    piles[OPEN_PILE] = PileContents(PileKind.OPEN, shown_cards)
    return MappingProxyType(piles)


def with_card_face(state: State, country: str, pile: str, card: str) -> State:
    """Return the state after a card in one of a country's piles is revealed to this copy."""
    new_cards = card_piles(state, country).get(pile)
    zone = pile.replace("-", "_")
    cards = state.cards_of(country)
    zone_cards: tuple[str, ...] = getattr(cards, zone, ())
    if new_cards is None or card in zone_cards or HIDDEN not in zone_cards:
        return state
    index = zone_cards.index(HIDDEN)
    changed = replace(cards, **{zone: (*zone_cards[:index], card, *zone_cards[index + 1 :])})
    return replace(
        state,
        cards=tuple(
            changed if owner == country else country_cards
            for owner, country_cards in zip(COUNTRIES, state.cards, strict=True)
        ),
    )


def _is_searched_before_a_shuffle(state: State, country: str) -> bool:
    """Return whether a country is searching its deck together with its discards (8.3, A.3).

    The deck is shuffled after the search, so other copies need not know which part of the deck contained the card.
    """
    frame = state.frames[-1] if state.frames else None
    return isinstance(frame, SearchFrame) and frame.country == country and "+" in frame.zone


@cache
def _all_cards(country: str) -> tuple[str, ...]:
    return all_decks()[country]


@cache
def _not_in_scenario(country: str, *, is_total_war: bool) -> tuple[str, ...]:
    used_cards = frozenset(deck_list(country, is_total_war=is_total_war))
    return tuple(card for card in _all_cards(country) if card not in used_cards)


def _remaining_cards(country: str, cards_elsewhere: list[str]) -> tuple[str, ...]:
    """Return the cards that are in no other pile.

    If this copy does not know every card in the other piles, all returned cards are hidden.
    """
    box = _all_cards(country)
    if len(cards_elsewhere) == len(box):
        return ()
    if HIDDEN in cards_elsewhere:
        return (HIDDEN,) * (len(box) - len(cards_elsewhere))
    elsewhere_set = frozenset(cards_elsewhere)
    return tuple(card for card in box if card not in elsewhere_set)

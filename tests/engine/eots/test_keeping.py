"""The card information that a table with encrypted decks receives (5.0)."""

import pytest
from msgspec.structs import replace

from engine.eots.deck import cards as all_cards
from engine.eots.events.base import EotsEvent
from engine.eots.events.cards import (
    CardDiscarded,
    CardDrawn,
    CardPlayed,
    CardReclaimed,
    CardsDealt,
    CardSettled,
    CardTakenBack,
    DeckReshuffled,
    DrawPileAdded,
    FuturePlaced,
)
from engine.eots.ids import CardId, Side
from engine.eots.ruleset import EOTS
from engine.eots.state import HIDDEN, Deck, State
from engine.kernel.dice import CardPile
from engine.kernel.ids import Role, Rule

JAPAN = Role(Side.JAPAN)
RULE = Rule("CP-46")
ONE, TWO, THREE, FOUR, FIVE = (CardId(f"J-{number}") for number in range(1, 6))


def held(beneath: tuple[CardId, ...] = (), **piles: tuple[CardId, ...]) -> State:
    decks = {Side.JAPAN: Deck(**piles), Side.ALLIED: Deck()}  # type: ignore[arg-type]  # piles alone
    return State(decks=decks, beneath={Side.JAPAN: beneath} if beneath else {})


def dealt(*cards: CardId) -> CardsDealt:
    return CardsDealt(side=Side.JAPAN, cards=cards, passes=1)


def test_every_card_is_in_the_deck_of_its_side() -> None:
    decks = EOTS.decks()
    assert sorted(card for deck in decks.values() for card in deck) == sorted(all_cards())
    assert all(Role(all_cards()[CardId(one)].side) == side for side in decks for one in decks[side])


@pytest.mark.parametrize(
    ("event", "is_kept", "shown"),
    [
        (dealt(ONE), True, ()),
        (CardDrawn(rule=RULE, side=Side.JAPAN, card=ONE, locked=False), True, ()),
        (FuturePlaced(side=Side.JAPAN, card=ONE), True, ()),
        (CardTakenBack(side=Side.JAPAN, card=ONE, future=False), True, ()),
        (CardReclaimed(rule=RULE, side=Side.JAPAN, card=ONE, held=ONE), True, ()),
        (DeckReshuffled(rule=RULE, side=Side.JAPAN, cards=(ONE,)), True, ()),
        (DrawPileAdded(rule=RULE, side=Side.JAPAN, cards=(ONE,)), True, ()),
        (CardPlayed(side=Side.JAPAN, card=ONE, use="oc", future=True), False, (ONE,)),
        (CardDiscarded(rule=RULE, side=Side.JAPAN, card=ONE), False, (ONE,)),
        (CardSettled(rule=RULE, side=Side.JAPAN, card=ONE, removed=False), False, ()),
    ],
)
def test_owner_and_revealed_cards_of_an_event(
    event: EotsEvent, is_kept: bool, shown: tuple[CardId, ...]
) -> None:
    assert EOTS.secret_owner(event) == (JAPAN if is_kept else None)
    assert (EOTS.redact(event, None) != event) == is_kept
    assert EOTS.revealed_cards(event) == shown


def test_dealt_or_drawn_cards_are_taken_from_the_pick() -> None:
    state = held(draw=(ONE, TWO, THREE))
    drawn = CardDrawn(rule=RULE, side=Side.JAPAN, card=HIDDEN, locked=False)
    assert EOTS.complete_event(state, drawn, (TWO, ONE)) == (replace(drawn, card=TWO), 1)
    assert EOTS.complete_event(state, dealt(HIDDEN, HIDDEN), (THREE, ONE, TWO)) == (
        dealt(THREE, ONE),
        2,
    )
    assert EOTS.hidden_pile(state, JAPAN, "deck", dealt(HIDDEN, HIDDEN), (THREE,)) == (ONE, TWO)
    assert EOTS.hidden_pile(state, JAPAN, "deck") == (ONE, TWO, THREE)


def test_agreed_cards_are_excluded_from_the_pile() -> None:
    state = held(draw=(ONE, TWO, THREE))
    event = dealt(TWO, HIDDEN)
    assert EOTS.hidden_pile(state, JAPAN, "deck", event) == (ONE, THREE)
    assert EOTS.complete_event(state, event, (THREE,)) == (dealt(TWO, THREE), 1)


def test_a_fully_dealt_pile_needs_no_pick() -> None:
    state = held(draw=(ONE, FOUR), beneath=(TWO, THREE, FIVE))
    event = dealt(HIDDEN, HIDDEN, HIDDEN)
    assert EOTS.hidden_pile(state, JAPAN, "deck", event) == (TWO, THREE, FIVE)
    assert EOTS.complete_event(state, event, (FIVE, TWO)) == (dealt(ONE, FOUR, FIVE), 1)
    every = dealt(*(HIDDEN,) * 5)
    assert EOTS.hidden_pile(state, JAPAN, "deck", every) == ()
    assert EOTS.complete_event(state, every, ()) == (dealt(ONE, FOUR, TWO, THREE, FIVE), 0)


def test_discards_are_used_after_the_preceding_piles() -> None:
    """CP-46: the rest of the deck is dealt completely, and then cards are picked from the discards."""
    state = held(draw=(FOUR,), beneath=(ONE,), discard=(TWO, THREE, FIVE))
    shuffled = DeckReshuffled(rule=RULE, side=Side.JAPAN, cards=(HIDDEN,) * 3)
    full, used = EOTS.complete_event(state, shuffled, ())
    assert (full, used) == (replace(shuffled, cards=(TWO, THREE, FIVE)), 0)
    after = EOTS.evolve(state, full)
    event = dealt(HIDDEN, HIDDEN, HIDDEN)
    assert EOTS.hidden_pile(after, JAPAN, "deck", event) == (TWO, THREE, FIVE)
    assert EOTS.complete_event(after, event, (FIVE,)) == (dealt(FOUR, ONE, FIVE), 1)
    assert not EOTS.evolve(after, dealt(FOUR, ONE, FIVE)).shuffled
    # at the end of a turn they become one pile
    late = EOTS.evolve(state, replace(full, rule=Rule("5.37")))
    assert EOTS.hidden_pile(late, JAPAN, "deck", event) == (ONE, TWO, THREE, FOUR, FIVE)


def test_piles_of_a_deck_stay_in_order() -> None:
    """CP-46: within a deal the discards stay separate from the rest of the deck; alone they are the draw pile."""
    state = held(draw=(FOUR,), beneath=(ONE,), discard=(TWO, THREE))
    shuffled = DeckReshuffled(rule=RULE, side=Side.JAPAN, cards=(HIDDEN,) * 2)
    assert names(state) == {"draw": (FOUR,), "beneath": (ONE,), "discard": (TWO, THREE)}
    after = EOTS.evolve(state, EOTS.complete_event(state, shuffled, ())[0])
    assert names(after) == {"draw": (FOUR,), "beneath": (ONE,), "shuffled": (TWO, THREE)}
    assert names(EOTS.evolve(after, dealt(FOUR, ONE))) == {
        "draw": (TWO, THREE),
        "hand": (ONE, FOUR),
    }
    alone = held(discard=(TWO, THREE))
    assert names(EOTS.evolve(alone, replace(shuffled, cards=(TWO, THREE)))) == {
        "draw": (TWO, THREE)
    }


def names(state: State) -> dict[str, tuple[str, ...]]:
    """Return Japan's piles that contain a card, except those that are open."""
    piles = EOTS.card_piles(replace(state, scenario="1943"), JAPAN)
    return {name: place.cards for name, place in piles.items() if place.cards and name != "open"}


def test_a_copy_without_the_dealt_face_continues() -> None:
    pile = CardPile((ONE, TWO), JAPAN, "deck")
    assert pile.without(CardId(HIDDEN)) == (HIDDEN,)
    after = EOTS.evolve(held(draw=(ONE, TWO)), dealt(HIDDEN))
    assert (after.decks[Side.JAPAN].draw, after.decks[Side.JAPAN].hand) == ((HIDDEN,), (HIDDEN,))


def test_events_known_to_their_author_are_unchanged() -> None:
    back = CardTakenBack(side=Side.JAPAN, card=ONE, future=False)
    assert EOTS.complete_event(held(hand=(TWO,)), back, ()) == (back, 0)
    assert EOTS.hidden_pile(held(hand=(TWO,)), JAPAN, "hand") == (TWO,)
    assert EOTS.hidden_pile(held(hand=(TWO,)), JAPAN, "responses") == ()

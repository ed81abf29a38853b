"""The card information that a table with encrypted decks receives (9.3)."""

import pytest
from msgspec.structs import replace

from engine.kernel.ids import Role
from engine.qmg.deck import CARD
from engine.qmg.events import CardPlayed, CardsMoved, QmgEvent, TopOrdered, UseDeclared
from engine.qmg.ids import COUNTRIES, HIDDEN
from engine.qmg.redaction import redact_event
from engine.qmg.ruleset import QMG
from engine.qmg.state import Cards, State

UK = Role("uk")
ONE, TWO, THREE = "uk_build_army#1", "uk_build_army#2", "uk_build_navy#1"


def held(**piles: tuple[str, ...]) -> State:
    return State(cards=tuple(Cards(**piles) if one == UK else Cards() for one in COUNTRIES))


def moved(source: str, to: str, *cards: str, shown: bool = False) -> CardsMoved:
    return CardsMoved(country=UK, cards=cards, source=source, to=to, shown=shown)


def test_every_card_in_the_box_is_in_the_deck_of_its_country() -> None:
    decks = QMG.decks()
    assert tuple(decks) == COUNTRIES
    assert sorted(card for deck in decks.values() for card in deck) == sorted(CARD)
    assert all(CARD[card].deck == country for country, deck in decks.items() for card in deck)


@pytest.mark.parametrize(
    ("event", "keeper", "shown"),
    [
        (moved("deck", "hand", ONE), UK, ()),
        (moved("hand", "play", ONE, shown=True), None, (ONE,)),
        (moved("responses", "play", ONE, shown=True), None, (ONE,)),
        (moved("deck", "statuses", ONE, shown=True), None, (ONE,)),
        (moved("discard", "hand", ONE, shown=True), None, (ONE,)),
        (moved("play", "discard-top", ONE, shown=True), None, ()),
        (moved("statuses", "discard-top", ONE, shown=True), None, ()),
        (TopOrdered(country=UK, cards=(ONE, TWO)), UK, ()),
        (UseDeclared(country=UK, card="uk_enigma_code_cracked#1"), None, None),
        (UseDeclared(country=UK, card="uk_free_france#1"), None, ()),
        (CardPlayed(country=UK, card=ONE), None, ()),
    ],
)
def test_owner_and_revealed_cards_of_an_event(
    event: QmgEvent, keeper: str | None, shown: tuple[str, ...] | None
) -> None:
    assert QMG.secret_owner(event) == keeper
    assert (redact_event(event, None) == event) == (keeper is None)
    due = ("uk_enigma_code_cracked#1",) if shown is None else shown
    assert QMG.revealed_cards(event) == due


def test_hidden_piles_have_the_order_that_the_rules_pick_from() -> None:
    state = held(
        hand=(TWO, ONE),
        deck=(ONE, THREE),
        deck_top=(TWO,),
        responses=(THREE, ONE),
        discard=(TWO, ONE),
    )
    assert QMG.hidden_pile(state, UK, "hand") == (TWO, ONE)
    assert QMG.hidden_pile(state, UK, "deck") == (ONE, THREE)
    assert QMG.hidden_pile(state, UK, "responses") == (ONE, THREE)
    assert QMG.hidden_pile(state, UK, "discard") == (ONE, TWO)
    assert QMG.hidden_pile(state, UK, "statuses") == ()


@pytest.mark.parametrize(
    ("state", "event", "cards", "used"),
    [
        (held(deck=(ONE, TWO)), moved("deck", "hand", HIDDEN), (TWO,), 1),
        (held(deck=(ONE,), deck_top=(THREE,)), moved("deck", "hand", HIDDEN), (THREE,), 0),
        (held(deck_bottom=(THREE, ONE)), moved("deck", "hand", HIDDEN), (THREE,), 0),
        (
            held(deck=(ONE, TWO), deck_top=(THREE,)),
            moved("deck-below", "deck-top-end", HIDDEN),
            (TWO,),
            1,
        ),
        (
            held(deck_top=(THREE,), deck_bottom=(ONE, TWO)),
            moved("deck-below", "deck-top-end", HIDDEN),
            (ONE,),
            0,
        ),
        (
            held(responses=(TWO, THREE)),
            moved("responses", "discard-bottom", HIDDEN),
            (TWO,),
            1,
        ),
        (held(discard=(TWO, THREE)), moved("discard", "deck-top", HIDDEN), (TWO,), 1),
        (held(hand=(THREE,)), moved("hand", "discard-bottom", HIDDEN), (THREE,), 0),
        # the order is the country's own, even where the acting player knew a card of it
        (
            held(hand=(THREE, ONE, TWO)),
            moved("hand", "discard-bottom", ONE, HIDDEN, HIDDEN),
            (THREE, ONE, TWO),
            0,
        ),
        (held(deck=(ONE, TWO)), moved("deck", "out", HIDDEN, HIDDEN), (ONE, TWO), 0),
        (held(hand=(TWO, ONE)), moved("hand", "deck-pool", HIDDEN, HIDDEN), (TWO, ONE), 0),
        (held(discard=(TWO, THREE)), moved("discard", "deck-top", THREE), (THREE,), 0),
    ],
)
def test_a_country_completes_events_with_its_own_cards(
    state: State, event: CardsMoved, cards: tuple[str, ...], used: int
) -> None:
    assert QMG.complete_event(state, event, (TWO, "more")) == (replace(event, cards=cards), used)

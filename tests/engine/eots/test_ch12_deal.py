"""Hand sizes, passes and the deal (4.14, 12.1, 12.4, 12.5, 17)."""

import pytest
from msgspec.structs import replace

from engine.eots.board import board
from engine.eots.ch12_deal import (
    Hand,
    allied_hand,
    base_draw,
    deal_turn_hands,
    first_hand,
    is_undrawn,
    resources_held,
)
from engine.eots.commands import Pass, TakeCard
from engine.eots.events.cards import CardsDealt, DeckReshuffled
from engine.eots.frames import Phase, SwapCardFrame, TakeCardFrame
from engine.eots.ids import CardId, ScenarioId, Side
from engine.eots.redaction import redact_event
from engine.eots.scenarios import scenario
from engine.eots.state import HIDDEN, Deck, State
from engine.kernel.dice import ScriptedDice
from engine.kernel.errors import HiddenError
from tests.engine.eots.positions import position, start_of, with_control
from tests.engine.eots.strategic import (
    advance,
    give,
    in_phase,
    ledger_on,
    of_type,
    rolling,
    with_decks,
)

MILITARY = CardId("J-47")


def holding(resources: int, turn: int = 6, **tracks: object) -> State:
    """Return a position with the given number of Japanese resource hexes."""
    hexes = board().resource_hexes
    state = with_control(position(**tracks), Side.JAPAN, hexes)  # type: ignore[arg-type]  # tracks by name
    state = with_control(state, Side.ALLIED, hexes[resources:])
    return in_phase(state, Phase.DEAL, turn)


@pytest.mark.parametrize(
    ("resources", "draw"),
    [
        pytest.param(count, draw, id=f"12.11-{count}-resources")
        for count, draw in {
            14: 7,
            13: 7,
            12: 6,
            11: 6,
            10: 5,
            9: 5,
            8: 4,
            7: 4,
            1: 4,
            0: 4,
        }.items()
    ],
)
def test_base_draw_depends_on_resources(resources: int, draw: int) -> None:
    state = holding(resources)
    assert resources_held(state) == resources
    assert base_draw(state) == draw


@pytest.mark.parametrize(
    ("turn", "surrendered", "europe", "hand"),
    [
        pytest.param(1, (), 0, Hand(0, 0), id="12.51-turn-1"),
        pytest.param(2, (), 0, Hand(5, 2), id="12.51-turn-2"),
        pytest.param(3, (), 0, Hand(6, 1), id="12.51-turn-3"),
        pytest.param(4, (), 0, Hand(7, 0), id="12.51-turn-4"),
        pytest.param(12, (), 0, Hand(7, 0), id="12.51-turn-12"),
        pytest.param(8, ("china", "australia"), -7, Hand(4, 2), id="EX12-6-12.52"),
        pytest.param(8, ("india",), 0, Hand(6, 1), id="12.52B-india"),
        pytest.param(8, ("china", "india", "australia"), -7, Hand(4, 2), id="12.51-minimum-4"),
        pytest.param(3, ("china",), 0, Hand(5, 2), id="12.52A-turn-3"),
        pytest.param(8, ("malaya", "burma"), -6, Hand(7, 0), id="12.52-others-cost-nothing"),
    ],
)
def test_allied_hand_size(turn: int, surrendered: tuple[str, ...], europe: int, hand: Hand) -> None:
    state = position(surrendered=surrendered, war_in_europe_at_turn_start=europe)
    assert allied_hand(in_phase(state, Phase.DEAL, turn)) == hand


def short_deck(state: State, undrawn: int, discards: int, beneath: int = 0) -> State:
    """Return the state with a short Japanese deck."""
    full = with_decks(state).decks
    names = full[Side.JAPAN].draw
    deck = Deck(draw=names[:undrawn], discard=names[undrawn : undrawn + discards])
    piles = {Side.JAPAN: names[undrawn + discards :][:beneath]} if beneath else {}
    return replace(state, decks={**full, Side.JAPAN: deck}, beneath=piles)


def test_cards_beneath_are_drawn_after_the_draw_pile() -> None:  # 5.37, OP-11
    state = short_deck(holding(14), undrawn=3, discards=20, beneath=9)
    before, beneath = state.decks[Side.JAPAN], state.beneath[Side.JAPAN]
    ledger = ledger_on(state)
    deal_turn_hands(rolling(ledger, ScriptedDice()))
    deck = ledger.state.decks[Side.JAPAN]
    assert of_type(ledger, DeckReshuffled) == []
    assert set(before.draw) < set(deck.hand) <= {*before.draw, *beneath}
    assert (len(deck.hand), len(deck.draw), ledger.state.beneath) == (7, 5, {})
    assert deck.discard == before.discard


@pytest.mark.parametrize("beneath", [0, 2], ids=["CP-46", "5.37"])
@pytest.mark.parametrize("seat", [Side.JAPAN, Side.ALLIED, None])
def test_redacted_copies_follow_a_deal_with_an_empty_deck(seat: Side | None, beneath: int) -> None:
    state = short_deck(holding(14), undrawn=3, discards=20, beneath=beneath)
    ledger = ledger_on(state)
    deal_turn_hands(rolling(ledger, ScriptedDice()))
    blank = {
        side: deck if side is seat else replace(deck, draw=(HIDDEN,) * len(deck.draw))
        for side, deck in state.decks.items()
    }
    piles = {
        side: pile if side is seat else (HIDDEN,) * len(pile)
        for side, pile in state.beneath.items()
    }
    copy = ledger_on(replace(state, decks=blank, beneath=piles))
    for event in ledger.events:
        copy.add(redact_event(event, seat))
    for side in Side:
        whole, seen = ledger.state.decks[side], copy.state.decks[side]
        assert (len(seen.hand), len(seen.draw)) == (len(whole.hand), len(whole.draw))
        assert (seen.discard, seen.passes) == (whole.discard, whole.passes)
        if side is seat:
            assert seen == whole
        else:
            assert set(seen.hand) == {HIDDEN}


# -- first hands of scenarios


@pytest.mark.parametrize(
    ("name", "japan", "allied"),
    [
        pytest.param(
            "campaign-1941", Hand(2, 0, (CardId("J-1"), CardId("J-2"))), Hand(0, 0), id="17.11"
        ),
        pytest.param("1942", Hand(7, 0), Hand(5, 2), id="17.25A"),
        pytest.param("1942-44", Hand(7, 0), Hand(5, 2), id="17.7"),
        pytest.param("1943", Hand(7, 0), Hand(7, 0), id="17.35"),
        pytest.param("1944", Hand(6, 1), Hand(7, 0), id="17.45"),
        pytest.param("south-pacific", Hand(3, 0, (CardId("J-17"),)), Hand(2, 0), id="17.10.5DE"),
    ],
)
def test_first_hand_sizes(name: str, japan: Hand, allied: Hand) -> None:
    state = start_of(name)
    row = scenario(ScenarioId(name)).cards.hands[0]
    assert first_hand(state, Side.JAPAN, row.japan) == japan
    assert first_hand(state, Side.ALLIED, row.allied) == allied


def opening(name: str = "1942", **options: str) -> State:
    """Return a scenario before its first deal."""
    state = with_decks(in_phase(start_of(name), Phase.DEAL))
    return replace(state, options=options)


def swapping(*hand: str) -> State:
    """Return the 1942 scenario with Japan asked for its exchange."""
    state = opening()
    deck = state.decks[Side.JAPAN]
    cards = tuple(CardId(card) for card in hand)
    draw = tuple(card for card in deck.draw if card not in cards)
    decks = {**state.decks, Side.JAPAN: replace(deck, draw=draw, hand=cards)}
    frames = (*state.frames, SwapCardFrame(card=MILITARY))
    return replace(state, decks=decks, frames=frames)


def test_exchange_decision_does_not_depend_on_the_hand() -> None:  # 17.25E
    for hand in (("J-9",), ("J-5",), (HIDDEN,)):
        question = advance(ledger_on(swapping(*hand)), ScriptedDice())
        assert question is not None
        assert Pass() in question.options


# -- decided by one side on its own copy, which does not know the faces of the other side's cards


def own_copy(state: State, seat: Side) -> State:
    hidden = {
        side: deck if side is seat else replace(deck, draw=(HIDDEN,) * len(deck.draw))
        for side, deck in state.decks.items()
    }
    return replace(state, decks=hidden)


@pytest.mark.parametrize("seat", list(Side))
def test_the_card_offer_depends_only_on_public_facts(seat: Side) -> None:  # 17.25D
    ledger = ledger_on(own_copy(opening(), seat))
    deal_turn_hands(rolling(ledger, ScriptedDice()))
    assert isinstance(ledger.state.frames[-1], TakeCardFrame)


@pytest.mark.parametrize("command", [Pass(), TakeCard(card=CardId("A-4"))])
def test_agreed_cards_are_dealt_on_a_copy_without_their_faces(
    command: Pass | TakeCard,
) -> None:  # 17.25F
    state = opening(**{"historical-japanese-hand": "on"})
    dealt = []
    for start in (state, own_copy(state, Side.ALLIED)):
        dice = ScriptedDice()
        ledger = ledger_on(start)
        deal_turn_hands(rolling(ledger, dice))
        advance(ledger, dice)
        give(ledger, command, dice)
        dealt.append([redact_event(one, Side.ALLIED) for one in of_type(ledger, CardsDealt)])
        deck = ledger.state.decks[Side.JAPAN]
        assert (len(deck.hand), len(deck.draw)) == (7, 79)
    assert dealt[0] == dealt[1]


def test_a_copy_knows_undrawn_cards_only_from_visible_cards() -> None:
    card, other = CardId("A-4"), CardId("A-5")
    hidden = (HIDDEN,) * 3
    assert is_undrawn(Deck(draw=(card, other)), card)
    assert not is_undrawn(Deck(draw=(other,)), card)
    assert is_undrawn(Deck(draw=hidden), card)
    for known in (Deck(hand=(card,)), Deck(discard=(card,)), Deck(removed=(card,))):
        assert not is_undrawn(replace(known, draw=hidden), card)
    for deck in (Deck(hand=(HIDDEN,)), Deck(future=HIDDEN)):
        with pytest.raises(HiddenError):
            is_undrawn(replace(deck, draw=hidden), card)

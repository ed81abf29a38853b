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
    japan_hand,
    japan_passes,
    resources_held,
)
from engine.eots.commands import DiscardCard, Pass, TakeCard
from engine.eots.events.cards import CardsDealt, DeckReshuffled, ReshuffleOrdered
from engine.eots.frames import Phase, SwapCardFrame, TakeCardFrame
from engine.eots.ids import CardId, ScenarioId, Side
from engine.eots.redaction import redact_event
from engine.eots.scenarios import scenario
from engine.eots.state import HIDDEN, Deck, State
from engine.kernel.dice import ScriptedDice
from engine.kernel.errors import HiddenError
from tests.engine.eots.positions import position, start_of, with_control, with_tracks
from tests.engine.eots.strategic import (
    advance,
    give,
    in_phase,
    ledger_on,
    of_type,
    rolling,
    rules_against,
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
def test_base_draw(resources: int, draw: int) -> None:
    state = holding(resources)
    assert resources_held(state) == resources
    assert base_draw(state) == draw


@pytest.mark.parametrize("turn", [pytest.param(t, id=f"12.12-turn-{t}") for t in (2, 3, 4)])
def test_strategic_reserve(turn: int) -> None:
    assert base_draw(holding(3, turn)) == 7
    assert base_draw(holding(3, 5)) == 4


@pytest.mark.parametrize(
    ("cards", "passes"),
    [
        pytest.param(7, 0, id="12.4-7"),
        pytest.param(6, 1, id="12.4-6"),
        pytest.param(5, 2, id="12.4-5"),
        pytest.param(4, 2, id="12.4-4"),
    ],
)
def test_japan_passes(cards: int, passes: int) -> None:
    assert japan_passes(cards) == passes


@pytest.mark.parametrize(
    ("resources", "turn", "lost", "hand"),
    [
        pytest.param(3, 2, 0, Hand(7, 0), id="EX12-1-12.12-no-loss"),
        pytest.param(3, 2, 1, Hand(6, 1), id="EX12-2-12.21-submarines"),
        pytest.param(11, 6, 1, Hand(5, 2), id="EX12-3-12.21-escorts"),
        pytest.param(10, 10, 3, Hand(4, 2), id="EX12-5-12.4-never-below-4"),
    ],
)
def test_japan_hand(resources: int, turn: int, lost: int, hand: Hand) -> None:
    assert japan_hand(holding(resources, turn, draw_loss=lost)) == hand


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
def test_allied_hand(turn: int, surrendered: tuple[str, ...], europe: int, hand: Hand) -> None:
    state = position(surrendered=surrendered, war_in_europe_at_turn_start=europe)
    assert allied_hand(in_phase(state, Phase.DEAL, turn)) == hand


def test_deal_draws_from_the_decks() -> None:
    state = with_decks(holding(14, 6, draw_loss=1))
    ledger = ledger_on(state)
    deal_turn_hands(rolling(ledger, ScriptedDice(picks=["J-50", "A-50"])))
    after = ledger.state.decks
    japan, allied = after[Side.JAPAN], after[Side.ALLIED]
    assert (len(japan.hand), japan.passes) == (6, 1)
    assert (len(allied.hand), allied.passes) == (7, 0)
    assert CardId("J-50") in japan.hand
    assert CardId("A-50") in allied.hand
    for side in Side:
        before = state.decks[side].draw
        assert sorted((*after[side].draw, *after[side].hand)) == sorted(before)
    assert [event.side for event in of_type(ledger, CardsDealt)] == [Side.JAPAN, Side.ALLIED]


def short_deck(state: State, undrawn: int, discards: int, beneath: int = 0) -> State:
    """Return the state with a short Japanese deck."""
    full = with_decks(state).decks
    names = full[Side.JAPAN].draw
    deck = Deck(draw=names[:undrawn], discard=names[undrawn : undrawn + discards])
    piles = {Side.JAPAN: names[undrawn + discards :][:beneath]} if beneath else {}
    return replace(state, decks={**full, Side.JAPAN: deck}, beneath=piles)


def test_empty_deck_takes_the_discards() -> None:  # CP-46
    state = short_deck(holding(14), undrawn=3, discards=20)
    ledger = ledger_on(state)
    deal_turn_hands(rolling(ledger, ScriptedDice()))
    deck = ledger.state.decks[Side.JAPAN]
    assert len(deck.hand) == 7
    assert set(state.decks[Side.JAPAN].draw) <= set(deck.hand)
    assert len(deck.draw) == 16
    assert deck.discard == ()
    assert len(of_type(ledger, DeckReshuffled)) == 1


def test_deck_that_just_suffices_is_not_reshuffled() -> None:  # CP-46
    ledger = ledger_on(short_deck(holding(14), undrawn=7, discards=20))
    deal_turn_hands(rolling(ledger, ScriptedDice()))
    assert of_type(ledger, DeckReshuffled) == []
    assert len(ledger.state.decks[Side.JAPAN].discard) == 20


def test_too_few_cards_in_all() -> None:  # CP-46
    ledger = ledger_on(short_deck(holding(14), undrawn=2, discards=3))
    deal_turn_hands(rolling(ledger, ScriptedDice()))
    assert len(ledger.state.decks[Side.JAPAN].hand) == 5


def test_empty_deck_switch() -> None:  # CP-46, alternative reading
    state = replace(
        short_deck(holding(14), undrawn=3, discards=20), options={"empty-deck": "no-draw"}
    )
    ledger = ledger_on(state)
    deal_turn_hands(rolling(ledger, ScriptedDice()))
    assert len(ledger.state.decks[Side.JAPAN].hand) == 3


def test_the_pile_beneath_is_drawn_after_the_undrawn_cards() -> None:  # 5.37, OP-11
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
def test_copies_follow_a_deal_with_an_empty_deck(seat: Side | None, beneath: int) -> None:
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
def test_first_hand(name: str, japan: Hand, allied: Hand) -> None:
    state = start_of(name)
    row = scenario(ScenarioId(name)).cards.hands[0]
    assert first_hand(state, Side.JAPAN, row.japan) == japan
    assert first_hand(state, Side.ALLIED, row.allied) == allied


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        pytest.param("1943", {Side.JAPAN: 7, Side.ALLIED: 7}, id="17.35"),
        pytest.param("1944", {Side.JAPAN: 6, Side.ALLIED: 7}, id="17.45"),
        pytest.param("south-pacific", {Side.JAPAN: 3, Side.ALLIED: 2}, id="17.10.5"),
        pytest.param("campaign-1941", {Side.JAPAN: 2, Side.ALLIED: 0}, id="17.11"),
    ],
)
def test_first_deal(name: str, counts: dict[Side, int]) -> None:
    ledger = ledger_on(with_decks(in_phase(start_of(name), Phase.DEAL)))
    deal_turn_hands(rolling(ledger, ScriptedDice()))
    assert {side: len(ledger.state.decks[side].hand) for side in Side} == counts
    if name == "south-pacific":
        assert CardId("J-17") in ledger.state.decks[Side.JAPAN].hand
    if name == "campaign-1941":
        assert ledger.state.decks[Side.JAPAN].hand == ("J-1", "J-2")


def opening(name: str = "1942", **options: str) -> State:
    """Return a scenario before its first deal."""
    state = with_decks(in_phase(start_of(name), Phase.DEAL))
    return replace(state, options=options)


def test_arcadia_is_offered_before_the_deal() -> None:  # 17.25D, OPS-9
    dice = ScriptedDice()
    ledger = ledger_on(opening())
    deal_turn_hands(rolling(ledger, dice))
    assert ledger.events[-1:] != ()
    assert isinstance(ledger.state.frames[-1], TakeCardFrame)
    question = advance(ledger, dice)
    assert question is not None
    assert question.options == (TakeCard(card=CardId("A-4")), Pass())
    assert question.default == Pass()
    give(ledger, TakeCard(card=CardId("A-4")), dice)
    hand = ledger.state.decks[Side.ALLIED].hand
    assert CardId("A-4") in hand
    assert len(hand) == 5


def test_arcadia_declined() -> None:  # 17.25D
    dice = ScriptedDice(picks=["A-40"])
    ledger = ledger_on(opening())
    deal_turn_hands(rolling(ledger, dice))
    advance(ledger, dice)
    give(ledger, Pass(), dice)
    assert len(ledger.state.decks[Side.ALLIED].hand) == 5
    assert ledger.state.decks[Side.ALLIED].passes == 2


def test_only_the_named_card_can_be_taken() -> None:  # 17.25D
    ledger = ledger_on(opening())
    deal_turn_hands(rolling(ledger, ScriptedDice()))
    assert rules_against(ledger.state, TakeCard(card=CardId("A-5"))) == ["17.25D"]


def swapping(*hand: str) -> State:
    """Return the 1942 scenario with Japan asked for its exchange."""
    state = opening()
    deck = state.decks[Side.JAPAN]
    cards = tuple(CardId(card) for card in hand)
    draw = tuple(card for card in deck.draw if card not in cards)
    decks = {**state.decks, Side.JAPAN: replace(deck, draw=draw, hand=cards)}
    frames = (*state.frames, SwapCardFrame(card=MILITARY))
    return replace(state, decks=decks, frames=frames)


def test_exchange_of_a_card_of_value_3() -> None:  # 17.25E
    dice = ScriptedDice()
    ledger = ledger_on(swapping("J-5", "J-15", "J-72", "J-80"))
    question = advance(ledger, dice)
    assert question is not None
    assert question.options == (
        DiscardCard(card=CardId("J-15")),
        DiscardCard(card=CardId("J-72")),
        Pass(),
    )
    give(ledger, DiscardCard(card=CardId("J-72")), dice)
    deck = ledger.state.decks[Side.JAPAN]
    assert deck.hand == ("J-5", "J-15", "J-47", "J-80")
    assert deck.discard == ("J-72",)
    assert MILITARY not in deck.draw
    assert deck.event_draws == 0


def test_exchange_of_a_lower_card_without_value_3() -> None:  # 17.25E
    ledger = ledger_on(swapping("J-5", "J-80"))
    question = advance(ledger, ScriptedDice())
    assert question is not None
    assert len(question.options) == 3


def test_exchange_of_tojo_orders_a_reshuffle() -> None:  # 17.25E, 5.37
    ledger = ledger_on(swapping("J-43"))
    give(ledger, DiscardCard(card=CardId("J-43")), ScriptedDice())
    assert of_type(ledger, ReshuffleOrdered)


@pytest.mark.parametrize(
    ("hand", "card"),
    [
        pytest.param(("J-9", "J-15"), "J-15", id="17.25E-military-card-held"),
        pytest.param(("J-5", "J-15"), "J-5", id="17.25E-value-3-first"),
    ],
)
def test_exchange_refused(hand: tuple[str, ...], card: str) -> None:
    assert rules_against(swapping(*hand), DiscardCard(card=CardId(card))) == ["17.25E"]


def test_exchange_question_does_not_depend_on_the_hand() -> None:  # 17.25E
    for hand in (("J-9",), ("J-5",), (HIDDEN,)):
        question = advance(ledger_on(swapping(*hand)), ScriptedDice())
        assert question is not None
        assert Pass() in question.options


def test_historical_hand() -> None:  # 17.25F
    dice = ScriptedDice()
    ledger = ledger_on(opening(**{"historical-japanese-hand": "on"}))
    deal_turn_hands(rolling(ledger, dice))
    advance(ledger, dice)
    give(ledger, Pass(), dice)
    hand = ledger.state.decks[Side.JAPAN].hand
    assert {"J-3", "J-47", "J-59"} <= set(hand)
    assert len(hand) == 7
    assert advance(ledger, dice) is None


# -- decided by one side on its own copy, which does not know the faces of the other side's cards


def own_copy(state: State, seat: Side) -> State:
    hidden = {
        side: deck if side is seat else replace(deck, draw=(HIDDEN,) * len(deck.draw))
        for side, deck in state.decks.items()
    }
    return replace(state, decks=hidden)


@pytest.mark.parametrize("seat", list(Side))
def test_the_offer_of_a_card_rests_on_open_facts(seat: Side) -> None:  # 17.25D
    ledger = ledger_on(own_copy(opening(), seat))
    deal_turn_hands(rolling(ledger, ScriptedDice()))
    assert isinstance(ledger.state.frames[-1], TakeCardFrame)


@pytest.mark.parametrize("command", [Pass(), TakeCard(card=CardId("A-4"))])
def test_cards_agreed_on_are_dealt_on_a_copy_that_does_not_know_them(
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


def test_a_copy_knows_what_is_undrawn_as_far_as_anybody_can() -> None:
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


# -- South Pacific


@pytest.mark.parametrize(
    ("lost", "surrendered", "japan", "allied"),
    [
        pytest.param(0, (), Hand(4, 0), Hand(4, 0), id="17.10.5A"),
        pytest.param(1, (), Hand(3, 1), Hand(4, 0), id="17.10.5B"),
        pytest.param(0, ("china",), Hand(4, 0), Hand(3, 1), id="17.10.5C"),
    ],
)
def test_south_pacific(lost: int, surrendered: tuple[str, ...], japan: Hand, allied: Hand) -> None:
    state = in_phase(start_of("south-pacific"), Phase.DEAL, turn=4)
    state = with_tracks(state, draw_loss=lost, surrendered=surrendered)
    assert japan_hand(state) == japan
    assert allied_hand(state) == allied

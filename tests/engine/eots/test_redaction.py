"""Visibility of events and commands: the faces of cards are the only secrets (5.0)."""

from typing import get_args

import pytest
from msgspec.structs import replace

from engine.eots.commands import COMMANDS, DiscardCard, EotsCommand, PlaceFuture
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
from engine.eots.events.flow import GameStarted
from engine.eots.evolve import EVENT_UNION
from engine.eots.ids import CardId, Side
from engine.eots.redaction import redact_event, redact_order
from engine.eots.ruleset import EOTS
from engine.eots.state import HIDDEN
from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role, Rule
from tests.engine.eots.positions import position
from tests.engine.eots.random_games import SCENARIOS, game
from tests.engine.eots.table import with_cards
from tests.sizes import sampled

CARDS = (CardId("J-9"), CardId("J-23"))
RULE = Rule("5.35")
SECRET: tuple[EotsEvent, ...] = (
    CardsDealt(side=Side.JAPAN, cards=CARDS, passes=1),
    DeckReshuffled(rule=RULE, side=Side.JAPAN, cards=CARDS),
    CardDrawn(rule=RULE, side=Side.JAPAN, card=CARDS[0], locked=True),
    FuturePlaced(side=Side.JAPAN, card=CARDS[0]),
    CardTakenBack(side=Side.JAPAN, card=CARDS[0], future=False),
    DrawPileAdded(rule=RULE, side=Side.JAPAN, cards=CARDS),
)
RECLAIMED = CardReclaimed(rule=RULE, side=Side.JAPAN, card=CARDS[0], held=CARDS[0])
OPEN: tuple[EotsEvent, ...] = (
    CardPlayed(side=Side.JAPAN, card=CARDS[0], use="oc", future=False),
    CardDiscarded(rule=RULE, side=Side.JAPAN, card=CARDS[0]),
    CardSettled(rule=RULE, side=Side.JAPAN, card=CARDS[0], removed=True),
)


def shown(event: EotsEvent) -> str:
    return str(event)


@pytest.mark.parametrize("event", [pytest.param(e, id=type(e).__name__) for e in SECRET])
def test_card_faces_are_hidden_from_all_other_viewers(event: EotsEvent) -> None:
    assert redact_event(event, Side.JAPAN) is event
    for other in (Side.ALLIED, None):
        hidden = redact_event(event, other)
        assert type(hidden) is type(event)
        assert "J-9" not in shown(hidden)
        assert "J-23" not in shown(hidden)
        assert HIDDEN in shown(hidden)


def test_the_reclaimed_card_is_hidden_from_other_viewers() -> None:
    assert redact_event(RECLAIMED, Side.JAPAN) is RECLAIMED
    for other in (Side.ALLIED, None):
        assert redact_event(RECLAIMED, other) == replace(RECLAIMED, held=HIDDEN)


@pytest.mark.parametrize("viewer", [Side.ALLIED, None])
def test_only_the_size_of_the_pile_beneath_the_deck_is_shown(viewer: Side | None) -> None:
    state = with_cards(position({}), {Side.ALLIED: "A-31", Side.JAPAN: "J-9"}, {})
    piles = [replace(state, beneath={Side.JAPAN: pile}) for pile in (CARDS, CARDS[1:] * 2)]
    role = None if viewer is None else Role(viewer)
    first, second = (EOTS.project(one, role) for one in piles)
    assert first == second
    own = [EOTS.project(one, Role(Side.JAPAN)) for one in piles]
    assert own[0] != own[1]
    event = GameStarted(position=EOTS.to_position(piles[0]))
    seen = redact_event(event, viewer)
    assert isinstance(seen, GameStarted)
    assert seen.position.beneath == {Side.JAPAN: (HIDDEN, HIDDEN)}


def test_card_counts_are_not_redacted() -> None:
    dealt = redact_event(SECRET[0], Side.ALLIED)
    assert dealt == CardsDealt(side=Side.JAPAN, cards=(HIDDEN, HIDDEN), passes=1)


@pytest.mark.parametrize("event", [pytest.param(e, id=type(e).__name__) for e in OPEN])
def test_public_card_events_are_not_redacted(event: EotsEvent) -> None:
    for viewer in (*Side, None):
        assert redact_event(event, viewer) is event


def test_a_game_start_hides_hands_decks_and_future_cards() -> None:
    state = with_cards(
        position({}),
        {Side.ALLIED: "A-31 A-13", Side.JAPAN: "J-9"},
        {Side.JAPAN: "J-26"},
    )
    event = GameStarted(position=EOTS.to_position(state))
    for viewer in (*Side, None):
        seen = redact_event(event, viewer)
        assert isinstance(seen, GameStarted)
        for side in Side:
            deck, whole = seen.position.decks[side], state.decks[side]
            if side is viewer:
                assert deck == whole
                continue
            assert deck.hand == (HIDDEN,) * len(whole.hand)
            assert deck.draw == (HIDDEN,) * len(whole.draw)
            assert (deck.future is None) == (whole.future is None)
            assert deck.future in {None, HIDDEN}
            assert (deck.discard, deck.removed) == (whole.discard, whole.removed)


@pytest.mark.full
def test_only_card_and_start_events_are_redacted() -> None:
    kinds = {type(event) for event in SECRET} | {GameStarted, CardReclaimed}
    assert kinds <= set(get_args(EVENT_UNION))
    for scenario in SCENARIOS:
        state = game(scenario)[-1][0]
        for event in EOTS.open_game(EOTS.to_position(state), _no_dice()):
            for viewer in (*Side, None):
                changed = redact_event(event, viewer) != event
                assert not changed or type(event) in kinds


def _no_dice() -> DerivedDice:
    return DerivedDice(bytes(32), 0)


def test_the_card_in_a_future_order_is_redacted() -> None:
    order = PlaceFuture(card=CARDS[0])
    assert redact_order(order, Side.JAPAN, Side.JAPAN) == order
    assert redact_order(order, Side.JAPAN, Side.ALLIED) == PlaceFuture(card=HIDDEN)
    assert redact_order(order, Side.JAPAN, None) == PlaceFuture(card=HIDDEN)


@pytest.mark.full
def test_all_other_orders_are_not_redacted() -> None:
    commands: list[EotsCommand] = [DiscardCard(card=CARDS[0])]
    for scenario in SCENARIOS:
        for state, _, role in game(scenario):
            commands += EOTS.decision(state, role).options[:3]
    for command in commands:
        if not isinstance(command, PlaceFuture):
            assert redact_order(command, Side.JAPAN, Side.ALLIED) is command
    assert PlaceFuture in COMMANDS


@pytest.mark.parametrize("scenario", sampled(SCENARIOS, 1))
def test_redaction_is_idempotent(scenario: str) -> None:
    for state, _, _ in game(scenario):
        for event in EOTS.open_game(EOTS.to_position(state), _no_dice()):
            for viewer in (Role("allied"), Role("japan"), None):
                once = EOTS.redact(event, viewer)
                assert EOTS.redact(once, viewer) == once
                assert EOTS.redact(once, None) == EOTS.redact(event, None)

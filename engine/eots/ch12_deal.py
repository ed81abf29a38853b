"""Hand sizes, passes and the deal (4.14, 12.1, 12.4, 12.5, 17)."""

from typing import Final

import msgspec

from engine.eots.board import board
from engine.eots.card_piles import BENEATH_PILE, DRAW, SHUFFLED_PILE
from engine.eots.ch06_supply.control import controls
from engine.eots.ch15_europe import costs_a_card
from engine.eots.data.scenarios_file import HandRule, TakeOption
from engine.eots.events.cards import CardsDealt, DeckReshuffled
from engine.eots.flow import EotsRun
from engine.eots.frames import SwapCardFrame, TakeCardFrame
from engine.eots.ids import CardId, NationId, ScenarioId, Side
from engine.eots.rulings import ARCADIA_DEAL, EMPTY_DECK, HISTORICAL_HAND, SP_PASSES
from engine.eots.scenarios import card_id, scenario, schedules
from engine.eots.state import HIDDEN, Deck, State
from engine.kernel.dice import CardPile, draw
from engine.kernel.errors import HiddenError
from engine.kernel.ids import Rule

CHINA: Final = NationId("china")
COSTLY_SURRENDERS: Final = (CHINA, NationId("india"), NationId("australia"))
"""Nations whose surrender costs the Allies a card and gives them a pass (12.52A-C)."""
DEALING_ORDER: Final = (Side.JAPAN, Side.ALLIED)
"""The order in which sides are dealt their hands (4.14)."""


class Hand(msgspec.Struct, frozen=True):
    """The number of cards and passes that a side receives in a deal."""

    cards: int
    passes: int
    exact: tuple[CardId, ...] = ()
    """Specific cards that the hand must include."""


# -- Japan


def resources_held(state: State) -> int:
    """Return how many resource hexes Japan controls (12.11)."""
    return sum(controls(state, Side.JAPAN, hex_id) for hex_id in board().resource_hexes)


def base_draw(state: State) -> int:
    """Return how many cards Japan draws, before losses to submarines and bombing (12.11, 12.12)."""
    rule = schedules().japan_draw
    if state.turn in rule.reserve_turns:
        return rule.reserve_cards
    # 12.11: one card per two resource hexes, rounded up
    return max(rule.minimum, -(-resources_held(state) // rule.resource_divisor))


def japan_passes(cards: int) -> int:
    """Return the number of passes that Japan receives for a hand of this size (12.4)."""
    rows = schedules().japan_draw.passes
    return next(row.passes for row in rows if cards >= row.cards_at_least)


def japan_hand(state: State) -> Hand:
    """Return how many cards and passes Japan receives this turn, after all losses (12.4; 17.10.5A, B)."""
    own_rule = hand_rule(state, Side.JAPAN)
    if own_rule is not None and own_rule.count is not None and _is_south_pacific(state):
        return _fixed_hand(state, Side.JAPAN, own_rule.count, loses_card=state.tracks.draw_loss > 0)
    minimum = schedules().japan_draw.minimum
    cards = max(minimum, base_draw(state) - state.tracks.draw_loss)
    return Hand(cards, japan_passes(cards), _historical_cards(state, own_rule))


# -- the Allies


def _allied_base(turn: int) -> tuple[int, int]:
    """Return how many cards and passes the Allies receive in a turn, before the losses of 12.52 (12.51)."""
    rows = schedules().allied_draw.by_turn
    return next((row.cards, row.passes) for row in rows if row.from_turn <= turn <= row.to_turn)


def allied_losses(state: State) -> int:
    """Return how many of 12.52's conditions are met; each costs the Allies a card."""
    surrendered_count = sum(nation in state.tracks.surrendered for nation in COSTLY_SURRENDERS)
    return surrendered_count + int(costs_a_card(state))


def allied_hand(state: State) -> Hand:
    """Return how many cards and passes the Allies receive this turn (12.51, 12.52; 17.10.5A, C)."""
    own_rule = hand_rule(state, Side.ALLIED)
    if own_rule is not None and own_rule.count is not None and _is_south_pacific(state):
        loses_card = CHINA in state.tracks.surrendered
        return _fixed_hand(state, Side.ALLIED, own_rule.count, loses_card=loses_card)
    rule = schedules().allied_draw
    cards, passes = _allied_base(state.turn)
    if cards == 0:  # 12.51: no cards are dealt in December 1941
        return Hand(0, passes)
    losses = allied_losses(state)
    return Hand(max(rule.minimum, cards - losses), min(rule.highest_passes, passes + losses))


# -- scenarios


def _scenario_id(state: State) -> ScenarioId:
    return ScenarioId(state.scenario)


def _is_south_pacific(state: State) -> bool:
    return scenario(_scenario_id(state)).map == "south-pacific"


def hand_rule(state: State, side: Side) -> HandRule | None:
    """Return the scenario's rule for a side's hand in this turn; None if there is no such rule."""
    for row in scenario(_scenario_id(state)).cards.hands:
        if row.from_turn <= state.turn <= row.to_turn:
            return row.japan if side is Side.JAPAN else row.allied
    return None


def _historical_cards(state: State, rule: HandRule | None) -> tuple[CardId, ...]:
    """Return the cards of the historical Japanese hand; empty unless the players chose that option (17.12, 17.25F)."""
    if (
        rule is None
        or rule.historical is None
        or not HISTORICAL_HAND.uses_alternative(state.options)
    ):
        return ()
    return tuple(card_id(Side.JAPAN, number) for number in rule.historical.exact)


def _fixed_hand(state: State, side: Side, count: int, *, loses_card: bool) -> Hand:
    """Return a side's hand in the South Pacific scenario, where each lost card becomes a pass (17.10.5B, C)."""
    cards = count - int(loses_card)
    return Hand(cards, max(int(loses_card), _passes_by_rule(state, side, cards)))


def _passes_by_rule(state: State, side: Side, cards: int) -> int:
    """Return a side's passes in the South Pacific scenario (12.4, 12.5). By default, there are none (OPS-20)."""
    if not _is_south_pacific(state) or not SP_PASSES.uses_alternative(state.options):
        return 0
    if side is Side.JAPAN:
        return japan_passes(cards)
    rule = schedules().allied_draw
    return min(rule.highest_passes, _allied_base(state.turn)[1] + allied_losses(state))


# -- dealing


def deal_turn_hands(run: EotsRun) -> None:
    """Deal both hands of a turn after strategic warfare (4.14), or a scenario's starting hands (17)."""
    _open_card_offer(run, is_first=run.state.turn == scenario(_scenario_id(run.state)).start_turn)


def offered_card(state: State) -> TakeOption | None:
    """Return the card that the Allies may take into this turn's hand; None if no card is offered (17.11, 17.25D)."""
    rule = hand_rule(state, Side.ALLIED)
    return None if rule is None else rule.may_take


def _open_card_offer(run: EotsRun, *, is_first: bool) -> None:
    """Offer the Allies a card before the deal or before their last card (OPS-9).

    If no card is offered, deal at once.
    """
    card_offer = offered_card(run.state)
    if card_offer is not None:
        card = card_id(Side.ALLIED, card_offer.card)
        if is_undrawn(run.state.decks[Side.ALLIED], card):
            is_late = ARCADIA_DEAL.uses_alternative(run.state.options)
            if is_late:
                deal_hands(run, (), is_first=is_first, deferred_count=1)
            run.push(TakeCardFrame(card=card, first=is_first, dealt=is_late))
            return
    deal_hands(run, (), is_first=is_first)


def deal_hands(
    run: EotsRun, reserved_cards: tuple[CardId, ...], *, is_first: bool, deferred_count: int = 0
) -> None:
    """Deal both hands, then begin the card exchange if the scenario grants Japan one (17.25E).

    Args:
        run: The command being carried out.
        reserved_cards: Cards that the Allies have already chosen.
        is_first: True for the hands of a scenario's first turn.
        deferred_count: Number of Allied cards to deal later.
    """
    for side in DEALING_ORDER:
        hand = hand_to_deal(run.state, side, is_first=is_first)
        if hand is not None:
            if side is Side.ALLIED:
                exact_cards, cards = (*hand.exact, *reserved_cards), hand.cards - deferred_count
                hand = msgspec.structs.replace(hand, exact=exact_cards, cards=cards)
            _deal_to(run, side, hand)
    own_rule = hand_rule(run.state, Side.JAPAN)
    if (
        own_rule is not None
        and own_rule.swap is not None
        and not _historical_cards(run.state, own_rule)
    ):
        run.push(SwapCardFrame(card=card_id(Side.JAPAN, own_rule.swap.take)))


def hand_to_deal(state: State, side: Side, *, is_first: bool) -> Hand | None:
    """Return the hand to be dealt to a side now; None if the scenario deals the side no cards."""
    if is_first:
        rule = hand_rule(state, side)
        return None if rule is None else first_hand(state, side, rule)
    return japan_hand(state) if side is Side.JAPAN else allied_hand(state)


def first_hand(state: State, side: Side, rule: HandRule) -> Hand:
    """Return the hand that a rule provides for the scenario's first turn."""
    exact_cards = tuple(
        card_id(side, card_number) for card_number in rule.exact
    ) or _historical_cards(state, rule)
    cards = len(rule.exact) + rule.plus_random if rule.count is None else rule.count
    return Hand(cards, max(rule.passes, _passes_by_rule(state, side, cards)), exact_cards)


def _deal_to(run: EotsRun, side: Side, hand: Hand) -> None:
    """Deal one hand. If the deck runs out, shuffle the discards into a new deck (CP-46)."""
    deck = run.state.decks[side]
    exact_cards = tuple(card for card in hand.exact if is_undrawn(deck, card))
    # The other cards of the hand are drawn at random.
    count = hand.cards - len(exact_cards)
    piles = {
        DRAW: _remove_cards(deck.draw, exact_cards),
        BENEATH_PILE: run.state.beneath.get(side, ()),
    }
    if count > sum(map(len, piles.values())) and _may_reshuffle(run.state, deck):
        run.add(DeckReshuffled(rule=Rule("CP-46"), side=side, cards=deck.discard))
        # These names must agree with deck_segments(), which the owner's program uses to find the
        # cards.
        piles[SHUFFLED_PILE if deck.draw or piles[BENEATH_PILE] else DRAW] = deck.discard
    drawn_cards: tuple[str, ...] = ()
    for name, cards in piles.items():
        pile = CardPile(cards, side, "deck", segment=name)
        drawn_cards = (*drawn_cards, *draw(run.dice, pile, count - len(drawn_cards)))
    run.add(
        CardsDealt(side=side, cards=(*exact_cards, *map(CardId, drawn_cards)), passes=hand.passes)
    )


def is_undrawn(deck: Deck, card: CardId) -> bool:
    """Return whether a card is in the draw pile, even if this copy does not know the pile's faces.

    Raises:
        HiddenError: The card could also be one of the cards whose faces this copy does not know.
    """
    if card in deck.draw or HIDDEN not in deck.draw:
        return card in deck.draw
    if card in (*deck.hand, *deck.discard, *deck.removed, deck.future):
        return False
    if HIDDEN in (*deck.hand, *deck.removed, deck.future):
        raise HiddenError(f"this copy does not know whether {card} has been drawn")
    return True


def _remove_cards(pile: tuple[CardId, ...], cards: tuple[CardId, ...]) -> tuple[CardId, ...]:
    """Remove cards from a pile. If this copy does not know the faces, remove the same number of hidden cards."""
    remaining_cards = tuple(card for card in pile if card not in cards)
    return remaining_cards[: len(pile) - len(cards)]


def _may_reshuffle(state: State, deck: Deck) -> bool:
    return bool(deck.discard) and not EMPTY_DECK.uses_alternative(state.options)

"""Card choices for a starting hand (17.11, 17.25D, 17.25E)."""

from collections.abc import Iterator
from typing import Final

from typing_extensions import override

from engine.eots.card_piles import DRAW
from engine.eots.cards.interpreter import apply_missed_event
from engine.eots.ch12_deal import deal_hands, offered_card
from engine.eots.commands import DiscardCard, Pass, TakeCard
from engine.eots.deck import Card, cards
from engine.eots.events.cards import CardDiscarded, CardsDealt
from engine.eots.flow import DecisionHandler, EotsRun, Naming, PlainAction
from engine.eots.frames import SwapCardFrame, TakeCardFrame
from engine.eots.ids import CardId, Side
from engine.eots.state import HIDDEN, State
from engine.kernel.dice import CardPile, draw
from engine.kernel.ids import Refusal, Rule

EXCHANGED_OV: Final = 3
"""Operations value of the cards that Japan may give up, if its hand contains such a card (17.25E)."""
SWAP_RULE: Final = Rule("17.25E")


def _offered_refusals(
    state: State, frame: TakeCardFrame, _side: Side, card: CardId
) -> Iterator[Refusal]:
    if card != frame.card:
        yield Refusal(_offer_rule(state), f"only {frame.card} can be taken")
    elif card not in state.decks[Side.ALLIED].draw:
        yield Refusal(_offer_rule(state), f"{card} is already in your hand")


def _offer_rule(state: State) -> Rule:
    """Return the scenario rule under which the card is offered."""
    card_offer = offered_card(state)
    return Rule("17.25D" if card_offer is None else card_offer.rule)


def _deal_including(run: EotsRun, frame: TakeCardFrame, *taken_card: CardId) -> None:
    """Deal the hands, including a card that the Allies have taken.

    If the hands are already dealt, deal the last Allied card.
    """
    run.pop()
    if not frame.dealt:
        deal_hands(run, taken_card, is_first=frame.first)
        return
    deck = run.state.decks[Side.ALLIED]
    pile = CardPile(deck.draw, Side.ALLIED, "deck", segment=DRAW)
    cards = taken_card or tuple(map(CardId, draw(run.dice, pile, 1)))
    run.add(CardsDealt(side=Side.ALLIED, cards=cards, passes=deck.passes))


class TakeCardHandler(DecisionHandler[TakeCardFrame]):
    """Asks the Allied player whether to take a card before the deal or before the last card (17.11, 17.25D)."""

    frame = TakeCardFrame
    actions = (
        Naming(
            TakeCard,
            lambda _state, frame, _side: (frame.card,),
            _offered_refusals,
            lambda run, frame, _, card: _deal_including(run, frame, card),
        ),
        PlainAction(Pass, lambda run, frame, _: _deal_including(run, frame)),
    )
    wrong_kind_text = "only {frame.card} can be taken"

    @override
    def active_roles(self, state: State, frame: TakeCardFrame) -> tuple[Side, ...]:
        return (Side.ALLIED,)

    @override
    def decision_rule(self, state: State, frame: TakeCardFrame) -> Rule:
        """Return the rule to cite: 17.11 in the campaign, otherwise 17.25D."""
        return _offer_rule(state)

    @override
    def prompt(self, state: State, frame: TakeCardFrame, side: Side) -> str:
        return f"Take {frame.card} {cards()[frame.card].title} as one of your cards?"


def is_military_with_logistics(card: Card) -> bool:
    """Return whether a card is a military card with a logistics value (17.25E)."""
    return card.type == "military" and card.logistic is not None


def exchangeable(state: State) -> tuple[CardId, ...]:
    """Return the cards that Japan may exchange: cards of value 3 or, if it has none, all its cards (17.25E).

    Empty if the hand contains a military card with a logistics value. In a copy of the game that hides the hand, only
    known cards are considered.
    """
    hand = tuple(card for card in state.decks[Side.JAPAN].hand if card != HIDDEN)
    if any(is_military_with_logistics(cards()[card]) for card in hand):
        return ()
    return tuple(card for card in hand if cards()[card].ov == EXCHANGED_OV) or hand


def _exchange_refusals(
    state: State, _frame: SwapCardFrame, _side: Side, card: CardId
) -> Iterator[Refusal]:
    """Yield the reasons why a card may not be exchanged (17.25E)."""
    exchangeable_names = exchangeable(state)
    if not exchangeable_names:
        yield Refusal(SWAP_RULE, "your hand contains a military card with a logistics value")
    elif card not in exchangeable_names:
        yield Refusal(SWAP_RULE, f"{card} may not be given up while you hold a value-3 card")


def _swap_card(run: EotsRun, frame: SwapCardFrame, side: Side, card: CardId) -> None:
    """Discard the card and take the offered card."""
    passes = run.state.decks[side].passes
    run.add(CardDiscarded(rule=SWAP_RULE, side=side, card=card))
    apply_missed_event(run, cards()[card])
    run.add(CardsDealt(side=side, cards=(frame.card,), passes=passes))
    run.pop()


class SwapCardHandler(DecisionHandler[SwapCardFrame]):
    """Asks Japan whether to exchange a card if its starting hand contains no military events (17.25E).

    The player is always asked, so that the prompt reveals nothing about the hand.
    """

    frame = SwapCardFrame
    rule = SWAP_RULE
    actions = (
        Naming(
            DiscardCard, lambda state, _, _side: exchangeable(state), _exchange_refusals, _swap_card
        ),
        PlainAction(Pass),
    )
    wrong_kind_text = "give up a card from your hand, or pass"

    @override
    def active_roles(self, state: State, frame: SwapCardFrame) -> tuple[Side, ...]:
        return (Side.JAPAN,)

    @override
    def prompt(self, state: State, frame: SwapCardFrame, side: Side) -> str:
        """Return the prompt, naming the card to take."""
        return f"Exchange a card for {frame.card} {cards()[frame.card].title}?"

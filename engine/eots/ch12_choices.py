"""Cards of a first hand that a player may choose (17.11, 17.25D, 17.25E)."""

from collections.abc import Iterator
from typing import Final

from engine.eots.ch12_deal import deal_hands
from engine.eots.commands import DiscardCard, Pass, TakeCard
from engine.eots.deck import Card, cards
from engine.eots.deck_campaign import ReshuffleEndOfTurn
from engine.eots.events.cards import CardDiscarded, CardsDealt, ReshuffleOrdered
from engine.eots.flow import Action, EotsRun, PlainAction, Question
from engine.eots.frames import SwapCardFrame, TakeCardFrame
from engine.eots.ids import CardId, Side
from engine.eots.state import HIDDEN, State
from engine.kernel.ids import Refusal, Rule

EXCHANGED_OV: Final = 3
"""Operations value of the card that goes, as long as the hand holds one (17.25E)."""
SWAP_RULE: Final = Rule("17.25E")


class TakeOfferedCard(Action[TakeCardFrame, TakeCard]):
    """Take the card as one of the hand (17.11, 17.25D)."""

    kind = TakeCard

    def candidates(self, state: State, frame: TakeCardFrame, side: Side) -> tuple[TakeCard, ...]:
        """Return the card."""
        return (TakeCard(card=frame.card),)

    def refusals(
        self, state: State, frame: TakeCardFrame, side: Side, command: TakeCard
    ) -> Iterator[Refusal]:
        """Yield why another card cannot be taken."""
        if command.card != frame.card:
            yield Refusal(Rule("17.25D"), f"only {frame.card} can be taken")

    def apply(self, run: EotsRun, frame: TakeCardFrame, side: Side, command: TakeCard) -> None:
        """Deal the rest of the hand."""
        run.leave()
        deal_hands(run, (command.card,), first=frame.first)


class DeclineCard(PlainAction[TakeCardFrame, Pass]):
    """Let chance deal the whole hand."""

    def apply(self, run: EotsRun, frame: TakeCardFrame, side: Side, command: Pass) -> None:
        """Deal without the card."""
        run.leave()
        deal_hands(run, (), first=frame.first)


class TakeCardHandler(Question[TakeCardFrame]):
    """The Allied player says before the deal whether a card is one of his hand (17.11, 17.25D, OPS-9)."""

    frame = TakeCardFrame
    rule = Rule("17.25D")
    actions = (TakeOfferedCard(), DeclineCard(Pass))
    busy = "only {frame.card} can be taken"

    def asked(self, state: State, frame: TakeCardFrame) -> tuple[Side, ...]:
        """Return the Allied side."""
        return (Side.ALLIED,)

    def prompt(self, state: State, frame: TakeCardFrame, side: Side) -> str:
        """Name the card."""
        return f"Take {frame.card} {cards()[frame.card].title} as one of your cards?"


def is_military_with_logistics(card: Card) -> bool:
    """Return whether a card is a military one with a logistics value (17.25E)."""
    return card.type == "military" and card.logistic is not None


def exchangeable(state: State) -> tuple[CardId, ...]:
    """Return the cards that Japan may give for the other: of value 3, else any; none with a military card (17.25E)."""
    hand = state.decks[Side.JAPAN].hand
    if HIDDEN in hand:  # a copy that does not know the hand
        return ()
    if any(is_military_with_logistics(cards()[card]) for card in hand):
        return ()
    return tuple(card for card in hand if cards()[card].ov == EXCHANGED_OV) or hand


class ExchangeCard(Action[SwapCardFrame, DiscardCard]):
    """Give a card of the hand for the other (17.25E)."""

    kind = DiscardCard

    def candidates(self, state: State, frame: SwapCardFrame, side: Side) -> Iterator[DiscardCard]:
        """Yield the cards that may go, in the order of the hand."""
        for card in exchangeable(state):
            yield DiscardCard(card=card)

    def refusals(
        self, state: State, frame: SwapCardFrame, side: Side, command: DiscardCard
    ) -> Iterator[Refusal]:
        """Yield why a card may not be exchanged."""
        fit = exchangeable(state)
        if not fit:
            yield Refusal(SWAP_RULE, "the hand holds a military card with a logistics value")
        elif command.card not in fit:
            yield Refusal(
                SWAP_RULE, f"{command.card} may not be given while a card of value 3 is held"
            )

    def apply(self, run: EotsRun, frame: SwapCardFrame, side: Side, command: DiscardCard) -> None:
        """Discard the one and take the other."""
        passes = run.state.decks[side].passes
        run.add(CardDiscarded(rule=SWAP_RULE, side=side, card=command.card))
        effects = cards()[command.card].effects
        if any(isinstance(step, ReshuffleEndOfTurn) for step in effects):  # 5.37
            run.add(ReshuffleOrdered(side=side))
        run.add(CardsDealt(side=side, cards=(frame.card,), passes=passes))
        run.leave()


class SwapCardHandler(Question[SwapCardFrame]):
    """Japan may exchange a card of a first hand without military events (17.25E).

    It is asked in every case, so that the question does not tell what it holds.
    """

    frame = SwapCardFrame
    rule = SWAP_RULE
    actions = (ExchangeCard(), PlainAction(Pass))
    busy = "give a card of your hand, or pass"

    def asked(self, state: State, frame: SwapCardFrame) -> tuple[Side, ...]:
        """Return Japan."""
        return (Side.JAPAN,)

    def prompt(self, state: State, frame: SwapCardFrame, side: Side) -> str:
        """Name the other card."""
        return f"Exchange a card for {frame.card} {cards()[frame.card].title}?"

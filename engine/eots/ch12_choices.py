"""Cards of a first hand that a player may choose (17.11, 17.25D, 17.25E)."""

from collections.abc import Iterator
from typing import Final

from engine.eots.ch12_deal import deal_hands
from engine.eots.commands import DiscardCard, EotsCommand, Pass, TakeCard
from engine.eots.deck import Card, cards
from engine.eots.deck_campaign import ReshuffleEndOfTurn
from engine.eots.events.cards import CardDiscarded, CardsDealt, ReshuffleOrdered
from engine.eots.flow import EotsDecision, EotsRun, Handler
from engine.eots.frames import SwapCardFrame, TakeCardFrame
from engine.eots.ids import CardId, Side
from engine.eots.state import HIDDEN, State
from engine.kernel.ids import Refusal, Role, Rule

EXCHANGED_OV: Final = 3
"""Operations value of the card that goes, as long as the hand holds one (17.25E)."""
SWAP_RULE: Final = Rule("17.25E")


class TakeCardHandler(Handler[TakeCardFrame]):
    """The Allied player says before the deal whether a card is one of his hand (17.11, 17.25D, OPS-9)."""

    frame = TakeCardFrame

    def asked(self, state: State, frame: TakeCardFrame) -> tuple[Side, ...]:
        """Return the Allied side."""
        del state, frame
        return (Side.ALLIED,)

    def decision(self, state: State, frame: TakeCardFrame, side: Side) -> EotsDecision:
        """Offer the card; declining is the default."""
        del state
        card = frame.card
        return EotsDecision(
            role=Role(side),
            rule=Rule("17.25D"),
            prompt=f"Take {card} {cards()[card].title} as one of your cards?",
            options=(TakeCard(card=card), Pass()),
            default=Pass(),
        )

    def resolve(
        self,
        run: EotsRun,
        frame: TakeCardFrame,
        side: Side,
        command: EotsCommand,
    ) -> None:
        """Deal with or without the card."""
        del side
        taken = (frame.card,) if isinstance(command, TakeCard) else ()
        run.leave()
        deal_hands(run, taken, first=frame.first)

    def step(self, run: EotsRun, frame: TakeCardFrame) -> None:
        """Never runs: the Allied side is always asked."""
        del run
        raise AssertionError(f"{frame} asks the Allied side")

    def why_not(
        self, state: State, frame: TakeCardFrame, side: Side, command: EotsCommand
    ) -> Iterator[Refusal]:
        """Yield why another card cannot be taken."""
        del state, side
        if command not in (TakeCard(card=frame.card), Pass()):
            yield Refusal(Rule("17.25D"), f"only {frame.card} can be taken")


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


class SwapCardHandler(Handler[SwapCardFrame]):
    """Japan may exchange a card of a first hand without military events (17.25E).

    It is asked in every case, so that the question does not tell what it holds.
    """

    frame = SwapCardFrame

    def asked(self, state: State, frame: SwapCardFrame) -> tuple[Side, ...]:
        """Return Japan."""
        del state, frame
        return (Side.JAPAN,)

    def decision(self, state: State, frame: SwapCardFrame, side: Side) -> EotsDecision:
        """Offer the cards that may go, in the order of their numbers, and to keep the hand."""
        options: tuple[DiscardCard | Pass, ...] = (
            *(DiscardCard(card=card) for card in exchangeable(state)),
            Pass(),
        )
        return EotsDecision(
            role=Role(side),
            rule=SWAP_RULE,
            prompt=f"Exchange a card for {frame.card} {cards()[frame.card].title}?",
            options=options,
            default=Pass(),
        )

    def resolve(
        self,
        run: EotsRun,
        frame: SwapCardFrame,
        side: Side,
        command: EotsCommand,
    ) -> None:
        """Exchange, or keep the hand."""
        if isinstance(command, DiscardCard):
            passes = run.state.decks[side].passes
            run.add(CardDiscarded(rule=SWAP_RULE, side=side, card=command.card))
            effects = cards()[command.card].effects
            if any(isinstance(step, ReshuffleEndOfTurn) for step in effects):  # 5.37
                run.add(ReshuffleOrdered(side=side))
            run.add(CardsDealt(side=side, cards=(frame.card,), passes=passes))
        run.leave()

    def step(self, run: EotsRun, frame: SwapCardFrame) -> None:
        """Never runs: Japan is always asked."""
        del run
        raise AssertionError(f"{frame} asks Japan")

    def why_not(
        self, state: State, frame: SwapCardFrame, side: Side, command: EotsCommand
    ) -> Iterator[Refusal]:
        """Yield why a card may not be exchanged."""
        del frame, side
        if isinstance(command, Pass):
            return
        if not isinstance(command, DiscardCard):
            yield Refusal(SWAP_RULE, "give a card of your hand, or pass")
        elif not exchangeable(state):
            yield Refusal(SWAP_RULE, "the hand holds a military card with a logistics value")
        elif command.card not in exchangeable(state):
            yield Refusal(
                SWAP_RULE, f"{command.card} may not be given while a card of value 3 is held"
            )


HANDLERS: Final = (TakeCardHandler(), SwapCardHandler())

"""An event that lets its owner exchange a card in hand for one from the discard pile (CP-33)."""

from collections.abc import Iterator
from typing import Final

from typing_extensions import override

from engine.eots.cards.conditions import turn_year
from engine.eots.cards.interpreter import apply_missed_event
from engine.eots.commands import DiscardCard, EotsCommand, Pass, TakeCard
from engine.eots.deck import cards
from engine.eots.events.cards import CardDiscarded, CardReclaimed
from engine.eots.flow import DecisionHandler, EotsRun, Naming, PlainAction
from engine.eots.frames import ExchangeFrame
from engine.eots.ids import CardId, Side
from engine.eots.rulings import TOJO_DISCARD
from engine.eots.state import State
from engine.kernel.ids import Refusal, Rule

_RULE: Final = Rule("5.34")
FREE_BEFORE: Final = 1944
"""First year in which J-43 may not be discarded voluntarily (5.37, CP-36)."""


def is_discard_barred(state: State, name: CardId) -> bool:
    """Return whether a card may not be discarded voluntarily now (5.37, CP-36)."""
    match cards()[name].play.discard:
        case "never":
            return True
        case "before_1944_only":
            return turn_year(state.turn) >= FREE_BEFORE or TOJO_DISCARD.uses_alternative(
                state.options
            )
        case "free":
            return False


def _exchangeable_cards(state: State, frame: ExchangeFrame, side: Side) -> tuple[CardId, ...]:
    return () if frame.given else state.decks[side].hand


def _given_unit_refusals(
    state: State, frame: ExchangeFrame, side: Side, name: CardId
) -> Iterator[Refusal]:
    """Yield the reasons why a card may not be given up."""
    if frame.given:
        yield Refusal(_RULE, f"{frame.given} has already been given up")
    elif name not in state.decks[side].hand:
        yield Refusal(_RULE, f"{name} is not in your hand")
    elif is_discard_barred(state, name):
        yield Refusal(_RULE, f"{name} may not be given up")
        yield Refusal(Rule("5.37"), f"{name} may not be discarded voluntarily")


def _give_card(run: EotsRun, frame: ExchangeFrame, side: Side, name: CardId) -> None:
    """Discard the card that the player gives up. The player takes another card next."""
    run.add(CardDiscarded(rule=Rule(frame.card), side=side, card=name))
    apply_missed_event(run, cards()[name])
    run.replace_top(ExchangeFrame(side=side, card=frame.card, given=name))


def _takeable_cards(state: State, frame: ExchangeFrame, side: Side) -> tuple[CardId, ...]:
    return state.decks[side].discard if frame.given else ()


def _taken_unit_refusals(
    state: State, frame: ExchangeFrame, side: Side, name: CardId
) -> Iterator[Refusal]:
    """Yield the reasons why a card may not be taken from the discard pile."""
    if frame.given is None:
        yield Refusal(_RULE, "give up a card from your hand first")
    elif name == frame.given:
        yield Refusal(_RULE, f"{name} is the card that you gave up")
    elif name not in state.decks[side].discard:
        yield Refusal(_RULE, f"{name} is not in your discard pile")


def _take_card(run: EotsRun, frame: ExchangeFrame, side: Side, name: CardId) -> None:
    """Take the card from the discard pile into the hand."""
    run.add(CardReclaimed(rule=Rule(frame.card), side=side, card=name, held=name))
    run.pop()


def _pass_refusals(_state: State, frame: ExchangeFrame, _side: Side) -> Iterator[Refusal]:
    """Refuse a pass once a card has been given up."""
    if frame.given:
        yield Refusal(_RULE, "you have given up a card, so take another one")


class ExchangeHandler(DecisionHandler[ExchangeFrame]):
    """Asks whether to give up a card, then which card to take in exchange (CP-33)."""

    frame = ExchangeFrame
    rule = _RULE
    actions = (
        Naming(DiscardCard, _exchangeable_cards, _given_unit_refusals, _give_card),
        Naming(TakeCard, _takeable_cards, _taken_unit_refusals, _take_card),
        PlainAction(Pass, check=_pass_refusals),
    )
    wrong_kind_text = "finish the card exchange of {frame.card} first"

    @override
    def active_roles(self, state: State, frame: ExchangeFrame) -> tuple[Side, ...]:
        """Return the card's owner in every case, because skipping the prompt would reveal something about the hand."""
        return (frame.side,)

    @override
    def prompt(self, state: State, frame: ExchangeFrame, role: Side) -> str:
        """Return the prompt: which card to give up, or which to take in exchange."""
        if frame.given is None:
            return f"{frame.card}: exchange a card in your hand for one from your discard pile?"
        return f"{frame.card}: take a card from your discard pile in exchange for {frame.given}"

    @override
    def default(
        self, state: State, frame: ExchangeFrame, role: Side, options: tuple[EotsCommand, ...]
    ) -> EotsCommand:
        """Give up no card. If a card has already been given up, take the first of the cards with the highest value."""
        take_options = [option for option in options if isinstance(option, TakeCard)]
        return max(take_options, key=lambda option: cards()[option.card].ov, default=options[-1])

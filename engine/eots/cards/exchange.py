"""An event that lets its owner give a card of his hand for one of his discard pile (CP-33)."""

from collections.abc import Iterator
from typing import Final

from engine.eots.cards.conditions import year_of
from engine.eots.cards.interpreter import miss_event
from engine.eots.commands import DiscardCard, EotsCommand, Pass, TakeCard
from engine.eots.deck import cards
from engine.eots.events.cards import CardDiscarded, CardReclaimed
from engine.eots.flow import EotsRun, Naming, PlainAction, Question
from engine.eots.frames import ExchangeFrame
from engine.eots.ids import CardId, Side
from engine.eots.rulings import TOJO_DISCARD
from engine.eots.state import State
from engine.kernel.ids import Refusal, Rule

_RULE: Final = Rule("5.34")
FREE_BEFORE: Final = 1944
"""Year from which J-43 is no more discarded as its owner likes (5.37, CP-36)."""


def is_discard_barred(state: State, name: CardId) -> bool:
    """Return whether a card may not be discarded voluntarily now (5.37, CP-36)."""
    match cards()[name].play.discard:
        case "never":
            return True
        case "before_1944_only":
            return year_of(state.turn) >= FREE_BEFORE or TOJO_DISCARD.is_other(state.options)
        case "free":
            return False


def _hand(state: State, frame: ExchangeFrame, side: Side) -> tuple[CardId, ...]:
    return () if frame.given else state.decks[side].hand


def _check_given(state: State, frame: ExchangeFrame, side: Side, name: CardId) -> Iterator[Refusal]:
    """Yield why a card may not be given."""
    if frame.given:
        yield Refusal(_RULE, f"{frame.given} is given already")
    elif name not in state.decks[side].hand:
        yield Refusal(_RULE, f"{name} is not in your hand")
    elif is_discard_barred(state, name):
        yield Refusal(_RULE, f"{name} may not be given")
        yield Refusal(Rule("5.37"), f"{name} may not be discarded voluntarily")


def _give(run: EotsRun, frame: ExchangeFrame, side: Side, name: CardId) -> None:
    """Put it on the pile; the other one is taken next."""
    run.add(CardDiscarded(rule=Rule(frame.card), side=side, card=name))
    miss_event(run, cards()[name])
    run.replace(ExchangeFrame(side=side, card=frame.card, given=name))


def _pile(state: State, frame: ExchangeFrame, side: Side) -> tuple[CardId, ...]:
    return state.decks[side].discard if frame.given else ()


def _check_taken(state: State, frame: ExchangeFrame, side: Side, name: CardId) -> Iterator[Refusal]:
    """Yield why a card may not be taken."""
    if frame.given is None:
        yield Refusal(_RULE, "a card of your hand is given first")
    elif name == frame.given:
        yield Refusal(_RULE, f"{name} is the card that you gave")
    elif name not in state.decks[side].discard:
        yield Refusal(_RULE, f"{name} is not in your discard pile")


def _take(run: EotsRun, frame: ExchangeFrame, side: Side, name: CardId) -> None:
    """Take it into the hand."""
    run.add(CardReclaimed(rule=Rule(frame.card), side=side, card=name, held=name))
    run.leave()


def _check_pass(_state: State, frame: ExchangeFrame, _side: Side) -> Iterator[Refusal]:
    """Yield that a card has been given."""
    if frame.given:
        yield Refusal(_RULE, "a card is given, so another one is taken")


class ExchangeHandler(Question[ExchangeFrame]):
    """Ask whether a card is given, then which one is taken for it (CP-33)."""

    frame = ExchangeFrame
    rule = _RULE
    actions = (
        Naming(DiscardCard, _hand, _check_given, _give),
        Naming(TakeCard, _pile, _check_taken, _take),
        PlainAction(Pass, check=_check_pass),
    )
    busy = "cards are being exchanged by {frame.card} now"

    def asked(self, state: State, frame: ExchangeFrame) -> tuple[Side, ...]:
        """Return the owner of the card, in every case, so that the question does not tell what he holds."""
        return (frame.side,)

    def prompt(self, state: State, frame: ExchangeFrame, role: Side) -> str:
        """Say what is given, or what for."""
        if frame.given is None:
            return f"{frame.card}: give a card of your hand for one of your discard pile?"
        return f"{frame.card}: take a card of your discard pile for {frame.given}"

    def default(
        self, state: State, frame: ExchangeFrame, role: Side, options: tuple[EotsCommand, ...]
    ) -> EotsCommand:
        """Give nothing; take the first card of the highest value."""
        takes = [option for option in options if isinstance(option, TakeCard)]
        return max(takes, key=lambda option: cards()[option.card].ov, default=options[-1])

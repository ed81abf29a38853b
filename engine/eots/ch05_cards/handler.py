"""The Offensives Segment, in which the sides take turns playing cards (4.22)."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import Final, Generic, TypeVar

from typing_extensions import override

from engine.eots.cards.exchange import ExchangeHandler
from engine.eots.cards.interpreter import apply_missed_event
from engine.eots.ch05_cards.checks import (
    china_refusals,
    discard_refusals,
    end_rivalry_refusals,
    event_refusals,
    future_refusals,
    hq_returns,
    oc_offensive_refusals,
    operations_refusals,
    pass_refusals,
    route_card_refusals,
    withdrawable_hqs,
)
from engine.eots.ch05_cards.playing import (
    finish_play,
    play_plain_event,
    put_card_away,
    reveal_card,
    start_offensive,
)
from engine.eots.ch06_supply.activation import return_refusals, withdraw_refusals
from engine.eots.ch07_offensive.reaction_cards import usable_cards
from engine.eots.ch13_nations.china import conduct_china_offensive
from engine.eots.ch13_nations.routes import build_route_refusals, route_hexes
from engine.eots.ch16_victory.judgement import judge_at_once
from engine.eots.commands import (
    BuildRoute,
    ChinaOffensive,
    DiscardCard,
    EndRivalry,
    EotsCommand,
    OperationsOffensive,
    Pass,
    PlaceFuture,
    PlayEvent,
    ReturnHq,
    WithdrawHq,
)
from engine.eots.counters import counters
from engine.eots.deck import cards
from engine.eots.events.cards import (
    CardDiscarded,
    FuturePlaced,
    PassUsed,
)
from engine.eots.events.flow import GameEnded
from engine.eots.events.tracks import RivalrySet, RouteBuilt
from engine.eots.events.units import UnitPlaced
from engine.eots.flow import Action, DecisionHandler, EotsRun
from engine.eots.frames import CardPlayFrame, EventFrame, OffensiveFrame
from engine.eots.ids import CardId, Side
from engine.eots.state import State
from engine.eots.unit_removal import remove_hq
from engine.kernel.ids import Refusal, Rule

K = TypeVar("K", bound=EotsCommand)
C = TypeVar(
    "C", OperationsOffensive, PlayEvent, ChinaOffensive, EndRivalry, PlaceFuture, DiscardCard
)
A = TypeVar("A", bound=BuildRoute | ReturnHq | WithdrawHq)
Check = Callable[[State, Side, CardId], Iterator[Refusal]]


class _Play(Action[CardPlayFrame, K], Generic[K]):
    """Base class for the ways of making a play (4.22)."""

    @abstractmethod
    def play(self, run: EotsRun, side: Side, command: K) -> None:
        """Carry out the play."""

    @override
    def apply(self, run: EotsRun, frame: CardPlayFrame, side: Side, command: K) -> None:
        """Carry out the play and give the next turn to the other side.

        If the play pushed a frame for an offensive or event, that frame finishes the play; otherwise it is finished
        here.
        """
        # The frame is changed first, because the play may push frames on top of it.
        run.replace_top(CardPlayFrame(side=side.enemy, played=frame.played + 1))
        self.play(run, side, command)
        if not isinstance(run.top(), OffensiveFrame | EventFrame):
            finish_play(run, side)


class _Use(_Play[C], Generic[C]):
    """Uses a card in a way that needs no further choice."""

    def __init__(
        self, kind: type[C], check: Check, effect: Callable[[EotsRun, Side, CardId], None]
    ) -> None:
        """Store the command type, the card check and the effect."""
        self.kind = kind
        self.check = check
        self.effect = effect

    @override
    def candidates(self, state: State, frame: CardPlayFrame, side: Side) -> Iterator[C]:
        """Yield a command for each usable card, in hand order."""
        for name, _ in usable_cards(state, side):
            yield self.kind(card=name)

    @override
    def refusals(
        self, state: State, frame: CardPlayFrame, side: Side, command: C
    ) -> Iterator[Refusal]:
        """Yield the reasons why the card cannot be used this way."""
        return self.check(state, side, command.card)

    @override
    def play(self, run: EotsRun, side: Side, command: C) -> None:
        self.effect(run, side, command.card)


def _start_operations(run: EotsRun, side: Side, name: CardId) -> None:
    start_offensive(run, side, name, is_event=False)


def _play_event(run: EotsRun, side: Side, name: CardId) -> None:
    if cards()[name].offensive:
        start_offensive(run, side, name, is_event=True)
    else:
        play_plain_event(run, side, name)


def _attack_china(run: EotsRun, side: Side, name: CardId) -> None:
    reveal_card(run, side, name, "china-offensive")
    conduct_china_offensive(run)
    put_card_away(run, side, name, Rule("13.72"), is_event=False)


def _end_rivalry(run: EotsRun, side: Side, name: CardId) -> None:
    reveal_card(run, side, name, "end-rivalry")
    run.add(RivalrySet(rule=Rule("17.26"), side=side, rivalry=False))
    put_card_away(run, side, name, Rule("17.26"), is_event=False)


def _place_future(run: EotsRun, side: Side, name: CardId) -> None:
    run.add(FuturePlaced(side=side, card=name))


def _discard(run: EotsRun, side: Side, name: CardId) -> None:
    run.add(CardDiscarded(rule=Rule("4.22"), side=side, card=name))
    apply_missed_event(run, cards()[name])


class _UseFor(_Play[A], Generic[A]):
    """Uses a card in a way that also names an HQ or a hex."""

    is_exact = True

    def __init__(
        self,
        kind: type[A],
        rule: Rule,
        check: Check,
        aims: Callable[[State, Side, CardId], Iterable[A]],
        check_aim: Callable[[State, Side, A], Iterator[Refusal]],
        effect: Callable[[EotsRun, A], None],
    ) -> None:
        """Store the command type, its rule, the card check, the targets, the target check, and the effect."""
        self.kind = kind
        self.rule = rule
        self.check = check
        self.aims = aims
        self.check_aim = check_aim
        self.effect = effect

    @override
    def candidates(self, state: State, frame: CardPlayFrame, side: Side) -> Iterator[A]:
        """Yield a command for each target of each usable card, in hand order."""
        for name, _ in usable_cards(state, side):
            if next(self.check(state, side, name), None) is None:
                yield from self.aims(state, side, name)

    @override
    def refusals(
        self, state: State, frame: CardPlayFrame, side: Side, command: A
    ) -> Iterator[Refusal]:
        """Yield the reasons why the card cannot be used, then the reasons why the target is not allowed."""
        yield from self.check(state, side, command.card)
        yield from self.check_aim(state, side, command)

    @override
    def play(self, run: EotsRun, side: Side, command: A) -> None:
        reveal_card(run, side, command.card, str(self.kind.__struct_config__.tag))
        self.effect(run, command)
        put_card_away(run, side, command.card, self.rule, is_event=False)


def _return_refusals(state: State, side: Side, command: ReturnHq) -> Iterator[Refusal]:
    """Yield the reasons why an HQ cannot return to the port (6.15)."""
    if counters()[command.hq].side is not side:
        yield Refusal(Rule("6.15"), f"{command.hq} is not yours")
    yield from return_refusals(state, command.hq, command.at)


_BUILDING: Final = _UseFor(
    BuildRoute,
    Rule("13.77"),
    route_card_refusals,
    lambda state, side, card: (BuildRoute(card=card, at=at) for at in route_hexes(state, side)),
    lambda state, side, command: build_route_refusals(state, side, command.at),
    lambda run, command: run.add(RouteBuilt(rule=Rule("13.77"), at=command.at)),
)
_HQ_RETURN: Final = _UseFor(
    ReturnHq,
    Rule("6.15"),
    operations_refusals,
    lambda state, side, card: (
        ReturnHq(card=card, hq=hq, at=at) for hq, at in hq_returns(state, side)
    ),
    _return_refusals,
    lambda run, command: run.add(
        UnitPlaced(rule=Rule("6.15"), unit=command.hq, at=command.at, steps=1)
    ),
)
_WITHDRAWING: Final = _UseFor(
    WithdrawHq,
    Rule("6.13"),
    operations_refusals,
    lambda state, side, card: (
        WithdrawHq(card=card, hq=hq) for hq in withdrawable_hqs(state, side)
    ),
    lambda state, side, command: withdraw_refusals(state, side, command.hq),
    lambda run, command: remove_hq(run, command.hq, Rule("6.13")),
)


class _Pass(_Play[Pass]):
    """Passes. A pass counts as a play although no card is used (12.4)."""

    kind = Pass

    @override
    def candidates(self, state: State, frame: CardPlayFrame, side: Side) -> Iterator[Pass]:
        yield Pass()

    @override
    def refusals(
        self, state: State, frame: CardPlayFrame, side: Side, command: Pass
    ) -> Iterator[Refusal]:
        return pass_refusals(state, side)

    @override
    def play(self, run: EotsRun, side: Side, command: Pass) -> None:
        run.add(PassUsed(side=side))


class CardPlayHandler(DecisionHandler[CardPlayFrame]):
    """Alternates card plays between the sides until both hands are empty (4.22)."""

    frame = CardPlayFrame
    rule = Rule("4.22")
    question = "Play a card"
    wrong_kind_text = "a card must be played now"
    actions = (
        _Use(OperationsOffensive, oc_offensive_refusals, _start_operations),
        _Use(PlayEvent, event_refusals, _play_event),
        _Use(ChinaOffensive, china_refusals, _attack_china),
        _BUILDING,
        _Use(EndRivalry, end_rivalry_refusals, _end_rivalry),
        _HQ_RETURN,
        _WITHDRAWING,
        _Use(PlaceFuture, future_refusals, _place_future),
        _Use(DiscardCard, discard_refusals, _discard),
        _Pass(),
    )

    @override
    def try_step(self, run: EotsRun, frame: CardPlayFrame) -> bool:
        """End the game before the next play if the scenario says so (17.10.7)."""
        outcome = judge_at_once(run.state)
        if outcome is None:
            return super().try_step(run, frame)
        run.add(GameEnded(outcome=outcome))
        return True

    @override
    def active_roles(self, state: State, frame: CardPlayFrame) -> tuple[Side, ...]:
        """Return the side whose turn it is to play, if it has a card (OP-28)."""
        return (frame.side,) if state.decks[frame.side].hand else ()

    @override
    def default(
        self, state: State, frame: CardPlayFrame, role: Side, options: tuple[EotsCommand, ...]
    ) -> EotsCommand:
        """Pass if possible, otherwise discard the card with the lowest value (4.22).

        If no card may be discarded, take the first option.
        """
        if options[-1] == Pass():
            return options[-1]
        discards = [option for option in options if isinstance(option, DiscardCard)]
        return min(discards, key=lambda option: cards()[option.card].ov, default=options[0])

    @override
    def step(self, run: EotsRun, frame: CardPlayFrame) -> None:
        """Skip a side without cards, and end the segment once both hands are empty (4.22)."""
        if run.state.decks[frame.side.enemy].hand:
            run.replace_top(CardPlayFrame(side=frame.side.enemy, played=frame.played))
        else:
            run.pop()


HANDLERS: Final = (CardPlayHandler(), ExchangeHandler())

"""The Offensives Segment: the sides play cards in turn (4.22)."""

from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import Final, Generic, TypeVar

from engine.eots.ch05_cards.checks import (
    SPECIAL_EVENTS,
    check_china,
    check_discard,
    check_end_rivalry,
    check_event,
    check_future,
    check_oc_offensive,
    check_operations,
    check_pass,
    check_route_card,
    hq_returns,
    withdrawable_hqs,
)
from engine.eots.ch05_cards.playing import (
    play_plain_event,
    settle,
    show,
    start_offensive,
)
from engine.eots.ch06_supply.activation import check_return, check_withdraw
from engine.eots.ch07_offensive.conclusion import begin_stacking, reposition_hqs
from engine.eots.ch07_offensive.reaction_cards import holding
from engine.eots.ch13_nations.china import conduct_china_offensive
from engine.eots.ch13_nations.india import relieve_india
from engine.eots.ch13_nations.routes import check_build_route, route_hexes
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
    CardsUnlocked,
    FuturePlaced,
    PassUsed,
    PlayFinished,
    ReshuffleOrdered,
)
from engine.eots.events.tracks import RivalrySet, RouteBuilt
from engine.eots.events.units import UnitPlaced
from engine.eots.flow import Action, EotsRun, Question
from engine.eots.frames import CardPlayFrame, OffensiveFrame
from engine.eots.ids import CardId, Side
from engine.eots.leaving import take_off
from engine.eots.state import State
from engine.kernel.ids import Refusal, Rule

K = TypeVar("K", bound=EotsCommand)
C = TypeVar(
    "C", OperationsOffensive, PlayEvent, ChinaOffensive, EndRivalry, PlaceFuture, DiscardCard
)
Check = Callable[[State, Side, CardId], Iterator[Refusal]]


class _Play(Action[CardPlayFrame, K], Generic[K]):
    """A play of a side (4.22)."""

    @abstractmethod
    def play(self, run: EotsRun, side: Side, command: K) -> None:
        """Carry the play out."""

    def apply(self, run: EotsRun, frame: CardPlayFrame, side: Side, command: K) -> None:
        """Play; the other side is next. What is no offensive is over at once."""
        run.replace(CardPlayFrame(side=side.enemy, played=frame.played + 1))
        self.play(run, side, command)
        if isinstance(run.top(), OffensiveFrame):
            return
        relieve_india(run)
        reposition_hqs(run, Rule("6.14"))
        run.add(CardsUnlocked())
        run.add(PlayFinished(side=side))
        begin_stacking(run, side)


class _Use(_Play[C], Generic[C]):
    """A use of a card that takes no more than the card."""

    def __init__(
        self, kind: type[C], check: Check, use: Callable[[EotsRun, Side, CardId], None]
    ) -> None:
        """Take the kind of command, why not, and what it does."""
        self.kind = kind
        self.check = check
        self.use = use

    def candidates(self, state: State, frame: CardPlayFrame, side: Side) -> Iterator[C]:
        """Yield the use for each card, in the order of the hand."""
        for name, _ in holding(state, side):
            yield self.kind(card=name)

    def refusals(
        self, state: State, frame: CardPlayFrame, side: Side, command: C
    ) -> Iterator[Refusal]:
        """Yield the rules against this use of the card."""
        return self.check(state, side, command.card)

    def play(self, run: EotsRun, side: Side, command: C) -> None:
        """Use the card."""
        self.use(run, side, command.card)


def _start_operations(run: EotsRun, side: Side, name: CardId) -> None:
    start_offensive(run, side, name, event=False)


def _play_event(run: EotsRun, side: Side, name: CardId) -> None:
    if cards()[name].offensive:
        start_offensive(run, side, name, event=True)
    else:
        play_plain_event(run, side, name)


def _attack_china(run: EotsRun, side: Side, name: CardId) -> None:
    show(run, side, name, "china-offensive")
    conduct_china_offensive(run)
    settle(run, side, name, Rule("13.72"), as_event=False)


def _end_rivalry(run: EotsRun, side: Side, name: CardId) -> None:
    show(run, side, name, "end-rivalry")
    run.add(RivalrySet(rule=Rule("17.26"), side=side, rivalry=False))
    settle(run, side, name, Rule("17.26"), as_event=False)


def _place_future(run: EotsRun, side: Side, name: CardId) -> None:
    run.add(FuturePlaced(side=side, card=name))


def _discard(run: EotsRun, side: Side, name: CardId) -> None:
    run.add(CardDiscarded(rule=Rule("4.22"), side=side, card=name))
    if name in SPECIAL_EVENTS:
        run.add(ReshuffleOrdered(side=side))


def _playable(state: State, side: Side, check: Check) -> Iterator[CardId]:
    """Yield the cards that nothing speaks against, in the order of the hand."""
    for name, _ in holding(state, side):
        if next(check(state, side, name), None) is None:
            yield name


class _BuildRoute(_Play[BuildRoute]):
    """A card builds a transport route (13.77)."""

    kind = BuildRoute
    is_exact = True

    def candidates(self, state: State, frame: CardPlayFrame, side: Side) -> Iterator[BuildRoute]:
        """Yield the hexes for each card."""
        for name in _playable(state, side, check_route_card):
            for at in route_hexes(state, side):
                yield BuildRoute(card=name, at=at)

    def refusals(
        self, state: State, frame: CardPlayFrame, side: Side, command: BuildRoute
    ) -> Iterator[Refusal]:
        """Yield the rules against the card, then against the hex."""
        yield from check_route_card(state, side, command.card)
        yield from check_build_route(state, side, command.at)

    def play(self, run: EotsRun, side: Side, command: BuildRoute) -> None:
        """Build the route."""
        show(run, side, command.card, "build-route")
        run.add(RouteBuilt(rule=Rule("13.77"), at=command.at))
        settle(run, side, command.card, Rule("13.77"), as_event=False)


class _ReturnHq(_Play[ReturnHq]):
    """A card brings an HQ back early (6.15)."""

    kind = ReturnHq
    is_exact = True

    def candidates(self, state: State, frame: CardPlayFrame, side: Side) -> Iterator[ReturnHq]:
        """Yield the HQs with their ports for each card."""
        for name in _playable(state, side, check_operations):
            for hq, at in hq_returns(state, side):
                yield ReturnHq(card=name, hq=hq, at=at)

    def refusals(
        self, state: State, frame: CardPlayFrame, side: Side, command: ReturnHq
    ) -> Iterator[Refusal]:
        """Yield the rules against the card, then against the HQ and its port."""
        yield from check_operations(state, side, command.card)
        if counters()[command.hq].side is not side:
            yield Refusal(Rule("6.15"), f"{command.hq} is not yours")
        yield from check_return(state, command.hq, command.at)

    def play(self, run: EotsRun, side: Side, command: ReturnHq) -> None:
        """Put the HQ into the port."""
        show(run, side, command.card, "return-hq")
        run.add(UnitPlaced(rule=Rule("6.15"), unit=command.hq, at=command.at, steps=1))
        settle(run, side, command.card, Rule("6.15"), as_event=False)


class _WithdrawHq(_Play[WithdrawHq]):
    """A card takes an HQ off the map (6.13)."""

    kind = WithdrawHq
    is_exact = True

    def candidates(self, state: State, frame: CardPlayFrame, side: Side) -> Iterator[WithdrawHq]:
        """Yield the HQs for each card."""
        for name in _playable(state, side, check_operations):
            for hq in withdrawable_hqs(state, side):
                yield WithdrawHq(card=name, hq=hq)

    def refusals(
        self, state: State, frame: CardPlayFrame, side: Side, command: WithdrawHq
    ) -> Iterator[Refusal]:
        """Yield the rules against the card, then against the HQ."""
        yield from check_operations(state, side, command.card)
        yield from check_withdraw(state, side, command.hq)

    def play(self, run: EotsRun, side: Side, command: WithdrawHq) -> None:
        """Take the HQ off the map."""
        show(run, side, command.card, "withdraw-hq")
        take_off(run, command.hq, Rule("6.13"))
        settle(run, side, command.card, Rule("6.13"), as_event=False)


class _Pass(_Play[Pass]):
    """A pass is a play without a card (12.4)."""

    kind = Pass

    def candidates(self, state: State, frame: CardPlayFrame, side: Side) -> Iterator[Pass]:
        """Yield the pass."""
        yield Pass()

    def refusals(
        self, state: State, frame: CardPlayFrame, side: Side, command: Pass
    ) -> Iterator[Refusal]:
        """Yield that no pass is left."""
        return check_pass(state, side)

    def play(self, run: EotsRun, side: Side, command: Pass) -> None:
        """Use a pass up."""
        run.add(PassUsed(side=side))


class CardPlayHandler(Question[CardPlayFrame]):
    """Alternate card plays until both hands are empty (4.22)."""

    frame = CardPlayFrame
    rule = Rule("4.22")
    asks = "Play a card"
    busy = "a card must be played now"
    actions = (
        _Use(OperationsOffensive, check_oc_offensive, _start_operations),
        _Use(PlayEvent, check_event, _play_event),
        _Use(ChinaOffensive, check_china, _attack_china),
        _BuildRoute(),
        _Use(EndRivalry, check_end_rivalry, _end_rivalry),
        _ReturnHq(),
        _WithdrawHq(),
        _Use(PlaceFuture, check_future, _place_future),
        _Use(DiscardCard, check_discard, _discard),
        _Pass(),
    )

    def asked(self, state: State, frame: CardPlayFrame) -> tuple[Side, ...]:
        """Ask the side whose play it is while it holds a card (OP-28)."""
        return (frame.side,) if state.decks[frame.side].hand else ()

    def default(
        self, state: State, frame: CardPlayFrame, role: Side, options: tuple[EotsCommand, ...]
    ) -> EotsCommand:
        """Pass if possible, else discard the card of the lowest value, else the first option (4.22)."""
        if options[-1] == Pass():
            return options[-1]
        discards = [option for option in options if isinstance(option, DiscardCard)]
        return min(discards, key=lambda option: cards()[option.card].ov, default=options[0])

    def step(self, run: EotsRun, frame: CardPlayFrame) -> None:
        """Skip a side without cards; end the segment when both hands are empty (4.22)."""
        if run.state.decks[frame.side.enemy].hand:
            run.replace(CardPlayFrame(side=frame.side.enemy, played=frame.played))
        else:
            run.leave()


HANDLERS: Final = (CardPlayHandler(),)

"""The Offensives Segment: the sides play cards in turn (4.22)."""

from collections.abc import Iterator
from typing import Final

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
)
from engine.eots.ch05_cards.options import is_play_option, play_options
from engine.eots.ch05_cards.playing import (
    play_plain_event,
    settle,
    show,
    start_offensive,
    withdraw_hq,
)
from engine.eots.ch06_supply.activation import check_return, check_withdraw
from engine.eots.ch07_offensive.conclusion import begin_stacking, reposition_hqs
from engine.eots.ch13_nations.china import conduct_china_offensive
from engine.eots.ch13_nations.india import relieve_india
from engine.eots.ch13_nations.routes import check_build_route
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
from engine.eots.flow import EotsDecision, EotsRun, Handler
from engine.eots.frames import CardPlayFrame
from engine.eots.ids import Side
from engine.eots.state import State
from engine.kernel.decision import Decision
from engine.kernel.ids import Refusal, Role, Rule


class CardPlayHandler(Handler[CardPlayFrame]):
    """Alternate card plays until both hands are empty (4.22)."""

    frame = CardPlayFrame

    def asked(self, state: State, frame: CardPlayFrame) -> tuple[Side, ...]:
        """Ask the side whose play it is while it holds a card (OP-28)."""
        return (frame.side,) if state.decks[frame.side].hand else ()

    def decision(self, state: State, frame: CardPlayFrame, side: Side) -> EotsDecision:
        """Offer every use of every card."""
        options = play_options(state, side)
        default = _default(options)
        return Decision(
            role=Role(side),
            rule=Rule("4.22"),
            prompt="Play a card",
            options=options,
            default=default,
        )

    def is_option(
        self, state: State, frame: CardPlayFrame, side: Side, command: EotsCommand
    ) -> bool:
        """Return whether a card play is open."""
        return is_play_option(state, side, command)

    def resolve(self, run: EotsRun, frame: CardPlayFrame, side: Side, command: EotsCommand) -> None:
        """Play the card; the other side is next."""
        run.replace(CardPlayFrame(side=side.enemy, played=frame.played + 1))
        match command:
            case OperationsOffensive(card=name):
                start_offensive(run, side, name, event=False)
            case PlayEvent(card=name) if cards()[name].offensive:
                start_offensive(run, side, name, event=True)
            case _:
                self._play_other(run, side, command)
                relieve_india(run)
                reposition_hqs(run, Rule("6.14"))
                run.add(CardsUnlocked())
                run.add(PlayFinished(side=side))
                begin_stacking(run, side)

    def _play_other(self, run: EotsRun, side: Side, command: EotsCommand) -> None:
        """Carry out a play that is no offensive."""
        match command:
            case PlayEvent(card=name):
                play_plain_event(run, side, name)
            case ChinaOffensive(card=name):
                show(run, side, name, "china-offensive")
                conduct_china_offensive(run)
                settle(run, side, name, Rule("13.72"), as_event=False)
            case WithdrawHq(card=name, hq=hq):
                show(run, side, name, "withdraw-hq")
                withdraw_hq(run, hq)
                settle(run, side, name, Rule("6.13"), as_event=False)
            case ReturnHq(card=name, hq=hq, at=at):
                show(run, side, name, "return-hq")
                run.add(UnitPlaced(rule=Rule("6.15"), unit=hq, at=at, steps=1))
                settle(run, side, name, Rule("6.15"), as_event=False)
            case BuildRoute(card=name, at=at):
                show(run, side, name, "build-route")
                run.add(RouteBuilt(rule=Rule("13.77"), at=at))
                settle(run, side, name, Rule("13.77"), as_event=False)
            case EndRivalry(card=name):
                show(run, side, name, "end-rivalry")
                run.add(RivalrySet(rule=Rule("17.26"), side=side, rivalry=False))
                settle(run, side, name, Rule("17.26"), as_event=False)
            case PlaceFuture(card=name):
                run.add(FuturePlaced(side=side, card=name))
            case DiscardCard(card=name):
                run.add(CardDiscarded(rule=Rule("4.22"), side=side, card=name))
                if name in SPECIAL_EVENTS:
                    run.add(ReshuffleOrdered(side=side))
            case _:
                run.add(PassUsed(side=side))

    def step(self, run: EotsRun, frame: CardPlayFrame) -> None:
        """Skip a side without cards; end the segment when both hands are empty (4.22)."""
        if run.state.decks[frame.side.enemy].hand:
            run.replace(CardPlayFrame(side=frame.side.enemy, played=frame.played))
        else:
            run.leave()

    def why_not(
        self, state: State, frame: CardPlayFrame, side: Side, command: EotsCommand
    ) -> Iterator[Refusal]:
        """Yield the rules against a card play."""
        match command:
            case OperationsOffensive(card=name):
                yield from check_oc_offensive(state, side, name)
            case PlayEvent(card=name):
                yield from check_event(state, side, name)
            case ChinaOffensive(card=name):
                yield from check_china(state, side, name)
            case WithdrawHq(card=name, hq=hq):
                yield from check_operations(state, side, name)
                yield from check_withdraw(state, side, hq)
            case ReturnHq(card=name, hq=hq, at=at):
                yield from check_operations(state, side, name)
                yield from check_return(state, hq, at)
            case BuildRoute(card=name, at=at):
                yield from check_route_card(state, side, name)
                yield from check_build_route(state, side, at)
            case EndRivalry(card=name):
                yield from check_end_rivalry(state, side, name)
            case PlaceFuture(card=name):
                yield from check_future(state, side, name)
            case DiscardCard(card=name):
                yield from check_discard(state, side, name)
            case Pass():
                yield from check_pass(state, side)
            case _:
                yield Refusal(Rule("4.22"), "a card must be played now")


def _default(options: tuple[EotsCommand, ...]) -> EotsCommand:
    """Pass if possible, else discard the card of the lowest value, else the first option (4.22)."""
    if Pass() in options:
        return Pass()
    discards = [option for option in options if isinstance(option, DiscardCard)]
    return min(discards, key=lambda option: cards()[option.card].ov, default=options[0])


HANDLERS: Final = (CardPlayHandler(),)

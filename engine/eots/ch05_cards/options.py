"""Every card play of a side (4.22)."""

from collections.abc import Iterator
from typing import Final

from engine.eots.ch05_cards.checks import (
    check_china,
    check_discard,
    check_end_rivalry,
    check_event,
    check_future,
    check_oc_offensive,
    check_pass,
    check_route_card,
    hq_options,
)
from engine.eots.ch07_offensive.reaction_cards import holding
from engine.eots.ch13_nations.routes import route_hexes
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
from engine.eots.ids import CardId, Side
from engine.eots.state import State

_USES: Final = (
    OperationsOffensive,
    PlayEvent,
    ChinaOffensive,
    BuildRoute,
    EndRivalry,
    ReturnHq,
    WithdrawHq,
    PlaceFuture,
    DiscardCard,
    Pass,
)
"""Uses of a card in the order in which they are offered (4.22, 5.0)."""


def play_options(state: State, side: Side) -> tuple[EotsCommand, ...]:
    """Return every card play: by use, then by card in the order of the hand (4.22)."""
    found: list[EotsCommand] = []
    for name, future in holding(state, side):
        found += _uses_of(state, side, name, future=future)
    if next(check_pass(state, side), None) is None:
        found.append(Pass())
    found.sort(key=lambda option: _USES.index(type(option)))
    return tuple(found)


def is_play_option(state: State, side: Side, play: EotsCommand) -> bool:
    """Return whether a card play is among the options; only the uses of its card are looked at."""
    match play:
        case Pass():
            return next(check_pass(state, side), None) is None
        case (
            OperationsOffensive(card=name)
            | PlayEvent(card=name)
            | ChinaOffensive(card=name)
            | BuildRoute(card=name)
            | EndRivalry(card=name)
            | ReturnHq(card=name)
            | WithdrawHq(card=name)
            | PlaceFuture(card=name)
            | DiscardCard(card=name)
        ):
            return any(
                play in tuple(_uses_of(state, side, name, future=future))
                for held, future in holding(state, side)
                if held == name
            )
        case _:
            return False


def _uses_of(state: State, side: Side, name: CardId, *, future: bool) -> Iterator[EotsCommand]:
    yield from _card_options(state, side, name)
    if not future:
        if next(check_future(state, side, name), None) is None:
            yield PlaceFuture(card=name)
        if next(check_discard(state, side, name), None) is None:
            yield DiscardCard(card=name)


def _card_options(state: State, side: Side, name: CardId) -> Iterator[EotsCommand]:
    if next(check_oc_offensive(state, side, name), None) is None:
        yield OperationsOffensive(card=name)
    if next(check_event(state, side, name), None) is None:
        yield PlayEvent(card=name)
    if next(check_china(state, side, name), None) is None:
        yield ChinaOffensive(card=name)
    yield from hq_options(state, side, name)
    if next(check_route_card(state, side, name), None) is None:
        for at in route_hexes(state, side):
            yield BuildRoute(card=name, at=at)
    if next(check_end_rivalry(state, side, name), None) is None:
        yield EndRivalry(card=name)

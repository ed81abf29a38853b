"""Runs movement frames alone: gives orders, carries out automatic steps and returns the events."""

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from engine.eots.board import board
from engine.eots.ch08_movement.handlers import HANDLERS
from engine.eots.ch08_movement.legs import LegCommand
from engine.eots.commands import (
    Assault,
    Disengage,
    Done,
    Drop,
    Enlist,
    EotsCommand,
    Fly,
    Halt,
    March,
    Pick,
    Sail,
)
from engine.eots.events.base import EotsEvent
from engine.eots.evolve import evolve
from engine.eots.flow import EotsRun
from engine.eots.frames import EmergencyFrame, MovementFrame, Purpose, StackingFrame
from engine.eots.ids import HexId, Side, UnitId
from engine.eots.state import BattleHex, Mode, Moved, State
from engine.kernel import machine
from engine.kernel.dice import DraftDice
from tests.engine.eots.positions import in_offensive

AnyHandler = machine.Handler[State, EotsCommand, EotsRun, Any, Side]
_HANDLERS: dict[type, AnyHandler] = {handler.frame: handler for handler in HANDLERS}


class Mover:
    """A movement step in progress."""

    def __init__(self, state: State) -> None:
        """Open the ledger and run to the first question."""
        self.ledger: EotsRun = EotsRun(state, evolve, DraftDice())
        self._advance()

    @property
    def state(self) -> State:
        return self.ledger.state

    @property
    def is_over(self) -> bool:
        return type(self.state.frames[-1]) not in _HANDLERS

    @property
    def side(self) -> Side:
        frame = self.state.frames[-1]
        return _HANDLERS[type(frame)].active_roles(self.state, frame)[0]

    @property
    def options(self) -> tuple[EotsCommand, ...]:
        frame = self.state.frames[-1]
        decision = _HANDLERS[type(frame)].decision(self.state, frame, self.side)
        assert decision.default in decision.options
        return decision.options

    @property
    def default(self) -> EotsCommand:
        frame = self.state.frames[-1]
        return _HANDLERS[type(frame)].decision(self.state, frame, self.side).default

    @property
    def events(self) -> tuple[EotsEvent, ...]:
        return self.ledger.events

    def __call__(self, *orders: EotsCommand) -> "Mover":
        """Give orders, each of which must be an option."""
        for order in orders:
            assert order in self.options, (order, self.refusals(order), self.options[:20])
            frame = self.state.frames[-1]
            handler = _HANDLERS[type(frame)]
            handler.resolve(self.ledger, frame, self.side, order)
            self._advance()
        return self

    def refusals(self, order: EotsCommand) -> list[str]:
        """Return the rules against an order."""
        frame = self.state.frames[-1]
        handler = _HANDLERS[type(frame)]
        return [str(r.rule) for r in handler.why_not(self.state, frame, self.side, order)]

    def at(self, unit: str) -> str:
        return self.state.units[UnitId(unit)].at

    def ends(self, kind: type[LegCommand]) -> list[str]:
        """Return the hexes that orders of one kind may currently name."""
        return [option.to for option in self.options if isinstance(option, kind)]

    def _advance(self) -> None:
        for _ in range(1000):
            if self.is_over:
                return
            frame = self.state.frames[-1]
            handler = _HANDLERS[type(frame)]
            if handler.active_roles(self.state, frame):
                return
            before = self.state
            handler.step(self.ledger, frame)
            assert self.state is not before
        raise AssertionError(self.state.frames)


def pick(unit: str, *others: str) -> list[EotsCommand]:
    """Return the orders that form a stack."""
    return [Pick(unit=UnitId(unit)), *(Enlist(unit=UnitId(other)) for other in others)]


def sail(to: str) -> Sail:
    return Sail(to=HexId(to))


def fly(to: str) -> Fly:
    return Fly(to=to)


def march(to: str) -> March:
    return March(to=HexId(to))


def assault(to: str) -> Assault:
    return Assault(to=HexId(to))


def withdraw(unit: str, to: str) -> Disengage:
    return Disengage(unit=UnitId(unit), to=HexId(to))


HALT = Halt()
DROP = Drop()
DONE = Done()


def moving(
    state: State,
    side: Side,
    activated: Iterable[str],
    *,
    ov: int = 3,
    event: bool = True,
    card: str = "",
) -> Mover:
    """Return step 2 of an offensive with these units."""
    begun = in_offensive(state, side, ov=ov, event=event, card=card, activated=activated)
    frame = MovementFrame(side=side, purpose=Purpose.OFFENSIVE)
    return Mover(replace(begun, frames=(*begun.frames, frame)))


def with_battles(state: State, hexes: Iterable[str]) -> State:
    """Return the state with declared battle hexes."""
    assert state.offensive is not None
    battles = {HexId(at): BattleHex() for at in hexes}
    return replace(state, offensive=replace(state.offensive, battles=battles))


def reacting(
    state: State,
    side: Side,
    activated: Iterable[str],
    battles: Iterable[str],
    *,
    ov: int = 3,
    offensive: Iterable[str] = (),
) -> Mover:
    """Return the movement of a reaction with these units against these battle hexes."""
    begun = in_offensive(state, side.enemy, ov=ov, activated=offensive, reacting=activated, step=8)
    begun = with_battles(begun, battles)
    frame = MovementFrame(side=side, purpose=Purpose.REACTION)
    return Mover(replace(begun, frames=(*begun.frames, frame)))


def with_moved(state: State, moves: dict[str, tuple[Mode, str]]) -> State:
    """Return the state with finished moves: mode and origin by unit."""
    assert state.offensive is not None
    moved = {
        UnitId(unit): Moved(
            mode=mode,
            origin=origin,
            path=(HexId(state.units[UnitId(unit)].at),),
            entered_from=origin,
        )
        for unit, (mode, origin) in moves.items()
    }
    return replace(state, offensive=replace(state.offensive, moved=moved))


def after_battle(
    state: State,
    offensive: Side,
    side: Side,
    *,
    activated: Iterable[str] = (),
    reaction: Iterable[str] = (),
    moves: dict[str, tuple[Mode, str]] | None = None,
    ov: int = 3,
) -> Mover:
    """Return the post-battle movement of a side."""
    begun = in_offensive(state, offensive, ov=ov, activated=activated, reacting=reaction, step=13)
    begun = with_moved(begun, moves or {})
    frame = MovementFrame(side=side, purpose=Purpose.POST_BATTLE)
    return Mover(replace(begun, frames=(*begun.frames, frame)))


def displaced(state: State, *units: str) -> Mover:
    """Return emergency movement of these units."""
    frame = EmergencyFrame(waiting=tuple(UnitId(unit) for unit in units))
    return Mover(replace(state, frames=(*state.frames, frame)))


def restacking(state: State, side: Side) -> Mover:
    """Return the stacking check of a side."""
    return Mover(replace(state, frames=(*state.frames, StackingFrame(side=side))))


def distance(start: str, end: str) -> int:
    return board().distance(HexId(start), HexId(end))

"""Every order open to a stack, in a fixed order (7.23, 8.2-8.4, 9.6)."""

from collections.abc import Iterator
from functools import cache
from typing import Final

from engine.eots.ch06_supply.bitmap import Bits
from engine.eots.ch06_supply.control import units_at
from engine.eots.ch06_supply.occupancy import occupancy
from engine.eots.ch08_movement import air, amphibious, ground, naval, transport
from engine.eots.ch08_movement.battles import battle_hexes, must_wait
from engine.eots.ch08_movement.fleet import activated, bit_of, has_ground, has_naval, lone_frame
from engine.eots.ch08_movement.losers import is_barge_loser, is_loser
from engine.eots.commands import (
    Assault,
    AssaultVia,
    BargeAssault,
    Drop,
    Enlist,
    EotsCommand,
    Fly,
    FlyStrategic,
    Halt,
    March,
    OrganicAssault,
    Sail,
    SailStrategic,
    SailVia,
    Transport,
)
from engine.eots.counters import counters
from engine.eots.frames import MovementFrame, Purpose, StackFrame
from engine.eots.ids import CHINA_BOX, Category, HexId, UnitId
from engine.eots.state import State, current
from engine.kernel.memo import IdentityMemo

Leg = (
    Sail
    | SailVia
    | SailStrategic
    | Fly
    | FlyStrategic
    | March
    | Assault
    | AssaultVia
    | OrganicAssault
    | BargeAssault
    | Transport
)
LEGS: Final = (
    Sail,
    SailVia,
    SailStrategic,
    Fly,
    FlyStrategic,
    March,
    Assault,
    AssaultVia,
    OrganicAssault,
    BargeAssault,
    Transport,
)
"""Kinds of legs in the order in which they are offered."""
ENDING_LEGS: Final = tuple(kind for kind in LEGS if kind not in {SailVia, AssaultVia})
"""Legs without the way points of moves that could end as well."""
ON_FOOT: Final = "ground"
AT_SEA: Final = "naval"
IN_AIR: Final = "air"
LANDING: Final = "landing"
"""Modes of stacks that are under way."""

_MEMO: Final = IdentityMemo[tuple[EotsCommand, ...]](32)


@cache
def _leg(kind: type[Leg], to: str) -> Leg:
    """Return the one order of a kind with this end."""
    return kind(to=HexId(to))


def movement_frame(state: State) -> MovementFrame | None:
    """Return the frame of the movement under way, None outside movement."""
    for frame in reversed(state.frames):
        if isinstance(frame, MovementFrame):
            return frame
    return None


def has_moved(state: State, unit: UnitId) -> bool:
    """Return whether a unit has finished moving for the present purpose (7.23)."""
    frame = movement_frame(state)
    if frame is None:
        return unit in current(state).moved
    return unit in frame.halted or (
        frame.purpose is not Purpose.POST_BATTLE and unit in current(state).moved
    )


def is_bound(state: State, unit: UnitId, purpose: Purpose) -> bool:
    """Return whether a rule keeps a unit where it is (7.26, 8.23, 8.33, 8.44, 9.6)."""
    counter, piece = counters()[unit], state.units[unit]
    if not piece.is_on_map and piece.at != CHINA_BOX:
        return True
    match purpose:
        case Purpose.OFFENSIVE:
            return False
        case Purpose.REACTION:
            frame = movement_frame(state)
            if must_wait(state, unit, () if frame is None else frame.halted):
                return True
            inside = bit_of(occupancy(state), piece.at) & battle_hexes(state)
            return bool(inside) and not counter.is_air_capable  # OP-7
        case Purpose.POST_BATTLE:
            if counter.is_ground:
                return not is_loser(state, unit) or is_barge_loser(state, unit)
            moved = current(state).moved.get(unit)
            return moved is not None and moved.mode.is_strategic  # 9.6-2


def may_join_stack(state: State, frame: StackFrame, unit: UnitId) -> bool:
    """Return whether a unit may move with a stack that has not moved yet (7.23)."""
    counter = counters()[unit]
    if counter.side is not frame.side or unit in frame.units or frame.mode is not None:
        return False
    if state.units[unit].at != frame.origin or unit not in activated(state, frame.side):
        return False
    if has_moved(state, unit) or is_bound(state, unit, frame.purpose):
        return False
    return _fit_together(frame, unit)


def _fit_together(frame: StackFrame, unit: UnitId) -> bool:
    """Return whether a unit moves the same way as a stack: air units apart, troops with ships by sea (7.23, 8.45)."""
    together = (*frame.units, unit)
    kinds = {counters()[other].category for other in together}
    if len(kinds) == 1:
        return True
    if kinds != {Category.NAVAL, Category.GROUND}:
        return False
    if frame.purpose is Purpose.POST_BATTLE:
        return True
    rows = [row for other in together if (row := counters()[other].ground) is not None]
    return all(row.amphibious_assault for row in rows) or (
        frame.purpose is Purpose.OFFENSIVE and all(row.strategic_ground_transport for row in rows)
    )


def enlistable(state: State, frame: StackFrame) -> tuple[UnitId, ...]:
    """Return the units that may join a stack before it moves, in the order of their ids (7.23)."""
    there = units_at(state).get(frame.origin, ())
    return tuple(unit for unit in there if may_join_stack(state, frame, unit))


# -- legs


def leg_hexes(state: State, frame: StackFrame, kind: type[Leg]) -> Bits:  # noqa: PLR0911 - one line per order
    """Return the hexes that orders of one kind may name."""
    mode = frame.mode
    category = counters()[frame.units[0]].category
    troops, ships = has_ground(frame.units), has_naval(frame.units)
    if category is Category.AIR:
        if kind is Fly and mode in {None, IN_AIR}:
            return air.fly_hexes(state, frame)
        return air.fly_strategic_hexes(state, frame) if kind is FlyStrategic else 0
    if frame.purpose is Purpose.POST_BATTLE or not troops:
        if mode not in {None, AT_SEA}:
            return 0
        if kind is Sail:
            return naval.sail_hexes(state, frame)
        if kind is SailVia:
            return naval.sail_via_hexes(state, frame)
        if kind is SailStrategic and not troops:
            return naval.strategic_hexes(state, frame)
        return 0
    if kind is March:
        return ground.march_hexes(state, frame) if not ships and mode in {None, ON_FOOT} else 0
    if mode not in {None, LANDING}:
        return 0
    if kind is Assault:
        return amphibious.assault_hexes(state, frame)
    if kind is AssaultVia:
        return amphibious.assault_via_hexes(state, frame)
    if kind is OrganicAssault:
        return amphibious.organic_hexes(state, frame)
    if kind is BargeAssault:
        return amphibious.barge_hexes(state, frame)
    return transport.transport_hexes(state, frame) if kind is Transport else 0


def leg_options(state: State, frame: StackFrame) -> Iterator[Leg]:
    """Yield every leg, by kind, then by hex; the China box comes after the airfields (13.74)."""
    board_map = occupancy(state).ground
    for kind in LEGS:
        for at in board_map.ids(leg_hexes(state, frame, kind)):
            yield _leg(kind, at)
        if kind is Fly and _may_fly_to_box(state, frame):
            yield _leg(Fly, CHINA_BOX)


def may_halt(state: State, frame: StackFrame) -> bool:
    """Return whether a stack under way may end where it is (8.21, 8.31, 8.42)."""
    match frame.mode:
        case "ground":
            if frame.purpose is Purpose.REACTION:
                return bool(bit_of(occupancy(state), frame.at) & battle_hexes(state))
            return True
        case "air":
            return air.may_halt_in_air(state, frame)
        case "naval":
            return naval.may_halt_at_sea(state, frame)
        case _:
            return False


def stack_options(state: State, frame: StackFrame) -> tuple[EotsCommand, ...]:
    """Return every order open to a stack, remembered: joining units, legs, then to end or not to move at all."""
    key = (frame, state.units, state.control, state.tracks, current(state))
    return _MEMO.get(state, key, lambda: tuple(_stack_options(state, frame)))


def _stack_options(state: State, frame: StackFrame) -> Iterator[EotsCommand]:
    if frame.mode is None:
        yield from (Enlist(unit=unit) for unit in enlistable(state, frame))
        yield from leg_options(state, frame)
        yield Drop()
        return
    legs = tuple(leg_options(state, frame))
    yield from legs
    if not legs or may_halt(state, frame):
        yield Halt()


def can_go_on(state: State, frame: StackFrame) -> bool:
    """Return whether a stack under way has another leg."""
    return any(leg_hexes(state, frame, kind) for kind in LEGS) or _may_fly_to_box(state, frame)


def _may_fly_to_box(state: State, frame: StackFrame) -> bool:
    return counters()[frame.units[0]].is_air and air.may_fly_to_box(state, frame)


def is_stack_option(state: State, frame: StackFrame, command: EotsCommand) -> bool:
    """Return whether an order is among those of `stack_options`."""
    match command:
        case Drop():
            return frame.mode is None
        case Halt():
            under_way = frame.mode is not None
            return under_way and (may_halt(state, frame) or not can_go_on(state, frame))
        case Enlist(unit=unit):
            return frame.mode is None and unit in enlistable(state, frame)
        case Fly(to=to) if to == CHINA_BOX:
            return _may_fly_to_box(state, frame)
        case _ if isinstance(command, LEGS):
            hexes = leg_hexes(state, frame, type(command))
            return bool(hexes & bit_of(occupancy(state), command.to))
        case _:
            return False


def can_move_alone(state: State, frame: StackFrame) -> bool:
    """Return whether a stack that has not moved has a leg at all."""
    if counters()[frame.units[0]].is_air and air.has_direct_end(state, frame):
        return True
    if any(leg_hexes(state, frame, kind) for kind in ENDING_LEGS):
        return True
    return _may_fly_to_box(state, frame)


def can_pick(state: State, unit: UnitId, purpose: Purpose) -> bool:
    """Return whether picking a unit leads anywhere: it can move alone, or go with a ship of its hex (7.23, 7.26)."""
    if has_moved(state, unit) or is_bound(state, unit, purpose):
        return False
    counter = counters()[unit]
    frame = lone_frame(counter.side, purpose, (unit,), state.units[unit].at)
    if can_move_alone(state, frame):
        return True
    if not counter.is_ground:
        return False
    ships = (other for other in enlistable(state, frame) if counters()[other].is_naval)
    group = lone_frame(counter.side, purpose, (unit, *ships), frame.at)
    return len(group.units) > 1 and can_move_alone(state, group)

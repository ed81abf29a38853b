"""A stack under way: joining, legs, the end of the move (7.23, 8.2-8.4)."""

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec.structs import replace

from engine.eots.board import board
from engine.eots.ch06_supply.bitmap import Bits
from engine.eots.ch06_supply.occupancy import occupancy
from engine.eots.ch08_movement import air, amphibious, ground, naval, refusals, transport
from engine.eots.ch08_movement.airfields import uses_brackets
from engine.eots.ch08_movement.asp import asp_cost, spend_asp
from engine.eots.ch08_movement.choices import (
    AT_SEA,
    IN_AIR,
    LANDING,
    LEGS,
    ON_FOOT,
    can_go_on,
    is_stack_option,
    stack_options,
)
from engine.eots.ch08_movement.course import finish_move, take_control, travel
from engine.eots.ch08_movement.disengage import begin_disengagement
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
from engine.eots.events.offensive import BargeUsed
from engine.eots.flow import EotsDecision, EotsRun, Handler
from engine.eots.frames import Purpose, StackFrame
from engine.eots.ids import CHINA_BOX, HexId, Side, UnitId
from engine.eots.state import Mode, State
from engine.kernel.decision import Decision
from engine.kernel.ids import Refusal, Role, Rule

WHOLE: Final = 2
"""Halves in a hex at sea or a leg in the air."""
_RULES: Final = {
    Purpose.OFFENSIVE: Rule("7.23"),
    Purpose.REACTION: Rule("7.26"),
    Purpose.POST_BATTLE: Rule("9.6"),
}


class StackHandler(Handler[StackFrame]):
    """Move one stack from its first leg to its end (7.23)."""

    frame = StackFrame

    def asked(self, state: State, frame: StackFrame) -> tuple[Side, ...]:
        """Ask the mover unless the stack can only end where it is."""
        return (frame.side,) if frame.mode is None or can_go_on(state, frame) else ()

    def is_option(self, state: State, frame: StackFrame, side: Side, command: EotsCommand) -> bool:
        """Return whether an order is open to the stack."""
        return is_stack_option(state, frame, command)

    def decision(self, state: State, frame: StackFrame, side: Side) -> EotsDecision:
        """Offer joining, every leg, and to end or to put the stack back."""
        options = stack_options(state, frame)
        return Decision(
            role=Role(side),
            rule=_RULES[frame.purpose],
            prompt=_prompt(state, frame),
            options=options,
            default=_default(state, frame, options),
        )

    def resolve(self, run: EotsRun, frame: StackFrame, side: Side, command: EotsCommand) -> None:
        """Carry an order out."""
        match command:
            case Drop():
                run.leave()
            case Enlist(unit=unit):
                run.replace(replace(frame, units=(*frame.units, unit)))
            case Halt():
                halt(run, frame)
            case Sail() | SailVia() | SailStrategic():
                _sail(run, frame, command)
            case Fly() | FlyStrategic():
                _fly(run, frame, command)
            case March(to=to):
                _march(run, frame, to)
            case Assault() | AssaultVia() | OrganicAssault() | BargeAssault():
                _land(run, frame, command)
            case Transport(to=to):
                _transport(run, frame, to)
            case _:
                raise AssertionError(command)

    def step(self, run: EotsRun, frame: StackFrame) -> None:
        """End a move that cannot go on."""
        halt(run, frame)

    def why_not(
        self, state: State, frame: StackFrame, side: Side, command: EotsCommand
    ) -> Iterator[Refusal]:
        """Yield the rules against an order."""
        yield from refusals.check_stack_order(state, frame, command)


def _prompt(state: State, frame: StackFrame) -> str:
    names = ", ".join(counters()[unit].name for unit in frame.units)
    match frame.mode:
        case None:
            return f"Move {names} from {frame.origin}"
        case "ground":
            whole, half = divmod(ground.halves_left(state, frame), 2)
            left = " ".join([*([str(whole)] if whole or not half else []), *(["1/2"] * half)])
            return f"{names} in {frame.at}: go on with {left} MP"
        case "air":
            return f"{names} in {frame.at}: legs left: {air.legs_left(state, frame)}"
        case _:
            return f"{names} in {frame.at}: hexes left: {naval.hexes_left(state, frame)}"


def _default(state: State, frame: StackFrame, options: tuple[EotsCommand, ...]) -> EotsCommand:
    """Return what happens without an answer: no move in step 2, else the nearest end, lowest hex first (9-i, 9-j)."""
    last = options[-1]
    if frame.purpose is Purpose.OFFENSIVE or isinstance(last, Halt):
        return last
    legs = [option for option in options if isinstance(option, LEGS) and option.to != CHINA_BOX]
    if not legs or frame.at == CHINA_BOX:
        return legs[0] if legs else last
    ends = _ends(state, frame)
    of = occupancy(state).ground.of
    return min(
        legs,
        key=lambda leg: (not of[leg.to] & ends, board().distance(HexId(frame.at), HexId(leg.to))),
    )


def _ends(state: State, frame: StackFrame) -> Bits:
    """Return the hexes in which the stack may end; every leg of ships and troops leads to one."""
    is_air = counters()[frame.units[0]].is_air
    return air.fly_ends(state, frame) if is_air else -1


def _uniform(frame: StackFrame, mode: Mode) -> Mapping[UnitId, Mode]:
    return dict.fromkeys(frame.units, mode)


def halt(run: EotsRun, frame: StackFrame) -> None:
    """End the move where the stack is."""
    modes = {ON_FOOT: Mode.GROUND, IN_AIR: Mode.AIR, AT_SEA: Mode.NAVAL}
    assert frame.mode in modes, frame
    finish_move(run, frame, _uniform(frame, modes[frame.mode]))


def _sail(run: EotsRun, frame: StackFrame, order: Sail | SailVia | SailStrategic) -> None:
    state = run.state
    strategic = isinstance(order, SailStrategic)
    find = naval.strategic_path if strategic else naval.sail_path
    path = find(state, frame, order.to)
    moved = travel(run, frame, path, mode=AT_SEA, halves=WHOLE * len(path))
    if isinstance(order, SailVia):
        run.replace(moved)
        return
    finish_move(run, moved, _uniform(moved, Mode.NAVAL_STRATEGIC if strategic else Mode.NAVAL))


def _fly(run: EotsRun, frame: StackFrame, order: Fly | FlyStrategic) -> None:
    state = run.state
    if isinstance(order, FlyStrategic):
        path = air.fly_strategic_path(state, frame, order.to)
        moved = travel(run, frame, path, mode=IN_AIR, halves=0)
        finish_move(run, moved, _uniform(moved, Mode.AIR_STRATEGIC))
        return
    if CHINA_BOX in {order.to, frame.at}:
        run.replace(travel(run, frame, (order.to,), mode=IN_AIR, halves=WHOLE))
        return
    leg = board().distance(HexId(frame.at), HexId(order.to))
    brackets = frame.parentheses or uses_brackets(state, frame.units, leg)
    path = air.fly_path(state, frame, order.to)
    moved = travel(run, frame, path, mode=IN_AIR, halves=WHOLE)
    run.replace(replace(moved, parentheses=brackets))


def _march(run: EotsRun, frame: StackFrame, to: str) -> None:
    state = run.state
    held = occupancy(state)
    way = ground.marches(state, frame)[held.ground.board.index[HexId(to)]]
    path = tuple(held.ground.board.ids[index] for index in way.path)
    came_from = path[-2] if len(path) > 1 else frame.at
    moved = travel(run, frame, path, mode=ON_FOOT, halves=way.halves)
    take_control(run, moved, path)
    run.replace(moved)
    begin_disengagement(run, moved, came_from, landed=False)


def _land(
    run: EotsRun,
    frame: StackFrame,
    order: Assault | AssaultVia | OrganicAssault | BargeAssault,
) -> None:
    state = run.state
    path = amphibious.landing_path(state, frame, order.to)
    if isinstance(order, AssaultVia):
        run.replace(travel(run, frame, path, mode=LANDING, halves=WHOLE * len(path)))
        return
    ships: Mapping[UnitId, UnitId] = {}
    mode = Mode.ASP
    if isinstance(order, BargeAssault):
        run.add(BargeUsed())
        mode, cost = Mode.BARGE, 0
    elif isinstance(order, OrganicAssault):
        ships = amphibious.carried(frame.units)
        cost = amphibious.organic_cost(state, frame.units) or 0
    else:
        cost = asp_cost(state, amphibious.troops(frame.units)) or 0
    if cost:
        spend_asp(run, frame.side, cost)
    moved = travel(run, frame, path, mode=LANDING, halves=WHOLE * len(path))
    modes = {unit: mode if counters()[unit].is_ground else Mode.NAVAL for unit in frame.units}
    modes.update(dict.fromkeys(ships, Mode.ORGANIC))
    finish_move(run, moved, modes, ships)


def _transport(run: EotsRun, frame: StackFrame, to: str) -> None:
    state = run.state
    strategic = transport.goes_strategically(state, frame, to)
    path = transport.transport_path(state, frame, to)
    ships = Mode.NAVAL_STRATEGIC if strategic else Mode.NAVAL
    modes = {
        unit: Mode.GROUND_STRATEGIC if counters()[unit].is_ground else ships for unit in frame.units
    }
    moved = travel(run, frame, path, mode=LANDING, halves=WHOLE * len(path))
    finish_move(run, moved, modes)

"""Why an order to a stack is not legal (7.23, 8.2-8.4, 9.6)."""

from collections.abc import Iterator
from typing import Final

from engine.eots.ch06_supply.occupancy import occupancy
from engine.eots.ch08_movement import air, amphibious, ground, naval, transport
from engine.eots.ch08_movement.asp import asp_cost, asp_left
from engine.eots.ch08_movement.choices import (
    AT_SEA,
    IN_AIR,
    LANDING,
    has_moved,
    leg_hexes,
    may_halt,
    may_join_stack,
)
from engine.eots.ch08_movement.fleet import (
    activated,
    bare,
    bit_of,
    carrier_ranges,
    classes,
    has_ground,
    has_naval,
)
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
from engine.eots.frames import Purpose, StackFrame
from engine.eots.ids import Side, UnitId
from engine.eots.state import State
from engine.kernel.ids import Refusal, Rule

_HALTS: Final = {AT_SEA: Rule("8.21"), IN_AIR: Rule("8.31"), LANDING: Rule("8.45")}
"""Rules about the end of a move, by the mode of a stack under way."""
_HALT_WORDS: Final = {
    AT_SEA: "ships end in a friendly port, with an enemy, or with a carrier that has a task",
    IN_AIR: "air units end on a friendly airfield that is no battle hex",
    LANDING: "a landing ends ashore",
}


def check_stack_order(state: State, frame: StackFrame, command: EotsCommand) -> Iterator[Refusal]:
    """Yield every reason why an order to a stack is not legal."""
    match command:
        case Enlist(unit=unit):
            yield from check_enlist(state, frame, unit)
        case Drop():
            if frame.mode is not None:
                yield Refusal(Rule("7.23"), "the stack has begun to move")
        case Halt():
            yield from _check_halt(state, frame)
        case Sail() | SailVia() | SailStrategic():
            yield from _check_ships(state, frame, command)
        case Fly(to=to):
            yield from _check_kind(frame, is_fit=_is_air(frame), what="air units fly")
            if _is_air(frame):
                yield from air.check_fly(state, frame, to)
        case FlyStrategic(to=to):
            yield from _check_kind(frame, is_fit=_is_air(frame), what="air units fly")
            if _is_air(frame):
                yield from air.check_fly_strategic(state, frame, to)
        case March(to=to):
            fit = not has_naval(frame.units) and has_ground(frame.units)
            yield from _check_kind(frame, is_fit=fit, what="ground units march")
            if fit:
                yield from ground.check_march(state, frame, to)
        case Assault() | AssaultVia() | OrganicAssault() | BargeAssault():
            yield from check_landing(state, frame, command)
        case Transport(to=to):
            yield from check_transport(state, frame, to)
        case _:
            yield Refusal(Rule("7.23"), "a stack is moving; finish its move first")


def _is_air(frame: StackFrame) -> bool:
    return counters()[frame.units[0]].is_air


def _check_halt(state: State, frame: StackFrame) -> Iterator[Refusal]:
    """Yield why a stack may not end its move where it is (8.21, 8.31, 8.45)."""
    if frame.mode is None:
        yield Refusal(Rule("7.23"), "the stack has not moved")
    elif not may_halt(state, frame):
        if frame.mode in _HALTS:
            yield Refusal(_HALTS[frame.mode], _HALT_WORDS[frame.mode])
        yield Refusal(Rule("7.23"), f"the stack may not end its move in {frame.at}")


def _check_kind(frame: StackFrame, *, is_fit: bool, what: str) -> Iterator[Refusal]:
    if not is_fit:
        yield Refusal(Rule("8.4"), f"only {what}, not {', '.join(frame.units)}")


def _check_ships(
    state: State, frame: StackFrame, command: Sail | SailVia | SailStrategic
) -> Iterator[Refusal]:
    fit = has_naval(frame.units) and not has_ground(frame.units)
    fit = fit or (frame.purpose is Purpose.POST_BATTLE and has_ground(frame.units))
    yield from _check_kind(frame, is_fit=fit, what="ships sail")
    if not fit:
        return
    if isinstance(command, Sail):
        yield from naval.check_sail(state, frame, command.to)
    elif isinstance(command, SailStrategic):
        yield from naval.check_strategic(state, frame, command.to)
    elif frame.purpose is not Purpose.OFFENSIVE:
        yield Refusal(Rule("8.21"), "way points matter in the movement of an offensive only")
    elif not bit_of(occupancy(state), command.to) & naval.sail_via_hexes(state, frame):
        yield Refusal(Rule("8.21"), f"from {command.to} no legal end of the move is in reach")


def check_enlist(state: State, frame: StackFrame, unit: UnitId) -> Iterator[Refusal]:
    """Yield every reason why a unit may not join the stack (7.23)."""
    if frame.mode is not None:
        yield Refusal(Rule("7.23"), "nobody joins a stack that has begun to move")
    if unit not in activated(state, frame.side):
        yield Refusal(Rule("7.21"), f"{unit} is not activated")
        return
    if unit in frame.units:
        yield Refusal(Rule("7.23"), f"{unit} is in the stack already")
        return
    if state.units[unit].at != frame.origin:
        yield Refusal(Rule("7.23"), f"{unit} is not in {frame.origin}")
    elif has_moved(state, unit):
        yield Refusal(Rule("7.23"), f"{unit} has finished its move")
    elif not may_join_stack(state, frame, unit):
        yield Refusal(Rule("7.23"), f"{unit} cannot move together with {frame.units[0]}")


Landing = Assault | AssaultVia | OrganicAssault | BargeAssault


def check_landing(state: State, frame: StackFrame, command: Landing) -> Iterator[Refusal]:
    """Yield every reason why the stack may not land in a hex (8.45-8.47, 7.24, 7.26)."""
    if not amphibious.may_embark(state, frame):
        yield Refusal(
            Rule("8.45"),
            f"no troops that can land stand ready in {frame.origin}, a friendly coastal hex",
        )
        return
    yield from _check_points(state, frame, command)
    held = occupancy(state)
    bit = bit_of(held, command.to)
    if bit & amphibious.barred_to_army(state, frame):
        yield Refusal(
            Rule("8.45D"), f"US Army units land in {command.to} only together with US Marines"
        )
    if isinstance(command, BargeAssault):
        if not bit & amphibious.barge_hexes(state, frame):
            yield Refusal(
                Rule("8.47"),
                "barges need the event, a card of operations value 3 and an adjacent shore across the sea",
            )
        return
    if bit & leg_hexes(state, frame, type(command)):
        return
    yield from _check_way(state, frame, command)
    yield Refusal(
        Rule("8.45"), f"no landing in {command.to} is possible or leads to a legal step 3"
    )


def _check_points(state: State, frame: StackFrame, command: Landing) -> Iterator[Refusal]:
    left = asp_left(state, frame.side)
    if isinstance(command, Assault):
        cost = asp_cost(state, amphibious.troops(frame.units))
    elif isinstance(command, OrganicAssault):
        if not amphibious.carried(frame.units):
            yield Refusal(Rule("8.46"), "no CA, CL or APD of the stack carries a brigade")
            return
        cost = amphibious.organic_cost(state, frame.units)
    else:
        return
    if cost is not None and cost > left:
        yield Refusal(Rule("8.45A"), f"the landing costs {cost} ASP, and {left} are left")
        if frame.side is Side.JAPAN and state.tracks.japan_rivalry:
            yield Refusal(Rule("14.2B"), "under rivalry half of the Japanese ASP level is usable")


def _check_way(state: State, frame: StackFrame, command: Landing) -> Iterator[Refusal]:
    here = bit_of(occupancy(state), frame.at)
    if here & bare(state, frame.side) and not carrier_ranges(state, frame.units):
        yield Refusal(Rule("8.45B"), f"{frame.at} lies in unneutralised enemy ZOI")
    there = bit_of(occupancy(state), command.to)
    if there & bare(state, frame.side) and not carrier_ranges(state, frame.units):
        yield Refusal(Rule("8.45B"), f"{command.to} lies in unneutralised enemy ZOI")
    enemy_ships = classes(state).naval[frame.side.enemy]
    if there & enemy_ships and not has_naval(frame.units):
        yield Refusal(Rule("8.45B"), f"enemy ships in {command.to} demand an escort")


def check_transport(state: State, frame: StackFrame, to: str) -> Iterator[Refusal]:
    """Yield every reason against strategic ground transport to a port (8.44, OP-21, OP-26)."""
    if frame.purpose is not Purpose.OFFENSIVE:
        yield Refusal(Rule("8.44"), "only offensive units move strategically")
        return
    rows = [counters()[unit].ground for unit in amphibious.troops(frame.units)]
    if not rows or any(row is None or not row.strategic_ground_transport for row in rows):
        yield Refusal(Rule("8.44"), "these units cannot be transported by sea")
        return
    if not bit_of(occupancy(state), to) & transport.transport_hexes(state, frame):
        yield Refusal(
            Rule("8.44"),
            f"{to} is no friendly supply-eligible port in reach around unneutralised enemy ZOI",
        )

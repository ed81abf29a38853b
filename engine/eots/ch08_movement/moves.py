"""A side moves its units one stack after the other, then is done (7.23, 7.26, 9.6)."""

from collections.abc import Iterator
from typing import Final

import msgspec

from engine.eots.ch06_supply.occupancy import occupancy
from engine.eots.ch08_movement import air, naval
from engine.eots.ch08_movement.airfields import flight_reach
from engine.eots.ch08_movement.battles import is_in_place
from engine.eots.ch08_movement.choices import (
    can_move_alone,
    can_pick,
    has_moved,
    is_bound,
)
from engine.eots.ch08_movement.fleet import activated, bit_of, lone_frame
from engine.eots.ch08_movement.losers import is_barge_loser, is_loser
from engine.eots.ch08_movement.post_battle import bases, best_bases
from engine.eots.commands import Done, EotsCommand, Pick
from engine.eots.counters import counters
from engine.eots.events.movement import ActivationLost
from engine.eots.events.offensive import UnitMoved
from engine.eots.events.units import UnitEliminated
from engine.eots.flow import EotsDecision, EotsRun, Handler
from engine.eots.frames import MovementFrame, Purpose, StackFrame
from engine.eots.ids import CHINA_BOX, Side, UnitId
from engine.eots.state import State, current
from engine.kernel.decision import Decision
from engine.kernel.ids import Refusal, Role, Rule
from engine.kernel.memo import IdentityMemo

_PROMPTS: Final = {
    Purpose.OFFENSIVE: "Move activated units, or finish movement",
    Purpose.REACTION: "Move reacting units into the battles, or finish",
    Purpose.POST_BATTLE: "Move units back to their bases, or finish",
}
_RULES: Final = {
    Purpose.OFFENSIVE: Rule("7.23"),
    Purpose.REACTION: Rule("7.26"),
    Purpose.POST_BATTLE: Rule("9.6"),
}


class Agenda(msgspec.Struct, frozen=True, eq=False):
    """What is open in a movement step."""

    picks: tuple[UnitId, ...]
    """Units that may be picked, in the order of their ids."""
    due: tuple[UnitId, ...]
    """Those that must move before the step may end."""


_MEMO: Final = IdentityMemo[Agenda](32)
_OPEN: Final = IdentityMemo[bool](64)
_RETURNS: Final = IdentityMemo[tuple[tuple[UnitId, str], ...]](32)


def agenda(state: State, frame: MovementFrame) -> Agenda:
    """Return what is open; remembered."""
    key = (frame, state.units, state.control, state.tracks, current(state))
    return _MEMO.get(state, key, lambda: _agenda(state, frame))


def _agenda(state: State, frame: MovementFrame) -> Agenda:
    picks = tuple(
        unit for unit in sorted(activated(state, frame.side)) if _is_open(state, frame, unit)
    )
    if frame.purpose is Purpose.OFFENSIVE:
        return Agenda(picks, ())
    due = tuple(
        unit
        for unit in picks
        if not is_settled(state, unit, frame.purpose) and _moves_alone(state, unit, frame.purpose)
    )
    return Agenda(picks, due)


def _is_open(state: State, frame: MovementFrame, unit: UnitId) -> bool:
    """Return whether an activated unit may be picked; remembered."""
    key = (unit, frame, state.units, state.control, state.tracks, current(state))
    return _OPEN.get(state, key, lambda: can_pick(state, unit, frame.purpose))


def _moves_alone(state: State, unit: UnitId, purpose: Purpose) -> bool:
    frame = lone_frame(counters()[unit].side, purpose, (unit,), state.units[unit].at)
    return can_move_alone(state, frame)


def is_settled(state: State, unit: UnitId, purpose: Purpose) -> bool:
    """Return whether a unit may stay where it is (7.26, 9.61, 9.62)."""
    if purpose is Purpose.REACTION:
        return is_in_place(state, unit)
    counter, piece = counters()[unit], state.units[unit]
    if counter.is_ground:
        return not is_loser(state, unit)
    if piece.at == CHINA_BOX:
        return True
    here = bit_of(occupancy(state), piece.at)
    if counter.side is current(state).side or has_moved(state, unit):
        return bool(here & bases(state, unit))
    return bool(here & best_bases(state, unit, piece.at))


def movement_options(state: State, frame: MovementFrame) -> tuple[EotsCommand, ...]:
    """Return every unit to pick, then the end if nobody is due (7.23, 7.26, 9.6)."""
    now = agenda(state, frame)
    picks: tuple[EotsCommand, ...] = tuple(Pick(unit=unit) for unit in now.picks)
    return picks if now.due else (*picks, Done())


def check_pick(state: State, frame: MovementFrame, unit: UnitId) -> Iterator[Refusal]:
    """Yield every reason why a unit may not be picked (7.21, 7.23, 7.26, 9.6)."""
    rule = _RULES[frame.purpose]
    if unit not in activated(state, frame.side):
        yield Refusal(Rule("7.21"), f"{unit} is not activated")
        return
    if has_moved(state, unit):
        yield Refusal(Rule("7.23"), f"{unit} has finished its move")
    elif is_bound(state, unit, frame.purpose):
        yield Refusal(rule, f"{unit} must stay where it is")
    elif not can_pick(state, unit, frame.purpose):
        yield Refusal(rule, f"{unit} has nowhere to go")


# -- what happens by itself


def _only_end(state: State, frame: MovementFrame, unit: UnitId) -> str | None:
    """Return the one base that a ship or air unit can and must go to; None when there is a choice (9-i, 9-j)."""
    counter, place = counters()[unit], state.units[unit].at
    if counter.is_ground or place == CHINA_BOX:
        return None
    stack = lone_frame(frame.side, frame.purpose, (unit,), place)
    if counter.is_air:
        if air.may_fly_to_box(state, stack):
            return None
        start = bit_of(occupancy(state), place)
        ends = air.fly_ends(state, stack) & ~start
        ends &= flight_reach(state, (unit,), frame.purpose, start)
    else:
        ends = naval.sail_hexes(state, stack)
    found = occupancy(state).ground.ids(ends)
    return found[0] if len(found) == 1 else None


def forced_returns(state: State, frame: MovementFrame) -> tuple[tuple[UnitId, str], ...]:
    """Return the post-battle moves that leave no choice: sole bases, and barges going back (9.6, 8.47)."""
    if frame.purpose is not Purpose.POST_BATTLE:
        return ()
    key = (frame, state.units, state.control, state.tracks, current(state))
    return _RETURNS.get(state, key, lambda: _forced_returns(state, frame))


def _forced_returns(state: State, frame: MovementFrame) -> tuple[tuple[UnitId, str], ...]:
    found = [
        (unit, origin)
        for unit in sorted(activated(state, frame.side))
        if (origin := _barge_origin(state, frame, unit)) is not None
    ]
    for unit in agenda(state, frame).due:
        only = _only_end(state, frame, unit)
        if only is not None:
            found.append((unit, only))
    return tuple(found)


def _barge_origin(state: State, frame: MovementFrame, unit: UnitId) -> str | None:
    """Return the hex to which a defeated unit goes back by barge, None when it cannot (8.47, 9.5)."""
    if unit in frame.halted or not is_barge_loser(state, unit):
        return None
    held = occupancy(state)
    origin = current(state).moved[unit].origin
    free = held.controlled[frame.side] & ~held.anyone[frame.side.enemy]
    return origin if bit_of(held, origin) & free else None


def _return(run: EotsRun, frame: MovementFrame, unit: UnitId, to: str) -> MovementFrame:
    stack = lone_frame(frame.side, frame.purpose, (unit,), run.state.units[unit].at)
    way = naval.sail_path(run.state, stack, to) if counters()[unit].is_naval else (to,)
    run.add(UnitMoved(unit=unit, entered=way))
    changed = msgspec.structs.replace(frame, halted=(*frame.halted, unit))
    run.replace(changed)
    return changed


def conclude(run: EotsRun, frame: MovementFrame) -> None:
    """Close a movement step: idle reaction units are released, units without a base are lost (7.26, 9.62-4)."""
    for unit in activated(run.state, frame.side):
        if frame.purpose is Purpose.OFFENSIVE:
            break
        piece = run.state.units[unit]
        if not piece.is_on_map and piece.at != CHINA_BOX:
            continue
        if is_settled(run.state, unit, frame.purpose):
            continue
        if frame.purpose is Purpose.REACTION:
            run.add(ActivationLost(rule=Rule("7.26"), unit=unit))
        else:
            rule = "9.62" if frame.side is current(run.state).side else "9.61"
            run.add(UnitEliminated(rule=Rule(rule), unit=unit))
    run.leave()


class MovementHandler(Handler[MovementFrame]):
    """Ask for the next unit to move (7.23)."""

    frame = MovementFrame

    def asked(self, state: State, frame: MovementFrame) -> tuple[Side, ...]:
        """Ask the mover while something is open that does not happen by itself."""
        if forced_returns(state, frame):
            return ()
        units = activated(state, frame.side)
        return (frame.side,) if any(_is_open(state, frame, unit) for unit in units) else ()

    def is_option(
        self, state: State, frame: MovementFrame, side: Side, command: EotsCommand
    ) -> bool:
        """Return whether a unit may be picked, or the step ended."""
        match command:
            case Pick(unit=unit):
                return unit in activated(state, frame.side) and _is_open(state, frame, unit)
            case Done():
                return frame.purpose is Purpose.OFFENSIVE or not agenda(state, frame).due
            case _:
                return False

    def decision(self, state: State, frame: MovementFrame, side: Side) -> EotsDecision:
        """Offer every unit that can move, and the end."""
        options = movement_options(state, frame)
        due = agenda(state, frame).due
        return Decision(
            role=Role(side),
            rule=_RULES[frame.purpose],
            prompt=_PROMPTS[frame.purpose],
            options=options,
            default=Pick(unit=due[0]) if due else Done(),
        )

    def resolve(
        self,
        run: EotsRun,
        frame: MovementFrame,
        side: Side,
        command: EotsCommand,
    ) -> None:
        """Pick up a unit, or finish."""
        if not isinstance(command, Pick):
            conclude(run, frame)
            return
        place = run.state.units[command.unit].at
        run.enter(
            StackFrame(
                side=frame.side,
                purpose=frame.purpose,
                units=(command.unit,),
                origin=place,
                at=place,
            ),
        )

    def step(self, run: EotsRun, frame: MovementFrame) -> None:
        """Carry out moves that leave no choice; close the step when nobody can move."""
        returns = forced_returns(run.state, frame)
        if not returns:
            conclude(run, frame)
            return
        for unit, to in returns:
            frame = _return(run, frame, unit, to)

    def why_not(
        self, state: State, frame: MovementFrame, side: Side, command: EotsCommand
    ) -> Iterator[Refusal]:
        """Yield the rules against a unit or the end."""
        match command:
            case Pick(unit=unit):
                yield from check_pick(state, frame, unit)
            case Done():
                for unit in agenda(state, frame).due:
                    yield Refusal(_RULES[frame.purpose], f"{unit} must move first")
            case _:
                yield Refusal(_RULES[frame.purpose], "pick a unit to move, or finish")

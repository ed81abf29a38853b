"""A side's movement, one stack at a time (7.23, 7.26, 9.6)."""

from collections.abc import Iterator
from typing import Final

import msgspec
from typing_extensions import override

from engine.eots.ch06_supply.occupancy import occupancy
from engine.eots.ch06_supply.supply import supplying_hexes
from engine.eots.ch07_offensive.activation import fixed_units
from engine.eots.ch08_movement import air, naval
from engine.eots.ch08_movement.airborne import AIR_DROP
from engine.eots.ch08_movement.airfields import flight_reach
from engine.eots.ch08_movement.battles import is_in_battle_position
from engine.eots.ch08_movement.fleet import activated_units, place_bit, probe_frame
from engine.eots.ch08_movement.losers import must_leave_after_loss, must_return_by_barge
from engine.eots.ch08_movement.post_battle import best_bases, friendly_bases, hq_range
from engine.eots.ch08_movement.readiness import RULES, has_moved, is_bound
from engine.eots.ch08_movement.stack import ENDING_LEGS, JOINING_STACK
from engine.eots.commands import Done, EotsCommand, Pick
from engine.eots.counters import counters
from engine.eots.events.offensive import ActivationLost, UnitMoved
from engine.eots.events.units import UnitEliminated
from engine.eots.flow import Action, DecisionHandler, EotsRun, PlainAction
from engine.eots.frames import MovementFrame, Purpose, StackFrame
from engine.eots.ids import CHINA_BOX, Side, UnitId
from engine.eots.state import State, current_offensive
from engine.kernel.ids import Refusal, Rule
from engine.kernel.memo import Memo

_PROMPTS: Final = {
    Purpose.OFFENSIVE: "Move activated units, or finish movement",
    Purpose.REACTION: "Move reacting units into the battles, or finish",
    Purpose.POST_BATTLE: "Move units back to their bases, or finish",
}

_DUE_UNITS_CACHE: Final = Memo[tuple[UnitId, ...]](32)
_PICK_CACHE: Final = Memo[bool](64)
_RETURNS_CACHE: Final = Memo[tuple[tuple[UnitId, str], ...]](32)


def can_move_alone(state: State, frame: StackFrame) -> bool:
    """Return whether a stack that has not moved has any legal leg."""
    return any(leg.is_open(state, frame, frame.side) for leg in ENDING_LEGS)


def can_pick(state: State, unit: UnitId, purpose: Purpose) -> bool:
    """Return whether a unit can be picked: it must be able to move, alone or with a ship in its hex (7.23, 7.26)."""
    if has_moved(state, unit) or is_bound(state, unit, purpose):
        return False
    frame = _probe_frame(state, unit, purpose)
    if can_move_alone(state, frame):
        return True
    if not counters()[unit].is_ground:
        return False
    joining_units = (option.unit for option in JOINING_STACK.options(state, frame, frame.side))
    ships = tuple(
        joining_unit for joining_unit in joining_units if counters()[joining_unit].is_naval
    )
    return bool(ships) and can_move_alone(
        state, probe_frame(frame.side, purpose, (unit, *ships), frame.at)
    )


def _probe_frame(state: State, unit: UnitId, purpose: Purpose) -> StackFrame:
    return probe_frame(counters()[unit].side, purpose, (unit,), state.units[unit].at)


def units_due_to_move(state: State, frame: MovementFrame) -> tuple[UnitId, ...]:
    """Return the units that must move before the side may finish, sorted by id (7.26, 9.6). Results are cached."""
    if frame.purpose is Purpose.OFFENSIVE:
        return ()
    key = (frame, state.units, state.control, state.tracks, current_offensive(state))
    return _DUE_UNITS_CACHE.get(state, key, lambda: tuple(_units_due_to_move(state, frame)))


def _units_due_to_move(state: State, frame: MovementFrame) -> Iterator[UnitId]:
    for unit in sorted(activated_units(state, frame.side)):
        if has_moved(state, unit) or is_bound(state, unit, frame.purpose):
            continue
        if not is_settled(state, unit, frame.purpose) and can_move_alone(
            state, _probe_frame(state, unit, frame.purpose)
        ):
            yield unit


def is_settled(state: State, unit: UnitId, purpose: Purpose) -> bool:
    """Return whether a unit may stay in its current place (7.26, 9.61, 9.62)."""
    if purpose is Purpose.REACTION:
        return is_in_battle_position(state, unit)
    counter, piece = counters()[unit], state.units[unit]
    if counter.is_ground:
        return not must_leave_after_loss(state, unit)
    if piece.at == CHINA_BOX:
        return True
    piece_bit = place_bit(occupancy(state), piece.at)
    if not piece_bit & friendly_bases(state, unit):
        return False  # the best bases are all friendly bases
    if counter.side is current_offensive(state).side or has_moved(state, unit):
        return True
    in_range = piece_bit & hq_range(state, counter.side)
    if in_range and supplying_hexes(state, unit, in_range):
        return True  # a base in supply and HQ range is always among the best
    return bool(piece_bit & best_bases(state, unit, piece.at))


# -- automatic moves


def _forced_base(state: State, frame: MovementFrame, unit: UnitId) -> str | None:
    """Return the only base to which a ship or air unit can go; None if there are several or none (9-i, 9-j)."""
    counter, place = counters()[unit], state.units[unit].at
    if counter.is_ground or place == CHINA_BOX:
        return None
    stack = _probe_frame(state, unit, frame.purpose)
    if counter.is_air:
        if air.can_fly_to_box(state, stack):
            return None
        start_bit = place_bit(occupancy(state), place)
        end_hexes = air.fly_ends(state, stack) & ~start_bit
        end_hexes &= flight_reach(state, (unit,), frame.purpose, start_bit)
    else:
        end_hexes = naval.SAIL.named_hexes(state, stack)
    bases = occupancy(state).bitsets.ids(end_hexes)
    return bases[0] if len(bases) == 1 else None


def forced_returns(state: State, frame: MovementFrame) -> tuple[tuple[UnitId, str], ...]:
    """Return the forced post-battle moves, which lead to the only possible base or back by barge (9.6, 8.47)."""
    if frame.purpose is not Purpose.POST_BATTLE:
        return ()
    key = (frame, state.units, state.control, state.tracks, current_offensive(state))
    return _RETURNS_CACHE.get(state, key, lambda: _forced_returns(state, frame))


def _forced_returns(state: State, frame: MovementFrame) -> tuple[tuple[UnitId, str], ...]:
    returns = [
        (unit, origin)
        for unit in sorted(activated_units(state, frame.side))
        if (origin := _barge_origin(state, frame, unit)) is not None
    ]
    for unit in units_due_to_move(state, frame):
        forced_base = _forced_base(state, frame, unit)
        if forced_base is not None:
            returns.append((unit, forced_base))
    return tuple(returns)


def _barge_origin(state: State, frame: MovementFrame, unit: UnitId) -> str | None:
    """Return the hex to which a defeated unit returns by barge; None if it does not return by barge (8.47, 9.5)."""
    if unit in frame.halted or not must_return_by_barge(state, unit):
        return None
    hex_occupancy = occupancy(state)
    origin = current_offensive(state).moved[unit].origin
    unoccupied_hexes = (
        hex_occupancy.controlled[frame.side] & ~hex_occupancy.anyone[frame.side.enemy]
    )
    return origin if place_bit(hex_occupancy, origin) & unoccupied_hexes else None


def _return_unit(
    run: EotsRun, frame: MovementFrame, unit: UnitId, destination: str
) -> MovementFrame:
    stack = _probe_frame(run.state, unit, frame.purpose)
    way = (
        naval.sail_path(run.state, stack, destination)
        if counters()[unit].is_naval
        else (destination,)
    )
    run.add(UnitMoved(unit=unit, entered=way))
    new_frame = msgspec.structs.replace(frame, halted=(*frame.halted, unit))
    run.replace_top(new_frame)
    return new_frame


def conclude_movement(run: EotsRun, frame: MovementFrame) -> None:
    """End a movement step: deactivate idle reaction units and eliminate units without a base (7.26, 9.62-4)."""
    for unit in activated_units(run.state, frame.side):
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
            rule = "9.62" if frame.side is current_offensive(run.state).side else "9.61"
            run.add(UnitEliminated(rule=Rule(rule), unit=unit))
    run.pop()


class Picking(Action[MovementFrame, Pick]):
    """Begins a stack with an activated unit (7.21, 7.23)."""

    kind = Pick

    @override
    def candidates(self, state: State, frame: MovementFrame, role: Side) -> Iterator[Pick]:
        """Yield a command for each activated unit, sorted by id."""
        for unit in sorted(activated_units(state, frame.side)):
            yield Pick(unit=unit)

    @override
    def refusals(
        self, state: State, frame: MovementFrame, role: Side, command: Pick
    ) -> Iterator[Refusal]:
        """Yield every reason why a unit may not be picked (7.21, 7.23, 7.26, 9.6)."""
        rule, unit = RULES[frame.purpose], command.unit
        if unit not in activated_units(state, frame.side):
            yield Refusal(Rule("7.21"), f"{unit} is not activated")
        elif has_moved(state, unit):
            yield Refusal(Rule("7.23"), f"{unit} has already finished its move")
        elif is_bound(state, unit, frame.purpose):
            yield Refusal(rule, f"{unit} must stay where it is")
        elif not self._leads_anywhere(state, frame, unit):
            yield Refusal(rule, f"{unit} has nowhere to go")

    def _leads_anywhere(self, state: State, frame: MovementFrame, unit: UnitId) -> bool:
        key = (unit, frame, state.units, state.control, state.tracks, current_offensive(state))
        return _PICK_CACHE.get(state, key, lambda: can_pick(state, unit, frame.purpose))

    @override
    def apply(self, run: EotsRun, frame: MovementFrame, role: Side, command: Pick) -> None:
        """Pick the unit. The ships that J-1 names are always picked together and move as one stack (17.11)."""
        state, unit = run.state, command.unit
        all_fixed_units = fixed_units(state, role)  # empty except in Operation Z
        stack = _probe_frame(state, unit, frame.purpose)
        run.push(
            msgspec.structs.replace(stack, units=all_fixed_units)
            if unit in all_fixed_units
            else stack
        )


class Finishing(PlainAction[MovementFrame, Done]):
    """Finishes the side's movement, unless units must still move in reaction or after battle (7.26, 9.6)."""

    @override
    def refusals(
        self, state: State, frame: MovementFrame, role: Side, command: Done
    ) -> Iterator[Refusal]:
        """Yield a refusal for every unit that must still move."""
        for unit in units_due_to_move(state, frame):
            yield Refusal(RULES[frame.purpose], f"{unit} must move first")

    @override
    def apply(self, run: EotsRun, frame: MovementFrame, role: Side, command: Done) -> None:
        conclude_movement(run, frame)


PICKING: Final = Picking()


class MovementHandler(DecisionHandler[MovementFrame]):
    """Asks for the next unit to move (7.23)."""

    frame = MovementFrame
    actions = (PICKING, AIR_DROP, Finishing(Done))
    is_plan = True
    wrong_kind_text = "pick a unit to move, or finish"

    @override
    def active_roles(self, state: State, frame: MovementFrame) -> tuple[Side, ...]:
        """Return the moving side while it has a decision to make. Forced moves are carried out first."""
        if forced_returns(state, frame):
            return ()
        return (frame.side,) if self.has_other_command(state, frame, frame.side) else ()

    @override
    def decision_rule(self, state: State, frame: MovementFrame) -> Rule:
        return RULES[frame.purpose]

    @override
    def prompt(self, state: State, frame: MovementFrame, role: Side) -> str:
        """Return the prompt, which mentions finishing only if no unit still has to move."""
        words = _PROMPTS[frame.purpose]
        return words.partition(",")[0] if units_due_to_move(state, frame) else words

    @override
    def default(
        self, state: State, frame: MovementFrame, role: Side, options: tuple[EotsCommand, ...]
    ) -> EotsCommand:
        """Finish, or pick the first unit that must move."""
        waiting_units = units_due_to_move(state, frame)
        return Pick(unit=waiting_units[0]) if waiting_units else Done()

    @override
    def step(self, run: EotsRun, frame: MovementFrame) -> None:
        """Carry out the forced moves. If there are none, end the side's movement."""
        returns = forced_returns(run.state, frame)
        if not returns:
            conclude_movement(run, frame)
            return
        # Each return replaces the frame, so the next one must start from the new frame.
        for unit, destination in returns:
            frame = _return_unit(run, frame, unit, destination)

"""A moving stack: the units that join it, its legs, and the end of its move (7.23, 8.2-8.4)."""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace
from typing_extensions import override

from engine.eots.board import board
from engine.eots.ch06_supply.control import units_at
from engine.eots.ch06_supply.occupancy import occupancy
from engine.eots.ch07_offensive.activation import fixed_units
from engine.eots.ch08_movement import air, air_strategic, amphibious, ground, naval, transport
from engine.eots.ch08_movement.battles import battle_hexes
from engine.eots.ch08_movement.course import finish_move
from engine.eots.ch08_movement.fleet import activated_units, place_bit
from engine.eots.ch08_movement.legs import AT_SEA, IN_AIR, LANDING, ON_FOOT, Leg, LegCommand
from engine.eots.ch08_movement.readiness import RULES, has_moved, is_bound
from engine.eots.commands import Drop, Enlist, EotsCommand, Halt
from engine.eots.counters import counters
from engine.eots.flow import Action, DecisionHandler, EotsRun, PlainAction
from engine.eots.frames import Purpose, StackFrame
from engine.eots.ids import CHINA_BOX, Category, HexId, Side, UnitId
from engine.eots.state import Mode, State
from engine.kernel.ids import Refusal, Rule
from engine.kernel.sentences import pluralise

LEGS: Final[tuple[Leg, ...]] = (
    naval.SAIL,
    naval.SAIL_VIA,
    naval.SAIL_STRATEGIC,
    air.FLY,
    air.FLY_VIA,
    air_strategic.FLY_STRATEGIC,
    ground.MARCH,
    amphibious.ASSAULT,
    amphibious.ASSAULT_VIA,
    amphibious.ORGANIC,
    amphibious.BARGES,
    transport.TRANSPORT,
)
"""All kinds of legs, in the order in which they are offered."""
ENDING_LEGS: Final = tuple(
    leg for leg in LEGS if leg not in {naval.SAIL_VIA, air.FLY_VIA, amphibious.ASSAULT_VIA}
)
"""All kinds of legs except those to way points, because no move can end at a way point."""
_WAY_POINT_KINDS: Final = tuple(leg.kind for leg in LEGS if leg not in ENDING_LEGS)
_HALT_MODES: Final = {ON_FOOT: Mode.GROUND, IN_AIR: Mode.AIR, AT_SEA: Mode.NAVAL}
"""The movement mode recorded for units whose stack halts, for each mode of the stack.

Landings are missing, because they always end on land.
"""
_HALT_RULES: Final = {AT_SEA: Rule("8.21"), IN_AIR: Rule("8.31"), LANDING: Rule("8.45")}
"""The rule to cite when a stack may not end its move, for each mode of the stack."""
_HALT_WORDS: Final = {
    AT_SEA: "ships must end in a friendly port, with an enemy, or with a carrier that has a task",
    IN_AIR: "air units must end on a friendly airfield that is not a battle hex",
    LANDING: "a landing must end ashore",
}


class JoiningStack(Action[StackFrame, Enlist]):
    """Adds a unit in the same hex to a stack that has not moved (7.23)."""

    kind = Enlist

    @override
    def candidates(self, state: State, frame: StackFrame, role: Side) -> Iterator[Enlist]:
        """Yield a command for each unit in the hex, sorted by id."""
        if frame.mode is None:
            for unit in units_at(state).get(frame.origin, ()):
                yield Enlist(unit=unit)

    @override
    def refusals(
        self, state: State, frame: StackFrame, role: Side, command: Enlist
    ) -> Iterator[Refusal]:
        """Yield the reasons why a unit may not join the stack."""
        unit = command.unit
        if frame.mode is not None:
            yield Refusal(Rule("7.23"), "no unit can join a stack that has begun to move")
        if unit not in activated_units(state, frame.side):
            yield Refusal(Rule("7.21"), f"{unit} is not activated")
        elif unit in frame.units:
            yield Refusal(Rule("7.23"), f"{unit} is already in the stack")
        elif state.units[unit].at != frame.origin:
            yield Refusal(Rule("7.23"), f"{unit} is not in {frame.origin}")
        elif has_moved(state, unit):
            yield Refusal(Rule("7.23"), f"{unit} has finished its move")
        elif not _can_share_stack(frame, unit) or is_bound(state, unit, frame.purpose):
            yield Refusal(Rule("7.23"), f"{unit} cannot move together with {frame.units[0]}")

    @override
    def apply(self, run: EotsRun, frame: StackFrame, role: Side, command: Enlist) -> None:
        run.replace_top(replace(frame, units=(*frame.units, command.unit)))


def _can_share_stack(frame: StackFrame, unit: UnitId) -> bool:
    """Return whether a unit may move with a stack. Air units move separately. Troops may join ships (7.23, 8.45)."""
    group_units = (*frame.units, unit)
    kinds = {counters()[other_unit].category for other_unit in group_units}
    if len(kinds) == 1:
        return True
    if kinds != {Category.NAVAL, Category.GROUND}:
        return False
    if frame.purpose is Purpose.POST_BATTLE:
        return True
    rows = [row for group_unit in group_units if (row := counters()[group_unit].ground) is not None]
    return all(row.amphibious_assault for row in rows) or (
        frame.purpose is Purpose.OFFENSIVE and all(row.strategic_ground_transport for row in rows)
    )


class Halting(PlainAction[StackFrame, Halt]):
    """Ends a stack's move in its current hex (8.21, 8.31, 8.42)."""

    @override
    def refusals(
        self, state: State, frame: StackFrame, role: Side, command: Halt
    ) -> Iterator[Refusal]:
        """Yield the reasons why a stack may not end its move in its current place (8.21, 8.31, 8.45)."""
        if frame.mode is None:
            yield Refusal(Rule("7.23"), "the stack has not moved")
        elif not can_halt(state, frame):
            if frame.mode in _HALT_RULES:
                yield Refusal(_HALT_RULES[frame.mode], _HALT_WORDS[frame.mode])
            yield Refusal(Rule("7.23"), f"the stack may not end its move in {frame.at}")

    @override
    def apply(self, run: EotsRun, frame: StackFrame, role: Side, command: Halt) -> None:
        halt_stack(run, frame)


def can_halt(state: State, frame: StackFrame) -> bool:
    """Return whether a moving stack may end its move in its current place (8.21, 8.31, 8.42)."""
    match frame.mode:
        case "ground":
            if frame.purpose is Purpose.REACTION:
                return bool(place_bit(occupancy(state), frame.at) & battle_hexes(state))
            return True
        case "air":
            return air.can_halt_in_air(state, frame)
        case "naval":
            return naval.can_halt_at_sea(state, frame)
        case _:
            return False


def halt_stack(run: EotsRun, frame: StackFrame) -> None:
    """End the move in the current hex."""
    assert frame.mode in _HALT_MODES, frame
    finish_move(run, frame, dict.fromkeys(frame.units, _HALT_MODES[frame.mode]))


class Dropping(PlainAction[StackFrame, Drop]):
    """Puts back a stack that has not moved (7.23)."""

    @override
    def refusals(
        self, state: State, frame: StackFrame, role: Side, command: Drop
    ) -> Iterator[Refusal]:
        """Refuse to put back a stack that has begun to move or whose ships J-1 names (17.11)."""
        if frame.mode is not None:
            yield Refusal(Rule("7.23"), "the stack has begun to move")
        if _is_fixed(state, frame):
            yield Refusal(Rule("17.11"), "the ships that the card names must sail together")


def _is_fixed(state: State, frame: StackFrame) -> bool:
    """Return whether the card prescribes the units of the stack (J-1)."""
    return frame.purpose is not Purpose.REACTION and bool(fixed_units(state, frame.side))


JOINING_STACK: Final = JoiningStack()


class StackHandler(DecisionHandler[StackFrame]):
    """Handles the move of one stack, from its first leg to the end (7.23)."""

    frame = StackFrame
    actions = (JOINING_STACK, *LEGS, Halting(Halt), Dropping(Drop))
    is_plan = True
    wrong_kind_text = "a stack is moving; finish its move first"

    @override
    def active_roles(self, state: State, frame: StackFrame) -> tuple[Side, ...]:
        """Return the moving side, unless the only possible command is to end the move."""
        side = frame.side
        if frame.mode is None or self.is_hint_legal(state, frame, side, (Halt,)):
            return (side,)
        return (side,) if any(leg.is_open(state, frame, side) for leg in LEGS) else ()

    @override
    def decision_rule(self, state: State, frame: StackFrame) -> Rule:
        return RULES[frame.purpose]

    @override
    def prompt(self, state: State, frame: StackFrame, role: Side) -> str:
        """Return the prompt. It names the stack's units and states how much movement is left."""
        names = ", ".join(counters()[unit].name for unit in frame.units)
        match frame.mode:
            case None:
                return f"Move {names} from {frame.origin}"
            case "ground":
                points, half = divmod(ground.halves_left(state, frame), 2)
                points_text = " ".join(
                    [*([str(points)] if points or not half else []), *(["1/2"] * half)]
                )
                return f"{names} in {frame.at}: {points_text} MP left"
            case "air":
                legs = pluralise(air.legs_left(state, frame), "leg", "legs")
                hexes = pluralise(air.hexes_left_in_leg(state, frame), "hex", "hexes")
                leg_text = f", {hexes} left in this leg" if frame.flown else ""
                return f"{names} in {frame.at}: {legs} left{leg_text}"
            case _:
                hexes = pluralise(naval.hexes_left(state, frame), "hex", "hexes")
                return f"{names} in {frame.at}: {hexes} left"

    @override
    def default(
        self, state: State, frame: StackFrame, role: Side, options: tuple[EotsCommand, ...]
    ) -> EotsCommand:
        """In step 2, do not move.

        Otherwise move to the nearest hex where the move may end; in a tie, the lowest hex (9-i, 9-j).
        """
        last_option = options[-1]
        if isinstance(last_option, Halt):
            return last_option
        if frame.purpose is Purpose.OFFENSIVE and frame.mode is None:
            return options[0] if _is_fixed(state, frame) else last_option
        legs = [
            option
            for option in options
            if isinstance(option, LegCommand)
            and not isinstance(option, _WAY_POINT_KINDS)
            # The China box is not a hex, so it has no distance to compare.
            and option.to != CHINA_BOX
        ]
        if not legs or frame.at == CHINA_BOX:
            return legs[0] if legs else last_option
        is_air = counters()[frame.units[0]].is_air
        end_hexes = air.fly_ends(state, frame) if is_air else -1  # all other legs can end the move
        bit_by_id = occupancy(state).bitsets.bit_by_id
        start_hex = HexId(frame.at)
        return min(
            legs,
            key=lambda leg: (
                not bit_by_id[leg.to] & end_hexes,
                board().distance(start_hex, HexId(leg.to)),
            ),
        )

    @override
    def step(self, run: EotsRun, frame: StackFrame) -> None:
        halt_stack(run, frame)

"""Ground disengagement: reaction units withdraw from a hex that the Offensive player has just entered (8.43)."""

from collections.abc import Iterator

from msgspec.structs import replace
from typing_extensions import override

from engine.eots.ch06_supply.bitsets import Bits
from engine.eots.ch06_supply.control import intrinsic_strength, intrinsic_units, units_at
from engine.eots.ch06_supply.occupancy import occupancy
from engine.eots.ch08_movement.areas import closed_to_ground
from engine.eots.commands import Disengage, Done
from engine.eots.counters import counters
from engine.eots.events.offensive import UnitMoved
from engine.eots.flow import Action, DecisionHandler, EotsRun, PlainAction
from engine.eots.frames import DisengagementFrame, Purpose, StackFrame
from engine.eots.hex_control import capture_hexes
from engine.eots.ids import HexId, Side, UnitId
from engine.eots.rulings import DISENGAGE_LANDING
from engine.eots.state import State, current_offensive
from engine.kernel.ids import Refusal, Rule


def attack_total(state: State, side: Side, place: str) -> int:
    """Return the total attack strength of a side's ground units in a hex, including intrinsic units (8.43-2)."""
    units = (unit for unit in units_at(state).get(place, ()) if counters()[unit].is_ground)
    total = sum(
        counters()[unit].strength(state.units[unit].steps).attack
        for unit in units
        if counters()[unit].side is side
    )
    if side is Side.JAPAN:
        total += intrinsic_units(state, place) * intrinsic_strength(place)[0]
    return total


def withdrawal_hexes(state: State, unit: UnitId, place: str, came_from: str) -> Bits:
    """Return the adjacent hexes to which a unit may disengage (8.43-1, 8.41)."""
    hex_occupancy = occupancy(state)
    bitsets, side = hex_occupancy.bitsets, counters()[unit].side
    adjacent_hexes = bitsets.from_indexes(
        bitsets.board.land_adjacent[bitsets.board.index[HexId(place)]]
    )
    adjacent_hexes &= ~bitsets.bit_by_id.get(came_from, 0) & ~hex_occupancy.anyone[side.enemy]
    enterable_bits = bitsets.from_indexes(
        i for i in bitsets.indexes(adjacent_hexes) if bitsets.board.terrain_mp[i]
    )  # 8.1: ground units never enter atolls
    return enterable_bits & ~closed_to_ground(bitsets, counters()[unit])


def _candidates(state: State, side: Side, place: str) -> tuple[UnitId, ...]:
    return tuple(
        unit
        for unit in units_at(state).get(place, ())
        if counters()[unit].is_ground and counters()[unit].side is side
    )


def begin_disengagement(
    run: EotsRun, frame: StackFrame, came_from: str, *, has_landed: bool
) -> bool:
    """Offer disengagement if ground units may leave the hex just entered. Return whether it was offered (8.43).

    Args:
        run: Records the events.
        frame: The offensive stack in its current position.
        came_from: The second-to-last hex of the stack's route.
        has_landed: True if the stack arrived by landing (OP-14).
    """
    state = run.state
    if frame.purpose is not Purpose.OFFENSIVE:
        return False
    if has_landed and DISENGAGE_LANDING.uses_alternative(state.options):
        return False
    side, hex_id = frame.side.enemy, frame.at
    units_leaving = tuple(
        unit
        for unit in _candidates(state, side, hex_id)
        if withdrawal_hexes(state, unit, hex_id, came_from)
    )
    if not units_leaving or attack_total(state, side, hex_id) <= attack_total(
        state, frame.side, hex_id
    ):
        return False
    run.push(
        DisengagementFrame(hex=HexId(hex_id), came_from=HexId(came_from), may_leave=units_leaving),
    )
    return True


def _cede_control(run: EotsRun, frame: DisengagementFrame) -> None:
    """If the only enemy units left in a hex are ships, give control to the side that marched in (6.5)."""
    state = run.state
    mover = state.frames[-2]
    if not isinstance(mover, StackFrame):
        return  # control of a landing hex does not change until just before post-battle movement
    hex_occupancy = occupancy(state)
    bit = hex_occupancy.bitsets.bit_by_id[frame.hex]
    if not bit & (hex_occupancy.armed[mover.side.enemy] | hex_occupancy.controlled[mover.side]):
        capture_hexes(run, mover.side, (frame.hex,), Rule("6.5"))


class Withdrawing(Action[DisengagementFrame, Disengage]):
    """Moves a disengaging ground unit out of the hex (8.43)."""

    kind = Disengage

    @override
    def candidates(
        self, state: State, frame: DisengagementFrame, role: Side
    ) -> Iterator[Disengage]:
        """Yield every possible disengagement, ordered by unit and then by hex."""
        bitsets = occupancy(state).bitsets
        for unit in frame.may_leave:
            for destination in bitsets.ids(
                withdrawal_hexes(state, unit, frame.hex, frame.came_from)
            ):
                yield Disengage(unit=unit, to=destination)

    @override
    def refusals(
        self, state: State, frame: DisengagementFrame, role: Side, command: Disengage
    ) -> Iterator[Refusal]:
        """Yield every reason why a unit may not disengage to a hex (8.43)."""
        unit, destination = command.unit, command.to
        if unit not in frame.may_leave:
            yield Refusal(Rule("8.43"), f"{unit} may not withdraw from {frame.hex}")
            return
        if destination == frame.came_from:
            yield Refusal(Rule("8.43"), f"the enemy came from {destination}")
        bitsets = occupancy(state).bitsets
        if not bitsets.bit_by_id.get(destination, 0) & withdrawal_hexes(
            state, unit, frame.hex, frame.came_from
        ):
            yield Refusal(
                Rule("8.43"),
                f"{destination} is not a hex next to {frame.hex} over land that is free of enemies",
            )

    @override
    def apply(
        self, run: EotsRun, frame: DisengagementFrame, role: Side, command: Disengage
    ) -> None:
        """Move the unit out of the hex and update control (6.5)."""
        run.add(UnitMoved(unit=command.unit, entered=(command.to,)))
        hex_occupancy = occupancy(run.state)
        if hex_occupancy.bitsets.bit_by_id[command.to] & hex_occupancy.controlled[role.enemy]:
            capture_hexes(run, role, (command.to,), Rule("6.5"))
        _cede_control(run, frame)
        remaining_units = tuple(unit for unit in frame.may_leave if unit != command.unit)
        run.replace_top(replace(frame, may_leave=remaining_units))


class DisengagementHandler(DecisionHandler[DisengagementFrame]):
    """Asks the Reaction player which units disengage, one at a time (8.43)."""

    frame = DisengagementFrame
    rule = Rule("8.43")
    actions = (Withdrawing(), PlainAction[DisengagementFrame, Done](Done))
    wrong_kind_text = "first withdraw ground units, or finish"

    @override
    def active_roles(self, state: State, frame: DisengagementFrame) -> tuple[Side, ...]:
        """Return the Reaction player while any unit may disengage."""
        side = current_offensive(state).side.enemy
        return (side,) if self.has_other_command(state, frame, side) else ()

    @override
    def prompt(self, state: State, frame: DisengagementFrame, role: Side) -> str:
        return f"The enemy has entered {frame.hex}: withdraw ground units?"

    @override
    def step(self, run: EotsRun, frame: DisengagementFrame) -> None:
        """Close the frame once no unit may disengage."""
        run.pop()

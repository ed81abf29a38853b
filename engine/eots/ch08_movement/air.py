"""Flights by air units: legs, their routes, and the China box (8.3, 8.31, 13.74, 7.26, 9.6)."""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace
from typing_extensions import override

from engine.eots.board import board
from engine.eots.ch06_supply.bitsets import Bits, BoardBitsets
from engine.eots.ch06_supply.control import units_at
from engine.eots.ch06_supply.occupancy import occupancy
from engine.eots.ch06_supply.supply import supply
from engine.eots.ch08_movement.airfields import (
    airfields,
    flight_reach,
    leg_stops,
    longest_leg,
    uses_brackets,
)
from engine.eots.ch08_movement.areas import AIR_FERRY, NORTHERN_INDIA, area_bits
from engine.eots.ch08_movement.battles import battle_hexes, battle_range_of, joinable_battles
from engine.eots.ch08_movement.course import move_stack
from engine.eots.ch08_movement.fleet import enemy_ground, enemy_zones, place_bit, probe_frame
from engine.eots.ch08_movement.legs import (
    HALVES_PER_HEX,
    IN_AIR,
    Leg,
    LegCommand,
    WayPoint,
    leg_command,
)
from engine.eots.ch08_movement.post_battle import base_ends
from engine.eots.ch08_movement.search import (
    air_steps,
    distance_layers,
    hexes_around,
    hexes_within,
    least_detected_path,
    open_air,
    shortest_path,
    way_points,
)
from engine.eots.commands import Fly, FlyVia
from engine.eots.counters import counters
from engine.eots.flow import EotsRun
from engine.eots.frames import Purpose, StackFrame
from engine.eots.ids import CHINA_BOX, HexId, Side, UnitId
from engine.eots.state import ChinaFront, State, current_offensive
from engine.kernel.ids import Refusal, Rule

BOX_CAPACITY: Final = 2
"""Maximum number of air units in the China box (13.74-1)."""


def leg_range(state: State, frame: StackFrame) -> int:
    """Return the length of the longest leg that the stack may fly (8.31)."""
    return longest_leg(state, frame.units, frame.purpose)


def legs_left(state: State, frame: StackFrame) -> int:
    """Return how many more legs a stack may fly in normal movement (8.31).

    A leg counts as two half movement points in the frame.
    """
    return current_offensive(state).ov - frame.spent_halves // 2


def hexes_left_in_leg(state: State, frame: StackFrame) -> int:
    """Return how many more hexes the stack may fly in this leg; its full range if no leg has begun (8.31)."""
    return leg_range(state, frame) - frame.flown


def _leg_start(frame: StackFrame) -> str:
    """Return the place where the current leg began; the stack's current place if no leg has begun."""
    if not frame.flown:
        return frame.at
    return frame.path[-1 - frame.flown] if len(frame.path) > frame.flown else frame.origin


# -- where flights end


def fly_ends(state: State, frame: StackFrame) -> Bits:
    """Return the airfields where a stack may end its move (8.31, 8.35).

    The stack may also pass through battle hexes and stage in them (OP-27).
    """
    hex_occupancy = occupancy(state)
    fields = airfields(hex_occupancy, frame.side)
    match frame.purpose:
        case Purpose.OFFENSIVE:
            return fields & ~hex_occupancy.anyone[frame.side.enemy]
        case Purpose.REACTION:
            targets = joinable_battles(state, frame.units)
            hexes = min(battle_range_of(state, unit) for unit in frame.units)
            quiet_hexes = fields & ~hex_occupancy.anyone[frame.side.enemy] & ~battle_hexes(state)
            return quiet_hexes & hexes_around(hex_occupancy.bitsets, targets, hexes)
        case Purpose.POST_BATTLE:
            end_hexes = base_ends(state, frame.side, frame.units, frame.origin)
            return end_hexes & ~enemy_ground(state, frame.side)


# -- the China box (13.74)


def _box_fields(state: State) -> Bits:
    """Return the airfields connected to the China box (13.74-6, OPB-16)."""
    hex_occupancy = occupancy(state)
    fields = airfields(hex_occupancy, Side.ALLIED) & area_bits(
        hex_occupancy.bitsets, NORTHERN_INDIA
    )
    if not fields:
        return 0
    eligible_airfields = supply(state).eligible_airfields(Side.ALLIED)
    return hex_occupancy.bitsets.from_indexes(
        i for i in hex_occupancy.bitsets.indexes(fields) if i in eligible_airfields
    )


def _is_box_open(state: State) -> bool:
    return state.tracks.china_front is not ChinaFront.GOVERNMENT_COLLAPSED  # 13.73


def has_box_room(state: State, units: tuple[UnitId, ...]) -> bool:
    """Return whether there is room for these air units in the China box (13.74-1)."""
    units_there = (
        *(unit_id for unit_id in units_at(state).get(CHINA_BOX, ()) if unit_id not in units),
        *units,
    )
    return (
        len(units_there) <= BOX_CAPACITY and sum(counters()[unit].b29 for unit in units_there) <= 1
    )


def can_fly_to_box(state: State, frame: StackFrame) -> bool:
    """Return whether the next leg may go to the China box (13.74-6)."""
    if frame.side is not Side.ALLIED or frame.purpose is Purpose.REACTION:
        return False
    if frame.at == CHINA_BOX or frame.flown:
        return False
    if legs_left(state, frame) < 1 or not _is_box_open(state):
        return False
    if not place_bit(occupancy(state), frame.at) & area_bits(
        occupancy(state).bitsets, NORTHERN_INDIA
    ):
        return False
    start_bit = place_bit(occupancy(state), frame.at)
    return has_box_room(state, frame.units) and bool(start_bit & _box_fields(state))


# -- normal legs (8.31)


def _leg_targets(state: State, frame: StackFrame, stops: Bits) -> Bits:
    """Return the stops that this leg can reach, except the stop where it began."""
    hex_occupancy = occupancy(state)
    if frame.at == CHINA_BOX:
        return _box_fields(state)
    start_index = hex_occupancy.bitsets.board.index[HexId(frame.at)]
    hexes_in_reach = hexes_within(
        hex_occupancy.bitsets, start_index, hexes_left_in_leg(state, frame)
    )
    return hexes_in_reach & stops & ~place_bit(hex_occupancy, _leg_start(frame))


def _has_direct_end(state: State, frame: StackFrame) -> bool:
    """Return whether the move can end after a single leg (8.31).

    This is a quick test of whether the stack can fly at all.
    """
    hex_occupancy = occupancy(state)
    start_index = hex_occupancy.bitsets.board.index.get(HexId(frame.at))
    if start_index is None or legs_left(state, frame) < 1:
        return False
    hexes_in_reach = hexes_within(
        hex_occupancy.bitsets, start_index, hexes_left_in_leg(state, frame)
    ) & ~place_bit(hex_occupancy, _leg_start(frame))
    return bool(hexes_in_reach & fly_ends(state, frame))


def _stops_with_finish(
    state: State, frame: StackFrame, stops: Bits, end_hexes: Bits, legs: int
) -> Bits:
    """Return the stops from which the stack can end its move within the given number of legs (8.31).

    With zero legs, the move ends at the stop itself.
    """
    bitsets = occupancy(state).bitsets
    hexes = leg_range(state, frame)
    finish_stops = end_hexes
    # The flight into the box uses up a leg, so at least one must be left.
    if legs and can_end_in_box(state, frame):
        finish_stops |= _box_fields(state)
    for _ in range(legs):
        nearer_stops = finish_stops
        finish_stops |= stops & hexes_around(bitsets, finish_stops, hexes)
        if finish_stops == nearer_stops:
            break  # further legs reach no other stops
    return finish_stops & stops


def can_end_in_box(state: State, frame: StackFrame) -> bool:
    """Return whether the stack may end its move in the China box (13.74-6)."""
    if frame.side is not Side.ALLIED or frame.purpose is Purpose.REACTION:
        return False
    return _is_box_open(state) and has_box_room(state, frame.units)


def can_halt_in_air(state: State, frame: StackFrame) -> bool:
    """Return whether a stack that has already flown may end its move at its current place (8.31)."""
    if frame.at == CHINA_BOX:
        return True
    return bool(fly_ends(state, frame) & place_bit(occupancy(state), frame.at))


def can_fly_to_battle(state: State, unit: UnitId) -> bool:
    """Return whether a reacting air unit can reach an airfield within range of a battle that it may join (7.26)."""
    frame = probe_frame(counters()[unit].side, Purpose.REACTION, (unit,), state.units[unit].at)
    return FLY.is_open(state, frame, frame.side)


def flight_ends(state: State, unit: UnitId) -> Bits:
    """Return the airfields where a reacting air unit may end its move if it can use all its legs (7.26, 8.31)."""
    place = state.units[unit].at
    frame = probe_frame(counters()[unit].side, Purpose.REACTION, (unit,), place)
    start_bit = place_bit(occupancy(state), place)
    return flight_reach(state, (unit,), Purpose.REACTION, start_bit) & fly_ends(state, frame)


# -- the route of a leg (8.31, 7.25E)


def _detection_hexes(state: State, frame: StackFrame) -> Bits:
    """Return the hexes where the stack would be detected (7.25E).

    In step 2, these are all hexes in enemy zones, including neutralised zones. In other steps, no hex counts.
    """
    return enemy_zones(state, frame.side) if frame.purpose is Purpose.OFFENSIVE else 0


def leg_path(
    bitsets: BoardBitsets,
    start_hexes: Bits,
    goal: Bits,
    *,
    max_distance: int,
    allowed_hexes: Bits,
    watched_hexes: Bits,
) -> tuple[HexId, ...]:
    """Return the hexes of a leg's least detectable route (8.31, 7.25E).

    The route enters as few hexes in enemy zones as possible, including neutralised zones (7.25E). Ties go to the
    shortest route, then to the lowest hex numbers. If possible, the route avoids territory closed to air units (8.41C,
    13.71, 13.91). If every route leads through unplayable hexes, only the destination is returned.

    Args:
        bitsets: The board.
        start_hexes: A single hex.
        goal: A single hex other than the start.
        max_distance: Maximum length of the route in hexes.
        allowed_hexes: Hexes that may be entered.
        watched_hexes: Hexes in which the stack would be detected.
    """
    steps = air_steps(bitsets)
    # The first pass avoids closed territory. The second allows it, in case there is no other route.
    for open_hexes in (allowed_hexes & open_air(bitsets), allowed_hexes):
        path = least_detected_path(
            bitsets,
            steps,
            start_hexes,
            goal,
            max_distance=max_distance,
            allowed_hexes=open_hexes,
            zoi_hexes=watched_hexes,
        )
        if path is not None:
            return path
    return bitsets.ids(goal)


def fly_path(state: State, frame: StackFrame, destination: str) -> tuple[HexId, ...]:
    """Return the remaining hexes of a leg; empty if the stack lands in its current hex (8.31).

    The route uses a bracketed range only if there is no other route (1.3).
    """
    if destination == frame.at:
        return ()
    hex_occupancy = occupancy(state)
    hexes_left = hexes_left_in_leg(state, frame)
    # Bracketed ranges never count in reaction, so this is the range without them.
    plain_hexes = longest_leg(state, frame.units, Purpose.REACTION) - frame.flown
    # Using a bracketed range bars the stack from battle (1.3), so the route avoids it if possible.
    spares = (
        not frame.parentheses
        and board().distance(HexId(frame.at), HexId(destination)) <= plain_hexes
    )
    return leg_path(
        hex_occupancy.bitsets,
        place_bit(hex_occupancy, frame.at),
        place_bit(hex_occupancy, destination),
        max_distance=plain_hexes if spares else hexes_left,
        # All bits of -1 are set, so this value allows every hex.
        allowed_hexes=-1,
        watched_hexes=_detection_hexes(state, frame),
    )


def _way_point_path(state: State, frame: StackFrame, destination: str) -> tuple[HexId, ...]:
    """Return the hexes of a shortest route to a way point (8.31).

    A shortest route leaves the most range for the rest of the leg.
    """
    hex_occupancy = occupancy(state)
    path = shortest_path(
        hex_occupancy.bitsets,
        air_steps(hex_occupancy.bitsets),
        place_bit(hex_occupancy, frame.at),
        place_bit(hex_occupancy, destination),
        max_distance=hexes_left_in_leg(state, frame),
        allowed_hexes=open_air(hex_occupancy.bitsets),
        zoi_hexes=_detection_hexes(state, frame),
    )
    assert path is not None
    return path


def _fly_leg(
    run: EotsRun, frame: StackFrame, path: tuple[HexId, ...], *, flown_hexes: int, halves: int
) -> StackFrame:
    """Fly along a path and record whether a bracketed extended range is used (1.3).

    Args:
        run: Records the events.
        frame: The stack before the flight.
        path: The hexes to enter.
        flown_hexes: Length of the leg, including these hexes.
        halves: Half movement points spent: 2 if the leg ends here, 0 at a way point.
    """
    brackets = frame.parentheses or uses_brackets(run.state, frame.units, flown_hexes)
    move = move_stack(run, frame, path, mode=IN_AIR, halves=halves)
    return replace(move, parentheses=brackets, flown=0 if halves else flown_hexes)


# -- legs


class OfAirUnits(Leg):
    """A leg flown by air units."""

    movers = "air units fly"

    @override
    def can_move(self, frame: StackFrame) -> bool:
        """Return whether the stack consists of air units. Air units never move together with other units."""
        return counters()[frame.units[0]].is_air


class AirMovement(OfAirUnits):
    """Flies one leg, possibly into the China box. The stack may continue while it has legs left (8.31, 13.74)."""

    kind = Fly

    @override
    def reachable_hexes(self, state: State, frame: StackFrame) -> Bits:
        """Return the airfields that the next leg can reach and from which the stack can end its move (8.31)."""
        fields = self.fields(state, frame)
        return _leg_targets(state, frame, fields) if fields else 0

    def fields(self, state: State, frame: StackFrame) -> Bits:
        """Return the airfields from which the stack can still end its move after the next leg, however far away."""
        legs = legs_left(state, frame)
        if legs < 1:
            return 0
        end_hexes = fly_ends(state, frame)
        return _stops_with_finish(state, frame, leg_stops(state, frame.side), end_hexes, legs - 1)

    @override
    def candidates(self, state: State, frame: StackFrame, role: Side) -> Iterator[LegCommand]:
        """Yield a command for every possible airfield, then for the China box if it is possible (13.74)."""
        yield from super().candidates(state, frame, role)
        if self._leads_to_box(state, frame):
            yield leg_command(Fly, CHINA_BOX)

    def _leads_to_box(self, state: State, frame: StackFrame) -> bool:
        return self.can_move(frame) and can_fly_to_box(state, frame)

    @override
    def is_legal(self, state: State, frame: StackFrame, role: Side, command: LegCommand) -> bool:
        """Return whether the next leg can reach the airfield or the China box."""
        if command.to == CHINA_BOX:
            return self._leads_to_box(state, frame)
        return super().is_legal(state, frame, role, command)

    @override
    def is_open(self, state: State, frame: StackFrame, role: Side) -> bool:
        """Return whether the stack can fly at all. A quick test for a direct flight is tried first."""
        if not self.can_move(frame):
            return False
        return (
            _has_direct_end(state, frame)
            or can_fly_to_box(state, frame)
            or super().is_open(state, frame, role)
        )

    @override
    def place_refusals(
        self, state: State, frame: StackFrame, destination: str
    ) -> Iterator[Refusal]:
        """Yield every reason why the next leg may not go to an airfield (8.31, 8.35, 13.74)."""
        hex_occupancy = occupancy(state)
        if legs_left(state, frame) < 1:
            yield Refusal(Rule("8.31"), "no legs are left")
        if destination == CHINA_BOX:
            if not can_fly_to_box(state, frame):
                yield Refusal(
                    Rule("13.74"),
                    "flights to China start in Northern India; China can hold two air units, at most one of them a B29",
                )
            return
        bit = place_bit(hex_occupancy, destination)
        if not bit & leg_stops(state, frame.side):
            rule = Rule("8.35") if destination == AIR_FERRY else Rule("8.31")
            yield Refusal(rule, f"{destination} is not an airfield that you may use")
            return
        if frame.at == CHINA_BOX and not bit & _box_fields(state):
            yield Refusal(
                Rule("13.74"), f"{destination} is not a supply-eligible airfield in Northern India"
            )
        elif destination == _leg_start(frame):
            yield Refusal(Rule("8.31"), f"the aircraft are already in {destination}")
        elif frame.at != CHINA_BOX and not bit & _leg_targets(
            state, frame, leg_stops(state, frame.side)
        ):
            yield Refusal(
                Rule("8.31"),
                f"{destination} is more than {hexes_left_in_leg(state, frame)} hexes from {frame.at}",
            )
        elif not bit & self.reachable_hexes(state, frame):
            number = {Purpose.REACTION: "7.26", Purpose.POST_BATTLE: "9.6"}.get(
                frame.purpose, "8.31"
            )
            yield Refusal(Rule(number), f"from {destination}, the flight could not end legally")

    @override
    def apply(self, run: EotsRun, frame: StackFrame, role: Side, command: LegCommand) -> None:
        if CHINA_BOX in {command.to, frame.at}:
            run.replace_top(
                move_stack(run, frame, (command.to,), mode=IN_AIR, halves=HALVES_PER_HEX)
            )
            return
        path = fly_path(run.state, frame, command.to)
        straight_distance = board().distance(HexId(frame.at), HexId(command.to))
        # If every route crosses unplayable hexes, the path contains only the destination.
        hexes_flown = frame.flown + max(len(path), straight_distance)
        run.replace_top(_fly_leg(run, frame, path, flown_hexes=hexes_flown, halves=HALVES_PER_HEX))


class AirWayPoint(WayPoint, OfAirUnits):
    """Flies to a way point in the middle of a leg, from which the stack continues (8.31, 7.25E)."""

    kind = FlyVia
    rule = Rule("8.31")

    @override
    def reachable_hexes(self, state: State, frame: StackFrame) -> Bits:
        """Return the way points from which the leg can still reach an airfield other than the one where it began."""
        # A flight's route matters only for detection, which is limited to step 2.
        if frame.purpose is not Purpose.OFFENSIVE or frame.at == CHINA_BOX:
            return 0
        hex_occupancy = occupancy(state)
        fields = FLY.fields(state, frame) & ~place_bit(hex_occupancy, _leg_start(frame))
        if not fields:
            return 0
        bitsets, leg_hexes = hex_occupancy.bitsets, hexes_left_in_leg(state, frame)
        steps, allowed_hexes = air_steps(bitsets), open_air(bitsets)
        reached_hexes = distance_layers(
            steps, place_bit(hex_occupancy, frame.at), leg_hexes, allowed_hexes
        )
        return way_points(steps, reached_hexes, fields, leg_hexes, allowed_hexes)

    @override
    def apply(self, run: EotsRun, frame: StackFrame, role: Side, command: LegCommand) -> None:
        path = _way_point_path(run.state, frame, command.to)
        run.replace_top(_fly_leg(run, frame, path, flown_hexes=frame.flown + len(path), halves=0))


FLY: Final = AirMovement()
FLY_VIA: Final = AirWayPoint()

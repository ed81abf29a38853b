"""Where air units may fly: legs, strategic transport, the China box (8.3, 13.74, 7.26, 9.6)."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from msgspec.structs import replace

from engine.eots.board import board
from engine.eots.ch06_supply.bitmap import Bits
from engine.eots.ch06_supply.control import units_at
from engine.eots.ch06_supply.occupancy import Occupancy, occupancy
from engine.eots.ch06_supply.supply import supply
from engine.eots.ch06_supply.zoi import zoi_without
from engine.eots.ch08_movement.airfields import (
    airfields,
    longest_leg,
    stops_of,
    uses_brackets,
)
from engine.eots.ch08_movement.areas import AIR_FERRY, NORTHERN_INDIA, area_bits
from engine.eots.ch08_movement.battles import battle_hexes, own_range, targets_of
from engine.eots.ch08_movement.course import finish_move, travel
from engine.eots.ch08_movement.fleet import bare as bare_hexes
from engine.eots.ch08_movement.fleet import bit_of, covered, enemy_ground, lone_frame
from engine.eots.ch08_movement.legs import IN_AIR, WHOLE, Leg, LegCommand, command_to
from engine.eots.ch08_movement.post_battle import base_ends
from engine.eots.ch08_movement.search import (
    air_steps,
    around,
    layers,
    ring,
    shortest_path,
    union,
)
from engine.eots.commands import Fly, FlyStrategic
from engine.eots.counters import counters
from engine.eots.flow import EotsRun
from engine.eots.frames import Purpose, StackFrame
from engine.eots.ids import CHINA_BOX, HexId, Side, UnitId
from engine.eots.rulings import STRATEGIC_ZOI
from engine.eots.state import ChinaFront, Mode, State, current
from engine.kernel.ids import Refusal, Rule

STRATEGIC_FACTOR: Final = 2
"""Strategic air transport has twice the legs (8.33)."""
BOX_CAPACITY: Final = 2
"""Air units in China at a time (13.74-1)."""


def leg_range(state: State, frame: StackFrame) -> int:
    """Return the longest leg that the stack may fly (8.31)."""
    return longest_leg(state, frame.units, frame.purpose)


def legs_left(state: State, frame: StackFrame) -> int:
    """Return how many legs a stack may still fly in normal movement (8.31); a leg counts two halves in the frame."""
    return current(state).ov - frame.spent_halves // 2


# -- ends


def fly_ends(state: State, frame: StackFrame) -> Bits:
    """Return the airfields in which a stack may end; battle hexes may be passed and staged in (8.31, 8.35, OP-27)."""
    held = occupancy(state)
    fields = airfields(held, frame.side)
    match frame.purpose:
        case Purpose.OFFENSIVE:
            return fields & ~held.anyone[frame.side.enemy]
        case Purpose.REACTION:
            targets = targets_of(state, frame.units)
            hexes = min(own_range(state, unit) for unit in frame.units)
            quiet = fields & ~held.anyone[frame.side.enemy] & ~battle_hexes(state)
            return quiet & around(held.ground, targets, hexes)
        case Purpose.POST_BATTLE:
            ends = base_ends(state, frame.side, frame.units, frame.origin)
            return ends & ~enemy_ground(state, frame.side)


# -- the China box (13.74)


def _box_fields(state: State) -> Bits:
    """Return the airfields joined to the China box (13.74-6, OPB-16)."""
    held = occupancy(state)
    fields = airfields(held, Side.ALLIED) & area_bits(held.ground, NORTHERN_INDIA)
    if not fields:
        return 0
    eligible = supply(state).eligible_airfields(Side.ALLIED)
    return held.ground.area(i for i in held.ground.indexes(fields) if i in eligible)


def _box_is_open(state: State) -> bool:
    return state.tracks.china_front is not ChinaFront.GOVERNMENT_COLLAPSED  # 13.73


def box_has_room(state: State, units: tuple[UnitId, ...]) -> bool:
    """Return whether air units may join those in the China box (13.74-1)."""
    there = (*(u for u in units_at(state).get(CHINA_BOX, ()) if u not in units), *units)
    return len(there) <= BOX_CAPACITY and sum(counters()[unit].b29 for unit in there) <= 1


def may_fly_to_box(state: State, frame: StackFrame) -> bool:
    """Return whether the next leg may lead into the China box (13.74-6)."""
    if frame.side is not Side.ALLIED or frame.purpose is Purpose.REACTION:
        return False
    if frame.at == CHINA_BOX or legs_left(state, frame) < 1 or not _box_is_open(state):
        return False
    if not bit_of(occupancy(state), frame.at) & area_bits(occupancy(state).ground, NORTHERN_INDIA):
        return False
    at = bit_of(occupancy(state), frame.at)
    return box_has_room(state, frame.units) and bool(at & _box_fields(state))


# -- normal legs (8.31)


def _leg_targets(state: State, frame: StackFrame, stops: Bits) -> Bits:
    """Return the stops one leg away."""
    held = occupancy(state)
    if frame.at == CHINA_BOX:
        return _box_fields(state)
    start = held.ground.board.index[HexId(frame.at)]
    reach = ring(held.ground, start, leg_range(state, frame))
    return reach & stops & ~bit_of(held, frame.at)


def _has_direct_end(state: State, frame: StackFrame) -> bool:
    """Return whether one leg leads to an end: the quick answer to whether the stack can fly at all (8.31)."""
    held = occupancy(state)
    start = held.ground.board.index.get(HexId(frame.at))
    if start is None or legs_left(state, frame) < 1:
        return False
    reach = ring(held.ground, start, leg_range(state, frame)) & ~held.ground.one[start]
    return bool(reach & fly_ends(state, frame))


def _finishing(state: State, frame: StackFrame, stops: Bits, ends: Bits, legs: int) -> Bits:
    """Return the stops from which an end is at most so many legs away (8.31)."""
    ground = occupancy(state).ground
    hexes = leg_range(state, frame)
    good = ends
    if legs and may_end_in_box(state, frame):
        good |= _box_fields(state)
    for _ in range(legs):
        good |= stops & around(ground, good, hexes)
    return good & stops


def may_end_in_box(state: State, frame: StackFrame) -> bool:
    """Return whether the China box is a legal end for the stack (13.74-6)."""
    if frame.side is not Side.ALLIED or frame.purpose is Purpose.REACTION:
        return False
    return _box_is_open(state) and box_has_room(state, frame.units)


def may_halt_in_air(state: State, frame: StackFrame) -> bool:
    """Return whether a stack that has flown may end where it is (8.31)."""
    if frame.at == CHINA_BOX:
        return True
    return bool(fly_ends(state, frame) & bit_of(occupancy(state), frame.at))


def can_fly_to_battle(state: State, unit: UnitId) -> bool:
    """Return whether a reaction air unit reaches an airfield from which it can fight (7.26)."""
    frame = lone_frame(counters()[unit].side, Purpose.REACTION, (unit,), state.units[unit].at)
    return FLY.is_open(state, frame, frame.side)


def fly_path(state: State, frame: StackFrame, to: str) -> tuple[HexId, ...]:
    """Return the hexes of one leg; the end alone where the way leads over hexes that are not played (8.31)."""
    held = occupancy(state)
    start, goal = bit_of(held, frame.at), bit_of(held, to)
    if not start or not goal:
        return (HexId(to),) if goal else ()
    watched = frame.purpose is Purpose.OFFENSIVE
    path = shortest_path(
        held.ground,
        air_steps(held.ground),
        start,
        goal,
        most=leg_range(state, frame),
        allowed=-1,
        bare=bare_hexes(state, frame.side) if watched else 0,
        covered=covered(state, frame.side) if watched else 0,
    )
    return (HexId(to),) if path is None else path


# -- strategic air transport (8.33)


def _clear_reach(held: Occupancy, start: int, hexes: int, clear: Bits) -> Bits:
    """Return the hexes that one leg reaches without touching unneutralised enemy zones."""
    disc = ring(held.ground, start, hexes)
    if not disc & ~clear:
        return disc
    return union(layers(air_steps(held.ground), held.ground.one[start], hexes, clear))


def _clear(state: State, frame: StackFrame) -> Bits:
    return ~zoi_without(state, frame.units).open[frame.side.enemy]


def _strategic_steps(state: State, frame: StackFrame) -> dict[int, int]:
    """Return the stops within reach by strategic transport, each with the stop before it (8.33)."""
    held = occupancy(state)
    clear = _clear(state, frame)
    start = held.ground.board.index[HexId(frame.at)]
    here = held.ground.one[start]
    if not here & clear and not STRATEGIC_ZOI.is_other(state.options):  # OP-21
        return {}
    hexes = leg_range(state, frame)
    stops = stops_of(state, frame.side) & clear & ~here
    before: dict[int, int] = {}
    front = [start]
    for _ in range(STRATEGIC_FACTOR * current(state).ov):
        found = []
        for stop in front:
            for other in held.ground.indexes(_clear_reach(held, stop, hexes, clear) & stops):
                before[other] = stop
                found.append(other)
            stops &= ~held.ground.area(found)
        front = found
    return before


def fly_strategic_path(state: State, frame: StackFrame, to: str) -> tuple[HexId, ...]:
    """Return the hexes of a strategic flight over all its legs (8.33)."""
    held = occupancy(state)
    before = _strategic_steps(state, frame)
    stops = [held.ground.board.index[HexId(to)]]
    while stops[-1] in before:
        stops.append(before[stops[-1]])
    stops.reverse()
    path: list[HexId] = []
    for start, goal in pairwise(stops):
        leg = shortest_path(
            held.ground,
            air_steps(held.ground),
            held.ground.one[start],
            held.ground.one[goal],
            most=leg_range(state, frame),
            allowed=_clear(state, frame),
            covered=covered(state, frame.side),
        )
        path.extend((held.ground.board.ids[goal],) if leg is None else leg)
    return tuple(path)


# -- legs


class _OfAirUnits(Leg):
    """A leg of air units."""

    movers = "air units fly"

    def fits(self, frame: StackFrame) -> bool:
        """Air units move with their like only."""
        return counters()[frame.units[0]].is_air


class AirMovement(_OfAirUnits):
    """Fly one leg, into the China box as well; the stack may fly on while legs are left (8.31, 13.74)."""

    kind = Fly

    def reach(self, state: State, frame: StackFrame) -> Bits:
        """Return the airfields to which the next leg may lead; from each the stack can end its move (8.31)."""
        left = legs_left(state, frame)
        if left < 1:
            return 0
        ends = fly_ends(state, frame)
        stops = stops_of(state, frame.side)
        return _leg_targets(state, frame, stops) & _finishing(state, frame, stops, ends, left - 1)

    def candidates(self, state: State, frame: StackFrame, role: Side) -> Iterator[LegCommand]:
        """Yield a command for every airfield, then for the China box (13.74)."""
        yield from super().candidates(state, frame, role)
        if self._leads_to_box(state, frame):
            yield command_to(Fly, CHINA_BOX)

    def _leads_to_box(self, state: State, frame: StackFrame) -> bool:
        return self.fits(frame) and may_fly_to_box(state, frame)

    def is_legal(self, state: State, frame: StackFrame, role: Side, command: LegCommand) -> bool:
        """Return whether the airfield or the China box is in reach."""
        if command.to == CHINA_BOX:
            return self._leads_to_box(state, frame)
        return super().is_legal(state, frame, role, command)

    def is_open(self, state: State, frame: StackFrame, role: Side) -> bool:
        """Return whether the stack can fly at all; a direct end in reach is found at once."""
        if not self.fits(frame):
            return False
        return (
            _has_direct_end(state, frame)
            or may_fly_to_box(state, frame)
            or super().is_open(state, frame, role)
        )

    def against(self, state: State, frame: StackFrame, to: str) -> Iterator[Refusal]:
        """Yield every reason why the next leg may not lead to an airfield (8.31, 8.35, 13.74)."""
        held = occupancy(state)
        if legs_left(state, frame) < 1:
            yield Refusal(Rule("8.31"), "no leg is left")
        if to == CHINA_BOX:
            if not may_fly_to_box(state, frame):
                yield Refusal(
                    Rule("13.74"),
                    "flights to China start in Northern India; two units, one B29 at most, may be there",
                )
            return
        bit = bit_of(held, to)
        if not bit & stops_of(state, frame.side):
            rule = Rule("8.35") if to == AIR_FERRY else Rule("8.31")
            yield Refusal(rule, f"{to} is no airfield that you may use")
            return
        if frame.at == CHINA_BOX and not bit & _box_fields(state):
            yield Refusal(Rule("13.74"), f"{to} is no supply-eligible airfield of Northern India")
        elif frame.at != CHINA_BOX and not bit & _leg_targets(
            state, frame, stops_of(state, frame.side)
        ):
            yield Refusal(
                Rule("8.31"), f"{to} is more than {leg_range(state, frame)} hexes from {frame.at}"
            )
        elif not bit & self.reach(state, frame):
            number = {Purpose.REACTION: "7.26", Purpose.POST_BATTLE: "9.6"}.get(
                frame.purpose, "8.31"
            )
            yield Refusal(Rule(number), f"from {to} no legal end of the flight is in reach")

    def apply(self, run: EotsRun, frame: StackFrame, role: Side, command: LegCommand) -> None:
        """Fly; a bracketed extended range is noted (1.3)."""
        state = run.state
        if CHINA_BOX in {command.to, frame.at}:
            run.replace(travel(run, frame, (command.to,), mode=IN_AIR, halves=WHOLE))
            return
        leg = board().distance(HexId(frame.at), HexId(command.to))
        brackets = frame.parentheses or uses_brackets(state, frame.units, leg)
        path = fly_path(state, frame, command.to)
        moved = travel(run, frame, path, mode=IN_AIR, halves=WHOLE)
        run.replace(replace(moved, parentheses=brackets))


class StrategicAirTransport(_OfAirUnits):
    """Fly twice as many legs around the enemy's zones (8.33)."""

    kind = FlyStrategic

    def reach(self, state: State, frame: StackFrame) -> Bits:
        """Return the airfields within reach."""
        if (
            frame.purpose is not Purpose.OFFENSIVE
            or frame.mode is not None
            or frame.at == CHINA_BOX
        ):
            return 0
        held = occupancy(state)
        ends = airfields(held, frame.side) & ~held.anyone[frame.side.enemy]
        return held.ground.area(_strategic_steps(state, frame)) & ends

    def against(self, state: State, frame: StackFrame, to: str) -> Iterator[Refusal]:
        """Yield every reason against strategic air transport to an airfield (8.33, OP-21)."""
        if frame.purpose is not Purpose.OFFENSIVE:
            yield Refusal(Rule("8.33"), "only offensive units move strategically")
            return
        held = occupancy(state)
        bit = bit_of(held, to)
        if not bit & airfields(held, frame.side):
            yield Refusal(Rule("8.33"), f"{to} is no friendly airfield")
        if bit & held.anyone[frame.side.enemy]:
            yield Refusal(Rule("8.33"), f"{to} holds enemy units")
        if not bit & self.reach(state, frame):
            yield Refusal(Rule("8.33"), f"no flight to {to} avoids unneutralised enemy ZOI")

    def apply(self, run: EotsRun, frame: StackFrame, role: Side, command: LegCommand) -> None:
        """Fly and end the move."""
        path = fly_strategic_path(run.state, frame, command.to)
        moved = travel(run, frame, path, mode=IN_AIR, halves=0)
        finish_move(run, moved, dict.fromkeys(frame.units, Mode.AIR_STRATEGIC))


FLY: Final = AirMovement()
FLY_STRATEGIC: Final = StrategicAirTransport()

"""Strategic air transport: twice as many legs, avoiding enemy zones (8.33)."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from typing_extensions import override

from engine.eots.ch06_supply.bitmap import Bits
from engine.eots.ch06_supply.occupancy import Occupancy, occupancy
from engine.eots.ch06_supply.zoi import zoi_without
from engine.eots.ch08_movement.air import OfAirUnits, leg_path, leg_range
from engine.eots.ch08_movement.airfields import airfields, leg_stops
from engine.eots.ch08_movement.course import finish_move, move_stack
from engine.eots.ch08_movement.fleet import enemy_zones, place_bit
from engine.eots.ch08_movement.legs import IN_AIR, LegCommand
from engine.eots.ch08_movement.search import air_steps, distance_layers, hexes_within, union_layers
from engine.eots.commands import FlyStrategic
from engine.eots.flow import EotsRun
from engine.eots.frames import Purpose, StackFrame
from engine.eots.ids import CHINA_BOX, HexId, Side
from engine.eots.rulings import STRATEGIC_ZOI
from engine.eots.state import Mode, State, current_offensive
from engine.kernel.ids import Refusal, Rule

STRATEGIC_FACTOR: Final = 2
"""Factor by which strategic air transport multiplies the number of legs (8.33)."""


def _clear_reach(held: Occupancy, start: int, hexes: int, clear: Bits) -> Bits:
    """Return the hexes that one leg can reach without entering unneutralised enemy zones."""
    disc = hexes_within(held.ground, start, hexes)
    if not disc & ~clear:
        return disc
    return union_layers(
        distance_layers(air_steps(held.ground), held.ground.one[start], hexes, clear)
    )


def _clear_hexes(state: State, frame: StackFrame) -> Bits:
    return ~zoi_without(state, frame.units).open[frame.side.enemy]


def _strategic_steps(state: State, frame: StackFrame, clear: Bits) -> dict[int, int]:
    """Return the stops that strategic transport can reach over clear hexes, each with the preceding stop (8.33)."""
    held = occupancy(state)
    start = held.ground.board.index[HexId(frame.at)]
    here = held.ground.one[start]
    if not here & clear and not STRATEGIC_ZOI.uses_alternative(state.options):  # OP-21
        return {}
    hexes = leg_range(state, frame)
    stops = leg_stops(state, frame.side) & clear & ~here
    before: dict[int, int] = {}
    front = [start]
    for _ in range(STRATEGIC_FACTOR * current_offensive(state).ov):
        steps = []
        for stop in front:
            for other in held.ground.indexes(_clear_reach(held, stop, hexes, clear) & stops):
                before[other] = stop
                steps.append(other)
            stops &= ~held.ground.from_indexes(steps)
        front = steps
    return before


def fly_strategic_path(state: State, frame: StackFrame, to: str) -> tuple[HexId, ...]:
    """Return the hexes of a strategic flight over all its legs, avoiding all enemy zones if possible (8.33, 7.25E)."""
    held = occupancy(state)
    goal = held.ground.board.index[HexId(to)]
    clear, watched = _clear_hexes(state, frame), enemy_zones(state, frame.side)
    before = _strategic_steps(state, frame, clear & ~watched)
    if goal not in before:
        before = _strategic_steps(state, frame, clear)
    else:
        clear &= ~watched
    stops = [goal]
    while stops[-1] in before:
        stops.append(before[stops[-1]])
    stops.reverse()
    path: list[HexId] = []
    for start, end in pairwise(stops):
        path += leg_path(
            held.ground,
            held.ground.one[start],
            held.ground.one[end],
            most=leg_range(state, frame),
            allowed=clear,
            watched=watched,
        )
    return tuple(path)


class StrategicAirTransport(OfAirUnits):
    """Flies twice as many legs, avoiding enemy zones (8.33)."""

    kind = FlyStrategic

    @override
    def reachable_hexes(self, state: State, frame: StackFrame) -> Bits:
        if (
            frame.purpose is not Purpose.OFFENSIVE
            or frame.mode is not None
            or frame.at == CHINA_BOX
        ):
            return 0
        held = occupancy(state)
        ends = airfields(held, frame.side) & ~held.anyone[frame.side.enemy]
        return (
            held.ground.from_indexes(_strategic_steps(state, frame, _clear_hexes(state, frame)))
            & ends
        )

    @override
    def against(self, state: State, frame: StackFrame, to: str) -> Iterator[Refusal]:
        """Yield every reason why strategic air transport may not go to an airfield (8.33, OP-21)."""
        if frame.purpose is not Purpose.OFFENSIVE:
            yield Refusal(Rule("8.33"), "only offensive units can move strategically")
            return
        held = occupancy(state)
        bit = place_bit(held, to)
        if not bit & airfields(held, frame.side):
            yield Refusal(Rule("8.33"), f"{to} is not a friendly airfield")
        if bit & held.anyone[frame.side.enemy]:
            yield Refusal(Rule("8.33"), f"{to} contains enemy units")
        if not bit & self.reachable_hexes(state, frame):
            yield Refusal(Rule("8.33"), f"no flight to {to} avoids unneutralised enemy ZOI")

    @override
    def apply(self, run: EotsRun, frame: StackFrame, role: Side, command: LegCommand) -> None:
        path = fly_strategic_path(run.state, frame, command.to)
        moved = move_stack(run, frame, path, mode=IN_AIR, halves=0)
        finish_move(run, moved, dict.fromkeys(frame.units, Mode.AIR_STRATEGIC))


FLY_STRATEGIC: Final = StrategicAirTransport()

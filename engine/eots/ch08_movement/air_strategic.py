"""Strategic air transport, which doubles the number of legs but must avoid enemy zones (8.33)."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from typing_extensions import override

from engine.eots.ch06_supply.bitsets import Bits
from engine.eots.ch06_supply.occupancy import Occupancy, occupancy
from engine.eots.ch06_supply.zoi import zoi_without_units
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
"""Strategic air transport multiplies the number of legs by this factor (8.33)."""


def _clear_reach(hex_occupancy: Occupancy, start: int, hexes: int, clear_hexes: Bits) -> Bits:
    """Return the hexes that one leg can reach without entering unneutralised enemy zones."""
    disc = hexes_within(hex_occupancy.bitsets, start, hexes)
    if not disc & ~clear_hexes:
        return disc
    return union_layers(
        distance_layers(
            air_steps(hex_occupancy.bitsets),
            hex_occupancy.bitsets.bit_by_index[start],
            hexes,
            clear_hexes,
        )
    )


def _clear_hexes(state: State, frame: StackFrame) -> Bits:
    return ~zoi_without_units(state, frame.units).open_zones[frame.side.enemy]


def _strategic_steps(state: State, frame: StackFrame, clear_hexes: Bits) -> dict[int, int]:
    """Return the stops that strategic transport can reach outside enemy zones, each with the stop before it (8.33)."""
    hex_occupancy = occupancy(state)
    start_index = hex_occupancy.bitsets.board.index[HexId(frame.at)]
    start_bit = hex_occupancy.bitsets.bit_by_index[start_index]
    if not start_bit & clear_hexes and not STRATEGIC_ZOI.uses_alternative(state.options):  # OP-21
        return {}
    hexes = leg_range(state, frame)
    stops = leg_stops(state, frame.side) & clear_hexes & ~start_bit
    previous_hexes: dict[int, int] = {}
    front = [start_index]
    for _ in range(STRATEGIC_FACTOR * current_offensive(state).ov):
        steps = []
        for stop_hex in front:
            for neighbour in hex_occupancy.bitsets.indexes(
                _clear_reach(hex_occupancy, stop_hex, hexes, clear_hexes) & stops
            ):
                previous_hexes[neighbour] = stop_hex
                steps.append(neighbour)
            # A stop is first found with the fewest legs, so its predecessor must not be replaced.
            stops &= ~hex_occupancy.bitsets.from_indexes(steps)
        front = steps
        if not front:
            break  # further legs reach no other stops
    return previous_hexes


def fly_strategic_path(state: State, frame: StackFrame, destination: str) -> tuple[HexId, ...]:
    """Return the hexes entered on all legs of a strategic flight (8.33).

    The route avoids neutralised enemy zones too if possible.
    """
    hex_occupancy = occupancy(state)
    goal = hex_occupancy.bitsets.board.index[HexId(destination)]
    clear, watched_hexes = _clear_hexes(state, frame), enemy_zones(state, frame.side)
    previous_steps = _strategic_steps(state, frame, clear & ~watched_hexes)
    if goal not in previous_steps:
        previous_steps = _strategic_steps(state, frame, clear)
    else:
        clear &= ~watched_hexes
    stops = [goal]
    while stops[-1] in previous_steps:
        stops.append(previous_steps[stops[-1]])
    stops.reverse()
    path: list[HexId] = []
    for start, end in pairwise(stops):
        path += leg_path(
            hex_occupancy.bitsets,
            hex_occupancy.bitsets.bit_by_index[start],
            hex_occupancy.bitsets.bit_by_index[end],
            max_distance=leg_range(state, frame),
            allowed_hexes=clear,
            watched_hexes=watched_hexes,
        )
    return tuple(path)


class StrategicAirTransport(OfAirUnits):
    """Flies up to twice the normal number of legs, avoiding unneutralised enemy zones (8.33)."""

    kind = FlyStrategic

    @override
    def reachable_hexes(self, state: State, frame: StackFrame) -> Bits:
        if (
            frame.purpose is not Purpose.OFFENSIVE
            or frame.mode is not None
            or frame.at == CHINA_BOX
        ):
            return 0
        hex_occupancy = occupancy(state)
        end_hexes = airfields(hex_occupancy, frame.side) & ~hex_occupancy.anyone[frame.side.enemy]
        return (
            hex_occupancy.bitsets.from_indexes(
                _strategic_steps(state, frame, _clear_hexes(state, frame))
            )
            & end_hexes
        )

    @override
    def place_refusals(
        self, state: State, frame: StackFrame, destination: str
    ) -> Iterator[Refusal]:
        """Yield every reason why strategic air transport may not go to an airfield (8.33, OP-21)."""
        if frame.purpose is not Purpose.OFFENSIVE:
            yield Refusal(Rule("8.33"), "only offensive units can move strategically")
            return
        hex_occupancy = occupancy(state)
        bit = place_bit(hex_occupancy, destination)
        if not bit & airfields(hex_occupancy, frame.side):
            yield Refusal(Rule("8.33"), f"{destination} is not a friendly airfield")
        if bit & hex_occupancy.anyone[frame.side.enemy]:
            yield Refusal(Rule("8.33"), f"{destination} contains enemy units")
        if not bit & self.reachable_hexes(state, frame):
            yield Refusal(
                Rule("8.33"), f"no flight to {destination} avoids unneutralised enemy ZOI"
            )

    @override
    def apply(self, run: EotsRun, frame: StackFrame, role: Side, command: LegCommand) -> None:
        path = fly_strategic_path(run.state, frame, command.to)
        move = move_stack(run, frame, path, mode=IN_AIR, halves=0)
        finish_move(run, move, dict.fromkeys(frame.units, Mode.AIR_STRATEGIC))


FLY_STRATEGIC: Final = StrategicAirTransport()

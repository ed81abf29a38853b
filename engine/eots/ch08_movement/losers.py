"""Retreats of defeated landing troops by sea, which cost no shipping points (8.45C, 9.5, 9.62, OPB-29)."""

from engine.eots.ch06_supply.bitsets import Bits, advance_front
from engine.eots.ch06_supply.occupancy import occupancy
from engine.eots.ch08_movement.areas import closed_to_ground, coastal_hexes
from engine.eots.ch08_movement.fleet import (
    carrier_ranges,
    has_naval,
    place_bit,
    unneutralised_enemy_zones,
)
from engine.eots.ch08_movement.search import sea_steps, troop_sea
from engine.eots.counters import counters
from engine.eots.frames import StackFrame
from engine.eots.ids import HexId, UnitId
from engine.eots.state import Mode, State, current_offensive


def must_leave_after_loss(state: State, unit: UnitId) -> bool:
    """Return whether an Offensive unit that has landed must leave its hex (8.45B, 8.45C, 9.32, 9.62).

    It must leave if its hex is not friendly. It must also leave the hex where it landed if it lost at sea or did not
    fight.
    """
    offensive = current_offensive(state)
    counter, piece = counters()[unit], state.units[unit]
    move = offensive.moved.get(unit)
    if not counter.is_ground or move is None or not move.mode.is_landing:
        return False
    if unit not in offensive.activated or not piece.is_on_map:
        return False
    occupied = occupancy(state)
    if unit in offensive.expelled and piece.at == move.path[-1]:
        return True
    return not place_bit(occupied, piece.at) & occupied.controlled[counter.side]


def must_return_by_barge(state: State, unit: UnitId) -> bool:
    """Return whether a defeated unit must return across the sea hexside that it crossed by barge (8.47, 9.5)."""
    return (
        must_leave_after_loss(state, unit)
        and current_offensive(state).moved[unit].mode is Mode.BARGE
    )


def loser_end_hexes(state: State, frame: StackFrame) -> Bits:
    """Return the hexes where defeated troops may end their move (8.45C, 9.62).

    Troops alone may use any friendly coastal hex. A stack with ships needs a friendly port.
    """
    occupied = occupancy(state)
    ends = (
        occupied.controlled[frame.side]
        & coastal_hexes(occupied.bitsets)
        & ~occupied.anyone[frame.side.enemy]
    )
    for unit in frame.units:
        if counters()[unit].is_ground:
            ends &= ~closed_to_ground(occupied.bitsets, counters()[unit])
    return ends & occupied.bitsets.ports if has_naval(frame.units) else ends


def loser_layers(state: State, frame: StackFrame, max_distance: int) -> tuple[Bits, ...]:
    """Return the hexes in reach, grouped by distance.

    Troops avoid enemies and may not re-enter unneutralised zones (9.62-2).
    """
    occupied = occupancy(state)
    bitsets = occupied.bitsets
    here = place_bit(occupied, frame.at)
    allowed = troop_sea(bitsets) & ~occupied.anyone[frame.side.enemy]
    zones = (
        0 if carrier_ranges(state, frame.units) else unneutralised_enemy_zones(state, frame.side)
    )
    inside, outside = here & zones, here & ~zones
    seen_in, seen_out = inside, outside
    layers = [here]
    for _ in range(max_distance):
        # Troops that start in unneutralised zones may move within them, but may not re-enter the
        # zones after leaving them.
        next_out = (
            advance_front(inside | outside, sea_steps(bitsets)) & allowed & ~zones & ~seen_out
        )
        next_in = advance_front(inside, sea_steps(bitsets)) & allowed & zones & ~seen_in
        if not next_in | next_out:
            break
        seen_in, seen_out = seen_in | next_in, seen_out | next_out
        inside, outside = next_in, next_out
        layers.append(inside | outside)
    return tuple(layers)


def loser_path(state: State, frame: StackFrame, to: str, max_distance: int) -> tuple[HexId, ...]:
    """Return the route to a hex in reach.

    In a tie, compare hex numbers from the end of the route and use the lowest (9.62).
    """
    bitsets = occupancy(state).bitsets
    zones = (
        0 if carrier_ranges(state, frame.units) else unneutralised_enemy_zones(state, frame.side)
    )
    layers = loser_layers(state, frame, max_distance)
    hexes = [place_bit(occupancy(state), to)]
    distance = next(n for n, layer in enumerate(layers) if layer & hexes[0])
    for layer in reversed(layers[1:distance]):
        previous = advance_front(hexes[-1], sea_steps(bitsets)) & layer
        # A hex in unneutralised zones can be entered only from another such hex.
        if hexes[-1] & zones:
            previous &= zones
        hexes.append(previous & -previous)
    return tuple(bitsets.ids(bit)[0] for bit in reversed(hexes))

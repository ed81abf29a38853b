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
    hex_occupancy = occupancy(state)
    if unit in offensive.expelled and piece.at == move.path[-1]:
        return True
    return not place_bit(hex_occupancy, piece.at) & hex_occupancy.controlled[counter.side]


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
    hex_occupancy = occupancy(state)
    ends = (
        hex_occupancy.controlled[frame.side]
        & coastal_hexes(hex_occupancy.bitsets)
        & ~hex_occupancy.anyone[frame.side.enemy]
    )
    for unit in frame.units:
        if counters()[unit].is_ground:
            ends &= ~closed_to_ground(hex_occupancy.bitsets, counters()[unit])
    return ends & hex_occupancy.bitsets.ports if has_naval(frame.units) else ends


def loser_layers(state: State, frame: StackFrame, max_distance: int) -> tuple[Bits, ...]:
    """Return the hexes in reach, grouped by distance.

    Troops avoid enemies and may not re-enter unneutralised zones (9.62-2).
    """
    hex_occupancy = occupancy(state)
    bitsets = hex_occupancy.bitsets
    start_bit = place_bit(hex_occupancy, frame.at)
    allowed_hexes = troop_sea(bitsets) & ~hex_occupancy.anyone[frame.side.enemy]
    zones = (
        0 if carrier_ranges(state, frame.units) else unneutralised_enemy_zones(state, frame.side)
    )
    hexes_inside, hexes_outside = start_bit & zones, start_bit & ~zones
    seen_in, seen_out = hexes_inside, hexes_outside
    layers = [start_bit]
    for _ in range(max_distance):
        # Troops that start in unneutralised zones may move within them, but may not re-enter the
        # zones after leaving them.
        next_out = (
            advance_front(hexes_inside | hexes_outside, sea_steps(bitsets))
            & allowed_hexes
            & ~zones
            & ~seen_out
        )
        next_in = advance_front(hexes_inside, sea_steps(bitsets)) & allowed_hexes & zones & ~seen_in
        if not next_in | next_out:
            break
        seen_in, seen_out = seen_in | next_in, seen_out | next_out
        hexes_inside, hexes_outside = next_in, next_out
        layers.append(hexes_inside | hexes_outside)
    return tuple(layers)


def loser_path(
    state: State, frame: StackFrame, destination: str, max_distance: int
) -> tuple[HexId, ...]:
    """Return the route to a hex in reach.

    In a tie, compare hex numbers from the end of the route and use the lowest (9.62).
    """
    bitsets = occupancy(state).bitsets
    zones = (
        0 if carrier_ranges(state, frame.units) else unneutralised_enemy_zones(state, frame.side)
    )
    layers = loser_layers(state, frame, max_distance)
    hexes = [place_bit(occupancy(state), destination)]
    distance = next(layer_number for layer_number, layer in enumerate(layers) if layer & hexes[0])
    for layer in reversed(layers[1:distance]):
        previous_hexes = advance_front(hexes[-1], sea_steps(bitsets)) & layer
        # A hex in unneutralised zones can be entered only from another such hex.
        if hexes[-1] & zones:
            previous_hexes &= zones
        hexes.append(previous_hexes & -previous_hexes)
    return tuple(bitsets.ids(bit)[0] for bit in reversed(hexes))

"""Searches for the hexes that a stack can reach and for its routes, on sets of hexes (8.2-8.4)."""

from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Final

from engine.eots.ch06_supply.bitsets import (
    Bits,
    BoardBitsets,
    Steps,
    advance_front,
    reverse_steps,
    union_steps,
    whole_map,
    within_distance,
)
from engine.eots.ch08_movement.areas import (
    closed_to_air,
    closed_to_ships,
    closed_to_troops,
    enterable_hexes,
)
from engine.eots.ids import HexId

MAX_CACHED_SEARCHES: Final = 4096
"""Maximum number of results that each function caches. A game needs a few hundred."""
_UNNEUTRALISED_WEIGHT: Final = 1 << 10
"""Cost of a hex in unneutralised zones. This exceeds the total cost of any route through neutralised zones."""


@cache
def sea_steps(bitsets: BoardBitsets) -> Steps:
    """Return the steps that ships can take, across all-water and mixed hexsides (8.21).

    Hexes outside the South Pacific sheet keep their hexsides on the whole map, so that ships can arrive from Oahu
    (OPS-11). No step leads off the sheet.
    """
    own_steps = union_steps(bitsets.water, bitsets.both)
    outside_hexes = bitsets.everywhere & ~enterable_hexes(bitsets)
    if not outside_hexes:
        return own_steps
    full_map = whole_map()
    ways = union_steps(full_map.water, full_map.both)
    return tuple(
        steps | (steps_across & outside_hexes)
        for steps, steps_across in zip(own_steps, ways, strict=True)
    )


@cache
def air_steps(bitsets: BoardBitsets) -> Steps:
    """Return the steps that air units can take, across all hexsides (8.31)."""
    return union_steps(sea_steps(bitsets), union_steps(bitsets.land, bitsets.closed))


@cache
def hexes_within(bitsets: BoardBitsets, index: int, hexes: int) -> Bits:
    """Return every hex within the given distance of a hex, including that hex (0.2)."""
    return within_distance(bitsets, bitsets.bit_by_index[index], hexes)


def hexes_around(bitsets: BoardBitsets, centres: Bits, hexes: int) -> Bits:
    """Return every hex within the given distance of any of the centres."""
    return within_distance(bitsets, centres, hexes)


def distance_layers(
    steps: Steps, start_hexes: Bits, max_distance: int, allowed_hexes: Bits
) -> tuple[Bits, ...]:
    """Return the hexes at each distance from 0 to `max_distance`, stopping early if no further hex can be reached.

    Args:
        steps: Hexsides that may be crossed.
        start_hexes: Hexes where the search begins. They need not be in ``allowed_hexes``.
        max_distance: Maximum distance in hexes.
        allowed_hexes: Hexes that may be entered.
    """
    front, seen_hexes = start_hexes, start_hexes
    layers = [start_hexes]
    for _ in range(max_distance):
        front = advance_front(front, steps) & allowed_hexes & ~seen_hexes
        if not front:
            break
        seen_hexes |= front
        layers.append(front)
    return tuple(layers)


def union_layers(layers: Iterable[Bits]) -> Bits:
    """Return the union of the layers of a search."""
    union = 0
    for layer in layers:
        union |= layer
    return union


@cache
def open_sea(bitsets: BoardBitsets) -> Bits:
    """Return every hex that ships may enter (8.21, 13.91)."""
    return bitsets.from_indexes(range(len(bitsets.bit_by_index))) & ~closed_to_ships(bitsets)


@cache
def troop_sea(bitsets: BoardBitsets) -> Bits:
    """Return every hex that ground units may enter at sea (8.41C, 8.44, 8.45)."""
    return open_sea(bitsets) & ~closed_to_troops(bitsets)


@cache
def open_air(bitsets: BoardBitsets) -> Bits:
    """Return every hex that air units may enter (8.41C, 13.71, 13.91)."""
    return bitsets.from_indexes(range(len(bitsets.bit_by_index))) & ~closed_to_air(bitsets)


@lru_cache(maxsize=MAX_CACHED_SEARCHES)
def sea_layers(bitsets: BoardBitsets, start_hexes: Bits, max_distance: int) -> tuple[Bits, ...]:
    """Return the hexes at each distance by sea. Enemies never stop ships (8.11, 8.21)."""
    return distance_layers(sea_steps(bitsets), start_hexes, max_distance, open_sea(bitsets))


@lru_cache(maxsize=MAX_CACHED_SEARCHES)
def hexes_within_by_sea(bitsets: BoardBitsets, start_hexes: Bits, max_distance: int) -> Bits:
    """Return the hexes within the given distance by sea, including the start (8.21)."""
    return union_layers(sea_layers(bitsets, start_hexes, max_distance))


def way_points(
    steps: Steps,
    reached_layers: tuple[Bits, ...],
    end_hexes: Bits,
    max_distance: int,
    allowed_hexes: Bits,
) -> Bits:
    """Return the hexes, other than the start, from which the stack can still reach a hex where its move may end.

    Args:
        steps: Hexsides that may be crossed.
        reached_layers: Hexes in reach, by distance from the start.
        end_hexes: Hexes where the move may end.
        max_distance: Movement left at the start, in hexes.
        allowed_hexes: Hexes that may be entered.
    """
    from_end = distance_layers(steps, end_hexes & allowed_hexes, max_distance, allowed_hexes)
    points, near_end = 0, 0
    for distance in range(max_distance, 0, -1):
        distance_left = max_distance - distance
        # The closer a hex is to the start, the more movement is left, so the set of hexes near an
        # end only grows.
        near_end |= from_end[distance_left] if distance_left < len(from_end) else 0
        if distance < len(reached_layers):
            points |= reached_layers[distance] & near_end
    return points


def shortest_path(
    bitsets: BoardBitsets,
    steps: Steps,
    start_hexes: Bits,
    goal: Bits,
    *,
    max_distance: int,
    allowed_hexes: Bits,
    unneutralised_hexes: Bits = 0,
    zoi_hexes: Bits = 0,
) -> tuple[HexId, ...] | None:
    """Return the hexes entered on a shortest route to the goal; None if the goal is out of reach.

    Ties go to the route through the fewest hexes in unneutralised enemy zones, then in any enemy zones, then to the
    lowest hex numbers.

    Args:
        bitsets: The board.
        steps: Hexsides that may be crossed.
        start_hexes: A single hex.
        goal: A single hex other than the start.
        max_distance: Maximum length of the route in hexes.
        allowed_hexes: Hexes that may be entered.
        unneutralised_hexes: Hexes in unneutralised enemy zones.
        zoi_hexes: Hexes in enemy zones.
    """
    front, seen_hexes, forward = start_hexes, start_hexes, list[Bits]()
    while not front & goal:
        if not front or len(forward) == max_distance:
            return None
        front = advance_front(front, steps) & allowed_hexes & ~seen_hexes
        seen_hexes |= front
        forward.append(front)
    layers, reversed_steps = [goal], reverse_steps(steps)
    # Walk back from the goal, keeping only hexes that are on some shortest route.
    for layer in forward[-2::-1]:
        layers.append(advance_front(layers[-1], reversed_steps) & layer)
    layers.reverse()
    costs = _remaining_costs(steps, layers, unneutralised_hexes, zoi_hexes)
    return _trace_path(bitsets, steps, start_hexes, layers, costs)


def _remaining_costs(
    steps: Steps, layers: list[Bits], unneutralised_hexes: Bits, zoi_hexes: Bits
) -> dict[Bits, int]:
    """Return the cost of the remaining route from each hex, counting that hex; empty if all costs are 0."""
    costs: dict[Bits, int] = {}
    costly = unneutralised_hexes | zoi_hexes
    if not costly & union_layers(layers):
        return costs
    next_layer = 0
    for layer in reversed(layers):
        hexes_left = layer
        while hexes_left:
            hex_bit = hexes_left & -hexes_left
            hexes_left ^= hex_bit
            weight = 0
            if hex_bit & costly:
                weight = (_UNNEUTRALISED_WEIGHT if hex_bit & unneutralised_hexes else 0) + (
                    1 if hex_bit & zoi_hexes else 0
                )
            next_hexes = advance_front(hex_bit, steps) & next_layer
            costs[hex_bit] = weight + min(
                (costs[next_bit] for next_bit in _single_bits(next_hexes)), default=0
            )
        next_layer = layer
    return costs


def _single_bits(hexes: Bits) -> list[Bits]:
    singles = []
    while hexes:
        low_bit = hexes & -hexes
        singles.append(low_bit)
        hexes ^= low_bit
    return singles


def _trace_path(
    bitsets: BoardBitsets,
    steps: Steps,
    start_hexes: Bits,
    layers: list[Bits],
    costs: dict[Bits, int],
) -> tuple[HexId, ...]:
    current_hex, path = start_hexes, []
    # Bits are in hex-number order, so the lowest bit is the lowest hex.
    for layer in layers:
        candidates = advance_front(current_hex, steps) & layer
        current_hex = (
            min(_single_bits(candidates), key=lambda bit: (costs[bit], bit))
            if costs
            else candidates & -candidates
        )
        path.append(bitsets.board.ids[bitsets.index_by_bit[current_hex.bit_length() - 1]])
    return tuple(path)


def least_detected_path(
    bitsets: BoardBitsets,
    steps: Steps,
    start_hexes: Bits,
    goal: Bits,
    *,
    max_distance: int,
    allowed_hexes: Bits,
    zoi_hexes: Bits,
) -> tuple[HexId, ...] | None:
    """Return the hexes entered on the least detectable route; None if the goal is out of reach (7.25E).

    The route enters as few hexes in enemy zones as possible, including neutralised zones. Ties go to the shortest
    route, then to the lowest hex numbers.

    Args:
        bitsets: The board.
        steps: Hexsides that may be crossed.
        start_hexes: A single hex.
        goal: A single hex other than the start.
        max_distance: Maximum length of the route in hexes.
        allowed_hexes: Hexes that may be entered.
        zoi_hexes: Hexes in enemy zones.
    """
    unseen_hexes, watched_hexes = allowed_hexes & ~zoi_hexes, allowed_hexes & zoi_hexes
    reversed_steps = reverse_steps(steps)
    rows: list[list[Bits]] = []
    """Hexes with a route to the goal, by the number of zone hexes on the route and then by its length."""
    for zones in range(max_distance + 1):
        row = [0 if zones else goal]
        while len(row) <= max_distance:
            candidates = row[-1] & unseen_hexes
            if zones:
                candidates |= rows[-1][len(row) - 1] & watched_hexes
            row.append(advance_front(candidates, reversed_steps))
            if row[-1] & start_hexes:
                return _trace_rows(
                    bitsets, steps, start_hexes, [*rows, row], (unseen_hexes, watched_hexes)
                )
        rows.append(row)
    return None


def _trace_rows(
    bitsets: BoardBitsets,
    steps: Steps,
    start_hexes: Bits,
    rows: list[list[Bits]],
    entered_bits: tuple[Bits, Bits],
) -> tuple[HexId, ...]:
    """Return the route from a start through the rows that `least_detected_path` found, preferring low hex numbers."""
    unseen_bits, seen_bits = entered_bits
    zones, current_hex, path = len(rows) - 1, start_hexes, []
    for steps_left in range(len(rows[zones]) - 2, -1, -1):
        reached_hexes = advance_front(current_hex, steps)
        onward_hexes = reached_hexes & rows[zones][steps_left] & unseen_bits
        watched_hexes = reached_hexes & rows[zones - 1][steps_left] & seen_bits if zones else 0
        current_hex = (onward_hexes | watched_hexes) & -(onward_hexes | watched_hexes)
        zones -= bool(current_hex & watched_hexes)
        path.append(bitsets.board.ids[bitsets.index_by_bit[current_hex.bit_length() - 1]])
    return tuple(path)

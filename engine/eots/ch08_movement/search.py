"""Searches for a stack's reach and routes, on sets of hexes (8.2-8.4)."""

from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Final

from engine.eots.ch06_supply.bitmap import (
    Bitmap,
    Bits,
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
    on_sheet,
)
from engine.eots.ids import HexId

MAX_CACHED_SEARCHES: Final = 4096
"""Maximum number of cached searches from fixed starts. A game needs a few hundred."""
_UNNEUTRALISED_WEIGHT: Final = 1 << 10
"""Weight that makes one more hex in unneutralised zones outweigh any number of hexes in neutralised ones."""


@cache
def sea_steps(ground: Bitmap) -> Steps:
    """Return the steps that ships can take, across all-water and mixed hexsides (8.21).

    Outside the South Pacific sheet, steps are the same as on the whole map, and they may enter the sheet but never
    leave it. This is how ships arrive from Oahu (OPS-11).
    """
    own = union_steps(ground.water, ground.both)
    outside = ground.everywhere & ~on_sheet(ground)
    if not outside:
        return own
    whole = whole_map()
    ways = union_steps(whole.water, whole.both)
    return tuple(steps | (way & outside) for steps, way in zip(own, ways, strict=True))


@cache
def air_steps(ground: Bitmap) -> Steps:
    """Return the steps that air units can take, across all hexsides (8.31)."""
    return union_steps(sea_steps(ground), union_steps(ground.land, ground.closed))


@cache
def hexes_within(ground: Bitmap, index: int, hexes: int) -> Bits:
    """Return every hex within a distance of a hex, including that hex (0.2)."""
    return within_distance(ground, ground.one[index], hexes)


def hexes_around(ground: Bitmap, centres: Bits, hexes: int) -> Bits:
    """Return every hex within a distance of any of the centres."""
    return within_distance(ground, centres, hexes)


def distance_layers(steps: Steps, start: Bits, most: int, allowed: Bits) -> tuple[Bits, ...]:
    """Return the hexes at each distance from 0 to `most`, stopping early if no further hex can be reached.

    Args:
        steps: Hexsides that may be crossed.
        start: Where the search begins. It need not be allowed.
        most: Maximum distance.
        allowed: Hexes that may be entered.
    """
    front, seen = start, start
    layers = [start]
    for _ in range(most):
        front = advance_front(front, steps) & allowed & ~seen
        if not front:
            break
        seen |= front
        layers.append(front)
    return tuple(layers)


def union_layers(some: Iterable[Bits]) -> Bits:
    """Return the union of the layers."""
    union = 0
    for layer in some:
        union |= layer
    return union


@cache
def open_sea(ground: Bitmap) -> Bits:
    """Return every hex that ships may enter (8.21, 13.91)."""
    return ground.from_indexes(range(len(ground.one))) & ~closed_to_ships(ground)


@cache
def troop_sea(ground: Bitmap) -> Bits:
    """Return every hex that ground units may enter at sea (8.41C, 8.44, 8.45)."""
    return open_sea(ground) & ~closed_to_troops(ground)


@cache
def open_air(ground: Bitmap) -> Bits:
    """Return every hex that air units may enter (8.41C, 13.71, 13.91)."""
    return ground.from_indexes(range(len(ground.one))) & ~closed_to_air(ground)


@lru_cache(maxsize=MAX_CACHED_SEARCHES)
def sea_layers(ground: Bitmap, start: Bits, most: int) -> tuple[Bits, ...]:
    """Return the hexes at each distance by sea; enemies never stop ships (8.11, 8.21)."""
    return distance_layers(sea_steps(ground), start, most, open_sea(ground))


@lru_cache(maxsize=MAX_CACHED_SEARCHES)
def hexes_within_by_sea(ground: Bitmap, start: Bits, most: int) -> Bits:
    """Return the hexes within a distance by sea, including the start (8.21)."""
    return union_layers(sea_layers(ground, start, most))


def way_points(
    steps: Steps, reached: tuple[Bits, ...], ends: Bits, most: int, allowed: Bits
) -> Bits:
    """Return the hexes that keep an end within reach, excluding the start.

    Args:
        steps: Hexsides that may be crossed.
        reached: Hexes by distance from the start.
        ends: Where the move may end.
        most: Movement left at the start.
        allowed: Hexes that may be entered.
    """
    back = distance_layers(steps, ends & allowed, most, allowed)
    points, near = 0, 0
    for distance in range(most, 0, -1):
        rest = most - distance
        near |= back[rest] if rest < len(back) else 0
        if distance < len(reached):
            points |= reached[distance] & near
    return points


def shortest_path(
    ground: Bitmap,
    steps: Steps,
    start: Bits,
    goal: Bits,
    *,
    most: int,
    allowed: Bits,
    bare: Bits = 0,
    covered: Bits = 0,
) -> tuple[HexId, ...] | None:
    """Return the hexes entered on a shortest route to the goal; None if it is out of reach.

    Ties go to the route through the fewest hexes in unneutralised enemy zones, then in any enemy zones, then to the
    lowest hex numbers.

    Args:
        ground: The board.
        steps: Hexsides that may be crossed.
        start: A single hex.
        goal: A single hex other than the start.
        most: Maximum length.
        allowed: Hexes that may be entered.
        bare: Hexes in unneutralised enemy zones.
        covered: Hexes in enemy zones.
    """
    front, seen, forward = start, start, list[Bits]()
    while not front & goal:
        if not front or len(forward) == most:
            return None
        front = advance_front(front, steps) & allowed & ~seen
        seen |= front
        forward.append(front)
    on_way, back = [goal], reverse_steps(steps)
    # Walk back from the goal, keeping only hexes that are on some shortest route.
    for layer in forward[-2::-1]:
        on_way.append(advance_front(on_way[-1], back) & layer)
    on_way.reverse()
    costs = _costs(steps, on_way, bare, covered)
    return _trace_path(ground, steps, start, on_way, costs)


def _costs(steps: Steps, on_way: list[Bits], bare: Bits, covered: Bits) -> dict[Bits, int]:
    """Return the cost of the remaining route from each hex, including that hex; empty if all routes cost nothing."""
    costs: dict[Bits, int] = {}
    watched = bare | covered
    if not watched & union_layers(on_way):
        return costs
    later = 0
    for layer in reversed(on_way):
        rest = layer
        while rest:
            low = rest & -rest
            rest ^= low
            weight = 0
            if low & watched:
                weight = (_UNNEUTRALISED_WEIGHT if low & bare else 0) + (1 if low & covered else 0)
            following = advance_front(low, steps) & later
            costs[low] = weight + min((costs[b] for b in _single_bits(following)), default=0)
        later = layer
    return costs


def _single_bits(hexes: Bits) -> list[Bits]:
    singles = []
    while hexes:
        low = hexes & -hexes
        singles.append(low)
        hexes ^= low
    return singles


def _trace_path(
    ground: Bitmap, steps: Steps, start: Bits, on_way: list[Bits], costs: dict[Bits, int]
) -> tuple[HexId, ...]:
    here, path = start, []
    for layer in on_way:
        near = advance_front(here, steps) & layer
        here = min(_single_bits(near), key=lambda bit: (costs[bit], bit)) if costs else near & -near
        path.append(ground.board.ids[ground.index[here.bit_length() - 1]])
    return tuple(path)


def least_detected_path(
    ground: Bitmap,
    steps: Steps,
    start: Bits,
    goal: Bits,
    *,
    most: int,
    allowed: Bits,
    covered: Bits,
) -> tuple[HexId, ...] | None:
    """Return the hexes entered on the least detectable route; None if the goal is out of reach (7.25E).

    The route enters as few hexes in enemy zones as possible, neutralised or not. Ties go to the shortest route, then to
    the lowest hex numbers.

    Args:
        ground: The board.
        steps: Hexsides that may be crossed.
        start: A single hex.
        goal: A single hex other than the start.
        most: Maximum length.
        allowed: Hexes that may be entered.
        covered: Hexes in enemy zones.
    """
    unseen, seen = allowed & ~covered, allowed & covered
    back = reverse_steps(steps)
    rows: list[list[Bits]] = []
    """Hexes with a route to the goal, by the number of zone hexes still to enter and then by length."""
    for zones in range(most + 1):
        row = [0 if zones else goal]
        while len(row) <= most:
            near = row[-1] & unseen
            if zones:
                near |= rows[-1][len(row) - 1] & seen
            row.append(advance_front(near, back))
            if row[-1] & start:
                return _trace_rows(ground, steps, start, [*rows, row], (unseen, seen))
        rows.append(row)
    return None


def _trace_rows(
    ground: Bitmap, steps: Steps, start: Bits, rows: list[list[Bits]], entered: tuple[Bits, Bits]
) -> tuple[HexId, ...]:
    """Return the route from a start through the rows of `least_detected_path`, preferring the lowest hexes."""
    unseen, seen = entered
    zones, here, path = len(rows) - 1, start, []
    for left in range(len(rows[zones]) - 2, -1, -1):
        near = advance_front(here, steps)
        onward = near & rows[zones][left] & unseen
        watched = near & rows[zones - 1][left] & seen if zones else 0
        here = (onward | watched) & -(onward | watched)
        zones -= bool(here & watched)
        path.append(ground.board.ids[ground.index[here.bit_length() - 1]])
    return tuple(path)

"""Searches for supply lines: sea and land phases, ports, and the overland range (6.21).

A line can switch between sea and land only in a port that its side controls (6.21C, D, F, G). Searches therefore track
hexes reached by sea separately from hexes reached by land.
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

import msgspec

from engine.eots.ch06_supply.bitsets import (
    Bits,
    BoardBitsets,
    Steps,
    advance_front,
    steps_inside,
    union_steps,
)

OVERLAND_HALVES: Final = 8
"""The overland logistical range of 4 movement points, in half points (6.21A-4)."""


class LineSteps(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """The hexsides that a side's supply lines may cross, by sea and by land."""

    sea: Steps
    land: Steps


def line_steps(
    bitsets: BoardBitsets, open_hexes: Bits, free_hexes: Bits, *, land_only: bool
) -> LineSteps:
    """Return the steps that supply lines may take under points A, B and E of 6.21.

    Args:
        bitsets: The board.
        open_hexes: Hexes not solely occupied by the enemy (E).
        free_hexes: Hexes outside unneutralised enemy ZOI (B).
        land_only: True if lines may cross mixed hexsides only by land (OP-1, alternative reading).
    """
    mixed_steps = steps_inside(bitsets.both, open_hexes)
    sea = steps_inside(bitsets.water, free_hexes)
    return LineSteps(
        sea=sea if land_only else union_steps(sea, mixed_steps),
        land=union_steps(steps_inside(bitsets.land, open_hexes), mixed_steps),
    )


class Reach(msgspec.Struct, frozen=True, kw_only=True):
    """Hexes reached by supply lines, separated by whether the last hexside was crossed by sea or by land."""

    by_sea: Bits
    """Hexes entered across a sea hexside, and the starting hexes."""
    by_land: Bits


class Layer(msgspec.Struct, frozen=True, gc=False):
    """The hexes that supply lines enter with a given number of hexes of range left."""

    left: int
    by_sea: Bits
    by_land: Bits
    late_by_sea: Bits
    """Hexes entered by sea on lines that have already used their one switch in a port."""
    late_by_land: Bits


_NOTHING: Final[Mapping[int, Bits]] = MappingProxyType({})


def supply_layers(
    starts: Mapping[int, Bits],
    steps: LineSteps,
    ports: Bits,
    landed_bits: Mapping[int, Bits] = _NOTHING,
    late_landed: Mapping[int, Bits] = _NOTHING,
) -> Iterator[Layer]:
    """Yield the hexes that lines of limited length enter, hexes with the most range left first (6.21A-2, A-3).

    Each hex is yielded at most once for each way of entering it.

    Args:
        starts: HQ hexes, by command range. Leaving an HQ's own port does not count as a switch.
        steps: Hexsides that may be crossed.
        ports: Ports in which a line may switch between sea and land.
        landed_bits: Hexes already reached by land, keyed by remaining length.
        late_landed: Hexes already reached by land after a switch in a port, keyed by remaining length.
    """
    sea, land = steps.sea, steps.land
    sea_seen = land_seen = late_sea_seen = late_land_seen = 0
    sea_front = land_front = late_sea = late_land = 0
    highest_layer = max(
        max(layer_numbers, default=0) for layer_numbers in (starts, landed_bits, late_landed)
    )
    for points_left in range(highest_layer, 0, -1):
        if points_left in starts:
            new_starts = starts[points_left]
            sea_front |= new_starts & ~sea_seen
            land_front |= new_starts & ~land_seen
            sea_seen |= new_starts
            land_seen |= new_starts
        if points_left in landed_bits:
            land_front |= landed_bits[points_left] & ~land_seen
            land_seen |= landed_bits[points_left]
            late_sea |= landed_bits[points_left] & ports & ~late_sea_seen
        if points_left in late_landed:
            late_land |= late_landed[points_left] & ~late_land_seen
        # A line that has not switched can go anywhere that a switched line can, so extend it first.
        sea_front = advance_front(sea_front, sea) & ~sea_seen if sea_front else 0
        land_front = advance_front(land_front, land) & ~land_seen if land_front else 0
        sea_seen |= sea_front
        land_seen |= land_front
        late_by_land = advance_front(late_land, land) if late_land else 0
        late_land = (late_by_land | (sea_front & ports)) & ~land_seen & ~late_land_seen
        late_land_seen |= late_land
        late_by_sea = advance_front(late_sea, sea) if late_sea else 0
        late_sea = (late_by_sea | (land_front & ports)) & ~sea_seen & ~late_sea_seen
        late_sea_seen |= late_sea
        yield Layer(points_left - 1, sea_front, land_front, late_by_sea, late_by_land)


def supply_reach(starts: Mapping[int, Bits], steps: LineSteps, ports: Bits) -> Reach:
    """Return the hexes reached by lines of limited length that switch in at most one port (6.21A-2, A-3).

    The arguments are the same as for `supply_layers`.
    """
    by_sea = by_land = 0
    for hexes in starts.values():
        by_sea |= hexes
    for layer in supply_layers(starts, steps, ports):
        by_sea |= layer.by_sea | layer.late_by_sea
        by_land |= layer.by_land | layer.late_by_land
    return Reach(by_sea=by_sea, by_land=by_land)


def flood_fill(starts: Bits, steps: Steps) -> Bits:
    """Return every hex that can be reached from the starts by any number of steps, including the starts.

    Each direction continues from the hexes that the previous one has just found, so one round can advance several
    hexes.
    """
    a, b, c, d, e, f = steps
    seen_spaces, hexes_before = starts, 0
    while seen_spaces != hexes_before:
        hexes_before = seen_spaces
        seen_spaces |= (seen_spaces & a) << 1
        seen_spaces |= (seen_spaces & b) >> 1
        seen_spaces |= (seen_spaces & c) << 29
        seen_spaces |= (seen_spaces & d) >> 29
        seen_spaces |= (seen_spaces & e) << 30
        seen_spaces |= (seen_spaces & f) >> 30
    return seen_spaces


def flood_fill_with_ports(starts: Bits, steps: LineSteps, ports: Bits, goal: Bits = 0) -> Bits:
    """Return every hex connected to the starts by a line of any length that switches in any number of ports (6.21B).

    Args:
        starts: Hexes where lines begin. Lines may leave these hexes by sea or by land.
        steps: Hexsides that may be crossed.
        ports: Ports in which a line may switch between sea and land.
        goal: Hexes to look for. The search may stop once all of them are found. With an empty set, the search finds
            every hex.
    """
    by_sea = flood_fill(starts, steps.sea)
    by_land = flood_fill(starts | (by_sea & ports), steps.land)
    while not goal or goal & ~(by_sea | by_land):
        embarked = by_land & ports & ~by_sea
        if not embarked:
            break
        by_sea = flood_fill(by_sea | embarked, steps.sea)
        landed_ports = by_sea & ports & ~by_land
        if not landed_ports:
            break
        by_land = flood_fill(by_land | landed_ports, steps.land)
    return by_sea | by_land


def overland_reach(
    starts: Bits,
    land: Steps,
    routes: Steps,
    entry: tuple[tuple[int, Bits], ...],
    allowed_hexes: Bits,
    limit: int = OVERLAND_HALVES,
) -> Bits:
    """Return every hex within 4 ground movement points of the starts, including the starts (6.21A-4, OP-4).

    Args:
        starts: Hexes from which the range is measured.
        land: Land hexsides that are open.
        routes: Hexsides crossed by a route that costs half a point.
        entry: Pairs of a cost in half points and the hexes with that cost when no route is used (8.1).
        allowed_hexes: Hexes that units of this nation may enter (8.41).
        limit: Half points that may be spent.
    """
    waiting_layers = [0] * (limit + 1)
    waiting_layers[0] = starts
    reached_hexes = 0
    for cost_spent in range(limit):
        front = waiting_layers[cost_spent] & ~reached_hexes
        if not front:
            continue
        reached_hexes |= front
        waiting_layers[cost_spent + 1] |= advance_front(front, routes) & allowed_hexes
        adjacent_hexes = advance_front(front, land) & allowed_hexes & ~reached_hexes
        for cost, hexes in entry:
            if cost_spent + cost <= limit:
                waiting_layers[cost_spent + cost] |= adjacent_hexes & hexes
    return reached_hexes | waiting_layers[limit]

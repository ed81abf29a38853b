"""Sets of hexes, stored as integers with one bit per hex (6.2).

A search can advance from all hexes of a set with a few shifts. Within a column, the bits are in row order. Odd columns
are half a hex lower than their neighbours and begin 30 bits after the previous column; even columns begin 29 bits after
it. The neighbours of a hex are therefore always 1, 29 or 30 bits away, in either direction.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache, partial
from itertools import compress, repeat
from operator import is_, or_
from typing import Final

import msgspec

from engine.eots.board import (
    GRID,
    LAND,
    LAND_AND_SEA,
    SEA,
    UNPLAYABLE,
    Board,
    board,
    south_pacific_board,
)
from engine.eots.ids import HexId, ScenarioId, Side, Terrain
from engine.eots.rulings import SP_MAP
from engine.eots.state import State

Bits = int
"""A set of hexes."""
Steps = tuple[Bits, ...]
"""For each of the six directions, the hexes from which a step in that direction is allowed. Same order as SHIFTS."""

ROWS: Final = 29
SIDES: Final = 6
FIRST_COLUMN: Final = 10
ZOI_HEXES: Final = 2
"""Range of a zone of influence, in hexes (6.4)."""
SHIFTS: Final = (1, -1, ROWS, -ROWS, ROWS + 1, -ROWS - 1)
SOUTH_PACIFIC: Final = ScenarioId("south-pacific")
_ENTRY_HALVES: Final = {
    Terrain.OPEN: 2,
    Terrain.JUNGLE: 4,
    Terrain.MIXED: 4,
    Terrain.MOUNTAIN: 6,
}
"""Cost, in half movement points, to enter a hex without using a route (8.1). Atolls and ocean cannot be entered."""


class BoardBitsets(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """The hexes and hexsides of a board as sets. Tuples of steps have the same order as SHIFTS."""

    board: Board
    bit_by_index: tuple[Bits, ...]
    """For each hex index, the set that contains only that hex."""
    index_by_bit: dict[int, int]
    """Hex index, by bit number."""
    bit_by_id: dict[str, Bits]
    """For each hex id, the set that contains only that hex. Places that are not hexes are missing."""
    around: dict[str, Bits]
    """For each hex id, the hexes at a distance of up to two, including the hex itself (6.4)."""
    water: Steps
    """Steps across all-water hexsides (0.3)."""
    both: Steps
    """Steps across mixed hexsides (0.3)."""
    land: Steps
    """Steps across land hexsides (0.3)."""
    closed: Steps
    """Steps across unplayable hexsides (0.3)."""
    grid: Steps
    """Steps between adjacent hexes of the whole grid, even unplayable ones. Used for straight-line distances (0.2)."""
    everywhere: Bits
    """All hexes."""
    ports: Bits
    airfields: Bits
    resources: Bits
    entry: tuple[tuple[int, Bits], ...]
    """Pairs of a cost in half movement points and the hexes that cost this much to enter without a route (8.1)."""
    allied_sources: Bits
    """Allied ultimate supply sources (6.22)."""
    allied_straight_sources: Bits
    """Allied ultimate supply sources, excluding the stepped corners (MAP-18, alternative reading)."""
    east: Bits
    """Hexes of the east edge (6.25)."""
    east_straight: Bits

    def indexes(self, hexes: Bits) -> Iterator[int]:
        """Yield the hex indexes in a set, in ascending order."""
        while hexes:
            low_bit = hexes & -hexes
            yield self.index_by_bit[low_bit.bit_length() - 1]
            hexes ^= low_bit

    def ids(self, hexes: Bits) -> tuple[HexId, ...]:
        """Return the ids of the hexes in a set, in ascending order."""
        names, index, ids = self.board.ids, self.index_by_bit, []
        while hexes:
            low_bit = hexes & -hexes
            ids.append(names[index[low_bit.bit_length() - 1]])
            hexes ^= low_bit
        return tuple(ids)

    def from_hexes(self, hexes: Iterable[str]) -> Bits:
        """Return the given hexes as a set, ignoring places that are not hexes."""
        bits = 0
        for place in hexes:
            bits |= self.bit_by_id.get(place, 0)
        return bits

    def from_indexes(self, hexes: Iterable[int]) -> Bits:
        """Return the set of hexes with these indexes."""
        bits = 0
        for index in hexes:
            bits |= self.bit_by_index[index]
        return bits


def advance_front(front: Bits, steps: Steps) -> Bits:
    """Return every hex that is one step away from a set."""
    a, b, c, d, e, f = steps
    return (
        ((front & a) << 1)
        | ((front & b) >> 1)
        | ((front & c) << 29)
        | ((front & d) >> 29)
        | ((front & e) << 30)
        | ((front & f) >> 30)
    )


def within_distance(bitsets: BoardBitsets, hexes: Bits, distance: int) -> Bits:
    """Return every hex within the given distance of a set, including the set itself (0.2)."""
    for _ in range(distance):
        hexes |= advance_front(hexes, bitsets.grid)
    return hexes & bitsets.everywhere


def steps_inside(steps: Steps, hexes: Bits) -> Steps:
    """Return the steps that begin and end inside a set."""
    a, b, c, d, e, f = steps
    return (
        # Shifting the set in the opposite direction gives the hexes from which that step leads into
        # the set.
        a & hexes & (hexes >> 1),
        b & hexes & (hexes << 1),
        c & hexes & (hexes >> 29),
        d & hexes & (hexes << 29),
        e & hexes & (hexes >> 30),
        f & hexes & (hexes << 30),
    )


def union_steps(first_steps: Steps, second_steps: Steps) -> Steps:
    """Return the union of two sets of steps."""
    return tuple(map(or_, first_steps, second_steps))


@lru_cache(maxsize=16)
def reverse_steps(steps: Steps) -> Steps:
    """Return the steps with start and end swapped."""
    a, b, c, d, e, f = steps
    return (b >> 1, a << 1, d >> 29, c << 29, f >> 30, e << 30)


def steps_between(bitsets: BoardBitsets, pairs: Iterable[tuple[str, str]]) -> Steps:
    """Return the steps between the given pairs of neighbours, in both directions."""
    steps = [0] * len(SHIFTS)
    for first, second in pairs:
        for start, end in ((first, second), (second, first)):
            bit = bitsets.bit_by_id[start]
            steps[_shift_index(bit, bitsets.bit_by_id[end])] |= bit
    return tuple(steps)


def _shift_index(start_hexes: Bits, end_hexes: Bits) -> int:
    """Return which of the SHIFTS leads from a hex to an adjacent hex."""
    return SHIFTS.index(end_hexes.bit_length() - start_hexes.bit_length())


def _bit_number(name: HexId) -> int:
    """Return a hex's bit number."""
    column, row = GRID.coordinates(name)
    return _first_bit(column) + row


def _first_bit(column: int) -> int:
    """Return the bit number of row 0 in a column."""
    column_offset = column - FIRST_COLUMN
    return column_offset * ROWS + (column_offset + 1) // 2


def _grid_steps(map_: Board) -> Steps:
    """Return the steps between all adjacent hexes of the rectangle that encloses the map."""
    last_column = max(GRID.coordinates(name)[0] for name in map_.ids)
    every_row = (1 << ROWS) - 1
    steps = [0] * len(SHIFTS)
    for column in range(FIRST_COLUMN, last_column + 1):
        for side in range(SIDES):
            # Row 0 is enough: crossing a hexside changes the row by the same amount everywhere in a
            # column.
            neighbour_column, down = GRID.neighbour(column, 0, side)
            if FIRST_COLUMN <= neighbour_column <= last_column:
                # Without this mask, a step off a column's end would lead into the next column.
                rows = every_row & (every_row >> down if down > 0 else every_row << -down)
                first_bit = _first_bit(column)
                steps[SHIFTS.index(_first_bit(neighbour_column) - first_bit + down)] |= (
                    rows << first_bit
                )
    return tuple(steps)


def _side_steps(map_: Board, numbers: tuple[int, ...]) -> dict[int, Steps]:
    """Return the steps across each type of hexside, keyed by hexside code.

    Args:
        map_: The board.
        numbers: Bit numbers, by hex index.
    """
    shift_index = {shift: index for index, shift in enumerate(SHIFTS)}
    steps_by_code = {code: [0] * len(SHIFTS) for code in (UNPLAYABLE, LAND, SEA, LAND_AND_SEA)}
    for start, row in zip(numbers, map_.neighbours, strict=True):
        for end, code in row:
            steps_by_code[code][shift_index[numbers[end] - start]] |= 1 << start
    return {code: tuple(steps) for code, steps in steps_by_code.items()}


def _has_entry_cost(map_: Board, cost: int, index: int) -> bool:
    """Return whether entering a hex without using a route costs exactly ``cost`` half movement points."""
    return _ENTRY_HALVES.get(map_.terrain[index]) == cost


def build_board_bitsets(
    map_: Board,
    allied_sources: Iterable[str],
    straight_sources: Iterable[str],
    east_edge: Iterable[str],
) -> BoardBitsets:
    """Build a board's hex sets.

    Args:
        map_: The board.
        allied_sources: Allied ultimate supply sources (6.22).
        straight_sources: Allied sources outside the stepped corners (MAP-18).
        east_edge: Hexes of the east edge (6.25).
    """
    numbers = tuple(map(_bit_number, map_.ids))
    bit_by_index = tuple(1 << number for number in numbers)
    sides = _side_steps(map_, numbers)

    def select_hexes(predicate: Callable[[int], bool]) -> Bits:
        return sum(bit for i, bit in enumerate(bit_by_index) if map_.is_in_play[i] and predicate(i))

    costs = sorted(set(_ENTRY_HALVES.values()))
    bit_by_id: dict[str, Bits] = dict(zip(map_.ids, bit_by_index, strict=True))
    sources, straight_bits, east_bits = (
        sum(bit_by_id[hex_id] for hex_id in sorted(group))
        for group in map(frozenset, (allied_sources, straight_sources, east_edge))
    )
    without_zones = BoardBitsets(
        board=map_,
        bit_by_index=bit_by_index,
        index_by_bit={number: i for i, number in enumerate(numbers)},
        bit_by_id=bit_by_id,
        around={},
        water=sides[SEA],
        both=sides[LAND_AND_SEA],
        land=sides[LAND],
        closed=sides[UNPLAYABLE],
        grid=_grid_steps(map_),
        everywhere=sum(bit_by_index),
        ports=select_hexes(lambda i: map_.is_port[i]),
        airfields=select_hexes(lambda i: map_.is_airfield[i]),
        resources=select_hexes(lambda i: map_.is_resource[i]),
        entry=tuple((cost, select_hexes(partial(_has_entry_cost, map_, cost))) for cost in costs),
        allied_sources=sources,
        allied_straight_sources=sources & straight_bits,
        east=east_bits,
        east_straight=east_bits & straight_bits,
    )
    zones = {
        name: within_distance(without_zones, bit, ZOI_HEXES) for name, bit in bit_by_id.items()
    }
    return msgspec.structs.replace(without_zones, around=zones)


def _straight_edge_sources(map_: Board) -> tuple[str, ...]:
    """Return the supply sources on the straight parts of the map edges (MAP-18, alternative reading)."""
    edges = map_.map_edges
    stepped_edges = {
        *edges.southwest_staircase,
        *edges.northeast_staircase,
        *edges.southeast_staircase,
    }
    return tuple(hex_id for hex_id in map_.supply_edges.allied if hex_id not in stepped_edges)


@cache
def whole_map() -> BoardBitsets:
    """Return the hex sets of the whole map, which are built only once."""
    map_ = board()
    return build_board_bitsets(
        map_,
        map_.supply_edges.allied,
        _straight_edge_sources(map_),
        map_.supply_edges.east,
    )


@cache
def south_pacific_map(*, is_narrow: bool = False) -> BoardBitsets:
    """Return the hex sets of the South Pacific sheet, which has its own edges (17.10, OPS-11). Results are cached."""
    sheet_board = south_pacific_board(is_narrow=is_narrow)
    sheet = sheet_board.south_pacific
    allied = (*sheet.east_edge, *sheet.south_edge, *sheet.west_edge)
    return build_board_bitsets(sheet_board, allied, allied, sheet.east_edge)


def bitsets_in_play(state: State) -> BoardBitsets:
    """Return the hex sets of this game's map (17.10)."""
    if state.scenario != SOUTH_PACIFIC:
        return whole_map()
    return south_pacific_map(is_narrow=SP_MAP.uses_alternative(state.options))


@cache
def all_hexes(bitsets: BoardBitsets) -> Bits:
    """Return the set of all hexes."""
    return sum(bitsets.bit_by_index)


def controlled_by(bitsets: BoardBitsets, state: State, side: Side) -> Bits:
    """Return the hexes with a side's control marker (6.5)."""
    bit_by_id = bitsets.bit_by_id
    is_owned = map(is_, state.control.values(), repeat(side))
    return sum(map(bit_by_id.__getitem__, compress(state.control, is_owned)))

"""Activation paths from an HQ (6.3, 7.26, OP-24)."""

from functools import lru_cache
from typing import Final

from engine.eots.board import board
from engine.eots.ch06_supply.bitsets import (
    Bits,
    BoardBitsets,
    Steps,
    advance_front,
    bitsets_in_play,
    steps_inside,
    union_steps,
    whole_map,
    within_distance,
)
from engine.eots.ch06_supply.network import KUNMING, NEW_HEBRIDES, OFF_SHEET_HQ, Network
from engine.eots.ch06_supply.solution import Solution, solution
from engine.eots.counters import counters
from engine.eots.ids import CHINA_BOX, HexId, Side, UnitId
from engine.eots.state import State
from engine.kernel.memo import Memo

_CACHE_SIZE: Final = 256
_AREAS: Final = Memo[dict[tuple[UnitId, bool], Bits]]()


@lru_cache(maxsize=_CACHE_SIZE)
def path_steps(bitsets: BoardBitsets, open_hexes: Bits, free_hexes: Bits) -> Steps:
    """Return the steps that an activation path may take between adjacent hexes (6.3).

    Args:
        bitsets: The board.
        open_hexes: Hexes not solely occupied by the enemy.
        free_hexes: Hexes outside unneutralised enemy ZOI.
    """
    over_land = steps_inside(union_steps(bitsets.land, bitsets.both), open_hexes)
    over_sea = steps_inside(bitsets.water, free_hexes)
    # Unlike a supply line, an activation path may cross unplayable hexsides (6.3).
    return union_steps(union_steps(over_land, over_sea), bitsets.closed)


@lru_cache(maxsize=_CACHE_SIZE)
def _within_steps(start_hexes: Bits, steps: Steps, length: int) -> Bits:
    """Return every hex that paths of at most the given length reach, including the starting hex."""
    seen_hexes = front = start_hexes
    for _ in range(length):
        front = advance_front(front, steps) & ~seen_hexes
        if not front:
            break
        seen_hexes |= front
    return seen_hexes


@lru_cache(maxsize=_CACHE_SIZE)
def command_hexes(bitsets: BoardBitsets, hq: UnitId, place: str) -> Bits:
    """Return the hexes within an HQ's command range in a straight line (6.1). For Oahu, see 17.10.5K."""
    row, own_bit = counters()[hq].hq, bitsets.bit_by_id[place]
    assert row is not None
    in_range = within_distance(bitsets, own_bit, row.command_range)
    return in_range & (_new_hebrides(bitsets) | own_bit) if _is_off_sheet(bitsets, hq) else in_range


def is_in_command_range(state: State, hq: UnitId, place: str) -> bool:
    """Return whether a hex is within the command range of an HQ on the map (6.1, 6.24, 7.26, 7.27)."""
    bitsets = bitsets_in_play(state)
    return bool(command_hexes(bitsets, hq, state.units[hq].at) & bitsets.bit_by_id.get(place, 0))


def _is_off_sheet(bitsets: BoardBitsets, hq: UnitId) -> bool:
    return hq == OFF_SHEET_HQ and bitsets is not whole_map()


def _new_hebrides(bitsets: BoardBitsets) -> Bits:
    return bitsets.from_hexes(board().areas[NEW_HEBRIDES].hexes)


def _declared_battles(state: State, bitsets: BoardBitsets) -> Bits:
    offensive = state.offensive
    return 0 if offensive is None else bitsets.from_hexes(offensive.battles)


def path_area(state: State, hq: UnitId, *, is_reaction: bool) -> Bits:
    """Return the hexes that activation paths from an HQ on the map can reach, including the HQ's own hex (6.3).

    Results are cached.

    Args:
        state: The position.
        hq: The HQ. Its supply is not checked.
        is_reaction: True if paths may cross declared battle hexes regardless of the units there (7.26).
    """
    cache = _AREAS.get(state, (state,), dict)
    cached_area = cache.get((hq, is_reaction))
    if cached_area is None:
        cached_area = cache[hq, is_reaction] = _path_area(state, hq, is_reaction=is_reaction)
    return cached_area


def _path_area(state: State, hq: UnitId, *, is_reaction: bool) -> Bits:
    key = solution(state).networks[counters()[hq].side].key
    bitsets = key.bitsets
    start_bit = bitsets.bit_by_id.get(state.units[hq].at, 0)
    open_hexes = key.open_hexes | (_declared_battles(state, bitsets) if is_reaction else 0)
    row = counters()[hq].hq
    assert row is not None
    if _is_off_sheet(bitsets, hq):  # 17.10.5K, OPS-11
        steps = path_steps(whole_map(), open_hexes, key.free_hexes)
        return _within_steps(start_bit, steps, row.command_range) & (
            _new_hebrides(bitsets) | start_bit
        )
    return _within_steps(
        start_bit, path_steps(bitsets, open_hexes, key.free_hexes), row.command_range
    )


def has_path(state: State, hq: UnitId, place: str, *, is_reaction: bool) -> bool:
    """Return whether an activation path leads from an HQ to a hex or to the China box (6.3, 13.74-3)."""
    supply_solution = solution(state)
    area = path_area(state, hq, is_reaction=is_reaction)
    if place == CHINA_BOX:
        return bool(area & box_entries(supply_solution))
    return bool(area & supply_solution.occupancy.bitsets.bit_by_id.get(place, 0))


def box_entries(supply_solution: Solution) -> Bits:
    """Return the hexes from which a path continues to the China box: Kunming and the Hump airfields (13.74-3)."""
    allied: Network = supply_solution.networks[Side.ALLIED]
    bitsets = supply_solution.occupancy.bitsets
    return bitsets.bit_by_id[HexId(KUNMING)] | (
        allied.key.hump_airfields & allied.eligible_airfields
    )

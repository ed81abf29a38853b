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

_CACHED: Final = 256
_AREAS: Final = Memo[dict[tuple[UnitId, bool], Bits]]()


@lru_cache(maxsize=_CACHED)
def path_steps(bitsets: BoardBitsets, open_hexes: Bits, free: Bits) -> Steps:
    """Return the steps that an activation path may take between adjacent hexes (6.3).

    Args:
        bitsets: The board.
        open_hexes: Hexes not solely occupied by the enemy.
        free: Hexes outside unneutralised enemy ZOI.
    """
    over_land = steps_inside(union_steps(bitsets.land, bitsets.both), open_hexes)
    over_sea = steps_inside(bitsets.water, free)
    # Unlike a supply line, an activation path may cross unplayable hexsides (6.3).
    return union_steps(union_steps(over_land, over_sea), bitsets.closed)


@lru_cache(maxsize=_CACHED)
def _within_steps(start: Bits, steps: Steps, length: int) -> Bits:
    """Return every hex that paths of at most the given length reach, including the starting hex."""
    seen = front = start
    for _ in range(length):
        front = advance_front(front, steps) & ~seen
        if not front:
            break
        seen |= front
    return seen


@lru_cache(maxsize=_CACHED)
def command_hexes(bitsets: BoardBitsets, hq: UnitId, at: str) -> Bits:
    """Return the hexes within an HQ's command range in a straight line (6.1). For Oahu, see 17.10.5K."""
    row, own = counters()[hq].hq, bitsets.bit_by_id[at]
    assert row is not None
    in_range = within_distance(bitsets, own, row.command_range)
    return in_range & (_new_hebrides(bitsets) | own) if _is_off_sheet(bitsets, hq) else in_range


def is_in_command_range(state: State, hq: UnitId, at: str) -> bool:
    """Return whether a hex is within the command range of an HQ on the map (6.1, 6.24, 7.26, 7.27)."""
    bitsets = bitsets_in_play(state)
    return bool(command_hexes(bitsets, hq, state.units[hq].at) & bitsets.bit_by_id.get(at, 0))


def _is_off_sheet(bitsets: BoardBitsets, hq: UnitId) -> bool:
    return hq == OFF_SHEET_HQ and bitsets is not whole_map()


def _new_hebrides(bitsets: BoardBitsets) -> Bits:
    return bitsets.from_hexes(board().areas[NEW_HEBRIDES].hexes)


def _declared_battles(state: State, bitsets: BoardBitsets) -> Bits:
    offensive = state.offensive
    return 0 if offensive is None else bitsets.from_hexes(offensive.battles)


def path_area(state: State, hq: UnitId, *, reaction: bool) -> Bits:
    """Return the hexes that activation paths from an HQ on the map can reach, including the HQ's own hex (6.3).

    Results are cached.

    Args:
        state: The position.
        hq: The HQ. Its supply is not checked.
        reaction: True if paths may cross declared battle hexes regardless of the units there (7.26).
    """
    cache = _AREAS.get(state, (state,), dict)
    cached = cache.get((hq, reaction))
    if cached is None:
        cached = cache[hq, reaction] = _path_area(state, hq, reaction=reaction)
    return cached


def _path_area(state: State, hq: UnitId, *, reaction: bool) -> Bits:
    key = solution(state).networks[counters()[hq].side].key
    bitsets = key.bitsets
    start = bitsets.bit_by_id.get(state.units[hq].at, 0)
    open_hexes = key.open_hexes | (_declared_battles(state, bitsets) if reaction else 0)
    row = counters()[hq].hq
    assert row is not None
    if _is_off_sheet(bitsets, hq):  # 17.10.5K, OPS-11
        steps = path_steps(whole_map(), open_hexes, key.free)
        return _within_steps(start, steps, row.command_range) & (_new_hebrides(bitsets) | start)
    return _within_steps(start, path_steps(bitsets, open_hexes, key.free), row.command_range)


def has_path(state: State, hq: UnitId, at: str, *, reaction: bool) -> bool:
    """Return whether an activation path leads from an HQ to a hex or to the China box (6.3, 13.74-3)."""
    solved = solution(state)
    area = path_area(state, hq, reaction=reaction)
    if at == CHINA_BOX:
        return bool(area & box_entries(solved))
    return bool(area & solved.occupied.bitsets.bit_by_id.get(at, 0))


def box_entries(solved: Solution) -> Bits:
    """Return the hexes from which a path continues to the China box: Kunming and the Hump airfields (13.74-3)."""
    allied: Network = solved.networks[Side.ALLIED]
    bitsets = solved.occupied.bitsets
    return bitsets.bit_by_id[HexId(KUNMING)] | (
        allied.key.hump_airfields & allied.eligible_airfields
    )

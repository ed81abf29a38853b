"""Determines the side for which a hex scores victory points (tournament note in 17.27, 17.38, 17.48; OPS-6)."""

from collections.abc import Mapping
from functools import cache
from typing import Final

import msgspec

from engine.eots.board import area_of, board
from engine.eots.ch06_supply.bitsets import SOUTH_PACIFIC, Bits, bitsets_in_play
from engine.eots.ch06_supply.control import controls
from engine.eots.ch06_supply.network import Network, Profile, profile
from engine.eots.ch06_supply.occupancy import controlled_hexes
from engine.eots.ch06_supply.supply import supply
from engine.eots.ch13_nations.regions import MANDATES
from engine.eots.counters import counters
from engine.eots.ids import AreaId, HexId, ScenarioId, Side
from engine.eots.rulings import REAL_UNIT, TOURNAMENT_NOTE
from engine.eots.scenarios import scenario
from engine.eots.state import State
from engine.kernel.memo import Memo

_SUPPLIED_HEXES_CACHE: Final = Memo[Bits](32)
_START: Final = Memo[Bits](8)
_MEMO: Final = Memo["Counting"](16)


class Counting(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """The hexes that count for each side's victory points in one position."""

    bit_by_id: Mapping[str, Bits]
    """For each hex id, the set that contains only that hex."""
    supplied: Mapping[Side, Bits]
    """Hexes where a side could supply a unit other than an HQ.

    In games that require a real unit, hexes that contain a supplied one.
    """
    counted: Mapping[Side, Bits]
    """For each side, hexes that count as controlled."""


@cache
def _profiles(side: Side) -> tuple[Profile, ...]:
    """Return the distinct supply profiles of a side's units. HQs are excluded (OPS-6)."""
    rows = (row for row in counters().values() if row.side is side and not row.is_hq)
    return tuple(sorted({profile(row.id) for row in rows}))


def _supply_areas(network: Network, side: Side) -> Bits:
    areas = 0
    for kind in _profiles(side):
        areas |= network.area(kind)
    return areas


def _supplied_hexes(state: State, side: Side) -> Bits:
    network = supply(state).network(side)
    hexes = _SUPPLIED_HEXES_CACHE.get(state, (network, side), lambda: _supply_areas(network, side))
    if side is Side.JAPAN and state.tracks.tokyo_express is not None:
        hexes |= bitsets_in_play(state).bit_by_id[state.tracks.tokyo_express]  # 6.23
    return hexes


def _with_units(state: State, side: Side) -> Bits:
    """Return the hexes that contain a supplied unit other than an HQ (DS-11)."""
    supply_lines, bit_by_id, hexes = supply(state), bitsets_in_play(state).bit_by_id, 0
    for unit, piece in state.units.items():
        counter = counters()[unit]
        if counter.side is side and not counter.is_hq and piece.is_on_map:
            hexes |= bit_by_id[piece.at] if supply_lines.is_supplied(unit) else 0
    return hexes


def _asks_for_units(state: State) -> bool:
    """Return whether hexes count only with a supplied unit in them.

    Always true in the South Pacific (17.10.7, OPS-6).
    """
    return state.scenario == SOUTH_PACIFIC or TOURNAMENT_NOTE.value(state.options) == REAL_UNIT


def _counting(state: State) -> Counting:
    controlled = controlled_hexes(state)
    find_hexes = _with_units if _asks_for_units(state) else _supplied_hexes
    supplied_hexes = {side: find_hexes(state, side) for side in Side}
    if TOURNAMENT_NOTE.uses_alternative(state.options):
        counted = controlled
    else:
        # Each hex has one controller, so the sets do not overlap and their sum is their union.
        unsupplied_count = sum(controlled[side] & ~supplied_hexes[side] for side in Side)
        counted = {
            side: (controlled[side] & supplied_hexes[side])
            | (unsupplied_count & _hexes_at_start(state, side))
            for side in Side
        }
    return Counting(
        bit_by_id=bitsets_in_play(state).bit_by_id, supplied=supplied_hexes, counted=counted
    )


def _hexes_at_start(state: State, side: Side) -> Bits:
    """Return the hexes that a side controlled when the scenario began."""
    bitsets, control = bitsets_in_play(state), state.control_at_start
    return _START.get(
        state,
        (control, bitsets, side),
        lambda: bitsets.from_hexes(hex_id for hex_id, holder in control.items() if holder is side),
    )


def counted_parts(state: State) -> tuple[object, ...]:
    """Return the parts of a state that determine which hexes and points count, for use as a cache key."""
    return (
        state.units,
        state.control,
        state.tracks,
        state.offensive,
        state.scenario,
        state.options,
        state.control_at_start,
    )


def counting(state: State) -> Counting:
    """Return the sets of hexes that count for each side (OPS-6). Results are cached.

    By default, a hex counts for its controller if the controller could supply a unit there. In games that require a
    real unit, the controller must have a supplied unit there. Otherwise, the hex counts for the side that controlled it
    at the start. With the tournament note off, each hex counts for its controller.
    """
    return _MEMO.get(state, counted_parts(state), lambda: _counting(state))


def counts_for(state: State, side: Side, hex_id: HexId) -> bool:
    """Return whether a hex counts as controlled by a side for victory points (OPS-6)."""
    counts = counting(state)
    return bool(counts.counted[side] & counts.bit_by_id[hex_id])


def could_supply(state: State, side: Side, hex_id: HexId) -> bool:
    """Return whether a side could supply a unit other than an HQ in a hex (OPS-6).

    In games that require a real unit, return whether the side has a supplied unit there.
    """
    counts = counting(state)
    return bool(counts.supplied[side] & counts.bit_by_id[hex_id])


def is_held_in_supply(state: State, side: Side, hex_id: HexId) -> bool:
    """Return whether a side controls a hex and meets the supply condition of `could_supply` there."""
    return controls(state, side, hex_id) and could_supply(state, side, hex_id)


def region_holder(state: State, name: AreaId) -> Side | None:
    """Return the side that controls an area for victory points, as defined by the area's rule (13.84, 13.85, 13.92).

    None if neither side controls all the hexes that the rule requires. A side keeps the Mandates until the other side
    controls both key hexes in a National Status Segment.
    """
    if name == MANDATES and state.tracks.mandates is not None:
        return _mandates_holder(state, state.tracks.mandates)
    hexes = area_of(state.options, name).control_hexes
    for side in Side:
        if all(counts_for(state, side, hex_id) for hex_id in hexes):
            return side
    return None


def _mandates_holder(state: State, holder: Side) -> Side | None:
    """Return the holder of the Mandates.

    If the holder lacks supply, return the side that held them at the start (OPS-6).
    """
    own_hexes = (
        hex_id
        for hex_id in area_of(state.options, MANDATES).control_hexes
        if controls(state, holder, hex_id)
    )
    if all(counts_for(state, holder, hex_id) for hex_id in own_hexes):
        return holder
    if scenario(ScenarioId(state.scenario)).politics.japan_holds_mandates:
        return Side.JAPAN
    return key_holder_at_start(state)


def key_holder_at_start(state: State) -> Side | None:
    """Return the side that controlled both Mandates key hexes at the start, or None if no side did (13.84)."""
    holders = {
        state.control_at_start[hex_id] for hex_id in area_of(state.options, MANDATES).control_hexes
    }
    return holders.pop() if len(holders) == 1 else None


def ports_near(centre: HexId, hexes: int) -> tuple[HexId, ...]:
    """Return the ports within the given distance of a hex, in ascending order (17.38Q, 17.48P)."""
    map_ = board()
    hexes_in_range = map_.within(map_.index[centre], hexes)
    return tuple(map_.ids[i] for i in hexes_in_range if map_.is_port[i])

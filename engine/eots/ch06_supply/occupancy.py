"""Occupation and control, as sets of hexes (0.4, 6.5, 13.75, 13.76, 13.94)."""

from collections.abc import Mapping
from functools import cache
from typing import Final

import msgspec

from engine.eots.board import board
from engine.eots.ch06_supply.bitsets import Bits, BoardBitsets, bitsets_in_play, controlled_by
from engine.eots.ch06_supply.deployment import Deployment, deployment
from engine.eots.ids import PLAYERS, AreaId, HexId, Side
from engine.eots.state import State
from engine.kernel.memo import Memo

KUNMING_AREA: Final = AreaId("kunming-area")
INTRINSIC_CHINA: Final = AreaId("intrinsic-china")
JAPANESE_ISLANDS: Final = AreaId("japanese-islands")


class Occupancy(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Occupied and controlled hexes by side."""

    bitsets: BoardBitsets
    deployment: Deployment
    intrinsic: Bits
    """Hexes with Japanese intrinsic units (13.76, 13.94)."""
    controlled: Mapping[Side, Bits]
    armed: Mapping[Side, Bits]
    """Hexes that block enemy ground movement (0.4, 13.75)."""
    solely_occupied: Mapping[Side, Bits]
    """Hexes in which only this side has ground units, air units or HQs. Naval units are ignored (0.4)."""
    anyone: Mapping[Side, Bits]
    """Hexes with any unit, including intrinsic units. Kunming and its neighbours count as Allied (13.75)."""


_CONTROL: Final = Memo[Mapping[Side, Bits]](32)
_MEMO: Final = Memo[Occupancy](64)


@cache
def kunming_area() -> frozenset[HexId]:
    """Return Kunming and its neighbours, which are always Allied-controlled and occupied (13.75)."""
    return frozenset(board().areas[KUNMING_AREA].hexes)


@cache
def intrinsic_china() -> frozenset[HexId]:
    """Return the hexes that have intrinsic units while Japan controls them (13.76)."""
    return frozenset(board().areas[INTRINSIC_CHINA].hexes)


@cache
def home_cities() -> frozenset[HexId]:
    """Return the home island cities. Each has an intrinsic unit until the Allies take it (13.94)."""
    return frozenset(board().areas[JAPANESE_ISLANDS].cities)


@cache
def kunming_bits(bitsets: BoardBitsets) -> Bits:
    """Return Kunming and its neighbours as a hex set (13.75)."""
    return bitsets.from_hexes(board().areas[KUNMING_AREA].hexes)


def _controlled(state: State, bitsets: BoardBitsets) -> Mapping[Side, Bits]:
    allied = controlled_by(bitsets, state, Side.ALLIED) | kunming_bits(bitsets)
    return {Side.ALLIED: allied, Side.JAPAN: controlled_by(bitsets, state, Side.JAPAN) & ~allied}


def controlled_hexes(state: State) -> Mapping[Side, Bits]:
    """Return the hexes that each side controls (6.5, 13.75). Results are cached."""
    bitsets = bitsets_in_play(state)
    return _CONTROL.get(state, (state.control, bitsets), lambda: _controlled(state, bitsets))


@cache
def _garrisons(bitsets: BoardBitsets) -> Bits:
    return bitsets.from_hexes((*intrinsic_china(), *home_cities()))


def _intrinsic(state: State, bitsets: BoardBitsets, japan: Bits) -> Bits:
    return _garrisons(bitsets) & ~bitsets.from_hexes(state.tracks.cities_taken) & japan


def _occupancy(state: State, bitsets: BoardBitsets) -> Occupancy:
    deployment_now = deployment(state)
    controlled = controlled_hexes(state)
    intrinsic = _intrinsic(state, bitsets, controlled[Side.JAPAN])
    kunming = kunming_bits(bitsets)
    extra_zones = {Side.ALLIED: kunming, Side.JAPAN: intrinsic}
    armed = {side: deployment_now.armed[side] | extra_zones[side] for side in PLAYERS}
    return Occupancy(
        bitsets=bitsets,
        deployment=deployment_now,
        intrinsic=intrinsic,
        controlled=controlled,
        armed=armed,
        solely_occupied={side: armed[side] & ~armed[side.enemy] for side in PLAYERS},
        anyone={side: deployment_now.anyone[side] | extra_zones[side] for side in PLAYERS},
    )


def occupancy(state: State) -> Occupancy:
    """Return a position's occupancy. Results are cached by the identity of the units, control and tracks."""
    cached_occupancy = _MEMO.result_for(state)
    if cached_occupancy is not None:
        return cached_occupancy
    bitsets = bitsets_in_play(state)
    key = (state.units, state.control, state.tracks, bitsets)
    return _MEMO.store(state, _MEMO.get(state, key, lambda: _occupancy(state, bitsets)))

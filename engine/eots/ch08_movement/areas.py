"""Hexes that a unit may never enter (8.35, 8.41, 13.61, 13.71, 13.75, 13.91)."""

from collections.abc import Iterator
from functools import cache
from typing import Final

from engine.eots.board import board
from engine.eots.ch06_supply.bitsets import Bits, BoardBitsets
from engine.eots.counters import Counter
from engine.eots.ids import AreaId, HexId, Nationality, Side, Terrain
from engine.kernel.ids import Refusal, Rule

AIR_FERRY: Final = HexId("5408")
"""The air ferry: a hex without land in which Allied air units may stop on their way (8.35)."""
PORT_MORESBY: Final = HexId("3823")
"""The only mountain hex where landings are possible (8.1, 8.45)."""
_CHINESE_GROUND: Final = (AreaId("burma"), AreaId("northern-india"), AreaId("kunming-area"))
_CLOSED_AREA: Final = AreaId("manchukuo")
_SOVIET: Final = AreaId("soviet-territory")
_CHINA_INTERIOR: Final = AreaId("china-interior")
_KUNMING: Final = AreaId("kunming-area")
_CONTINENTAL_INDIA: Final = AreaId("continental-india")
NORTHERN_INDIA: Final = AreaId("northern-india")


@cache
def area_bits(bitsets: BoardBitsets, area: AreaId) -> Bits:
    """Return the hexes of a rule area."""
    return bitsets.from_hexes(board().areas[area].hexes)


@cache
def enterable_hexes(bitsets: BoardBitsets) -> Bits:
    """Return the hexes that units can enter. In the South Pacific game, these are the hexes of its sheet (17.10)."""
    return bitsets.from_indexes(
        i for i, neighbour_ids in enumerate(bitsets.board.neighbours) if neighbour_ids
    )


@cache
def ferry_bit(bitsets: BoardBitsets) -> Bits:
    """Return the hex of the air ferry; empty on a sheet without it (8.35)."""
    return bitsets.bit_by_id[AIR_FERRY] & enterable_hexes(bitsets)


@cache
def closed_to_ships(bitsets: BoardBitsets) -> Bits:
    """Return the hexes that no ship may enter (13.91)."""
    return area_bits(bitsets, _CLOSED_AREA)


@cache
def closed_to_troops(bitsets: BoardBitsets) -> Bits:
    """Return the hexes that no ground unit may enter, even at sea (8.41C, 13.91)."""
    return area_bits(bitsets, _CLOSED_AREA) | area_bits(bitsets, _SOVIET)


@cache
def closed_to_air(bitsets: BoardBitsets) -> Bits:
    """Return the hexes that no air unit may enter (8.41C, 13.71, 13.91)."""
    return (
        area_bits(bitsets, _CLOSED_AREA)
        | area_bits(bitsets, _SOVIET)
        | area_bits(bitsets, _CHINA_INTERIOR)
    )


@cache
def _barriers(
    bitsets: BoardBitsets, side: Side, nationality: Nationality
) -> tuple[tuple[Rule, Bits], ...]:
    """Return each rule that restricts ground units of a nationality, with the hexes that it closes to them."""
    barriers = {"8.41C": area_bits(bitsets, _SOVIET), "13.91": area_bits(bitsets, _CLOSED_AREA)}
    interior = area_bits(bitsets, _CHINA_INTERIOR)
    if nationality is Nationality.CHINA:
        own_barriers = 0
        for area in _CHINESE_GROUND:
            own_barriers |= area_bits(bitsets, area)
        barriers["8.41E"] = bitsets.from_indexes(range(len(bitsets.bit_by_index))) & ~own_barriers
    elif side is Side.JAPAN:
        barriers["8.41A"] = interior
        barriers["13.75"] = area_bits(bitsets, _KUNMING)
        barriers["8.41B"] = area_bits(bitsets, _CONTINENTAL_INDIA)
    else:
        barriers["8.41D"] = interior
    return tuple((Rule(number), hexes) for number, hexes in barriers.items())


@cache
def _closed_to_ground(bitsets: BoardBitsets, side: Side, nationality: Nationality) -> Bits:
    closed_hexes = 0
    for _, hexes in _barriers(bitsets, side, nationality):
        closed_hexes |= hexes
    return closed_hexes


def closed_to_ground(bitsets: BoardBitsets, counter: Counter) -> Bits:
    """Return the hexes that a ground unit may not enter (8.41, 13.61, 13.71, 13.91)."""
    return _closed_to_ground(bitsets, counter.side, counter.nationality)


def entry_refusals(bitsets: BoardBitsets, counter: Counter, destination: str) -> Iterator[Refusal]:
    """Yield the rules that forbid a ground unit from entering a hex (8.41, 13.61, 13.71, 13.91)."""
    for rule, hexes in _barriers(bitsets, counter.side, counter.nationality):
        if hexes & bitsets.bit_by_id.get(destination, 0):
            yield Refusal(rule, f"{counter.id} may not enter {destination}")


def _is_closed_shore(hex_id: HexId, terrain: Terrain) -> bool:
    return terrain is Terrain.MOUNTAIN and hex_id != PORT_MORESBY


@cache
def landing_hexes(bitsets: BoardBitsets) -> Bits:
    """Return the hexes whose terrain allows landings: coastal hexes other than mountains, plus Port Moresby (8.45)."""
    hexes = 0
    for hex_id, row in bitsets.board.hexes.items():
        if row.is_coastal and row.naval_access:
            hexes |= 0 if _is_closed_shore(hex_id, row.terrain) else bitsets.bit_by_id[hex_id]
    return hexes & enterable_hexes(bitsets)


@cache
def coastal_hexes(bitsets: BoardBitsets) -> Bits:
    """Return the coastal hexes that ships can enter or leave (0.4)."""
    map_ = bitsets.board
    return bitsets.from_indexes(
        row.index
        for row in map_.hexes.values()
        if row.is_coastal and row.naval_access and map_.is_in_play[row.index]
    )

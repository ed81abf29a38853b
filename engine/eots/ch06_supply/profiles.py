"""Supply rules that depend on a unit's nation: which HQs supply it, and where its overland range may go.

See 6.12, 8.41 and OP-4.
"""

from enum import StrEnum
from functools import cache
from typing import NamedTuple

from engine.eots.board import board
from engine.eots.ch06_supply.bitsets import Bits, BoardBitsets, all_hexes
from engine.eots.counters import Counter, command_over, counters
from engine.eots.ids import ActivationNation, AreaId, Nationality, Side, UnitId


class Mover(StrEnum):
    """Classes of units whose overland range may enter different hexes, based on 8.41 (OP-4)."""

    JAPAN_GROUND = "japan-ground"
    CHINA_GROUND = "china-ground"
    OTHER = "other"
    """All other units. 8.41D does not matter for them, because Kunming supplies every Allied unit (13.75, OP-4)."""


class Profile(NamedTuple):
    """The properties that determine whether a unit is in supply at a place (6.12, 6.21)."""

    nation: ActivationNation
    is_air: bool
    mover: Mover


@cache
def overland_mover(counter: Counter) -> Mover:
    """Return the class that determines which hexes a unit's overland range may enter (8.41, OP-4)."""
    if not counter.is_ground:
        return Mover.OTHER
    if counter.side is Side.JAPAN:
        return Mover.JAPAN_GROUND
    if counter.nationality is Nationality.CHINA:
        return Mover.CHINA_GROUND
    return Mover.OTHER


@cache
def profile(unit: UnitId) -> Profile:
    """Return the profile of a unit that is not an HQ."""
    counter = counters()[unit]
    return Profile(counter.activation_nation, counter.is_air, overland_mover(counter))


@cache
def allowed_hexes(bitsets: BoardBitsets, mover: Mover) -> Bits:
    """Return the hexes that the overland range of a class of units may enter (8.41, 13.91)."""
    areas = board().areas

    def bits(*names: str) -> Bits:
        return bitsets.from_hexes(hex_id for name in names for hex_id in areas[AreaId(name)].hexes)

    barred_hexes = bits("soviet-territory", "manchukuo")  # 8.41C, 13.91
    match mover:
        case Mover.JAPAN_GROUND:
            barred_hexes |= bits("continental-india", "china-interior")  # 8.41A, B
        case Mover.CHINA_GROUND:
            return bits("burma", "northern-india", "kunming-area")  # 8.41E
        case Mover.OTHER:
            pass
    return all_hexes(bitsets) & ~barred_hexes


@cache
def can_command(hq: ActivationNation, unit: Profile) -> bool:
    """Return whether a nation's HQs may supply a unit (6.12)."""
    word = command_over(hq, unit.nation)
    return word == "all" or (word == "air-only" and unit.is_air)

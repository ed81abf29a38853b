"""Zones of influence of given air units and carriers (6.4)."""

from collections.abc import Mapping
from functools import cache, lru_cache

from engine.eots.ch06_supply.bitmap import Bitmap, Bits
from engine.eots.counters import counters
from engine.eots.ids import HexId, Side, UnitId


@cache
def is_neutralising(unit: UnitId) -> bool:
    """Return whether a unit's zone neutralises the enemy's: every air unit and carrier but the LRBs (6.4)."""
    return not counters()[unit].lrb


@cache
def is_air_capable(unit: UnitId) -> bool:
    """Return whether a unit is an air unit or carrier (6.4)."""
    return counters()[unit].is_air_capable


@cache
def _kind(unit: UnitId) -> tuple[int, bool]:
    """Return 0 for an Allied and 1 for a Japanese unit, and whether its zone neutralises."""
    return int(counters()[unit].side is Side.JAPAN), is_neutralising(unit)


def _by_side(hexes: list[Bits], loud: list[bool]) -> dict[Side, Bits]:
    allied, japan = (zone if counts else 0 for zone, counts in zip(hexes, loud, strict=True))
    return {Side.ALLIED: allied, Side.JAPAN: japan}


class Zoi:
    """Zones of influence of both sides.

    Args:
        ground: The board.
        at: Projecting units with their hexes.
        new: Units that project but do not neutralise yet (10.11-7, 11.0-4).
        silent: Sides whose units neither project nor neutralise (6.4).
    """

    __slots__ = ("at", "exerted", "ground", "neutral", "new", "open", "silent")

    def __init__(
        self,
        ground: Bitmap,
        at: Mapping[UnitId, HexId],
        new: frozenset[UnitId] = frozenset(),
        silent: tuple[Side, ...] = (),
    ) -> None:
        """Unite the zones."""
        self.ground = ground
        self.at = at
        self.new = new
        self.silent = silent
        around = ground.around
        exerted, neutral = [0, 0], [0, 0]
        for unit, place in at.items():
            number, neutralises = _kind(unit)
            zone = around[place]
            exerted[number] |= zone
            if neutralises and unit not in new:
                neutral[number] |= zone
        sides = [side not in silent for side in (Side.ALLIED, Side.JAPAN)]
        self.exerted: dict[Side, Bits] = _by_side(exerted, sides)
        self.neutral: dict[Side, Bits] = _by_side(neutral, sides)
        self.open: dict[Side, Bits] = self._unneutralised()
        """Unneutralised zones."""

    def _add(self, unit: UnitId, place: str) -> None:
        side = counters()[unit].side
        if side in self.silent:
            return
        zone = self.ground.around[place]
        self.exerted[side] |= zone
        if is_neutralising(unit) and unit not in self.new:
            self.neutral[side] |= zone

    def _unneutralised(self) -> dict[Side, Bits]:
        allied, japan = Side.ALLIED, Side.JAPAN
        return {
            allied: self.exerted[allied] & ~self.neutral[japan],
            japan: self.exerted[japan] & ~self.neutral[allied],
        }

    def plus(self, units: tuple[UnitId, ...], place: str) -> "Zoi":
        """Return the zones if these air-capable units stood in a hex as well."""
        found = Zoi(self.ground, {}, self.new, self.silent)
        found.exerted, found.neutral = dict(self.exerted), dict(self.neutral)
        for unit in units:
            found._add(unit, place)
        found.at = {**self.at, **dict.fromkeys(units, HexId(place))}
        found.open = found._unneutralised()
        return found

    def covers(self, side: Side, index: int) -> bool:
        """Return whether a hex index lies in the ZOI of a side, neutralised or not (6.4)."""
        return bool(self.exerted[side] & self.ground.one[index])

    def unneutralised(self, side: Side, index: int) -> bool:
        """Return whether a hex index lies in the ZOI of a side and the enemy does not neutralise it (6.4)."""
        return bool(self.open[side] & self.ground.one[index])

    def without(self, units: tuple[UnitId, ...]) -> "Zoi":
        """Return the zones if these units projected nothing; remembered."""
        return _without(self, units)

    def passing(self, units: tuple[UnitId, ...], place: str) -> "Zoi":
        """Return the zones if these air-capable units stood in a hex as well; remembered."""
        return _passing(self, units, place)


@lru_cache(maxsize=256)
def _without(zoi: Zoi, gone: tuple[UnitId, ...]) -> Zoi:
    at = {unit: place for unit, place in zoi.at.items() if unit not in gone}
    return zoi if len(at) == len(zoi.at) else Zoi(zoi.ground, at, zoi.new, zoi.silent)


@lru_cache(maxsize=2048)
def _passing(zoi: Zoi, units: tuple[UnitId, ...], place: str) -> Zoi:
    return zoi.plus(units, place)

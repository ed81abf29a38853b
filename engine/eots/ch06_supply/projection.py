"""Zones of influence of given air units and carriers (6.4)."""

from collections.abc import Iterable, Mapping
from functools import cache, lru_cache, reduce
from itertools import filterfalse
from operator import or_

from engine.eots.ch06_supply.bitmap import Bitmap, Bits
from engine.eots.counters import counters
from engine.eots.ids import PLAYERS, HexId, Side, UnitId

Fliers = Mapping[UnitId, HexId]


@cache
def is_air_capable(unit: UnitId) -> bool:
    """Return whether a unit is an air unit or carrier (6.4)."""
    return counters()[unit].is_air_capable


@cache
def _long_range() -> frozenset[UnitId]:
    """Return the units whose zone never neutralises the enemy's: the LRBs (6.4)."""
    return frozenset(unit for unit, counter in counters().items() if counter.lrb)


def is_neutralising(unit: UnitId) -> bool:
    """Return whether a unit's zone neutralises the enemy's: every air unit and carrier but the LRBs (6.4)."""
    return unit not in _long_range()


def _united(zones: Iterable[Bits]) -> Bits:
    return reduce(or_, zones, 0)


class Zoi:
    """Zones of influence of both sides.

    Args:
        ground: The board.
        fliers: Projecting units with their hexes, by side.
        new: Units that project but do not neutralise yet (10.11-7, 11.0-4).
        silent: Sides whose units neither project nor neutralise (6.4).
    """

    __slots__ = ("at", "exerted", "fliers", "ground", "mute", "neutral", "open", "silent")

    def __init__(
        self,
        ground: Bitmap,
        fliers: Mapping[Side, Fliers],
        new: frozenset[UnitId] = frozenset(),
        silent: tuple[Side, ...] = (),
    ) -> None:
        """Unite the zones."""
        self.ground = ground
        self.fliers = fliers
        self.at: Fliers = {**fliers[Side.ALLIED], **fliers[Side.JAPAN]}
        self.silent = silent
        self.mute = mute = _long_range() | new
        """Units that do not neutralise."""
        around = ground.around
        loud = {side: {} if side in silent else fliers[side] for side in PLAYERS}
        self.exerted: dict[Side, Bits] = {
            side: _united(map(around.__getitem__, dict.fromkeys(at.values())))
            for side, at in loud.items()
        }
        self.neutral: dict[Side, Bits] = {
            side: _united(
                map(around.__getitem__, map(at.__getitem__, filterfalse(mute.__contains__, at)))
            )
            for side, at in loud.items()
        }
        self.open: dict[Side, Bits] = self._unneutralised()
        """Unneutralised zones."""

    def _unneutralised(self) -> dict[Side, Bits]:
        allied, japan = Side.ALLIED, Side.JAPAN
        return {
            allied: self.exerted[allied] & ~self.neutral[japan],
            japan: self.exerted[japan] & ~self.neutral[allied],
        }

    def plus(self, units: tuple[UnitId, ...], place: str) -> "Zoi":
        """Return the zones if these air-capable units stood in a hex as well."""
        fliers = {side: dict(at) for side, at in self.fliers.items()}
        for unit in units:
            fliers[counters()[unit].side][unit] = HexId(place)
        found = Zoi(self.ground, fliers, self.mute, PLAYERS)
        found.silent = self.silent
        found.exerted, found.neutral = dict(self.exerted), dict(self.neutral)
        for unit in units:
            found._add(unit, place)
        found.open = found._unneutralised()
        return found

    def _add(self, unit: UnitId, place: str) -> None:
        side = counters()[unit].side
        if side in self.silent:
            return
        zone = self.ground.around[place]
        self.exerted[side] |= zone
        if unit not in self.mute:
            self.neutral[side] |= zone

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
    if zoi.at.keys().isdisjoint(gone):
        return zoi
    left = {
        side: {unit: place for unit, place in at.items() if unit not in gone}
        for side, at in zoi.fliers.items()
    }
    return Zoi(zoi.ground, left, zoi.mute, zoi.silent)


@lru_cache(maxsize=2048)
def _passing(zoi: Zoi, units: tuple[UnitId, ...], place: str) -> Zoi:
    return zoi.plus(units, place)

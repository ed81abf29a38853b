"""The zones of influence that a given set of air units and carriers projects (6.4)."""

from collections.abc import Iterable, Mapping
from functools import cache, lru_cache, reduce
from itertools import filterfalse
from operator import or_

from engine.eots.ch06_supply.bitmap import Bitmap, Bits
from engine.eots.counters import counters
from engine.eots.ids import PLAYERS, HexId, Side, UnitId

AirUnitLocations = Mapping[UnitId, HexId]


@cache
def is_air_capable(unit: UnitId) -> bool:
    """Return whether a unit is an air unit or a carrier (6.4)."""
    return counters()[unit].is_air_capable


@cache
def _long_range() -> frozenset[UnitId]:
    """Return the LRBs, whose zones never neutralise enemy zones (6.4)."""
    return frozenset(unit for unit, counter in counters().items() if counter.lrb)


def is_neutralising(unit: UnitId) -> bool:
    """Return whether a unit's zone neutralises enemy zones. Every air-capable unit's does, except an LRB's (6.4)."""
    return unit not in _long_range()


def _union_zones(zones: Iterable[Bits]) -> Bits:
    return reduce(or_, zones, 0)


class Zoi:
    """The zones of influence of both sides.

    Args:
        ground: The board.
        fliers: Units that project a zone, with their hexes, by side.
        new: Units that project but do not neutralise yet (10.11-7, 11.0-4).
        silent: Sides whose units neither project nor neutralise (6.4).
    """

    __slots__ = ("at", "exerted", "fliers", "ground", "mute", "neutral", "open", "silent")

    def __init__(
        self,
        ground: Bitmap,
        fliers: Mapping[Side, AirUnitLocations],
        new: frozenset[UnitId] = frozenset(),
        silent: tuple[Side, ...] = (),
    ) -> None:
        """Compute the union of each side's zones."""
        self.ground = ground
        self.fliers = fliers
        self.at: AirUnitLocations = {**fliers[Side.ALLIED], **fliers[Side.JAPAN]}
        self.silent = silent
        self.mute = mute = _long_range() | new
        """Units that do not neutralise enemy zones."""
        around = ground.around
        loud = {side: {} if side in silent else fliers[side] for side in PLAYERS}
        self.exerted: dict[Side, Bits] = {
            side: _union_zones(map(around.__getitem__, dict.fromkeys(at.values())))
            for side, at in loud.items()
        }
        self.neutral: dict[Side, Bits] = {
            side: _union_zones(
                map(around.__getitem__, map(at.__getitem__, filterfalse(mute.__contains__, at)))
            )
            for side, at in loud.items()
        }
        self.open: dict[Side, Bits] = self._unneutralised()
        """Zones that the enemy does not neutralise."""

    def _unneutralised(self) -> dict[Side, Bits]:
        allied, japan = Side.ALLIED, Side.JAPAN
        return {
            allied: self.exerted[allied] & ~self.neutral[japan],
            japan: self.exerted[japan] & ~self.neutral[allied],
        }

    def with_units(self, units: tuple[UnitId, ...], place: str) -> "Zoi":
        """Return the zones as if these air-capable units were also in the given hex."""
        fliers = {side: dict(at) for side, at in self.fliers.items()}
        for unit in units:
            fliers[counters()[unit].side][unit] = HexId(place)
        zoi = Zoi(self.ground, fliers, self.mute, PLAYERS)
        zoi.silent = self.silent
        zoi.exerted, zoi.neutral = dict(self.exerted), dict(self.neutral)
        for unit in units:
            zoi._add_unit(unit, place)
        zoi.open = zoi._unneutralised()
        return zoi

    def _add_unit(self, unit: UnitId, place: str) -> None:
        side = counters()[unit].side
        if side in self.silent:
            return
        zone = self.ground.around[place]
        self.exerted[side] |= zone
        if unit not in self.mute:
            self.neutral[side] |= zone

    def covers(self, side: Side, index: int) -> bool:
        """Return whether a hex index is in a side's ZOI, neutralised or not (6.4)."""
        return bool(self.exerted[side] & self.ground.one[index])

    def unneutralised(self, side: Side, index: int) -> bool:
        """Return whether a hex index is in a side's ZOI that the enemy does not neutralise (6.4)."""
        return bool(self.open[side] & self.ground.one[index])

    def without_units(self, units: tuple[UnitId, ...]) -> "Zoi":
        """Return the zones as if these units projected none; cached."""
        return _without(self, units)

    def with_passing_units(self, units: tuple[UnitId, ...], place: str) -> "Zoi":
        """Return the zones as if these air-capable units were also in the given hex; cached."""
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
    return zoi.with_units(units, place)

"""The zones of influence that a given set of air units and carriers projects (6.4)."""

from collections.abc import Iterable, Mapping
from functools import cache, lru_cache, reduce
from itertools import filterfalse
from operator import or_

from engine.eots.ch06_supply.bitsets import Bits, BoardBitsets
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
    """Return whether an air-capable unit's zone neutralises enemy zones. LRB zones never do (6.4)."""
    return unit not in _long_range()


def _union_zones(zones: Iterable[Bits]) -> Bits:
    return reduce(or_, zones, 0)


class Zoi:
    """The zones of influence of both sides.

    Args:
        bitsets: The board.
        fliers: Units that project a zone, with their hexes, by side.
        new: Units that project a zone but do not neutralise enemy zones yet (10.11-7, 11.0-4).
        silent: Sides whose units project no zones (6.4).
    """

    __slots__ = (
        "bitsets",
        "exerted",
        "flier_hexes",
        "fliers",
        "neutral",
        "non_neutralising",
        "open_zones",
        "silent_sides",
    )

    def __init__(
        self,
        bitsets: BoardBitsets,
        fliers: Mapping[Side, AirUnitLocations],
        new_units: frozenset[UnitId] = frozenset(),
        silent_sides: tuple[Side, ...] = (),
    ) -> None:
        """Compute the union of each side's zones."""
        self.bitsets = bitsets
        self.fliers = fliers
        self.flier_hexes: AirUnitLocations = {**fliers[Side.ALLIED], **fliers[Side.JAPAN]}
        self.silent_sides = silent_sides
        self.non_neutralising = mute = _long_range() | new_units
        """Units that do not neutralise enemy zones."""
        around = bitsets.around
        projecting = {side: {} if side in silent_sides else fliers[side] for side in PLAYERS}
        self.exerted: dict[Side, Bits] = {
            # Air units in the same hex have the same zone, so look at each hex only once.
            side: _union_zones(map(around.__getitem__, dict.fromkeys(locations.values())))
            for side, locations in projecting.items()
        }
        self.neutral: dict[Side, Bits] = {
            side: _union_zones(
                map(
                    around.__getitem__,
                    map(locations.__getitem__, filterfalse(mute.__contains__, locations)),
                )
            )
            for side, locations in projecting.items()
        }
        self.open_zones: dict[Side, Bits] = self._unneutralised_hexes()
        """Zones that the enemy does not neutralise."""

    def _unneutralised_hexes(self) -> dict[Side, Bits]:
        allied, japan = Side.ALLIED, Side.JAPAN
        return {
            allied: self.exerted[allied] & ~self.neutral[japan],
            japan: self.exerted[japan] & ~self.neutral[allied],
        }

    def with_units(self, units: tuple[UnitId, ...], place: str) -> "Zoi":
        """Return the zones with these air-capable units added in the given hex."""
        fliers = {side: dict(locations) for side, locations in self.fliers.items()}
        for unit in units:
            fliers[counters()[unit].side][unit] = HexId(place)
        # Passing both sides as silent keeps the constructor from computing the sets copied below.
        zoi = Zoi(self.bitsets, fliers, self.non_neutralising, PLAYERS)
        zoi.silent_sides = self.silent_sides
        zoi.exerted, zoi.neutral = dict(self.exerted), dict(self.neutral)
        for unit in units:
            zoi._add_unit(unit, place)
        zoi.open_zones = zoi._unneutralised_hexes()
        return zoi

    def _add_unit(self, unit: UnitId, place: str) -> None:
        side = counters()[unit].side
        if side in self.silent_sides:
            return
        zone = self.bitsets.around[place]
        self.exerted[side] |= zone
        if unit not in self.non_neutralising:
            self.neutral[side] |= zone

    def covers(self, side: Side, index: int) -> bool:
        """Return whether a hex index is in a side's ZOI, even if that ZOI is neutralised (6.4)."""
        return bool(self.exerted[side] & self.bitsets.bit_by_index[index])

    def is_unneutralised(self, side: Side, index: int) -> bool:
        """Return whether a hex index is in a side's ZOI that the enemy does not neutralise (6.4)."""
        return bool(self.open_zones[side] & self.bitsets.bit_by_index[index])

    def without_units(self, units: tuple[UnitId, ...]) -> "Zoi":
        """Return the zones that would exist if these units projected none. Results are cached."""
        return _zoi_without(self, units)

    def with_passing_units(self, units: tuple[UnitId, ...], place: str) -> "Zoi":
        """Return the zones with these air-capable units added in the given hex.

        Results are cached.
        """
        return _with_passing_units(self, units, place)


@lru_cache(maxsize=256)
def _zoi_without(zoi: Zoi, removed_units: tuple[UnitId, ...]) -> Zoi:
    if zoi.flier_hexes.keys().isdisjoint(removed_units):
        return zoi
    remaining_items = {
        side: {unit: place for unit, place in locations.items() if unit not in removed_units}
        for side, locations in zoi.fliers.items()
    }
    return Zoi(zoi.bitsets, remaining_items, zoi.non_neutralising, zoi.silent_sides)


@lru_cache(maxsize=2048)
def _with_passing_units(zoi: Zoi, units: tuple[UnitId, ...], place: str) -> Zoi:
    return zoi.with_units(units, place)

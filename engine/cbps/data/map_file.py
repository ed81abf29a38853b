"""The schema of `map.json`: hexes with section, zone, arrival and labels, zone compasses, and bases (2.11, 2.13)."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal, TypeAlias

import msgspec

from engine.cbps.charts.chart import Small
from engine.cbps.charts.results import ArrivalZone
from engine.cbps.ids import Direction

FILE: Final = "map.json"
HexId: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^\d{4}$", max_length=4)]
"""Row and column, two digits each. Row numbers increase southward and column numbers westward."""
Source: TypeAlias = Literal["seed", "historical", "reconstructed", "printed"]
Sources: TypeAlias = Source | Mapping[str, Source]
"""The origin of a record's values: one for the whole record, or one for each field."""
Section: TypeAlias = Literal["E", "W"]
OilGroup: TypeAlias = Literal["Oil-1", "Oil-2", "Oil-3"]
Face: TypeAlias = Literal["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"]


class SourcedRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base class of records that state their source."""

    src: Sources = "printed"
    note: str = ""

    def is_reconstructed(self, field: str) -> bool:
        """Return whether a field was reconstructed because the printed component was not available."""
        source = self.src.get(field) if isinstance(self.src, Mapping) else self.src
        return source == "reconstructed"


class Scale(SourcedRow, frozen=True, kw_only=True):
    """The size of a map hex (2.1)."""

    value: Small


class Extent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The first and last row, or the first and last column."""

    first: Literal[1]
    last: Annotated[int, msgspec.Meta(ge=2, le=99)]


class GridRow(SourcedRow, frozen=True, kw_only=True):
    """The extent of the map in rows and columns."""

    rows: Extent
    cols: Extent


class IslandRow(SourcedRow, frozen=True, kw_only=True):
    """An island hex (2.12)."""

    name: str
    size: Literal["large", "minor"] = msgspec.field(name="class")


class BaseRow(SourcedRow, frozen=True, kw_only=True):
    """A Japanese land base (11.1)."""

    id: Literal["GUAM", "YAP", "IWO"]
    name: str
    hex: HexId | None
    """Hex of the base, or None if the base is off the map."""
    launches_raids: bool
    activation_chit: Literal["Guam", "Yap/Peleliu", "Iwo Jima"]
    reinforcement_origin_hex: HexId | None = None


class ZoneRow(SourcedRow, frozen=True, kw_only=True):
    """A movement zone with its compass (7.22)."""

    id: str
    name: str
    compass: Mapping[Face, Direction]

    def direction_for_die(self, die: int) -> Direction:
        """Return the direction for a die face."""
        return next(way for face, way in self.compass.items() if int(face) == die)


class InvasionRow(SourcedRow, frozen=True, kw_only=True):
    """The invasion zone (7.21, 7.23)."""

    zone: str
    exit_direction: Literal["E"]
    contains_island: HexId


class ArrivalZoneRow(SourcedRow, frozen=True, kw_only=True):
    """An arrival zone. Each hex in the zone stores its own number (7.13)."""

    id: ArrivalZone
    where: str


class ArrivalRow(SourcedRow, frozen=True, kw_only=True):
    """The four zones in which Japanese forces arrive."""

    zones: tuple[ArrivalZoneRow, ...]


class OilRow(SourcedRow, frozen=True, kw_only=True):
    """The groups of oil hexes. Each oil hex names its group (20.3)."""

    groups: tuple[OilGroup, ...]


class HexRow(SourcedRow, frozen=True, kw_only=True):
    """One hex of the map."""

    section: Section
    zone: str
    island: str | None = None
    arrival: tuple[ArrivalZone, Annotated[int, msgspec.Meta(ge=1, le=10)]] | None = None
    """The arrival zone and the number of the hex in it."""
    oil: OilGroup | None = None


class MapFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The contents of `map.json`."""

    format: Literal["cbps-map/1"]
    title: str
    scale_nm_per_hex: Scale
    grid: GridRow
    islands: tuple[IslandRow, ...]
    land_bases: tuple[BaseRow, ...]
    movement_zones: tuple[ZoneRow, ...]
    invasion_zone: InvasionRow
    arrival: ArrivalRow
    oil: OilRow
    hexes_src: Sources
    """The default source of each hex field, for hexes that do not state their own."""
    hexes: Mapping[HexId, HexRow]

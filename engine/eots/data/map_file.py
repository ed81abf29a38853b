"""Schema of `map.json`. README.md in the same directory explains the keys."""

from typing import Literal

import msgspec

from engine.eots.ids import (
    AreaId,
    CityKind,
    HexId,
    HexKind,
    NationId,
    RouteEvent,
    RouteKind,
    RulingId,
    Terrain,
)

FILE = "map.json"

SideWord = Literal["land", "water", "both", "unplayable", "edge"]
Direction = Literal["N", "NE", "SE", "S", "SW", "NW"]


class SidesRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """For each side of a hex, what can cross it (0.3)."""

    north: SideWord = msgspec.field(name="N")
    north_east: SideWord = msgspec.field(name="NE")
    south_east: SideWord = msgspec.field(name="SE")
    south: SideWord = msgspec.field(name="S")
    south_west: SideWord = msgspec.field(name="SW")
    north_west: SideWord = msgspec.field(name="NW")

    def clockwise(self) -> tuple[SideWord, ...]:
        """Return the values of the six sides, clockwise from north."""
        return (
            self.north,
            self.north_east,
            self.south_east,
            self.south,
            self.south_west,
            self.north_west,
        )


class HexRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One hex, as stored in the file."""

    terrain: Terrain
    kind: HexKind
    sides: SidesRow
    naval_access: bool = False
    """True if the hex is a land hex with at least one hexside that ships can cross (0.4)."""
    name: str | None = None
    names: tuple[str, ...] = ()
    port: bool = False
    airfield: bool = False
    resource: bool = False
    city: CityKind | None = None
    landmass: str | None = None
    """Name of the land mass that contains the hex; None for ocean."""
    region: str | None = None
    nation: NationId | None = None
    group: tuple[str, ...] = ()
    japanese_empire: bool | Literal["partial"] = False
    special: tuple[str, ...] = ()


class RouteRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One hexside of a transport route, between two adjacent hexes."""

    hexes: tuple[HexId, HexId]
    kind: RouteKind
    side: Direction
    event: RouteEvent | None = None


class BorderSide(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A hexside: its two hexes, and the direction from the first to the second. The second may be off the map."""

    hexes: tuple[HexId, HexId]
    side: Direction


class BorderRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A printed border."""

    name: str
    style: str
    sides: tuple[BorderSide, ...]
    note: str = ""


class AlternativeRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Changes to a rule area under the alternative reading of a ruling."""

    why: str
    add: tuple[HexId, ...] = ()
    remove: tuple[HexId, ...] = ()
    path: tuple[HexId, ...] = ()
    cities: tuple[HexId, ...] = ()


class AreaRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One rule area, as stored in the file."""

    rule: str
    name: str
    hexes: tuple[HexId, ...]
    ports: tuple[HexId, ...] = ()
    airfields: tuple[HexId, ...] = ()
    resources: tuple[HexId, ...] = ()
    cities: tuple[HexId, ...] = ()
    control_hexes: tuple[HexId, ...] = ()
    """Hexes whose control decides on the area's surrender or change of control; empty if no rule does this."""
    parts: tuple[AreaId, ...] = ()
    named: tuple[HexId, ...] = ()
    path: tuple[HexId, ...] = ()
    """The hexes on a route through the area, in order of travel."""
    note: str = ""
    alternatives: dict[RulingId, AlternativeRow] = {}
    ocean: bool = False
    """True if `hexes` includes ocean hexes."""
    off_map: bool = False
    off_map_hexes: tuple[HexId, ...] = ()
    north_edge: tuple[HexId, ...] = ()
    east_edge: tuple[HexId, ...] = ()
    south_edge: tuple[HexId, ...] = ()
    west_edge: tuple[HexId, ...] = ()
    allied_ports: tuple[HexId, ...] = ()
    japan_ports: tuple[HexId, ...] = ()
    japan_resources: tuple[HexId, ...] = ()


class LabelRow(msgspec.Struct, frozen=True, kw_only=True):
    """A printed name, with the hexes that it covers or refers to."""

    text: str
    type: str
    hexes: tuple[HexId, ...]


class TerrainEffect(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the terrain chart (8.1)."""

    mp: int | None
    """Movement points that a ground unit spends to enter; None if ground units cannot enter."""
    drm: int
    """Ground combat modifier (9.4)."""


class TerrainChart(msgspec.Struct, frozen=True, kw_only=True):
    """The terrain chart's rows, by terrain."""

    open: TerrainEffect
    jungle: TerrainEffect
    mixed: TerrainEffect
    mountain: TerrainEffect
    ocean_atoll: TerrainEffect


class Charts(msgspec.Struct, frozen=True, kw_only=True):
    """Charts printed on the map."""

    terrain_effects: TerrainChart


class OffMap(msgspec.Struct, frozen=True, kw_only=True):
    """Everything printed on the map outside the hexes."""

    tables: Charts


class MapEdges(msgspec.Struct, frozen=True, kw_only=True):
    """Hexes on each printed map edge. Staircases are the map's stepped corners (MAP-18)."""

    west: tuple[HexId, ...]
    south: tuple[HexId, ...]
    east: tuple[HexId, ...]
    north: tuple[HexId, ...]
    southwest_staircase: tuple[HexId, ...]
    northeast_staircase: tuple[HexId, ...]
    southeast_staircase: tuple[HexId, ...]
    off_map_interior: tuple[HexId, ...]


class SupplyEdges(msgspec.Struct, frozen=True, kw_only=True):
    """Edge hexes that are supply sources (6.22, 6.25)."""

    allied: tuple[HexId, ...]
    east: tuple[HexId, ...]


class MapFile(msgspec.Struct, frozen=True, kw_only=True):
    """The parts of `map.json` that the program uses."""

    hexes: dict[HexId, HexRow]
    rule_areas: dict[AreaId, AreaRow]
    routes: tuple[RouteRow, ...]
    borders: tuple[BorderRow, ...]
    labels: tuple[LabelRow, ...]
    name_aliases: dict[str, HexId]
    map_edges: MapEdges
    supply_edges: SupplyEdges
    off_map: OffMap

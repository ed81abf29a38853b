"""The map model: hexes, routes, rule areas, and the board with its tables by hex index (0.2-0.4, 6.2, 8.1).

Playable hexes are indexed in ascending order of id, so a smaller index means a lower hex number.
"""

from collections.abc import Collection
from typing import Final

import msgspec

from engine.eots.data.map_file import AreaRow, BorderRow, HexRow, LabelRow, MapEdges, SupplyEdges
from engine.eots.ids import (
    AreaId,
    HexId,
    HexKind,
    RouteEvent,
    RouteKind,
    RulingId,
    Terrain,
)
from engine.kernel.hexgrid import HexGrid

UNPLAYABLE: Final = 0
"""Hexside code: impassable (0.3)."""
LAND: Final = 1
"""Hexside code: land only."""
SEA: Final = 2
"""Hexside code: all water."""
LAND_AND_SEA: Final = 3
"""Hexside code: mixed, passable by land and sea (LAND | SEA)."""


UNREACHABLE: Final = 255
"""The sea distance of hexes that ships cannot reach."""

NO_ENTRY: Final = 0
"""Ground movement cost of terrain that ground units cannot enter (8.1)."""

GRID: Final = HexGrid(odd_lines_shifted=True)
"""How this map numbers its hexes (0.2)."""


class Hex(HexRow, frozen=True, kw_only=True):
    """One playable hex (0.3, 1.3)."""

    id: HexId
    index: int
    in_empire: bool
    """True if the hex is entirely inside the printed boundary of the Empire of Japan (1.3)."""

    @property
    def is_land(self) -> bool:
        """Return whether the hex contains playable land."""
        return self.kind is not HexKind.OCEAN

    @property
    def is_sea(self) -> bool:
        """Return whether the hex is ocean without playable land."""
        return self.kind is HexKind.OCEAN

    @property
    def is_coastal(self) -> bool:
        """Return whether the hex is coastal. One-hex islands count (0.4)."""
        return self.kind in (HexKind.COASTAL, HexKind.ISLAND)

    @property
    def is_one_hex_island(self) -> bool:
        """Return whether the hex contains an entire island (1.3)."""
        return self.kind is HexKind.ISLAND

    @property
    def is_named_location(self) -> bool:
        """Return whether the hex has a city, a resource, a port or an airfield (1.3)."""
        return self.port or self.airfield or self.resource or self.city is not None


class Route(msgspec.Struct, frozen=True, kw_only=True):
    """A transport route across one hexside (8.1)."""

    hexes: tuple[HexId, HexId]
    """The two ends, lower id first."""
    kind: RouteKind
    event: RouteEvent | None
    """The event that opens a route under 13.78 or 13.79; None if the route is always open."""


class Area(AreaRow, frozen=True, kw_only=True):
    """Hexes that rules, cards or scenarios refer to (12, 13, 16, 17). All hex lists are in ascending order."""

    id: AreaId

    @property
    def bases(self) -> tuple[HexId, ...]:
        """Return the area's ports and airfields without duplicates, in ascending order."""
        return tuple(sorted({*self.ports, *self.airfields}))


class Board(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """The whole map and its tables. Tuples have one entry per hex index unless noted otherwise."""

    hexes: dict[HexId, Hex]
    """Playable hexes in ascending order of id."""
    ids: tuple[HexId, ...]
    index: dict[HexId, int]
    cube: tuple[tuple[int, int], ...]
    """The x and z coordinates for the distance formula (0.2)."""

    neighbours: tuple[tuple[tuple[int, int], ...], ...]
    """Playable neighbours with the codes of the hexsides, clockwise from north.

    Hexes across UNPLAYABLE sides are included.
    """
    land_adjacent: tuple[tuple[int, ...], ...]
    """Neighbours across land or mixed hexsides (0.3)."""
    sea_adjacent: tuple[tuple[int, ...], ...]
    """Neighbours across all-water or mixed hexsides, which ships can cross (8.2)."""
    water_adjacent: tuple[tuple[int, ...], ...]
    """Neighbours across all-water hexsides only (6.21, 6.4)."""
    route_adjacent: tuple[tuple[tuple[int, RouteEvent | None], ...], ...]
    """Neighbours along transport routes, each with the event that opens the route, or None if always open (8.1)."""

    is_in_play: tuple[bool, ...]
    """False for hexes outside the map sheet, in scenarios that have one (17.10)."""
    is_land: tuple[bool, ...]
    is_coastal: tuple[bool, ...]
    is_port: tuple[bool, ...]
    is_airfield: tuple[bool, ...]
    is_one_hex_island: tuple[bool, ...]
    is_named_location: tuple[bool, ...]
    is_resource: tuple[bool, ...]
    terrain: tuple[Terrain, ...]
    terrain_mp: tuple[int, ...]
    """Movement points to enter the hex without using a route; NO_ENTRY for atolls and ocean (8.1)."""
    terrain_drm: tuple[int, ...]
    """The terrain's ground combat modifier, zero or negative (9.4)."""
    is_allied_edge: tuple[bool, ...]
    """True if the hex is an Allied ultimate supply source on the map edge (6.22, MAP-18)."""
    is_east_edge: tuple[bool, ...]
    """True if the hex is on the east edge (6.25, MAP-18)."""

    areas: dict[AreaId, Area]
    routes: tuple[Route, ...]
    resource_hexes: tuple[HexId, ...]
    supply_edges: SupplyEdges
    map_edges: MapEdges
    south_pacific: Area
    """The South Pacific sheet: a part of the map with its own edges and port ownership (17.10)."""

    grey_hexes: tuple[HexId, ...]
    """Unplayable hexes that are shown on the map."""
    borders: tuple[BorderRow, ...]
    labels: tuple[LabelRow, ...]
    name_aliases: dict[str, HexId]
    """Alternative spellings and other names of places."""

    rulings: dict[tuple[AreaId, RulingId], Area]
    """Variants of areas under the alternative reading of a ruling."""
    distance_rows: dict[int, bytes]
    """Cached results of `distances`, by hex."""
    rings: dict[tuple[int, int], tuple[int, ...]]
    """Cached results of `within`, by its arguments."""
    sea_rows: dict[int, bytes]
    """Cached results of `sea_distances`, by hex."""

    def distance(self, start_hex: HexId, end_hex: HexId) -> int:
        """Return the distance in hexes, counting the end hex but not the start (0.2)."""
        first, last = self.index.get(start_hex), self.index.get(end_hex)
        if first is not None and last is not None:
            return self.distance_index(first, last)
        return GRID.distance(*GRID.coordinates(start_hex), *GRID.coordinates(end_hex))

    def distances(self, start: int) -> bytes:
        """Return the distances from one hex to all hexes, by hex index (0.2)."""
        row = self.distance_rows.get(start)
        if row is None:
            row = _distance_row(self.cube, start)
            self.distance_rows[start] = row
        return row

    def distance_index(self, start: int, end: int) -> int:
        """Return the distance between the hexes with these two indexes (0.2)."""
        # Building a whole row for a single distance would be slower.
        row = self.distance_rows.get(start)
        if row is not None:
            return row[end]
        (x, z), (i, j) = self.cube[start], self.cube[end]
        return max(abs(i - x), abs(j - z), abs(i - x + j - z))

    def within(self, centre: int, hexes: int) -> tuple[int, ...]:
        """Return the indexes of all hexes within the given distance, including the centre, in ascending order (0.2)."""
        key = (centre, hexes)
        ring = self.rings.get(key)
        if ring is None:
            row = self.distances(centre)
            ring = tuple(hex_index for hex_index, distance in enumerate(row) if distance <= hexes)
            self.rings[key] = ring
        return ring

    def sea_distances(self, start: int) -> bytes:
        """Return the length of the shortest sea route to each hex. Units are ignored (8.2).

        The length is 0 for the start and UNREACHABLE for a hex that cannot be reached across sea hexsides.
        """
        row = self.sea_rows.get(start)
        if row is None:
            row = _sea_search(self.sea_adjacent, start)
            self.sea_rows[start] = row
        return row

    def area(self, area: AreaId, rulings: Collection[str] = ()) -> Area:
        """Return a rule area, or its variant under the first ruling that affects it.

        Args:
            area: Id of the area.
            rulings: Rulings used in their alternative reading. Rulings that do not affect the area are ignored.
        """
        for ruling in self.areas[area].alternatives:
            if ruling in rulings:
                return self.rulings[area, ruling]
        return self.areas[area]

    def indexes(self, hexes: Collection[HexId]) -> tuple[int, ...]:
        """Return the indexes of the given hexes, in the same order."""
        return tuple(self.index[hex_id] for hex_id in hexes)


def _distance_row(cube: tuple[tuple[int, int], ...], start: int) -> bytes:
    """Return the distances from one hex to all hexes (0.2): max(|dx|, |dy|, |dz|) with dy = -dx - dz."""
    x, z = cube[start]
    return bytes(max(abs(i - x), abs(j - z), abs(i - x + j - z)) for i, j in cube)


def _sea_search(adjacency: tuple[tuple[int, ...], ...], start: int) -> bytes:
    """Return the sea distances from one hex, found by a breadth-first search across sea hexsides."""
    row = bytearray([UNREACHABLE]) * len(adjacency)
    row[start] = 0
    layer, steps = [start], 0
    while layer:
        steps += 1
        layers = []
        for hex_index in layer:
            for neighbour in adjacency[hex_index]:
                if row[neighbour] == UNREACHABLE:
                    row[neighbour] = steps
                    layers.append(neighbour)
        layer = layers
    return bytes(row)

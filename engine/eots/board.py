"""Builds the game map from map files, and loads the packaged map (0.2-0.4, 6.2, 8.1).

The board types are re-exported, so other modules need to import only this one.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

import msgspec

from engine.eots.data import map_file
from engine.eots.data.map_file import (
    AlternativeRow,
    AreaRow,
    HexRow,
    MapFile,
)
from engine.eots.data.reading import check_known_names, content, require
from engine.eots.geography import (
    GRID,
    LAND,
    LAND_AND_SEA,
    NO_ENTRY,
    SEA,
    UNPLAYABLE,
    UNREACHABLE,
    Area,
    Board,
    Hex,
    Route,
)
from engine.eots.ids import AreaId, HexId, HexKind, RouteEvent, Terrain
from engine.eots.rulings import SP_MAP, area_rulings
from engine.kernel.data_files import decode
from engine.kernel.errors import DataError
from engine.kernel.structs import shared_fields

__all__ = [
    "GRID",
    "LAND",
    "LAND_AND_SEA",
    "NO_ENTRY",
    "SEA",
    "UNPLAYABLE",
    "UNREACHABLE",
    "Area",
    "Board",
    "Hex",
    "Route",
    "board",
    "read_board",
    "south_pacific_board",
]

HEX_NUMBER: Final = re.compile(r"[1-6]\d[0-2]\d")


def _cube_coordinates(name: HexId) -> tuple[int, int]:
    """Return a hex's x and z coordinates (0.2)."""
    column, row = GRID.coordinates(name)
    return column, row - column // 2


def _playable(file: MapFile) -> dict[HexId, Hex]:
    """Return the playable hexes in ascending order of id."""
    rows = sorted(
        (hex_id, row) for hex_id, row in file.hexes.items() if row.kind is not HexKind.UNPLAYABLE
    )
    return {hex_id: _build_hex(hex_id, index, row) for index, (hex_id, row) in enumerate(rows)}


def _hex_problem(name: HexId, row: HexRow) -> str:
    """Return a description of what is wrong with a hex from the map file, or an empty string if nothing is."""
    is_land = row.kind is not HexKind.OCEAN
    if HEX_NUMBER.fullmatch(name) is None:
        return "not a hex number"
    if is_land == (row.terrain is Terrain.OCEAN):
        return "terrain and kind disagree"
    if is_land != (row.landmass is not None):
        return "landmass and kind disagree"
    return ""


def _build_hex(name: HexId, index: int, row: HexRow) -> Hex:
    """Build one hex. Raise an error if its fields contradict each other."""
    if problem := _hex_problem(name, row):
        raise DataError(map_file.FILE, f"hexes.{name}", problem)
    in_empire = row.japanese_empire is True
    return Hex(id=name, index=index, in_empire=in_empire, **shared_fields(row, Hex))


_CODES: Final = {"unplayable": UNPLAYABLE, "land": LAND, "water": SEA, "both": LAND_AND_SEA}


def _neighbours(file: MapFile, hexes: dict[HexId, Hex]) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Build the neighbour table with hexside codes. Adjacent hexes must agree on their shared hexside."""
    index = {GRID.coordinates(hex_id): x.index for hex_id, x in hexes.items()}
    sides = {
        hex_id: file.hexes[h].sides.clockwise() for hex_id, h in zip(index, hexes, strict=True)
    }
    table = []
    for (column, line), words in sides.items():
        neighbours = []
        for side, word in enumerate(words):
            neighbour = GRID.neighbour(column, line, side)
            neighbour_sides = sides.get(neighbour)
            problem = _side_problem(
                word, None if neighbour_sides is None else neighbour_sides[(side + 3) % 6]
            )
            if problem:
                path = f"hexes.{GRID.name(column, line)}.sides[{side}]"
                raise DataError(map_file.FILE, path, problem.format(GRID.name(*neighbour)))
            if neighbour_sides is not None:
                neighbours.append((index[neighbour], _CODES[word]))
        table.append(tuple(neighbours))
    return tuple(table)


def _side_problem(word: str, reverse_name: str | None) -> str:
    """Return a description of what is wrong with a hexside, or an empty string if nothing is.

    The text has ``{}`` where the id of the adjacent hex belongs.

    Args:
        word: The hexside's type, according to this hex.
        reverse_name: The hexside's type according to the hex beyond, or None if that hex is not playable.
    """
    if reverse_name is None:
        return "" if word in ("edge", "unplayable") else f"side towards no hex is {word!r}"
    if word != reverse_name:
        return f"{word!r}, but {{}} says {reverse_name!r}"
    return "'edge' towards the hex {}" if word == "edge" else ""


def _build_routes(
    file: MapFile, hexes: dict[HexId, Hex], neighbours: tuple[tuple[tuple[int, int], ...], ...]
) -> tuple[Route, ...]:
    """Build the transport routes, sorted by their lower and then by their higher hex.

    Check that each route crosses land.
    """
    routes = []
    for index, row in enumerate(file.routes):
        path = f"routes[{index}].hexes"
        check_known_names(map_file.FILE, path, row.hexes, hexes)
        low, high = sorted(row.hexes)
        codes = dict(neighbours[hexes[low].index])
        require(
            map_file.FILE,
            path,
            holds=bool(codes.get(hexes[high].index, UNPLAYABLE) & LAND),
            problem=f"no land side between {low} and {high}",
        )
        routes.append(Route(hexes=(low, high), kind=row.kind, event=row.event))
    return tuple(sorted(routes, key=lambda route: route.hexes))


def _build_area(name: AreaId, row: AreaRow, hexes: dict[HexId, Hex]) -> Area:
    """Build one rule area. Raise an error if it lists an unknown hex."""
    lists = (
        row.hexes,
        row.ports,
        row.airfields,
        row.resources,
        row.cities,
        row.control_hexes,
        row.named,
        row.path,
    )
    for hex_list in lists:
        check_known_names(map_file.FILE, f"rule_areas.{name}", hex_list, hexes)
    return Area(id=name, **shared_fields(row, Area))


def _alternative_area(area: Area, change: AlternativeRow, hexes: dict[HexId, Hex]) -> Area:
    """Return an area as changed by its ruling's alternative reading."""
    check_known_names(
        map_file.FILE,
        f"rule_areas.{area.id}.alternatives",
        (*change.add, *change.remove, *change.path, *change.cities),
        hexes,
    )
    kept_hexes = tuple(sorted(({*area.hexes} | {*change.add}) - {*change.remove}))
    kept_rows = [hexes[h] for h in kept_hexes]
    return msgspec.structs.replace(
        area,
        hexes=kept_hexes,
        ports=tuple(x.id for x in kept_rows if x.port),
        airfields=tuple(x.id for x in kept_rows if x.airfield),
        resources=tuple(x.id for x in kept_rows if x.resource),
        cities=change.cities or tuple(x.id for x in kept_rows if x.city is not None),
        control_hexes=tuple(hex_id for hex_id in area.control_hexes if hex_id not in change.remove),
        path=change.path or area.path,
    )


def _check_lists(file: MapFile, hexes: dict[HexId, Hex]) -> None:
    """Check that the map edges, labels, name aliases and parts of areas contain only known hexes and areas."""
    for part in (file.map_edges, file.supply_edges):
        for key, hex_list in msgspec.structs.asdict(part).items():
            check_known_names(map_file.FILE, f"edges.{key}", hex_list, file.hexes)
    for index, label in enumerate(file.labels):
        check_known_names(map_file.FILE, f"labels[{index}].hexes", label.hexes, file.hexes)
    check_known_names(map_file.FILE, "name_aliases", tuple(file.name_aliases.values()), hexes)
    for area, row in file.rule_areas.items():
        check_known_names(map_file.FILE, f"rule_areas.{area}.parts", row.parts, file.rule_areas)


def _neighbours_across(
    neighbours: tuple[tuple[tuple[int, int], ...], ...], side_codes: tuple[int, ...]
) -> tuple[tuple[int, ...], ...]:
    """Return the neighbours across hexsides with one of the given codes."""
    return tuple(
        tuple([neighbour for neighbour, code in row if code in side_codes]) for row in neighbours
    )


def _route_table(
    routes: tuple[Route, ...], hexes: dict[HexId, Hex]
) -> tuple[tuple[tuple[int, RouteEvent | None], ...], ...]:
    """Return the neighbours of each hex along transport routes, in ascending order."""
    table: list[list[tuple[int, RouteEvent | None]]] = [[] for _ in hexes]
    for route in routes:
        low, high = (hexes[hex_id].index for hex_id in route.hexes)
        table[low].append((high, route.event))
        table[high].append((low, route.event))
    return tuple(tuple(sorted(row, key=lambda entry: entry[0])) for row in table)


def _terrain_costs(file: MapFile) -> dict[Terrain, tuple[int, int]]:
    """Return the movement cost and combat modifier for each type of terrain (8.1, 9.4)."""
    chart = file.off_map.tables.terrain_effects
    rows = {
        Terrain.OPEN: chart.open,
        Terrain.JUNGLE: chart.jungle,
        Terrain.MIXED: chart.mixed,
        Terrain.MOUNTAIN: chart.mountain,
        Terrain.ATOLL: chart.ocean_atoll,
        Terrain.OCEAN: chart.ocean_atoll,
    }
    return {
        terrain: (NO_ENTRY if row.mp is None else row.mp, row.drm) for terrain, row in rows.items()
    }


def build_board(file: MapFile) -> Board:
    """Build the board from a decoded map file.

    Raises:
        DataError: A reference is dangling, or two parts of the file contradict each other.
    """
    hexes = _playable(file)
    _check_lists(file, hexes)
    neighbours = _neighbours(file, hexes)
    routes = _build_routes(file, hexes, neighbours)
    costs = _terrain_costs(file)
    areas = {name: _build_area(name, row, hexes) for name, row in file.rule_areas.items()}
    all_hexes = tuple(hexes.values())
    allied, east = set(file.supply_edges.allied), set(file.supply_edges.east)
    for area_name in ("resource-hexes", "south-pacific-map"):
        check_known_names(map_file.FILE, "rule_areas", [area_name], file.rule_areas)
    return Board(
        hexes=hexes,
        ids=tuple(hexes),
        index={hex_id: x.index for hex_id, x in hexes.items()},
        cube=tuple(map(_cube_coordinates, hexes)),
        neighbours=neighbours,
        land_adjacent=_neighbours_across(neighbours, (LAND, LAND_AND_SEA)),
        sea_adjacent=_neighbours_across(neighbours, (SEA, LAND_AND_SEA)),
        water_adjacent=_neighbours_across(neighbours, (SEA,)),
        route_adjacent=_route_table(routes, hexes),
        is_in_play=(True,) * len(hexes),
        is_land=tuple(x.is_land for x in all_hexes),
        is_coastal=tuple(x.is_coastal for x in all_hexes),
        is_port=tuple(x.port for x in all_hexes),
        is_airfield=tuple(x.airfield for x in all_hexes),
        is_one_hex_island=tuple(x.is_one_hex_island for x in all_hexes),
        is_named_location=tuple(x.is_named_location for x in all_hexes),
        is_resource=tuple(x.resource for x in all_hexes),
        terrain=tuple(x.terrain for x in all_hexes),
        terrain_mp=tuple(costs[x.terrain][0] for x in all_hexes),
        terrain_drm=tuple(costs[x.terrain][1] for x in all_hexes),
        is_allied_edge=tuple(hex_id in allied for hex_id in hexes),
        is_east_edge=tuple(hex_id in east for hex_id in hexes),
        areas=areas,
        routes=routes,
        resource_hexes=areas[AreaId("resource-hexes")].hexes,
        supply_edges=file.supply_edges,
        map_edges=file.map_edges,
        south_pacific=areas[AreaId("south-pacific-map")],
        grey_hexes=tuple(sorted(hex_id for hex_id in file.hexes if hex_id not in hexes)),
        borders=file.borders,
        labels=file.labels,
        name_aliases=file.name_aliases,
        rulings={
            (name, ruling): _alternative_area(areas[name], change, hexes)
            for name, row in file.rule_areas.items()
            for ruling, change in row.alternatives.items()
        },
        distance_rows={},
        rings={},
        sea_rows={},
    )


def read_board(text: bytes) -> Board:
    """Parse a map file, build its board and check every reference.

    Raises:
        DataError: The file violates its schema, or contains a dangling reference.
    """
    return build_board(decode(map_file.FILE, text, MapFile))


@cache
def board() -> Board:
    """Return the packaged map's board, which is built only once."""
    return read_board(content(map_file.FILE))


def area_of(options: Mapping[str, str], name: AreaId) -> Area:
    """Return a rule area, adjusted to the rulings chosen for the game."""
    return board().area(name, area_rulings(options))


def _restrict_to_sheet(
    table: tuple[tuple[int, ...], ...], is_inside: tuple[bool, ...]
) -> tuple[tuple[int, ...], ...]:
    """Return an adjacency table without the hexes outside a sheet."""
    return tuple(
        tuple(j for j in row if is_inside[j]) if is_inside[i] else () for i, row in enumerate(table)
    )


LAST_COLUMN_NARROW: Final = 48
"""Last column of the South Pacific sheet under the alternative reading of OPS-11."""


def _narrow(sheet: Area) -> Area:
    """Return the South Pacific sheet without its last columns, with adjusted edges (OPS-11, alternative reading)."""

    def on_narrow_sheet(hexes: tuple[HexId, ...]) -> tuple[HexId, ...]:
        return tuple(
            hex_id for hex_id in hexes if GRID.coordinates(hex_id)[0] <= LAST_COLUMN_NARROW
        )

    return msgspec.structs.replace(
        sheet,
        hexes=on_narrow_sheet(sheet.hexes),
        ports=on_narrow_sheet(sheet.ports),
        airfields=on_narrow_sheet(sheet.airfields),
        north_edge=on_narrow_sheet(sheet.north_edge),
        south_edge=on_narrow_sheet(sheet.south_edge),
        east_edge=tuple(
            hex_id for hex_id in sheet.hexes if GRID.coordinates(hex_id)[0] == LAST_COLUMN_NARROW
        ),
    )


def board_of(options: Mapping[str, str]) -> Board:
    """Return the board for a South Pacific game under its rulings (17.10, OPS-11)."""
    return south_pacific_board(is_narrow=SP_MAP.uses_alternative(options))


@cache
def south_pacific_board(*, is_narrow: bool = False) -> Board:
    """Return the board restricted to the South Pacific sheet. Hex indexes are the same as on the whole map (17.10).

    Hexes off the sheet have no neighbours, and `is_in_play` is false for them. Oahu, an off-map location, stays in
    play.

    Args:
        is_narrow: True if the sheet ends at column 48 (OPS-11, alternative reading).
    """
    full_board = board()
    sheet = _narrow(full_board.south_pacific) if is_narrow else full_board.south_pacific
    on_sheet = set(sheet.hexes)
    is_on_sheet = tuple(hex_id in on_sheet for hex_id in full_board.ids)
    return msgspec.structs.replace(
        full_board,
        neighbours=tuple(
            tuple((j, code) for j, code in row if is_on_sheet[j]) if is_on_sheet[i] else ()
            for i, row in enumerate(full_board.neighbours)
        ),
        land_adjacent=_restrict_to_sheet(full_board.land_adjacent, is_on_sheet),
        sea_adjacent=_restrict_to_sheet(full_board.sea_adjacent, is_on_sheet),
        water_adjacent=_restrict_to_sheet(full_board.water_adjacent, is_on_sheet),
        is_in_play=tuple(
            hex_id in on_sheet or hex_id in sheet.off_map_hexes for hex_id in full_board.ids
        ),
        south_pacific=sheet,
        # Distances are the same on the sheet as on the whole map, so only sea routes need a
        # separate cache.
        sea_rows={},
    )

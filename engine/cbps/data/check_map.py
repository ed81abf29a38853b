"""Checks that the map grid is complete, zones and labels match, and every force can reach the exit."""

from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias, get_args

from engine.cbps.charts.results import ArrivalZone
from engine.cbps.data.map_file import FILE, Face, HexRow, MapFile, OilGroup
from engine.cbps.ids import Direction

Problem: TypeAlias = tuple[str, str, str]
_EVEN_ROW_STEPS: Final[Mapping[Direction, tuple[int, int]]] = {
    "NE": (-1, -1),
    "E": (0, -1),
    "SE": (1, -1),
    "SW": (1, 0),
    "W": (0, 1),
    "NW": (-1, 0),
}
_ODD_ROW_STEPS: Final[Mapping[Direction, tuple[int, int]]] = {
    "NE": (-1, 0),
    "E": (0, -1),
    "SE": (1, 0),
    "SW": (1, 1),
    "W": (0, 1),
    "NW": (-1, 1),
}
"""Steps in rows and columns. Column numbers increase westward, and odd rows are half a hex further west (2.1)."""
DIE_NUMBERS: Final = tuple(range(1, 11))


def map_problems(content: MapFile) -> Iterator[Problem]:
    """Yield the errors found in the map."""
    for path, problem in (
        *_grid_problems(content),
        *_label_problems(content),
        *_base_problems(content),
    ):
        yield FILE, f"map.{path}", problem
    for path, problem in _exit_problems(content):
        yield FILE, f"map.{path}", problem


def _grid_problems(content: MapFile) -> Iterator[tuple[str, str]]:
    """Yield errors for missing and surplus hexes, and for unknown zones and islands."""
    rows, columns = content.grid.rows, content.grid.cols
    names = {
        f"{row:02}{column:02}"
        for row in range(rows.first, rows.last + 1)
        for column in range(columns.first, columns.last + 1)
    }
    for name in sorted(names - content.hexes.keys()):
        yield f"hexes.{name}", "this hex of the grid is missing"
    for name in sorted(content.hexes.keys() - names):
        yield f"hexes.{name}", "there is no such hex in the grid"
    zones = {zone.id for zone in content.movement_zones}
    islands = {island.name for island in content.islands}
    for name, row in content.hexes.items():
        if row.zone not in zones:
            yield f"hexes.{name}.zone", f"there is no movement zone '{row.zone}'"
        if row.island is not None and row.island not in islands:
            yield f"hexes.{name}.island", f"there is no island '{row.island}'"
    named_islands = [row.island for row in content.hexes.values() if row.island is not None]
    for island in content.islands:
        if named_islands.count(island.name) != 1:
            yield (
                f"islands.{island.name}",
                f"it has {named_islands.count(island.name)} hexes, not one",
            )


def _label_problems(content: MapFile) -> Iterator[tuple[str, str]]:
    """Yield errors in compasses, arrival hexes and oil hexes."""
    for zone in content.movement_zones:
        missing_faces = [face for face in get_args(Face) if face not in zone.compass]
        if missing_faces:
            yield (
                f"movement_zones.{zone.id}.compass",
                f"there is no entry for die {', '.join(missing_faces)}",
            )
    invasion = content.invasion_zone
    for group in get_args(ArrivalZone):
        numbers: list[int] = []
        for name, row in content.hexes.items():
            if row.arrival is not None and row.arrival[0] == group:
                numbers.append(row.arrival[1])
                if row.island is not None or row.zone == invasion.zone:
                    yield (
                        f"hexes.{name}.arrival",
                        "no force can arrive on an island or in the invasion zone",
                    )
        if sorted(numbers) != list(DIE_NUMBERS):
            number_list = ", ".join(map(str, sorted(numbers))) or "none"
            yield (
                f"arrival.zones.{group}",
                f"its hexes must be numbered 1 to 10, each once, not {number_list}",
            )
    if {zone.id for zone in content.arrival.zones} != set(get_args(ArrivalZone)):
        yield "arrival.zones", "the zones must be I, II, III and IV"
    for oil in get_args(OilGroup):
        if oil not in content.oil.groups:
            yield "oil.groups", f"'{oil}' is missing"
        if not any(row.oil == oil for row in content.hexes.values()):
            yield "oil.groups", f"'{oil}' has no hex"


def _base_problems(content: MapFile) -> Iterator[tuple[str, str]]:
    bases = {base.id: base for base in content.land_bases}
    if len(bases) != len(content.land_bases) or set(bases) != {"GUAM", "YAP", "IWO"}:
        yield "land_bases", "the bases must be GUAM, YAP and IWO"
        return
    for base in content.land_bases:
        for field, name in (
            ("hex", base.hex),
            ("reinforcement_origin_hex", base.reinforcement_origin_hex),
        ):
            if name is not None and name not in content.hexes:
                yield f"land_bases.{base.id}.{field}", f"there is no hex '{name}'"
        if base.id != "GUAM" and base.reinforcement_origin_hex is None:
            yield f"land_bases.{base.id}", "its reinforcements need an origin hex"
        if base.launches_raids != (base.id == "GUAM"):
            yield f"land_bases.{base.id}.launches_raids", "only Guam launches raids"
    guam = bases["GUAM"].hex
    if guam is None or content.hexes.get(guam) is None or content.hexes[guam].island is None:
        yield "land_bases.GUAM.hex", "Guam must be on an island hex of the map"
    saipan = content.hexes.get(content.invasion_zone.contains_island)
    if saipan is None or saipan.zone != content.invasion_zone.zone:
        yield "invasion_zone.contains_island", "the island is outside the invasion zone"


def _exit_problems(content: MapFile) -> Iterator[tuple[str, str]]:
    """Yield an error for the first hex from which no sequence of compass results leads to the exit (7.22, 7.23)."""
    compasses = {zone.id: set(zone.compass.values()) for zone in content.movement_zones}
    invasion = content.invasion_zone
    if compasses.get(invasion.zone) != {invasion.exit_direction}:
        yield f"movement_zones.{invasion.zone}.compass", "all faces point to the exit"
        return
    first_column = content.grid.cols.first
    reached_hexes = {
        name
        for name, row in content.hexes.items()
        if row.zone == invasion.zone and int(name[2:]) == first_column
    }
    if not reached_hexes:
        yield "invasion_zone", "it does not reach the east edge"
    successors = _compass_successors(content.hexes, compasses)
    while exits := [
        name
        for name, after in successors.items()
        if name not in reached_hexes and after & reached_hexes
    ]:
        reached_hexes.update(exits)
    for name in sorted(content.hexes.keys() - reached_hexes)[:1]:
        yield f"hexes.{name}", "a force in this hex can never reach the exit"


def _compass_successors(
    hexes: Mapping[str, HexRow], compasses: Mapping[str, set[Direction]]
) -> dict[str, set[str]]:
    """Return the hexes into which the compass may lead a force, for each starting hex."""
    successors: dict[str, set[str]] = {}
    for name, hex_row in hexes.items():
        row, column = int(name[:2]), int(name[2:])
        steps = _ODD_ROW_STEPS if row % 2 else _EVEN_ROW_STEPS
        moves = [steps[direction] for direction in sorted(compasses.get(hex_row.zone, ()))]
        names = (f"{row + down:02}{column + west:02}" for down, west in moves)
        successors[name] = {neighbour for neighbour in names if neighbour in hexes}
    return successors

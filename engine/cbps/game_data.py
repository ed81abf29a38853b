"""The game data of one match: charts, map, counters and scenarios by name.

The packaged data are read once into a standard book. Players with a printed copy may replace parts of it
(`engine.cbps.overlay`).
"""

from collections.abc import Mapping
from functools import cache, lru_cache
from hashlib import blake2b

import msgspec

from engine.cbps.charts.results import ArrivalZone
from engine.cbps.data.checks import problems
from engine.cbps.data.map_file import BaseRow, HexRow, MapFile, OilGroup, ZoneRow
from engine.cbps.data.orbat_file import (
    AirPoints,
    AirType,
    AirTypeRow,
    AirUnitRow,
    JapaneseShip,
    KidoButai,
    LevelThreeChit,
    LevelTwoChit,
    TaskGroupRow,
    UsShipRow,
)
from engine.cbps.data.reading import PARTS, Sources, convert_sources, read_plain
from engine.cbps.data.scenarios_file import CommonRules, Scenario
from engine.cbps.data.tables_file import Charts
from engine.cbps.geometry import HexMap, hex_map
from engine.cbps.ids import Direction
from engine.cbps.overlay import DEFAULT_OVERLAY_NAME, canonical_text, decode_overlay, merge_sources
from engine.kernel.errors import DataError


class MapData(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """The map (2.1). A hex id is a two-digit row followed by a two-digit column."""

    grid: HexMap
    """The grid of the map, which computes distances and paths."""
    rows: range
    columns: range
    hexes: Mapping[str, HexRow]
    """Hexes by id, sorted by row, then column."""
    zones: Mapping[str, ZoneRow]
    islands: Mapping[str, str]
    """Island names by hex (2.12)."""
    arrival: Mapping[ArrivalZone, tuple[str, ...]]
    """The ten numbered hexes of each arrival zone, in numerical order (7.13)."""
    invasion_zone: frozenset[str]
    exit_hexes: tuple[str, ...]
    """Hexes where a force in the invasion zone leaves the map, from north to south (7.23)."""
    exit_direction: Direction
    east_zones: frozenset[str]
    """Movement zones that include hexes in the first column, the east edge (12.45)."""
    saipan: str
    """The hex that contains Saipan and Tinian."""
    oil: Mapping[OilGroup, tuple[str, ...]]
    guam: str
    bases: Mapping[str, BaseRow]

    def compass_direction(self, hex_id: str, die: int) -> Direction:
        """Return the direction that a die selects on the compass of a hex's movement zone (7.221)."""
        return self.zones[self.hexes[hex_id].zone].direction_for_die(die)

    def touches_east_edge(self, zone: str) -> bool:
        """Return whether a movement zone includes hexes in the first column (12.45)."""
        return zone in self.east_zones

    def base_origin(self, chit: str) -> str:
        """Return the hex from which a base's reinforcements fly to Guam (16.21)."""
        base = next(
            base_data for base_data in self.bases.values() if base_data.activation_chit == chit
        )
        assert base.reinforcement_origin_hex is not None, (
            "the base must send reinforcements",
            chit,
        )
        return base.reinforcement_origin_hex


class GameData(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """The game data of one match. All mappings keep the order of the data files."""

    charts: Charts
    map: MapData
    us_ships: Mapping[str, UsShipRow]
    air_types: Mapping[AirType, AirTypeRow]
    air_units: Mapping[str, AirUnitRow]
    task_groups: Mapping[str, TaskGroupRow]
    submarines: tuple[str, ...]
    japanese_ships: Mapping[str, JapaneseShip]
    """The Japanese carriers, battleships, cruiser forces and destroyer forces, in that order, by id."""
    letters: tuple[str, ...]
    butai: tuple[int, ...]
    """Numbers of the Butai displays."""
    air_points: AirPoints
    level_two: Mapping[str, LevelTwoChit]
    level_three: Mapping[str, LevelThreeChit]
    kido_butai: KidoButai
    oilers: tuple[str, ...]
    surface_tg_markers: int
    search_markers: int
    scenarios: Mapping[str, Scenario]
    common: CommonRules
    names: Mapping[str, str]
    """Printed names of ships, air units and submarines by id."""
    overlay: str = ""
    """The parts of the data that an overlay replaces, as canonical JSON. Empty in the standard book."""

    @property
    def overlay_digest(self) -> str:
        """Return the overlay's 32-byte digest in hex, or an empty string for the standard book."""
        return blake2b(self.overlay.encode(), digest_size=32).hexdigest() if self.overlay else ""

    def japanese_ships_of_type(self, *types: str) -> tuple[JapaneseShip, ...]:
        """Return the Japanese ships and forces of the given types: CV, CVL, BB, CA or DD."""
        return tuple(ship for ship in self.japanese_ships.values() if ship.type in types)

    def is_fighter(self, unit: str) -> bool:
        """Return whether an air unit is a fighter unit. All other units are attackers (4.21)."""
        return self.air_types[self.air_units[unit].type].role == "fighter"

    def carrier_units(self, carrier: str) -> tuple[AirUnitRow, ...]:
        """Return a carrier's air units."""
        return tuple(unit for unit in self.air_units.values() if unit.carrier == carrier)


@cache
def standard_game_data() -> GameData:
    """Return the standard book, built from the packaged data and cached after the first call.

    Raises:
        DataError: The packaged data are damaged.
    """
    sources = convert_sources({part_name: read_plain(part_name) for part_name in PARTS})
    for problem in problems(sources):
        raise DataError(*problem)
    return _build(sources)


def load_game_data(overlay: str = "") -> GameData:
    """Return the book for a position's overlay, or the standard book if there is none.

    Raises:
        DataError: The overlay cannot be read or does not fit the data.
    """
    return (
        _load_overlay(canonical_text(decode_overlay(overlay.encode())))
        if overlay
        else standard_game_data()
    )


def parse_game_data(
    overlay: bytes | Mapping[str, object], file: str = DEFAULT_OVERLAY_NAME
) -> GameData:
    """Return the book for an overlay given as JSON or as decoded data.

    Args:
        overlay: The parts to replace.
        file: The source of the overlay, used in error messages.

    Raises:
        DataError: The overlay cannot be read or does not fit the data.
    """
    text = overlay if isinstance(overlay, bytes) else msgspec.json.encode(overlay)
    overlay_text = canonical_text(decode_overlay(text, file))
    try:
        return _load_overlay(overlay_text)
    except DataError as error:
        raise DataError(file, error.path, error.problem) from error


@lru_cache(maxsize=8)
def _load_overlay(overlay: str) -> GameData:
    return _build(merge_sources(decode_overlay(overlay.encode())), overlay)


def _build(sources: Sources, overlay: str = "") -> GameData:
    """Build a book of game data from validated data."""
    us, japan = sources.counters.us, sources.counters.japan
    groups = (japan.carriers, japan.battleships, japan.cruiser_forces, japan.destroyer_forces)
    return GameData(
        charts=sources.tables.tables,
        map=_map_data(sources.map),
        names={
            pile_card.id: pile_card.name
            for pile in (us.ships, us.air_units, us.submarines, *groups)
            for pile_card in pile
        },
        us_ships={ship.id: ship for ship in us.ships},
        air_types={kind.type: kind for kind in us.air_types},
        air_units={unit.id: unit for unit in us.air_units},
        task_groups={group.id: group for group in us.task_groups},
        submarines=tuple(boat.id for boat in us.submarines),
        japanese_ships={ship.id: ship for group in groups for ship in group},
        letters=japan.force_markers.letters,
        butai=japan.butai.displays,
        air_points=japan.air_points,
        level_two={chit.id: chit for chit in japan.l2_chits},
        level_three={chit.id: chit for chit in japan.l3_chits},
        kido_butai=japan.kido_butai,
        oilers=japan.oilers.ids,
        surface_tg_markers=us.surface_tg_markers.count,
        search_markers=us.search_markers.count,
        scenarios={str(scenario.id): scenario for scenario in sources.scenarios.scenarios},
        common=sources.scenarios.common,
        overlay=overlay,
    )


def _map_data(content: MapFile) -> MapData:
    rows, columns = content.grid.rows, content.grid.cols
    hexes = dict(sorted(content.hexes.items()))
    first_column = f"{columns.first:02}"
    invasion = [name for name, row in hexes.items() if row.zone == content.invasion_zone.zone]
    numbered = sorted((row.arrival, name) for name, row in hexes.items() if row.arrival is not None)
    return MapData(
        grid=hex_map(rows.last, columns.last),
        rows=range(rows.first, rows.last + 1),
        columns=range(columns.first, columns.last + 1),
        hexes=hexes,
        zones={zone.id: zone for zone in content.movement_zones},
        islands={name: row.island for name, row in hexes.items() if row.island is not None},
        arrival={
            zone.id: tuple(name for (zone_id, _), name in numbered if zone_id == zone.id)
            for zone in content.arrival.zones
        },
        invasion_zone=frozenset(invasion),
        exit_hexes=tuple(name for name in invasion if name.endswith(first_column)),
        exit_direction=content.invasion_zone.exit_direction,
        east_zones=frozenset(
            row.zone for name, row in hexes.items() if name.endswith(first_column)
        ),
        saipan=content.invasion_zone.contains_island,
        oil={
            group: tuple(name for name, row in hexes.items() if row.oil == group)
            for group in content.oil.groups
        },
        guam=next(base.hex for base in content.land_bases if base.launches_raids and base.hex),
        bases={base.id: base for base in content.land_bases},
    )

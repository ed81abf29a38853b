"""The map file, including the parts that only tests read."""

import msgspec

from engine.eots.data import map_file
from engine.eots.data.map_file import BorderSide, HexRow, MapFile
from engine.eots.data.reading import content
from engine.eots.ids import HexId
from engine.kernel.data_files import decode


class Empire(msgspec.Struct, frozen=True, kw_only=True):
    """The printed boundary of the Empire of Japan."""

    on_hexsides: tuple[BorderSide, ...]
    polygon_px: tuple[tuple[float, float], ...]
    land_hexes_cut_by_line: dict[HexId, str]
    enclaves_outside: tuple[HexId, ...]


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """Counts that the file states about itself."""

    hexes_playable: int
    hexes_unplayable_listed: int
    terrain: dict[str, int]
    kind: dict[str, int]
    ports: int
    airfields: int
    resource_hexes: int
    city: dict[str, int]
    hexsides: dict[str, int]
    routes: dict[str, int]


class Meta(msgspec.Struct, frozen=True, kw_only=True):
    """Head of the file."""

    counts: Counts


class WholeMap(MapFile, frozen=True, kw_only=True):
    """Everything that the checks need."""

    japanese_empire: Empire
    meta: Meta

    @property
    def playable(self) -> dict[HexId, HexRow]:
        """Return the playable hexes."""
        return {h: row for h, row in self.hexes.items() if row.kind.value != "unplayable"}

    @property
    def land(self) -> dict[HexId, HexRow]:
        """Return the hexes with playable land."""
        return {h: row for h, row in self.hexes.items() if row.landmass is not None}


def whole_map() -> WholeMap:
    """Return the packaged map."""
    return decode(map_file.FILE, content(map_file.FILE), WholeMap)

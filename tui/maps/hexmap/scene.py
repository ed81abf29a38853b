"""The contents of a hex map, for any game. Presenters build it, and the drawing code reads it."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import cached_property, lru_cache
from typing import Final

import msgspec
from msgspec.structs import replace

from engine.kernel.hexgrid import HexGrid
from tui.drawing.colour_roles import GroundRole, OverlayRole, TextRole
from tui.maps.enums import HIGHLIGHT_TINTS, Highlight, Owner
from tui.maps.hexmap.elements import (
    Caption,
    EdgeMark,
    Fill,
    MapCounter,
    Outline,
    Ring,
    Swatch,
    Track,
)

Place = tuple[int, int]
"""Column and row of a hex."""
Side = tuple[int, int, str]
"""Column and row of a hex, and the name of one of its hexsides."""
Border = tuple[Outline, TextRole]


class HexGround(StrEnum):
    """Terrain of a hex. The value is the character that fills its empty part."""

    SEA = " "
    COAST = "~"
    OPEN = "."
    MIXED = "%"
    JUNGLE = '"'
    MOUNTAIN = "^"
    # Two blanks, because an enum member with the same value as SEA would be an alias of SEA.
    VOID = " " * 2
    """A hex that is not part of the game. It is drawn blank and without an outline."""


DEFAULT_FLOORS: Final = {
    HexGround.SEA: GroundRole.SEA,
    HexGround.COAST: GroundRole.ATOLL,
    HexGround.OPEN: GroundRole.OPEN,
    HexGround.MIXED: GroundRole.MIXED,
    HexGround.JUNGLE: GroundRole.JUNGLE,
    HexGround.MOUNTAIN: GroundRole.MOUNTAIN,
    HexGround.VOID: GroundRole.OUTSIDE,
}
"""The default background colour of each terrain."""


class HexCell(msgspec.Struct, frozen=True, kw_only=True):
    """One hex as displayed. All texts are plain ASCII or sanitised."""

    id: str
    """The hex number, as printed on the map."""
    ground: HexGround = HexGround.SEA
    floor: GroundRole = GroundRole.NONE
    """Background colour; NONE for the terrain's default colour."""
    symbols: str = ""
    """Bases and similar features, one letter each, most important first, such as ``PA*``."""
    name: str = ""
    is_city: bool = False
    """True if the hex contains a city. Its name is then emphasised."""
    name_lines: tuple[str, ...] = ()
    """The name split into two lines, used if one line is too short; empty to split it automatically."""
    owner: Owner = Owner.NONE
    """The side that controls the hex. `owner_mark` must be that side's letter."""
    owner_mark: str = ""
    """One letter for the owner, because colour must not be the only cue."""
    highlight: Highlight = Highlight.NONE
    tag: str = ""
    """A number shown next to the highlight, such as the cost of moving to this hex."""
    tint: OverlayRole = OverlayRole.NONE
    """Reason for highlighting the ground; shown as a colour or, without background colours, as scattered marks."""
    fills: tuple[Fill, ...] = ()
    """Fills of the areas that include the hex, topmost last."""
    counters: tuple[MapCounter, ...] = ()
    """Counters in the hex, most important first."""
    units: tuple[MapCounter, ...] = ()
    """Individual units for the detail zoom; empty to use `counters`."""

    @property
    def paint(self) -> tuple[GroundRole, OverlayRole]:
        """Background colour and tint.

        The highlight overrides all tints and fills except the tints NEAR and FAR.
        """
        tint = self.tint
        if tint not in (OverlayRole.NEAR, OverlayRole.FAR):
            tint = HIGHLIGHT_TINTS[self.highlight] or tint
        if not tint and self.fills:
            tint = self.fills[-1].tint
        return self.floor or DEFAULT_FLOORS[self.ground], tint


@lru_cache(maxsize=64)
def _area_borders(grid: HexGrid, hexes: frozenset[str]) -> tuple[tuple[Place, int, Place], ...]:
    """Return the hexsides along an area's border, each as the inner hex, the index of the side, and the outer hex."""
    area = {grid.coordinates(name) for name in hexes}
    steps = (
        (inside_hex, number, grid.neighbour(*inside_hex, number))
        for inside_hex in area
        for number in range(6)
    )
    return tuple(step for step in steps if step[2] not in area)


class HexScene(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """All hexes of a map, and their grid."""

    grid: HexGrid
    cells: Mapping[str, HexCell]
    """The hexes by id. Missing ids are off the map."""
    first_column: int
    first_row: int
    columns: int
    rows: int
    rings: tuple[Ring, ...] = ()
    """Outlines of areas, topmost last."""
    edge_marks: tuple[EdgeMark, ...] = ()
    """Highlighted hexsides, drawn over all rings."""
    tracks: tuple[Track, ...] = ()
    captions: tuple[Caption, ...] = ()
    """The names of seas and countries."""
    swatches: tuple[Swatch, ...] = ()
    """Legend entries for the tints in use."""
    names: Mapping[Place, str] = {}
    """Hex ids by column and row."""

    @property
    def legend(self) -> str:
        """One line that explains the marks of the tints and background colours in use."""
        return "  ".join(f"{swatch.mark[0]} {swatch.name}" for swatch in self.swatches)

    @property
    def last_column(self) -> int:
        """The highest column number."""
        return self.first_column + self.columns - 1

    @property
    def last_row(self) -> int:
        """The highest row number."""
        return self.first_row + self.rows - 1

    @cached_property
    def borders(self) -> Mapping[Side, Border]:
        """The special borders. Each is stored under both adjacent hexes, even if one of them is off the map."""
        grid, borders = self.grid, dict[Side, Border]()

        def add(inside_hex: Place, number: int, outer_place: Place, border: Border) -> None:
            # The sides are numbered around the hex, so the opposite side's number differs by three.
            opposite_side = grid.sides[number - 3]
            borders[*inside_hex, grid.sides[number]] = borders[*outer_place, opposite_side] = border

        for ring in self.rings:
            for step in _area_borders(grid, ring.hexes):
                add(*step, (ring.outline, ring.tone))
        for mark in self.edge_marks:
            inside_hex, number = grid.coordinates(mark.hex), grid.sides.index(mark.side)
            add(inside_hex, number, grid.neighbour(*inside_hex, number), (mark.outline, mark.tone))
        return borders

    def has_same_frame(self, other_scene: "HexScene") -> bool:
        """Return whether two scenes are equal, apart from their hexes."""
        return (
            self.rings == other_scene.rings
            and self.edge_marks == other_scene.edge_marks
            and self.tracks == other_scene.tracks
            and self.captions == other_scene.captions
            and self.swatches == other_scene.swatches
        )

    def cell_at(self, column: int, row: int) -> HexCell | None:
        """Return the hex at these map coordinates; None if the coordinates are off the map."""
        name = self.names.get((column, row))
        return None if name is None else self.cells.get(name)


def fill_area(cells: dict[str, HexCell], hexes: Iterable[str], fill: Fill) -> None:
    """Add a fill to an area's hexes, above their existing fills. Hexes that are off the map are ignored."""
    for name in hexes:
        if name in cells:
            cells[name] = replace(cells[name], fills=(*cells[name].fills, fill))


def add_counters(cells: dict[str, HexCell], counters: Mapping[str, Iterable[MapCounter]]) -> None:
    """Add counters to their hexes, below the existing counters. Hexes that are off the map are ignored."""
    for name, count in counters.items():
        if name in cells:
            cells[name] = replace(cells[name], counters=(*cells[name].counters, *count))


def build_scene(
    grid: HexGrid,
    cells: Mapping[str, HexCell],
    *,
    rings: Iterable[Ring] = (),
    edge_marks: Iterable[EdgeMark] = (),
    tracks: Iterable[Track] = (),
    captions: Iterable[Caption] = (),
    swatches: Iterable[Swatch] = (),
) -> HexScene:
    """Build a scene that is just large enough for the given hexes. At least one hex is required."""
    places = [grid.coordinates(name) for name in cells]
    columns = [column for column, _ in places]
    rows = [row for _, row in places]
    return HexScene(
        grid=grid,
        cells=cells,
        first_column=min(columns),
        first_row=min(rows),
        columns=max(columns) - min(columns) + 1,
        rows=max(rows) - min(rows) + 1,
        rings=tuple(rings),
        edge_marks=tuple(edge_marks),
        tracks=tuple(tracks),
        captions=tuple(captions),
        swatches=tuple(swatches),
        names=dict(zip(places, cells, strict=True)),
    )

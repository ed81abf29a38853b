"""What a hex map shows, in words that no game owns; presenters build it, the drawing reads it."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import cached_property, lru_cache
from typing import Final

import msgspec
from msgspec.structs import replace

from engine.kernel.hexgrid import HexGrid
from tui.hexmap.elements import Caption, Counter, EdgeMark, Fill, Outline, Ring, Swatch, Track
from tui.marks import HIGHLIGHT_TINTS, Highlight, Owner
from tui.tones import Floor, Tint, Tone

Place = tuple[int, int]
"""Column and row."""
Side = tuple[int, int, str]
"""Column, row and the name of the side."""
Border = tuple[Outline, Tone]


class Ground(StrEnum):
    """How the empty part of a hex is filled; the value is the fill character."""

    SEA = " "
    COAST = "~"
    OPEN = "."
    MIXED = "%"
    JUNGLE = '"'
    MOUNTAIN = "^"
    VOID = " " * 2
    """Not part of the game: drawn blank, without outline."""


FLOORS: Final = {
    Ground.SEA: Floor.SEA,
    Ground.COAST: Floor.ATOLL,
    Ground.OPEN: Floor.OPEN,
    Ground.MIXED: Floor.MIXED,
    Ground.JUNGLE: Floor.JUNGLE,
    Ground.MOUNTAIN: Floor.MOUNTAIN,
    Ground.VOID: Floor.OUTSIDE,
}
"""What a hex is painted with that names no floor of its own."""


class HexCell(msgspec.Struct, frozen=True, kw_only=True):
    """One hex as it is shown; every text is plain ASCII or cleaned."""

    id: str
    """Number as printed on the map."""
    ground: Ground = Ground.SEA
    floor: Floor = Floor.NONE
    """How the ground is painted; NONE for what its terrain says."""
    symbols: str = ""
    """Bases and the like, one letter each, the weightiest first, such as ``PA*``."""
    name: str = ""
    is_city: bool = False
    """The name stands out."""
    fold: tuple[str, ...] = ()
    """The name on two lines, where it does not fit on one; empty to fold it at a blank."""
    owner: Owner = Owner.NOBODY
    """Side that controls the hex; also told by `owner_mark`."""
    owner_mark: str = ""
    """One letter for the owner, because colour alone must not tell it."""
    highlight: Highlight = Highlight.NONE
    tag: str = ""
    """A number beside the highlight, such as the cost to get here."""
    tint: Tint = Tint.NONE
    """Why the ground stands out; painted over it, or strewn as a letter where there are no backgrounds."""
    fills: tuple[Fill, ...] = ()
    """Areas that the hex belongs to, the topmost last."""
    counters: tuple[Counter, ...] = ()
    """What lies here, the weightiest first."""
    units: tuple[Counter, ...] = ()
    """What lies here one by one, for the detail zoom; empty for the counters."""

    @property
    def paint(self) -> tuple[Floor, Tint]:
        """Return what the ground is painted with: tints of reach, else highlight, other tint or fill."""
        tint = self.tint
        if tint not in (Tint.NEAR, Tint.FAR):
            tint = HIGHLIGHT_TINTS[self.highlight] or tint
        if not tint and self.fills:
            tint = self.fills[-1].tint
        return self.floor or FLOORS[self.ground], tint


@lru_cache(maxsize=64)
def _outline(grid: HexGrid, hexes: frozenset[str]) -> tuple[tuple[Place, int, Place], ...]:
    """Return the steps out of an area: a hex, the number of its side, the hex beyond."""
    inside = {grid.coordinates(name) for name in hexes}
    steps = (
        (here, number, grid.neighbour(*here, number)) for here in inside for number in range(6)
    )
    return tuple(step for step in steps if step[2] not in inside)


class HexScene(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """All hexes of a map in their grid."""

    grid: HexGrid
    cells: Mapping[str, HexCell]
    """By hex id; what is absent is off the map."""
    first_column: int
    first_row: int
    columns: int
    rows: int
    rings: tuple[Ring, ...] = ()
    """Outlines of areas, the topmost last."""
    edge_marks: tuple[EdgeMark, ...] = ()
    """Sides that stand out, above all rings."""
    tracks: tuple[Track, ...] = ()
    captions: tuple[Caption, ...] = ()
    """Names of seas and countries."""
    swatches: tuple[Swatch, ...] = ()
    """What the tints in use mean."""
    names: Mapping[Place, str] = {}
    """Hex ids by column and row."""

    @property
    def legend(self) -> str:
        """Return one line that explains the tints and floors in use by the marks that stand for them."""
        return "  ".join(f"{one.mark[0]} {one.name}" for one in self.swatches)

    @property
    def last_column(self) -> int:
        """Return the highest number of a column."""
        return self.first_column + self.columns - 1

    @property
    def last_row(self) -> int:
        """Return the highest number of a row."""
        return self.first_row + self.rows - 1

    @cached_property
    def borders(self) -> Mapping[Side, Border]:
        """Return how borders look that are not plain, from both sides; a hex beside may lie off the map."""
        grid, found = self.grid, dict[Side, Border]()

        def add(here: Place, number: int, there: Place, border: Border) -> None:
            found[*here, grid.sides[number]] = found[*there, grid.sides[number - 3]] = border

        for ring in self.rings:
            for step in _outline(grid, ring.hexes):
                add(*step, (ring.outline, ring.tone))
        for mark in self.edge_marks:
            here, number = grid.coordinates(mark.hex), grid.sides.index(mark.side)
            add(here, number, grid.neighbour(*here, number), (mark.outline, mark.tone))
        return found

    def looks_like(self, other: "HexScene") -> bool:
        """Return whether nothing but hexes differs from another scene."""
        return (
            self.rings == other.rings
            and self.edge_marks == other.edge_marks
            and self.tracks == other.tracks
            and self.captions == other.captions
            and self.swatches == other.swatches
        )

    def at(self, column: int, row: int) -> HexCell | None:
        """Return the hex with these map coordinates, None off the map."""
        name = self.names.get((column, row))
        return None if name is None else self.cells.get(name)


def fill_area(cells: dict[str, HexCell], hexes: Iterable[str], fill: Fill) -> None:
    """Fill those hexes of an area that the map has, above what fills them already."""
    for name in hexes:
        if name in cells:
            cells[name] = replace(cells[name], fills=(*cells[name].fills, fill))


def put_counters(cells: dict[str, HexCell], counters: Mapping[str, Iterable[Counter]]) -> None:
    """Lay counters into those hexes that the map has, below those that lie there already."""
    for name, more in counters.items():
        if name in cells:
            cells[name] = replace(cells[name], counters=(*cells[name].counters, *more))


def scene_of(
    grid: HexGrid,
    cells: Mapping[str, HexCell],
    *,
    rings: Iterable[Ring] = (),
    edge_marks: Iterable[EdgeMark] = (),
    tracks: Iterable[Track] = (),
    captions: Iterable[Caption] = (),
    swatches: Iterable[Swatch] = (),
) -> HexScene:
    """Return a scene that just holds the given hexes; at least one is needed."""
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

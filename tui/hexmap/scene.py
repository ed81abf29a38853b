"""What a hex map shows, in words that no game owns; presenters build it, the drawing reads it."""

from collections.abc import Mapping
from enum import StrEnum

import msgspec

from engine.kernel.hexgrid import HexGrid
from tui.marks import Highlight, Owner


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


class HexCell(msgspec.Struct, frozen=True, kw_only=True):
    """One hex as it is shown; every text is plain ASCII or cleaned."""

    id: str
    """Number as printed on the map."""
    ground: Ground = Ground.SEA
    symbols: str = ""
    """Bases and cities, one letter each, the weightiest first, such as ``PA*``."""
    brief: str = ""
    """Who is here in two characters, for the overview: ``J3``."""
    lines: tuple[str, ...] = ()
    """Up to two short lines for the operational zoom: name, stack."""
    details: tuple[str, ...] = ()
    """Up to four lines for the detail zoom: name, units with values."""
    owner: Owner = Owner.NOBODY
    """Side that controls the hex; also told by `owner_mark`."""
    owner_mark: str = ""
    """One letter for the owner, because colour alone must not tell it."""
    occupant: Owner = Owner.NOBODY
    """Side of the units that `brief` and the stack line tell of."""
    shade: Owner = Owner.NOBODY
    """Side whose zone or range fills the hex."""
    shade_mark: str = ":"
    """Character of the shading, so that it shows without colour."""
    highlight: Highlight = Highlight.NONE
    tag: str = ""
    """A number beside the highlight, such as the cost to get here."""


class HexScene(msgspec.Struct, frozen=True, kw_only=True):
    """All hexes of a map in their grid."""

    grid: HexGrid
    cells: Mapping[str, HexCell]
    """By hex id; what is absent is off the map."""
    first_column: int
    first_row: int
    columns: int
    rows: int

    def at(self, column: int, row: int) -> HexCell | None:
        """Return the hex with these map coordinates, None off the map."""
        return self.cells.get(self.grid.name(column, row))


def scene_of(grid: HexGrid, cells: Mapping[str, HexCell]) -> HexScene:
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
    )

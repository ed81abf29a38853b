"""One line of a map drawing, for hexes of either orientation."""

from abc import ABC, abstractmethod

from tui.drawing.colour_roles import TextRole
from tui.hexmap.geometry import HexStyle, hex_offset
from tui.hexmap.names import PlacedName, placed_name
from tui.hexmap.pieces import BARE, Cell, Paint, overwrite
from tui.hexmap.scene import HexCell, HexGround, HexScene, Place

Bare = dict[tuple[object, ...], tuple[Cell, ...]]
"""Cache of empty hexes' lines, keyed by everything that affects their appearance."""


def is_shown(cell: HexCell | None) -> bool:
    """Return whether a hex has an outline."""
    return cell is not None and cell.ground is not HexGround.VOID


class MapLine(ABC):
    """One line of the map, from one column to another."""

    def __init__(self, scene: HexScene, hex_style: HexStyle, y: int, bare: Bare) -> None:
        """Store the parameters of the line; `cells` draws it.

        Args:
            scene: The hexes.
            hex_style: Settings for drawing them.
            y: Index of the line.
            bare: Cache of empty hexes; this line adds to it.
        """
        self.scene = scene
        self.hex_style = hex_style
        self.shape = hex_style.shape
        self.y = y
        self.bare_cells = bare

    def place(self, column: int) -> tuple[int, int]:
        """Return the map row that this line crosses in a column, and the index of the line within that hex."""
        down = hex_offset(self.scene, self.shape, column, 0).y
        row, line = divmod(self.y - self.shape.roof - down, self.shape.height)
        return self.scene.first_row + row, line

    def neighbour(self, column: int, row: int, side: str) -> Place:
        """Return the coordinates of the neighbour across a side."""
        grid = self.scene.grid
        return grid.neighbour(column, row, grid.sides.index(side))

    def paint(self, cell: HexCell | None) -> Paint:
        """Return the ground of a hex, or no ground off the map."""
        return BARE if cell is None else cell.paint

    @abstractmethod
    def cells(self, first: int, last: int) -> list[Cell]:
        """Return the cells of the line up to the right edge of `last`, with blanks before the left edge of `first`.

        Args:
            first: First column to draw, counted from the left.
            last: Last column to draw, counted from the left.
        """

    # -- names

    def name(self, column: int, row: int, line: int, cell: HexCell) -> PlacedName | None:
        """Return the part of a hex's name that is on this line; None if there is none."""
        if not cell.name:
            return None
        return placed_name(cell, self.hex_style, line, lambda: self.room(column, row, line))

    @abstractmethod
    def room(self, column: int, row: int, line: int) -> tuple[int, int]:
        """Return the number of cells that the name may extend beyond its hex on the left and on the right."""


def write_name(cells: list[Cell], at: int, words: PlacedName, cell: HexCell) -> None:
    """Write a name over the cells of its hex and, if it is long, over those of the neighbouring hexes."""
    overwrite(
        cells, at + words.offset, words.text, TextRole.CITY if cell.is_city else TextRole.NAME
    )

"""The base class that draws one line of a map, for hexes of either orientation."""

from abc import ABC, abstractmethod

from tui.drawing.colour_roles import TextRole
from tui.maps.hexmap.geometry import HexStyle, hex_offset
from tui.maps.hexmap.rendering.names import PlacedName, placed_name
from tui.maps.hexmap.scene import HexCell, HexGround, HexScene, Place
from tui.maps.pieces import UNPAINTED, Cell, Paint, overwrite

EmptyHexCache = dict[tuple[object, ...], tuple[Cell, ...]]
"""Cache of drawn lines of empty hexes, keyed by everything that affects their appearance."""


def has_outline(cell: HexCell | None) -> bool:
    """Return whether a hex has an outline."""
    return cell is not None and cell.ground is not HexGround.VOID


class MapLine(ABC):
    """One line of the map. Any range of its columns can be drawn."""

    def __init__(
        self, scene: HexScene, hex_style: HexStyle, y: int, empty_hex_cache: EmptyHexCache
    ) -> None:
        """Store the line's parameters. The method `cells` draws the line.

        Args:
            scene: The hexes.
            hex_style: Settings for drawing the hexes.
            y: Index of the line.
            empty_hex_cache: Cache of empty hexes. This line adds entries to it.
        """
        self.scene = scene
        self.hex_style = hex_style
        self.shape = hex_style.shape
        self.y = y
        self.empty_hex_cache = empty_hex_cache

    def row_and_line(self, column: int) -> tuple[int, int]:
        """Return the row of the hex that this line crosses in a given column, and the line's index within that hex."""
        shift = hex_offset(self.scene, self.shape, column, 0).y
        row, line = divmod(self.y - self.shape.lines_above - shift, self.shape.height)
        return self.scene.first_row + row, line

    def neighbour(self, column: int, row: int, side: str) -> Place:
        """Return the coordinates of the neighbour across a side."""
        grid = self.scene.grid
        return grid.neighbour(column, row, grid.sides.index(side))

    def paint(self, cell: HexCell | None) -> Paint:
        """Return a hex's background colour and tint; `UNPAINTED` if the hex is off the map."""
        return UNPAINTED if cell is None else cell.paint

    @abstractmethod
    def cells(self, first_column: int, last_column: int) -> list[Cell]:
        """Return the cells of the line up to the right edge of `last_column`.

        The cells before the left edge of `first_column` are blank.

        Args:
            first_column: First column to draw, counted from the left.
            last_column: Last column to draw, counted from the left.
        """

    # -- names

    def name_on_line(self, column: int, row: int, line: int, cell: HexCell) -> PlacedName | None:
        """Return the part of a hex's name that belongs on this line; None if no part does."""
        if not cell.name:
            return None
        return placed_name(cell, self.hex_style, line, lambda: self.name_margins(column, row, line))

    @abstractmethod
    def name_margins(self, column: int, row: int, line: int) -> tuple[int, int]:
        """Return the number of cells by which a name may extend beyond its hex on the left and on the right."""


def write_name(cells: list[Cell], x: int, name: PlacedName, cell: HexCell) -> None:
    """Write a name over the cells of its hex. A long name continues over the neighbouring hexes."""
    overwrite(
        cells,
        x + name.offset,
        name.text,
        TextRole.CITY if cell.is_city else TextRole.NAME,
    )

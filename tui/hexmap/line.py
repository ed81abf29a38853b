"""One line of the drawing under construction, for hexes of either kind."""

from abc import ABC, abstractmethod

from tui.hexmap.geometry import Manner, shift
from tui.hexmap.names import Written, written
from tui.hexmap.pieces import BARE, Cell, Paint, put
from tui.hexmap.scene import Ground, HexCell, HexScene, Place
from tui.tones import Tone

Bare = dict[tuple[object, ...], tuple[Cell, ...]]
"""Lines of hexes in which nothing lies, by what they look like."""


def is_shown(cell: HexCell | None) -> bool:
    """Return whether a hex has an outline."""
    return cell is not None and cell.ground is not Ground.VOID


class Line(ABC):
    """A line of the map, from one place to another."""

    def __init__(self, scene: HexScene, manner: Manner, y: int, bare: Bare) -> None:
        """Prepare to draw.

        Args:
            scene: The hexes.
            manner: How they are drawn.
            y: Number of the line.
            bare: What was drawn before; grows.
        """
        self.scene = scene
        self.manner = manner
        self.shape = manner.shape
        self.y = y
        self.bare = bare

    def place(self, column: int) -> tuple[int, int]:
        """Return the map row and the line inside the hex that this line crosses in a column."""
        down = shift(self.scene, self.shape, column, 0).y
        row, line = divmod(self.y - self.shape.roof - down, self.shape.height)
        return self.scene.first_row + row, line

    def beside(self, column: int, row: int, side: str) -> Place:
        """Return the coordinates across a side."""
        grid = self.scene.grid
        return grid.neighbour(column, row, grid.sides.index(side))

    def paint(self, cell: HexCell | None) -> Paint:
        """Return the ground of a place, which may lie off the map."""
        return BARE if cell is None else cell.paint

    @abstractmethod
    def cells(self, first: int, last: int) -> list[Cell]:
        """Return the line from cell 0 to the right edge of a place, blank up to the left edge of another one.

        Args:
            first: Place, counted from the left.
            last: Place.
        """

    # -- names

    def name(self, column: int, row: int, line: int, cell: HexCell) -> Written | None:
        """Return what of the name stands in a line of its hex."""
        if not cell.name:
            return None
        return written(cell, self.manner, line, lambda: self.room(column, row, line))

    @abstractmethod
    def room(self, column: int, row: int, line: int) -> tuple[int, int]:
        """Return the free cells at the left and the right of a hex, into which its name may run."""


def write(cells: list[Cell], at: int, words: Written, cell: HexCell) -> None:
    """Write a name over the cells of its hex and, if it is long, of those beside."""
    put(cells, at + words.offset, words.text, Tone.CITY if cell.is_city else Tone.NAME)

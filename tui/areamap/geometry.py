"""Where a place lies among the character cells at each zoom, and which ways links take.

A place is a box; the gaps right of it and below it belong to the links. A link between places that are not
next to each other in the grid runs through empty squares, at most one link through each.
"""

from functools import cache
from typing import Final

import msgspec

from tui.areamap.scene import AreaScene
from tui.marks import Zoom

Square = tuple[int, int]
"""Column and row of the grid."""
_STEPS: Final = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))


class Shape(msgspec.Struct, frozen=True):
    """Size of one place in character cells, without the gaps."""

    width: int
    height: int
    gap: int
    """Lines between two rows; columns are always one character apart."""
    rim: int
    """Characters at the left and the right edge that tell where the map goes on."""

    middle: int
    """Line of a place at which links to its left and right run."""

    @property
    def pitch(self) -> int:
        """Return the distance of two columns."""
        return self.width + 1

    @property
    def line(self) -> int:
        """Return the distance of two rows."""
        return self.height + self.gap


SHAPES: Final = {
    Zoom.OVERVIEW: Shape(width=4, height=2, gap=0, rim=5, middle=0),
    Zoom.OPERATIONAL: Shape(width=7, height=2, gap=1, rim=4, middle=0),
    Zoom.DETAIL: Shape(width=12, height=4, gap=1, rim=5, middle=2),
}


def map_size(scene: AreaScene, shape: Shape) -> tuple[int, int]:
    """Return columns and lines of the whole drawing."""
    return scene.columns * shape.pitch + 2 * shape.rim, scene.rows * shape.line


def corner(shape: Shape, square: Square) -> tuple[int, int]:
    """Return the first character cell of a square."""
    return shape.rim + square[0] * shape.pitch, square[1] * shape.line


def square_at(shape: Shape, x: int, y: int) -> Square:
    """Return the square that owns a character cell; it may lie off the map."""
    return (x - shape.rim) // shape.pitch, y // shape.line


def best_zoom(scene: AreaScene, width: int, height: int) -> Zoom:
    """Return the nearest zoom at which the whole map fits, the overview when none does."""
    for zoom in sorted(Zoom, reverse=True):
        columns, lines = map_size(scene, SHAPES[zoom])
        if columns <= width and lines <= height:
            return zoom
    return Zoom.OVERVIEW


class Way(msgspec.Struct, frozen=True):
    """How a link is drawn: the squares it visits, ends included."""

    squares: tuple[Square, ...]
    mark: str


def ways(scene: AreaScene) -> tuple[Way, ...]:
    """Return how the links run that can be drawn; the others are left to the list of neighbours."""
    return _ways(
        frozenset(scene.at),
        scene.columns,
        scene.rows,
        tuple(
            (
                (scene.cells[link.one].column, scene.cells[link.one].row),
                (scene.cells[link.other].column, scene.cells[link.other].row),
                link.mark,
            )
            for link in scene.links
        ),
    )


@cache
def _ways(
    taken: frozenset[Square],
    columns: int,
    rows: int,
    links: tuple[tuple[Square, Square, str], ...],
) -> tuple[Way, ...]:
    used = set(taken)
    found = []
    for start, end, mark in sorted(links, key=lambda link: _distance(link[0], link[1])):
        path = _path(start, end, used, columns, rows)
        if path:
            used.update(path[1:-1])
            found.append(Way(path, mark))
    return tuple(found)


def _distance(one: Square, other: Square) -> int:
    return max(abs(one[0] - other[0]), abs(one[1] - other[1]))


def _path(
    start: Square, end: Square, used: set[Square], columns: int, rows: int
) -> tuple[Square, ...]:
    """Return the shortest way through free squares, straight steps first; empty when it takes more than one."""
    if _distance(start, end) <= 1:
        return (start, end)
    for dx, dy in _STEPS:
        middle = (start[0] + dx, start[1] + dy)
        inside = 0 <= middle[0] < columns and 0 <= middle[1] < rows
        if inside and middle not in used and _distance(middle, end) == 1:
            return (start, middle, end)
    return ()

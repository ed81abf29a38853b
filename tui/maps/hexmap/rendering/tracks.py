"""Draws tracks as straight lines between hex centres, but not over counters or numbers."""

from collections.abc import Iterator
from itertools import pairwise

from tui.maps.hexmap.geometry import Shape, hex_centre
from tui.maps.hexmap.scene import HexScene
from tui.maps.pieces import Cell, is_coverable, overwrite

_CELL_HEIGHT = 2
"""Approximate ratio of a cell's height to its width."""


def _crossed_cells(start: tuple[int, int], end: tuple[int, int], y: int) -> Iterator[int]:
    """Yield the columns of the cells where a straight line crosses line `y` of the drawing."""
    (x1, y1), (x2, y2) = start, end
    dx, dy = x2 - x1, y2 - y1
    if not min(y1, y2) <= y <= max(y1, y2):
        return
    if abs(dx) <= _CELL_HEIGHT * abs(dy):
        yield x1 + round(dx * (y - y1) / dy) if dy else x1
        return
    for x in range(min(x1, x2), max(x1, x2) + 1):
        # Use every other cell, because two cells are about as wide as one line is high.
        if y1 + round(dy * (x - x1) / dx) == y and (x - x1) % _CELL_HEIGHT == 0:
            yield x


def draw_tracks(scene: HexScene, shape: Shape, cells: list[Cell], y: int) -> None:
    """Draw the tracks where they cross a line, without covering names, numbers, counters or rings."""
    for track in scene.tracks:
        centres = [hex_centre(scene, shape, *scene.grid.coordinates(name)) for name in track.hexes]
        for start, end in pairwise(centres):
            for x in _crossed_cells(start, end, y):
                if 0 <= x < len(cells) and is_coverable(cells[x]):
                    overwrite(cells, x, track.mark, track.tone)

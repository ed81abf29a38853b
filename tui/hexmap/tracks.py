"""Draws tracks: straight lines between the middles of hexes, over empty ground only."""

from collections.abc import Iterable, Iterator
from itertools import pairwise

from tui.hexmap.geometry import Shape, middle
from tui.hexmap.pieces import Piece
from tui.hexmap.scene import HexScene
from tui.tones import Tone

_UNDER = frozenset(
    {
        Tone.GRID,
        Tone.SEA,
        Tone.LAND,
        Tone.ROUGH,
        Tone.SHADE_ONE,
        Tone.SHADE_TWO,
        Tone.SCAN,
        Tone.SCAN_FAR,
        Tone.ZONE,
        Tone.TRACK,
    }
)
"""What a track covers; names, numbers, counters and rings stay."""
_CELL_HEIGHT = 2
"""A cell is about twice as high as wide."""


def _cells(start: tuple[int, int], end: tuple[int, int], y: int) -> Iterator[int]:
    """Yield the cells of a straight line in one line of the drawing."""
    (x1, y1), (x2, y2) = start, end
    dx, dy = x2 - x1, y2 - y1
    if not min(y1, y2) <= y <= max(y1, y2):
        return
    if abs(dx) <= _CELL_HEIGHT * abs(dy):
        yield x1 + round(dx * (y - y1) / dy) if dy else x1
        return
    for x in range(min(x1, x2), max(x1, x2) + 1):
        if y1 + round(dy * (x - x1) / dx) == y and (x - x1) % _CELL_HEIGHT == 0:
            yield x


def with_tracks(scene: HexScene, shape: Shape, pieces: Iterable[Piece], y: int) -> list[Piece]:
    """Return a line of the drawing, from its first cell, with the tracks that cross it."""
    marks: dict[int, Piece] = {}
    for track in scene.tracks:
        ends = [middle(scene, shape, *scene.grid.coordinates(name)) for name in track.hexes]
        for start, end in pairwise(ends):
            marks |= dict.fromkeys(_cells(start, end, y), (track.mark, track.tone))
    if not marks:
        return list(pieces)
    letters = [(letter, tone) for text, tone in pieces for letter in text]
    for x, mark in marks.items():
        if 0 <= x < len(letters) and letters[x][1] in _UNDER:
            letters[x] = mark
    return letters

"""Draws a scene line by line. The result depends only on the scene, zoom, cursor and palette."""

from collections.abc import Collection
from typing import Final

from textual.strip import Strip

from tui.drawing.palette import Palette
from tui.hexmap.captions import PlacedCaptions
from tui.hexmap.flat_topped import FlatToppedLine
from tui.hexmap.geometry import SHAPES, HexStyle, hex_middle, hex_origin
from tui.hexmap.line import Bare
from tui.hexmap.outline import draw_cursor_frame
from tui.hexmap.pieces import EMPTY, Cell, segments
from tui.hexmap.pointy_topped import PointyToppedLine
from tui.hexmap.scene import HexScene
from tui.hexmap.tracks import draw_tracks
from tui.map_enums import Zoom

_MARGIN: Final = 4
"""Extra columns drawn on either side of the visible ones, so that short scrolls need no redrawing."""


class MapRenderer:
    """A drawing of a map. Its lines are cached without the cursor."""

    def __init__(self, scene: HexScene, zoom: Zoom, *, has_backgrounds: bool) -> None:
        """Create an empty drawing.

        Args:
            scene: The hexes.
            zoom: Level of detail.
            has_backgrounds: True if background colours show the terrain.
        """
        self.scene = scene
        self.hex_style = HexStyle(SHAPES[scene.grid.top][zoom], zoom, has_backgrounds)
        self._lines: dict[int, list[Cell]] = {}
        self._bare_cells: Bare = {}
        self._drawn = 0, -1
        """First and last column of the cached lines, counted from the left."""
        self._captions: PlacedCaptions | None = None
        self._written: dict[int, tuple[list[Cell], list[Cell]]] = {}
        """The cells of each line, first without captions, then with them."""
        self._strips: tuple[object, dict[int, tuple[list[Cell], Strip]]] = None, {}
        """A horizontal section, and its strips by line, each paired with the cells that it was rendered from."""

    def line(self, y: int) -> list[Cell]:
        """Return a line of the unscrolled drawing from its first cell. Columns not yet drawn are blank."""
        cells = self._cached_line(y)
        if not self.scene.captions or self.hex_style.zoom is not Zoom.OVERVIEW:
            return cells
        if self._captions is None:
            self.ensure_drawn(0, self.scene.columns * self.hex_style.shape.pitch)
            self._captions = PlacedCaptions(self.scene.captions, self._middle, self._cached_line)
            cells = self._cached_line(y)
        bare, written = self._written.get(y, (None, cells))
        if bare is not cells:
            written = list(cells)
            self._captions.write(written, y)
            self._written[y] = cells, written
        return written

    def ensure_drawn(self, x: int, width: int) -> None:
        """Ensure that the cached lines cover these cells, including long names that extend into them."""
        pitch, columns = self.hex_style.shape.pitch, self.scene.columns
        first = max(x // pitch - 1, 0)
        last = min((x + width) // pitch + 1, columns)
        if self._drawn[0] <= first and last <= self._drawn[1]:
            return
        self._lines.clear()
        self._drawn = max(first - _MARGIN, 0), min(last + _MARGIN, columns)

    def _cached_line(self, y: int) -> list[Cell]:
        """Return a line without captions, drawing it if necessary."""
        known = self._lines.get(y)
        if known is None:
            known = self._lines[y] = self._draw(y)
        return known

    def _middle(self, place: str) -> tuple[int, int]:
        return hex_middle(self.scene, self.hex_style.shape, *self.scene.grid.coordinates(place))

    def _draw(self, y: int) -> list[Cell]:
        scene, hex_style = self.scene, self.hex_style
        kind = FlatToppedLine if hex_style.shape.is_flat_topped else PointyToppedLine
        cells = kind(scene, hex_style, y, self._bare_cells).cells(*self._drawn)
        if scene.tracks:
            draw_tracks(scene, hex_style.shape, cells, y)
        return cells

    def set_scene(self, scene: HexScene, changed: Collection[str]) -> None:
        """Switch to another scene of the same map. Only the affected lines are dropped from the cache.

        Args:
            scene: The hexes.
            changed: The hexes whose appearance has changed.
        """
        self.scene = scene
        if not changed:
            return
        self._captions = None
        self._written.clear()
        shape = self.hex_style.shape
        for name in changed:
            top = hex_origin(scene, shape, *scene.grid.coordinates(name)).y
            for y in range(top, top + shape.height + 1):
                self._lines.pop(y, None)

    def strip(
        self, palette: Palette, y: int, x: int, width: int, cursor: str, *, is_lit: bool = True
    ) -> Strip:
        """Render one line of the map.

        Args:
            palette: Maps tones to styles.
            y: Line of the unscrolled drawing, from 0.
            x: First visible cell of the unscrolled drawing.
            width: Exact width of the strip, in cells.
            cursor: Hex to frame; empty if there is none.
            is_lit: True if the map has the focus, so that the frame is bright.
        """
        self.ensure_drawn(x, width)
        cells = self.line(y)
        framed = draw_cursor_frame(self.scene, self.hex_style, cells, y, cursor)
        # The frame moves with the cursor, so lines that contain it are not cached.
        if framed is not None:
            return self._to_strip(framed, palette if is_lit else palette.unfocused, x, width)
        key = palette, x, width
        if self._strips[0] != key:
            self._strips = key, {}
        known = self._strips[1].get(y)
        if known is None or known[0] is not cells:
            known = self._strips[1][y] = cells, self._to_strip(cells, palette, x, width)
        return known[1]

    def _to_strip(self, cells: list[Cell], palette: Palette, x: int, width: int) -> Strip:
        shown = cells[x : x + width]
        if len(shown) < width:
            shown += [EMPTY] * (width - len(shown))
        return Strip(segments(shown, palette), width)


def draw_line(
    scene: HexScene, zoom: Zoom, palette: Palette, y: int, x: int, width: int, cursor: str
) -> Strip:
    """Render one line of a map without using a cache."""
    sheet = MapRenderer(scene, zoom, has_backgrounds=palette.has_backgrounds)
    return sheet.strip(palette, y, x, width, cursor)

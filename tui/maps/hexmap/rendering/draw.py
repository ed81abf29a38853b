"""Draws a scene line by line. The result depends only on the scene, zoom, cursor and palette."""

from collections.abc import Collection
from typing import Final

from textual.strip import Strip

from tui.drawing.palette import Palette
from tui.maps.enums import Zoom
from tui.maps.hexmap.geometry import SHAPES, HexStyle, hex_centre, hex_origin
from tui.maps.hexmap.rendering.captions import PlacedCaptions
from tui.maps.hexmap.rendering.flat_topped import FlatToppedLine
from tui.maps.hexmap.rendering.line import EmptyHexCache
from tui.maps.hexmap.rendering.outline import draw_cursor_frame
from tui.maps.hexmap.rendering.pointy_topped import PointyToppedLine
from tui.maps.hexmap.rendering.tracks import draw_tracks
from tui.maps.hexmap.scene import HexScene
from tui.maps.pieces import BLANK_CELL, Cell, segments

_MARGIN: Final = 4
"""Number of extra columns drawn on either side of the view, so that short scrolls need no redrawing."""


class MapRenderer:
    """Renders a map and caches its lines. Cached lines do not include the cursor."""

    def __init__(self, scene: HexScene, zoom: Zoom, *, has_backgrounds: bool) -> None:
        """Create a renderer with an empty cache.

        Args:
            scene: The hexes.
            zoom: Level of detail.
            has_backgrounds: True if background colours show the terrain.
        """
        self.scene = scene
        self.hex_style = HexStyle(SHAPES[scene.grid.top][zoom], zoom, has_backgrounds)
        self._lines: dict[int, list[Cell]] = {}
        self._empty_hex_cache: EmptyHexCache = {}
        self._drawn_columns = 0, -1
        """First and last column in the cached lines, counted from the left."""
        self._captions: PlacedCaptions | None = None
        self._captioned_lines: dict[int, tuple[list[Cell], list[Cell]]] = {}
        """The cells of each line without captions, and with captions."""
        self._strips: tuple[object, dict[int, tuple[list[Cell], Strip]]] = None, {}
        """The key of the cached strips (palette, offset and width), and the cells and the strip of each cached line."""

    def line(self, y: int) -> list[Cell]:
        """Return a line of the unscrolled drawing from its first cell. Columns not yet drawn are blank."""
        cells = self._cached_line(y)
        if not self.scene.captions or self.hex_style.zoom is not Zoom.OVERVIEW:
            return cells
        if self._captions is None:
            self.ensure_drawn(0, self.scene.columns * self.hex_style.shape.pitch)
            self._captions = PlacedCaptions(
                self.scene.captions, self._hex_centre, self._cached_line
            )
            cells = self._cached_line(y)
        # A redrawn line is a new list, as in `strip`, so the captions are outdated if the list is a
        # different object.
        uncaptioned_cells, captioned = self._captioned_lines.get(y, (None, cells))
        if uncaptioned_cells is not cells:
            captioned = list(cells)
            self._captions.write(captioned, y)
            self._captioned_lines[y] = cells, captioned
        return captioned

    def ensure_drawn(self, x: int, width: int) -> None:
        """Ensure that cached lines include these columns and any long names that extend into the columns."""
        pitch, columns = self.hex_style.shape.pitch, self.scene.columns
        first_column = max(x // pitch - 1, 0)
        last_column = min((x + width) // pitch + 1, columns)
        if self._drawn_columns[0] <= first_column and last_column <= self._drawn_columns[1]:
            return
        self._lines.clear()
        self._drawn_columns = max(first_column - _MARGIN, 0), min(last_column + _MARGIN, columns)

    def _cached_line(self, y: int) -> list[Cell]:
        """Return a line without captions. If it is not cached, draw it."""
        cached_line = self._lines.get(y)
        if cached_line is None:
            cached_line = self._lines[y] = self._draw(y)
        return cached_line

    def _hex_centre(self, place: str) -> tuple[int, int]:
        return hex_centre(self.scene, self.hex_style.shape, *self.scene.grid.coordinates(place))

    def _draw(self, y: int) -> list[Cell]:
        scene, hex_style = self.scene, self.hex_style
        line_class = FlatToppedLine if hex_style.shape.is_flat_topped else PointyToppedLine
        cells = line_class(scene, hex_style, y, self._empty_hex_cache).cells(*self._drawn_columns)
        if scene.tracks:
            draw_tracks(scene, hex_style.shape, cells, y)
        return cells

    def set_scene(self, scene: HexScene, changed_hexes: Collection[str]) -> None:
        """Switch to another scene of the same map. Drop only the affected lines from the cache.

        Args:
            scene: The hexes.
            changed_hexes: The hexes whose appearance has changed.
        """
        self.scene = scene
        if not changed_hexes:
            return
        self._captions = None
        self._captioned_lines.clear()
        shape = self.hex_style.shape
        for name in changed_hexes:
            top = hex_origin(scene, shape, *scene.grid.coordinates(name)).y
            for y in range(top, top + shape.height + 1):
                self._lines.pop(y, None)

    def strip(
        self, palette: Palette, y: int, x: int, width: int, cursor: str, *, is_focused: bool = True
    ) -> Strip:
        """Render one line of the map.

        Args:
            palette: Maps tones to styles.
            y: Line of the unscrolled drawing, from 0.
            x: First visible cell of the unscrolled drawing.
            width: Exact width of the strip, in cells.
            cursor: Hex to frame; empty if there is none.
            is_focused: True if the map has the focus. The frame is then bright.
        """
        self.ensure_drawn(x, width)
        cells = self.line(y)
        framed_cells = draw_cursor_frame(self.scene, self.hex_style, cells, y, cursor)
        # The frame moves with the cursor, so lines that contain the frame are not cached.
        if framed_cells is not None:
            return self._to_strip(
                framed_cells, palette if is_focused else palette.unfocused, x, width
            )
        key = palette, x, width
        if self._strips[0] != key:
            self._strips = key, {}
        cached_strip = self._strips[1].get(y)
        # A redrawn line is a new list, so its strip is outdated if the list is a different object.
        if cached_strip is None or cached_strip[0] is not cells:
            cached_strip = self._strips[1][y] = cells, self._to_strip(cells, palette, x, width)
        return cached_strip[1]

    def _to_strip(self, cells: list[Cell], palette: Palette, x: int, width: int) -> Strip:
        visible_cells = cells[x : x + width]
        if len(visible_cells) < width:
            visible_cells += [BLANK_CELL] * (width - len(visible_cells))
        return Strip(segments(visible_cells, palette), width)


def draw_line(
    scene: HexScene, zoom: Zoom, palette: Palette, y: int, x: int, width: int, cursor: str
) -> Strip:
    """Render one line of a map without using a cache."""
    renderer = MapRenderer(scene, zoom, has_backgrounds=palette.has_backgrounds)
    return renderer.strip(palette, y, x, width, cursor)

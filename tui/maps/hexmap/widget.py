"""The widget that shows a hex map."""

from textual.geometry import Region, Size
from textual.strip import Strip
from typing_extensions import override

from tui.maps.hexmap.geometry import SHAPES, Shape, hex_at, hex_origin, map_size
from tui.maps.hexmap.legend import legend_strips
from tui.maps.hexmap.rendering.draw import MapRenderer
from tui.maps.hexmap.scene import HexGround, HexScene
from tui.maps.map_view import MapView

_MAX_SEPARATE_REPAINTS = 40
"""Maximum number of changed hexes that are repainted one by one. Above this number, the whole view is repainted."""
_LEGEND_ROWS = 2
_TWO_ROW_LEGEND_HEIGHT = 10
"""Minimum map height, in lines, for a legend with two rows."""


class HexMapView(MapView[HexScene]):
    """A hex map with a legend on its bottom lines."""

    _cached_renderer: MapRenderer | None = None

    @property
    def shape(self) -> Shape:
        """The size of a hex at the current zoom."""
        return SHAPES[self._scene.grid.top][self.zoom]

    @property
    @override
    def row_height(self) -> int:
        return self.shape.height

    @property
    @override
    def covered_lines(self) -> int:
        return _LEGEND_ROWS if self.size.height >= _TWO_ROW_LEGEND_HEIGHT else 1

    @override
    def contains(self, place: str) -> bool:
        return place in self._scene.cells

    @override
    def extent(self) -> Size:
        return Size(*map_size(self._scene, self.shape))

    @override
    def box(self, place: str) -> Region:
        origin = hex_origin(self._scene, self.shape, *self._scene.grid.coordinates(place))
        shape = self.shape
        return Region(origin.x, origin.y, shape.width(shape.half_height - 1) + 2, shape.height)

    @override
    def neighbour(self, columns: int, rows: int) -> str | None:
        column, row = self._scene.grid.coordinates(self.cursor)
        if self._scene.grid.columns_from_right:
            columns = -columns
        dx = (columns > 0) - (columns < 0)
        dy = (rows > 0) - (rows < 0)
        target = self._first_hex_towards(column + columns, row + rows, dx, dy)
        # A large cursor step that would pass the map edge ends at the edge.
        if target is None and abs(columns) + abs(rows) > 1:
            scene = self._scene
            edge_column = min(max(column + columns, scene.first_column), scene.last_column)
            edge_row = min(max(row + rows, scene.first_row), scene.last_row)
            target = self._first_hex_towards(edge_column, edge_row, -dx, -dy)
        return target

    @override
    def place_at(self, x: int, y: int) -> str:
        return self._scene.grid.name(*hex_at(self._scene, self.shape, x, y))

    @override
    def repaint(self, before: HexScene, cursor: str) -> None:
        """Repaint the changed hexes. If the cursor has moved, also repaint its old and new hex."""
        after = self._scene
        # Rings, tracks and captions can cross any hex, so every line must be drawn again.
        if not after.has_same_frame(before):
            self._cached_renderer = None
            self.refresh()
            return
        changed: list[str] = []
        if after is not before:
            changed += [
                name for name, cell in after.cells.items() if before.cells.get(name) != cell
            ]
            changed += [name for name in before.cells if name not in after.cells]
        if self._cached_renderer is not None:
            self._cached_renderer.set_scene(after, changed)
        if cursor != self.cursor:
            changed += [cursor, self.cursor]
        if len(changed) > _MAX_SEPARATE_REPAINTS:
            self.refresh()
        else:
            self.refresh_boxes(*(self._affected_area(name) for name in changed))

    @override
    def render_line(self, y: int) -> Strip:
        x, top = self.scroll_offset
        width = self.size.width
        strip = self._renderer().strip(
            self._palette, y + top, x, width, self.cursor, is_focused=self.has_focus
        )
        height = self.size.height
        if y < height - _LEGEND_ROWS:
            return strip
        strips = legend_strips(self._scene, self._palette, width, self.covered_lines)
        legend_row = y + len(strips) - height
        if legend_row < 0:
            return strip
        legend = strips[legend_row]
        return Strip.join([legend, strip.crop(legend.cell_length, width)]).crop(0, width)

    def _renderer(self) -> MapRenderer:
        """Return the cached renderer, or a new one if the scene, the zoom or the type of palette has changed."""
        renderer, zoom, has_backgrounds = (
            self._cached_renderer,
            self.zoom,
            self._palette.has_backgrounds,
        )
        if (
            renderer is None
            or renderer.scene is not self._scene
            or renderer.hex_style[1:] != (zoom, has_backgrounds)
        ):
            renderer = self._cached_renderer = MapRenderer(
                self._scene, zoom, has_backgrounds=has_backgrounds
            )
        return renderer

    def _affected_area(self, place: str) -> Region:
        """Return the area affected by a change to a hex: its box, its frame, and the cells that its name may cover."""
        return self.box(place).grow((1, self.shape.pitch, 1, self.shape.pitch))

    def _first_hex_towards(self, column: int, row: int, dx: int, dy: int) -> str | None:
        """Return the first playable hex in a direction, starting at a position; None if there is no playable hex."""
        scene = self._scene
        columns = range(scene.first_column, scene.first_column + scene.columns)
        rows = range(scene.first_row, scene.first_row + scene.rows)
        while column in columns and row in rows:
            cell = scene.cell_at(column, row)
            if cell is not None and cell.ground is not HexGround.VOID:
                return cell.id
            column, row = column + dx, row + dy
        return None

"""The widget that shows an area map."""

from itertools import compress, count
from operator import ne
from typing import Final

from textual import events
from textual.geometry import Region, Size
from textual.strip import Strip
from typing_extensions import override

from tui.maps.areamap.draw import Lines, draw_map, hidden_rows_text, render_strip
from tui.maps.areamap.geometry import ChartLayout, best_zoom, chart_layout, full_size
from tui.maps.areamap.paint import TerminalFeatures
from tui.maps.areamap.scene import AreaScene
from tui.maps.enums import Zoom
from tui.maps.map_view import MapView

_SIDEWAYS_WEIGHT = 3
"""Number of cells ahead that one cell of sideways offset counts as when a cursor key chooses the next place."""
_CELL_ASPECT = 2
"""Approximate ratio of a cell's height to its width."""
_MIN_MAP_LINES: Final = 7
"""Minimum number of lines of the map."""
_ROWS_PER_MAP: Final = 7
"""Approximate number of rows of places on a chart."""
_MAP_SHARE = 0.65
"""Fraction of the lines between the header and the keys that the map may use."""
_MIN_PANEL_LINES: Final = 11
"""Minimum number of lines for the panels below the map."""
_LINES_AROUND_MAP: Final = 3
"""Number of lines taken up by the header, the status bar and the keys."""


class AreaMapView(MapView[AreaScene]):
    """A map of touching places. It is as large as the screen allows unless the player has changed the zoom."""

    _lines: Lines = ()
    _drawn_inputs: (
        tuple[AreaScene, Zoom, str, tuple[int, int], TerminalFeatures, int | None] | None
    ) = None
    _fitting_zoom = Zoom.OPERATIONAL
    """The zoom that fits the size of the screen."""
    reserved_lines = 0
    """Number of screen lines reserved for another widget, such as a lesson card."""
    _available_size = (0, 0)
    """Number of columns and lines available for the map."""

    @property
    def ground(self) -> ChartLayout:
        """The positions of the places at the current size."""
        chart, (columns, lines) = self._scene.chart, self._available_size
        # A player who zooms out wants more lines for the panels, so the map does not fill the
        # screen.
        if self.zoom < self._fitting_zoom:
            lines = 0
        return chart_layout(chart, *full_size(chart, self.zoom, columns, lines))

    @property
    @override
    def row_height(self) -> int:
        return max(self.ground.height // _ROWS_PER_MAP, 1)

    @property
    def features(self) -> TerminalFeatures:
        """The capabilities of the terminal."""
        app = self.app if self.is_attached else None
        settings, terminal = getattr(app, "settings", None), getattr(app, "terminal", None)
        is_ascii = settings is None or settings.ascii_for(terminal)
        return TerminalFeatures(not is_ascii, self._palette.has_backgrounds)

    @property
    def lines(self) -> Lines:
        """The whole drawing, cached until one of its inputs changes."""
        layout = self.ground
        size = layout.width, layout.height
        inputs = (self._scene, self.zoom, self.cursor, size, self.features, self._last_visible_line)
        if self._drawn_inputs != inputs:
            self._lines = draw_map(*inputs)
            self._drawn_inputs = inputs
        return self._lines

    @property
    def _last_visible_line(self) -> int | None:
        """The lowest visible line of the drawing; None while the map has no height."""
        return self.scroll_offset.y + self.size.height - 1 if self.size.height else None

    @override
    def contains(self, place: str) -> bool:
        return place in self._scene.cells

    @override
    def extent(self) -> Size:
        layout = self.ground
        return Size(layout.width, layout.height)

    @override
    def box(self, place: str) -> Region:
        runs = self.ground.runs[place]
        left, right = min(run.start for run in runs), max(run.stop for run in runs)
        top, bottom = runs[0].y, runs[-1].y + 1
        return Region(left, top, right - left, bottom - top)

    @override
    def neighbour(self, columns: int, rows: int) -> str | None:
        """Return the nearest place in a direction. Moves to the left or right wrap around the edge of the map."""
        nearest_place = self._nearest(columns, rows, 0)
        if nearest_place is None and columns:
            width = self.ground.width
            nearest_place = self._nearest(columns, rows, width if columns > 0 else -width)
        return nearest_place

    def _nearest(self, columns: int, rows: int, wrap: int) -> str | None:
        """Return the place with its centre nearest to the end of a step in this direction; None if there is none."""
        layout = self.ground
        x, y = layout.centres[self.cursor]
        steps = abs(columns or rows) - 1
        # A long step skips places: each extra step moves the target point this many cells farther.
        step_length = (
            layout.width // (2 * _ROWS_PER_MAP) if columns else _CELL_ASPECT * self.row_height
        )
        candidates = []
        for index, (name, (other_x, other_y)) in enumerate(layout.centres.items()):
            dx, dy = other_x + wrap - x, _CELL_ASPECT * (other_y - y)
            along, across = (dx, abs(dy)) if columns else (dy, abs(dx))
            if (columns or rows) < 0:
                along = -along
            if name not in ("", self.cursor) and along > 0 and (across <= along or wrap):
                candidates.append(
                    (abs(along - steps * step_length) + _SIDEWAYS_WEIGHT * across, index, name)
                )
        return min(candidates)[2] if candidates else None

    @override
    def place_at(self, x: int, y: int) -> str:
        return self.ground.owner(x, y)

    @override
    def repaint(self, scene_before: AreaScene, cursor: str) -> None:
        layout, features = self.ground, self.features
        size = layout.width, layout.height
        drawing_inputs = (self.zoom, size, features)
        # If the map has not been resized or zoomed, reuse the cached lines, which still show the
        # old scene.
        if (
            self._drawn_inputs is not None
            and (self._drawn_inputs[1], *self._drawn_inputs[3:5]) == drawing_inputs
        ):
            old_lines = self._lines
        else:
            old_lines = draw_map(
                scene_before, self.zoom, cursor, size, features, self._last_visible_line
            )
        boxes = []
        for row, (old_line, new_line) in enumerate(zip(old_lines, self.lines, strict=True)):
            if old_line != new_line:
                changed_items = tuple(compress(count(), map(ne, old_line, new_line)))
                boxes.append(
                    Region(changed_items[0], row, changed_items[-1] - changed_items[0] + 1, 1)
                )
        self.refresh_boxes(*boxes)

    @override
    def watch_zoom(self) -> None:
        """Fit the widget's height to the map at the new zoom level."""
        super().watch_zoom()
        self._fit_height()

    def _fit_height(self) -> None:
        """Set the widget's height. It depends only on the screen and the zoom, so the map stays in place."""
        self.styles.height = min(
            self.extent().height, self._available_size[1] or self.extent().height
        )

    @override
    def on_resize(self, event: events.Resize) -> None:
        """Fill the available space at the largest zoom that fits, unless the player has chosen a zoom."""
        body = self.app.size.height - _LINES_AROUND_MAP - self.reserved_lines
        lines = min(int(body * _MAP_SHARE), body - _MIN_PANEL_LINES)
        self._available_size = self.size.width, max(lines, _MIN_MAP_LINES)
        if self.zoom is self._fitting_zoom:
            self._fitting_zoom = best_zoom(self._scene.chart, *self._available_size)
            self.zoom = self._fitting_zoom
        self._fit_height()
        super().on_resize(event)

    @override
    def render_line(self, y: int) -> Strip:
        x, top = self.scroll_offset
        palette = self._palette if self.has_focus else self._palette.unfocused
        lines = self.lines
        hint = hidden_rows_text(top, self.features, is_above=True) if y == 0 else ""
        if y == self.size.height - 1:
            hidden_count = max(len(lines) - top - self.size.height, 0)
            hint = hidden_rows_text(hidden_count, self.features, is_above=False)
        return render_strip(lines, palette, y + top, x, self.size.width, hint)

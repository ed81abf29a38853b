"""The widget that shows a scene of places."""

from textual import events
from textual.geometry import Region, Size
from textual.strip import Strip

from tui.areamap.draw import Lines, draw, strip
from tui.areamap.geometry import SHAPES, Shape, best_zoom, corner, map_size, square_at
from tui.areamap.scene import AreaCell, AreaScene
from tui.marks import Zoom
from tui.widgets.mapview import MapView

_SIDEWAYS = 3
"""A step to the side of the way counts like so many steps ahead."""
_KEPT_ROWS = 5
"""So many rows of places stay in sight while the map lends lines."""
_SHARE = 0.7
"""Of the lines of a screen, at most this part is the map's."""


class AreaMap(MapView[AreaScene]):
    """A map of places in a coarse grid; as large as the screen allows until the player zooms."""

    _lines: Lines = ()
    _drawn: tuple[AreaScene, Zoom, str] | None = None
    _fitted = Zoom.OPERATIONAL
    """Zoom that was chosen for the size of the screen."""
    _lent = 0
    """Lines that are left to others for a while."""

    @property
    def shape(self) -> Shape:
        """Return the size of a place at the present zoom."""
        return SHAPES[self.zoom]

    @property
    def row_height(self) -> int:
        """Return the lines of one row."""
        return self.shape.line

    @property
    def lines(self) -> Lines:
        """Return the whole drawing; remembered until something changes."""
        wanted = (self._scene, self.zoom, self.cursor)
        if self._drawn != wanted:
            self._lines = draw(*wanted)
            self._drawn = wanted
        return self._lines

    def holds(self, place: str) -> bool:
        """Return whether the scene has this place."""
        return place in self._scene.cells

    def extent(self) -> Size:
        """Return the size of the whole drawing at the present zoom."""
        return Size(*map_size(self._scene, self.shape))

    def box(self, place: str) -> Region:
        """Return a place with the gaps around it on the unscrolled drawing."""
        cell = self._scene.cells[place]
        x, y = corner(self.shape, (cell.column, cell.row))
        return Region(x - 1, y, self.shape.pitch + 1, self.shape.height)

    def beside(self, columns: int, rows: int) -> str | None:
        """Return the nearest place in a direction; beyond an edge, the first one from the other edge."""
        here = self._scene.cells[self.cursor]
        found = self._nearest(here, columns, rows, 0)
        if found is None and columns:
            width = self._scene.columns
            found = self._nearest(here, columns, rows, width if columns > 0 else -width)
        return found.id if found is not None else None

    def _nearest(self, here: AreaCell, columns: int, rows: int, wrap: int) -> AreaCell | None:
        def away(cell: AreaCell) -> tuple[int, int]:
            dx, dy = cell.column + wrap - here.column, cell.row - here.row
            ahead, aside = (dx, dy) if columns else (dy, dx)
            if (columns or rows) < 0:
                ahead = -ahead
            return ahead, abs(aside)

        wanted = abs(columns or rows)
        ahead = [
            (abs(distance - wanted) + _SIDEWAYS * aside, cell.row, cell.column, cell)
            for cell in self._scene.cells.values()
            if cell is not here
            for distance, aside in (away(cell),)
            if distance > 0 and (aside <= distance or wrap)
        ]
        return min(ahead, key=lambda one: one[:3])[3] if ahead else None

    def place_at(self, x: int, y: int) -> str:
        """Return the place that owns a cell of the unscrolled drawing; empty off the places."""
        cell = self._scene.at.get(square_at(self.shape, x, y))
        return cell.id if cell is not None else ""

    def repaint(self, before: AreaScene, cursor: str) -> None:
        """Repaint the part of each line that looks other than before."""
        is_drawn = self._drawn is not None and self._drawn[1] is self.zoom
        old = self._lines if is_drawn else draw(before, self.zoom, cursor)
        boxes = []
        for row, (was, now) in enumerate(zip(old, self.lines, strict=True)):
            if was != now:
                pairs = enumerate(zip(was, now, strict=True))
                changed = [x for x, (one, other) in pairs if one != other]
                boxes.append(Region(changed[0], row, changed[-1] - changed[0] + 1, 1))
        self.refresh_boxes(*boxes)

    def watch_zoom(self) -> None:
        """Take as many lines as the map has."""
        super().watch_zoom()
        self._take_lines()

    def lend(self, lines: int, room: int) -> None:
        """Leave lines to others, whole rows of the map, but keep some rows in sight.

        Args:
            lines: How many others lack.
            room: How many lines the map may have otherwise.
        """
        taken = min(self.extent().height, room)
        rows = -(-max(lines, 0) // self.row_height)
        spare = max(taken - _KEPT_ROWS * self.row_height, 0)
        lent = min(rows * self.row_height, spare)
        if lent:
            lent += self.extent().height - taken
        if lent != self._lent:
            self._lent = lent
            self._take_lines()

    def _take_lines(self) -> None:
        self.styles.height = self.extent().height - self._lent

    def on_resize(self, event: events.Resize) -> None:
        """Choose the largest zoom that fits, unless the player chose one."""
        if self.zoom is self._fitted:
            screen = self.app.size
            self._fitted = best_zoom(self._scene, screen.width, int(screen.height * _SHARE))
            self.zoom = self._fitted
        self._take_lines()
        super().on_resize(event)

    def render_line(self, y: int) -> Strip:
        """Return a visible line."""
        x, top = self.scroll_offset
        return strip(self.lines, self._palette, y + top, x, self.size.width)

"""The widget that shows a scene: a cursor that moves by hex, three zooms, and messages for whoever decides."""

from typing import Final

from textual import events
from textual.binding import Binding
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from engine.kernel.hexgrid import coordinates, hex_name
from tui.hexmap.draw import draw_line
from tui.hexmap.geometry import SHAPES, Shape, Zoom, hex_at, map_size, spot
from tui.hexmap.scene import Ground, HexScene
from tui.palette import PALETTES, Palette
from tui.terminal import PaletteName

_PAGE: Final = 5
"""Hexes that a page key jumps."""


class HexMap(ScrollView, can_focus=True):
    """A hex map that is scrolled, pointed at and picked from by keyboard or mouse."""

    DEFAULT_CSS = """
    HexMap { scrollbar-size: 0 0; overflow: hidden hidden; }
    """
    BINDINGS = [
        Binding("up", "step(0, -1)", "Move north", show=False),
        Binding("down", "step(0, 1)", "Move south", show=False),
        Binding("left", "step(-1, 0)", "Move west", show=False),
        Binding("right", "step(1, 0)", "Move east", show=False),
        Binding("shift+up,K", "step(0, -5)", "Move 5 north", show=False),
        Binding("shift+down,J", "step(0, 5)", "Move 5 south", show=False),
        Binding("shift+left,H", "step(-5, 0)", "Move 5 west", show=False),
        Binding("shift+right,L", "step(5, 0)", "Move 5 east", show=False),
        Binding("pageup", f"step(0, -{_PAGE * 2})", "Page north", show=False),
        Binding("pagedown", f"step(0, {_PAGE * 2})", "Page south", show=False),
        Binding("enter", "pick", "Pick the hex", show=False),
        Binding("z", "zoom", "Next zoom"),
        Binding("plus,equals_sign", "zoom_by(1)", "Zoom in", show=False),
        Binding("minus", "zoom_by(-1)", "Zoom out", show=False),
        Binding("full_stop", "centre", "Centre on the cursor", show=False),
    ]

    zoom: reactive[Zoom] = reactive(Zoom.OPERATIONAL, repaint=False)

    class Moved(Message):
        """The cursor entered another hex."""

        def __init__(self, hex_id: str) -> None:
            super().__init__()
            self.hex_id = hex_id

    class Picked(Message):
        """The player chose a hex."""

        def __init__(self, hex_id: str) -> None:
            super().__init__()
            self.hex_id = hex_id

    def __init__(
        self,
        scene: HexScene,
        cursor: str,
        palette: Palette = PALETTES[PaletteName.COLOUR],
        *,
        id: str | None = None,
    ) -> None:
        """Show a scene.

        Args:
            scene: What to draw.
            cursor: Hex to start on.
            palette: How to paint.
            id: Textual id.
        """
        super().__init__(id=id)
        self.is_calm = False
        """Scroll only as far as needed, not by half a view."""
        self._scene = scene
        self._cursor = cursor
        self._palette = palette
        self._resize_map()

    @property
    def scene(self) -> HexScene:
        """Return what is shown."""
        return self._scene

    @property
    def cursor(self) -> str:
        """Return the hex under the cursor."""
        return self._cursor

    @property
    def shape(self) -> Shape:
        """Return the size of a hex at the present zoom."""
        return SHAPES[self.zoom]

    def show_scene(self, scene: HexScene) -> None:
        """Show another scene of the same map; only hexes that changed are repainted."""
        before, self._scene = self._scene, scene
        if before.columns != scene.columns or before.rows != scene.rows:
            self._resize_map()
            self.refresh()
            return
        changed = [name for name, cell in scene.cells.items() if before.cells.get(name) != cell]
        changed += [name for name in before.cells if name not in scene.cells]
        shown = [self._region(name) for name in changed]
        visible = [region for region in shown if region.overlaps(self.size.region)]
        if visible:
            self.refresh(*visible)

    def show_palette(self, palette: Palette) -> None:
        """Repaint everything in another palette."""
        self._palette = palette
        self.refresh()

    def point_at(self, hex_id: str, *, centre: bool = False) -> None:
        """Move the cursor to a hex of the scene and scroll as little as possible."""
        if hex_id not in self._scene.cells:
            return
        before, self._cursor = self._cursor, hex_id
        if before != hex_id:
            self.refresh(self._region(before), self._region(hex_id))
            self.post_message(self.Moved(hex_id))
        self._reveal(centre=centre)

    def action_step(self, columns: int, rows: int) -> None:
        """Move the cursor by columns and rows, over holes in the map, up to its edge."""
        column, row = coordinates(self._cursor)
        long_step = abs(columns) + abs(rows) > 1
        dx = (columns > 0) - (columns < 0)
        dy = (rows > 0) - (rows < 0)
        target = self._next(column + columns, row + rows, dx, dy)
        if target is None and long_step:
            target = self._next(column + columns, row + rows, -dx, -dy)
        if target is not None:
            self.point_at(target)

    def action_pick(self) -> None:
        """Tell that the hex under the cursor is chosen."""
        self.post_message(self.Picked(self._cursor))

    def action_zoom(self) -> None:
        """Go to the next zoom, from detail back to overview."""
        self.zoom = Zoom((self.zoom + 1) % len(Zoom))

    def action_zoom_by(self, steps: int) -> None:
        """Zoom in or out."""
        self.zoom = Zoom(min(max(self.zoom + steps, 0), len(Zoom) - 1))

    def action_centre(self) -> None:
        """Scroll so that the cursor stands in the middle."""
        self._reveal(centre=True)

    def watch_zoom(self) -> None:
        """Draw at another zoom with the cursor in sight."""
        self._resize_map()
        self._reveal(centre=True)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Return a visible line."""
        x, top = self.scroll_offset
        return draw_line(
            self._scene, self.zoom, self._palette, y + top, x, self.size.width, self._cursor
        )

    def on_resize(self, event: events.Resize) -> None:
        """Keep the cursor in sight."""
        del event
        self._resize_map()
        self._reveal(centre=True)

    def on_click(self, event: events.Click) -> None:
        """Point at the hex under the mouse; a second click on it picks it."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        x, y = offset + self.scroll_offset
        name = hex_name(*hex_at(self._scene, self.shape, x, y))
        if name == self._cursor:
            self.action_pick()
        else:
            self.point_at(name)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Move the view, not the cursor."""
        event.stop()
        self.scroll_relative(y=self.shape.height, animate=False, force=True)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Move the view, not the cursor."""
        event.stop()
        self.scroll_relative(y=-self.shape.height, animate=False, force=True)

    def _next(self, column: int, row: int, dx: int, dy: int) -> str | None:
        """Return the first hex of the game from a place onwards, None beyond the edge of the map."""
        scene = self._scene
        columns = range(scene.first_column, scene.first_column + scene.columns)
        rows = range(scene.first_row, scene.first_row + scene.rows)
        while column in columns and row in rows:
            cell = scene.at(column, row)
            if cell is not None and cell.ground is not Ground.VOID:
                return cell.id
            column, row = column + dx, row + dy
        return None

    def _resize_map(self) -> None:
        width, height = map_size(self._scene, self.shape)
        self.virtual_size = Size(width, height)

    def _box(self, hex_id: str) -> Region:
        """Return a hex with its outline on the unscrolled drawing."""
        place = spot(self._scene, self.shape, *coordinates(hex_id))
        shape = self.shape
        return Region(place.x, place.y, shape.width(shape.slope - 1) + 2, shape.height)

    def _region(self, hex_id: str) -> Region:
        """Return where a hex is drawn now."""
        return self._box(hex_id).translate(-self.scroll_offset)

    def _reveal(self, *, centre: bool) -> None:
        """Scroll until the cursor's hex is wholly visible; by half a view, so that the next moves need no scrolling."""
        view = Region(*self.scroll_offset, *self.size)
        box = self._box(self._cursor)
        if view.contains_region(box) and not centre:
            return
        if self.is_calm and not centre:
            self.scroll_to_region(box, animate=False, force=True)
        elif self.size.width and self.size.height:
            x = box.x + box.width // 2 - self.size.width // 2
            y = box.y + box.height // 2 - self.size.height // 2
            keep_x = box.x >= view.x and box.right <= view.right and not centre
            keep_y = box.y >= view.y and box.bottom <= view.bottom and not centre
            self.scroll_to(
                None if keep_x else max(x, 0),
                None if keep_y else max(y, 0),
                animate=False,
                force=True,
            )

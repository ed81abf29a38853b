"""A map widget with a cursor, scrolling and zoom. Each kind of map has a subclass for its geometry and drawing."""

from abc import abstractmethod
from typing import Any, Generic, TypeVar

from textual import events
from textual.binding import Binding
from textual.geometry import Offset, Region, Size, Spacing
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from tui.drawing.palette import PLAIN_PALETTE, Palette
from tui.maps.enums import Zoom

_PAGE = 5
"""Number of hexes or areas that a page key moves the cursor."""
S = TypeVar("S")


class MapView(ScrollView, Generic[S], can_focus=True):
    """A map that the player can scroll and pick places on, by keyboard or mouse."""

    ALLOW_SELECT = False
    """False, because dragging moves the map and must not select text."""
    DEFAULT_CSS = """
    MapView { scrollbar-size: 0 0; overflow: hidden hidden; }
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
        Binding("enter", "pick", "Choose this place", show=False),
        Binding("z", "zoom", "Next zoom"),
        Binding("plus,equals_sign", "zoom_by(1)", "Zoom in", show=False),
        Binding("minus", "zoom_by(-1)", "Zoom out", show=False),
        Binding("full_stop", "centre", "Centre on the cursor", show=False),
    ]

    zoom: reactive[Zoom] = reactive(Zoom.OPERATIONAL, repaint=False)
    cursor: reactive[str] = reactive("", repaint=False)
    """Place under the cursor."""

    class Picked(Message):
        """Posted when the player picks a place."""

        def __init__(self, place: str) -> None:
            super().__init__()
            self.place = place

    def __init__(
        self,
        scene: S,
        cursor: str,
        palette: Palette = PLAIN_PALETTE,
        *,
        id: str | None = None,
    ) -> None:
        """Create a view of a scene.

        Args:
            scene: The scene to draw.
            cursor: Initial place under the cursor.
            palette: Maps tones to styles.
            id: Textual id.
        """
        super().__init__(id=id)
        self.is_calm = False
        """True to scroll only as far as needed; False to centre the cursor."""
        self._held: Offset | None = None
        """Screen position of the mouse pointer while its button is held; None otherwise."""
        self._is_dragged = False
        self._scene = scene
        # Bypass the cursor's watchers, because the widget is not mounted yet.
        self.set_reactive(MapView.cursor, cursor)
        self._palette = palette
        self._resize_map()

    # -- provided by subclasses

    @abstractmethod
    def contains(self, place: str) -> bool:
        """Return whether the scene contains this place."""

    @abstractmethod
    def extent(self) -> Size:
        """Return the size of the whole drawing at the current zoom."""

    @abstractmethod
    def box(self, place: str) -> Region:
        """Return the bounding box of a place, including its outline, in unscrolled coordinates."""

    @abstractmethod
    def neighbour(self, columns: int, rows: int) -> str | None:
        """Return the place at a given offset from the cursor; None if it would be beyond the map edge."""

    @abstractmethod
    def place_at(self, x: int, y: int) -> str:
        """Return the place at a cell, in unscrolled coordinates. The place may be off the map."""

    @abstractmethod
    def repaint(self, scene_before: S, cursor: str) -> None:
        """Repaint the parts of the view that differ from the previous scene and cursor."""

    @property
    @abstractmethod
    def row_height(self) -> int:
        """Height of one row of places, in lines."""

    # -- shared by all maps

    @property
    def legend_height(self) -> int:
        """Number of lines at the bottom of the view that the legend may cover."""
        return 0

    @property
    def scene(self) -> S:
        """The scene on display."""
        return self._scene

    def show_scene(self, scene: S) -> None:
        """Show another scene of the same map. Repaint only what has changed."""
        old_scene, self._scene = self._scene, scene
        if self.virtual_size != self._scrollable_size():
            self._resize_map()
            self.refresh()
        else:
            self.repaint(old_scene, self.cursor)

    def render_with_scene(self, scene: S) -> list[Strip]:
        """Return the visible lines, drawn with another scene."""
        shown_scene, self._scene = self._scene, scene
        try:
            return [self.render_line(y) for y in range(self.size.height)]
        finally:
            self._scene = shown_scene

    def show_palette(self, palette: Palette) -> None:
        """Repaint everything with another palette."""
        self._palette = palette
        self.refresh()

    def point_at(self, place: str, *, is_centred: bool = False) -> None:
        """Move the cursor to a place and bring it into view. Ignore places outside the scene."""
        if not self.contains(place):
            return
        old_cursor, self.cursor = self.cursor, place
        if old_cursor != place:
            self.repaint(self._scene, old_cursor)
        self._reveal(is_centred=is_centred)

    def has_in_view(self, place: str) -> bool:
        """Return whether a place is in the scene and entirely in view, with no part under the legend."""
        if not self.contains(place):
            return False
        box = self.box(place)
        return self._clear_view(box).contains_region(box)

    def action_step(self, columns: int, rows: int) -> None:
        """Move the cursor by a number of columns and rows. Skip holes in the map, and stop at the edge."""
        target = self.neighbour(columns, rows)
        if target is not None:
            self.point_at(target)

    def action_pick(self) -> None:
        """Post that the player has picked the place under the cursor."""
        self.post_message(self.Picked(self.cursor))

    def action_zoom(self) -> None:
        """Switch to the next zoom level, wrapping around from the detail zoom to the overview."""
        self.zoom = Zoom((self.zoom + 1) % len(Zoom))

    def action_zoom_by(self, steps: int) -> None:
        """Zoom in by a number of steps, or out if the number is negative."""
        self.zoom = Zoom(min(max(self.zoom + steps, 0), len(Zoom) - 1))

    def action_centre(self) -> None:
        """Centre the view on the cursor."""
        self._reveal(is_centred=True)

    def watch_zoom(self) -> None:
        """Redraw at the new zoom, keeping the cursor in view."""
        self._resize_map()
        self._reveal(is_centred=True)
        self.refresh()

    def on_resize(self, event: events.Resize) -> None:
        """Keep the cursor in view."""
        del event
        self._resize_map()
        self._reveal(is_centred=True)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Start dragging the map."""
        self._held = event.screen_offset
        self._is_dragged = False
        self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Drag the map while the button is held."""
        if self._held is None or event.screen_offset == self._held:
            return
        offset = self._held - event.screen_offset
        self._held, self._is_dragged = event.screen_offset, True
        self.scroll_relative(offset.x, offset.y, animate=False, force=True)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Stop dragging the map."""
        del event
        self._held = None
        self.release_mouse()

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to the clicked place.

        Clicking the place under the cursor picks it. Releasing the button after a drag does not count as a click.
        """
        offset = event.get_content_offset(self)
        if offset is None or self._is_dragged:
            return
        x, y = offset + self.scroll_offset
        place = self.place_at(x, y)
        if place == self.cursor:
            self.action_pick()
        else:
            self.point_at(place)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll the view without moving the cursor. With Ctrl, zoom out."""
        event.stop()
        self._wheel(1, is_zoom=event.ctrl)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll the view without moving the cursor. With Ctrl, zoom in."""
        event.stop()
        self._wheel(-1, is_zoom=event.ctrl)

    def _wheel(self, rows: int, *, is_zoom: bool) -> None:
        if is_zoom:
            self.action_zoom_by(-rows)
        else:
            self.scroll_relative(y=rows * self.row_height, animate=False, force=True)

    def refresh_boxes(self, *boxes: Region) -> None:
        """Repaint the visible parts of these regions, given in unscrolled coordinates."""
        scrolled_boxes = [box.translate(-self.scroll_offset) for box in boxes]
        visible_boxes = [region for region in scrolled_boxes if region.overlaps(self.size.region)]
        if visible_boxes:
            self.refresh(*visible_boxes)

    def _resize_map(self) -> None:
        self.virtual_size = self._scrollable_size()

    def _scrollable_size(self) -> Size:
        """Return the size of the drawing and, below it, the lines needed to scroll its last row above the legend."""
        width, height = self.extent()
        return Size(width, height + self.legend_height)

    def _clear_view(self, box: Region) -> Region:
        """Return the part of the view that the legend does not cover, but always enough lines for a box."""
        width, height = self.size
        clear_height = max(height - self.legend_height, min(box.height, height))
        return Region(*self.scroll_offset, width, clear_height)

    def _reveal(self, *, is_centred: bool) -> None:
        """Bring the cursor into view, normally at the centre, so that the next moves need no scrolling."""
        box = self.box(self.cursor)
        view = self._clear_view(box)
        if view.contains_region(box) and not is_centred:
            return
        if self.is_calm and not is_centred:
            hidden_rows = Spacing(bottom=self.size.height - view.height)
            self.scroll_to_region(box, spacing=hidden_rows, animate=False, force=True)
        elif self.size.width and self.size.height:
            x = box.x + box.width // 2 - self.size.width // 2
            # Scroll past the drawing only as far as the legend would otherwise cover the cursor.
            last_y = max(self.extent().height - self.size.height, box.bottom - view.height)
            y = min(box.y + box.height // 2 - self.size.height // 2, last_y)
            keep_x = box.x >= view.x and box.right <= view.right and not is_centred
            keep_y = box.y >= view.y and box.bottom <= view.bottom and not is_centred
            self.scroll_to(
                None if keep_x else max(x, 0),
                None if keep_y else max(y, 0),
                animate=False,
                force=True,
            )


AnyMapView = MapView[Any]
"""A map of either kind."""

"""A small sketch of the whole map, with a movable frame around the visible part."""

from typing import Final

from textual import events
from textual.binding import Binding
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget
from typing_extensions import override

from tui.drawing.colour_roles import TextRole
from tui.drawing.palette import PLAIN_PALETTE, Palette
from tui.maps.hexmap.scene import HexScene
from tui.maps.hexmap.sketch import Sketch, draw_map_sketch, draw_sketch
from tui.maps.hexmap.widget import HexMapView

_STEP: Final = 5
"""Number of hexes by which an arrow key scrolls the map."""
_MIN_NAMED_WIDTH: Final = 56
"""Smallest width in cells with room for names on the sketch."""
_NO_FRAME: Final = Region(0, 0, 0, 0)


class Minimap(Widget, can_focus=True):
    """A sketch of a map. Mouse clicks on the sketch, and the arrow keys, scroll the map."""

    FOCUS_ON_CLICK = False
    DEFAULT_CSS = """
    Minimap { width: 1fr; height: 1fr; }
    """
    BINDINGS = [
        Binding("up,k", "go(0, -1)", "View north", show=False),
        Binding("down,j", "go(0, 1)", "View south", show=False),
        Binding("left", "go(-1, 0)", "View west", show=False),
        Binding("right", "go(1, 0)", "View east", show=False),
        Binding("enter,escape,m", "leave", "Back to the map", show=False),
    ]

    class Left(Message):
        """Posted when the player returns to the map."""

    def __init__(
        self,
        map_view: HexMapView,
        palette: Palette = PLAIN_PALETTE,
        *,
        is_ascii: bool = False,
        id: str | None = None,
    ) -> None:
        """Create a minimap of a map.

        Args:
            map_view: The map to show and scroll.
            palette: Maps tones to styles.
            is_ascii: True to draw letters instead of blocks.
            id: Textual id.
        """
        super().__init__(id=id)
        self._map = map_view
        self._palette = palette
        self._is_ascii = is_ascii
        self._scene: HexScene | None = None
        self._sketch: Sketch | None = None
        self._frame = _NO_FRAME

    def on_mount(self) -> None:
        """Watch the map for changes."""
        for name in ("scroll_x", "scroll_y", "zoom", "cursor", "virtual_size"):
            self.watch(self._map, name, self.follow_map, init=False)

    def show_palette(self, palette: Palette, *, is_ascii: bool) -> None:
        """Repaint with another palette, using blocks or letters."""
        self._palette, self._is_ascii = palette, is_ascii
        self.refresh()

    def on_resize(self, event: events.Resize) -> None:
        """Redraw for the new size."""
        del event
        self._sketch = None
        self.follow_map()

    def follow_map(self) -> None:
        """Update the sketch and the frame. Repaint only the lines that have changed."""
        if not self.size or not self.display:
            return
        old_sketch, old_frame = self._sketch, self._frame
        scene = self._map.scene
        if old_sketch is None or scene is not self._scene:
            has_names = self.size.width >= _MIN_NAMED_WIDTH
            self._scene = scene
            self._sketch = draw_map_sketch(scene, self.size, has_names=has_names)
        sketch = self._sketch
        assert sketch is not None
        view = Region(*self._map.scroll_offset, *self._map.size)
        self._frame = sketch.frame(view, self._map.extent())
        if old_sketch is None or len(old_sketch.rows) != len(sketch.rows):
            self.refresh()
            return
        rows = {y for y in range(sketch.height) if not _has_same_line(old_sketch, sketch, y)}
        if old_frame != self._frame:
            rows |= {
                *range(old_frame.y, old_frame.bottom),
                *range(self._frame.y, self._frame.bottom),
            }
        lines = [Region(0, y, self.size.width, 1) for y in sorted(rows) if y < sketch.height]
        if lines:
            self.refresh(*lines)

    @override
    def render_line(self, y: int) -> Strip:
        sketch = self._sketch
        if sketch is None or y >= sketch.height:
            return Strip.blank(self.size.width, self._palette.style(TextRole.PLAIN))
        return draw_sketch(sketch, self._palette, y, self._frame, has_blocks=not self._is_ascii)

    def _point_map_at(self, event: events.MouseEvent) -> None:
        offset = event.get_content_offset(self)
        if offset is None or self._sketch is None:
            return
        event.stop()
        place = self._sketch.place_at(*offset)
        if place:
            self._map.point_at(place, is_centred=True)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Move the map to the place under the mouse pointer."""
        self._point_map_at(event)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Move the map while a mouse button is held."""
        if event.button:
            self._point_map_at(event)

    def action_go(self, columns: int, rows: int) -> None:
        """Move the map by a number of steps to the right and down. Negative numbers move it left and up."""
        place = self._map.neighbour(columns * _STEP, rows * _STEP)
        if place is not None:
            self._map.point_at(place, is_centred=True)

    def action_leave(self) -> None:
        """Return to the map."""
        self.post_message(self.Left())


def _has_same_line(first_sketch: Sketch, second_sketch: Sketch, y: int) -> bool:
    start, stop = 2 * y, 2 * y + 2
    return first_sketch.rows[start:stop] == second_sketch.rows[start:stop]

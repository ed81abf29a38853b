"""A small picture of a map, without a cursor."""

from typing import Final

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget
from typing_extensions import override

from tui.drawing.colour_roles import TextRole
from tui.drawing.palette import PLAIN_PALETTE, Palette
from tui.maps.areamap.draw import draw_thumbnail
from tui.maps.areamap.draw import render_strip as area_strip
from tui.maps.areamap.paint import TerminalFeatures
from tui.maps.areamap.scene import AreaScene
from tui.maps.hexmap.sketch import draw_map_sketch, draw_sketch
from tui.presenter.presenter import Scene

_NO_FRAME: Final = Region(0, 0, 0, 0)


class MapPicture(Widget):
    """A sketch of a whole map. It does not react to input."""

    DEFAULT_CSS = """
    MapPicture { width: 1fr; height: 1fr; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        """Create an empty picture."""
        super().__init__(id=id)
        self._scene: Scene | None = None
        self._palette = PLAIN_PALETTE
        self._has_blocks = True
        self._strips: tuple[Strip, ...] = ()

    def show(self, scene: Scene | None, palette: Palette, *, has_blocks: bool) -> None:
        """Show a map.

        Args:
            scene: The map; None for an empty picture.
            palette: Maps tones to styles.
            has_blocks: True if the terminal can show half-block characters.
        """
        self._scene, self._palette, self._has_blocks = scene, palette, has_blocks
        self._draw()

    def on_resize(self) -> None:
        """Redraw for the new size."""
        self._draw()

    def _draw(self) -> None:
        self._strips = self._render_strips(self._scene, self.size) if all(self.size) else ()
        self.refresh()

    def _render_strips(self, scene: Scene | None, size: Size) -> tuple[Strip, ...]:
        if scene is None:
            return ()
        if isinstance(scene, AreaScene):
            sight = TerminalFeatures(
                is_unicode=self._has_blocks, has_backgrounds=self._palette.has_backgrounds
            )
            lines = draw_thumbnail(scene, (size.width, size.height), sight)
            width = len(lines[0])
            shown_strips = (
                area_strip(lines, self._palette, y, 0, width) for y in range(len(lines))
            )
            return (*[Strip([])] * max((size.height - len(lines)) // 2, 0), *shown_strips)
        sketch = draw_map_sketch(scene, size)
        return tuple(
            draw_sketch(sketch, self._palette, y, _NO_FRAME, has_blocks=self._has_blocks)
            for y in range(sketch.height)
        )

    @override
    def render_line(self, y: int) -> Strip:
        style: Style = self._palette.style(TextRole.PLAIN)
        if y >= len(self._strips):
            return Strip([Segment(" " * self.size.width, style)])
        return self._strips[y].crop_extend(0, self.size.width, style)

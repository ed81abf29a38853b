"""A dialog with a minimap, for screens without room for a minimap next to the map."""

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static
from typing_extensions import override

from tui.drawing.palette import Palette
from tui.maps.hexmap.minimap import Minimap
from tui.maps.hexmap.widget import HexMapView
from tui.widgets.base_screens import BaseDialog


class MinimapDialog(BaseDialog[None]):
    """A minimap that scrolls the map behind the dialog."""

    DEFAULT_CSS = """
    MinimapDialog > Vertical { width: 90%; height: 90%; max-width: 100%; max-height: 100%; }
    """

    def __init__(self, map_view: HexMapView, palette: Palette, *, is_ascii: bool) -> None:
        """Create the dialog for a map."""
        super().__init__()
        self._minimap = Minimap(map_view, palette, is_ascii=is_ascii)

    @override
    def compose(self) -> ComposeResult:
        with Vertical():
            yield self._minimap
            yield Static("Arrows or mouse move the map   Esc back", classes="keys", markup=False)

    def on_mount(self) -> None:
        """Focus the minimap."""
        self._minimap.focus()

    def on_minimap_left(self) -> None:
        """Return to the table."""
        self.dismiss(None)

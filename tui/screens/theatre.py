"""The whole theatre in front of the table, where there is no room for it beside the map."""

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from tui.hexmap.minimap import Minimap
from tui.hexmap.widget import HexMap
from tui.palette import Palette
from tui.screens.base import FlagDialog


class TheatreDialog(FlagDialog[None]):
    """A sketch of the whole map; it moves the map behind it."""

    DEFAULT_CSS = """
    TheatreDialog > Vertical { width: 90%; height: 90%; max-width: 100%; max-height: 100%; }
    """

    def __init__(self, shown: HexMap, palette: Palette, *, is_ascii: bool) -> None:
        """Sketch what a map shows."""
        super().__init__()
        self._minimap = Minimap(shown, palette, is_ascii=is_ascii)

    def compose(self) -> ComposeResult:
        """Compose the sketch, and below it what to do."""
        with Vertical():
            yield self._minimap
            yield Static("Arrows or mouse move the map   Enter back", classes="keys", markup=False)

    def on_mount(self) -> None:
        """Take the keys."""
        self._minimap.focus()

    def on_minimap_left(self) -> None:
        """Go back to the table."""
        self.dismiss(None)

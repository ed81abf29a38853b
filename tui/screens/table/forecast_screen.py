"""The forecast screen."""

from collections.abc import Sequence

from textual import events
from textual.binding import Binding
from textual.containers import Vertical

from tui.drawing.palette import Palette
from tui.panels.forecast import ForecastPage
from tui.screens.table.overlay_page_view import OverlayPageScreen

_FRAME_COLUMNS = 4
"""Number of columns taken up by the frame and its padding."""
_FRAME_LINES = 3
"""Number of lines taken up by the frame and the keys."""
_MAX_WIDTH = 100


class ForecastScreen(OverlayPageScreen):
    """Forecasts of battles, attacks and other random outcomes. The key that opens this screen also closes it."""

    DEFAULT_CSS = """
    ForecastScreen > Vertical { max-height: 100%; }
    """
    BINDINGS = [Binding("o", "leave", "Close", show=False)]

    def __init__(self, pages: Sequence[ForecastPage], palette: Palette) -> None:
        """Create the screen. The most relevant page comes first."""
        super().__init__("Forecast", pages, palette)

    def on_resize(self, event: events.Resize) -> None:
        """Make the screen no taller than its contents."""
        width = min(event.size.width, _MAX_WIDTH) - _FRAME_COLUMNS
        lines = sum(len(page.lines(width)) + 2 for page in self._pages)
        self.query_one(Vertical).styles.height = min(lines + _FRAME_LINES, event.size.height)

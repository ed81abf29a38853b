"""Full-screen pages of text: hands, tracks, pools and charts."""

from collections.abc import Callable, Sequence

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.widgets import Static
from typing_extensions import override

from tui.drawing.palette import Palette
from tui.panels.status_segments import Row
from tui.widgets.base_screens import BaseDialog
from tui.widgets.lines import Lines, TonedLine


class PageScreen(BaseDialog[None]):
    """A page of text that can be scrolled if it is longer than the screen."""

    DEFAULT_CSS = """
    PageScreen > Vertical { width: 100%; max-width: 110; height: 100%; }
    PageScreen Lines { height: 1fr; }
    """
    BINDINGS = [Binding("enter,q", "leave", "Close")]

    def __init__(
        self,
        title: str,
        lines: Sequence[TonedLine | str] | Callable[[int], Sequence[Row]],
        palette: Palette,
    ) -> None:
        """Create a page. Its lines may be a function that draws them for a width in cells."""
        super().__init__()
        self._title = title
        self._content = lines
        self._palette = palette

    @override
    def compose(self) -> ComposeResult:
        with Vertical():
            yield Lines(palette=self._palette)
            yield Static("Up/Down PgUp/PgDn scroll   Esc close", markup=False)

    def on_mount(self) -> None:
        """Show the text."""
        from textual.content import Content

        from tui.terminal.sanitising import sanitise_line

        self.query_one(Vertical).border_title = Content(sanitise_line(self._title, 60))
        lines = self.query_one(Lines)
        if callable(self._content):
            lines.show_drawn(self._content)
        else:
            lines.show(self._content)
        lines.focus()

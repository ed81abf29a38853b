"""The key help for a screen."""

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static
from typing_extensions import override

from tui.widgets.base_screens import ActionRow, BaseDialog

_NOTES = """
Tab switches between map and list. If the bar of the list is bright, Enter chooses its line. Otherwise it chooses
the place under the cursor. 1-9 choose a line, or tick it if several can be chosen. Press again to remove the tick.
The wheel scrolls, or zooms with Ctrl. Drag with a mouse button to move the map.
Ctrl+P lists the actions by name and runs the one that you choose. You can also use the mouse.
In text from outside, ? replaces control and hidden characters."""


class HelpScreen(BaseDialog[None]):
    """Lists all keys that work on the screen, with the names of their actions."""

    BINDINGS = [Binding("question_mark,q", "leave", "Close")]
    DEFAULT_CSS = """
    HelpScreen > Vertical { height: 100%; width: 78; }
    HelpScreen VerticalScroll { height: 1fr; }
    """

    def __init__(self, rows: tuple[ActionRow, ...]) -> None:
        super().__init__()
        self._rows = rows

    @override
    def compose(self) -> ComposeResult:
        width = max((len(row.keys) for row in self._rows), default=0)
        lines = [f"{row.keys:<{width}}  {row.name}" for row in self._rows]
        with Vertical():
            yield Static("Keys", classes="title", markup=False)
            with VerticalScroll():
                yield Static(Content("\n".join(lines) + "\n" + _NOTES), markup=False)

    def on_mount(self) -> None:
        """Focus the table, so that the arrow keys scroll it."""
        self.query_one(VerticalScroll).focus()

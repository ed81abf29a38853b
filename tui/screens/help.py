"""The key help for a screen."""

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static
from typing_extensions import override

from tui.screens.base import ActionRow, FlagDialog

_NOTES = """
Tab changes between map and list. The bar of the list is bright where Enter takes its line, else Enter takes the
place under the cursor. 1-9 take a line, or tick it in a list of several; once more takes the tick back.
The wheel scrolls, with Ctrl it zooms; a held button drags the map.
Ctrl+P lists every action by name and runs it. The mouse works everywhere, but is never needed.
Foreign text is shown as text: ? stands where a control or hidden character was taken out."""


class HelpScreen(FlagDialog[None]):
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
        """Let the arrow keys scroll the table."""
        self.query_one(VerticalScroll).focus()

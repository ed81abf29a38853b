"""Saying a line to the table, below what was said last."""

from collections.abc import Sequence
from typing import Final

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from tui.clean import clean
from tui.screens.prompt import LineDialog

_SHOWN: Final = 8
"""Lines of the conversation that are shown; the log has all."""
_LINE_CELLS: Final = 400


class ChatDialog(LineDialog):
    """Asks for a line to say; what was said last stands above it."""

    DEFAULT_CSS = """
    ChatDialog .said { height: auto; max-height: 14; margin-bottom: 1; }
    """

    def __init__(self, said: Sequence[str], limit: int) -> None:
        """Show the end of a conversation.

        Args:
            said: What was said so far, with who said it, oldest first.
            limit: Letters that a line may have.
        """
        super().__init__("Say to the table", limit=limit)
        self._said = [clean(line, _LINE_CELLS) for line in said[-_SHOWN:]]

    def compose(self) -> ComposeResult:
        """Compose the conversation and the input."""
        with Vertical():
            yield Static("Say to the table", classes="title", markup=False)
            said = Content("\n".join(self._said or ["Nothing was said yet."]))
            yield Static(said, classes="said", markup=False)
            field = Input(max_length=self._limit, compact=True)
            field.cursor_blink = False
            yield field

"""A dialog for writing a chat message, with the latest messages above."""

from collections.abc import Sequence
from typing import Final

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static
from typing_extensions import override

from tui.screens.dialogs.prompt import LineDialog
from tui.terminal.sanitising import sanitise_line

_MAX_SHOWN_MESSAGES: Final = 8
"""Maximum number of chat messages shown. The log contains all messages."""
_LINE_CELLS: Final = 400


class ChatDialog(LineDialog):
    """Asks for a chat message, with the latest messages above the input."""

    DEFAULT_CSS = """
    ChatDialog .messages { height: auto; max-height: 14; margin-bottom: 1; }
    """

    def __init__(self, messages: Sequence[str], limit: int) -> None:
        """Create the dialog.

        Args:
            messages: The messages so far, with their senders, oldest first.
            limit: Maximum number of characters in a message.
        """
        super().__init__("Message to all players", limit=limit)
        self._messages = [
            sanitise_line(line, _LINE_CELLS) for line in messages[-_MAX_SHOWN_MESSAGES:]
        ]

    @override
    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static("Message to all players", classes="title", markup=False)
            messages_text = Content("\n".join(self._messages or ["No messages yet."]))
            yield Static(messages_text, classes="messages", markup=False)
            field = Input(max_length=self._limit, compact=True)
            field.cursor_blink = False
            yield field

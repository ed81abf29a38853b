"""Calls the player back to the table: bell, title of the window, notification of the desktop."""

import time
from collections.abc import Callable
from typing import Final

from tui.clean import clean
from tui.settings import Choice, Settings
from tui.terminal import Notification, Terminal

PATIENCE_SECONDS: Final = 1.0
"""A question that comes sooner than this after the own key is not a news."""
_BELL: Final = "\a"
_END: Final = "\x1b\\"
_KEEP_TITLE: Final = "\x1b[22;2t"
_GIVE_TITLE_BACK: Final = "\x1b[23;2t"
_NAME: Final = "flagplot"
_WIDEST: Final = 100


def title_bytes(words: str) -> str:
    """Return what sets the title of the window."""
    return f"\x1b]2;{clean(words, _WIDEST)}{_END}"


def notification_bytes(kind: Notification, words: str) -> str:
    """Return what sends a notification, empty where the terminal has none."""
    text = clean(words, _WIDEST)
    match kind:
        case Notification.OSC_9:
            return f"\x1b]9;{text}{_END}"
        case Notification.OSC_777:
            return f"\x1b]777;notify;{_NAME};{text.replace(';', ',')}{_END}"
        case Notification.NONE:
            return ""


class Attention:
    """Whether the player has been waiting, and what calls him."""

    def __init__(self, terminal: Terminal, send: Callable[[str], None]) -> None:
        """Prepare; `send` writes to the terminal past the screens."""
        self._terminal = terminal
        self._send = send
        self._is_titled = False
        self._is_marked = False
        """The title says that the player is asked."""
        self._waiting_since: float | None = None

    def wait(self) -> None:
        """Begin to wait for others."""
        if self._waiting_since is None:
            self._waiting_since = time.monotonic()

    def asked(self, settings: Settings, game: str) -> bool:
        """Call the player if he has waited; return whether that was done."""
        since, self._waiting_since = self._waiting_since, None
        if since is None or time.monotonic() - since < PATIENCE_SECONDS:
            return False
        words = f"{game}: it is your move"
        if settings.bell:
            self._send(_BELL)
        if settings.window_title:
            self._title(f"* {words}")
            self._is_marked = True
        self._send(notification_bytes(self._notification(settings), words))
        return True

    def _notification(self, settings: Settings) -> Notification:
        known = self._terminal.notification
        match settings.notify:
            case Choice.OFF:
                return Notification.NONE
            case Choice.ON:
                return Notification.OSC_9 if known is Notification.NONE else known
            case Choice.AUTO:
                return known

    def answered(self, game: str) -> None:
        """Take the mark off the title: the player is back."""
        if self._is_marked:
            self._is_marked = False
            self._title(f"{_NAME}: {game}")

    def _title(self, words: str) -> None:
        if not self._terminal.has_title:
            return
        if not self._is_titled:
            self._is_titled = True
            self._send(_KEEP_TITLE)
        self._send(title_bytes(words))

    def leave(self) -> None:
        """Give the window its own title back."""
        if self._is_titled:
            self._is_titled = False
            self._send(_GIVE_TITLE_BACK)

"""Alerts the player when it is their turn: bell, window title and desktop notification."""

import time
from collections.abc import Callable
from typing import Final

from tui.drawing.capabilities import Notification, Terminal
from tui.terminal.sanitising import sanitise_line
from tui.terminal.settings import AutoSwitch, Settings

MIN_WAIT_SECONDS: Final = 1.0
"""Minimum wait before an alert. A player who has just pressed a key does not need an alert."""
_BELL: Final = "\a"
_STRING_TERMINATOR: Final = "\x1b\\"
_PUSH_TITLE: Final = "\x1b[22;2t"
_POP_TITLE: Final = "\x1b[23;2t"
_PROGRAM_NAME: Final = "flagplot"
_MAX_WIDTH: Final = 100


def title_sequence(title: str) -> str:
    """Return the escape sequence that sets the window title."""
    # Sanitise the title here, because this text bypasses the output filter on its way to the
    # terminal.
    return f"\x1b]2;{sanitise_line(title, _MAX_WIDTH)}{_STRING_TERMINATOR}"


def notification_sequence(kind: Notification, message: str) -> str:
    """Return the escape sequence that sends a notification; empty if the terminal does not support notifications."""
    text = sanitise_line(message, _MAX_WIDTH)
    match kind:
        case Notification.OSC_9:
            return f"\x1b]9;{text}{_STRING_TERMINATOR}"
        case Notification.OSC_777:
            # Semicolons separate the fields of this sequence, so the message must not contain any.
            return f"\x1b]777;notify;{_PROGRAM_NAME};{text.replace(';', ',')}{_STRING_TERMINATOR}"
        case Notification.NONE:
            return ""


class TurnAlerts:
    """Alerts the player when a decision is due after a wait."""

    def __init__(self, terminal: Terminal, send: Callable[[str], None]) -> None:
        """Start without an alert. `send` writes directly to the terminal and bypasses the screens."""
        self._terminal = terminal
        self._send = send
        self._has_pushed_title = False
        """True while the original title is saved on the terminal's title stack."""
        self._is_marked = False
        """True while the window title is marked to show that it is the player's turn."""
        self._waiting_since: float | None = None

    def start_waiting(self) -> None:
        """Record that the player is now waiting for others."""
        if self._waiting_since is None:
            self._waiting_since = time.monotonic()

    def alert(self, settings: Settings, game: str) -> bool:
        """Alert the player if the game has been waiting for others. Return True if an alert was sent."""
        since, self._waiting_since = self._waiting_since, None
        if since is None or time.monotonic() - since < MIN_WAIT_SECONDS:
            return False
        message = f"{game}: it is your move"
        if settings.bell:
            self._send(_BELL)
        if settings.window_title:
            self._set_title(f"* {message}")
            self._is_marked = True
        self._send(notification_sequence(self._notification(settings), message))
        return True

    def _notification(self, settings: Settings) -> Notification:
        supported = self._terminal.notification
        match settings.notify:
            case AutoSwitch.OFF:
                return Notification.NONE
            case AutoSwitch.ON:
                return Notification.OSC_9 if supported is Notification.NONE else supported
            case AutoSwitch.AUTO:
                return supported

    def clear_mark(self, game: str) -> None:
        """Remove the mark from the window title when the player returns."""
        if self._is_marked:
            self._is_marked = False
            self._set_title(f"{_PROGRAM_NAME}: {game}")

    def _set_title(self, title: str) -> None:
        if not self._terminal.has_title:
            return
        if not self._has_pushed_title:
            self._has_pushed_title = True
            # Push the title only once, because `leave` pops it only once.
            self._send(_PUSH_TITLE)
        self._send(title_sequence(title))

    def leave(self) -> None:
        """Restore the original window title."""
        if self._has_pushed_title:
            self._has_pushed_title = False
            self._send(_POP_TITLE)

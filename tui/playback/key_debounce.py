"""Ignores keys that were meant to skip a playback but arrive just after its end."""

import time
from typing import Final

IGNORE_SECONDS: Final = 0.6
"""Time for which Enter and Space are ignored after each press, in seconds."""
IGNORED_TEXT: Final = "The playback has just ended. Press the key once more to choose."


class KeyDebounce:
    """Tracks whether Enter and Space are being ignored. Each further press restarts the period."""

    def __init__(self) -> None:
        """Start without ignoring any key."""
        self._until = 0.0

    @property
    def is_active(self) -> bool:
        """True while the keys are being ignored."""
        return time.monotonic() < self._until

    def start(self) -> None:
        """Ignore the keys for a moment, starting now."""
        self._until = time.monotonic() + IGNORE_SECONDS

    def stop(self) -> None:
        """Stop ignoring the keys, because another key shows that the player is working on the question."""
        self._until = 0.0

"""Ignores keys that were meant to skip a playback but are pressed just after the playback has ended."""

import time
from typing import Final

IGNORE_SECONDS: Final = 0.6
"""Seconds to ignore Enter and Space after the playback, and again after each ignored press."""
IGNORED_TEXT: Final = "The playback has just ended, so this key was ignored."


class KeyDebounce:
    """Tracks whether Enter and Space are ignored. Each ignored press restarts the period."""

    def __init__(self) -> None:
        """Create a debouncer that accepts all keys."""
        self._ignored_until = 0.0

    @property
    def is_active(self) -> bool:
        """True while the keys are being ignored."""
        return time.monotonic() < self._ignored_until

    def start(self) -> None:
        """Start ignoring the keys for `IGNORE_SECONDS`."""
        self._ignored_until = time.monotonic() + IGNORE_SECONDS

    def stop(self) -> None:
        """Stop ignoring the keys when the player presses another key to answer the question."""
        self._ignored_until = 0.0

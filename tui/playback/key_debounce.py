"""Protects against keys that were meant to skip a playback: for a moment after its end they choose nothing."""

import time
from typing import Final

SECONDS: Final = 0.6
"""How long Enter and Space are ignored after each press, in seconds."""
TOLD: Final = "The playback has just ended. Press the key once more to choose."


class KeyDebounce:
    """Whether Enter and Space are being ignored; each further press restarts the time."""

    def __init__(self) -> None:
        """Create an inactive guard."""
        self._until = 0.0

    @property
    def is_up(self) -> bool:
        """Whether the keys are being ignored."""
        return time.monotonic() < self._until

    def raise_it(self) -> None:
        """Ignore the keys from now on, for a moment."""
        self._until = time.monotonic() + SECONDS

    def drop(self) -> None:
        """Stop ignoring the keys, because another key shows that the player is looking at the question."""
        self._until = 0.0

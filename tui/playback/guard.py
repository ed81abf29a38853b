"""Keys pressed to skip a playback or a card decide nothing: for a moment behind its end they are still its own."""

import time
from typing import Final

SECONDS: Final = 0.6
"""How long after the last of these keys the next one still belongs to what has ended."""
TOLD: Final = "The playback has just ended. Press the key once more to choose."


class Guard:
    """Whether Enter and Space still belong to what has ended; each of them that comes meanwhile begins it anew."""

    def __init__(self) -> None:
        """Guard nothing yet."""
        self._until = 0.0

    @property
    def is_up(self) -> bool:
        """Return whether the keys choose nothing yet."""
        return time.monotonic() < self._until

    def raise_it(self) -> None:
        """Guard from now on, for a moment."""
        self._until = time.monotonic() + SECONDS

    def drop(self) -> None:
        """Guard no longer: another key tells that the player looks at the question."""
        self._until = 0.0

"""The clock of a host: it stands still while the host does not run.

A process that is stopped, suspended or too busy to serve its players sends no heartbeats. The front process of a host
sends them, to itself or to its worker processes, so the clock of a worker also stops while the front process does.
"""

import time
from collections.abc import Callable
from typing import Final

BEAT_SECONDS: Final = 0.25
"""From one heartbeat to the next."""
MOST_GAP_SECONDS: Final = 1.0
"""After a longer gap between two heartbeats, only one heartbeat's time counts."""
LOST_SECONDS: Final = 4.0
"""After a gap of this length players may have lost their connection."""


class AwakeClock:
    """Seconds in which the host demonstrably ran, since the first heartbeat."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """Start at 0.

        Args:
            now: A steady clock, in seconds.
        """
        self._now = now
        self._awake = 0.0
        """Seconds counted up to the last heartbeat."""
        self._beaten_at: float | None = None

    def beat(self) -> float:
        """Count the time since the last heartbeat; return the seconds of a gap that does not count, or 0."""
        now = self._now()
        gap = 0.0 if self._beaten_at is None else now - self._beaten_at
        self._beaten_at = now
        if gap <= MOST_GAP_SECONDS:
            self._awake += gap
            return 0.0
        self._awake += BEAT_SECONDS
        return gap

    def now(self) -> float:
        """Return the seconds counted so far; it never goes back."""
        if self._beaten_at is None:
            return self._awake
        # Never more than the next heartbeat will add, however late that comes.
        return self._awake + min(self._now() - self._beaten_at, BEAT_SECONDS)

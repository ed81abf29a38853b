"""A clock that stops while the host is not running.

A process that is stopped, suspended or too busy to serve its players sends no heartbeats. A host's main process
sends heartbeats to itself and its workers, so a worker's clock also stops when the main process does.
"""

import time
from collections.abc import Callable
from typing import Final

BEAT_SECONDS: Final = 0.25
"""Interval between heartbeats."""
MOST_GAP_SECONDS: Final = 1.0
"""Longest gap between heartbeats that is counted in full; a longer gap counts as a single interval."""
LOST_SECONDS: Final = 4.0
"""Length of a gap that may have cost players their connections."""


class AwakeClock:
    """Counts the seconds since the first heartbeat during which the host was demonstrably running."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """Start at 0.

        Args:
            now: Monotonic clock, in seconds.
        """
        self._now = now
        self._awake = 0.0
        """Seconds counted up to the last heartbeat."""
        self._beaten_at: float | None = None

    def beat(self) -> float:
        """Count the time since the last heartbeat. Return the gap's length if it was too long to count, otherwise 0."""
        now = self._now()
        gap = 0.0 if self._beaten_at is None else now - self._beaten_at
        self._beaten_at = now
        if gap <= MOST_GAP_SECONDS:
            self._awake += gap
            return 0.0
        self._awake += BEAT_SECONDS
        return gap

    def now(self) -> float:
        """Return the seconds counted so far, which never decrease."""
        if self._beaten_at is None:
            return self._awake
        # Never run ahead of what the next heartbeat will add, even if that is late.
        return self._awake + min(self._now() - self._beaten_at, BEAT_SECONDS)

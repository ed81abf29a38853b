"""Implements a clock that stops while the host is not running.

A process that is stopped, suspended or too busy to serve its players sends no heartbeats. A host's main process sends
heartbeats to itself and its workers, so a worker's clock also stops when the main process stops.
"""

import time
from collections.abc import Callable
from typing import Final

HEARTBEAT_SECONDS: Final = 0.25
"""Interval between heartbeats, in seconds."""
MAX_GAP_SECONDS: Final = 1.0
"""The longest gap in seconds that is counted in full. A longer gap counts as a single heartbeat interval."""
STALL_SECONDS: Final = 4.0
"""After a gap of at least this many seconds, players may have lost their connections."""


class AwakeClock:
    """Counts the seconds during which the host has certainly been running."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """Start the clock at 0.

        Args:
            now: A monotonic clock, in seconds.
        """
        self._now = now
        self._elapsed = 0.0
        """Seconds counted up to the last heartbeat."""
        self._last_heartbeat: float | None = None

    def heartbeat(self) -> float:
        """Count the time since the last heartbeat.

        Return the gap if it was too long to be counted in full; otherwise, return 0.
        """
        now = self._now()
        gap = 0.0 if self._last_heartbeat is None else now - self._last_heartbeat
        self._last_heartbeat = now
        if gap <= MAX_GAP_SECONDS:
            self._elapsed += gap
            return 0.0
        self._elapsed += HEARTBEAT_SECONDS
        return gap

    def now(self) -> float:
        """Return the seconds counted so far. The result never decreases."""
        if self._last_heartbeat is None:
            return self._elapsed
        # The result must not exceed the count after the next heartbeat, even if that heartbeat is
        # late.
        return self._elapsed + min(self._now() - self._last_heartbeat, HEARTBEAT_SECONDS)

"""How much a connection may ask for, and what happens beyond."""

import time
from collections.abc import Callable
from typing import Final

MESSAGES_PER_SECOND: Final = 600
MESSAGES_AT_ONCE: Final = 1200
CHAT_PER_SECOND: Final = 2
CHAT_AT_ONCE: Final = 10
ILLEGAL_PER_SECOND: Final = 10
ILLEGAL_AT_ONCE: Final = 60
MOST_OFFENCES: Final = 200
"""Messages beyond a limit after which the connection is closed."""
COOL_DOWN_SECONDS: Final = 10.0
"""How long a seat that was thrown out for flooding must wait."""
MOST_SPECTATORS: Final = 64
"""Spectators of one match."""
MEND_SECONDS: Final = 1.0
"""From one try to go on with a record that the disk refused to the next."""
WAITING_AFTER_SECONDS: Final = 5.0
"""A seat that neither asks nor answers for so long counts as absent."""


class Bucket:
    """Tokens that come back at a steady rate."""

    def __init__(
        self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Start full.

        Args:
            rate: Tokens per second.
            burst: Most tokens at a time.
            clock: Seconds that never go back.
        """
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._tokens = burst
        self._filled = clock()

    def take(self) -> bool:
        """Take a token; False when there is none."""
        now = self._clock()
        self._tokens = min(self._burst, self._tokens + (now - self._filled) * self._rate)
        self._filled = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True

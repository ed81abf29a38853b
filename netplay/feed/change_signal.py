"""Wakes requests that are waiting for updates to a match, and counts the changes."""

import asyncio


class ChangeSignal:
    """Wakes all waiters."""

    def __init__(self) -> None:
        """Start with no changes."""
        self.version = 0
        """Incremented when anything outside the record changes and all peers must be notified."""
        self._event = asyncio.Event()

    def notify(self) -> None:
        """Wake all waiters."""
        event, self._event = self._event, asyncio.Event()
        event.set()

    def bump(self) -> None:
        """Count a change and wake all waiters."""
        self.version += 1
        self.notify()

    async def wait(self, seconds: float) -> None:
        """Wait for a wake-up, but no longer than the given time."""
        event = self._event
        try:
            async with asyncio.timeout(seconds):
                await event.wait()
        except TimeoutError:
            return

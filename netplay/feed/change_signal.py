"""Wakes requests that are waiting for updates to a match."""

import asyncio


class ChangeSignal:
    """Wakes the tasks that are waiting for changes to one match."""

    def __init__(self) -> None:
        """Create a signal that has not counted any changes yet."""
        self.version = 0
        """Number of changes so far, other than new records, that must be sent to all peers."""
        self._event = asyncio.Event()

    def notify(self) -> None:
        """Wake all waiters."""
        # The old event is replaced before the waiters wake. A waiter that arrives later therefore
        # waits for the next change.
        event, self._event = self._event, asyncio.Event()
        event.set()

    def bump(self) -> None:
        """Count a change and wake all waiters."""
        self.version += 1
        self.notify()

    async def wait(self, seconds: float) -> None:
        """Wait for the next notification, but no longer than the given number of seconds."""
        event = self._event
        try:
            async with asyncio.timeout(seconds):
                await event.wait()
        except TimeoutError:
            return

"""Wakes whoever waits for news of one match, and counts how often there was something to tell."""

import asyncio


class Bell:
    """Rings for everybody who waits."""

    def __init__(self) -> None:
        """Be silent."""
        self.version = 0
        """Rises when something besides the record changed that everybody is told."""
        self._event = asyncio.Event()

    def ring(self) -> None:
        """Wake everybody who waits."""
        event, self._event = self._event, asyncio.Event()
        event.set()

    def touch(self) -> None:
        """Note that there is something to tell, and wake everybody who waits."""
        self.version += 1
        self.ring()

    async def wait(self, seconds: float) -> None:
        """Wait until something happens, or the time is over."""
        event = self._event
        try:
            async with asyncio.timeout(seconds):
                await event.wait()
        except TimeoutError:
            return

"""Connects to a host in the same process.

A peer authenticates as usual and receives exactly the messages that it would receive over the network. Only the
sockets, TLS and the transport's threads are omitted.
"""

import asyncio
from collections.abc import Awaitable, Callable

from netplay.wire.errors import ConnectionLostError


class InProcessConnection:
    """A peer's connection to the host in the same process."""

    def __init__(
        self, answer: Callable[[bytes], Awaitable[bytes | None]], on_closed: Callable[[], None]
    ) -> None:
        """Connect to the host.

        Args:
            answer: Returns the host's reply to one message.
            on_closed: Notifies the host that the connection has ended. The host then stops delaying its replies.
        """
        self._answer = answer
        self._on_closed = on_closed
        self._is_closed = False
        self._pending: set[asyncio.Future[bytes | None]] = set()

    async def ask(self, data: bytes, seconds: float) -> bytes:
        """Send a request and return the reply. The host finishes the request even if the caller stops waiting.

        Raises:
            ConnectionLostError: The connection has ended, or no reply arrived in time.
        """
        if self._is_closed:
            raise ConnectionLostError("the connection to this host has ended")
        pending = asyncio.ensure_future(self._answer(data))
        self._pending.add(pending)
        pending.add_done_callback(self._pending.discard)
        try:
            async with asyncio.timeout(seconds):
                # As over the network, a request that has reached the host is carried out even if
                # the peer stops waiting.
                answer = await asyncio.shield(pending)
        except TimeoutError as error:
            raise ConnectionLostError("this host is not responding") from error
        if answer is None:
            raise ConnectionLostError("this host has stopped")
        return answer

    async def close(self) -> None:
        """End the connection, and wait until the host has finished all requests on it."""
        if not self._is_closed:
            self._is_closed = True
            self._on_closed()
        await asyncio.gather(*self._pending, return_exceptions=True)

"""Closes connections that bypassed the admission proxy and that the transport never reports.

Any local program can find the port on which the transport listens behind the proxy. The transport closes a connection
that is slow to greet, but not one that is slow to start TLS, for which it has no handle. This process therefore
searches its own sockets and shuts down any that remain unknown for too long. The transport notices this and releases
them.
"""

import contextlib
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_PLACES: Final = (Path("/proc/self/fd"), Path("/dev/fd"))
"""Directories in which the system lists a process's open files."""


class OrphanedSockets:
    """Tracks unknown connections to one local port."""

    def __init__(self, port: int) -> None:
        """Watch this process's connections to the given port."""
        self._port = port
        self._since: dict[tuple[str, int], float] = {}

    @property
    def count(self) -> int:
        """Return how many unknown connections there were at the last check."""
        return len(self._since)

    def close(
        self, known: frozenset[int], passed: frozenset[int], now: float, seconds: float
    ) -> int:
        """Shut down connections that have been unknown for too long, and return how many.

        Args:
            known: The known connections' remote ports.
            passed: File descriptors to skip, because checking one takes about 25 microseconds.
            now: Monotonic time in seconds.
            seconds: How long a connection may remain unknown.
        """
        since, closed = self._since, 0
        self._since = {}
        for other, connection in _connections(self._port, passed):
            if other[1] in known:
                continue
            self._since[other] = since.get(other, now)
            if now - self._since[other] > seconds:
                closed += 1
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
        return closed


def _connections(
    port: int, passed: frozenset[int]
) -> Iterator[tuple[tuple[str, int], socket.socket]]:
    """Yield the connections to a local port, each with its remote address."""
    place = next((place for place in _PLACES if place.is_dir()), None)
    listed = () if place is None else tuple(place.iterdir())
    for number in {int(entry.name) for entry in listed} - passed:
        with contextlib.suppress(OSError):
            held = os.dup(
                number
            )  # prevents the descriptor number from being reused in the meantime
            try:
                found = socket.socket(fileno=held)
            except OSError:
                os.close(held)
                continue
            with found:
                own, other = found.getsockname(), found.getpeername()
                if isinstance(own, tuple) and own[1] == port:
                    yield (other[0], other[1]), found

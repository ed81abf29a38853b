"""Connections that the transport has taken and tells nobody of, and that did not come through the gate.

Whoever can run programs on this machine can find where the transport listens behind the gate. The transport closes a
connection that is slow to greet, but not one that is slow to speak TLS, and has no name for it. So the sockets of this
process are looked through, and those that stay unknown for too long are shut down; the transport notices, and lets go
of them.
"""

import contextlib
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_PLACES: Final = (Path("/proc/self/fd"), Path("/dev/fd"))
"""Where a system lists the open files of a process."""


class Strays:
    """The connections to one port that nobody knows."""

    def __init__(self, port: int) -> None:
        """Look after the connections to this port of this process."""
        self._port = port
        self._since: dict[tuple[str, int], float] = {}

    @property
    def count(self) -> int:
        """Return how many there were at the last look."""
        return len(self._since)

    def close(
        self, known: frozenset[int], passed: frozenset[int], now: float, seconds: float
    ) -> int:
        """Shut down what has been unknown for too long and return how many that were.

        Args:
            known: Ports of the other ends of those connections that are known.
            passed: Open files that need no look, which takes some 25 microseconds for each.
            now: Seconds that never go back.
            seconds: How long a connection may stay unknown.
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
    """Yield the connections that came to a port, each with the address of its other end."""
    place = next((place for place in _PLACES if place.is_dir()), None)
    listed = () if place is None else tuple(place.iterdir())
    for number in {int(entry.name) for entry in listed} - passed:
        with contextlib.suppress(OSError):
            held = os.dup(number)  # so that nobody else is given this number meanwhile
            try:
                found = socket.socket(fileno=held)
            except OSError:
                os.close(held)
                continue
            with found:
                own, other = found.getsockname(), found.getpeername()
                if isinstance(own, tuple) and own[1] == port:
                    yield (other[0], other[1]), found

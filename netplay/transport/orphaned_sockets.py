"""Closes connections that bypass the admission proxy and that the transport never reports.

Any local program can find the port on which the transport listens behind the proxy. The transport closes connections
that are slow to greet. It neither closes nor reports connections that are slow to start TLS. This process therefore
searches its own sockets and shuts down any that remain unknown for too long. The transport detects the shutdown and
releases these sockets.
"""

import contextlib
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_FD_FOLDERS: Final = (Path("/proc/self/fd"), Path("/dev/fd"))
"""Folders in which the system lists the open files of this process."""


class OrphanedSockets:
    """Tracks unknown connections to one local port."""

    def __init__(self, port: int) -> None:
        """Create a tracker for this process's connections to the given port."""
        self._port = port
        self._first_seen: dict[tuple[str, int], float] = {}

    @property
    def count(self) -> int:
        """Return the number of connections that were unknown at the last check."""
        return len(self._first_seen)

    def close(
        self, known: frozenset[int], skipped: frozenset[int], now: float, seconds: float
    ) -> int:
        """Shut down all connections that have been unknown for too long, and return their number.

        Args:
            known: The remote ports of known connections.
            skipped: File descriptors to skip, because checking each takes about 25 microseconds.
            now: Monotonic time in seconds.
            seconds: Maximum time in seconds that a connection may remain unknown.
        """
        first_seen, closed_count = self._first_seen, 0
        self._first_seen = {}
        for address, connection in _connections(self._port, skipped):
            if address[1] in known:
                continue
            # A connection through the proxy is unknown, too, until the proxy has registered its
            # port.
            self._first_seen[address] = first_seen.get(address, now)
            if now - self._first_seen[address] > seconds:
                closed_count += 1
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
        return closed_count


def _connections(
    port: int, skipped: frozenset[int]
) -> Iterator[tuple[tuple[str, int], socket.socket]]:
    """Yield the connections to a local port, each with its remote address."""
    folder = next((folder for folder in _FD_FOLDERS if folder.is_dir()), None)
    entries = () if folder is None else tuple(folder.iterdir())
    for descriptor in {int(entry.name) for entry in entries} - skipped:
        with contextlib.suppress(OSError):
            duplicate = os.dup(
                descriptor
            )  # The descriptor is duplicated, so that it stays valid even if the original is closed.
            try:
                connection = socket.socket(fileno=duplicate)
            except OSError:
                os.close(duplicate)
                continue
            with connection:
                local_address, remote_address = connection.getsockname(), connection.getpeername()
                if isinstance(local_address, tuple) and local_address[1] == port:
                    yield (remote_address[0], remote_address[1]), connection

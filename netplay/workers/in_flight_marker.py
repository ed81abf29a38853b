"""Marks in shared memory which matches a worker is processing, so that the match that caused a crash can be found."""

import mmap
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, Final

_WIDTH: Final = 32
"""Number of bytes reserved for one match id."""
_SLOTS: Final = 64
"""Maximum number of matches that can be marked at the same time. Further matches are not marked."""
_EMPTY: Final = bytes(_WIDTH)


class InFlightMarker:
    """Memory shared by a worker, which writes the marks, and the host, which reads them."""

    def __init__(self, handle: int) -> None:
        """Map a file created by :func:`new_marker_file` into memory."""
        self._memory = mmap.mmap(handle, _WIDTH * _SLOTS)
        self._free_slots = list(range(_SLOTS))

    @contextmanager
    def mark(self, match: str) -> Iterator[None]:
        """Mark a match as being processed while the context is active."""
        if not self._free_slots:
            yield
            return
        slot = self._free_slots.pop()
        start = slot * _WIDTH
        self._memory[start : start + _WIDTH] = match.encode()[:_WIDTH].ljust(_WIDTH, b"\0")
        try:
            yield
        finally:
            self._memory[start : start + _WIDTH] = _EMPTY
            self._free_slots.append(slot)

    def marked_matches(self) -> frozenset[str]:
        """Return the matches that the worker is processing, or was processing when it died."""
        offsets = range(0, _WIDTH * _SLOTS, _WIDTH)
        entries = (self._memory[start : start + _WIDTH].rstrip(b"\0") for start in offsets)
        return frozenset(name.decode(errors="replace") for name in entries if name)

    def close(self) -> None:
        """Release the memory."""
        self._memory.close()


def new_marker_file() -> BinaryIO:
    """Create an unnamed file without marks, which can be passed to a worker."""
    file = tempfile.TemporaryFile("w+b", buffering=0)  # noqa: SIM115  # the caller closes it
    os.ftruncate(file.fileno(), _WIDTH * _SLOTS)
    return file

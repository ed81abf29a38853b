"""What a worker process is at, written where it is read after the process has died: which match may have ended it."""

import mmap
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, Final

_WIDTH: Final = 32
"""Bytes for the id of a match."""
_PLACES: Final = 64
"""Matches that a worker may be at; more are not noted."""
_NOBODY: Final = bytes(_WIDTH)


class Marks:
    """Memory that two processes share: the one at work writes, the other one reads."""

    def __init__(self, handle: int) -> None:
        """Share an open file of :func:`new_marks`."""
        self._memory = mmap.mmap(handle, _WIDTH * _PLACES)
        self._free = list(range(_PLACES))

    @contextmanager
    def at(self, match: str) -> Iterator[None]:
        """Note that this process is at a match as long as the context lasts."""
        if not self._free:
            yield
            return
        place = self._free.pop()
        start = place * _WIDTH
        self._memory[start : start + _WIDTH] = match.encode()[:_WIDTH].ljust(_WIDTH, b"\0")
        try:
            yield
        finally:
            self._memory[start : start + _WIDTH] = _NOBODY
            self._free.append(place)

    def read(self) -> frozenset[str]:
        """Return the matches that the other process is at, or was when it died."""
        places = range(0, _WIDTH * _PLACES, _WIDTH)
        found = (self._memory[start : start + _WIDTH].rstrip(b"\0") for start in places)
        return frozenset(name.decode(errors="replace") for name in found if name)

    def close(self) -> None:
        """Let go of the memory."""
        self._memory.close()


def new_marks() -> BinaryIO:
    """Return an open file without a name to share, still without any mark."""
    file = tempfile.TemporaryFile("w+b", buffering=0)  # noqa: SIM115  # whoever asks closes it
    os.ftruncate(file.fileno(), _WIDTH * _PLACES)
    return file

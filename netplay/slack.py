"""Memory that a crowd of connections needed and has let go of, given back to the system.

The C library keeps what is freed, in pieces between what is still in use: after waves of 2,000 silent connections
a host held three times what it used.
"""

import ctypes
import os
from typing import Final

CROWD: Final = 250
"""So many connections fewer than before are a crowd that has left; each costs some 40 kB as long as it lasts."""


class Slack:
    """Notices when a crowd has left."""

    def __init__(self) -> None:
        """Know of nobody yet."""
        self._most = 0
        self._is_due = False

    def is_due(self, connections: int) -> bool:
        """Return whether memory shall be given back now: a crowd had left already at the look before.

        Args:
            connections: How many there are now; the transport may still be letting go of others.
        """
        due = self._is_due
        self._most = max(self._most, connections)
        self._is_due = self._most - connections >= CROWD
        if self._is_due:
            self._most = connections
        return due


def give_back() -> None:
    """Give memory that nobody uses back to the system, where the C library can do that; takes some milliseconds."""
    if os.name != "posix":
        return
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)

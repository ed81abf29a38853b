"""Keeps the secrets of this process out of core dumps."""

import ctypes
import os
from typing import Final

KEEP: Final = "FLAGPLOT_CORE_DUMPS"
"""Environment variable that allows core dumps for debugging, if set to anything."""
_SET_DUMPABLE: Final = 4
"""Number of the ``PR_SET_DUMPABLE`` option of ``prctl`` on Linux."""


def forbid_core_dumps() -> None:
    """Prevent core dumps of this process, and prevent other processes of the same account from reading its memory.

    A core dump of a host would contain every hand, deck and key. The size limit is not sufficient on systems that pipe
    core dumps to a program, so the process is also marked as not dumpable.
    """
    if os.environ.get(KEEP) or os.name != "posix":
        return
    import resource  # noqa: PLC0415  # not available on every system

    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, hard))
    prctl = getattr(ctypes.CDLL(None), "prctl", None)
    if prctl is not None:
        prctl(_SET_DUMPABLE, 0, 0, 0, 0)

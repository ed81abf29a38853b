"""Prevents core dumps, because they would contain the secrets in this process's memory."""

import ctypes
import os
from typing import Final

KEEP_VARIABLE: Final = "FLAGPLOT_CORE_DUMPS"
"""Environment variable that allows core dumps for debugging if it is set."""
_SET_DUMPABLE: Final = 4
"""The number of the ``PR_SET_DUMPABLE`` option of ``prctl`` on Linux."""


def forbid_core_dumps() -> None:
    """Disable core dumps, and keep other processes under the same account from reading this process's memory.

    The core dump of a host would contain every hand, deck and key. A size limit is not enough on systems that pipe core
    dumps to a program, so the process is also marked as not dumpable.
    """
    if os.environ.get(KEEP_VARIABLE) or os.name != "posix":
        return
    import resource  # noqa: PLC0415  # not available on every system

    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, hard))
    prctl = getattr(ctypes.CDLL(None), "prctl", None)
    if prctl is not None:
        prctl(_SET_DUMPABLE, 0, 0, 0, 0)

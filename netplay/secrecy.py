"""Keeping what only this process may know out of files that the system writes when a process dies."""

import ctypes
import os
from typing import Final

KEEP: Final = "FLAGPLOT_CORE_DUMPS"
"""Variable of the environment that, set to anything, allows core dumps: for whoever looks for a fault."""
_SET_DUMPABLE: Final = 4
"""Of ``prctl`` on Linux."""


def forbid_core_dumps() -> None:
    """Let no core dump of this process be written, nor another process of the account look into it.

    A core dump of a host would hold every hand, deck and key. Where core dumps go to a program of the system, the limit
    of their size does not count; the second way is for that.
    """
    if os.environ.get(KEEP) or os.name != "posix":
        return
    import resource  # noqa: PLC0415  # not everywhere

    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, hard))
    prctl = getattr(ctypes.CDLL(None), "prctl", None)
    if prctl is not None:
        prctl(_SET_DUMPABLE, 0, 0, 0, 0)

"""Signals that end a program unless it handles them."""

import signal
from typing import Final

_NAMES: Final = (
    "SIGHUP",
    "SIGQUIT",
    "SIGABRT",
    "SIGTERM",
    "SIGALRM",
    "SIGVTALRM",
    "SIGPROF",
    "SIGUSR1",
    "SIGUSR2",
    "SIGIO",
    "SIGPWR",
    "SIGSTKFLT",
    "SIGXCPU",
)
ENDING: Final = tuple(getattr(signal, name) for name in _NAMES if hasattr(signal, name))
"""They are sent from outside, by a key, a timer or a limit. SIGINT is not included because Python handles it.

Program faults such as SIGSEGV, and SIGKILL, cannot be handled in Python.
"""

"""Lists the signals that end a program that does not handle them."""

import signal
from typing import Final

_SIGNAL_NAMES: Final = (
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
TERMINATION_SIGNALS: Final = tuple(
    getattr(signal, name) for name in _SIGNAL_NAMES if hasattr(signal, name)
)
"""Signals caused by a key, a timer, a limit or another process. SIGINT is not included because Python handles it.

SIGKILL and faults such as SIGSEGV cannot be handled in Python.
"""

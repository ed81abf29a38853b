"""Signals that end a program which does not handle them."""

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
"""Sent from outside, by a key, a timer or a limit; SIGINT is not among them, since Python handles it.

Faults of the program itself, such as SIGSEGV, cannot be handled in Python, nor can SIGKILL.
"""

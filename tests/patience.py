"""Time limits for expected events in tests, and reading from a process that may print nothing."""

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from typing import Any, Final

PATIENCE: Final = 60.0
"""Limit in seconds. Only a busy machine needs more than a few seconds."""


@contextlib.contextmanager
def patience(process: "subprocess.Popen[Any]", seconds: float = PATIENCE) -> Iterator[None]:
    """End a process when the time is up, so that a reader of its output reaches the end.

    If the process leads a group, end the whole group.
    """
    clock = threading.Timer(seconds, _end, (process,))
    clock.daemon = True
    clock.start()
    try:
        yield
    finally:
        clock.cancel()


def _end(process: "subprocess.Popen[Any]") -> None:
    if process.poll() is None and os.getpgid(process.pid) == process.pid:
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()

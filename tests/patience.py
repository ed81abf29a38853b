"""How long tests wait for what must come, and listening to a process that may have nothing to say."""

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from typing import Any, Final

PATIENCE: Final = 60.0
"""Seconds; all but a busy machine needs hardly any of them."""


@contextlib.contextmanager
def patience(process: "subprocess.Popen[Any]", seconds: float = PATIENCE) -> Iterator[None]:
    """End a process when the time is over: who reads its output then reads the end of it.

    A process that leads a group takes the whole group with it.
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

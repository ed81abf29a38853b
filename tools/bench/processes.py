"""Programs started for measuring: in plain processes and on a pseudo terminal."""

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final, Self

ROOT: Final = Path(__file__).resolve().parents[2]
LIMIT_SECONDS: Final = 30.0
CHUNK: Final = 1 << 16


def environment(home: Path | None = None) -> dict[str, str]:
    """Return an environment without settings of the user; `home` holds configuration and data."""
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    found = kept | {"LANG": "C.UTF-8", "TERM": "xterm-256color", "PYTHONPATH": str(ROOT)}
    if home is not None:
        found |= {
            "HOME": str(home),
            "XDG_CONFIG_HOME": str(home / "config"),
            "XDG_DATA_HOME": str(home / "data"),
        }
    return found


def python(code: str, *arguments: str) -> str:
    """Run code in a fresh interpreter and return its standard output."""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        check=True,
        stdout=subprocess.PIPE,
        env=environment(),
        text=True,
    )
    return done.stdout


def python_seconds(code: str) -> float:
    """Return how long a fresh interpreter takes for some code, start and end included."""
    began = time.perf_counter()
    python(code)
    return time.perf_counter() - began


class Answer:
    """What a program wrote after a key."""

    def __init__(self, data: bytes, seconds: float) -> None:
        """Keep the bytes and when the last of them came, counted from the key."""
        self.data = data
        self.seconds = seconds


class Screen:
    """A program on a pseudo terminal of its own."""

    def __init__(self, code: str, home: Path, size: tuple[int, int]) -> None:
        """Run Python code with a terminal of so many columns and rows."""
        self.started = time.perf_counter()
        self._pid, self._handle = pty.fork()
        if self._pid == 0:
            _set_size(0, size)
            os.execve(sys.executable, [sys.executable, "-c", code], environment(home))  # noqa: S606  # own code

    def until(self, words: bytes) -> float:
        """Return how long after the start these words were on the screen.

        Raises:
            TimeoutError: They never came.
        """
        self.start(words)
        return time.perf_counter() - self.started

    def start(self, words: bytes) -> bytes:
        """Return what is written until these words are on the screen.

        Raises:
            TimeoutError: They never came.
        """
        output = b""
        while time.perf_counter() - self.started < LIMIT_SECONDS:
            output += self._read(0.05)
            if words in output:
                return output
        raise TimeoutError(f"the program never showed {words!r}")

    def settle(self, quiet: float = 0.5) -> bytes:
        """Wait until nothing is written for a while; return what was written before."""
        output = b""
        while data := self._read(quiet):
            output += data
        return output

    def type(self, keys: bytes) -> None:
        """Press keys and wait for nothing."""
        os.write(self._handle, keys)

    def press(self, key: bytes, quiet: float = 0.06) -> Answer:
        """Press a key and return the answer: all that comes until the program is quiet."""
        began = last = time.perf_counter()
        os.write(self._handle, key)
        output = b""
        patience = 2.0  # the first byte may take long
        while data := self._read(patience):
            last = time.perf_counter()
            output += data
            patience = quiet
        return Answer(output, last - began)

    def _read(self, seconds: float) -> bytes:
        ready, _, _ = select.select([self._handle], [], [], seconds)
        if not ready:
            return b""
        with suppress(OSError):
            return os.read(self._handle, CHUNK)
        return b""

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the program."""
        os.close(self._handle)
        with suppress(ProcessLookupError, ChildProcessError):
            os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)


def _set_size(handle: int, size: tuple[int, int]) -> None:
    columns, rows = size
    fcntl.ioctl(handle, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def machine() -> Mapping[str, str | int]:
    """Return what a reader must know about this machine, and nothing that names it."""
    return {
        "processors": os.cpu_count() or 0,
        "python": ".".join(map(str, sys.version_info[:3])),
        "system": sys.platform,
        "architecture": os.uname().machine,
    }

"""Starts the programs to be measured, as plain processes or on a pseudo-terminal."""

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
    """Return an environment without user settings. `home`, if given, is the folder for configuration and data."""
    inherited = {
        name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ
    }
    environ = inherited | {"LANG": "C.UTF-8", "TERM": "xterm-256color", "PYTHONPATH": str(ROOT)}
    if home is not None:
        environ |= {
            "HOME": str(home),
            "XDG_CONFIG_HOME": str(home / "config"),
            "XDG_DATA_HOME": str(home / "data"),
        }
    return environ


def python(code: str, *arguments: str) -> str:
    """Run code in a fresh interpreter and return its standard output."""
    process = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        check=True,
        stdout=subprocess.PIPE,
        env=environment(),
        text=True,
    )
    return process.stdout


def python_seconds(code: str) -> float:
    """Return the wall-clock time to run code in a fresh interpreter, including startup and exit."""
    start_time = time.perf_counter()
    python(code)
    return time.perf_counter() - start_time


class KeyResponse:
    """A program's output after a key press."""

    def __init__(self, data: bytes, seconds: float) -> None:
        """Store the output, and the number of seconds from the key press to the last byte of output."""
        self.data = data
        self.seconds = seconds


class TerminalProgram:
    """A program on its own pseudo-terminal."""

    def __init__(self, code: str, home: Path, size: tuple[int, int]) -> None:
        """Run Python code on a terminal with the given numbers of columns and rows."""
        self.started = time.perf_counter()
        self._pid, self._handle = pty.fork()
        if self._pid == 0:
            _set_size(0, size)
            os.execve(sys.executable, [sys.executable, "-c", code], environment(home))  # noqa: S606  # own code

    def seconds_until(self, text: bytes) -> float:
        """Return the number of seconds from the start until the given text was written.

        Raises:
            TimeoutError: The text was not written in time.
        """
        self.read_until(text)
        return time.perf_counter() - self.started

    def read_until(self, text: bytes) -> bytes:
        """Return the output up to and including the given text.

        Raises:
            TimeoutError: The text was not written in time.
        """
        output = b""
        while time.perf_counter() - self.started < LIMIT_SECONDS:
            output += self._read(0.05)
            if text in output:
                return output
        raise TimeoutError(f"the program never showed {text!r}")

    def read_until_quiet(self, quiet: float = 0.5) -> bytes:
        """Read and return the output until no output has arrived for `quiet` seconds."""
        output = b""
        while data := self._read(quiet):
            output += data
        return output

    def type(self, keys: bytes) -> None:
        """Press keys without waiting for output."""
        os.write(self._handle, keys)

    def press(self, key: bytes, quiet: float = 0.06) -> KeyResponse:
        """Press a key. Return the program's output until no output has arrived for `quiet` seconds."""
        started = last_output_time = time.perf_counter()
        os.write(self._handle, key)
        output = b""
        patience = 2.0  # the first byte of output may take longer
        while data := self._read(patience):
            last_output_time = time.perf_counter()
            output += data
            patience = quiet
        return KeyResponse(output, last_output_time - started)

    def _read(self, seconds: float) -> bytes:
        ready, _, _ = select.select([self._handle], [], [], seconds)
        if not ready:
            return b""
        with suppress(OSError):
            return os.read(self._handle, CHUNK)
        return b""

    def __enter__(self) -> Self:
        """Return the program."""
        return self

    def __exit__(self, *_: object) -> None:
        """Kill the program."""
        os.close(self._handle)
        with suppress(ProcessLookupError, ChildProcessError):
            os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)


def _set_size(handle: int, size: tuple[int, int]) -> None:
    columns, rows = size
    fcntl.ioctl(handle, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def machine() -> Mapping[str, str | int]:
    """Describe this machine's performance characteristics, without anything that identifies the machine."""
    return {
        "processors": os.cpu_count() or 0,
        "python": ".".join(map(str, sys.version_info[:3])),
        "system": sys.platform,
        "architecture": os.uname().machine,
    }

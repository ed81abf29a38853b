"""A program on a pseudo-terminal: keys in, bytes out, hang-ups."""

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from tests.tui.apps import QUIET
from tui.terminal.settings import save_settings

ROOT = Path(__file__).resolve().parents[2]
QUIET_SECONDS = 0.25
LIMIT_SECONDS = 60.0
REST_SECONDS = 2.0
TYPE_SECONDS = 120.0
KEY_LINES = (b"? keys", b"Enter pick", b"Ctrl+P commands", b"Esc Back")
"""Texts in the last lines of the table, the menu and lists, without their styles."""
_STYLES = re.compile(rb"\x1b\[[0-9;]*m")


class Terminal:
    """One program on a separate terminal."""

    def __init__(
        self,
        code: str,
        home: Path,
        size: tuple[int, int] = (80, 24),
        **environ: str,
    ) -> None:
        """Run Python code from the project root; `home` holds its configuration and data.

        Without custom settings there is no playback, so that each key acts on the current table.
        """
        settings = home / "config" / "flagplot" / "settings.json"
        if not settings.exists():
            assert not save_settings(settings, QUIET)
        self.started = time.monotonic()
        self.status: int | None = None
        self.cpu_total = 0.0
        """Total processor time, known after the program ended."""
        self.size = size
        self.pid, self.handle = pty.fork()
        if self.pid == 0:
            self._become(code, _environ(home, environ), size)
        os.set_inheritable(self.handle, False)  # otherwise later programs would keep the line open
        self._closed = False

    def _become(self, code: str, environ: Mapping[str, str], size: tuple[int, int]) -> None:
        _resize(0, size)
        os.chdir(ROOT)
        for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):  # may be ignored here
            signal.signal(number, signal.SIG_DFL)
        os.execve(sys.executable, [sys.executable, "-c", code], dict(environ))

    def ready(self) -> bytes:
        """Return the output up to a complete screen, whose key line is written last.

        If the terminal has no room for that line, return the output until the program is idle.
        """
        end = time.monotonic() + _patience(LIMIT_SECONDS)
        output, busy = b"", time.monotonic()
        while not shows_keys(output) and time.monotonic() < end:
            data = self.drain(0.05)
            output += data
            if data or not output or self.is_running():
                busy = time.monotonic()
            elif time.monotonic() > busy + REST_SECONDS:
                break
        return output + self.settle()

    def until(self, words: bytes, limit: float = LIMIT_SECONDS) -> bytes:
        """Return the output up to this text, and a little more."""
        end = time.monotonic() + limit
        output = b""
        while words not in output and time.monotonic() < end:
            output += self.drain(0.05)
        return output + self.settle()

    def settle(self) -> bytes:
        """Return the output until the program is idle: no output for a while, and no running thread."""
        return settle_all([self])[0]

    def is_running(self) -> bool:
        """Return whether a thread of the program is running or waiting for a processor."""
        for path in Path(f"/proc/{self.pid}/task").glob("*/stat"):
            with contextlib.suppress(OSError):
                if path.read_text().rsplit(")", 1)[1].split()[0] in "RD":
                    return True
        return False

    def drain(self, seconds: float) -> bytes:
        """Return the output during a period of time."""
        end = time.monotonic() + seconds
        parts: list[bytes] = []
        while (left := end - time.monotonic()) > 0:
            ready, _, _ = select.select([self.handle], [], [], left)
            if ready:
                data = self.read()
                if not data:
                    break
                parts.append(data)
        return b"".join(parts)

    def read(self) -> bytes:
        """Return the available output; empty if the program has ended."""
        try:
            return os.read(self.handle, 1 << 16)
        except OSError:
            return b""

    def send(self, keys: str | bytes) -> bytes:
        """Type and return the answer."""
        self.type(keys)
        return self.settle()

    def type(self, keys: str | bytes) -> None:
        """Type without waiting for an answer. Output during a large paste is discarded.

        A terminal buffers only a limited number of unread keys and bytes of output. If both sides only wrote, both
        would block forever.
        """
        data = keys.encode() if isinstance(keys, str) else keys
        end = time.monotonic() + TYPE_SECONDS
        os.set_blocking(self.handle, False)
        try:
            while data:
                left = end - time.monotonic()
                assert left > 0, f"the program has left {len(data)} bytes of its input unread"
                data = self._type_some(data, left)
        finally:
            os.set_blocking(self.handle, True)

    def _type_some(self, data: bytes, patience: float) -> bytes:
        """Write as much as the terminal accepts, and return the rest."""
        readable, writable, _ = select.select([self.handle], [self.handle], [], patience)
        if readable and (len(data) > 1024 or not writable):
            os.read(self.handle, 1 << 16)
        if writable:
            with contextlib.suppress(BlockingIOError):
                data = data[os.write(self.handle, data[:1024]) :]
        return data

    def resize(self, size: tuple[int, int]) -> None:
        """Resize the terminal like a terminal window."""
        _resize(self.handle, size)
        os.kill(self.pid, signal.SIGWINCH)

    def signal(self, number: int) -> None:
        """Send a signal to the program."""
        os.kill(self.pid, number)

    def hang_up(self) -> None:
        """Close the terminal."""
        if not self._closed:
            os.close(self.handle)
            self._closed = True

    def wait(self, limit: float) -> float | None:
        """Return the number of seconds until the program ended; None if it did not end.

        The limit is for an idle machine. It grows with the load, and excludes the time that the program waits for a
        processor.
        """
        begin, in_line = time.monotonic(), self._in_line()
        limit = _patience(limit)
        while time.monotonic() - begin - (self._in_line() - in_line) < limit:
            if not self._closed:
                self.drain(0.01)
            pid, status, used = os.wait4(self.pid, os.WNOHANG)
            if pid:
                self.cpu_total = used.ru_utime + used.ru_stime
                self.status = os.waitstatus_to_exitcode(status)
                return time.monotonic() - begin
            time.sleep(0.01)
        return None

    def _in_line(self) -> float:
        """Return the number of seconds that the program was ready to run but did not run."""
        return int(Path(f"/proc/{self.pid}/schedstat").read_text().split()[1]) / 1e9

    def cpu_seconds(self) -> float:
        """Return the processor time used so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def is_alive(self) -> bool:
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
        return self.status is None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.hang_up()
        if self.status is None:
            with contextlib.suppress(ProcessLookupError, ChildProcessError):
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)


def shows_keys(output: bytes) -> bool:
    """Return whether the output contains the key line, so that the screen is complete."""
    plain = _STYLES.sub(b"", output)
    return any(line in plain for line in KEY_LINES)


def settle_all(terminals: Sequence[Terminal]) -> list[bytes]:
    """Return the output of each of some programs until all are idle."""
    outputs = [bytearray() for _ in terminals]
    end, quiet = time.monotonic() + _patience(LIMIT_SECONDS), time.monotonic()
    while quiet + QUIET_SECONDS > time.monotonic() < end:
        spoken, _, _ = select.select([one.handle for one in terminals], [], [], 0.02)
        for one, output in zip(terminals, outputs, strict=True):
            data = one.read() if one.handle in spoken else b""
            output.extend(data)
            if data or one.is_running():
                quiet = time.monotonic()
    return [bytes(output) for output in outputs]


def _patience(seconds: float) -> float:
    """Return how long to wait for something that takes this number of seconds on an idle machine."""
    return seconds * (1 + os.getloadavg()[0] / (os.cpu_count() or 1))


def _environ(home: Path, more: Mapping[str, str]) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    return kept | {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_DATA_HOME": str(home / "data"),
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        "PYTHONDONTWRITEBYTECODE": "1",
        **more,
    }


def _resize(handle: int, size: tuple[int, int]) -> None:
    columns, rows = size
    fcntl.ioctl(handle, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

"""Input and output for line-by-line play."""

import asyncio
import os
import shutil
import sys
import textwrap
from collections import deque
from typing import Final

_CHUNK_BYTES: Final = 65_536
_INDENT_CELLS: Final = 4


class Keyboard:
    """Reads lines from standard input without blocking the event loop."""

    def __init__(self) -> None:
        self._buffer = b""
        self.has_read = False
        """True once a line has been read."""

    async def read(self, prompt: str) -> str:
        """Print a prompt and return the next line.

        Raises:
            EOFError: The input has ended.
        """
        sys.stdout.write(prompt)
        sys.stdout.flush()
        # A chunk may end inside a line or contain several lines.
        while b"\n" not in self._buffer:
            data = await self._read_chunk()
            if not data:
                raise EOFError
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        self.has_read = True
        return line.decode("utf-8", "replace")

    async def _read_chunk(self) -> bytes:
        loop, descriptor = asyncio.get_running_loop(), sys.stdin.fileno()
        ready_future: asyncio.Future[None] = loop.create_future()
        try:
            loop.add_reader(descriptor, ready_future.set_result, None)
        except PermissionError:  # epoll refuses regular files, which are always ready
            return os.read(descriptor, _CHUNK_BYTES)
        try:
            await ready_future
        finally:
            loop.remove_reader(descriptor)
        try:
            return os.read(descriptor, _CHUNK_BYTES)
        except OSError:
            # Once the terminal is closed, reading fails instead of returning the end of input.
            return b""


class TypedAhead:
    """Collects lines typed before the game is ready, and keeps them for the game unless the player leaves."""

    def __init__(self, keyboard: Keyboard) -> None:
        """Start with no lines. Reading begins with :meth:`listen` or :meth:`read`."""
        self._keyboard = keyboard
        self._lines: deque[str] = deque()
        self._reading_task: asyncio.Task[None] | None = None
        self.has_left = False
        """True once the player has asked to leave."""
        self.has_ended = False
        """True once the input has ended."""
        self.is_terminal = _is_terminal()
        """True if the lines come from a terminal."""

    def listen(self) -> None:
        """Start reading lines ahead."""
        if self._reading_task is None:
            self._reading_task = asyncio.create_task(self._read_lines_ahead())

    async def stop(self) -> None:
        """Stop reading ahead. From then on, lines are read only on request."""
        if self._reading_task is not None:
            self._reading_task.cancel()
            # Until it has ended, the task may still take a line from the keyboard.
            await asyncio.gather(self._reading_task, return_exceptions=True)
            self._reading_task = None

    async def read(self, prompt: str) -> str:
        """Print a prompt and return the next line.

        Raises:
            EOFError: The input has ended.
        """
        if not self._lines:
            if self.has_ended:
                raise EOFError
            return await self._keyboard.read(prompt)
        print_line(prompt.rstrip())
        return self._lines.popleft()

    async def _read_lines_ahead(self) -> None:
        while not self.has_left:
            try:
                line = await self._keyboard.read("")
            except (EOFError, OSError):
                self.has_ended = True
                return
            self.has_left = line.strip().lower() in {"quit", "q"}
            self._lines.append(line)


def _is_terminal() -> bool:
    try:
        return os.isatty(sys.stdin.fileno())
    except (OSError, ValueError):
        return False


def wrap_line(line: str, columns: int) -> list[str]:
    """Wrap a line at word boundaries, and indent the continuation lines."""
    if len(line) <= columns:
        return [line]
    indent = " " * (len(line) - len(line.lstrip()) + _INDENT_CELLS)
    return textwrap.wrap(line, columns, subsequent_indent=indent, break_on_hyphens=False)


def print_line(line: str) -> None:
    """Print a line immediately, wrapped on a terminal. Characters that cannot be encoded become question marks."""
    encoding = sys.stdout.encoding or "ascii"
    columns = shutil.get_terminal_size().columns if sys.stdout.isatty() else len(line)
    for part in wrap_line(line, columns):
        sys.stdout.write(part.encode(encoding, "replace").decode(encoding) + "\n")
    sys.stdout.flush()

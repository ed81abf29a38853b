"""Lines in and out for play by lines."""

import asyncio
import os
import shutil
import sys
import textwrap
from typing import Final

_CHUNK: Final = 65_536
_INSET: Final = 4


class Keyboard:
    """Lines from the standard input, without holding up what else goes on."""

    def __init__(self) -> None:
        self._rest = b""
        self.has_read = False
        """Whether a line was read."""

    async def read(self, prompt: str) -> str:
        """Print a prompt and return the next line.

        Raises:
            EOFError: The input has ended.
        """
        sys.stdout.write(prompt)
        sys.stdout.flush()
        while b"\n" not in self._rest:
            data = await self._more()
            if not data:
                raise EOFError
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        self.has_read = True
        return line.decode("utf-8", "replace")

    async def _more(self) -> bytes:
        loop, handle = asyncio.get_running_loop(), sys.stdin.fileno()
        ready: asyncio.Future[None] = loop.create_future()
        try:
            loop.add_reader(handle, ready.set_result, None)
        except PermissionError:  # a plain file is always ready
            return os.read(handle, _CHUNK)
        try:
            await ready
        finally:
            loop.remove_reader(handle)
        try:
            return os.read(handle, _CHUNK)
        except OSError:
            return b""


def fold(line: str, columns: int) -> list[str]:
    """Return a line cut between words where it is wider than a terminal; what goes on stands further in."""
    if len(line) <= columns:
        return [line]
    inset = " " * (len(line) - len(line.lstrip()) + _INSET)
    return textwrap.wrap(line, columns, subsequent_indent=inset, break_on_hyphens=False)


def show(line: str) -> None:
    """Print a line at once, on a terminal cut between words; what cannot be shown becomes a question mark."""
    encoding = sys.stdout.encoding or "ascii"
    columns = shutil.get_terminal_size().columns if sys.stdout.isatty() else len(line)
    for part in fold(line, columns):
        sys.stdout.write(part.encode(encoding, "replace").decode(encoding) + "\n")
    sys.stdout.flush()

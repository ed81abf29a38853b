"""Lines in and out for play by lines."""

import asyncio
import os
import sys
from typing import Final

_CHUNK: Final = 65_536


class Keyboard:
    """Lines from the standard input, without holding up what else goes on."""

    def __init__(self) -> None:
        self._rest = b""

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


def show(line: str) -> None:
    """Print a line at once; what the terminal cannot show becomes a question mark."""
    encoding = sys.stdout.encoding or "ascii"
    sys.stdout.write(line.encode(encoding, "replace").decode(encoding) + "\n")
    sys.stdout.flush()

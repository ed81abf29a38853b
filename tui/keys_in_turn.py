"""Keys in turn: each one finds the screen as the one before it has left it.

A quick hand is ahead of the program, and a slow line delivers keys in bunches. What a key means is done in the
background, and the next one would be read before that.
"""

import asyncio
import time
from collections import deque
from contextlib import suppress
from typing import Any, Final

from textual import events
from textual.app import App
from textual.dom import DOMNode
from textual.screen import Screen
from textual.worker import Worker

MOST_SECONDS: Final = 0.5
"""How long a key waits for what the one before it began: an answer of a host may take longer."""
_LOOK_SECONDS: Final = 0.005
_GROUP: Final = "default"
"""The workers that do what a key means; those of other groups go on beside it, such as bots."""


class KeysInTurn:
    """Holds keys back until what the one before them means is done."""

    def __init__(self, app: App[Any]) -> None:
        """Hold nothing back yet."""
        self._app = app
        self._held: deque[events.Key] = deque()
        self._next: events.Key | None = None
        self._is_busy = False
        self._before: frozenset[Worker[Any]] = frozenset()
        self._following: asyncio.Task[None] | None = None

    def holds(self, key: events.Key) -> bool:
        """Return whether a key has to wait; it comes again when it is its turn."""
        if self._is_busy and key is not self._next:
            self._held.append(key)
            return True
        self._is_busy = True
        self._before = frozenset(self._app.workers)
        return False

    def follow(self, reader: DOMNode, screen: Screen[Any]) -> None:
        """Let the next key come once the one that was given to a reader on a screen is done with."""
        self._following = asyncio.create_task(self._follow(reader, screen))

    async def _follow(self, reader: DOMNode, screen: Screen[Any]) -> None:
        latest = time.monotonic() + MOST_SECONDS
        try:
            for node in reader.ancestors_with_self:
                await _has_read(node, latest - time.monotonic())
            # neither the end of all workers nor a new dialog has an event to wait for
            while self._is_at_work(screen) and time.monotonic() < latest:  # noqa: ASYNC110
                await asyncio.sleep(_LOOK_SECONDS)
        finally:
            self._is_busy = bool(self._held)
            if self._held:
                self._next = self._held.popleft()
                self._app.post_message(self._next)

    def _is_at_work(self, screen: Screen[Any]) -> bool:
        """Return whether something that the last key began goes on in front of the player; a new dialog reads keys."""
        return self._app.screen_stack[-1:] == [screen] and any(
            worker.group == _GROUP and not worker.is_finished
            for worker in self._app.workers
            if worker not in self._before
        )


async def _has_read(node: DOMNode, seconds: float) -> None:
    """Return when a node is done with everything that came so far, or so many seconds are over."""
    read = asyncio.Event()
    if node.call_later(read.set):
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await read.wait()

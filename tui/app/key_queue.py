"""Serialises key presses, so that each key is handled only after the previous key has taken effect.

A fast typist can outpace the program, and a slow connection delivers keys in bursts. Many keys start background
work, and without this queue the next key would be handled before that work is done.
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

MAX_SECONDS: Final = 0.5
"""Maximum time, in seconds, to hold back a key. Some work, such as waiting for a host's reply, takes much longer."""
_POLL_SECONDS: Final = 0.005
_WORKER_GROUP: Final = "default"
"""Worker group for work started by a key press. Workers in other groups, such as bots, do not delay keys."""


class KeyQueue:
    """Holds back each key until the work started by the previous key is done."""

    def __init__(self, app: App[Any]) -> None:
        """Start with an empty queue."""
        self._app = app
        self._waiting_keys: deque[events.Key] = deque()
        self._released_key: events.Key | None = None
        self._is_busy = False
        self._earlier_workers: frozenset[Worker[Any]] = frozenset()
        self._release_task: asyncio.Task[None] | None = None

    def defer(self, key: events.Key) -> bool:
        """If a key must wait, queue it and return True. It is posted again once it can be handled."""
        # A released key arrives here a second time. It must not be queued again.
        if self._is_busy and key is not self._released_key:
            self._waiting_keys.append(key)
            return True
        self._is_busy = True
        # Work started by an earlier key may take a long time, and must not delay later keys.
        self._earlier_workers = frozenset(self._app.workers)
        return False

    def release_next_after(self, receiver: DOMNode, screen: Screen[Any]) -> None:
        """Release the next key once the receiver has handled the current key and that key's work is done."""
        self._release_task = asyncio.create_task(self._release_next_after(receiver, screen))

    async def _release_next_after(self, receiver: DOMNode, screen: Screen[Any]) -> None:
        deadline = time.monotonic() + MAX_SECONDS
        try:
            # A key bubbles from the focused widget up to the app, and each node on the way has its
            # own message queue.
            for node in receiver.ancestors_with_self:
                await _wait_until_handled(node, deadline - time.monotonic())
            # Poll, because no event reports that all workers have ended or a dialog has opened.
            while self._has_running_work(screen) and time.monotonic() < deadline:  # noqa: ASYNC110
                await asyncio.sleep(_POLL_SECONDS)
        finally:
            # New keys are queued while older keys are waiting, so that keys stay in order.
            self._is_busy = bool(self._waiting_keys)
            if self._waiting_keys:
                self._released_key = self._waiting_keys.popleft()
                self._app.post_message(self._released_key)

    def _has_running_work(self, screen: Screen[Any]) -> bool:
        """Return whether the last key's work is still running. Work that has opened a dialog counts as done."""
        return self._app.screen_stack[-1:] == [screen] and any(
            worker.group == _WORKER_GROUP and not worker.is_finished
            for worker in self._app.workers
            if worker not in self._earlier_workers
        )


async def _wait_until_handled(node: DOMNode, seconds: float) -> None:
    """Wait until a node has handled its pending messages, but no longer than the given number of seconds."""
    handled_event = asyncio.Event()
    if node.call_later(handled_event.set):
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await handled_event.wait()

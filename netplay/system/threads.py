"""Waits for work that runs in threads."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

T = TypeVar("T")


async def run_to_end(work: Awaitable[T]) -> T:
    """Return the result of work that must not be abandoned. If the caller is cancelled, wait for the work to end first.

    A thread cannot be cancelled. A caller that did not wait could close or remove files that the thread is still
    writing.

    Raises:
        CancelledError: The caller was cancelled. The work has ended.
    """
    future = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not future.done():
        try:
            await asyncio.wait((future,))
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is None:
        return future.result()
    if not future.cancelled():
        future.exception()  # mark the exception as retrieved
    raise cancelled

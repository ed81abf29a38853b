"""Waits for work in threads to end, even if the waiting task is cancelled."""

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor
from functools import partial
from typing import ParamSpec, TypeVar

T = TypeVar("T")
Arguments = ParamSpec("Arguments")


async def run_on_executor(
    executor: Executor,
    work: Callable[Arguments, T],
    *args: Arguments.args,
    **kwargs: Arguments.kwargs,
) -> T:
    """Return the result of a function called in one of the executor's threads; see :func:`run_to_end`."""
    call = partial(work, *args, **kwargs)
    return await run_to_end(asyncio.get_running_loop().run_in_executor(executor, call))


async def run_to_end(work: Awaitable[T]) -> T:
    """Return the result of work that must not be abandoned. If the caller is cancelled, wait for the work to end first.

    A thread cannot be cancelled. Without the wait, the caller could close or remove files that the thread is still
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
        future.exception()  # marks the exception as retrieved
    raise cancelled

"""Ends a process that runs out of memory, so that its parent can report the failure or start another process.

If the process continued, a match whose task had failed would hang forever, and the other matches would fail one by one.
"""

import asyncio
from collections.abc import Callable
from typing import Any

import structlog

from saves.memory_limit import is_out_of_memory

log = structlog.get_logger()


def watch_memory(loop: asyncio.AbstractEventLoop, end: Callable[[], None]) -> None:
    """End the process if a task in its event loop runs out of memory. Other errors are handled as usual.

    Args:
        loop: The event loop.
        end: Function that ends the process. It is called at most once.
    """
    is_reported: list[bool] = []

    def handle_exception(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if error is None or not is_out_of_memory(error):
            loop.default_exception_handler(context)
        elif not is_reported:
            is_reported.append(True)
            log.error("out_of_memory")
            end()

    loop.set_exception_handler(handle_exception)


def report_out_of_memory(error: BaseException) -> None:
    """Pass an error on to the running event loop if it was caused by a lack of memory."""
    if is_out_of_memory(error):
        loop = asyncio.get_running_loop()
        loop.call_exception_handler({"message": "too little memory", "exception": error})

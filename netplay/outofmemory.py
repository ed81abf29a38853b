"""Too little memory in a process that holds matches: it ends, and whoever started it says so or starts another one.

A match whose task has failed so would stand still for ever, and all others would fail one after the other.
"""

import asyncio
from collections.abc import Callable
from typing import Any

import structlog

from saves.shortage import is_shortage

log = structlog.get_logger()


def watch_memory(loop: asyncio.AbstractEventLoop, end: Callable[[], None]) -> None:
    """Have a process end when a task of its loop finds too little memory; other failures are handled as ever.

    Args:
        loop: The event loop.
        end: Ends the process, in order or not; called once at most.
    """
    told: list[bool] = []

    def handle(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if error is None or not is_shortage(error):
            loop.default_exception_handler(context)
        elif not told:
            told.append(True)
            log.error("out_of_memory")
            end()

    loop.set_exception_handler(handle)


def report(error: BaseException) -> None:
    """Tell the running loop of a failure, where that comes from too little memory."""
    if is_shortage(error):
        loop = asyncio.get_running_loop()
        loop.call_exception_handler({"message": "too little memory", "exception": error})

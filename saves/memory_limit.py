"""Detects memory shortages from this process's limit and from the errors that shortages cause.

The limit applies to address space. Each thread reserves far more address space than it uses, so threads are made to
reserve less if there is a limit.
"""

import errno
import os
import resource
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import ClassVar, Final

from engine.kernel.errors import FlagplotError

_MEGABYTE: Final = 1 << 20
_STACK_BYTES: Final = 1 << 20
"""Thread stack size, an eighth of the usual size."""
_ARENAS: Final = -8
"""The ``mallopt`` parameter ``M_ARENA_MAX``: the number of memory pools for threads. Each pool has 64 MB or more."""
_INTERPRETER_MESSAGES: Final = ("without exception set", "without setting an exception")
"""The interpreter's messages when there is not even enough memory to create an exception."""
_LOADER_MESSAGES: Final = ("failed to map", "cannot allocate", "cannot enable executable stack")
"""The dynamic loader's messages for a library that does not fit in memory."""
_THREAD_MESSAGE: Final = "can't start new thread"
_FOREIGN_ERRORS: Final = ("NoMemory",)
"""Names of the network library's out-of-memory exceptions."""
_MIN_FREE_BYTES: Final = 4 * _MEGABYTE
"""If less than this many bytes are free after an error, a memory shortage is assumed to be its cause."""


class MemoryLimitError(FlagplotError):
    """There is not enough memory."""

    exit_code: ClassVar[int] = 3


def address_space_limit() -> int | None:
    """Return the limit on this process's address space in bytes, or None if there is no limit."""
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if soft == resource.RLIM_INFINITY else soft


def limit_thread_memory() -> None:
    """If this process has a memory limit, make threads reserve less address space.

    Call this before starting a thread.
    """
    if address_space_limit() is None:
        return
    threading.stack_size(_STACK_BYTES)
    with suppress(
        ImportError, OSError, AttributeError
    ):  # If the call fails, threads merely reserve more address space.
        import ctypes  # noqa: PLC0415  # not needed without a limit

        ctypes.CDLL(None).mallopt(_ARENAS, 1)


def check_memory(megabytes: int, subject: str) -> None:
    """Check that this account's memory limit is high enough.

    Args:
        megabytes: Total address space that the process needs.
        subject: Grammatical subject of the error message; must be plural.

    Raises:
        MemoryLimitError: The limit is too low.
    """
    limit = address_space_limit()
    if limit is not None and limit < megabytes * _MEGABYTE:
        limit_text = limit // _MEGABYTE
        raise MemoryLimitError(
            f"this account may use {limit_text} MB of memory, and {subject} need {megabytes}"
        )


def is_out_of_memory(error: BaseException) -> bool:
    """Return whether an error or one of its causes is an out-of-memory error."""
    return any(map(_is_shortage, _causes(error))) or (
        isinstance(error, Exception)
        and not isinstance(error, FlagplotError)
        and _is_limit_reached()
    )


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and all its direct and indirect causes."""
    seen_ids: set[int] = set()
    pending: list[BaseException | None] = [error]
    while pending:
        cause = pending.pop()
        if cause is None or id(cause) in seen_ids:
            continue
        seen_ids.add(id(cause))
        yield cause
        # Follow the context too, because a handler may have converted a memory error to another
        # error.
        pending += [cause.__cause__, cause.__context__]
        if isinstance(cause, BaseExceptionGroup):
            pending += cause.exceptions


def _is_shortage(error: BaseException) -> bool:
    """Return whether an error itself reports a lack of memory, ignoring its causes."""
    match error:
        case MemoryError():
            return True
        case OSError():
            return error.errno == errno.ENOMEM
        case SystemError():
            return any(words in str(error) for words in _INTERPRETER_MESSAGES)
        case ImportError():
            return any(words in str(error) for words in _LOADER_MESSAGES)
        case RuntimeError():
            return _THREAD_MESSAGE in str(error) and address_space_limit() is not None
        case _:
            return type(error).__name__ in _FOREIGN_ERRORS


def _is_limit_reached() -> bool:
    """Return whether a memory limit exists and has almost been reached."""
    limit = address_space_limit()
    if limit is None:
        return False
    try:
        with open("/proc/self/statm", "rb", buffering=0) as file:  # noqa: PTH123  # allocates as little as possible
            pages = int(file.read(64).split()[0])
    except (OSError, MemoryError, ValueError, IndexError):
        return True
    return limit - pages * os.sysconf("SC_PAGE_SIZE") < _MIN_FREE_BYTES

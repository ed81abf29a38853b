"""Too little memory: how much this process may have, and what a failure looks like that comes from the lack of it.

An account's limit counts the address space, of which each thread takes far more than it uses. Where there is a limit,
threads are told to take less.
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
"""Of a thread, instead of the usual eight times as much."""
_ARENAS: Final = -8
"""What ``mallopt`` calls the number of areas in which threads look for memory; each takes 64 MB or more."""
_SYSTEM_WORDS: Final = ("without exception set", "without setting an exception")
"""What the interpreter says where it could not even make the exception."""
_LOADER_WORDS: Final = ("failed to map", "cannot allocate", "cannot enable executable stack")
"""What the system's loader says where a library finds no room."""
_THREAD_WORDS: Final = "can't start new thread"
_FOREIGN_NAMES: Final = ("NoMemory",)
"""What the network library calls it."""
_LEAST_ROOM: Final = 4 * _MEGABYTE
"""Where a failure leaves less room than this, the lack of it is why, whatever it is called."""


class ShortageError(FlagplotError):
    """There is not enough memory."""

    exit_code: ClassVar[int] = 3


def most_bytes() -> int | None:
    """Return how much address space this process may have, None without a limit."""
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if soft == resource.RLIM_INFINITY else soft


def live_within_bounds() -> None:
    """Let threads take little address space where that is limited; before the first of them starts."""
    if most_bytes() is None:
        return
    threading.stack_size(_STACK_BYTES)
    with suppress(ImportError, OSError, AttributeError):  # then threads take more
        import ctypes  # noqa: PLC0415  # who has no limit does not load it

        ctypes.CDLL(None).mallopt(_ARENAS, 1)


def check_room(megabytes: int, what: str) -> None:
    """Accept an account whose limit of memory is enough for something.

    Args:
        megabytes: Of address space that the process needs in all.
        what: What needs it, in the plural.

    Raises:
        ShortageError: It is not enough.
    """
    most = most_bytes()
    if most is not None and most < megabytes * _MEGABYTE:
        may = most // _MEGABYTE
        raise ShortageError(f"this account may use {may} MB of memory, and {what} need {megabytes}")


def is_shortage(error: BaseException) -> bool:
    """Return whether a failure comes from a lack of memory, itself or what it followed from."""
    return any(map(_tells, _causes(error))) or (
        isinstance(error, Exception) and not isinstance(error, FlagplotError) and _is_full()
    )


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield a failure and those that it followed from."""
    seen: set[int] = set()
    todo: list[BaseException | None] = [error]
    while todo:
        found = todo.pop()
        if found is None or id(found) in seen:
            continue
        seen.add(id(found))
        yield found
        todo += [found.__cause__, found.__context__]
        if isinstance(found, BaseExceptionGroup):
            todo += found.exceptions


def _tells(error: BaseException) -> bool:
    """Return whether a failure says itself that there is too little memory."""
    match error:
        case MemoryError():
            return True
        case OSError():
            return error.errno == errno.ENOMEM
        case SystemError():
            return any(words in str(error) for words in _SYSTEM_WORDS)
        case ImportError():
            return any(words in str(error) for words in _LOADER_WORDS)
        case RuntimeError():
            return _THREAD_WORDS in str(error) and most_bytes() is not None
        case _:
            return type(error).__name__ in _FOREIGN_NAMES


def _is_full() -> bool:
    """Return whether there is a limit, and next to no room is left below it."""
    most = most_bytes()
    if most is None:
        return False
    try:
        with open("/proc/self/statm", "rb", buffering=0) as file:  # noqa: PTH123  # no object more than is needed
            pages = int(file.read(64).split()[0])
    except (OSError, MemoryError, ValueError, IndexError):
        return True
    return most - pages * os.sysconf("SC_PAGE_SIZE") < _LEAST_ROOM

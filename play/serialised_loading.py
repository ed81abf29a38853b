"""Prevents threads in the background and the foreground from loading games at the same time.

msgspec fills in its information about a type when that type is first used. If another thread uses the type meanwhile,
it reads data that is not there yet, and the program crashes. Therefore all code that may be the first to use a game's
types takes a lock.
"""

import threading
from collections.abc import Callable
from functools import wraps
from typing import Final, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

READING: Final = threading.RLock()
"""The lock, held while a game is being read or opened."""


def serialise_loading(read: Callable[P, T]) -> Callable[P, T]:
    """Wrap a function so that it waits until no other thread is reading a game."""

    @wraps(read)
    def wait(*args: P.args, **kwargs: P.kwargs) -> T:
        with READING:
            return read(*args, **kwargs)

    return wait

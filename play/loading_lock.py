"""Prevents background and foreground threads from loading games at the same time.

msgspec builds its information about a type when the type is first used. If another thread uses the type at the same
time, it reads incomplete data and the program crashes. Any code that may be the first to use a game's types must
therefore hold this module's lock.
"""

import threading
from collections.abc import Callable
from functools import wraps
from typing import Final, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

# The lock is reentrant, because the game preview calls functions that take it again.
LOADING_LOCK: Final = threading.RLock()
"""Must be held while a game is being read or opened."""


def with_loading_lock(load: Callable[P, T]) -> Callable[P, T]:
    """Decorate a function so that it waits until no other thread is reading a game."""

    @wraps(load)
    def load_under_lock(*args: P.args, **kwargs: P.kwargs) -> T:
        with LOADING_LOCK:
            return load(*args, **kwargs)

    return load_under_lock

"""Reading games in the background and opening them in front, one after the other.

What msgspec knows about a type is filled in while the type is first used, and a thread that looks at it meanwhile reads
what is not there yet and ends the program. So whoever may be the first to use the types of a game takes turns.
"""

import threading
from collections.abc import Callable
from functools import wraps
from typing import Final, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

READING: Final = threading.RLock()
"""Held while a game is read or opened."""


def by_turns(read: Callable[P, T]) -> Callable[P, T]:
    """Return a function that waits until nobody else reads a game."""

    @wraps(read)
    def wait(*args: P.args, **kwargs: P.kwargs) -> T:
        with READING:
            return read(*args, **kwargs)

    return wait

"""Remember what was computed from immutable parts of a state.

A state is replaced, never changed, so the identity of its parts is a sound key: the memo keeps the parts alive,
therefore an identity cannot be given to another object while its entry exists.
"""

from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

K = TypeVar("K")
T = TypeVar("T")


class LatestMemo(Generic[K, T]):
    """The last result alone, for what is asked many times about the same object in a row."""

    __slots__ = ("_last",)

    def __init__(self) -> None:
        """Hold nothing."""
        # One pair, replaced whole: a host and a screen in two threads share the rules' memories.
        self._last: tuple[K, T] | None = None

    @property
    def value(self) -> T | None:
        """Return the last result, whatever it was about."""
        return None if self._last is None else self._last[1]

    def get(self, key: K) -> T | None:
        """Return the result for this very object, None when the last result was about another one."""
        last = self._last
        return last[1] if last is not None and last[0] is key else None

    def keep(self, key: K, value: T) -> T:
        """Remember a result, which must not be None, and return it."""
        self._last = (key, value)
        return value


class IdentityMemo(Generic[T]):
    """A small cache keyed by the identity of its arguments; the least recently used entry goes first."""

    def __init__(self, size: int) -> None:
        """Hold at most ``size`` results."""
        self._size = size
        self._entries: OrderedDict[tuple[int, ...], tuple[tuple[object, ...], T]] = OrderedDict()

    def get(self, key: tuple[object, ...], compute: Callable[[], T]) -> T:
        """Return the result for these objects, computing it when they are new.

        Args:
            key: Immutable objects on which the result depends, and on nothing else.
            compute: Called without arguments when no result is held.
        """
        identity = tuple(map(id, key))
        entry = self._entries.get(identity)
        if entry is not None:
            try:
                self._entries.move_to_end(identity)
            except KeyError:
                return entry[1]  # another thread has just dropped it
            return entry[1]
        value = compute()
        self._entries[identity] = (key, value)
        if len(self._entries) > self._size:
            self._entries.popitem(last=False)
        return value

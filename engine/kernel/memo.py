"""Caches for results computed from immutable parts of a state. Each match has its own caches.

A state is replaced, never changed, so the identity of its parts is a sound cache key. A memo keeps the parts alive, so
that no other object can reuse an identity while the entry exists. The cached results belong to a line of states: each
state passes them on to its successor. Matches processed in alternation therefore do not evict each other's entries, and
a match's cache is freed together with its last state.
"""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final, Generic, TypeVar

import msgspec

E = TypeVar("E")
T = TypeVar("T")
_CACHE_ATTRIBUTE: Final = "memory"
"""Name of the attribute that holds the cache."""
_NO_ENTRY: Final[tuple[object, object]] = (object(), None)
"""Default entry, which matches no lookup."""


class StateCache:
    """The cached results for one line of states, grouped by :class:`Memo`."""

    __slots__ = ("entries", "latest")

    def __init__(self) -> None:
        """Create a cache without any results."""
        self.latest: dict[object, tuple[object, object]] = {}
        self.entries: dict[object, OrderedDict[tuple[object, ...], tuple[object, object]]] = {}


class CachedState(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """Base class of every state.

    In addition to its fields, a state carries a cache. Only the fields are compared and serialised.
    """

    memory: ClassVar[StateCache]
    """The cache of this line of states.

    Type checkers see a class variable. In fact, each state has its own attribute, which is created when it is first
    needed.
    """


R = TypeVar("R", bound=CachedState)


def cache_of(state: CachedState) -> StateCache:
    """Return the cache that a state shares with its line, creating it if necessary."""
    try:
        return state.memory
    except AttributeError:
        cache: StateCache = state.__dict__.setdefault(_CACHE_ATTRIBUTE, StateCache())
        return cache


def inherit_cache(state_before: CachedState, new_state: R) -> R:
    """Pass a state's cache on to its successor, and return the successor."""
    cache = getattr(state_before, _CACHE_ATTRIBUTE, None)
    if cache is not None and state_before is not new_state:
        new_state.__dict__[_CACHE_ATTRIBUTE] = cache
    return new_state


def trim_cache(state: CachedState, limit: int) -> None:
    """Trim the cache of a line of states to the latest results.

    Use this in processes that run many matches: full-size caches pay off only while a user tries many commands.

    Args:
        state: The last state in its line.
        limit: Number of latest results that each memo keeps. 0 clears the cache.
    """
    cache: StateCache | None = getattr(state, _CACHE_ATTRIBUTE, None)
    if cache is None:
        return
    if not limit:
        cache.latest.clear()
        cache.entries.clear()
        return
    for entries in tuple(cache.entries.values()):
        while len(entries) > limit:
            entries.popitem(last=False)


def make_evolve(folds: Mapping[type[E], Callable[[R, E], R]]) -> Callable[[R, E], R]:
    """Return a function that applies an event with the fold for its type and passes the cache on to the new state.

    Args:
        folds: One function per event type.
    """

    def evolve(state: R, event: E) -> R:
        next_state = folds[type(event)](state, event)
        if next_state is not state:
            try:  # noqa: SIM105  # runs for every event
                next_state.__dict__[_CACHE_ATTRIBUTE] = state.memory
            except AttributeError:  # there is no cache yet
                pass
        return next_state

    return evolve


class lazy(Generic[T]):  # noqa: N801  # used as a decorator, so it is named like one
    """An attribute computed on first access. Unlike ``functools.cached_property`` in Python 3.11, it uses no lock."""

    def __init__(self, compute: Callable[[Any], T]) -> None:
        """Store the method that computes the value."""
        self._compute = compute
        self._name = compute.__name__
        self.__doc__ = compute.__doc__

    def __get__(self, owner: object, kind: type | None = None) -> T:
        """Compute the value and store it as an instance attribute, which is read from then on."""
        value = owner.__dict__[self._name] = self._compute(owner)
        return value


class Memo(Generic[T]):
    """A cache for one query. It holds the latest result, and some earlier results by key.

    Keys are compared by the identity of their parts, or by value for parts that are often rebuilt without changing.
    """

    __slots__ = ("_by_value", "_size")

    def __init__(self, size: int = 1, *, by_value: bool = False) -> None:
        """Create a cache of up to ``size`` results by key for each line of states."""
        self._size = size
        self._by_value = by_value

    def latest_result(self, state: CachedState) -> T | None:
        """Return the result last stored for any state in this line, or None if there is none."""
        try:
            return state.memory.latest.get(self, _NO_ENTRY)[1]  # type: ignore[return-value]  # only this memo writes its entry
        except AttributeError:  # there is no cache yet
            return None

    def result_for(self, state: CachedState) -> T | None:
        """Return the result stored for exactly this state, or None if the latest result belongs to another state."""
        try:
            key_state, value = state.memory.latest.get(self, _NO_ENTRY)
        except AttributeError:  # there is no cache yet
            return None
        return value if key_state is state else None  # type: ignore[return-value]  # as above

    def store(self, state: CachedState, value: T) -> T:
        """Store a result as the latest one and return it. The result must not be None."""
        try:
            state.memory.latest[self] = (state, value)
        except AttributeError:
            cache_of(state).latest[self] = (state, value)
        return value

    def get(self, state: CachedState, key: tuple[object, ...], compute: Callable[[], T]) -> T:
        """Return the result for a key, computing it if it is not cached. The oldest result is evicted first.

        Args:
            state: The state in question, or another state in its line.
            key: Everything on which the result depends. The parts must be immutable.
            compute: Called without arguments if the result is not cached.
        """
        try:
            entries = state.memory.entries[self]
        except (AttributeError, KeyError):
            entries = cache_of(state).entries.setdefault(self, OrderedDict())
        lookup = key if self._by_value else tuple(map(id, key))
        entry = entries.get(lookup)
        if entry is not None:
            return entry[1]  # type: ignore[return-value]  # only this memo writes its entries
        value = compute()
        # The entry keeps the key alive, because a new object could get the id of a deleted one.
        entries[lookup] = (key, value)
        if len(entries) > self._size:
            try:  # noqa: SIM105  # runs for every new result
                entries.popitem(last=False)
            except KeyError:  # other threads have evicted all results
                pass
        return value

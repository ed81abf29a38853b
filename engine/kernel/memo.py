"""Caches for results computed from immutable parts of a state; each match has its own.

A state is replaced, never changed, so the identity of its parts is a sound cache key. A memo keeps the parts alive, so
that no other object can reuse an identity while the entry exists. The results belong to a line of states, in which each
state passes them on to its successor. Matches processed in alternation therefore do not evict each other's entries, and
a match's cache is freed together with its last state.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from typing import Any, ClassVar, Final, Generic, TypeVar

import msgspec

E = TypeVar("E")
K = TypeVar("K", bound=Hashable)
T = TypeVar("T")
_CACHE_ATTRIBUTE: Final = "memory"
"""Name of the attribute that holds the cache."""
_WHOLE_LINE: Final = object()
"""Marks an entry for a whole line of states rather than a single state."""
_NO_ENTRY: Final[tuple[object, object]] = (object(), None)
"""An entry that never matches any lookup."""


class StateCache:
    """The cached results of one line of states, by memo."""

    __slots__ = ("entries", "latest")

    def __init__(self) -> None:
        """Start with no cached results."""
        self.latest: dict[object, tuple[object, object]] = {}
        self.entries: dict[object, OrderedDict[tuple[int, ...], tuple[object, object]]] = {}


class CachedState(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """Base class of every state.

    In addition to its fields, a state carries a cache. Only the fields are compared and serialised.
    """

    memory: ClassVar[StateCache]
    """The cache of this line of states.

    Type checkers see a class variable, but each state has its own attribute, which is missing until first needed.
    """


R = TypeVar("R", bound=CachedState)


def cache_of(state: CachedState) -> StateCache:
    """Return the cache of a state's line, creating it if necessary."""
    try:
        return state.memory
    except AttributeError:
        cache: StateCache = state.__dict__.setdefault(_CACHE_ATTRIBUTE, StateCache())
        return cache


def inherit_cache(before: CachedState, after: R) -> R:
    """Pass a state's cache on to its successor, and return the successor."""
    cache = getattr(before, _CACHE_ATTRIBUTE, None)
    if cache is not None and before is not after:
        after.__dict__[_CACHE_ATTRIBUTE] = cache
    return after


def trim_cache(state: CachedState, limit: int) -> None:
    """Trim the cache of a line of states to the latest results.

    Use this in processes that run many matches: full-size caches pay off only while a user tries many commands.

    Args:
        state: The last state in its line.
        limit: Number of latest results that each memo keeps; 0 clears the cache.
    """
    cache: StateCache | None = getattr(state, _CACHE_ATTRIBUTE, None)
    if cache is None:
        return
    if not limit:
        cache.latest.clear()
        cache.entries.clear()
        return
    of_the_line = (value for memo, value in tuple(cache.latest.values()) if memo is _WHOLE_LINE)
    for entries in (*tuple(cache.entries.values()), *of_the_line):
        assert isinstance(entries, OrderedDict), "a trimmed memo must hold a mapping of results"
        while len(entries) > limit:
            entries.popitem(last=False)


def make_evolve(folds: Mapping[type[E], Callable[[R, E], R]]) -> Callable[[R, E], R]:
    """Return the function that applies events: it calls the fold for the event's type and passes the cache on.

    Args:
        folds: One function per event type.
    """

    def evolve(state: R, event: E) -> R:
        after = folds[type(event)](state, event)
        if after is not state:
            try:  # noqa: SIM105  # runs for every event
                after.__dict__[_CACHE_ATTRIBUTE] = state.memory
            except AttributeError:  # there is no cache yet
                pass
        return after

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


class LatestMemo(Generic[T]):
    """Stores only the latest result. Suitable for queries that are repeated for the same state."""

    __slots__ = ()

    def latest(self, state: CachedState) -> T | None:
        """Return the latest result in this line of states, whichever state it belongs to."""
        try:
            return state.memory.latest.get(self, _NO_ENTRY)[1]  # type: ignore[return-value]  # only this memo writes its entry
        except AttributeError:  # there is no cache yet
            return None

    def get(self, state: CachedState) -> T | None:
        """Return the result for exactly this state, or None if the latest result belongs to another state."""
        try:
            key_state, value = state.memory.latest.get(self, _NO_ENTRY)
        except AttributeError:  # there is no cache yet
            return None
        return value if key_state is state else None  # type: ignore[return-value]  # as above

    def store(self, state: CachedState, value: T) -> T:
        """Store a result, which must not be None, and return it."""
        try:
            state.memory.latest[self] = (state, value)
        except AttributeError:
            cache_of(state).latest[self] = (state, value)
        return value


class PerStateMemo(Generic[K, T]):
    """Stores results for the latest state, keyed by query."""

    __slots__ = ()

    def answers_for(self, state: CachedState) -> dict[K, T]:
        """Return the results so far for exactly this state. The caller adds those that it computes."""
        try:
            key_state, answers = state.memory.latest.get(self, _NO_ENTRY)
            if key_state is state:
                return answers  # type: ignore[return-value]  # only this memo writes its entry
        except AttributeError:  # there is no cache yet
            pass
        computed: dict[K, T] = {}
        cache_of(state).latest[self] = (state, computed)
        return computed


class FieldMemo(Generic[R, T]):
    """Computes a value from one part of a state, and caches it until that part is replaced."""

    __slots__ = ("_compute", "_field")

    def __init__(self, part: str, compute: Callable[[R], T]) -> None:
        """Store the field, and a function of that field and of data that never changes during a match."""
        self._field = part
        self._compute = compute

    def __call__(self, state: R) -> T:
        """Return the value for a state."""
        part = getattr(state, self._field)
        try:
            field_value, cached = state.memory.latest.get(self, _NO_ENTRY)
            if field_value is part:
                return cached  # type: ignore[return-value]  # only this memo writes its entry
        except AttributeError:  # there is no cache yet
            pass
        value = self._compute(state)
        cache_of(state).latest[self] = (part, value)
        return value


class IdentityMemo(Generic[T]):
    """A small cache keyed by the identity of its arguments. The oldest entry is evicted first."""

    __slots__ = ("_size",)

    def __init__(self, size: int) -> None:
        """Create a cache of at most ``size`` results per line of states."""
        self._size = size

    def get(self, state: CachedState, key: tuple[object, ...], compute: Callable[[], T]) -> T:
        """Return the result for these objects, computing it if it is not cached.

        Args:
            state: The state in question, or another one in its line.
            key: All immutable objects on which the result depends.
            compute: Called without arguments if the result is not cached.
        """
        try:
            entries = state.memory.entries[self]
        except (AttributeError, KeyError):
            entries = cache_of(state).entries.setdefault(self, OrderedDict())
        identity = tuple(map(id, key))
        entry = entries.get(identity)
        if entry is not None:
            return entry[1]  # type: ignore[return-value]  # only this memo writes its entries
        value = compute()
        # The entry keeps the key alive, because a new object could get the id of a deleted one.
        entries[identity] = (key, value)
        if len(entries) > self._size:
            entries.popitem(last=False)
        return value


class ValueMemo(Generic[T]):
    """A small cache keyed by value, for parts of a state that are often rebuilt without changing."""

    __slots__ = ("_size",)

    def __init__(self, size: int) -> None:
        """Create a cache of at most ``size`` results per line of states."""
        self._size = size

    def get(self, state: CachedState, key: Hashable, compute: Callable[[], T]) -> T:
        """Return the result for a key, computing it if it is not cached.

        Args:
            state: The state in question, or another one in its line.
            key: Everything on which the result depends.
            compute: Called without arguments if the result is not cached.
        """
        cache = cache_of(state)
        entry = cache.latest.get(self)
        entries: OrderedDict[Hashable, T] = OrderedDict() if entry is None else entry[1]  # type: ignore[assignment]  # only this memo writes its entry
        if entry is None:
            # Because it is stored under a mark, the entry does not keep the first state of the line alive.
            cache.latest[self] = (_WHOLE_LINE, entries)
        cached = entries.get(key)
        if cached is None:
            cached = entries[key] = compute()
            if len(entries) > self._size:
                entries.popitem(last=False)
        return cached

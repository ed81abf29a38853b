"""Remember what was computed from immutable parts of a state, beside the state and not for all matches together.

A state is replaced, never changed, so the identity of its parts is a sound key: a memo keeps the parts alive, therefore
an identity cannot be given to another object while its entry exists. The results belong to a line of states: a state
hands them on to the state that follows from it, so that matches played in turns do not push one another out, and what
was remembered goes with the last state of its match.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from typing import Any, ClassVar, Final, Generic, TypeVar

import msgspec

E = TypeVar("E")
K = TypeVar("K", bound=Hashable)
T = TypeVar("T")
_MEMORY: Final = "memory"
"""Name of the attribute."""
_THE_LINE: Final = object()
"""What an entry is about that is not about one state, but about all of its line."""
_NOTHING: Final[tuple[object, object]] = (object(), None)
"""An entry about nothing that is ever asked."""


class Memory:
    """What is remembered about a line of states, by memo."""

    __slots__ = ("entries", "latest")

    def __init__(self) -> None:
        """Hold nothing."""
        self.latest: dict[object, tuple[object, object]] = {}
        self.entries: dict[object, OrderedDict[tuple[int, ...], tuple[object, object]]] = {}


class Remembering(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """Base of every state: beside its fields, which alone are compared and written, it carries what is remembered."""

    memory: ClassVar[Memory]
    """What is remembered about a state and those before it, of each state its own; missing until it is asked for."""


R = TypeVar("R", bound=Remembering)


def memory_of(state: Remembering) -> Memory:
    """Return what is remembered about a state and those before it."""
    try:
        return state.memory
    except AttributeError:
        found: Memory = state.__dict__.setdefault(_MEMORY, Memory())
        return found


def handed_on(before: Remembering, after: R) -> R:
    """Return a state that follows from another one, with what is remembered about that."""
    memory = getattr(before, _MEMORY, None)
    if memory is not None and before is not after:
        after.__dict__[_MEMORY] = memory
    return after


def keep_latest(state: Remembering, most: int) -> None:
    """Remember no more of a state and those before it than is soon asked for again.

    For whoever holds many matches: what a memo may hold serves somebody who tries one thing after the other.

    Args:
        state: The last state of its line.
        most: Results that each memo keeps, the latest ones; 0 forgets everything.
    """
    memory: Memory | None = getattr(state, _MEMORY, None)
    if memory is None:
        return
    if not most:
        memory.latest.clear()
        memory.entries.clear()
        return
    of_the_line = (held for about, held in tuple(memory.latest.values()) if about is _THE_LINE)
    for entries in (*tuple(memory.entries.values()), *of_the_line):
        assert isinstance(entries, OrderedDict), "a memo of the line holds many results"
        while len(entries) > most:
            entries.popitem(last=False)


def folding(folds: Mapping[type[E], Callable[[R, E], R]]) -> Callable[[R, E], R]:
    """Return the one writer of a state: the fold of the kind of an event, after which what is remembered is handed on.

    Args:
        folds: One function per kind of event.
    """

    def evolve(state: R, event: E) -> R:
        after = folds[type(event)](state, event)
        if after is not state:
            try:  # noqa: SIM105  # entered for every event
                after.__dict__[_MEMORY] = state.memory
            except AttributeError:  # nothing is remembered
                pass
        return after

    return evolve


class lazy(Generic[T]):  # noqa: N801  # stands where a decorator stands
    """An attribute that a method works out when it is first asked for; the library's own takes a lock each time."""

    def __init__(self, compute: Callable[[Any], T]) -> None:
        """Take the method."""
        self._compute = compute
        self._name = compute.__name__
        self.__doc__ = compute.__doc__

    def __get__(self, owner: object, kind: type | None = None) -> T:
        """Work the attribute out and put it into the place from which it is read from now on."""
        found = owner.__dict__[self._name] = self._compute(owner)
        return found


class LatestMemo(Generic[T]):
    """The last result alone, for what is asked many times about the same state in a row."""

    __slots__ = ()

    def latest(self, state: Remembering) -> T | None:
        """Return the last result in this line of states, whichever state it was about."""
        try:
            return state.memory.latest.get(self, _NOTHING)[1]  # type: ignore[return-value]  # only this memo writes its entry
        except AttributeError:  # nothing is remembered
            return None

    def get(self, state: Remembering) -> T | None:
        """Return the result for this very state, None when the last result was about another one."""
        try:
            about, value = state.memory.latest.get(self, _NOTHING)
        except AttributeError:  # nothing is remembered
            return None
        return value if about is state else None  # type: ignore[return-value]  # as above

    def keep(self, state: Remembering, value: T) -> T:
        """Remember a result, which must not be None, and return it."""
        try:
            state.memory.latest[self] = (state, value)
        except AttributeError:
            memory_of(state).latest[self] = (state, value)
        return value


class AnswersMemo(Generic[K, T]):
    """Answers about the last state that was asked about, by what was asked."""

    __slots__ = ()

    def of(self, state: Remembering) -> dict[K, T]:
        """Return the answers about this very state so far; the caller adds those that it works out."""
        try:
            about, answers = state.memory.latest.get(self, _NOTHING)
            if about is state:
                return answers  # type: ignore[return-value]  # only this memo writes its entry
        except AttributeError:  # nothing is remembered
            pass
        found: dict[K, T] = {}
        memory_of(state).latest[self] = (state, found)
        return found


class PartMemo(Generic[R, T]):
    """A question to one part of a state: the last answer is remembered until the part is replaced."""

    __slots__ = ("_compute", "_part")

    def __init__(self, part: str, compute: Callable[[R], T]) -> None:
        """Take the field, and what is worked out from it and from what never changes in a match."""
        self._part = part
        self._compute = compute

    def __call__(self, state: R) -> T:
        """Return the answer about a state."""
        part = getattr(state, self._part)
        try:
            known, found = state.memory.latest.get(self, _NOTHING)
            if known is part:
                return found  # type: ignore[return-value]  # only this memo writes its entry
        except AttributeError:  # nothing is remembered
            pass
        value = self._compute(state)
        memory_of(state).latest[self] = (part, value)
        return value


class IdentityMemo(Generic[T]):
    """A small cache keyed by the identity of its arguments; the oldest entry goes first."""

    __slots__ = ("_size",)

    def __init__(self, size: int) -> None:
        """Hold at most ``size`` results for each line of states."""
        self._size = size

    def get(self, state: Remembering, key: tuple[object, ...], compute: Callable[[], T]) -> T:
        """Return the result for these objects, computing it when they are new.

        Args:
            state: The state that the question is about, or one of its line.
            key: Immutable objects on which the result depends, and on nothing else.
            compute: Called without arguments when no result is held.
        """
        try:
            entries = state.memory.entries[self]
        except (AttributeError, KeyError):
            entries = memory_of(state).entries.setdefault(self, OrderedDict())
        identity = tuple(map(id, key))
        entry = entries.get(identity)
        if entry is not None:
            return entry[1]  # type: ignore[return-value]  # only this memo writes its entries
        value = compute()
        entries[identity] = (key, value)
        if len(entries) > self._size:
            entries.popitem(last=False)
        return value


class ValueMemo(Generic[T]):
    """A small cache keyed by value, for parts of a state that are made anew without having changed."""

    __slots__ = ("_size",)

    def __init__(self, size: int) -> None:
        """Hold at most ``size`` results for each line of states."""
        self._size = size

    def get(self, state: Remembering, key: Hashable, compute: Callable[[], T]) -> T:
        """Return the result for a key, computing it when it is new.

        Args:
            state: The state that the question is about, or one of its line.
            key: Everything on which the result depends.
            compute: Called without arguments when no result is held.
        """
        memory = memory_of(state)
        held = memory.latest.get(self)
        entries: OrderedDict[Hashable, T] = OrderedDict() if held is None else held[1]  # type: ignore[assignment]  # only this memo writes its entry
        if held is None:
            memory.latest[self] = (_THE_LINE, entries)
        found = entries.get(key)
        if found is None:
            found = entries[key] = compute()
            if len(entries) > self._size:
                entries.popitem(last=False)
        return found

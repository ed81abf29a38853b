"""A ledger collects the events of one command and folds each at once."""

from collections.abc import Callable
from typing import Generic, TypeVar

S = TypeVar("S")
E = TypeVar("E")


class Ledger(Generic[S, E]):
    """Events so far and the state after them.

    Rules that need their own results add an event and read :attr:`state`.
    """

    def __init__(self, state: S, evolve: Callable[[S, E], S]) -> None:
        """Open the ledger on a state."""
        self._state = state
        self._evolve = evolve
        self._events: list[E] = []

    @property
    def state(self) -> S:
        """Return the state after every event added so far."""
        return self._state

    @property
    def events(self) -> tuple[E, ...]:
        """Return the events in the order in which they were added."""
        return tuple(self._events)

    def add(self, event: E) -> None:
        """Append one event and fold it."""
        self._events.append(event)
        self._state = self._evolve(self._state, event)

"""A ledger collects the events of one command and folds each at once."""

from collections.abc import Callable
from typing import Generic, TypeVar

from engine.kernel.dice import Dice

S = TypeVar("S")
E = TypeVar("E")


class Ledger(Generic[S, E]):
    """Events so far, the state after them, and the dice for what is left to chance.

    Rules that need their own results add an event and read :attr:`state`.
    """

    __slots__ = ("_events", "_evolve", "dice", "state")

    def __init__(self, state: S, evolve: Callable[[S, E], S], dice: Dice) -> None:
        """Open the ledger on a state."""
        self.state = state
        """The state after every event added so far; only :meth:`add` replaces it."""
        self.dice = dice
        self._evolve = evolve
        self._events: list[E] = []

    @property
    def events(self) -> tuple[E, ...]:
        """Return the events in the order in which they were added."""
        return tuple(self._events)

    def add(self, event: E) -> None:
        """Append one event and fold it."""
        self._events.append(event)
        self.state = self._evolve(self.state, event)

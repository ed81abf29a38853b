"""A ledger collects the events of one command and folds each at once."""

from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

from engine.kernel.dice import Dice, PlacedDice

S = TypeVar("S")
E = TypeVar("E")


class Mark(NamedTuple, Generic[S]):
    """A place in a ledger to which rules may go back that undo what they have tried."""

    events: int
    """How many events had been added."""
    state: S


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
        if isinstance(dice, PlacedDice):
            dice.follow(self._events)

    @property
    def events(self) -> tuple[E, ...]:
        """Return the events in the order in which they were added."""
        return tuple(self._events)

    def add(self, event: E) -> None:
        """Append one event and fold it."""
        self._events.append(event)
        self.state = self._evolve(self.state, event)

    def mark(self) -> Mark[S]:
        """Return the place that the ledger has reached."""
        return Mark(len(self._events), self.state)

    def undo(self, mark: Mark[S], keeps: Callable[[E], bool]) -> None:
        """Go back to a mark: the state is what it was, exactly.

        Args:
            mark: A place of this ledger.
            keeps: Says which later events stay on record all the same, because they happened at the table and change
                nothing: rolls of dice.
        """
        undone = self._events[mark.events :]
        del self._events[mark.events :]
        self.state = mark.state
        for event in undone:
            if keeps(event):
                self.add(event)

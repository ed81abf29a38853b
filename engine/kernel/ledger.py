"""A ledger collects the events of one command and applies each event immediately."""

from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

from engine.kernel.dice import Dice, EventCountingDice

S = TypeVar("S")
E = TypeVar("E")


class Mark(NamedTuple, Generic[S]):
    """A point in a ledger. The rules can return to it to undo an attempt."""

    events: int
    """Number of events added before this point."""
    state: S


class Ledger(Generic[S, E]):
    """Holds the events so far, the state after them, and the dice for random results.

    Rules that need to know an event's effect add the event and then read :attr:`state`.
    """

    __slots__ = ("_events", "_evolve", "dice", "state")

    def __init__(self, state: S, evolve: Callable[[S, E], S], dice: Dice) -> None:
        """Create an empty ledger that starts from a state."""
        self.state = state
        """The state after all events added so far. Only :meth:`add` and :meth:`undo` change it."""
        self.dice = dice
        self._evolve = evolve
        self._events: list[E] = []
        # These dice need to know how many events precede each roll.
        if isinstance(dice, EventCountingDice):
            dice.observe(self._events)

    @property
    def events(self) -> tuple[E, ...]:
        """Return the events in the order of their addition."""
        return tuple(self._events)

    def add(self, event: E) -> None:
        """Append one event and apply it to the state."""
        self._events.append(event)
        self.state = self._evolve(self.state, event)

    def mark(self) -> Mark[S]:
        """Return a mark for the current end of the ledger, to which :meth:`undo` can return."""
        return Mark(len(self._events), self.state)

    def undo(self, mark: Mark[S], should_keep: Callable[[E], bool]) -> None:
        """Undo everything after a mark and restore the state at that point.

        Args:
            mark: A mark in this ledger.
            should_keep: Returns True for events after the mark that are kept, such as die rolls that the players have
                seen. These events must not change the state.
        """
        undone_events = self._events[mark.events :]
        # Shorten the list in place, because the dice hold a reference to it.
        del self._events[mark.events :]
        self.state = mark.state
        self._events += filter(should_keep, undone_events)

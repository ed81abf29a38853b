"""What happened since a record: its facts as a seat knows them, and the table after any of them."""

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

import msgspec

from engine.kernel.ids import Role
from engine.kernel.ruleset import Event
from engine.registry import AnyRuleset
from saves.entries import event_of
from saves.records import Record
from saves.timeline import fold_record

S = TypeVar("S")


class Fact(msgspec.Struct, frozen=True, kw_only=True):
    """One fact with where it stands in the record of the game."""

    seq: int
    """Record that holds it."""
    number: int
    """Events of the record up to this one, this one included."""
    role: Role
    """Who gave the command; empty where nobody did."""
    is_own: bool
    """The person on the screen gave the command."""
    event: Event


def facts_of(rules: AnyRuleset, record: Record, mine: Sequence[Role]) -> tuple[Fact, ...]:
    """Return the facts of a record of which this copy knows at least the kind."""
    read = ((number, event_of(rules, entry)) for number, entry in enumerate(record.events, start=1))
    return tuple(
        Fact(
            seq=record.seq,
            number=number,
            role=record.role,
            is_own=record.kind == "command" and record.role in mine,
            event=event,
        )
        for number, event in read
        if event is not None
    )


class Reel(Generic[S]):
    """A cursor over records with the state there; it runs forward only and keeps one state."""

    def __init__(
        self,
        rules: AnyRuleset,
        after: int,
        record: Callable[[int], Record],
        state_at: Callable[[int], S],
    ) -> None:
        """Stand behind a record.

        Args:
            rules: The rules that fold.
            after: Number of the record, -1 for the blank table.
            record: A record of the copy that is folded, by number.
            state_at: The state after a record of that copy.
        """
        self._rules = rules
        self._record = record
        self._state_at = state_at
        self.seq = after
        self._number: int | None = None
        """Events of the record that are folded; None for all of them."""
        self.state: S = rules.blank() if after < 0 else state_at(after)

    def forward(self, seq: int, number: int | None = None) -> S:
        """Fold on until behind so many events of a record, all of them for None; never back."""
        while self.seq < seq:
            self._fold(None)
            self.seq += 1
            self._number = 0
        if self.seq == seq:
            self._fold(number)
        return self.state

    def _fold(self, number: int | None) -> None:
        """Fold the present record up to an event."""
        if self._number is None or (number is not None and number <= self._number):
            return
        record = self._record(self.seq)
        if record.takeback_to is not None:
            self.state = self._state_at(record.takeback_to)
        else:
            events = record.events[self._number : number]
            part = msgspec.structs.replace(record, events=events)
            self.state = fold_record(self._rules, self.state, part)
        self._number = number

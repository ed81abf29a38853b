"""Lists the events that one seat knows, and steps through the states after them."""

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

import msgspec

from engine.kernel.ids import Role
from engine.kernel.ruleset import Event
from engine.registry import AnyRuleset
from saves.entries import decode_event
from saves.records import Record
from saves.timeline import fold_record

S = TypeVar("S")


class SeenEvent(msgspec.Struct, frozen=True, kw_only=True):
    """An event known to this seat, with its position in the record."""

    seq: int
    """Number of the record that contains the event."""
    number: int
    """The event's position in that record, counted from 1."""
    role: Role
    """The role that caused the record; empty if none did."""
    is_own: bool
    """True if the person at the screen gave the record's command."""
    event: Event


def known_events(
    rules: AnyRuleset, record: Record, own_roles: Sequence[Role]
) -> tuple[SeenEvent, ...]:
    """Return a record's events that this copy can read."""
    decoded_events = (
        (number, decode_event(rules, entry)) for number, entry in enumerate(record.events, start=1)
    )
    return tuple(
        SeenEvent(
            seq=record.seq,
            number=number,
            role=record.role,
            is_own=record.kind == "command" and record.role in own_roles,
            event=event,
        )
        for number, event in decoded_events
        if event is not None
    )


class EventCursor(Generic[S]):
    """Moves forward through a game's events, and provides the state at the current position."""

    def __init__(
        self,
        rules: AnyRuleset,
        start_seq: int,
        record: Callable[[int], Record],
        state_at: Callable[[int], S],
    ) -> None:
        """Place the cursor just after a record.

        Args:
            rules: The rules that apply the events.
            start_seq: Number of the record; -1 for the position before the first record.
            record: Returns the record with a given number from this copy.
            state_at: Returns the state after the record with a given number.
        """
        self._rules = rules
        self._record = record
        self._state_at = state_at
        self.seq = start_seq
        self._number: int | None = None
        """Number of the current record's events that have been applied; None if all of them have."""
        self.state: S = rules.initial_state() if start_seq < 0 else state_at(start_seq)

    def advance_to(self, seq: int, number: int | None = None) -> S:
        """Advance to a record and apply the given number of its events.

        If the number is None, apply all events. The cursor never moves back.
        """
        while self.seq < seq:
            self._fold(None)
            self.seq += 1
            self._number = 0
        if self.seq == seq:
            self._fold(number)
        return self.state

    def _fold(self, number: int | None) -> None:
        """Apply the given number of the current record's events, or all of them if the number is None."""
        if self._number is None or (number is not None and number <= self._number):
            return
        record = self._record(self.seq)
        if record.takeback_to is not None:
            self.state = self._state_at(record.takeback_to)
        else:
            events = record.events[self._number : number]
            partial_record = msgspec.structs.replace(record, events=events)
            self.state = fold_record(self._rules, self.state, partial_record)
        self._number = number

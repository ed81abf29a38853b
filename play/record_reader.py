"""Reads records and past events, limited to what the person at the screen may know."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from engine.kernel.ruleset import Event
from engine.registry import AnyRuleset
from play.event_history import EventCursor, SeenEvent, known_events
from play.log_lines import LogLine, format_remark
from saves.entries import visible_events
from saves.records import Record
from saves.terms import statement_text


def merge_versions(versions: Sequence[Record]) -> Record:
    """Merge the versions of a record that one person's roles may see.

    Args:
        versions: The record as each of the roles may see it; at least one version.

    Returns:
        The record. Each event is taken from the first version that shows it in full or, failing that, the first that
        shows its kind.
    """
    first_version, *other_versions = versions
    entries = tuple(
        max(
            (entry, *other_entries),
            # Prefer a complete entry, which has a salt.
            key=lambda entry_version: (
                entry_version.salt is not None,
                entry_version.body is not None,
            ),
        )
        for entry, *other_entries in zip(
            first_version.events, *(record.events for record in other_versions), strict=True
        )
    )
    return msgspec.structs.replace(first_version, events=entries)


class RecordReader(ABC):
    """One game's records as one person sees them."""

    def __init__(self, ruleset: AnyRuleset, own_roles: Callable[[], tuple[Role, ...]]) -> None:
        """Read a game's records.

        Args:
            ruleset: The game's rules.
            own_roles: Returns this person's roles, in the order of the game's roles.
        """
        self._ruleset = ruleset
        self._own_roles = own_roles

    @abstractmethod
    def records_after(self, seq: int) -> Sequence[Record]:
        """Return the records after a given record, limited to what this seat may see."""

    def events(self, start_seq: int) -> tuple[Event, ...]:
        """Return the events after a given record that this person knows."""
        return tuple(
            event for record in self.records_after(start_seq) for event in self.events_of(record)
        )

    def remarks_by_others(self, start_seq: int) -> tuple[str, ...]:
        """Return the remarks that others have made after a given record, each preceded by its author."""
        return tuple(
            format_remark(self._ruleset, record)
            for record in self.records_after(start_seq)
            if record.kind == "remark" and record.role not in self._own_roles()
        )

    def seen_events(self, start_seq: int) -> tuple[SeenEvent, ...]:
        """Return the events after a given record, each with its position in its own record."""
        return tuple(
            seen_event
            for record in self.records_after(start_seq)
            for seen_event in known_events(
                self._ruleset, self._merged_record(record), self._own_roles()
            )
        )

    def has_takebacks(self, start_seq: int) -> bool:
        """Return whether there has been a takeback since a given record."""
        return any(record.takeback_to is not None for record in self.records_after(start_seq))

    def event_cursor(self, start_seq: int) -> EventCursor[Any]:
        """Return a cursor placed just after a record. It can advance to any later event.

        Raises:
            FlagplotError: No records are available here.
        """
        raise FlagplotError(f"no records are available after record {start_seq}")

    def last_own_seq(self) -> int:
        """Return the number of the last record with a command by this person, or -1 if there is none."""
        own_seqs = (
            record.seq
            for record in reversed(self.records_after(-1))
            if record.kind == "command" and record.role in self._own_roles()
        )
        return next(own_seqs, -1)

    def _merged_record(self, record: Record) -> Record:
        """Return a record as this person may see it."""
        return record

    def events_of(self, record: Record) -> Sequence[Event]:
        """Return the events in a record that this person knows."""
        return visible_events(self._ruleset, self._merged_record(record))

    def log_lines(self, record: Record) -> Iterator[LogLine]:
        """Yield a record's log lines, without lines for events that this person does not know."""
        if record.takeback_to is not None:
            yield LogLine(record.seq, f"Taken back to record {record.takeback_to}")
        if record.kind == "remark":
            yield LogLine(record.seq, format_remark(self._ruleset, record))
        elif statement := statement_text(self._ruleset, record):
            yield LogLine(record.seq, statement)
        yield from (
            LogLine(record.seq, text)
            for text in self._ruleset.log_sentences(self.events_of(record))
        )

"""What happened in a game, as far as the person on the screen may know it."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from engine.kernel.ruleset import Event
from engine.registry import AnyRuleset
from play.chronicle import Fact, Reel, facts_of
from play.loglines import LogLine, remark_words
from saves.entries import events_of
from saves.records import Record
from saves.terms import statement_words


def best_record(versions: Sequence[Record]) -> Record:
    """Return one record as somebody knows it who plays several roles.

    Args:
        versions: The record as each of the roles may see it, at least one.

    Returns:
        Each event from the first version that shows it in full; else from the first that tells its kind.
    """
    first, *others = versions
    entries = tuple(
        max((entry, *alike), key=lambda each: (each.salt is not None, each.body is not None))
        for entry, *alike in zip(first.events, *(other.events for other in others), strict=True)
    )
    return msgspec.structs.replace(first, events=entries)


class Account(ABC):
    """The records of one game, read by one person."""

    ruleset: AnyRuleset

    @property
    @abstractmethod
    def mine(self) -> tuple[Role, ...]:
        """Return the roles of the person on the screen, in the order of the game."""

    @abstractmethod
    def _records(self, after: int) -> Sequence[Record]:
        """Return the records after a number, as this seat may see them."""

    def events(self, after: int) -> tuple[Event, ...]:
        """Return the facts of the records after a number, as far as the person on the screen knows them."""
        return tuple(
            event for record in self._records(after) for event in self._known_events(record)
        )

    def reasons(self, after: int) -> tuple[str, ...]:
        """Return what others have said about their commands in the records after a number, with who says it."""
        return tuple(
            remark_words(self.ruleset, record)
            for record in self._records(after)
            if record.kind == "remark" and record.role not in self.mine
        )

    def facts(self, after: int) -> tuple[Fact, ...]:
        """Return the same facts with their places in the record."""
        return tuple(
            fact
            for record in self._records(after)
            for fact in facts_of(self.ruleset, self._best(record), self.mine)
        )

    def went_back(self, after: int) -> bool:
        """Return whether something was taken back in the records after a number."""
        return any(record.takeback_to is not None for record in self._records(after))

    def reel(self, after: int) -> Reel[Any]:
        """Return a cursor that stands behind a record, to see the table after any later fact.

        Raises:
            FlagplotError: No records are kept here.
        """
        raise FlagplotError(f"nothing is kept of what happened after record {after}")

    def last_own(self) -> int:
        """Return the number of the last record that holds a command of the person on the screen; -1 for none."""
        own = (
            record.seq
            for record in reversed(self._records(-1))
            if record.kind == "command" and record.role in self.mine
        )
        return next(own, -1)

    def _best(self, record: Record) -> Record:
        """Return a record as far as the person on the screen knows it."""
        return record

    def _known_events(self, record: Record) -> Sequence[Event]:
        """Return the events of a record as far as the person on the screen knows them."""
        return events_of(self.ruleset, self._best(record))

    def _lines(self, record: Record, events: Sequence[Event]) -> Iterator[LogLine]:
        if record.takeback_to is not None:
            yield LogLine(record.seq, f"Taken back to record {record.takeback_to}")
        if record.kind == "remark":
            yield LogLine(record.seq, remark_words(self.ruleset, record))
        elif said := statement_words(self.ruleset, record):
            yield LogLine(record.seq, said)
        yield from (LogLine(record.seq, text) for text in self.ruleset.told(events))

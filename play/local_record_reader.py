"""Reads the records of a game run by this program, limited to what the person at the keyboard may see."""

from collections.abc import Callable, Sequence
from typing import Any

from typing_extensions import override

from engine.kernel.ids import Role
from play.event_history import EventCursor
from play.record_reader import RecordReader, merge_versions
from saves.match import Match
from saves.records import Record
from saves.redaction import redact_record


class LocalRecordReader(RecordReader):
    """Reads the full records, and redacts them for the role on display or for all roles of the same person."""

    def __init__(
        self,
        match: Match[Any],
        shown_role: Callable[[], Role | None],
        own_roles: Callable[[], tuple[Role, ...]],
    ) -> None:
        """Read a match's records.

        Args:
            match: The match.
            shown_role: Returns the role on display.
            own_roles: Returns all roles of the person who plays the role on display.
        """
        super().__init__(match.ruleset, own_roles)
        self._match = match
        self._shown_role = shown_role

    @override
    def records_after(self, seq: int) -> Sequence[Record]:
        return tuple(self._match.redacted_records(self._shown_role(), seq))

    @override
    def _merged_record(self, record: Record) -> Record:
        full_record = self._match.records[record.seq]
        versions = [redact_record(self._ruleset, full_record, role) for role in self._own_roles()]
        return merge_versions(versions or [record])

    @override
    def last_own_seq(self) -> int:
        own_seqs = (
            record.seq
            for record in reversed(self._match.records)
            if record.kind == "command" and record.role in self._own_roles()
        )
        return next(own_seqs, -1)

    @override
    def event_cursor(self, start_seq: int) -> EventCursor[Any]:
        match = self._match
        return EventCursor(self._ruleset, start_seq, match.records.__getitem__, match.state_at)

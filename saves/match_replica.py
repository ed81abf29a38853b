"""Implements one copy of a match: its header, its records, and the resulting state."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Final, Generic, NamedTuple, Protocol, Self

import msgspec

from engine import registry
from engine.kernel.decision import Outcome
from engine.kernel.ids import Role
from engine.kernel.memo import CachedState, trim_cache
from saves.chain import first_chain
from saves.codec import Game, S
from saves.disk_trouble import Trouble
from saves.errors import BrokenChainError, CorruptLogError, FairPlayError, MatchError, StorageError
from saves.headers import Header, rules_differ
from saves.logfile import Log, LogWriter
from saves.protocol6.party_commitments import PartyCommitments
from saves.records import Record
from saves.snapshots import read_snapshot, write_snapshot
from saves.terms import Terms
from saves.timeline import Timeline, view_digest

if TYPE_CHECKING:
    from saves.fair.transcript_log import TranscriptLog
    from saves.protocol6.deck_protocol import DeckProtocol

SNAPSHOT_INTERVAL: Final = 200
"""On closing, a new snapshot is written if the last one is at least this many records old."""


class LogSink(Protocol):
    """Storage for records. Every method returns only when the data is on disk."""

    def begin(self, header: Header) -> None:
        """Write the header of a new file."""
        ...

    def append(self, record: Record) -> None:
        """Append one record and wait until it is on disk."""
        ...

    def close(self) -> None:
        """Close the file and release its lock."""
        ...


class PendingRecord(NamedTuple, Generic[S]):
    """A record that has been built but has not yet been written or shown to anyone."""

    record: Record
    state: S
    """Game state after the record."""


def _new_deck_protocol(game: Game[S], header: Header) -> "DeckProtocol":
    """Build a match's masked decks as they are before the first record."""
    from saves.protocol6.deck_protocol import DeckProtocol  # noqa: PLC0415  # most matches need no ciphers

    return DeckProtocol(game, header)


def _new_transcript(game: Game[S], header: Header) -> "TranscriptLog":
    """Build a match's empty transcript.

    Raises:
        FairPlayError: The header does not fit the game, or a party's key is unusable.
    """
    from saves.fair.setup import match_setup  # noqa: PLC0415
    from saves.fair.transcript_log import TranscriptLog  # noqa: PLC0415  # most matches need no signatures

    return TranscriptLog(match_setup(game, header))


class MatchReplica(Generic[S]):
    """Base class for all copies of a match, including the host's copy. A copy has a header, records and a state."""

    def __init__(self, ruleset: Game[S], header: Header, log: LogSink | None) -> None:
        """Create an empty copy. If the copy has a log, the caller has already written the header to it."""
        self.ruleset = ruleset
        self.header = header
        self._log = log
        self._timeline = Timeline(ruleset)
        self.terms = Terms(ruleset, header)
        """Agreements about the match that are not part of its rules, such as adjournments and resignations."""
        self._header_chain = first_chain(header)
        self.commitments = PartyCommitments(header)
        """The parties' commitments, and their contributions so far."""
        self.deck_protocol = (
            _new_deck_protocol(ruleset, header) if self.commitments.is_dealt else None
        )
        """State of the masked decks; None if the host deals."""
        self.transcript = None if header.fair is msgspec.UNSET else _new_transcript(ruleset, header)
        """In a protocol 7 match, the messages from which its records are built; otherwise None."""
        self._snapshot: tuple[int, S] | None = None
        self.dropped_text = ""
        """A notice that an incomplete record was dropped when the file was opened; empty if none was."""

    @classmethod
    def resume(cls, path: Path, ruleset: Game[S] | None = None, *, must_write: bool = True) -> Self:
        """Load a copy from its file so that it can be continued.

        Args:
            path: The record file. It stays locked until :meth:`close`.
            ruleset: The rules; None selects the rules named in the file.
            must_write: False also accepts a file on a full or read-only disk. The copy then accepts records only after
                :meth:`recover` succeeds.

        Raises:
            LogInUseError: Another program has the file open for writing.
            StorageError: The disk failed, or the file is not writable.
            CorruptLogError: The file is damaged.
            DataError: The file names an unknown game.
            MatchError: The file is a different kind of copy or belongs to another game.
        """
        try:
            writer = LogWriter.open(path)
        except StorageError as error:
            if must_write:
                raise
            writer = LogWriter.open_unwritable(path, error)
        try:
            return cls._from_writer(writer, ruleset)
        except BaseException:
            writer.close()
            raise

    @classmethod
    def _from_writer(cls, writer: LogWriter, ruleset: Game[S] | None) -> Self:
        log = writer.loaded
        assert log is not None, "the log must be loaded"
        game = registry.ruleset(log.header.game) if ruleset is None else ruleset
        if log.header.game != game.game:
            raise MatchError(f"this is a game of '{log.header.game}', not of '{game.game}'")
        cls.check_header(log.header)
        copy = cls(game, log.header, writer)
        copy._snapshot = read_snapshot(writer.path, game, log.records)
        copy.dropped_text = "" if log.torn is None else str(log.torn)
        for record in log.records:
            copy.commitments.add(record)
        # Include records undone by a takeback, because their messages and deck steps still count.
        copy._replay_cards(log, writer.path.name)
        try:
            copy._timeline.load(log.records, copy._snapshot)
        except BrokenChainError as error:
            offset = log.record_offsets[error.seq]
            raise CorruptLogError(writer.path.name, offset, error.seq, error.problem) from error
        for record in log.records:
            copy.terms.apply(record)
        return copy

    def _replay_cards(self, log: Log, name: str) -> None:
        """Replay the masked-deck steps or the protocol 7 messages in a file's records."""
        if self.deck_protocol is None and not self.folds_on_open:
            return
        for record in log.records:
            offset = log.record_offsets[record.seq]
            try:
                if self.transcript is not None:
                    self._receive_messages(self.transcript, record)
                    continue
                assert self.deck_protocol is not None, "the seats must deal the cards"
                self.deck_protocol.check(record)
            except BrokenChainError as error:
                raise CorruptLogError(name, offset, record.seq, error.problem) from error
            except FairPlayError as error:
                problem = f"the cards of record {record.seq} are invalid: {error}"
                raise CorruptLogError(name, offset, record.seq, problem) from error
            self.deck_protocol.settle(record)

    def _receive_messages(self, transcript: "TranscriptLog", record: Record) -> None:
        """Fold the messages in the file's next record."""
        transcript.receive(record)

    @classmethod
    def check_header(cls, header: Header) -> None:
        """Check that a header belongs to this kind of copy.

        Raises:
            MatchError: The header belongs to another kind of copy.
        """
        raise MatchError(f"a copy for '{header.audience}' cannot be continued")

    @property
    def folds_on_open(self) -> bool:
        """Return whether the protocol 7 messages in the file are folded when it is opened."""
        return self.transcript is not None

    @property
    def rules_changed(self) -> bool:
        """Return whether the rules or data have changed since the start of the game."""
        return rules_differ(self.ruleset, self.header)

    @property
    def state(self) -> S:
        """Return the state after the last record."""
        return self._timeline.state

    @property
    def seq(self) -> int:
        """Return the number of the last record, or -1 if there are no records."""
        return self._timeline.seq

    @property
    def chain(self) -> bytes:
        """Return the last record's chain value. If there are no records, return the header's chain value."""
        records = self._timeline.records
        return records[-1].chain if records else self._header_chain

    @property
    def records(self) -> Sequence[Record]:
        """Return all records. Callers must not modify the sequence."""
        return self._timeline.records

    @property
    def is_revealed(self) -> bool:
        """Return whether the match has ended with its reveal record. No record can follow it."""
        records = self._timeline.records
        return bool(records) and records[-1].kind == "reveal"

    @property
    def outcome(self) -> Outcome | None:
        """Return how the match ended, by its rules or by agreement; None while it is in progress."""
        return self.terms.outcome(self.state)

    @property
    def asked(self) -> tuple[Role, ...]:
        """Return the roles that must decide now."""
        return self.terms.asked(self.state)

    def state_at(self, seq: int) -> S:
        """Return the state after an earlier record."""
        return self._timeline.state_at(seq)

    def view_digest(self, role: Role | None) -> bytes:
        """Return the digest of the role's current view."""
        return view_digest(self.ruleset, self.state, role)

    @property
    def loaded(self) -> Log | None:
        """Return the contents of the file when it was opened; None for a new match."""
        return self._log.loaded if isinstance(self._log, LogWriter) else None

    def drop_old_results(self, count: int) -> None:
        """Free memory by dropping the results that the rules have cached for earlier states.

        Args:
            count: Maximum number of results of each kind to keep; 0 drops all of them.
        """
        if isinstance(self.state, CachedState):
            trim_cache(self.state, count)

    def save_snapshot(self) -> bool:
        """Save the state next to the record file, so that the file opens faster. Return False if saving fails."""
        if not isinstance(self._log, LogWriter) or not self.records:
            return False
        self._snapshot = (self.seq, self.state)
        return write_snapshot(self._log.path, self.ruleset, self.records[-1], self.state)

    def batch(self) -> AbstractContextManager[None]:
        """Return a context manager that flushes all appended records to disk together when it ends."""
        return self._log.batch() if isinstance(self._log, LogWriter) else nullcontext()

    def close(self) -> None:
        """Close the log file. If enough records have been added, write a snapshot first."""
        if self._log is None:
            return
        if self.seq - (self._snapshot[0] if self._snapshot else 0) >= SNAPSHOT_INTERVAL:
            self.save_snapshot()
        self._log.close()

    def write(self, draft: PendingRecord[S]) -> None:
        """Append a draft's record to the log and wait until it is on disk.

        This may run in another thread, but calls must not overlap.

        Raises:
            StorageError: The write failed. The log accepts no further records until :meth:`recover` succeeds.
        """
        if self._log is not None:
            self._log.append(draft.record)

    @property
    def trouble(self) -> Trouble:
        """Return the disk problem that prevents further writes, or an empty string if there is none."""
        return self._log.trouble if isinstance(self._log, LogWriter) else ""

    def recover(self) -> None:
        """Reopen the log for writing after a disk error. If there was no disk error, do nothing.

        Raises:
            StorageError: Writing still fails.
        """
        if isinstance(self._log, LogWriter):
            self._log.recover()

    def apply(self, draft: PendingRecord[S]) -> Record:
        """Apply a written draft to the game and return its record."""
        assert draft.record.seq == self.seq + 1, "the draft must be the next record"
        self._timeline.add(draft.record, draft.state)
        self.terms.apply(draft.record)
        self.commitments.add(draft.record)
        if self.deck_protocol is not None:
            self.deck_protocol.settle(draft.record)
        if self.transcript is not None:
            self.transcript.begin_segment(draft.record)
        return draft.record

    def _write_and_apply(self, draft: PendingRecord[S]) -> Record:
        self.write(draft)
        return self.apply(draft)

    def _draft_record(self, record: Record) -> PendingRecord[S]:
        return PendingRecord(record, self._timeline.state_after(record))

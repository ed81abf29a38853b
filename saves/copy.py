"""One copy of a game: its header, its records, and the state that they fold to."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Final, Generic, NamedTuple, Protocol, Self

import msgspec

from engine import registry
from engine.kernel.decision import Outcome
from engine.kernel.ids import Role
from engine.kernel.memo import Remembering, keep_latest
from engine.kernel.ruleset import Command
from saves.chain import first_chain
from saves.codec import Game, S, codec
from saves.disk import Trouble
from saves.errors import (
    BrokenChainError,
    CorruptLogError,
    FairPlayError,
    MatchError,
    StorageError,
)
from saves.headers import Header, rules_differ
from saves.logfile import Log, LogWriter
from saves.protocol6.pledges import Pledges
from saves.protocol6.signing import command_message, consent_message
from saves.records import Record
from saves.snapshots import read_snapshot, write_snapshot
from saves.statements import Statement, consenting
from saves.terms import Terms
from saves.timeline import Timeline, view_digest

if TYPE_CHECKING:
    from saves.fair.log import TranscriptLog
    from saves.protocol6.dealt import Dealt

SNAPSHOT_EVERY: Final = 200
"""A game that grew by so many records since its last snapshot leaves a new one when it is closed."""


class LogSink(Protocol):
    """Where records are kept; returns from a call only when the disk has them."""

    def begin(self, header: Header) -> None:
        """Write the head of a new file."""
        ...

    def append(self, record: Record) -> None:
        """Write one record and wait for the disk."""
        ...

    def close(self) -> None:
        """Let go of the file."""
        ...


class Draft(NamedTuple, Generic[S]):
    """A record that may follow, and that nobody has seen yet."""

    record: Record
    state: S
    """The state after it."""


def _dealt_of(game: Game[S], header: Header) -> "Dealt":
    """Return the cards in cipher of a match before its first record."""
    from saves.protocol6.dealt import Dealt  # noqa: PLC0415  # most matches need no ciphers

    return Dealt(game, header)


def _transcript_of(game: Game[S], header: Header) -> "TranscriptLog":
    """Return the transcript of a match before its first message.

    Raises:
        FairPlayError: The header does not fit the game, or a promise binds nobody.
    """
    from saves.fair.log import TranscriptLog  # noqa: PLC0415  # most matches need no signatures
    from saves.fair.setup import setup_of  # noqa: PLC0415

    return TranscriptLog(setup_of(game, header))


class Copy(Generic[S]):
    """What the judge's game and every other copy have in common: header, records, state."""

    def __init__(self, ruleset: Game[S], header: Header, log: LogSink | None) -> None:
        """Hold an empty copy; the log, when there is one, already has the header."""
        self.ruleset = ruleset
        self.header = header
        self._log = log
        self._timeline = Timeline(ruleset)
        self.terms = Terms(ruleset, header)
        """What was agreed about the match besides its game."""
        self._first = first_chain(header)
        self.pledges = Pledges(header)
        """What the parties of the match promised and gave so far."""
        self.dealt = _dealt_of(ruleset, header) if self.pledges.is_dealt else None
        """Where cards in cipher lie; None where the host deals."""
        self.transcript = None if header.fair is msgspec.UNSET else _transcript_of(ruleset, header)
        """The messages behind the records of a match of protocol 7; None in other matches."""
        self._cached: tuple[int, S] | None = None
        self.dropped = ""
        """What an interrupted write left in the file when it was opened, a sentence or empty."""

    @classmethod
    def resume(cls, path: Path, ruleset: Game[S] | None = None, *, must_write: bool = True) -> Self:
        """Return the copy that a file holds, ready to be continued.

        Args:
            path: The record file; it stays locked until :meth:`close`.
            ruleset: The rules; None takes those that the file names.
            must_write: False opens a file on a full or read-only disk, too: it takes records once :meth:`mend`
                succeeds.

        Raises:
            LogInUseError: Another program continues this file.
            StorageError: The disk refused.
            CorruptLogError: The file is damaged.
            DataError: The file names an unknown game.
            MatchError: The file holds another kind of copy, or another game than these rules.
        """
        try:
            writer = LogWriter.open(path)
        except StorageError as error:
            if must_write:
                raise
            writer = LogWriter.open_unwritable(path, error)
        try:
            return cls._over(writer, ruleset)
        except BaseException:
            writer.close()
            raise

    @classmethod
    def _over(cls, writer: LogWriter, ruleset: Game[S] | None) -> Self:
        log = writer.loaded
        assert log is not None, "an opened log is loaded"
        game = registry.ruleset(log.header.game) if ruleset is None else ruleset
        if log.header.game != game.game:
            raise MatchError(f"this is a game of '{log.header.game}', not of '{game.game}'")
        cls.check_header(log.header)
        copy = cls(game, log.header, writer)
        copy._cached = read_snapshot(writer.path, game, log.records)
        copy.dropped = "" if log.torn is None else str(log.torn)
        for record in log.records:
            copy.pledges.add(record)
        copy._deal(log, writer.path.name)
        try:
            copy._timeline.load(log.records, copy._cached)
        except BrokenChainError as error:
            place = log.starts[error.seq]
            raise CorruptLogError(writer.path.name, place, error.seq, error.problem) from error
        for record in log.records:
            copy.terms.take(record)
        return copy

    def _deal(self, log: Log, name: str) -> None:
        """Take the steps about cards, or the messages, in the records of a file."""
        if self.dealt is None and not self.folds_on_open:
            return
        for record in log.records:
            place = log.starts[record.seq]
            try:
                if self.transcript is not None:
                    self._receive_messages(self.transcript, record)
                    continue
                assert self.dealt is not None, "the seats deal the cards"
                self.dealt.check(record)
            except BrokenChainError as error:
                raise CorruptLogError(name, place, record.seq, error.problem) from error
            except FairPlayError as error:
                problem = f"the cards of record {record.seq} are false: {error}"
                raise CorruptLogError(name, place, record.seq, problem) from error
            self.dealt.settle(record)

    def _receive_messages(self, transcript: "TranscriptLog", record: Record) -> None:
        """Fold the messages of the next record of a file."""
        transcript.receive(record)

    @classmethod
    def check_header(cls, header: Header) -> None:
        """Accept the header of this kind of copy.

        Raises:
            MatchError: It belongs to another kind.
        """
        raise MatchError(f"a copy for '{header.audience}' cannot be continued")

    @property
    def folds_on_open(self) -> bool:
        """Return whether the messages in a file are folded when it is opened."""
        return self.transcript is not None

    @property
    def rules_changed(self) -> bool:
        """Return whether today's rules or data are others than those the game began with."""
        return rules_differ(self.ruleset, self.header)

    @property
    def state(self) -> S:
        """Return the state after the last record."""
        return self._timeline.state

    @property
    def seq(self) -> int:
        """Return the number of the last record, -1 when there is none."""
        return self._timeline.seq

    @property
    def chain(self) -> bytes:
        """Return the chain value of the last record, of the header when there is none."""
        records = self._timeline.records
        return records[-1].chain if records else self._first

    @property
    def records(self) -> Sequence[Record]:
        """Return all records, not to be changed."""
        return self._timeline.records

    @property
    def is_revealed(self) -> bool:
        """Return whether the match secret was shown; nothing can follow."""
        records = self._timeline.records
        return bool(records) and records[-1].kind == "reveal"

    @property
    def outcome(self) -> Outcome | None:
        """Return how the match ended, by its rules or by what was agreed; None while it goes on."""
        return self.terms.outcome(self.state)

    @property
    def asked(self) -> tuple[Role, ...]:
        """Return who must decide now."""
        return self.terms.asked(self.state)

    def state_at(self, seq: int) -> S:
        """Return the state after an earlier record."""
        return self._timeline.state_at(seq)

    def view_digest(self, role: Role | None) -> bytes:
        """Return the digest of what a role sees now."""
        return view_digest(self.ruleset, self.state, role)

    def command_message(self, role: Role, command: Command) -> bytes:
        """Return what the giver of a command signs who wants it to be the next record."""
        tag, v, body = codec(self.ruleset).pack(command)
        match_id = self.header.match_id
        return command_message(match_id, self.seq + 1, self.chain, role, tag, v, body)

    def takeback_message(self, asker: Role, to_seq: int) -> bytes:
        """Return what each party signs who agrees that the next record takes back to an earlier one."""
        match_id = self.header.match_id
        return consent_message("takeback", match_id, self.seq + 1, self.chain, asker, to_seq)

    def agreement_message(self, asker: Role, said: Statement) -> bytes:
        """Return what each party signs who agrees to a statement as the next record; empty where nobody has to."""
        word, by = consenting(said)
        match_id = self.header.match_id
        return consent_message(word, match_id, self.seq + 1, self.chain, asker, None) if by else b""

    @property
    def loaded(self) -> Log | None:
        """Return what the file held when it was opened, None for a new game."""
        return self._log.loaded if isinstance(self._log, LogWriter) else None

    def keep_latest(self, most: int) -> None:
        """Let go of what was worked out about earlier states; 0 also of what is known about the present one.

        Args:
            most: Results that are kept of each kind.
        """
        if isinstance(self.state, Remembering):
            keep_latest(self.state, most)

    def save_snapshot(self) -> bool:
        """Keep the state beside the record file, for a fast start; returns whether that was possible."""
        if not isinstance(self._log, LogWriter) or not self.records:
            return False
        self._cached = (self.seq, self.state)
        return write_snapshot(self._log.path, self.ruleset, self.records[-1], self.state)

    def batch(self) -> AbstractContextManager[None]:
        """Return a block in which many records cost one wait for the disk, at its end."""
        return self._log.batch() if isinstance(self._log, LogWriter) else nullcontext()

    def close(self) -> None:
        """Let go of the log file; a game that grew much leaves a snapshot."""
        if self._log is None:
            return
        if self.seq - (self._cached[0] if self._cached else 0) >= SNAPSHOT_EVERY:
            self.save_snapshot()
        self._log.close()

    def write(self, draft: Draft[S]) -> None:
        """Keep the record of a draft and wait for the disk; may be called in a thread of its own, one at a time.

        Raises:
            StorageError: The disk refused, and the log takes no more.
        """
        if self._log is not None:
            self._log.append(draft.record)

    @property
    def trouble(self) -> Trouble:
        """Return what is wrong with the disk that refused the last record; empty while all is well."""
        return self._log.trouble if isinstance(self._log, LogWriter) else ""

    def mend(self) -> None:
        """Let the log go on after the disk refused; where it did not, nothing happens.

        Raises:
            StorageError: The disk still refuses.
        """
        if isinstance(self._log, LogWriter):
            self._log.mend()

    def show(self, draft: Draft[S]) -> Record:
        """Make a draft that is written part of the game and return its record."""
        assert draft.record.seq == self.seq + 1, "one draft at a time"
        self._timeline.add(draft.record, draft.state)
        self.terms.take(draft.record)
        self.pledges.add(draft.record)
        if self.dealt is not None:
            self.dealt.settle(draft.record)
        if self.transcript is not None:
            self.transcript.settle(draft.record)
        return draft.record

    def _keep(self, draft: Draft[S]) -> Record:
        self.write(draft)
        return self.show(draft)

    def _folded(self, record: Record) -> Draft[S]:
        return Draft(record, self._timeline.after(record))

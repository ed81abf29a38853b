"""Compares two copies of a protocol 7 match.

Both copies must have the same signed history, and entries that are visible in both must be identical.
"""

from typing import Generic

import msgspec

from saves.chain import next_chain
from saves.codec import Game, S
from saves.commitments import check_openings
from saves.copy_verifier import CopyComparison
from saves.errors import FalseRecordError
from saves.fair.record_verifier import check_complete
from saves.fair.setup import fair_terms
from saves.fair.signed_texts import order_message
from saves.fair.verification_cache import verify_signature_once
from saves.headers import FULL
from saves.logfile import Log
from saves.records import Record
from saves.timeline import Timeline, convert_errors, view_digest


class FairComparison(Generic[S]):
    """Compares a copy under verification with another copy, record by record. The copies may differ in length."""

    def __init__(self, game: Game[S], other: Log, log: Log) -> None:
        """Check that both copies belong to the same match.

        Args:
            game: The current rules.
            other: The copy to compare with, which is not verified itself.
            log: The copy being verified.

        Raises:
            FalseRecordError: The copies belong to different matches.
        """
        if other.header.match_id != log.header.match_id:
            raise FalseRecordError(-1, "the file to compare with is from a different match")
        self._game = game
        self._other = other
        self._log = log
        self._is_full = other.header.audience == FULL
        # Two redacted copies hide different entries, so only their messages can be compared.
        self._audit = CopyComparison(game, other.header, log.header) if self._is_full else None
        self._timeline: Timeline[S] = Timeline(game)
        self._other_seq = -1
        """Number of the last record of the other copy that has been compared."""
        self.differs_unsigned = False
        """True if the copies contain different records that nobody signs, such as remarks."""

    def add(self, seq: int, state: S) -> None:
        """Compare one record and the resulting state.

        Raises:
            FalseRecordError: The histories differ, or the full copy shows different content.
        """
        record = self._log.records[seq]
        if not self.differs_unsigned and seq < len(self._other.records):
            other_record = self._other.records[seq]
            must_agree = not seq or (_is_signed(record) and _is_signed(other_record))
            if other_record.chain == record.chain or must_agree:
                self._compare(record, other_record, state)
                return
            self.differs_unsigned = True
        # Only the host vouches for the other records, so it can show different ones to each seat.
        if self.differs_unsigned and _is_signed(record):
            for other_record in self._other.records[self._other_seq + 1 :]:
                if _is_signed(other_record):
                    self._compare(record, other_record, state)
                    return
                self._fold_other(record.seq, other_record)

    def _compare(self, record: Record, other_record: Record, state: S) -> None:
        is_same = _signed_content(record) == _signed_content(other_record)
        if not (is_same if self.differs_unsigned else record.chain == other_record.chain):
            raise FalseRecordError(record.seq, self._describe_difference(record, other_record))
        after = self._fold_other(record.seq, other_record)
        if after is None:
            return
        if self._audit is None:
            if view_digest(self._game, after, None) != view_digest(self._game, state, None):
                problem = "the other copy begins with a different position"
                raise FalseRecordError(record.seq, problem)
            return
        # The chain value also covers the unsigned records.
        self._audit.compare(msgspec.structs.replace(other_record, chain=record.chain), record)
        self._audit.compare_views(record.seq, after, state)

    def _describe_difference(self, record: Record, other_record: Record) -> str:
        """Describe how a record differs from the other copy's record, which anyone could have changed.

        The histories are forked only if the host has signed the other one too.
        """
        ours, theirs = record.transcript, other_record.transcript
        if theirs is msgspec.UNSET or (ours is not msgspec.UNSET and ours.head == theirs.head):
            return "the other copy shows something else here than its messages"
        segments = [one.transcript for one in self._other.records[: self._other_seq + 2]]
        index = sum(len(one.messages) for one in segments if one is not msgspec.UNSET) - 1
        header = self._log.header
        text = order_message(header.match_id, index, theirs.head)
        if not verify_signature_once(fair_terms(header).host_key, text, theirs.order):
            return "the other copy is wrong here: the host has not signed its messages"
        return "forked: the other copy has a different history from here on"

    def _fold_other(self, seq: int, other_record: Record) -> S | None:
        """Fold the next record of the other copy, and return the state after it.

        In a redacted copy, only the opening is folded, because the messages contain everything public that follows. For
        the later records of such a copy, the result is None.
        """
        self._other_seq += 1
        if self._audit is None and other_record.kind != "opening":
            return None
        try:
            with convert_errors(seq):
                check_openings(other_record)
                if self._is_full:
                    check_complete(other_record)
                after = self._timeline.state_after(other_record)
        except FalseRecordError as error:
            problem = f"the other copy is wrong here: {error.problem}"
            raise FalseRecordError(seq, problem, error.event) from error
        self._timeline.add(other_record, after)
        return after


def _is_signed(record: Record) -> bool:
    """Return whether a record contains signed messages."""
    return record.transcript is not msgspec.UNSET


def _signed_content(record: Record) -> bytes:
    """Return a digest of a record that does not depend on the number and content of earlier unsigned records.

    The digest covers the transcript's hash. The number of the record that a takeback returns to depends on the unsigned
    records, but the transcript contains the takeback's signed offer.
    """
    return next_chain(b"", 0, msgspec.structs.replace(record, takeback_to=None))

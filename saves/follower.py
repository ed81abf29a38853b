"""Implements a seat's or spectator's copy of a game."""

from typing import Final

import msgspec
from typing_extensions import override

from engine.kernel.ids import Role
from saves.chain import check_chain
from saves.codec import Game, S
from saves.commitments import check_openings, is_secret_of
from saves.errors import BrokenChainError, MatchError
from saves.headers import FULL, Header, audience_role
from saves.match_replica import LogSink, MatchReplica
from saves.records import Record
from saves.redaction import redact_record

_MAX_UNSIGNED_RECORDS: Final = 1_000
"""Maximum number of consecutive records without a transcript, in a match that has one.

An honest host adds at most a few of them, such as a remark, to each record that the seats have signed.
"""


class Follower(MatchReplica[S]):
    """A seat's or spectator's copy, which receives redacted records and folds them."""

    @classmethod
    def create(cls, ruleset: Game[S], header: Header, log: LogSink | None = None) -> "Follower[S]":
        """Create an empty copy.

        Args:
            ruleset: The rules.
            header: The redacted header that the host sent.
            log: An empty log; None keeps the copy in memory.

        Raises:
            MatchError: The header belongs to another game or to the full copy.
            FairPlayError: A party's key in the header is unusable; the error names the party.
            StorageError: The header could not be written.
        """
        if header.game != ruleset.game:
            raise MatchError(f"this is a game of '{header.game}', not of '{ruleset.game}'")
        cls.check_header(header)
        copy = cls(ruleset, header, log)
        copy.commitments.check_promises()
        if log is not None:
            log.begin(header)
        return copy

    @classmethod
    @override
    def check_header(cls, header: Header) -> None:
        """Check that a header belongs to a redacted copy.

        Raises:
            MatchError: The header belongs to the full copy.
        """
        if header.audience == FULL or header.secret is not None or header.position is not None:
            raise MatchError("this is the full copy; a follower takes a redacted one")

    @property
    def role(self) -> Role | None:
        """Return the role that owns this copy, or None for a spectator's copy."""
        return audience_role(self.header)

    def receive(self, record: Record) -> bool:
        """Add the next record. Return False if this exact record is already in the copy.

        Raises:
            BrokenChainError: The record is not the next one, differs from the record already received, has a wrong
                chain value or commitment, or cannot be folded. Nothing has changed.
            FairPlayError: A party's contribution does not match its commitment or signature. Nothing has changed.
            StorageError: The write failed. Nothing has changed, and the log accepts no further records.
        """
        if record.seq <= self.seq:
            # Comparing chain values is not enough: they cover only commitments, so the host could
            # send the same record again with different visible content.
            if self.records[record.seq] != record:
                raise BrokenChainError(
                    record.seq, "this copy has a different record with this number"
                )
            return False
        if self.is_revealed:
            raise BrokenChainError(record.seq, "nothing follows the reveal")
        check_chain(record, self.seq + 1, self.chain)
        check_openings(record)
        if record.secret is not None and not is_secret_of(self.header, record.secret):
            raise BrokenChainError(record.seq, "the secret does not match its commitment")
        if self.transcript is not None:
            self._check_unsigned(record)
            self.transcript.check(record)
        else:
            self.commitments.check(record)
        if self.deck_protocol is not None:
            self.deck_protocol.check(record)
        draft = self._draft_record(record)
        # terms.check() decodes the statement, so _draft_record() must check the record's shape
        # first.
        self.terms.check(record)
        # The header does not list the game's roles, so they are known only after the opening has
        # been folded.
        if record.kind == "opening":
            self.commitments.check_roles(self.ruleset.roles(draft.state))
        self._write_and_apply(draft)
        return True

    def _check_unsigned(self, record: Record) -> None:
        """Refuse a record without signed messages if too many such records precede it."""
        if record.transcript is not msgspec.UNSET or len(self.records) < _MAX_UNSIGNED_RECORDS:
            return
        last_records = self.records[-_MAX_UNSIGNED_RECORDS:]
        if all(earlier.transcript is msgspec.UNSET for earlier in reversed(last_records)):
            raise BrokenChainError(record.seq, "too many records without a signature precede it")

    @property
    def host_audience(self) -> Role | None:
        """Return the audience for everything that this copy shows the host: the owner, if the host deals the cards.

        Otherwise, the host may see only public data, and the result is None.
        """
        host_deals = self.deck_protocol is None and (
            self.transcript is None or not self.transcript.setup.deals
        )
        return self.role if host_deals else None

    def own_view_digest(self) -> bytes:
        """Return the digest of the owner's view, or of the public view if the host may see only public data."""
        return self.view_digest(self.host_audience)

    def record_for_host(self, seq: int) -> Record:
        """Return a record as the host may see it, given its number."""
        record = self.records[seq]
        if self.host_audience == self.role:
            return record
        return redact_record(self.ruleset, record, None)

    @property
    @override
    def folds_on_open(self) -> bool:
        return self.transcript is not None and self.role is None

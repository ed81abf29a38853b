"""The judge's running game, and the copy that a seat or a spectator follows it with."""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b

import msgspec

from engine.kernel.dice import SECRET_BYTES, DerivedDice
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command, Event
from saves.codec import Game, S
from saves.copy import Copy, Draft, LogSink
from saves.decoding import canonical
from saves.errors import BrokenChainError, MatchError, RedactedCopyError, StaleCommandError
from saves.records import (
    FORMAT_VERSION,
    FULL,
    HASH_BYTES,
    NOBODY,
    Header,
    Kind,
    Record,
    Seat,
    audience_role,
    build_record,
    check_link,
    check_openings,
    opens_secret,
    own_data_digest,
    position_commitment,
    redact_header,
    redact_record,
    secret_commitment,
)
from saves.remarks import as_remark


def new_secret() -> bytes:
    """Return a match secret that nobody can guess."""
    return secrets.token_bytes(SECRET_BYTES)


def match_id_of(secret: bytes) -> str:
    """Return the public id of the match with this secret, 16 hex digits."""
    return blake2b(secret, digest_size=8, person=b"flagplot-match").hexdigest()


class Match(Copy[S]):
    """The judge's game: full records, the secret, the only place where commands are decided."""

    @classmethod
    def create(
        cls,
        ruleset: Game[S],
        position: msgspec.Struct,
        scenario: str,
        options: Mapping[str, str],
        seats: Sequence[Seat],
        secret: bytes,
        log: LogSink | None = None,
    ) -> "Match[S]":
        """Return a new game after its opening record.

        Args:
            ruleset: The rules.
            position: Where it starts; of the ruleset's position type.
            scenario: Id of the scenario, empty for a position of the player's own.
            options: The switches that were set.
            seats: Who plays.
            secret: 32 bytes from :func:`new_secret`; dice and salts follow from it.
            log: An empty log; None keeps the game in memory only.

        Raises:
            StorageError: The disk refused.
        """
        place = canonical(position)
        header = Header(
            format=FORMAT_VERSION,
            match_id=match_id_of(secret),
            game=ruleset.game,
            edition=ruleset.edition,
            rules_version=ruleset.version,
            data_digest=ruleset.data_digest,
            scenario=scenario,
            options=dict(options),
            seats=tuple(seats),
            secret_commitment=secret_commitment(secret),
            position_commitment=position_commitment(secret, place),
            audience=FULL,
            position=place,
            secret=secret,
            own_data=own_data_digest(ruleset.own_data(position)),
        )
        match = cls(ruleset, header, log)
        if log is not None:
            log.begin(header)
        match._open(position)
        return match

    @classmethod
    def check_header(cls, header: Header) -> None:
        """Accept the header of the judge's copy.

        Raises:
            RedactedCopyError: It is a redacted one.
        """
        if header.audience != FULL or header.secret is None:
            raise RedactedCopyError(
                "this is a redacted copy; only the judge's can be resumed here,"
                " a seat of it goes on with 'flagplot join'"
            )
        if not opens_secret(header, header.secret):
            raise MatchError("the secret in this file is not the one that was promised")

    def submit(self, role: Role, command: Command, expected_seq: int) -> Record:
        """Judge a command, keep it with what follows from it, and return the record.

        Args:
            role: Who gives it.
            command: The order.
            expected_seq: The last record that its giver has seen.

        Raises:
            StaleCommandError: Another record came in between; nothing happened.
            IllegalCommandError: The rules refuse it; nothing happened.
            StorageError: The disk refused; nothing happened, and the log takes no more.
            MatchError: The secret is revealed already.
        """
        return self._keep(self.draft_command(role, command, expected_seq))

    def draft_command(self, role: Role, command: Command, expected_seq: int) -> Draft[S]:
        """Judge a command as :meth:`submit` does; who calls this writes and shows the draft.

        Raises:
            StaleCommandError: Another record came in between.
            IllegalCommandError: The rules refuse it.
            MatchError: The secret is revealed already.
        """
        if expected_seq != self.seq:
            raise StaleCommandError(expected_seq, self.seq)
        self._refuse_after_reveal()
        events = self.ruleset.decide(self.state, role, command, self._dice())
        return self._draft("command", role, command=command, events=events)

    def remark(self, text: str, role: Role = NOBODY) -> Record:
        """Keep what somebody says about the game.

        Args:
            text: One line, at most ``saves.remarks.LIMIT`` characters.
            role: Who says it; empty for a narrator.

        Raises:
            UnreadableError: The text is empty, too long, or holds control characters.
            MatchError: The secret is revealed already.
            StorageError: The disk refused.
        """
        return self._keep(self.draft_remark(text, role))

    def draft_remark(self, text: str, role: Role) -> Draft[S]:
        """Return the draft of a remark.

        Raises:
            UnreadableError: The text is empty, too long, or holds control characters.
            MatchError: The secret is revealed already.
        """
        self._refuse_after_reveal()
        return self._draft("remark", role, command=as_remark(text))

    def takeback(self, to_seq: int, role: Role = NOBODY) -> Record:
        """Set the game back to where it stood after a record; the records stay.

        Args:
            to_seq: That record.
            role: Who asked for it. Whether the others consent is the caller's business.

        Raises:
            MatchError: No earlier record has this number, or the secret is revealed already.
            StorageError: The disk refused.
        """
        return self._keep(self.draft_takeback(to_seq, role))

    def draft_takeback(self, to_seq: int, role: Role) -> Draft[S]:
        """Return the draft of a takeback.

        Raises:
            MatchError: No earlier record has this number, or the secret is revealed already.
        """
        self._refuse_after_reveal()
        if not 0 <= to_seq < self.seq:
            raise MatchError(f"cannot go back to record {to_seq}; the last one is {self.seq}")
        return self._draft("takeback", role, takeback_to=to_seq)

    def reveal(self) -> Record:
        """Show the match secret after the end, so that everybody can check dice and hands.

        Raises:
            MatchError: The game goes on, or the secret is revealed already.
            StorageError: The disk refused.
        """
        return self._keep(self.draft_reveal())

    def draft_reveal(self) -> Draft[S]:
        """Return the draft of the reveal.

        Raises:
            MatchError: The game goes on, or the secret is revealed already.
        """
        self._refuse_after_reveal()
        if self.ruleset.outcome(self.state) is None:
            raise MatchError("the secret stays hidden until the game is over")
        return self._draft("reveal", NOBODY, secret=self._secret())

    def redacted_header(self, audience: Role | None) -> Header:
        """Return the header of a role's copy, None for a spectator's."""
        return redact_header(self.header, audience)

    def redacted(self, audience: Role | None, after: int = -1) -> Iterator[Record]:
        """Yield the records after a number as a role may have them, None for a spectator."""
        for record in self.records[after + 1 :]:
            yield redact_record(self.ruleset, record, audience)

    def _open(self, position: msgspec.Struct) -> None:
        events = self.ruleset.start(position, self._dice())
        self._keep(self._draft("opening", NOBODY, events=events))

    def _refuse_after_reveal(self) -> None:
        if self.is_revealed:
            raise MatchError("the secret of this game is revealed; nothing can follow")

    def _secret(self) -> bytes:
        secret = self.header.secret
        if secret is None:
            raise MatchError("this copy of the game does not hold the match secret")
        return secret

    def _dice(self) -> DerivedDice:
        return DerivedDice(self._secret(), self.seq + 1)

    def _draft(
        self,
        kind: Kind,
        role: Role,
        *,
        command: Command | None = None,
        events: Sequence[Event] = (),
        takeback_to: int | None = None,
        secret: bytes | None = None,
    ) -> Draft[S]:
        bare = Record(
            seq=self.seq + 1,
            kind=kind,
            role=role,
            command=None,
            events=(),
            takeback_to=takeback_to,
            secret=secret,
            prev=self.chain,
            chain=bytes(HASH_BYTES),
        )
        return self._folded(build_record(self.ruleset, self._secret(), bare, command, events))


class Follower(Copy[S]):
    """A seat's or a spectator's copy: it takes redacted records and folds them."""

    @classmethod
    def create(cls, ruleset: Game[S], header: Header, log: LogSink | None = None) -> "Follower[S]":
        """Return an empty copy.

        Args:
            ruleset: The rules.
            header: The redacted header that the judge sent.
            log: An empty log; None keeps the copy in memory only.

        Raises:
            MatchError: The header belongs to another game or to the judge's copy.
            StorageError: The disk refused.
        """
        if header.game != ruleset.game:
            raise MatchError(f"this is a game of '{header.game}', not of '{ruleset.game}'")
        cls.check_header(header)
        if log is not None:
            log.begin(header)
        return cls(ruleset, header, log)

    @classmethod
    def check_header(cls, header: Header) -> None:
        """Accept the header of a redacted copy.

        Raises:
            MatchError: It is the judge's.
        """
        if header.audience == FULL or header.secret is not None or header.position is not None:
            raise MatchError("this is the judge's copy; a follower takes a redacted one")

    @property
    def role(self) -> Role | None:
        """Return whose copy this is, None for a spectator's."""
        return audience_role(self.header)

    def receive(self, record: Record) -> bool:
        """Add the next record; returns False when exactly this record is held already.

        Raises:
            BrokenChainError: It is not the next one, or another one than the one held, or does not
                match the chain or its commitments, or its events cannot follow; nothing changed.
            StorageError: The disk refused; nothing changed, and the log takes no more.
        """
        if record.seq <= self.seq:
            if self.records[record.seq] != record:
                raise BrokenChainError(record.seq, "another record with this number is held")
            return False
        if self.is_revealed:
            raise BrokenChainError(record.seq, "nothing follows the reveal")
        check_link(record, self.seq + 1, self.chain)
        check_openings(record)
        if record.secret is not None and not opens_secret(self.header, record.secret):
            raise BrokenChainError(record.seq, "the secret is not the one that was promised")
        self._keep(self._folded(record))
        return True

    def own_view_digest(self) -> bytes:
        """Return the digest of this copy's view, to be compared with the judge's."""
        return self.view_digest(self.role)

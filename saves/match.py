"""Implements the host's copy of a game in progress."""

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple

import msgspec
from typing_extensions import override

from engine.kernel.dice import SECRET_BYTES, ChanceRevealedError, DerivedDice, Dice, DraftDice
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command, Event
from saves.chain import compute_throw_digest
from saves.clocks import Clock
from saves.codec import Game, S
from saves.commitments import derive_salt, is_secret_of, position_commitment, secret_commitment
from saves.decoding import canonical
from saves.entries import build_record, complete_entry, signature_entry
from saves.errors import LinksNeededError, MatchError, RedactedCopyError, StaleCommandError
from saves.headers import FORMAT_VERSION, FULL, Header, Seat, own_data_digest
from saves.match_replica import LogSink, MatchReplica, PendingRecord
from saves.protocol6.hash_chain import joint_seed
from saves.protocol6.parties import Consent, Links, Party, Throw
from saves.records import HASH_BYTES, NOBODY, Kind, Record
from saves.redaction import redact_header, redact_record
from saves.remarks import make_remark
from saves.statements import Adjournment, Ending, Statement, required_consents, statement_kind


def new_secret() -> bytes:
    """Generate a match secret with the system's secure random number generator."""
    return secrets.token_bytes(SECRET_BYTES)


def derive_secret(text: str) -> bytes:
    """Derive a match secret from a text. The result is reproducible, so it is not actually secret."""
    return blake2b(text.encode(), digest_size=SECRET_BYTES).digest()


def match_id_of(secret: bytes, label: bytes = b"") -> str:
    """Derive the public id of a match from its secret, as 16 hex digits.

    Args:
        secret: The match secret.
        label: Distinguishes matches that share a secret; empty if only one match uses the secret.
    """
    return blake2b(secret + label, digest_size=8, person=b"flagplot-match").hexdigest()


def new_header(  # noqa: PLR0913  # one argument per field of the header
    ruleset: Game[S],
    position: msgspec.Struct,
    scenario: str,
    options: Mapping[str, str],
    seats: Sequence[Seat],
    secret: bytes,
    *,
    clock: Clock | None = None,
    parties: Sequence[Party] | None = None,
    match_id: str = "",
) -> Header:
    """Build the host's header for a new match. See :meth:`Match.create` for the arguments that both have."""
    encoded_position = canonical(position)
    return Header(
        format=FORMAT_VERSION,
        match_id=match_id or match_id_of(secret),
        game=ruleset.game,
        edition=ruleset.edition,
        rules_version=ruleset.version,
        data_digest=ruleset.data_digest,
        scenario=scenario,
        options=dict(options),
        seats=tuple(seats),
        secret_commitment=secret_commitment(secret),
        position_commitment=position_commitment(secret, encoded_position),
        audience=FULL,
        position=encoded_position,
        secret=secret,
        own_data=own_data_digest(ruleset.user_data(position)),
        clock=msgspec.UNSET if clock is None else clock,
        parties=msgspec.UNSET if parties is None else tuple(parties),
    )


class PartyContributions(NamedTuple):
    """The parties that jointly generate a new match's randomness, and their links for the opening."""

    parties: Sequence[Party]
    """One party per role. Links and consents are in the same order."""
    links: Links | None = None
    """One link per party for the opening; None until the links are known."""


class Match(MatchReplica[S]):
    """The host's copy, which contains the full records and the secret. Only this copy resolves commands."""

    @classmethod
    def create(  # noqa: PLR0913  # one argument per field of the header
        cls,
        ruleset: Game[S],
        position: msgspec.Struct,
        scenario: str,
        options: Mapping[str, str],
        seats: Sequence[Seat],
        secret: bytes,
        log: LogSink | None = None,
        contributions: PartyContributions | None = None,
        *,
        clock: Clock | None = None,
        match_id: str = "",
    ) -> "Match[S]":
        """Create a new game with its opening record.

        In a match with parties, an opening that uses randomness needs a link from each party. Make the first call
        without links, and collect the links that the error requests. Then repeat the call with these links and the same
        other arguments.

        Args:
            ruleset: The rules.
            position: The starting position, an instance of the ruleset's position type.
            scenario: Scenario id; empty for a custom position.
            options: The options that were set.
            seats: The players.
            secret: 32 bytes from :func:`new_secret`, from which dice and salts are derived.
            log: An empty log; None keeps the game in memory.
            contributions: The parties that sign and jointly generate randomness, one per role. None if only the host
                generates randomness.
            clock: Time control; None for a game without clocks.
            match_id: The public id, from :func:`match_id_of`; empty to derive it from the secret alone.

        Raises:
            StorageError: The opening could not be written.
            FairPlayError: A commitment or link is wrong; the error names the party.
            LinksNeededError: The opening needs random results; the error contains the throw to request from the
                parties.
        """
        parties = None if contributions is None else contributions.parties
        header = new_header(
            ruleset,
            position,
            scenario,
            options,
            seats,
            secret,
            clock=clock,
            parties=parties,
            match_id=match_id,
        )
        match = cls(ruleset, header, log)
        match.commitments.check_promises()
        opening = match._draft_opening(
            position, None if contributions is None else contributions.links
        )
        if log is not None:
            log.begin(header)
        match._write_and_apply(opening)
        return match

    @classmethod
    @override
    def check_header(cls, header: Header) -> None:
        """Check that a header belongs to a full copy that can be continued.

        Raises:
            RedactedCopyError: The header belongs to a redacted copy.
            MatchError: The match is finished, its records are built from the seats' messages, or its secret is wrong.
        """
        # A computed full copy has no secret either, so the next check would wrongly report it as
        # redacted.
        if header.audience == FULL and header.fair is not msgspec.UNSET and header.secret is None:
            raise MatchError("this is the full copy of a finished match, which cannot be continued")
        if header.audience != FULL or header.secret is None:
            raise RedactedCopyError(
                "this is a redacted copy; only the host's copy can be resumed here,"
                " and a seat continues with 'flagplot join'"
            )
        if header.fair is not msgspec.UNSET:
            raise MatchError(
                "this match needs messages from its seats; only its host can continue it"
            )
        if not is_secret_of(header, header.secret):
            raise MatchError("the secret in this file does not match its commitment")

    def submit(
        self,
        role: Role,
        command: Command,
        expected_seq: int,
        signature: bytes = b"",
        links: Links | None = None,
    ) -> Record:
        """Resolve a command, save a record of the command and its events, and return the record.

        Args:
            role: The role that gives the command.
            command: The command.
            expected_seq: Number of the last record that the player has seen.
            signature: In a match with parties, the player's signature over the text of
                :func:`~saves.protocol6.signing.command_message`.
            links: One link per party, in header order; None if there are no parties or the command needs no random
                results.

        Raises:
            StaleCommandError: Another record was added in the meantime. Nothing has changed.
            IllegalCommandError: The rules do not allow the command. Nothing has changed.
            StorageError: The write failed. Nothing has changed, and the log accepts no further records.
            MatchError: The secret has already been revealed.
            FairPlayError: The signature or a link is wrong; the error names the party.
            LinksNeededError: The command needs random results, but no links were given; the error contains the throw to
                request from the parties.
        """
        return self._write_and_apply(
            self.draft_command(role, command, expected_seq, signature, links)
        )

    def draft_command(
        self,
        role: Role,
        command: Command,
        expected_seq: int,
        signature: bytes = b"",
        links: Links | None = None,
    ) -> PendingRecord[S]:
        """Resolve a command like :meth:`submit`, but leave writing and applying the draft to the caller.

        In a match with parties, the command is first resolved without randomness. If it needs randomness, the error
        contains the throw to request from all parties. Repeat the call with the same command and signature and the
        parties' links.

        Raises:
            StaleCommandError: Another record was added in the meantime.
            IllegalCommandError: The rules do not allow the command.
            MatchError: The secret has already been revealed, or links were given for a command that uses no randomness.
            FairPlayError: The signature or a link is wrong; the error names the party.
            LinksNeededError: The command needs random results, but no links were given; the error contains the throw to
                request from the parties.
        """
        if expected_seq != self.seq:
            raise StaleCommandError(expected_seq, self.seq)
        self._check_allowed("command", role)
        seq, secret = self.seq + 1, self._secret()
        empty_record = self._empty_record("command", role)
        if not self.commitments.is_joint:
            self._check_no_contributions(has_contributions=bool(signature) or links is not None)
            events = self.ruleset.decide(self.state, role, command, self._dice(None))
            return self._draft(empty_record, command, events)
        # The throw's digest covers the commitments to the command and the signature, so these two
        # entries are built before the command is resolved.
        command_entry = complete_entry(self.ruleset, command, derive_salt(secret, seq, 0))
        self.commitments.check_command(role, seq, self.chain, command_entry, signature)
        events = self._decide_with_chance(
            lambda dice: self.ruleset.decide(self.state, role, command, dice),
            links,
            compute_throw_digest(role, command_entry, signature_entry(secret, seq, signature)),
            role,
        )
        return self._draft(self._with_links(empty_record, links), command, events, signature)

    def remark(self, text: str, role: Role = NOBODY) -> Record:
        """Save a remark about the game.

        Args:
            text: One line of at most ``saves.remarks.MAX_LENGTH`` characters.
            role: The author; empty for a narrator.

        Raises:
            UnreadableError: The text is empty, too long or contains control characters.
            MatchError: The match has ended.
            StorageError: The write failed.
        """
        return self._write_and_apply(self.draft_remark(text, role))

    def draft_remark(self, text: str, role: Role) -> PendingRecord[S]:
        """Build a remark record without writing it.

        Raises:
            UnreadableError: The text is empty, too long or contains control characters.
            MatchError: The secret has already been revealed.
        """
        return self.draft_statement(role, make_remark(text))

    def add_statement(
        self, role: Role, statement: Statement, consents: Sequence[Consent] | None = None
    ) -> Record:
        """Save an agreement about the match, for example to end it. The caller must already have all consents.

        Args:
            role: The role that proposed the agreement.
            statement: The agreement.
            consents: The consents of the parties involved, in header order; None in a match without parties.

        Raises:
            MatchError: The agreement is not currently possible, or the match has ended.
            FairPlayError: A consent is missing or wrong; the error names the party.
            StorageError: The write failed.
        """
        return self._write_and_apply(self.draft_statement(role, statement, consents))

    def draft_statement(
        self, role: Role, statement: Statement, consents: Sequence[Consent] | None = None
    ) -> PendingRecord[S]:
        """Build a statement record without writing it.

        Raises:
            MatchError: The statement conflicts with earlier agreements, or the match has ended.
            FairPlayError: A consent is missing or wrong; the error names the party.
        """
        kind = statement_kind(statement)
        self._check_allowed(kind, role, statement)
        empty_record = self._empty_record(kind, role)
        if not self.commitments.is_joint or not required_consents(statement)[1]:
            self._check_no_contributions(has_contributions=bool(consents))
            return self._draft(empty_record, statement)
        given_consents = tuple(consents or ())
        self.commitments.check_agreement(statement, role, self.seq + 1, self.chain, given_consents)
        return self._draft(
            msgspec.structs.replace(empty_record, consents=given_consents), statement
        )

    def take_back(
        self, to_seq: int, role: Role = NOBODY, consents: Sequence[Consent] | None = None
    ) -> Record:
        """Return the game to the state after an earlier record. Later records are kept.

        Args:
            to_seq: Number of the earlier record.
            role: The role that asked. In a match without parties, the caller must already have the consent of the other
                roles.
            consents: In a match with parties, the parties' signatures over the text of
                :func:`~saves.protocol6.signing.consent_message`, in header order.

        Raises:
            MatchError: There is no earlier record with this number, or the secret has already been revealed.
            FairPlayError: A consent is missing or wrong; the error names the party.
            StorageError: The write failed.
        """
        return self._write_and_apply(self.draft_takeback(to_seq, role, consents))

    def draft_takeback(
        self, to_seq: int, role: Role, consents: Sequence[Consent] | None = None
    ) -> PendingRecord[S]:
        """Build a takeback record without writing it.

        Raises:
            MatchError: There is no earlier record with this number, or the secret has already been revealed.
            FairPlayError: A consent is missing or wrong; the error names the party.
        """
        self._check_allowed("takeback", role)
        if not 0 <= to_seq < self.seq:
            raise MatchError(f"cannot go back to record {to_seq}; the last one is {self.seq}")
        empty_record = msgspec.structs.replace(
            self._empty_record("takeback", role), takeback_to=to_seq
        )
        if not self.commitments.is_joint:
            self._check_no_contributions(has_contributions=consents is not None)
            return self._draft(empty_record)
        given_consents = tuple(consents or ())
        self.commitments.check_takeback(role, self.seq + 1, self.chain, to_seq, given_consents)
        return self._draft(msgspec.structs.replace(empty_record, consents=given_consents))

    def reveal(self) -> Record:
        """Reveal the match secret once the game is over, so that everyone can verify dice and hands.

        Raises:
            MatchError: The game is not over, or the secret has already been revealed.
            StorageError: The write failed.
        """
        return self._write_and_apply(self.draft_reveal())

    def draft_reveal(self) -> PendingRecord[S]:
        """Build the reveal record without writing it.

        Raises:
            MatchError: The game is not over, or the secret has already been revealed.
        """
        self._check_allowed("reveal", NOBODY)
        if self.outcome is None:
            raise MatchError("the secret cannot be revealed before the game is over")
        empty_record = self._empty_record("reveal", NOBODY)
        return self._draft(msgspec.structs.replace(empty_record, secret=self._secret()))

    @property
    def knows_hands(self) -> bool:
        """Return whether this copy contains all players' hands."""
        return True

    def redacted_header(self, audience: Role | None) -> Header:
        """Return the header for a role's copy, or for a spectator's copy if the audience is None."""
        return redact_header(self.header, audience)

    def redacted_records(self, audience: Role | None, after: int = -1) -> Iterator[Record]:
        """Yield the records after a given record, redacted for a role, or for a spectator if the audience is None."""
        for record in self.records[after + 1 :]:
            yield redact_record(self.ruleset, record, audience)

    def _draft_opening(self, position: msgspec.Struct, links: Links | None) -> PendingRecord[S]:
        empty_record = self._empty_record("opening", NOBODY)
        if not self.commitments.is_joint:
            return self._draft(
                empty_record, None, self.ruleset.open_game(position, self._dice(None))
            )
        events = self._decide_with_chance(
            lambda dice: self.ruleset.open_game(position, dice),
            links,
            compute_throw_digest(NOBODY, None, msgspec.UNSET),
            NOBODY,
        )
        draft = self._draft(self._with_links(empty_record, links), None, events)
        self.commitments.check_roles(self.ruleset.roles(draft.state))
        return draft

    @staticmethod
    def _check_no_contributions(*, has_contributions: bool) -> None:
        if has_contributions:
            raise MatchError(
                "this match accepts no signatures or links: its host alone generates the randomness"
            )

    def objection(self, kind: Kind, role: Role, statement: Statement | None = None) -> str:
        """Return why a record conflicts with earlier agreements; empty if there is no conflict.

        The rules are not checked.
        """
        if self.is_revealed:
            return "the secret of this game has been revealed; nothing can follow"
        problem = self.terms.objection(kind, role, statement)
        if not problem and isinstance(statement, Ending | Adjournment) and self.outcome is not None:
            problem = "the game is over"
        return problem

    def _check_allowed(self, kind: Kind, role: Role, statement: Statement | None = None) -> None:
        problem = self.objection(kind, role, statement)
        if problem:
            raise MatchError(problem)

    def _secret(self) -> bytes:
        secret = self.header.secret
        if secret is None:
            raise MatchError("this copy of the game does not contain the match secret")
        return secret

    def _dice(self, links: Links | None) -> DerivedDice:
        """Return the next record's dice, seeded with the secret and any given links."""
        secret, seq = self._secret(), self.seq + 1
        return DerivedDice(secret if links is None else joint_seed(secret, seq, links), seq)

    def _decide_with_chance(
        self,
        decide: Callable[[Dice], tuple[Event, ...]],
        links: Links | None,
        digest: bytes,
        role: Role,
    ) -> tuple[Event, ...]:
        """Resolve a command with the parties' links. Without links, the command must not need randomness."""
        if links is None:
            try:
                return decide(DraftDice())
            except ChanceRevealedError:
                index, seq = self.commitments.count, self.seq + 1
                throw = Throw(index=index, seq=seq, prev=self.chain, role=role, digest=digest)
                raise LinksNeededError(throw) from None
        self.commitments.check_links(links)
        dice = self._dice(links)
        events = decide(dice)
        # The n-th record with links uses every party's n-th link, so a record without randomness
        # must not use up a link.
        if not dice.is_used:
            raise MatchError(f"record {self.seq + 1} uses no randomness and accepts no links")
        return events

    @staticmethod
    def _with_links(record: Record, links: Links | None) -> Record:
        return record if links is None else msgspec.structs.replace(record, links=links)

    def _empty_record(self, kind: Kind, role: Role) -> Record:
        """Build the next record with its command, events and chain value still empty."""
        return Record(
            seq=self.seq + 1,
            kind=kind,
            role=role,
            command=None,
            events=(),
            takeback_to=None,
            secret=None,
            prev=self.chain,
            chain=bytes(HASH_BYTES),
        )

    def _draft(
        self,
        empty_record: Record,
        command: Command | None = None,
        events: Sequence[Event] = (),
        signature: bytes = b"",
    ) -> PendingRecord[S]:
        record = build_record(
            self.ruleset, self._secret(), empty_record, command, events, signature
        )
        return self._draft_record(record)

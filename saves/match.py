"""The judge's running game."""

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple

import msgspec

from engine.kernel.dice import SECRET_BYTES, ChanceRevealedError, DerivedDice, Dice, DraftDice
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command, Event
from saves.chain import throw_digest
from saves.clocks import Clock
from saves.codec import Game, S
from saves.commitments import opens_secret, position_commitment, salt_for, secret_commitment
from saves.copy import Copy, Draft, LogSink
from saves.decoding import canonical
from saves.entries import build_record, complete_entry, signature_entry
from saves.errors import (
    LinksNeededError,
    MatchError,
    RedactedCopyError,
    StaleCommandError,
)
from saves.headers import FORMAT_VERSION, FULL, Header, Seat, own_data_digest
from saves.protocol6.links import joint_seed
from saves.protocol6.parties import Consent, Links, Party, Throw
from saves.records import HASH_BYTES, NOBODY, Kind, Record
from saves.redaction import redact_header, redact_record
from saves.remarks import as_remark
from saves.statements import Adjournment, Ending, Statement, consenting, kind_of


def new_secret() -> bytes:
    """Return a match secret that nobody can guess."""
    return secrets.token_bytes(SECRET_BYTES)


def match_id_of(secret: bytes, label: bytes = b"") -> str:
    """Return the public id of the match with this secret, 16 hex digits.

    Args:
        secret: The match secret.
        label: What distinguishes the match from others with the same secret; empty where there are none.
    """
    return blake2b(secret + label, digest_size=8, person=b"flagplot-match").hexdigest()


def new_header(  # noqa: PLR0913  # what a header holds
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
    """Return the judge's header of a new match; the arguments are those of :meth:`Match.create`."""
    place = canonical(position)
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
        position_commitment=position_commitment(secret, place),
        audience=FULL,
        position=place,
        secret=secret,
        own_data=own_data_digest(ruleset.own_data(position)),
        clock=msgspec.UNSET if clock is None else clock,
        parties=msgspec.UNSET if parties is None else tuple(parties),
    )


class Joint(NamedTuple):
    """How the chance of a new match is made by all its parties together."""

    parties: Sequence[Party]
    """One per role; their order is that of all links and consents."""
    links: Links | None = None
    """One of each party for the opening, once they are known."""


class Match(Copy[S]):
    """The judge's game: full records, the secret, the only place where commands are decided."""

    @classmethod
    def create(  # noqa: PLR0913  # what a header holds
        cls,
        ruleset: Game[S],
        position: msgspec.Struct,
        scenario: str,
        options: Mapping[str, str],
        seats: Sequence[Seat],
        secret: bytes,
        log: LogSink | None = None,
        joint: Joint | None = None,
        *,
        clock: Clock | None = None,
        match_id: str = "",
    ) -> "Match[S]":
        """Return a new game after its opening record.

        With parties the opening needs a link of each of them: call it without links, ask for them when it raises, and
        call it again with the same arguments and the links.

        Args:
            ruleset: The rules.
            position: Where it starts; of the ruleset's position type.
            scenario: Id of the scenario, empty for a position of the player's own.
            options: The switches that were set.
            seats: Who plays.
            secret: 32 bytes from :func:`new_secret`; dice and salts follow from it.
            log: An empty log; None keeps the game in memory only.
            joint: Who makes chance together and signs, one per role; None where this judge makes it alone.
            clock: How much time each role has; None for no clocks.
            match_id: The public id, from :func:`match_id_of`; empty for the one of the secret alone.

        Raises:
            StorageError: The disk refused.
            FairPlayError: A promise or a link is wrong; names whose.
            LinksNeededError: The opening uses chance; names the throw.
        """
        parties = None if joint is None else joint.parties
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
        match.pledges.check_promises()
        opening = match._opening(position, None if joint is None else joint.links)
        if log is not None:
            log.begin(header)
        match._keep(opening)
        return match

    @classmethod
    def check_header(cls, header: Header) -> None:
        """Accept the header of the full copy.

        Raises:
            RedactedCopyError: It is a redacted one.
            MatchError: It is the full copy of a finished match.
        """
        if header.audience == FULL and header.fair is not msgspec.UNSET and header.secret is None:
            raise MatchError("this is the full copy of a finished match, which cannot go on")
        if header.audience != FULL or header.secret is None:
            raise RedactedCopyError(
                "this is a redacted copy; only the judge's can be resumed here,"
                " a seat of it goes on with 'flagplot join'"
            )
        if header.fair is not msgspec.UNSET:
            raise MatchError("this match needs the messages of its seats; its host continues it")
        if not opens_secret(header, header.secret):
            raise MatchError("the secret in this file is not the one that was promised")

    def submit(
        self,
        role: Role,
        command: Command,
        expected_seq: int,
        signature: bytes = b"",
        links: Links | None = None,
    ) -> Record:
        """Judge a command, keep it with what follows from it, and return the record.

        Args:
            role: Who gives it.
            command: The order.
            expected_seq: The last record that its giver has seen.
            signature: In a match with parties the giver's signature of :meth:`command_message`.
            links: One of each party, in the order of the header, where the command needs chance and there are parties.

        Raises:
            StaleCommandError: Another record came in between; nothing happened.
            IllegalCommandError: The rules refuse it; nothing happened.
            StorageError: The disk refused; nothing happened, and the log takes no more.
            MatchError: The secret is revealed already.
            FairPlayError: The signature or a link is wrong; names whose.
            LinksNeededError: The command uses chance and has no links yet; names the throw.
        """
        return self._keep(self.draft_command(role, command, expected_seq, signature, links))

    def draft_command(
        self,
        role: Role,
        command: Command,
        expected_seq: int,
        signature: bytes = b"",
        links: Links | None = None,
    ) -> Draft[S]:
        """Judge a command as :meth:`submit` does; who calls this writes and shows the draft.

        In a match with parties it is first decided without chance. Where that is not possible it raises, with the
        throw to ask all parties about, and is to be called again with their links and the same command and signature.

        Raises:
            StaleCommandError: Another record came in between.
            IllegalCommandError: The rules refuse it.
            MatchError: The secret is revealed already, or links were given to what uses no chance.
            FairPlayError: The signature or a link is wrong; names whose.
            LinksNeededError: The command uses chance and has no links yet; names the throw.
        """
        if expected_seq != self.seq:
            raise StaleCommandError(expected_seq, self.seq)
        self._refuse("command", role)
        seq, secret = self.seq + 1, self._secret()
        bare = self._bare("command", role)
        if not self.pledges.is_joint:
            self._refuse_gifts(given=bool(signature) or links is not None)
            events = self.ruleset.decide(self.state, role, command, self._dice(None))
            return self._draft(bare, command, events)
        given = complete_entry(self.ruleset, command, salt_for(secret, seq, 0))
        self.pledges.check_command(role, seq, self.chain, given, signature)
        events = self._by_chance(
            lambda dice: self.ruleset.decide(self.state, role, command, dice),
            links,
            throw_digest(role, given, signature_entry(secret, seq, signature)),
            role,
        )
        return self._draft(self._with(bare, links), command, events, signature)

    def remark(self, text: str, role: Role = NOBODY) -> Record:
        """Keep what somebody says about the game.

        Args:
            text: One line, at most ``saves.remarks.LIMIT`` characters.
            role: Who says it; empty for a narrator.

        Raises:
            UnreadableError: The text is empty, too long, or holds control characters.
            MatchError: The match was ended.
            StorageError: The disk refused.
        """
        return self._keep(self.draft_remark(text, role))

    def draft_remark(self, text: str, role: Role) -> Draft[S]:
        """Return the draft of a remark.

        Raises:
            UnreadableError: The text is empty, too long, or holds control characters.
            MatchError: The secret is revealed already.
        """
        return self.draft_statement(role, as_remark(text))

    def state_terms(
        self, role: Role, said: Statement, consents: Sequence[Consent] | None = None
    ) -> Record:
        """Keep what was agreed about the match, such as its end; who must agree has done so.

        Args:
            role: Who proposed it.
            said: What holds from now on.
            consents: Of those who agree, in the order of the header; None in a match without parties.

        Raises:
            MatchError: It cannot hold, or the match was ended.
            FairPlayError: A consent is missing or wrong; names whose.
            StorageError: The disk refused.
        """
        return self._keep(self.draft_statement(role, said, consents))

    def draft_statement(
        self, role: Role, said: Statement, consents: Sequence[Consent] | None = None
    ) -> Draft[S]:
        """Return the draft of a statement.

        Raises:
            MatchError: It cannot follow what was agreed, or the match was ended.
            FairPlayError: A consent is missing or wrong; names whose.
        """
        kind = kind_of(said)
        self._refuse(kind, role, said)
        bare = self._bare(kind, role)
        if not self.pledges.is_joint or not consenting(said)[1]:
            self._refuse_gifts(given=bool(consents))
            return self._draft(bare, said)
        given = tuple(consents or ())
        self.pledges.check_agreed(said, role, self.seq + 1, self.chain, given)
        return self._draft(msgspec.structs.replace(bare, consents=given), said)

    def takeback(
        self, to_seq: int, role: Role = NOBODY, consents: Sequence[Consent] | None = None
    ) -> Record:
        """Set the game back to where it stood after a record; the records stay.

        Args:
            to_seq: That record.
            role: Who asked for it. Whether the others consent is the caller's business where there are no parties.
            consents: In a match with parties their signatures of :meth:`takeback_message`, in the order of the header.

        Raises:
            MatchError: No earlier record has this number, or the secret is revealed already.
            FairPlayError: A consent is missing or wrong; names whose.
            StorageError: The disk refused.
        """
        return self._keep(self.draft_takeback(to_seq, role, consents))

    def draft_takeback(
        self, to_seq: int, role: Role, consents: Sequence[Consent] | None = None
    ) -> Draft[S]:
        """Return the draft of a takeback.

        Raises:
            MatchError: No earlier record has this number, or the secret is revealed already.
            FairPlayError: A consent is missing or wrong; names whose.
        """
        self._refuse("takeback", role)
        if not 0 <= to_seq < self.seq:
            raise MatchError(f"cannot go back to record {to_seq}; the last one is {self.seq}")
        bare = msgspec.structs.replace(self._bare("takeback", role), takeback_to=to_seq)
        if not self.pledges.is_joint:
            self._refuse_gifts(given=consents is not None)
            return self._draft(bare)
        given = tuple(consents or ())
        self.pledges.check_takeback(role, self.seq + 1, self.chain, to_seq, given)
        return self._draft(msgspec.structs.replace(bare, consents=given))

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
        self._refuse("reveal", NOBODY)
        if self.outcome is None:
            raise MatchError("the secret stays hidden until the game is over")
        bare = self._bare("reveal", NOBODY)
        return self._draft(msgspec.structs.replace(bare, secret=self._secret()))

    @property
    def knows_hands(self) -> bool:
        """Return whether this copy has what is hidden from other copies."""
        return True

    def redacted_header(self, audience: Role | None) -> Header:
        """Return the header of a role's copy, None for a spectator's."""
        return redact_header(self.header, audience)

    def redacted(self, audience: Role | None, after: int = -1) -> Iterator[Record]:
        """Yield the records after a number as a role may have them, None for a spectator."""
        for record in self.records[after + 1 :]:
            yield redact_record(self.ruleset, record, audience)

    def _opening(self, position: msgspec.Struct, links: Links | None) -> Draft[S]:
        bare = self._bare("opening", NOBODY)
        if not self.pledges.is_joint:
            return self._draft(bare, None, self.ruleset.start(position, self._dice(None)))
        events = self._by_chance(
            lambda dice: self.ruleset.start(position, dice),
            links,
            throw_digest(NOBODY, None, msgspec.UNSET),
            NOBODY,
        )
        draft = self._draft(self._with(bare, links), None, events)
        self.pledges.check_roles(self.ruleset.roles(draft.state))
        return draft

    @staticmethod
    def _refuse_gifts(*, given: bool) -> None:
        if given:
            raise MatchError(
                "nobody signs or opens links in this match; its host makes chance alone"
            )

    def objection(self, kind: Kind, role: Role, said: Statement | None = None) -> str:
        """Return why a record cannot follow what was agreed, whatever the rules say; empty when it can."""
        if self.is_revealed:
            return "the secret of this game is revealed; nothing can follow"
        problem = self.terms.objection(kind, role, said)
        if not problem and isinstance(said, Ending | Adjournment) and self.outcome is not None:
            problem = "the game is over"
        return problem

    def _refuse(self, kind: Kind, role: Role, said: Statement | None = None) -> None:
        problem = self.objection(kind, role, said)
        if problem:
            raise MatchError(problem)

    def _secret(self) -> bytes:
        secret = self.header.secret
        if secret is None:
            raise MatchError("this copy of the game does not hold the match secret")
        return secret

    def _dice(self, links: Links | None) -> DerivedDice:
        """Return the dice of the next record: from the secret alone, or from the links of all parties as well."""
        secret, seq = self._secret(), self.seq + 1
        return DerivedDice(secret if links is None else joint_seed(secret, seq, links), seq)

    def _by_chance(
        self,
        decide: Callable[[Dice], tuple[Event, ...]],
        links: Links | None,
        digest: bytes,
        role: Role,
    ) -> tuple[Event, ...]:
        """Return the events of a decision for which the parties make chance, if it needs any."""
        if links is None:
            try:
                return decide(DraftDice())
            except ChanceRevealedError:
                index, seq = self.pledges.count, self.seq + 1
                throw = Throw(index=index, seq=seq, prev=self.chain, role=role, digest=digest)
                raise LinksNeededError(throw) from None
        self.pledges.check_links(links)
        dice = self._dice(links)
        events = decide(dice)
        if not dice.is_used:
            raise MatchError(f"record {self.seq + 1} uses no chance and takes no links")
        return events

    @staticmethod
    def _with(bare: Record, links: Links | None) -> Record:
        return bare if links is None else msgspec.structs.replace(bare, links=links)

    def _bare(self, kind: Kind, role: Role) -> Record:
        """Return the next record before there is anything in it."""
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
        bare: Record,
        command: Command | None = None,
        events: Sequence[Event] = (),
        signature: bytes = b"",
    ) -> Draft[S]:
        record = build_record(self.ruleset, self._secret(), bare, command, events, signature)
        return self._folded(record)

"""The host's copy of a match whose seats deal encrypted cards. It orders everything and cannot read hands."""

from collections.abc import Sequence
from typing import Any, NoReturn

import msgspec
from typing_extensions import override

from engine.kernel.dice import ChanceRevealedError, DerivedDice, DraftDice
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from saves.chain import compute_throw_digest, record_chain
from saves.codec import Game, S
from saves.commitments import check_openings, derive_salt, is_secret_of
from saves.decoding import decode
from saves.entries import complete_entry
from saves.errors import FairPlayError, MatchError, StaleCommandError
from saves.headers import BLIND, Header
from saves.match import Match
from saves.match_replica import LogSink, PendingRecord
from saves.protocol6.cardseed import seed_commitment
from saves.protocol6.deck_protocol import DeckProtocol
from saves.protocol6.hash_chain import hash_link, public_seed
from saves.protocol6.parties import OpenedSeed, Sealed, SignedStep, Throw
from saves.protocol6.steps import KeysGiven
from saves.records import MAX_RECORD_BYTES, NOBODY, Entry, Kind, Record
from tests.saves.protocol6.program.deciding import Deciding
from tests.saves.protocol6.program.pending_command import (
    Act,
    Complete,
    PendingCommand,
    Proposal,
    Propose,
    ProposedEvent,
    RevealCard,
    StepAction,
    check_deal,
    check_proposal,
    completed_entries,
)
from tests.saves.protocol6.program.seat import unfinished


class BlindMatch(Match[S]):
    """A match that the seats decide and deal, and that the host only stores."""

    deck_protocol: DeckProtocol
    pending: PendingCommand | None = None
    """The command in progress; None between two commands."""

    def __init__(self, ruleset: Game[S], header: Header, log: LogSink | None) -> None:
        """Start with an empty copy."""
        super().__init__(ruleset, header, log)
        self.links: dict[Role, bytes] = {}
        """Links that were opened for the pending record."""
        self.seeds: dict[Role, bytes] = {}
        """Card seeds that were opened after the end."""

    @classmethod
    def prepare(cls, ruleset: Game[S], header: Header) -> "BlindMatch[S]":
        """Return a match before its opening, which is pending.

        Args:
            ruleset: The rules.
            header: The judge's header, with the secret, the position and the parties, who commit to card seeds.

        Raises:
            FairPlayError: A commitment is wrong. The error names its author.
        """
        match = cls(ruleset, msgspec.structs.replace(header, audience=BLIND), None)
        match.commitments.check_promises()
        digest = compute_throw_digest(NOBODY, None, msgspec.UNSET)
        throw = Throw(index=0, seq=0, prev=match.chain, role=NOBODY, digest=digest)
        bare = PendingCommand(
            seq=0, prev=match.chain, role=NOBODY, command=None, signature=None, throw=None
        )
        match.pending = bare
        try:
            match._propose_opening(DraftDice())
        except ChanceRevealedError:
            match.pending = msgspec.structs.replace(bare, throw=throw)
        return match

    def begin_log(self, log: LogSink) -> None:
        """Take an empty log before the opening is stored.

        Raises:
            StorageError: The log cannot be written.
        """
        assert self.seq < 0, "the match has no record yet"
        log.begin(self.header)
        self._log = log

    @classmethod
    @override
    def check_header(cls, header: Header) -> None:
        """Accept the header of a copy of a host that cannot read hands.

        Raises:
            MatchError: The header is of another kind.
        """
        if header.audience != BLIND or header.secret is None or header.position is None:
            raise MatchError("this is not the copy of a host whose seats deal the cards")
        if not is_secret_of(header, header.secret):
            raise MatchError("the secret in this file is not the one that was promised")

    # -- a command

    def begin(  # the parts of a command
        self,
        role: Role,
        command: Entry,
        signature: Entry,
        expected_seq: int,
        *,
        needs_chance: bool,
    ) -> PendingCommand:
        """Start a command as the next record.

        Raises:
            StaleCommandError: Another record came in between, or another command is under way.
            MatchError: Nothing can follow.
            FairPlayError: The signature is wrong, and everyone can see that.
        """
        if expected_seq != self.seq or self.pending is not None:
            raise StaleCommandError(expected_seq, self.seq)
        self._check_allowed("command", role)
        seq = self.seq + 1
        if command.salt is not None:
            self.commitments.check_command(role, seq, self.chain, command, signature.body or b"")
        throw = None
        if needs_chance:
            digest = compute_throw_digest(role, command, signature)
            index = self.commitments.count
            throw = Throw(index=index, seq=seq, prev=self.chain, role=role, digest=digest)
        self.pending = PendingCommand(
            seq=seq,
            prev=self.chain,
            role=role,
            command=command,
            signature=signature,
            throw=throw,
            steps=self.deck_protocol.unsettled,
        )
        return self.pending

    def open_link(self, role: Role, link: bytes) -> bool:
        """Accept a party's link for the pending record. Return whether all links are available now.

        Raises:
            FairPlayError: It is not the one that was promised.
        """
        pending = self.pending
        if pending is None or pending.is_settled or role in self.links:
            return False
        self._check_link(role, link)
        self.links[role] = link
        if len(self.links) < len(self.commitments.parties):
            return False
        links = tuple(self.links[party.role] for party in self.commitments.parties)
        self.pending = msgspec.structs.replace(pending, links=links)
        if pending.seq == 0:
            chance = DerivedDice(public_seed(self.header.match_id, 0, links), 0)
            self._propose_opening(Deciding(NOBODY, chance, (), ()))
        return True

    def _is_due(self, number: int, signed: SignedStep) -> bool:
        """Return whether a step signed for this number can come next. Repeated and late steps cannot."""
        dealt = self.deck_protocol
        step = dealt.transcript.decode_step(signed)
        if isinstance(step, KeysGiven):
            owes = any(
                owed.role == signed.author and owed.kind is KeysGiven
                for owed in dealt.table.owed_steps()
            )
            return owes and number == dealt.transcript.place(step)[0]
        return number == dealt.count

    def _check_link(self, role: Role, link: bytes) -> None:
        """Check one party's next link.

        Raises:
            FairPlayError: The link does not match the commitment, or the role is not a party.
        """
        commitments = self.commitments
        for party, last in zip(commitments.parties, commitments._last_links, strict=True):
            if party.role == role and hash_link(link) == last:
                return
        raise FairPlayError(role, f"the link of {role} is {commitments._describe_link(link)}")

    def _propose_opening(self, dice: Deciding | DraftDice) -> None:
        """Compute the opening from a spectator's knowledge.

        Raises:
            ChanceRevealedError: It needs randomness that these dice do not have.
        """
        assert self.pending is not None, "the opening is pending"
        header, game = self.header, self.ruleset
        data, secret = header.position or b"", self._secret()
        position = decode(msgspec.msgpack.Decoder(game.position_type), data, MAX_RECORD_BYTES)
        whole = game.open_game(position, DerivedDice(secret, 0))[0]
        laid_out: Any = game.redact(whole, None)
        events = game.open_game(laid_out.position, dice)
        told: list[ProposedEvent] = []
        for number, event in enumerate(events):
            keeper = game.secret_owner(event)
            if keeper is None:
                salt = derive_salt(secret, 0, number + 1)
                told.append(
                    ProposedEvent(entry=complete_entry(game, event if number else whole, salt))
                )
            else:
                told.append(unfinished(game, event, keeper))
        picks = dice.picks if isinstance(dice, Deciding) else ()
        proposal = Proposal(events=tuple(told), picks=tuple(picks))
        self.pending = msgspec.structs.replace(self.pending, proposal=proposal)

    def take(self, role: Role, act: Act) -> bool:
        """Accept a seat's act for the pending record. Return whether it changed anything.

        A repeated or late act changes nothing.

        Raises:
            FairPlayError: No honest program does this.
        """
        pending = self.pending
        if pending is None or not pending.is_settled:
            return False
        match act:
            case StepAction(number=number, signed=signed):
                if not self._is_due(number, signed):
                    return False
                check_deal(pending, signed)
                self.deck_protocol.take(signed, role)
                changed = msgspec.structs.replace(pending, steps=self.deck_protocol.unsettled)
            case Propose(proposal=proposal):
                if pending.proposal is not None or role != pending.role:
                    return False
                check_proposal(self.deck_protocol, pending, proposal)
                self._check_proposal(role, proposal)
                changed = msgspec.structs.replace(pending, proposal=proposal)
            case RevealCard(slot=slot):
                asking = pending.proposal
                if asking is None or not asking.is_asking or asking.picks[-1].owner != role:
                    return False
                found = self.deck_protocol.table.slots.get(slot)
                if found is None or not found.card:
                    self._blame(role, "shows a card that it has not opened")
                changed = msgspec.structs.replace(
                    pending, proposal=None, shown=(*pending.shown, slot)
                )
            case Complete(fill=fill):
                whole = pending.proposal
                if whole is None or role not in pending.keepers:
                    return False
                due = {at for at, told in enumerate(whole.events) if told.keeper == role}
                if fill.entries.keys() != due:
                    self._blame(role, "completes other events than its own")
                changed = msgspec.structs.replace(pending, fills={**pending.fills, role: fill})
        self.pending = changed
        return True

    def _check_proposal(self, role: Role, proposal: Proposal) -> None:
        roles = {party.role for party in self.commitments.parties}
        keepers = {told.keeper for told in proposal.events if told.keeper}
        if not keepers <= roles - {role} or any(pick.owner not in roles for pick in proposal.picks):
            self._blame(role, "proposes what others cannot complete")
        if proposal.is_asking and not proposal.picks:
            self._blame(role, "asks for no card")

    def _blame(self, role: Role, problem: str) -> NoReturn:
        raise FairPlayError(role, f"{role} {problem}")

    @property
    def is_complete(self) -> bool:
        """Return whether all parts of the next record are available."""
        pending = self.pending
        return (
            pending is not None
            and pending.proposal is not None
            and not pending.proposal.is_asking
            and not pending.keepers
            and not self.deck_protocol.table.owed_steps()
        )

    def draft_pending(self) -> PendingRecord[S]:
        """Return the draft of the pending record, which is complete.

        Raises:
            FairPlayError: No honest program creates this record.
            BrokenChainError: It cannot follow.
        """
        pending = self.pending
        assert pending is not None, "something is pending"
        assert pending.proposal is not None, "it was worked out"
        unset = msgspec.UNSET
        boxes = {role: fill.box for role, fill in pending.fills.items() if fill.box}
        if pending.proposal.box:
            boxes[pending.role] = pending.proposal.box
        sealed = tuple(
            Sealed(role=party.role, box=boxes[party.role])
            for party in self.commitments.parties
            if party.role in boxes
        )
        kind: Kind = "command" if pending.seq else "opening"
        record = msgspec.structs.replace(
            self._empty_record(kind, pending.role),
            command=pending.command,
            events=tuple(completed_entries(pending)),
            links=unset if pending.links is None else pending.links,
            signature=unset if pending.signature is None else pending.signature,
            sealed=sealed or unset,
        )
        record = msgspec.structs.replace(record, chain=record_chain(record))
        check_openings(record)
        self.commitments.check(record)
        self.deck_protocol.check(record)
        return self._draft_record(record)

    @override
    def apply(self, draft: PendingRecord[S]) -> Record:
        """Make a written draft part of the match. Nothing is pending after that."""
        record = super().apply(draft)
        if record.kind in {"command", "opening", "ending"}:
            self.pending = None
            self.links = {}
        return record

    @override
    def draft_command(self, role: Role, command: Command, *_: object) -> NoReturn:
        """Raise an error, because the seat that gives a command decides it."""
        raise MatchError("the seats of this match decide its commands")

    @override
    def _empty_record(self, kind: Kind, role: Role) -> Record:
        """Return the next record with the steps that are not in any record yet."""
        bare = super()._empty_record(kind, role)
        steps = self.deck_protocol.unsettled
        return msgspec.structs.replace(bare, steps=steps) if steps else bare

    # -- the end

    def take_seed(self, role: Role, seed: bytes) -> bool:
        """Accept a party's card seed after the end. Return whether it is new.

        Raises:
            FairPlayError: It is not the one that was promised.
        """
        party = next((party for party in self.commitments.parties if party.role == role), None)
        if self.outcome is None or party is None or role in self.seeds:
            return False
        if seed_commitment(seed) != party.cards:
            self._blame(role, "opens another card seed than it promised")
        self.seeds[role] = seed
        return True

    @property
    def unopened(self) -> Sequence[Role]:
        """Return the roles whose card seeds are missing."""
        return [party.role for party in self.commitments.parties if party.role not in self.seeds]

    @override
    def draft_reveal(self) -> PendingRecord[S]:
        """Return the draft of the reveal, with the available card seeds.

        Raises:
            MatchError: The game is still in progress, or the secret is already revealed.
        """
        draft = super().draft_reveal()
        seeds = tuple(
            OpenedSeed(role=party.role, seed=self.seeds[party.role])
            for party in self.commitments.parties
            if party.role in self.seeds
        )
        record = msgspec.structs.replace(draft.record, seeds=seeds)
        record = msgspec.structs.replace(record, chain=record_chain(record))
        return PendingRecord(record, draft.state)

"""A seat's program in a protocol 7 match: what it sends, and when it releases it.

The participant folds the transcript, tracks its own cards, and makes the messages that are due from it. It does no
networking; the caller delivers messages. Everything it signs goes through its journal, which signs one message per
slot.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from engine.kernel.dice import ChanceRevealedError, DraftDice
from engine.kernel.errors import FlagplotError, HiddenError
from engine.kernel.ruleset import Command, Event
from netplay.journal.slots import SlotJournal
from saves.codec import codec
from saves.decoding import canonical
from saves.errors import MatchError
from saves.fair.dealt_cards import DealtCards
from saves.fair.due import due, stop_objection
from saves.fair.fold import fold, fold_message
from saves.fair.messages import (
    Agree,
    AnyBody,
    Completion,
    Consent,
    End,
    Kind,
    Message,
    Mix,
    Offer,
    Open,
    Proof,
    Proposal,
    ProposedEvent,
    PublicEntry,
    Request,
    Reveal,
    Seed,
    SignedMessage,
    decode_message,
    encode_message,
)
from saves.fair.mixing import mix_challenge, respond
from saves.fair.private import BoxedEntry, PrivateCards, entry_box, hidden_commitment
from saves.fair.sealing import seal
from saves.fair.secrets import SeatSecrets
from saves.fair.state import Due, FairState, MessageRefusal, Pending
from saves.records import Record
from saves.timeline import CANNOT_FOLD

_CHOSEN: Final = frozenset({Kind.REQUEST, Kind.OFFER, Kind.CONSENT, Kind.END})
"""Kinds that the player decides on. All others follow from the transcript and the secrets."""


class Draft(NamedTuple):
    """A message before it is signed."""

    kind: Kind
    anchor: int
    body: AnyBody


class Participant:
    """One seat of a protocol 7 match."""

    def __init__(
        self, state: FairState, secrets: SeatSecrets, journal: SlotJournal | None = None
    ) -> None:
        """Join a match before its first message.

        Args:
            state: State before the first message.
            secrets: Secrets of the seat, whose commitments are in the header.
            journal: Signs the messages; None uses one that is kept only in memory.
        """
        self.state = state
        self.role: Final = secrets.role
        self._secrets = secrets
        self.journal: Final = journal or SlotJournal(state.setup.match_id, secrets.sign)
        self._made: dict[Due, SignedMessage] = {}
        """Due messages made since the last complete record."""
        kind = PrivateCards if state.setup.deals else DealtCards
        self.cards = kind(state, secrets.cards)
        self.may_open_seed = False
        """Whether every party has acknowledged the end, or the time for acknowledgements is over."""

    # -- receiving

    def receive(self, signed: SignedMessage) -> MessageRefusal | None:
        """Fold the next message of the transcript. Return the refusal if it is not valid, otherwise None."""
        before = self.state
        after = fold(before, signed)
        if isinstance(after, MessageRefusal):
            return after
        message = decode_message(before.setup.match_id, signed.data)
        self.state = after
        self.cards.follow(before, message, after)
        if after.completed is not None:
            self._made = {}
        return None

    def learn(self, record: Record) -> None:
        """Apply a complete record that a dealing host has sent to this seat, after its messages.

        Raises:
            BrokenChainError: The record does not follow from its messages, or withholds this seat's own cards.
        """
        assert isinstance(self.cards, DealtCards), "the host deals"
        self.cards.learn(record)

    # -- what the player decides

    def request(self, command: Command) -> SignedMessage:
        """Sign the message that gives a command.

        Raises:
            IllegalCommandError: The rules refuse the command.
            MatchError: The host deals and has not sent the last record yet.
        """
        if not self.cards.is_current:
            raise MatchError("the host has not sent the last record yet")
        return self._sign(Draft(Kind.REQUEST, self.state.index, self.request_body(command)))

    def request_body(self, command: Command) -> Request:
        """Return the body that :meth:`request` signs.

        Raises:
            IllegalCommandError: The rules refuse the command.
        """
        return self._request(command, uses_chance=self._uses_chance(command))

    def _uses_chance(self, command: Command) -> bool:
        """Return whether a command needs chance, judging by what this copy knows.

        If the seats deal, nothing that other seats hide can affect this. A dealing host knows the answer, and
        refuses a request that is wrong about it.
        """
        game, deals = self.state.setup.game, self.state.setup.deals
        try:
            game.judged(self.cards.state, self.role, command, DraftDice())
        except ChanceRevealedError:
            return True
        except HiddenError:
            if deals:
                raise
        return False

    def _request(self, command: Command, *, uses_chance: bool) -> Request:
        state, game = self.state, self.state.setup.game
        whole = BoxedEntry(0, *codec(game).pack(command))
        seen = game.redact_command(command, self.role, None)
        entry, box = self._entry(whole, seen, command)
        boxed = self._command_box(box)
        return Request(state.records, entry, uses_chance, boxed)

    def _command_box(self, hidden: Sequence[BoxedEntry]) -> bytes:
        """Return the box of a request, encrypted for this seat itself or for a dealing host."""
        state, secrets = self.state, self.cards.secrets
        size = state.setup.game.hidden_entry_bytes
        if state.setup.deals or not hidden:
            return entry_box(secrets, state.head, hidden, size)
        one = hidden[0]
        salt = secrets.salt(state.head, one.place, one.tag, one.v, one.body)
        return seal(secrets, state.setup.dealer_key, state.head, (salt, canonical(one)), size)

    def offer(self, offer: Offer) -> SignedMessage:
        """Sign the message that makes an offer."""
        return self._sign(Draft(Kind.OFFER, self.state.index, offer))

    def consent(self, *, agrees: bool) -> SignedMessage:
        """Sign the message that answers the open offer."""
        return self._sign(Draft(Kind.CONSENT, self.state.offer_at, Consent(agrees)))

    def resign(self) -> SignedMessage:
        """Sign the message that resigns for this seat."""
        return self._sign(Draft(Kind.END, self.state.index, End("resigned", self.role)))

    def stop(self) -> SignedMessage:
        """Sign the message that ends a match because other seats do not answer.

        Raises:
            MatchError: The match waits for this seat or for no seat, or has no time limit for answers.
        """
        problem = stop_objection(self.state, self.role)
        if problem:
            raise MatchError(problem)
        return self._sign(Draft(Kind.END, self.state.index, End("stopped", self.role)))

    # -- what is due

    def due_messages(self) -> tuple[SignedMessage, ...]:
        """Return the messages that are due from this seat and that it may release now.

        Raises:
            SlotUsedError: A message differs from the one signed before for its slot.
            StorageError: The journal cannot be written. Nothing may be sent.
        """
        wanted = [one for one in due(self.state) if one.author == self.role]
        bodies = {one: self._body(one) for one in wanted if one not in self._made}
        drafts = {
            one: Draft(one.kind, one.anchor, body)
            for one, body in bodies.items()
            if body is not None
        }
        signed = self.journal.sign_once([self._data(draft) for draft in drafts.values()])
        self._made.update(zip(drafts, signed, strict=True))
        return tuple(self._made[one] for one in wanted if one in self._made)

    def unanswered(self) -> tuple[SignedMessage, ...]:
        """Return the player's decisions that the host has not indexed yet, to be sent again unchanged.

        Raises:
            StorageError: The journal cannot be written. Nothing may be sent.
        """
        state = self.state
        valid = []
        # The state keeps no hashes of older anchors.
        for data in self.journal.signed_from(state.first_hash):
            message = decode_message(state.setup.match_id, data)
            is_here = state.hash_at(message.anchor) == message.anchor_hash
            if message.kind in _CHOSEN and is_here:
                after = fold_message(state, message, data)
                if not isinstance(after, MessageRefusal):
                    valid.append(data)
        return self.journal.sign_once(valid) if valid else ()

    def recomputes(self, message: Message) -> bool:
        """Return whether this seat would sign the same message in the current state.

        For a decision of the player, it must be possible: the box of a hidden command opens and matches.
        """
        try:
            if message.kind in _CHOSEN:
                return not isinstance(message.body, Request) or self._fits(message)
            if isinstance(message.body, Seed):
                return message.body.seed == self._secrets.card_seed
            own = (one for one in due(self.state) if one.author == self.role)
            alike = (one for one in own if (one.kind, one.anchor) == (message.kind, message.anchor))
            return any(self._body(one) == message.body for one in alike)
        except (FlagplotError, *CANNOT_FOLD):
            return False

    def _fits(self, message: Message) -> bool:
        """Return whether the current state, the seat's box and its copy produce the same request."""
        body, state = message.body, self.state
        assert isinstance(body, Request), "decoded by kind"
        pending = Pending(
            number=state.records,
            actor=self.role,
            request=body,
            request_anchor=message.anchor_hash,
        )
        command, uses_chance = self.cards.command(state, pending), body.uses_chance
        if self.cards.is_current:
            uses_chance = self._uses_chance(command)
        return self._request(command, uses_chance=uses_chance) == body

    def _body(self, wanted: Due) -> AnyBody | None:
        """Return the body of a message that is due; None if it must wait for the player or for others."""
        match wanted.kind:
            case Kind.AGREE:
                return Agree(self.state.setup.header_hash)
            case Kind.REVEAL:
                return self._reveal()
            case Kind.MIX:
                return self._mix(wanted)
            case Kind.PROOF:
                return self._proof(wanted)
            case Kind.OPEN:
                return self._open(wanted)
            case Kind.PROPOSAL:
                return self._propose()
            case Kind.COMPLETION:
                return self._complete(wanted)
            case Kind.SEED:
                return Seed(self._secrets.card_seed) if self.may_open_seed else None
            case _:
                return None

    def _sign(self, draft: Draft) -> SignedMessage:
        """Sign a decision of the player.

        Raises:
            MatchError: Every copy would refuse it and name this seat, for example an offer beyond the limit.
            FlagplotError: As for :meth:`SlotJournal.sign_once`.
        """
        data = self._data(draft)
        message = decode_message(self.state.setup.match_id, data)
        outcome = fold_message(self.state, message, data)
        if isinstance(outcome, MessageRefusal) and not outcome.is_due_fault:
            raise MatchError(outcome.problem)
        return self.journal.sign_once([data])[0]

    def _data(self, draft: Draft) -> bytes:
        anchor_hash = self.state.hash_at(draft.anchor)
        assert anchor_hash is not None, "a due message has an anchor"
        message = Message(
            kind=draft.kind,
            anchor=draft.anchor,
            anchor_hash=anchor_hash,
            author=self.role,
            body=draft.body,
        )
        return encode_message(self.state.setup.match_id, message)

    def _reveal(self) -> Reveal:
        pending = self._pending
        number = self.state.throws - 1 if pending.reveals else self.state.throws
        return Reveal(number, self._secrets.reveal(number))

    def _mix(self, wanted: Due) -> Mix:
        name = wanted.item.partition("/")[2]
        pile = self.state.table.pile(self.role, name)
        mix = self.cards.mix(self.state, pile, wanted.anchor)
        inputs = tuple(sorted(label.number for label in pile.labels))
        return Mix(self.role, name, inputs, mix.outputs, mix.shadow_hashes)

    def _proof(self, wanted: Due) -> Proof:
        state, first = self.state, int(wanted.item)
        mix = next(mix for mix in state.unproven if mix.owner == self.role and mix.first == first)
        challenge = mix_challenge(
            state.setup.header_hash, mix.throw, self.role, self.role, mix.pile, state.challenge
        )
        responses = respond(self.cards.mixes[first], challenge)
        packed = (one if isinstance(one, bytes) else canonical(one) for one in responses)
        return Proof(self.role, first, tuple(packed))

    def _open(self, wanted: Due) -> Open | None:
        if wanted.item.startswith("#"):
            found = self.state.table.find(self.role, int(wanted.item[1:]))
        else:
            found = self.cards.label_of(self.state, wanted.item)
        if found is None:
            return None
        label = found[1]
        card = self.cards.face_of(self.role, label)
        return Open(label.number, card, self.cards.blinding_of(label))

    # -- proposals

    @property
    def _pending(self) -> Pending:
        assert self.state.pending is not None, "a record is pending"
        return self.state.pending

    def _propose(self) -> Proposal:
        state, pending, game = self.state, self._pending, self.state.setup.game
        plan = self.cards.plan(state)
        entries = list[ProposedEvent]()
        boxed: list[BoxedEntry] = []
        for number, event in enumerate(plan.events, len(pending.events)):
            proposed, hidden = self._proposed(number, event)
            entries.append(proposed)
            boxed += hidden
        return Proposal(
            events=tuple(entries),
            uses=tuple(known.use for known in plan.uses),
            moves=plan.labels_moved,
            status=plan.status,
            wanted=plan.wanted if plan.status == "stage" else None,
            box=entry_box(self.cards.secrets, state.head, boxed, game.hidden_entry_bytes),
        )

    def _proposed(self, number: int, event: Event) -> tuple[ProposedEvent, list[BoxedEntry]]:
        game = self.state.setup.game
        owner = game.keeper(event)
        seen = game.redact(event, None)
        if owner not in {None, self.role}:
            assert seen is not None, "an event that another seat completes has a public form"
            return ProposedEvent(PublicEntry(*codec(game).pack(seen)), owner), []
        whole = BoxedEntry(number + 1, *codec(game).pack(event))
        entry, boxed = self._entry(whole, seen, event)
        return ProposedEvent(entry), boxed

    def _entry(
        self, whole: BoxedEntry, seen: Command | Event | None, item: Command | Event
    ) -> tuple[PublicEntry, list[BoxedEntry]]:
        """Return the public form of an entry, and what belongs in the box."""
        if seen == item:
            return PublicEntry(whole.tag, whole.v, whole.body), []
        assert seen is not None, "the kinds of commands and events are public in a fair match"
        commitment = hidden_commitment(self.cards.secrets, self.state.head, whole)
        return PublicEntry(*codec(self.state.setup.game).pack(seen), commitment), [whole]

    # -- completions

    def _complete(self, wanted: Due) -> Completion:
        state, game = self.state, self.state.setup.game
        anchor_hash = state.hash_at(wanted.anchor)
        assert anchor_hash is not None, "a due message has an anchor"
        events, moves = self.cards.completed(state)
        commitments: list[tuple[int, bytes]] = []
        boxed: list[BoxedEntry] = []
        for number, event in events.items():
            commitment, hidden = self._completed(number, event, anchor_hash)
            commitments.append((number, commitment))
            boxed += hidden
        box = entry_box(self.cards.secrets, anchor_hash, boxed, game.hidden_entry_bytes)
        return Completion(tuple(commitments), moves, box)

    def _completed(
        self, number: int, event: Event, anchor_hash: bytes
    ) -> tuple[bytes, list[BoxedEntry]]:
        game = self.state.setup.game
        if game.redact(event, None) == event:
            return b"", []
        whole = BoxedEntry(number + 1, *codec(game).pack(event))
        return hidden_commitment(self.cards.secrets, anchor_hash, whole), [whole]

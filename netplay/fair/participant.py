"""Decides which messages a seat sends in a protocol 7 match, and when.

The participant folds the transcript, tracks its own cards, and creates its own due messages. The participant does no
networking: the caller delivers the messages. The journal signs all messages, but only one per slot.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from engine.kernel.errors import FlagplotError, HiddenError
from engine.kernel.ruleset import Command, Event
from netplay.journal.slots import SlotJournal
from saves.codec import codec
from saves.decoding import canonical
from saves.errors import MatchError
from saves.fair.dealt_cards import DealtCards
from saves.fair.due_messages import due_messages, early_stop_objection, stop_objection
from saves.fair.fold import Outcome, fold, fold_message
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
from saves.fair.private_cards import BoxedEntry, PrivateCards, entry_box, hidden_commitment
from saves.fair.sealing import seal
from saves.fair.secrets import SeatSecrets
from saves.fair.state import DueMessage, FairState, MessageRefusal, Pending, TranscriptPhase
from saves.fair.verification_cache import verify_signature_once
from saves.records import Record
from saves.timeline import FOLD_ERRORS

_DECISIONS: Final = frozenset({Kind.REQUEST, Kind.OFFER, Kind.CONSENT, Kind.END})
"""Message kinds that depend on a decision by the player. The transcript and the secrets determine all other kinds."""
_SENT_EARLY: Final = frozenset({Kind.OPEN, Kind.PROPOSAL})
"""Message kinds that a seat may sign before the host has indexed the seat's previous message."""

_OFFER_OPEN: Final = (
    "another offer is still open; it lapses when a player declines it, or with the next command"
)


class MessageDraft(NamedTuple):
    """A message before it is signed."""

    kind: Kind
    anchor: int
    body: AnyBody


class Participant:
    """One seat in a protocol 7 match."""

    def __init__(
        self, state: FairState, secrets: SeatSecrets, journal: SlotJournal | None = None
    ) -> None:
        """Join a match before its first message.

        Args:
            state: The state before the first message.
            secrets: The seat's secrets. The header contains the commitments to these secrets.
            journal: The journal that signs the messages; None for a journal in memory.
        """
        self.state = state
        self.role: Final = secrets.role
        self._secrets = secrets
        self.journal: Final = journal or SlotJournal(state.setup.match_id, secrets.sign)
        self._signed_due: dict[DueMessage, SignedMessage] = {}
        """The due messages created since the last complete record."""
        self._ahead: tuple[FairState, tuple[SignedMessage, ...]] = state, ()
        """The messages last signed ahead of time, with the state at that moment (see ``_early_messages``)."""
        self._fold_cache: dict[bytes, tuple[FairState, FairState]] = {}
        """The states before and after each folded message of this seat, so that none is folded twice."""
        cards_class = PrivateCards if state.setup.deals else DealtCards
        self.cards = cards_class(state, secrets.cards)
        self.may_open_seed = False
        """True if every party has acknowledged that the match is over, or if the time for acknowledgements has passed.
        """

    # -- receiving

    def receive(self, signed: SignedMessage) -> MessageRefusal | None:
        """Fold the next message in the transcript. Return a refusal if the message is invalid, otherwise None."""
        before = self.state
        after = self._fold(signed)
        if isinstance(after, MessageRefusal):
            return after
        message = decode_message(before.setup.match_id, signed.data)
        self.state = after
        self.cards.follow(before, message, after)
        if after.completed is not None:
            self._signed_due = {}
            self._fold_cache = {}
        return None

    def _fold(self, signed: SignedMessage) -> Outcome:
        """Fold a message. If this seat signed it and has already folded it in this state, reuse the outcome."""
        before, after = self._fold_cache.get(signed.data, (None, None))
        # The cached outcome is valid only for the same state object, because another message may
        # have been indexed since.
        if before is self.state and after is not None and self._is_own(signed):
            return after
        return fold(self.state, signed)

    def _is_own(self, signed: SignedMessage) -> bool:
        return verify_signature_once(self._secrets.verify_key, signed.data, signed.signature)

    def apply_record(self, record: Record) -> None:
        """Apply a complete record that a host that deals sent to this seat, after the record's messages.

        Raises:
            BrokenChainError: The record does not match its messages, or hides this seat's own cards.
        """
        assert isinstance(self.cards, DealtCards), "the host must deal"
        self.cards.apply_record(record)

    # -- the player's decisions

    def sign_command(self, command: Command) -> tuple[SignedMessage, ...]:
        """Sign the request for a command and, if possible, the proposal. Both must be sent in one batch.

        The proposal is included if every copy can compute it from the request, so that it reveals nothing new. If the
        host indexes another message first, the proposal's slot stays used. This does no harm: the other message can
        only be an offer, another seat's command, or the end of the match. The seat would need the slot only to give a
        command while an offer is open, and it can answer the offer instead.

        Raises:
            IllegalCommandError: The rules do not allow the command.
            MatchError: The host deals and has not sent the last record yet.
        """
        data, after = self._check_decision(self._request_draft(command))
        proposal = self._predictable_proposal(after) if isinstance(after, FairState) else None
        if isinstance(after, FairState):
            self._fold_cache[data] = self.state, after
        return self.journal.sign_once([data] if proposal is None else [data, proposal])

    def _request_draft(self, command: Command) -> MessageDraft:
        if not self.cards.is_current:
            raise MatchError("the host has not sent the last record yet")
        return MessageDraft(Kind.REQUEST, self.state.index, self.request_body(command))

    def _predictable_proposal(self, after: FairState) -> bytes | None:
        """Return the proposal for a public command, or None if the proposal would reveal more than the request.

        Every copy can compute a returned proposal from the request. A proposal that names labels reveals more, because
        the request does not say which label a card has. The result is also None while an offer is open. Otherwise, a
        late answer to the offer could be indexed first, and the seat would have no free slot.

        Args:
            after: The state after the request.
        """
        pending = after.pending
        assert pending is not None, "the request must have made a record pending"
        assert pending.request is not None, "the pending record must have a request"
        is_next = (
            after.phase is TranscriptPhase.RESOLVE
            and not pending.uses_chance
            and not due_messages(after)[1:]
        )
        is_hidden = bool(pending.request.command.commitment)
        if (
            self.state.phase is not TranscriptPhase.IDLE
            or not after.setup.deals
            or not is_next
            or is_hidden
        ):
            return None
        body = self._due_body(due_messages(after)[0], after)
        assert isinstance(body, Proposal), "a proposal must be due"
        data = self._encode(MessageDraft(Kind.PROPOSAL, after.index, body), after)
        outcome = fold_message(after, decode_message(after.setup.match_id, data), data)
        # A refusal means that this seat's result differs from the result in the other copies.
        if body.moves or isinstance(outcome, MessageRefusal):
            return None
        resolved = outcome.completed or outcome.pending
        if resolved is None or not resolved.is_public:
            return None
        self._fold_cache[data] = after, outcome
        return data

    def request_body(self, command: Command) -> Request:
        """Build the body of the request for a command.

        Raises:
            IllegalCommandError: The rules do not allow the command.
        """
        return self._build_request(command, uses_chance=self._uses_chance(command))

    def _uses_chance(self, command: Command) -> bool:
        """Return whether a command involves chance, as far as this copy can tell.

        If the seats deal, hidden information cannot affect the result. If the host deals, the host knows the answer and
        refuses a request with the wrong value.
        """
        setup = self.state.setup
        try:
            return self.cards.uses_chance(setup.game, command)
        except HiddenError:
            if setup.deals:
                raise
            return False

    def _build_request(self, command: Command, *, uses_chance: bool) -> Request:
        state, game = self.state, self.state.setup.game
        full_entry = BoxedEntry(0, *codec(game).pack(command))
        redacted = game.redact_command(command, self.role, None)
        entry, box = self._entry(full_entry, redacted, command, state.head)
        encrypted_box = self._command_box(box)
        return Request(state.records, entry, uses_chance, encrypted_box)

    def _command_box(self, hidden_entries: Sequence[BoxedEntry]) -> bytes:
        """Encrypt a request's hidden entries for the host if it deals, otherwise for this seat itself."""
        state, secrets = self.state, self.cards.secrets
        size = state.setup.game.hidden_entry_bytes
        if state.setup.deals or not hidden_entries:
            return entry_box(secrets, state.head, hidden_entries, size)
        entry = hidden_entries[0]
        salt = secrets.salt(state.head, entry.place, entry.tag, entry.v, entry.body)
        return seal(secrets, state.setup.dealer_key, state.head, (salt, canonical(entry)), size)

    def sign_offer(self, offer: Offer) -> SignedMessage:
        """Sign this seat's offer.

        Raises:
            MatchError: Another offer is open, or every copy would refuse this one.
        """
        # Every copy would refuse the offer, but it would use the slot of the seat's next command.
        if self.state.phase is TranscriptPhase.CONSENT:
            raise MatchError(_OFFER_OPEN)
        return self._sign(MessageDraft(Kind.OFFER, self.state.index, offer))

    def sign_consent(self, *, agrees: bool) -> SignedMessage:
        """Sign this seat's answer to the open offer."""
        return self._sign(MessageDraft(Kind.CONSENT, self.state.offer_at, Consent(agrees)))

    def sign_resignation(self) -> SignedMessage:
        """Sign this seat's resignation."""
        return self._sign(MessageDraft(Kind.END, self.state.index, End("resigned", self.role)))

    def sign_stop(self, *, is_time_over: bool) -> SignedMessage:
        """Sign a message that ends the match because other seats do not respond.

        Args:
            is_time_over: True if the host reports that the others have exceeded the response time limit. Otherwise, the
                host would refuse the message, and its slot could not be used for a resignation.

        Raises:
            MatchError: The match is not waiting for another seat, has no response time limit, or the others still have
                time.
        """
        problem = stop_objection(self.state, self.role)
        if not problem and not is_time_over:
            problem = early_stop_objection(self.state, self.role)
        if problem:
            raise MatchError(problem)
        return self._sign(MessageDraft(Kind.END, self.state.index, End("stopped", self.role)))

    # -- due messages

    def due_messages(self) -> tuple[SignedMessage, ...]:
        """Return the due messages that this seat may release now, and the messages that must follow them.

        Raises:
            SlotUsedError: A message differs from the message already signed for its slot.
            StorageError: The journal cannot be written. The caller must not send anything.
        """
        state = self.state
        own_due = [
            due_message for due_message in due_messages(state) if due_message.author == self.role
        ]
        encoded = self._encode_due(
            state, [due_message for due_message in own_due if due_message not in self._signed_due]
        )
        # All messages are signed in one call, so the journal is written and synced only once.
        early_messages = self._early_messages(state, [*encoded.values()])
        signed = self.journal.sign_once([*encoded.values(), *early_messages])
        self._signed_due.update(zip(encoded, signed, strict=False))
        if encoded:
            self._ahead = state, signed[len(encoded) :]
        early_signed = self._ahead[1] if self._ahead[0] is state else ()
        return (
            *(
                self._signed_due[due_message]
                for due_message in own_due
                if due_message in self._signed_due
            ),
            *early_signed,
        )

    def _encode_due(
        self, state: FairState, requested: Sequence[DueMessage]
    ) -> dict[DueMessage, bytes]:
        """Return the messages due from this seat in the given state, without those that cannot be created yet."""
        bodies = ((due_message, self._due_body(due_message, state)) for due_message in requested)
        return {
            due_message: self._encode(
                MessageDraft(due_message.kind, due_message.anchor, body), state
            )
            for due_message, body in bodies
            if body is not None
        }

    def _early_messages(self, state: FairState, encoded: Sequence[bytes]) -> list[bytes]:
        """Return the messages that this seat can already sign ahead, to be sent in one batch with its due message.

        While this seat's message is the only one due, nothing except the end of the match can be indexed before it. The
        host therefore cannot make the seat sign another message for the same slot.
        """
        early_messages: list[bytes] = []
        while (
            len(encoded) == 1
            and len(next_due := due_messages(state)) == 1
            and next_due[0].kind in _SENT_EARLY
        ):
            message = decode_message(state.setup.match_id, encoded[0])
            after = fold_message(state, message, encoded[0])
            if isinstance(after, MessageRefusal):
                break  # the host will refuse this message too
            self._fold_cache[encoded[0]] = state, after
            state = after
            next_due = tuple(
                due_message
                for due_message in due_messages(state)
                if due_message.author == self.role
            )
            own_due = [due_message for due_message in next_due if due_message.kind in _SENT_EARLY]
            try:
                encoded = [*self._encode_due(state, own_due).values()]
            except (FlagplotError, *FOLD_ERRORS):
                break  # if the problem persists, the error is raised again when the message is due
            early_messages += encoded
        return early_messages

    def unanswered_decisions(self) -> tuple[SignedMessage, ...]:
        """Return the player's decisions that the host has not indexed yet. They are sent again unchanged.

        A stop is not sent again. If the host has refused it, the others may still have time, so the player must decide
        again.

        Raises:
            StorageError: The journal cannot be written. The caller must not send anything.
        """
        state = self.state
        still_valid = []
        # Decisions with older anchors cannot be checked, because the state does not store the
        # hashes of older messages.
        for data in self.journal.signed_from(state.first_hash):
            message = decode_message(state.setup.match_id, data)
            is_on_branch = state.hash_at(message.anchor) == message.anchor_hash
            is_stop = isinstance(message.body, End) and message.body.reason == "stopped"
            if message.kind in _DECISIONS and is_on_branch and not is_stop:
                after = fold_message(state, message, data)
                if not isinstance(after, MessageRefusal):
                    still_valid.append(data)
        return self.journal.sign_once(still_valid) if still_valid else ()

    def would_sign(self, message: Message) -> bool:
        """Return whether this seat, in its current state, would sign this message again.

        For a player's decision, it is enough that the decision is possible. If the command is hidden, its box must open
        and match the request.
        """
        try:
            if message.kind in _DECISIONS:
                return not isinstance(message.body, Request) or self._would_sign_request(message)
            if isinstance(message.body, Seed):
                return message.body.seed == self._secrets.card_seed
            own_due = (
                due_message
                for due_message in due_messages(self.state)
                if due_message.author == self.role
            )
            candidates = (
                due_message
                for due_message in own_due
                if (due_message.kind, due_message.anchor) == (message.kind, message.anchor)
            )
            return any(
                self._due_body(due_message, self.state) == message.body
                for due_message in candidates
            )
        except (FlagplotError, *FOLD_ERRORS):
            return False

    def _would_sign_request(self, message: Message) -> bool:
        """Return whether the command in the box leads to the same request in the current state."""
        body, state = message.body, self.state
        assert isinstance(body, Request), "the body must match the message's kind"
        pending = Pending(
            number=state.records,
            actor=self.role,
            request=body,
            request_anchor=message.anchor_hash,
        )
        command, uses_chance = self.cards.pending_command(state, pending), body.uses_chance
        if self.cards.is_current:
            uses_chance = self._uses_chance(command)
        return self._build_request(command, uses_chance=uses_chance) == body

    def _due_body(self, due_message: DueMessage, state: FairState) -> AnyBody | None:
        """Return the body of a message that is due in the given state; None if a player or another seat must act first.

        For a state other than the current one, only message kinds that may be sent ahead can be created.
        """
        assert state is self.state or due_message.kind in _SENT_EARLY, (
            "only messages sent ahead may be created for a later state"
        )
        match due_message.kind:
            case Kind.AGREE:
                return Agree(self.state.setup.header_hash)
            case Kind.REVEAL:
                return self._reveal_body()
            case Kind.MIX:
                return self._mix_body(due_message)
            case Kind.PROOF:
                return self._proof_body(due_message)
            case Kind.OPEN:
                return self._open_body(state, due_message)
            case Kind.PROPOSAL:
                return self._proposal_body(state)
            case Kind.COMPLETION:
                return self._completion_body(due_message)
            case Kind.SEED:
                return Seed(self._secrets.card_seed) if self.may_open_seed else None
            case _:
                return None

    def _sign(self, draft: MessageDraft) -> SignedMessage:
        """Sign one of the player's decisions.

        Raises:
            MatchError: Every copy would refuse the message and blame this seat, for example because the seat has made
                too many offers.
            FlagplotError: The message cannot be signed. See :meth:`SlotJournal.sign_once`.
        """
        return self.journal.sign_once([self._check_decision(draft)[0]])[0]

    def _check_decision(self, draft: MessageDraft) -> tuple[bytes, Outcome]:
        """Encode the message for a player's decision, fold it, and return both results.

        Raises:
            MatchError: Every copy would refuse the message and blame this seat.
        """
        data = self._encode(draft, self.state)
        message = decode_message(self.state.setup.match_id, data)
        outcome = fold_message(self.state, message, data)
        # A message that is merely not due is never evidence against its author, so it may be
        # signed.
        if isinstance(outcome, MessageRefusal) and not outcome.is_due_fault:
            raise MatchError(outcome.problem)
        return data, outcome

    def _encode(self, draft: MessageDraft, state: FairState) -> bytes:
        anchor_hash = state.hash_at(draft.anchor)
        assert anchor_hash is not None, "the message's anchor must be known"
        message = Message(
            kind=draft.kind,
            anchor=draft.anchor,
            anchor_hash=anchor_hash,
            author=self.role,
            body=draft.body,
        )
        return encode_message(state.setup.match_id, message)

    def _reveal_body(self) -> Reveal:
        pending = self._pending
        number = self.state.throws - 1 if pending.reveals else self.state.throws
        return Reveal(number, self._secrets.reveal(number))

    def _mix_body(self, due_message: DueMessage) -> Mix:
        name = due_message.item.partition("/")[2]
        pile = self.state.table.pile(self.role, name)
        mix = self.cards.mix(self.state, pile, due_message.anchor)
        inputs = tuple(sorted(label.number for label in pile.labels))
        return Mix(self.role, name, inputs, mix.outputs, mix.shadow_hashes)

    def _proof_body(self, due_message: DueMessage) -> Proof:
        state, first_label = self.state, int(due_message.item)
        mix = next(
            mix for mix in state.unproven if mix.owner == self.role and mix.first == first_label
        )
        challenge = mix_challenge(
            state.setup.header_hash, mix.throw, self.role, self.role, mix.pile, state.challenge
        )
        responses = respond(self.cards.mixes[first_label], challenge)
        packed_responses = (
            response if isinstance(response, bytes) else canonical(response)
            for response in responses
        )
        return Proof(self.role, first_label, tuple(packed_responses))

    def _open_body(self, state: FairState, due_message: DueMessage) -> Open | None:
        if due_message.item.startswith("#"):
            location = state.table.find(self.role, int(due_message.item[1:]))
        else:
            location = self.cards.label_of(state, due_message.item)
        if location is None:
            return None
        label = location[1]
        card = self.cards.face_of(self.role, label)
        return Open(label.number, card, self.cards.blinding_of(label))

    # -- proposals

    @property
    def _pending(self) -> Pending:
        assert self.state.pending is not None, "a record must be pending"
        return self.state.pending

    def _proposal_body(self, state: FairState) -> Proposal:
        """Build the due proposal for the current state, or for the state after this seat's early messages."""
        pending, game = state.pending, state.setup.game
        assert pending is not None, "a record must be pending"
        plan = self.cards.resolve_pending(state)
        entries = list[ProposedEvent]()
        boxed_entries: list[BoxedEntry] = []
        for number, event in enumerate(plan.events, len(pending.events)):
            proposed, hidden_entries = self._proposed_event(number, event, state.head)
            entries.append(proposed)
            boxed_entries += hidden_entries
        return Proposal(
            events=tuple(entries),
            uses=tuple(known_use.use for known_use in plan.uses),
            moves=plan.message_moves,
            status=plan.status,
            wanted=plan.wanted if plan.status == "stage" else None,
            box=entry_box(self.cards.secrets, state.head, boxed_entries, game.hidden_entry_bytes),
        )

    def _proposed_event(
        self, number: int, event: Event, head: bytes
    ) -> tuple[ProposedEvent, list[BoxedEntry]]:
        game = self.state.setup.game
        owner = game.secret_owner(event)
        redacted = game.redact(event, None)
        if owner not in {None, self.role}:
            assert redacted is not None, (
                "an event completed by another seat must have a public form"
            )
            return ProposedEvent(PublicEntry(*codec(game).pack(redacted)), owner), []
        full_entry = BoxedEntry(number + 1, *codec(game).pack(event))
        entry, boxed_entries = self._entry(full_entry, redacted, event, head)
        return ProposedEvent(entry), boxed_entries

    def _entry(
        self,
        full_entry: BoxedEntry,
        redacted: Command | Event | None,
        item: Command | Event,
        head: bytes,
    ) -> tuple[PublicEntry, list[BoxedEntry]]:
        """Return the public form of a command or event and, if that hides something, the full entry for the box."""
        if redacted == item:
            return PublicEntry(full_entry.tag, full_entry.v, full_entry.body), []
        assert redacted is not None, "the kind must be public in a fair match"
        commitment = hidden_commitment(self.cards.secrets, head, full_entry)
        return PublicEntry(*codec(self.state.setup.game).pack(redacted), commitment), [full_entry]

    # -- completions

    def _completion_body(self, due_message: DueMessage) -> Completion:
        state, game = self.state, self.state.setup.game
        anchor_hash = state.hash_at(due_message.anchor)
        assert anchor_hash is not None, "the message's anchor must be known"
        events, moves = self.cards.completed_events(state)
        commitments: list[tuple[int, bytes]] = []
        boxed_entries: list[BoxedEntry] = []
        for number, event in events.items():
            commitment, hidden_entries = self._completed_event(number, event, anchor_hash)
            commitments.append((number, commitment))
            boxed_entries += hidden_entries
        box = entry_box(self.cards.secrets, anchor_hash, boxed_entries, game.hidden_entry_bytes)
        return Completion(tuple(commitments), moves, box)

    def _completed_event(
        self, number: int, event: Event, anchor_hash: bytes
    ) -> tuple[bytes, list[BoxedEntry]]:
        game = self.state.setup.game
        if game.redact(event, None) == event:
            return b"", []
        full_entry = BoxedEntry(number + 1, *codec(game).pack(event))
        return hidden_commitment(self.cards.secrets, anchor_hash, full_entry), [full_entry]

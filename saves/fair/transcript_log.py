"""Stores one copy's transcript, folds its messages, and derives records from them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec

from engine.kernel.ids import Role
from saves.codec import AnyGame, codec
from saves.decoding import canonical
from saves.entries import record_statement
from saves.errors import BrokenChainError, FairPlayError, UnreadableError
from saves.fair.fold import fold, initial_fair_state, next_hash
from saves.fair.messages import (
    HOST,
    MAX_MESSAGE_BYTES,
    SEQUENTIAL,
    AnyBody,
    Close,
    Completion,
    Consent,
    End,
    Kind,
    Message,
    Offer,
    Proposal,
    ProposedEvent,
    PublicEntry,
    Request,
    Seed,
    SignedMessage,
    decode_body,
    decode_message,
    encode_message,
)
from saves.fair.opening import setup_event
from saves.fair.secrets import SALT_BYTES, entry_commitment, verify_signature
from saves.fair.segments import Segment, StoredMessage
from saves.fair.setup import NO_SECRET
from saves.fair.signed_texts import order_message
from saves.fair.state import FairState, MatchSetup, MessageRefusal, Pending, TranscriptPhase
from saves.fair.verification_cache import verify_signature_once
from saves.protocol6.parties import OpenedSeed
from saves.records import HASH_BYTES, Entry, Record
from saves.statements import Adjournment, Ending, Statement

PUBLIC_SALT: Final = bytes(SALT_BYTES)
"""The salt of every public entry."""
_ELIDED: Final = PublicEntry("-", 0, b"")
"""Replaces an entry in a stored message if the record itself contains the entry. No real entry has this tag."""
_OTHER_COMMAND: Final = "it is not the command in its messages"
_NO_MESSAGES: Final = "the messages for this record are missing or say something else"
_FINAL: Final = frozenset({"ending", "reveal"})
_WITHOUT_MESSAGES: Final = frozenset({"remark", "resumption", "clock"})
"""Kinds of records that the host adds without messages. No seat signs such records, and they never affect the game."""
Listener = Callable[[FairState, Message, FairState], None]


class TranscriptLog:
    """A copy's folded transcript, and the messages since the last record."""

    def __init__(self, setup: MatchSetup) -> None:
        """Start with the state before the first message."""
        self.setup: Final = setup
        self.state = initial_fair_state(setup)
        self.segment: list[SignedMessage] = []
        """Messages since the last record that contains messages."""
        self.hashes = {self.state.index: self.state.head}
        """Transcript hashes keyed by message index, starting with the last message before the segment."""
        self.records: list[int] = []
        """File numbers of the records that have messages, in order."""
        self._is_past_record = False
        """True if messages have been added after the message that completes the next record."""
        self.listeners: list[Listener] = []
        """Functions to call with each accepted message and the states before and after it."""
        self._checked_segment: Segment | None = None
        """The next record's messages after they have been checked; otherwise None.

        The messages are the same in a record's redacted and complete forms, so they need no second check.
        """

    def add(self, signed: SignedMessage) -> MessageRefusal | None:
        """Fold and add the next message. Return a refusal if the message is not valid, otherwise None."""
        after = fold(self.state, signed)
        if isinstance(after, MessageRefusal):
            return after
        self.add_folded(signed, after)
        return None

    def add_folded(self, signed: SignedMessage, after: FairState) -> None:
        """Add the next message, which the caller has already folded.

        Args:
            signed: The message.
            after: The result of :func:`fold` for this message and :attr:`state`.
        """
        # The flag must be updated first, because only the state before this message shows whether
        # the record was already complete.
        self._is_past_record |= bool(self.segment) and self.is_complete
        before, self.state = self.state, after
        self._checked_segment = None
        self.segment.append(signed)
        self.hashes[after.index] = after.head
        message = decode_message(self.setup.match_id, signed.data)
        for listener in self.listeners:
            listener(before, message, after)

    # -- records

    @property
    def is_complete(self) -> bool:
        """Return whether the messages since the last record make up a complete new record."""
        state = self.state
        return state.completed is not None or (bool(self.segment) and completes_record(state))

    @property
    def is_past_record(self) -> bool:
        """Return whether messages have been added after the message that completes the next record."""
        return self._is_past_record

    def receive(self, record: Record) -> None:
        """Check a record with :meth:`check`, then begin a new segment."""
        self.check(record)
        self.begin_segment(record)

    def check(self, record: Record) -> None:
        """Fold a record's new messages, and check that the record matches its messages.

        For the host's records without messages, such as remarks, only the kind is checked here. Later calls for the
        same record recheck only its content, which changes when a seat completes its hidden entries.

        Raises:
            FairPlayError: A message is invalid, or differs from a message already folded; the error names the author.
            BrokenChainError: The record does not match its messages.
        """
        if record.transcript is msgspec.UNSET:
            check_without_messages(record)
            return
        if record.transcript is not self._checked_segment:
            self._follow_record(record)
            self._checked_segment = record.transcript
        self.check_content(record)

    def _follow_record(self, record: Record) -> None:
        """Fold a record's new messages, and check the host's signature over them."""
        known_count, messages = len(self.segment), self.restore_messages(record)
        # The seat has already acted on the messages that it received, so the record must begin
        # with the same messages.
        if messages[:known_count] != self.segment:
            raise FairPlayError(
                HOST, f"the messages in record {record.seq} are not the ones that were sent"
            )
        for signed in messages[known_count:]:
            refusal = self.add(signed)
            if refusal is not None:
                author = HOST if refusal.is_due_fault else refusal.author
                raise FairPlayError(author, refusal.problem)
        check_order(self.setup, self.state.index, self.state.head, record)

    def restore_messages(self, record: Record) -> list[SignedMessage]:
        """Return all messages in the next record in complete form, including those already folded.

        Raises:
            BrokenChainError: A message cannot be decoded.
        """
        return restore_messages(self.setup, self.segment_start, self.hashes, record)

    @property
    def segment_start(self) -> int:
        """Return the index of the last message before the segment."""
        return self.state.index - len(self.segment)

    def check_content(self, record: Record) -> None:
        """Check that a record matches its messages.

        Raises:
            BrokenChainError: The record does not match its messages.
        """
        if not self.is_complete:
            raise BrokenChainError(record.seq, "its messages do not complete a record")
        if self._is_past_record:  # Only the last of these records would end up in the copy.
            raise BrokenChainError(record.seq, "its messages complete more than one record")
        expected = self.public_record()
        actual_fields = (record.kind, record.role, record.takeback_to)
        if actual_fields != (expected.kind, expected.role, expected.takeback_to):
            raise BrokenChainError(record.seq, "its kind, role or target differs from its messages")
        if record.seeds != expected.seeds or record.secret != expected.secret:
            raise BrokenChainError(record.seq, "its card seeds or secret differ from its messages")
        check_entries(self.setup.game, record, expected)

    def begin_segment(self, record: Record) -> None:
        """Begin a new segment after a record."""
        if record.transcript is msgspec.UNSET:
            return
        # Messages refer to a record by its position in this list, so only records with transcript
        # messages are listed.
        if self.state.completed is not None:
            self.records.append(record.seq)
        self.segment = []
        self._checked_segment = None
        self._is_past_record = False
        self.hashes = {self.state.index: self.state.head}

    def public_record(self) -> Record:
        """Build the public form of the next record from the messages since the last record.

        The record's number and chain values are placeholders.
        """
        state, pending = self.state, self.state.completed
        empty_record, replace = _EMPTY_RECORD, msgspec.structs.replace
        if pending is None and state.phase is TranscriptPhase.CLOSED:
            seeds = tuple(
                OpenedSeed(role=party.role, seed=state.seeds[party.role])
                for party in self.setup.parties
                if party.role in state.seeds
            )
            if not self.setup.deals:
                return replace(empty_record, kind="reveal", secret=state.seeds[HOST])
            return replace(empty_record, kind="reveal", secret=NO_SECRET, seeds=seeds)
        if pending is None:
            assert state.end is not None, "the match must have ended"
            role = Role(state.end.role)
            return replace(
                empty_record, kind="ending", role=role, command=self._statement(self._ending())
            )
        if pending.offer == "takeback":
            assert pending.takeback_to is not None, "a takeback must have a target"
            restored_record = self.records[pending.takeback_to]
            return replace(
                empty_record, kind="takeback", role=pending.offer_by, takeback_to=restored_record
            )
        if pending.offer == "adjournment":
            statement = Adjournment(by=tuple(party.role for party in self.setup.parties))
            return replace(
                empty_record,
                kind="adjournment",
                role=pending.offer_by,
                command=self._statement(statement),
            )
        return decided_record(self.setup, pending)

    def _ending(self) -> Ending:
        end = self.state.end
        assert end is not None, "the match must have ended"
        roles = tuple(party.role for party in self.setup.parties)
        if end.reason == "draw":
            return Ending(how="draw", by=roles)
        if end.reason == "stopped":
            return Ending(how="stopped", by=(Role(end.role),))
        by = self.side_roles(Role(end.role))
        return Ending(how="time" if end.reason == "time" else "resigned", by=by)

    def side_roles(self, role: Role) -> tuple[Role, ...]:
        """Return all roles on a role's side."""
        return next((side for side in self.setup.sides.values() if role in side), (role,))

    @staticmethod
    def _statement(statement: Statement) -> Entry:
        body = canonical(statement)
        tag = str(statement.__struct_config__.tag)
        return Entry(
            tag=tag,
            v=1,
            body=body,
            commitment=entry_commitment(PUBLIC_SALT, tag, 1, body),
            salt=PUBLIC_SALT,
        )


def completes_record(state: FairState) -> bool:
    """Return whether the message that led to this state completes a record."""
    if state.completed is not None:
        return True
    return state.phase is TranscriptPhase.CLOSED or (
        state.end is not None and state.end_at == state.index
    )


class SignatureLog:
    """Checks a transcript's signatures, order and hashes without using the game's rules."""

    def __init__(self, setup: MatchSetup) -> None:
        """Start with the state before the first message."""
        self._setup = setup
        self._index = -1
        self._head = setup.header_hash
        self._records: list[int] = []
        """File numbers of the records that offers of takebacks can name, in order."""

    def receive(self, record: Record) -> None:
        """Check the next record's messages.

        Raises:
            FairPlayError: A signature is wrong.
            BrokenChainError: A message cannot be decoded, or the record has no messages although its kind needs them.
        """
        if record.transcript is msgspec.UNSET:
            check_without_messages(record)
            return
        setup = self._setup
        hashes = {self._index: self._head}
        messages = list[Message]()
        for signed in restore_messages(setup, self._index, hashes, record):
            message = decode_message(setup.match_id, signed.data)
            key = setup.verify_key(message.author)
            if key is None or not verify_signature(key, signed.data, signed.signature):
                name = message.author or "the host"
                raise FairPlayError(HOST, f"a signature of {name} is invalid")
            anchor = -1 if message.kind is Kind.SETUP else message.anchor
            if message.kind in SEQUENTIAL and anchor != self._index:
                problem = f"the {message.kind} does not follow the last message"
                raise BrokenChainError(record.seq, problem)
            messages.append(message)
            self._index += 1
            self._head = next_hash(self._head, self._index, signed.data)
        check_order(setup, self._index, self._head, record)
        # Computing an opening requires the rules, so only commands and events from signed messages
        # can be compared.
        if record.kind == "command":
            _check_signed_command(setup, record, messages)
        elif record.kind != "opening":
            self._check_signed_agreement(record, messages)
        elif not messages:
            raise BrokenChainError(record.seq, _NO_MESSAGES)
        if record.kind not in _FINAL:
            self._records.append(record.seq)

    def _check_signed_agreement(self, record: Record, messages: Sequence[Message]) -> None:
        """Check that an ending, a takeback, an adjournment or a reveal matches its messages.

        Raises:
            BrokenChainError: The messages for the record are missing, or contradict it.
        """
        statement = record_statement(record)
        matches = False
        if record.kind == "reveal":
            matches = _published_seeds(messages) == (
                {} if record.seeds is msgspec.UNSET else {s.role: s.seed for s in record.seeds}
            ) and any(isinstance(message.body, Close) for message in messages)
        elif isinstance(statement, Ending) and statement.how != "draw":
            author = HOST if statement.how == "time" else record.role
            end = End(statement.how, record.role)
            matches = record.role in statement.by and any(
                (message.author, message.body) == (author, end) for message in messages
            )
        else:
            matter = "draw" if isinstance(statement, Ending) else record.kind
            offer = self._accepted_offer(record.role, messages)
            matches = offer is not None and offer.matter == matter
            if matches and offer is not None and matter == "takeback":
                targets = self._records[offer.record : offer.record + 1]
                matches = targets == [record.takeback_to]
        if not matches:
            raise BrokenChainError(record.seq, _NO_MESSAGES)

    def _accepted_offer(self, role: Role, messages: Sequence[Message]) -> Offer | None:
        """Return the last offer in these messages if this role made it and all other parties agreed; otherwise None."""
        offers = [message for message in messages if isinstance(message.body, Offer)]
        if not offers or offers[-1].author != role:
            return None
        # A consent is anchored at its offer, which is anchored at the message directly before it. A
        # consent to an earlier offer in the same record therefore does not count.
        agreed = {
            message.author
            for message in messages
            if message.anchor == offers[-1].anchor + 1
            and isinstance(message.body, Consent)
            and message.body.agrees
        }
        others = {party.role for party in self._setup.parties} - {role}
        body = offers[-1].body
        return body if others <= agreed and isinstance(body, Offer) else None


def _published_seeds(messages: Sequence[Message]) -> dict[Role, bytes]:
    """Return the card seeds in these messages by role. A dealing host's secret is not a card seed."""
    return {
        message.author: message.body.seed
        for message in messages
        if isinstance(message.body, Seed) and message.author
    }


def _check_signed_command(setup: MatchSetup, record: Record, messages: Sequence[Message]) -> None:
    """Check, without using the rules, that a record's actor, command and events match the signed messages.

    The caller has already checked that complete entries match their commitments.

    Raises:
        BrokenChainError: The actor, the command or an event differs from the messages.
    """
    requests = [message for message in messages if isinstance(message.body, Request)]
    proposals = [message for message in messages if isinstance(message.body, Proposal)]
    decider = record.role if setup.deals else HOST
    if [message.author for message in requests] != [record.role] or any(
        message.author != decider for message in proposals
    ):
        raise BrokenChainError(record.seq, _OTHER_COMMAND)
    commitments = {
        (message.author, number): commitment
        for message in messages
        if isinstance(message.body, Completion)
        for number, commitment in message.body.commitments
    }
    proposed_events = [
        event
        for message in proposals
        if isinstance(message.body, Proposal)
        for event in message.body.events
    ]
    signed_entries = [
        *(_record_entry(one.body.command) for one in requests if isinstance(one.body, Request)),
        *(
            _record_entry(event.entry, commitments.get((Role(event.owner), number), b""))
            for number, event in enumerate(proposed_events)
        ),
    ]
    entries = (record.command, *record.events)
    # A commitment determines a complete entry. Every other entry must show exactly the signed
    # public form, because anyone could change it.
    if len(entries) != len(signed_entries) or any(
        entry is None
        or entry.commitment != signed.commitment
        or (entry.salt is None and entry != signed)
        for entry, signed in zip(entries, signed_entries, strict=True)
    ):
        raise BrokenChainError(record.seq, _OTHER_COMMAND)


def check_without_messages(record: Record) -> None:
    """Check that the host may add a record of this kind without messages.

    Raises:
        BrokenChainError: The record needs messages.
    """
    if record.kind not in _WITHOUT_MESSAGES:
        raise BrokenChainError(record.seq, f"a {record.kind} without its messages")


def check_order(setup: MatchSetup, index: int, head: bytes, record: Record) -> None:
    """Check the host's signature over the transcript up to the end of a record.

    Raises:
        FairPlayError: The signature is wrong, or the head differs.
    """
    segment = _segment(record)
    if segment.head != head:
        raise FairPlayError(HOST, f"record {record.seq} ends with a different transcript")
    message = order_message(setup.match_id, index, head)
    if not verify_signature_once(setup.host_key, message, segment.order):
        raise FairPlayError(HOST, f"the host has not signed the order of record {record.seq}")


def _segment(record: Record) -> Segment:
    assert record.transcript is not msgspec.UNSET, "the record must have messages"
    return record.transcript


def _commitments(record: Record) -> tuple[bytes | None, ...]:
    command = record.command
    return (
        None if command is None else command.commitment,
        *(entry.commitment for entry in record.events),
    )


def check_entries(game: AnyGame, record: Record, public: Record) -> None:
    """Check that the public parts of a record's entries match its messages.

    Args:
        game: The rules.
        record: The record from any copy, such as a seat's or the host's.
        public: The record's public form, built from its messages.

    Raises:
        BrokenChainError: An entry has a different commitment or different public content.
    """
    if _commitments(record) != _commitments(public):
        raise BrokenChainError(record.seq, "an entry differs from its messages")
    seq, game_codec = record.seq, codec(game)
    pairs = zip(record.events, public.events, strict=True)
    try:
        for number, (entry, public_entry) in enumerate(pairs):
            if _shows_less(entry, public_entry):
                raise BrokenChainError(seq, f"event {number} hides public data", number)
            # Most entries are public, and comparing bytes is much cheaper than redacting the
            # decoded entry.
            if entry.body is None or _entry_content(entry) == _entry_content(public_entry):
                continue
            redacted = game.redact(game_codec.event(entry.tag, entry.v, entry.body), None)
            if redacted is None or game_codec.pack(redacted) != _entry_content(public_entry):
                raise BrokenChainError(seq, f"event {number} differs from its messages", number)
        command_entry, public_command = record.command, public.command
        if command_entry is None or public_command is None:
            return
        if _shows_less(command_entry, public_command):
            raise BrokenChainError(seq, "the command hides public data")
        if command_entry.body is None:
            return
        if _entry_content(command_entry) != _entry_content(public_command):
            command = game_codec.command(command_entry.tag, command_entry.v, command_entry.body)
            redacted = game.redact_command(command, record.role, None)
            if redacted is None or game_codec.pack(redacted) != _entry_content(public_command):
                raise BrokenChainError(seq, "the command differs from its messages")
    except UnreadableError as error:
        raise BrokenChainError(seq, f"an entry is unreadable: {error}") from error


def _shows_less(entry: Entry, public_entry: Entry) -> bool:
    """Return whether an entry lacks a body or a salt that every copy has."""
    lacks_body = entry.body is None and public_entry.body is not None
    return lacks_body or (entry.salt is None and public_entry.salt is not None)


def _entry_content(entry: Entry) -> tuple[str, int, bytes | None]:
    return entry.tag, entry.v, entry.body


_EMPTY_RECORD: Final = Record(
    seq=0,
    kind="command",
    role=HOST,
    command=None,
    events=(),
    takeback_to=None,
    secret=None,
    prev=bytes(HASH_BYTES),
    chain=bytes(HASH_BYTES),
)


def decided_record(setup: MatchSetup, pending: Pending) -> Record:
    """Build the public form of the record for an opening or a command.

    The record's number and chain values are placeholders.
    """
    return msgspec.structs.replace(
        _EMPTY_RECORD,
        kind="opening" if pending.request is None else "command",
        role=pending.actor,
        command=None if pending.request is None else _record_entry(pending.request.command),
        events=tuple(public_events(setup, pending)),
    )


def _record_entry(public: PublicEntry, commitment: bytes = b"") -> Entry:
    """Return the public form of a record entry."""
    body = public.body if public.tag else None
    commitment = commitment or public.commitment
    if commitment:
        return Entry(tag=public.tag, v=public.v, body=body, commitment=commitment, salt=None)
    full_commitment = entry_commitment(PUBLIC_SALT, public.tag, public.v, public.body)
    return Entry(
        tag=public.tag, v=public.v, body=body, commitment=full_commitment, salt=PUBLIC_SALT
    )


def public_events(setup: MatchSetup, pending: Pending) -> list[Entry]:
    """Return the public forms of the events in a complete record."""
    entries = [
        _record_entry(event.entry, pending.commitments.get(number, b""))
        for number, event in enumerate(pending.events)
    ]
    if not pending.number:
        # If every copy computes the opening, its events name the scenario's cards, which the public
        # view hides.
        entries = [_redact_entry(setup, entry) for entry in entries]
        entries[0] = _setup_entry(setup)
    return entries


def _redact_entry(setup: MatchSetup, entry: Entry) -> Entry:
    if entry.salt is not None or entry.body is None:
        return entry
    game = setup.game
    redacted = game.redact(codec(game).event(entry.tag, entry.v, entry.body), None)
    assert redacted is not None, "an event completed by a seat must have a public form"
    tag, v, body = codec(game).pack(redacted)
    return msgspec.structs.replace(entry, tag=tag, v=v, body=body)


def _setup_entry(setup: MatchSetup) -> Entry:
    """Return the set-up's public entry. For a scenario, every copy can compute the complete entry."""
    game, full_event = setup.game, setup_event(setup)
    commitment = setup.own_commitment or entry_commitment(
        PUBLIC_SALT, *codec(game).pack(full_event)
    )
    redacted = game.redact(full_event, None)
    assert redacted is not None, "a set-up must be visible to everyone"
    tag, v, body = codec(game).pack(redacted)
    salt = PUBLIC_SALT if redacted == full_event and not setup.own_commitment else None
    return Entry(tag=tag, v=v, body=body, commitment=commitment, salt=salt)


# -- messages in a file


def to_stored_messages(
    setup: MatchSetup, messages: Sequence[SignedMessage], record: Record
) -> list[StoredMessage]:
    """Return messages in the form stored in a file, without the entries that the record itself contains.

    Args:
        setup: The match's set-up.
        messages: The record's messages, in order.
        record: The record's public form.
    """
    stored = list[StoredMessage]()
    for signed in messages:
        message = decode_message(setup.match_id, signed.data)
        body = message.body
        if isinstance(body, Request) and record.command is not None and record.kind == "command":
            # Every copy must be able to restore the message, so omit an entry only if it is
            # complete in every copy.
            if not body.command.commitment:
                body = msgspec.structs.replace(body, command=_ELIDED)
        elif isinstance(body, Proposal) and record.kind == "command":
            events = (
                ProposedEvent(_ELIDED) if _is_public(event) else event for event in body.events
            )
            body = msgspec.structs.replace(body, events=tuple(events))
        stored.append(
            StoredMessage(
                message.kind.value,
                message.author,
                message.anchor,
                canonical(body),
                signed.signature,
            )
        )
    return stored


def _is_public(event: ProposedEvent) -> bool:
    """Return whether every copy's record contains this event in exactly the same form as the message."""
    return not event.owner and not event.entry.commitment


def restore_messages(
    setup: MatchSetup, index: int, hashes: Mapping[int, bytes], record: Record
) -> list[SignedMessage]:
    """Rebuild a record's complete messages.

    Args:
        setup: The match's set-up.
        index: Index of the last message before the record.
        hashes: Transcript hashes keyed by message index, at least up to ``index``.
        record: The record from any copy.

    Raises:
        BrokenChainError: A message cannot be decoded, or its anchor is unknown.
    """
    try:
        return _MessageRestorer(setup, index, hashes, record).messages()
    except (UnreadableError, LookupError, msgspec.MsgspecError, ValueError) as error:
        raise BrokenChainError(record.seq, f"a message is unreadable: {error}") from error


class _MessageRestorer:
    """Rebuilds a record's messages and computes the transcript hash after each."""

    def __init__(
        self, setup: MatchSetup, index: int, hashes: Mapping[int, bytes], record: Record
    ) -> None:
        self._setup = setup
        self._record = record
        self._index = index
        self._hashes = dict(hashes)
        self._number = 0
        self._has_filled_command = False

    def messages(self) -> list[SignedMessage]:
        restored = []
        for stored_message in _segment(self._record).messages:
            kind = Kind(stored_message.kind)
            body = self._fill_body(decode_body(kind, stored_message.body))
            anchor = -1 if kind is Kind.SETUP else stored_message.anchor
            message = Message(
                kind=kind,
                anchor=stored_message.anchor,
                anchor_hash=self._hashes[anchor],
                author=Role(stored_message.author),
                body=body,
            )
            data = encode_message(self._setup.match_id, message)
            if len(data) > MAX_MESSAGE_BYTES:
                raise UnreadableError("a message is too large")
            head = self._hashes[self._index]
            self._index += 1
            self._hashes[self._index] = next_hash(head, self._index, data)
            restored.append(SignedMessage(data, stored_message.signature))
        return restored

    def _fill_body(self, body: AnyBody) -> AnyBody:
        record = self._record
        if isinstance(body, Request) and body.command == _ELIDED and record.command is not None:
            # A record has one command. Filling it in again could turn a small file into many large
            # messages.
            if self._has_filled_command:
                raise UnreadableError("two messages omit the same command")
            self._has_filled_command = True
            return msgspec.structs.replace(body, command=self._public_entry(record.command))
        if isinstance(body, Proposal) and record.kind == "command":
            events = []
            for event in body.events:
                is_elided = event.entry == _ELIDED and not event.owner
                entry = (
                    self._public_entry(record.events[self._number]) if is_elided else event.entry
                )
                events.append(ProposedEvent(entry, event.owner))
                self._number += 1
            return msgspec.structs.replace(body, events=tuple(events))
        return body

    def _public_entry(self, entry: Entry) -> PublicEntry:
        """Return the public form of an entry that the stored message omits.

        Raises:
            UnreadableError: The record hides the entry.
        """
        if entry.salt != PUBLIC_SALT or entry.body is None:
            raise UnreadableError("an entry that the messages omit is hidden")
        return PublicEntry(entry.tag, entry.v, entry.body)

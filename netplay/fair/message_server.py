"""Receives the seats' messages in a protocol 7 match, and serves the whole transcript, beginning with the opening."""

import asyncio
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, Final

import structlog

from engine.kernel.ids import Role
from netplay.fair.ordered_match import OrderedMatch
from netplay.fair.pending_messages import PendingMessages
from netplay.wire.errors import ProtocolError
from netplay.wire.limits import Allowance
from netplay.wire.messages import Post, PostPart, SignedTexts, TranscriptUpdate, decode_post
from saves.errors import UnreadableError
from saves.fair.accusations import SlotIndex, valid_accusations
from saves.fair.evidence import evidence_header
from saves.fair.evidence_file import save_evidence
from saves.fair.messages import HOST, End, SignedMessage, decode_message
from saves.fair.signed_texts import Ack, Resume, Resumed, is_ordered, is_signed
from saves.fair.state import MessageRefusal
from saves.records import MAX_RECORD_BYTES

log = structlog.get_logger()

_MAX_MESSAGES: Final = 64
"""Maximum number of messages in one post."""
NOT_BEGUN: Final = "the match has not begun"
"""The reason why a seat may not end a match yet: the first record must be the opening."""
_NOT_STORED: Final = MessageRefusal(
    HOST, "the last record has not been stored yet", is_due_fault=True
)


def charge_refusal(allowance: Allowance, role: Role, refusal: MessageRefusal) -> None:
    """Charge a refused message to the seat's allowance, unless the host caused the refusal."""
    if refusal.is_dishonest:
        allowance.count_invalid()
    elif refusal.author == role:
        allowance.count_stale()


class PostAssembler:
    """Reassembles posts that were split into several network messages."""

    def __init__(self) -> None:
        """Create an assembler that has not received any parts yet."""
        self._buffers: dict[Role, bytearray] = {}

    def add_part(self, role: Role, part: PostPart) -> Post | None:
        """Add a piece of a post. Return the post if it is now complete, otherwise None.

        Raises:
            ProtocolError: The post is too long or malformed, or the piece is out of order.
        """
        buffer = self._buffers.setdefault(role, bytearray())
        # After reconnecting, a seat sends its post again from the beginning.
        if not part.offset:
            buffer.clear()
        if part.offset != len(buffer) or part.total > MAX_RECORD_BYTES:
            raise ProtocolError("a chunk arrived out of order")
        buffer += part.data
        if len(buffer) < part.total:
            return None
        del self._buffers[role]
        return decode_post(bytes(buffer))


class SignedTextStore:
    """Stores the seats' signed texts: their latest resume requests, the replies to these, and the acknowledgements."""

    def __init__(self, match: OrderedMatch[Any]) -> None:
        """Create an empty store."""
        self._match = match
        self._version = 0
        self._resumes: dict[Role, tuple[int, Resume]] = {}
        self._resumed: dict[tuple[Role, bytes], tuple[int, Resumed]] = {}
        self._acks: dict[Role, tuple[int, Ack]] = {}
        self._resuming: set[Role] = set()
        """The seats that have signed nothing since their latest resume request."""

    def store(self, role: Role, post: Post) -> bool:
        """Store a seat's signed texts, and return whether any of them are new.

        Raises:
            ProtocolError: One of the texts is not signed by the seat.
        """
        previous_version = self._version
        nonces = {resume.nonce for _, resume in self._resumes.values()}
        # Verifying signatures is slow, so only one reply per request is checked.
        answers = {resume.nonce: resume for resume in post.resumed if resume.nonce in nonces}
        texts = (post.resume, *answers.values(), post.ack)
        setup = self._match.transcript.setup
        for text in texts:
            if text is None:
                continue
            if text.role != role or not is_signed(setup, text):
                raise ProtocolError("a message is not signed by this seat")
            # The seat that asked ignores an answer without the host's signature, so it still lacks
            # one.
            if isinstance(text, Resumed) and not is_ordered(
                setup, text.index, text.head, text.order
            ):
                continue
            self._store(role, text)
        return self._version > previous_version

    def _store(self, role: Role, text: Resume | Resumed | Ack) -> None:
        version = self._version + 1
        match text:
            case Resume():
                previous = self._resumes.get(role)
                if previous is not None and previous[1] == text:
                    return
                self._resumes[role] = (version, text)
                self._resuming.add(role)
                nonces = {resume.nonce for _, resume in self._resumes.values()}
                # A seat can send any number of requests, so only replies to the latest ones are
                # kept.
                self._resumed = {
                    key: entry for key, entry in self._resumed.items() if key[1] in nonces
                }
            case Resumed():
                if text.nonce not in {resume.nonce for _, resume in self._resumes.values()}:
                    return
                previous_answer = self._resumed.get((role, text.nonce))
                if previous_answer is not None and previous_answer[1] == text:
                    return
                self._resumed[role, text.nonce] = (version, text)
            case Ack():
                if role in self._acks and self._acks[role][1] == text:
                    return
                self._acks[role] = (version, text)
        self._version = version

    def end_resumption(self, role: Role) -> None:
        """Note that a seat has signed a message, so it no longer waits for answers to its request."""
        self._resuming.discard(role)

    def missing_answers(self, present: Collection[Role]) -> tuple[tuple[Role, Role, bytes], ...]:
        """Return the answers that connected seats owe: the seat that waits, the seat that owes, and the nonce."""
        requests = [(role, self._resumes[role][1].nonce) for role in sorted(self._resuming)]
        return tuple(
            (waiting, owing, nonce)
            for waiting, nonce in requests
            for owing in present
            if owing != waiting and (owing, nonce) not in self._resumed
        )

    def seats_without_ack(self) -> tuple[Role, ...]:
        """Return the seats that have not acknowledged that the match is over."""
        state = self._match.fair_state
        acknowledged = {role for role, (_, ack) in self._acks.items() if ack.index == state.end_at}
        return tuple(party.role for party in state.setup.parties if party.role not in acknowledged)

    def texts_after(self, after: int) -> SignedTexts | None:
        """Return the signed texts after the given number, or None if there are none."""
        if after >= self._version:
            return None
        return SignedTexts(
            number=self._version,
            resumes=tuple(text for version, text in self._resumes.values() if version > after),
            resumed=tuple(text for version, text in self._resumed.values() if version > after),
            acks=tuple(text for version, text in self._acks.values() if version > after),
        )


class MessageServer:
    """Receives posts from all seats in one match, and serves the transcript to them."""

    def __init__(self, match: OrderedMatch[Any], path: Path, now: Callable[[], float]) -> None:
        """Continue from the files left behind by the previous host process.

        Args:
            match: The host's copy. Its signing key must already be set.
            path: The file for the pending messages.
            now: Returns the seconds since the host started.

        Raises:
            StorageError: The file cannot be read.
            DataError: The file is damaged.
        """
        self.match = match
        self.now: Final = now
        self.pending = PendingMessages(match, path, now)
        self.texts = SignedTextStore(match)
        self._assembler = PostAssembler()
        self._stem = path.with_name(f"{match.header.match_id}.host")
        self._accused: set[Role] = set()
        self._slots = SlotIndex(match.header.match_id)
        self._indexed_segment: list[SignedMessage] | None = None
        """The messages for the next record. The first ``_slots.count`` of them are in the slot index."""
        self.undecided = ""
        """If the host deals: why its rules cannot resolve the pending command; empty if they can."""
        self.has_failed = False
        """True if the host has failed to build a record from messages that it had accepted."""
        # The previous process may have stopped before it added a due proposal.
        self.add_host_messages()

    def add_part(self, role: Role, part: PostPart) -> Post | None:
        """Add a piece of a seat's post. Return the post if it is now complete, otherwise None.

        Raises:
            ProtocolError: The post is too long or malformed, or contains another seat's message.
        """
        post = self._assembler.add_part(role, part)
        if post is None:
            return None
        if len(post.messages) > _MAX_MESSAGES:
            raise ProtocolError("there are too many messages in one post")
        for signed in post.messages:  # Check all messages before accepting any of them.
            self._check(role, signed)
        return post

    def _check(self, role: Role, signed: SignedMessage) -> None:
        try:
            message = decode_message(self.match.header.match_id, signed.data)
        except UnreadableError as error:
            raise ProtocolError(f"a message is unreadable: {error}") from error
        if message.author != role:
            raise ProtocolError("a seat sent a message by another author")

    async def precheck(self, signed: SignedMessage) -> None:
        """Check a message in steps before :meth:`submit`, and let the host serve other matches between the steps."""
        await asyncio.sleep(0)
        # submit() refuses every message while a record is unsaved, so there is no need to check
        # this one.
        if not self._is_record_unsaved:
            for _ in self.match.precheck(signed):
                await asyncio.sleep(0)

    @property
    def _is_record_unsaved(self) -> bool:
        """Return whether the messages so far complete a record that has not been stored yet."""
        return self.match.is_complete and not self.has_failed

    def submit(self, signed: SignedMessage) -> MessageRefusal | None:
        """Add a message from a post to the transcript. Return a refusal if the message is invalid, otherwise None.

        Once a record is complete, no further message is accepted until the record has been stored. Otherwise, a seat
        could compute the transcript hash in advance and send a message for the next record, and neither record would be
        written.
        """
        if self._is_record_unsaved:
            return _NOT_STORED
        message = decode_message(self.match.header.match_id, signed.data)
        if self.match.seq < 0 and isinstance(message.body, End):
            return MessageRefusal(message.author, NOT_BEGUN, is_due_fault=True)
        refusal = self._queue_new_messages(self.match.accept(signed))
        if refusal is None:
            # A seat may end the match even while it waits for answers.
            if not isinstance(message.body, End):
                self.texts.end_resumption(message.author)
        elif refusal.is_due_fault:
            self._save_evidence(signed)
        return refusal

    def _save_evidence(self, signed: SignedMessage) -> None:
        """Save evidence if a seat has sent two messages for one slot in this record (E1), at most once per seat."""
        match = self.match
        author = decode_message(match.header.match_id, signed.data).author
        if author in self._accused:
            return
        conflict = self._pending_slots().conflict(signed)
        cases = () if conflict is None else (conflict,)
        found = valid_accusations(match.transcript.setup, evidence_header(match.header), cases)
        evidence = [accusation.evidence for accusation in found]
        if not evidence:
            return
        self._accused.add(author)
        try:
            save_evidence(self._stem, evidence)
        except OSError as error:
            log.exception("evidence_save_failed", path=str(self._stem), error=str(error))
        else:
            log.error("evidence_saved", role=author, path=str(self._stem))

    def _pending_slots(self) -> SlotIndex:
        """Return the messages for the next record by slot.

        The index is cached, because a seat can send many late messages.
        """
        segment = self.match.transcript.segment
        if segment is not self._indexed_segment:
            self._indexed_segment, self._slots = segment, SlotIndex(self.match.header.match_id)
        self._slots.add(*segment[self._slots.count :])
        return self._slots

    def add_host_messages(self) -> None:
        """Add the host's own due message, if any: the set-up, or the proposal for a pending command."""
        refusal = self._queue_new_messages(self.match.add_due())
        self.undecided = "" if refusal is None else refusal.problem

    def _queue_new_messages(self, refusal: MessageRefusal | None) -> MessageRefusal | None:
        """Queue the new messages for storage. Return the refusal if no message was added.

        If the host could not resolve the command of an added message, store the reason in `undecided` and return None.
        """
        # Besides the seat's message, the host may have added its own proposal.
        added = self.match.transcript.segment[self.pending.count :]
        for signed in added:
            self.pending.add(signed)
        if not added or refusal is None:
            return refusal
        self.undecided = refusal.problem
        return None

    def transcript_update(self, received_bytes: int, last_text: int) -> TranscriptUpdate:
        """Return the part of the transcript that is new to a seat.

        Args:
            received_bytes: Number of bytes that the seat already has from the message stream for the next record.
            last_text: Number of the last text that the seat has received.
        """
        return TranscriptUpdate(
            index=self.pending.index,
            part=self.pending.next_part(received_bytes),
            texts=self.texts.texts_after(last_text),
        )

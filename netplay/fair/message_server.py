"""Exchange of messages between the host of a protocol 7 match and its seats, from the opening on."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import structlog

from engine.kernel.ids import Role
from netplay.fair.ordered_match import OrderedMatch
from netplay.fair.pending_messages import PendingMessages
from netplay.wire.errors import ProtocolError
from netplay.wire.limits import Allowance
from netplay.wire.messages import Post, PostPart, SignedTexts, Transcript, decode_post
from saves.errors import UnreadableError
from saves.fair.accusations import two_messages, valid_accusations
from saves.fair.evidence_file import save_evidence
from saves.fair.messages import HOST, SignedMessage, decode_message
from saves.fair.signed_texts import Ack, Resume, Resumed, is_signed
from saves.fair.state import MessageRefusal
from saves.headers import encode_header
from saves.records import MAX_RECORD_BYTES

log = structlog.get_logger()

_MOST_MESSAGES: Final = 64
"""Maximum number of messages in one post."""
_NOT_STORED: Final = MessageRefusal(
    HOST, "the last record has not been stored yet", is_due_fault=True
)


def count_refusal(allowance: Allowance, role: Role, refusal: MessageRefusal) -> None:
    """Charge a refused message to its seat's allowance. A refusal for which the host is responsible costs nothing."""
    if refusal.is_false:
        allowance.refuse()
    elif refusal.author == role:
        allowance.refuse_stale()


class Posts:
    """Reassembles posts that were split into several network messages."""

    def __init__(self) -> None:
        """Start with no partial posts."""
        self._parts: dict[Role, bytearray] = {}

    def whole(self, role: Role, note: PostPart) -> Post | None:
        """Add a piece, and return the post if it is now complete; otherwise None.

        Raises:
            ProtocolError: The post is too long or malformed, or the piece is out of order.
        """
        part = self._parts.setdefault(role, bytearray())
        if not note.offset:
            part.clear()
        if note.offset != len(part) or note.total > MAX_RECORD_BYTES:
            raise ProtocolError("a chunk arrived out of order")
        part += note.data
        if len(part) < note.total:
            return None
        del self._parts[role]
        return decode_post(bytes(part))


class TextBoard:
    """The signed texts of the seats: each seat's latest request, the answers to it, and the acknowledgements."""

    def __init__(self, match: OrderedMatch[Any]) -> None:
        """Start with no texts."""
        self._match = match
        self._number = 0
        self._resumes: dict[Role, tuple[int, Resume]] = {}
        self._resumed: dict[tuple[Role, bytes], tuple[int, Resumed]] = {}
        self._acks: dict[Role, tuple[int, Ack]] = {}

    def take(self, role: Role, post: Post) -> bool:
        """Store the texts of a seat, and return whether any of them is new.

        Raises:
            ProtocolError: The seat has not signed one of the texts.
        """
        before = self._number
        asked = {one.nonce for _, one in self._resumes.values()}
        # Check only one answer per request, because verifying signatures is slow.
        answers = {one.nonce: one for one in post.resumed if one.nonce in asked}
        texts = (post.resume, *answers.values(), post.ack)
        for text in texts:
            if text is None:
                continue
            if text.role != role or not is_signed(self._match.transcript.setup, text):
                raise ProtocolError("a message is not signed by this seat")
            self._keep(role, text)
        return self._number > before

    def _keep(self, role: Role, text: Resume | Resumed | Ack) -> None:
        number = self._number + 1
        match text:
            case Resume():
                old = self._resumes.get(role)
                if old is not None and old[1] == text:
                    return
                self._resumes[role] = (number, text)
                asked = {one.nonce for _, one in self._resumes.values()}
                self._resumed = {
                    key: each for key, each in self._resumed.items() if key[1] in asked
                }
            case Resumed():
                if text.nonce not in {one.nonce for _, one in self._resumes.values()}:
                    return
                known = self._resumed.get((role, text.nonce))
                if known is not None and known[1] == text:
                    return
                self._resumed[role, text.nonce] = (number, text)
            case Ack():
                if role in self._acks and self._acks[role][1] == text:
                    return
                self._acks[role] = (number, text)
        self._number = number

    def without_ack(self) -> tuple[Role, ...]:
        """Return the seats that have not acknowledged the end of the match."""
        state = self._match.fair_state
        there = {role for role, (_, ack) in self._acks.items() if ack.index == state.end_at}
        return tuple(party.role for party in state.setup.parties if party.role not in there)

    def after(self, number: int) -> SignedTexts | None:
        """Return the texts newer than a given number, or None if there are none."""
        if number >= self._number:
            return None
        return SignedTexts(
            number=self._number,
            resumes=tuple(text for at, text in self._resumes.values() if at > number),
            resumed=tuple(text for at, text in self._resumed.values() if at > number),
            acks=tuple(text for at, text in self._acks.values() if at > number),
        )


class TranscriptDesk:
    """Receives the posts of all seats of one match."""

    def __init__(self, match: OrderedMatch[Any], path: Path, now: Callable[[], float]) -> None:
        """Continue from the files that the host left.

        Args:
            match: The host's copy, with its signing key already set.
            path: File of pending messages.
            now: Returns the seconds since the host started.

        Raises:
            StorageError: The file cannot be read.
            DataError: The file is damaged.
        """
        self.match = match
        self.pending = PendingMessages(match, path, now)
        self.texts = TextBoard(match)
        self._posts = Posts()
        self._stem = path.with_name(f"{match.header.match_id}.host")
        self._accused: set[Role] = set()
        self.undecided = ""
        """Reason why the rules of a dealing host cannot decide the pending command; empty if they can."""
        self.has_failed = False
        """True if the host's rules could not build a record from messages that had already been accepted."""
        self.start()

    def whole(self, role: Role, note: PostPart) -> Post | None:
        """Add a piece of a seat's post, and return the post if it is now complete; otherwise None.

        Raises:
            ProtocolError: The post is too long or malformed, or contains a message of another seat.
        """
        post = self._posts.whole(role, note)
        if post is None:
            return None
        if len(post.messages) > _MOST_MESSAGES:
            raise ProtocolError("there are too many messages in one post")
        for signed in post.messages:  # Check all messages before accepting the first.
            self._check(role, signed)
        return post

    def _check(self, role: Role, signed: SignedMessage) -> None:
        try:
            message = decode_message(self.match.header.match_id, signed.data)
        except UnreadableError as error:
            raise ProtocolError(f"a message is unreadable: {error}") from error
        if message.author != role:
            raise ProtocolError("a seat sent a message by another author")

    async def look_ahead(self, signed: SignedMessage) -> None:
        """Check a message before :meth:`submit`. The host serves other matches first and between the steps."""
        await asyncio.sleep(0)
        if not self._awaits_record:
            for _ in self.match.look_ahead(signed):
                await asyncio.sleep(0)

    @property
    def _awaits_record(self) -> bool:
        """Return whether the messages so far complete a record that is not stored yet."""
        return self.match.is_complete and not self.has_failed

    def submit(self, signed: SignedMessage) -> MessageRefusal | None:
        """Add a message of a post to the transcript. Return the refusal if it is not valid, otherwise None.

        While a completed record is not stored yet, no further message is accepted. Otherwise the author of such a
        message could compute the necessary transcript hash in advance, and neither record would be written.
        """
        if self._awaits_record:
            return _NOT_STORED
        refusal = self._adding(self.match.accept(signed))
        if refusal is not None and refusal.is_due_fault:
            self._accuse(signed)
        return refusal

    def _accuse(self, signed: SignedMessage) -> None:
        """Save evidence, once per seat, if a message is a second one for a slot of this record (E1)."""
        match = self.match
        author = decode_message(match.header.match_id, signed.data).author
        if author in self._accused:
            return
        cases = two_messages(match.header.match_id, match.transcript.segment, (signed,))
        found = valid_accusations(match.transcript.setup, encode_header(match.header), cases)
        evidence = [one.evidence for one in found]
        if not evidence:
            return
        self._accused.add(author)
        try:
            save_evidence(self._stem, evidence)
        except OSError as error:
            log.exception("evidence_not_saved", path=str(self._stem), error=str(error))
        else:
            log.error("evidence_saved", role=author, path=str(self._stem))

    def start(self) -> None:
        """Add the message due from the host: the set-up, or its proposal for a pending command."""
        refusal = self._adding(self.match.add_due())
        self.undecided = "" if refusal is None else refusal.problem

    def _adding(self, refusal: MessageRefusal | None) -> MessageRefusal | None:
        """Queue the added messages for storage, and note if a dealing host could not decide the command."""
        added = self.match.transcript.segment[self.pending.count :]
        for signed in added:
            self.pending.add(signed)
        if not added or refusal is None:
            return refusal
        self.undecided = refusal.problem
        return None

    def news(self, held: int, heard: int) -> Transcript:
        """Return the part of the transcript that is new for a seat.

        Args:
            held: Number of bytes of the next record's messages that the seat already has.
            heard: Number of the last text that the seat has.
        """
        return Transcript(
            index=self.pending.index, part=self.pending.part(held), texts=self.texts.after(heard)
        )

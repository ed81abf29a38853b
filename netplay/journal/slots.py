"""Stores a seat's signed messages by slot (protocol 7, 2.4).

A seat signs at most one message per slot, and signs each reveal for only one throw.
"""

from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import Annotated, Final, NamedTuple

import msgspec

from netplay.journal.errors import SlotUsedError
from saves.fair.derivation import pack
from saves.fair.messages import Message, Reveal, SignedMessage, Slot, decode_message, slot_of
from saves.fair.signed_texts import BEFORE_FIRST, Index, OrderSignature


class Base(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """The point at which a journal begins: the end of a complete record, or the start of the transcript."""

    index: Index = BEFORE_FIRST
    head: Annotated[bytes, msgspec.Meta(max_length=32)] = b""
    """Transcript hash after the message with this index; empty at the start of the transcript."""


class SignedCount(NamedTuple):
    """The number of messages that a seat has signed, and one hash over all of them."""

    messages: int
    digest: bytes

    def with_message(self, data: bytes) -> "SignedCount":
        """Return the count and hash with one more message included."""
        hashed = blake2b(self.digest, digest_size=32, person=b"fp7-count")
        hashed.update(data)
        return SignedCount(self.messages + 1, hashed.digest())


class RevealMark(NamedTuple):
    """The last reveal that a seat has signed."""

    number: int = -1
    digest: bytes = b""
    """Hash of the reveal message, used to refuse to sign the same reveal for a different throw."""

    @classmethod
    def from_message(cls, number: int, data: bytes) -> "RevealMark":
        """Create the mark for a reveal message."""
        return cls(number, blake2b(data, digest_size=32, person=b"fp7-mark").digest())


class SlotMark(NamedTuple):
    """The hash of a slot and of the message signed for it. The hashes reveal neither the slot nor the message."""

    slot: bytes
    message: bytes

    @classmethod
    def from_message(cls, slot: Slot, data: bytes) -> "SlotMark":
        """Create the mark for a message that was signed for this slot."""
        slot_bytes = blake2b(pack(slot), digest_size=16, person=b"fp7-slot")
        content = blake2b(data, digest_size=16, person=b"fp7-signed")
        return cls(slot_bytes.digest(), content.digest())


class SignatureCounter(NamedTuple):
    """One frame of the counter file, which is stored in a different folder from the match files."""

    signed: SignedCount
    reveal: RevealMark
    marks: tuple[SlotMark, ...] = ()
    """The slots used since the previous frame. The frames together contain every slot ever used."""


NO_MESSAGES: Final = SignedCount(0, bytes(32))


class SlotJournal:
    """Signs at most one message per slot, and returns the same bytes again on request.

    This base class stores messages in memory only.
    """

    def __init__(self, match_id: str, sign: Callable[[bytes], bytes]) -> None:
        """Create an empty journal.

        Args:
            match_id: The match.
            sign: Returns the seat's signature for a message.
        """
        self._match_id = match_id
        self._sign = sign
        self._signed: dict[Slot, bytes] = {}
        self._reveal = RevealMark()
        self._last_counter = SignatureCounter(NO_MESSAGES, RevealMark())
        self._unwritten: list[SignedMessage] = []
        self._adopted_messages: list[bytes] = []
        """The seat's own messages that were missing from the journal and have been taken from the transcript."""
        self._transcript: list[SignedMessage] = []
        self.base = Base()
        self.order: OrderSignature | None = None
        """The host's latest signature over the order of the messages; None if there is none."""
        self.count = NO_MESSAGES

    @property
    def transcript(self) -> tuple[SignedMessage, ...]:
        """Return the transcript's messages after the journal's base."""
        return (*self._transcript, *self._unwritten)

    @property
    def signed(self) -> tuple[bytes, ...]:
        """Return the messages that this seat has signed and may have to send again."""
        return tuple(self._signed.values())

    def signed_from(self, index: int) -> tuple[bytes, ...]:
        """Return the messages that this seat has signed whose anchor is at or after the given index."""
        return tuple(data for slot, data in self._signed.items() if slot.anchor >= index)

    def signed_at(self, slot: Slot) -> bytes | None:
        """Return the message that this seat has signed for a slot, or None if there is none."""
        return self._signed.get(slot)

    def sign_once(self, messages: Sequence[bytes]) -> tuple[SignedMessage, ...]:
        """Write messages to disk, together with everything that is still unwritten, and sign the messages.

        Raises:
            SlotUsedError: A slot already contains other bytes, or an anchor precedes the journal's start.
            StorageError: The journal cannot be written. The caller must not send anything, but may call this again.
        """
        fresh: dict[Slot, bytes] = {}
        # Adopted messages occupy slots too, so they must be on disk before the next message is
        # signed.
        if self._adopted_messages:
            self._write(())
        for data in messages:
            message = decode_message(self._match_id, data)
            slot = slot_of(message)
            signed_data = self._signed.get(slot, fresh.get(slot))
            if signed_data is None:
                self._check_signable(message, data)
                fresh[slot] = data
            elif signed_data != data:
                raise SlotUsedError(
                    f"this seat has signed another {message.kind} after message {message.anchor};"
                    " nothing was sent"
                )
        if fresh:
            self._write([*fresh.values()])
        else:
            self._publish()
        # Messages are signed only after the write, so that a restarted program knows every message
        # that may have been signed.
        return tuple(SignedMessage(data, self._sign(data)) for data in messages)

    def note(
        self, messages: Sequence[SignedMessage], order: OrderSignature, adopted: Sequence[bytes]
    ) -> None:
        """Buffer accepted transcript messages, to be written together with the next signed message.

        Args:
            messages: The messages that follow those in :attr:`transcript`.
            order: The host's signature over the message order.
            adopted: Messages from this seat that are missing from the journal. They are written immediately.

        Raises:
            StorageError: The adopted messages cannot be written.
        """
        self._unwritten += messages
        self.order = order
        for data in adopted:
            self._adopted_messages.append(data)
            self._store_signed(data)
        if adopted:
            self.sync()

    def sync(self) -> None:
        """Write all pending messages.

        Raises:
            StorageError: The journal cannot be written.
        """
        self._write(())

    def forget_transcript(self, index: int) -> None:
        """Drop the transcript messages after an index, but keep the messages that this seat has signed.

        If the journal begins after the index, all transcript messages are dropped. Dropped messages are fetched again
        together with the records missing from the copy of the match.

        Raises:
            StorageError: The journal cannot be written.
        """
        self.order = None
        self._rebase(self.base, self.transcript[: max(0, index - self.base.index)])

    def compact(self, index: int, head: bytes) -> None:
        """Drop all messages up to the end of a record that the copy contains.

        After that, the seat never signs messages with an older anchor.

        Raises:
            StorageError: The journal cannot be written.
        """
        before = index - self.base.index
        if before < 0:
            return
        assert 0 <= before <= len(self.transcript), "the record must end within the journal"
        self._rebase(Base(index, head), self.transcript[before:])

    def restart(self, index: int, head: bytes, reveal: RevealMark) -> None:
        """Restart the journal at the end of a record. The journal must be older than the copy of the match.

        Raises:
            StorageError: The journal cannot be written.
        """
        self._reveal = max(self._reveal, reveal)
        self.order = None
        self._rebase(Base(index, head), ())

    def _rebase(self, base: Base, messages: Sequence[SignedMessage]) -> None:
        """Move the base to another index in the transcript. Keep only the given messages after it."""
        self._signed = self._signed_from(base)
        self.base, self._transcript, self._unwritten = base, [*messages], []

    def _signed_from(self, base: Base) -> dict[Slot, bytes]:
        return {slot: data for slot, data in self._signed.items() if slot.anchor >= base.index}

    def _check_signable(self, message: Message, data: bytes) -> None:
        """Refuse a message if its anchor precedes the journal, or if its reveal was signed for a different throw."""
        if message.anchor < self.base.index:
            raise SlotUsedError(
                f"the {message.kind} was due after message {message.anchor}, but this seat's journal"
                f" begins at message {self.base.index}; nothing was sent"
            )
        if isinstance(message.body, Reveal):
            # A reveal also discloses all earlier reveals, so none may be skipped or signed for
            # another throw.
            mark = RevealMark.from_message(message.body.number, data)
            last_reveal = max(self._last_counter.reveal, self._reveal)
            is_used = mark.number <= last_reveal.number and mark != last_reveal
            if mark.number != self._reveal.number + 1 or is_used:
                raise SlotUsedError(
                    f"reveal {mark.number} was due, but this seat has sent reveals up to {last_reveal.number}"
                    " for other throws; nothing was sent"
                )

    def _store_signed(self, data: bytes) -> None:
        """Store a message that this seat has signed."""
        message = decode_message(self._match_id, data)
        self._signed[slot_of(message)] = data
        if isinstance(message.body, Reveal):
            self._reveal = max(self._reveal, RevealMark.from_message(message.body.number, data))

    def _write(self, fresh: Sequence[bytes]) -> None:
        """Write the pending messages and the messages that are about to be sent."""
        self._on_written([*self._adopted_messages, *fresh])

    def _publish(self) -> None:
        """Write the counter. Called after the journal has been written and before any message is sent."""

    def _on_written(self, signed: Sequence[bytes]) -> None:
        """Add messages that have been written to disk to the state in memory."""
        self._transcript += self._unwritten
        self._unwritten, self._adopted_messages = [], []
        for data in signed:
            self._store_signed(data)
            self.count = self.count.with_message(data)

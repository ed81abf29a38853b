"""What a seat has signed, by slot: at most one message per slot, and one throw per reveal (protocol 7, 2.4)."""

from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import Annotated, Final, NamedTuple

import msgspec

from netplay.fair.errors import SlotUsedError
from saves.fair.messages import Message, Reveal, SignedMessage, Slot, decode_message, slot_of
from saves.fair.signed_texts import BEFORE_FIRST, Index, OrderSignature


class Base(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Where the messages of a journal begin: the end of a complete record, or the start of the transcript."""

    index: Index = BEFORE_FIRST
    head: Annotated[bytes, msgspec.Meta(max_length=32)] = b""
    """Transcript hash there; empty at the start."""


class Signed(NamedTuple):
    """How many messages a seat has signed, with a hash of all of them."""

    messages: int
    digest: bytes

    def after(self, data: bytes) -> "Signed":
        """Return the count after one more message."""
        hashed = blake2b(self.digest, digest_size=32, person=b"fp7-count")
        hashed.update(data)
        return Signed(self.messages + 1, hashed.digest())


class RevealMark(NamedTuple):
    """The last reveal that a seat has signed."""

    number: int = -1
    digest: bytes = b""
    """Hash of the message, so that the reveal is given for no other throw."""

    @classmethod
    def of(cls, number: int, data: bytes) -> "RevealMark":
        """Return the mark of a reveal message."""
        return cls(number, blake2b(data, digest_size=32, person=b"fp7-mark").digest())


class Counter(NamedTuple):
    """What the counter in the other folder holds."""

    signed: Signed
    reveal: RevealMark


NOTHING: Final = Signed(0, bytes(32))


class SlotJournal:
    """Signs at most one message per slot, and repeats the same bytes for it; this one is kept in memory only."""

    def __init__(self, match_id: str, sign: Callable[[bytes], bytes]) -> None:
        """Begin without a signed message.

        Args:
            match_id: The match.
            sign: Returns the signature of the seat.
        """
        self._match_id = match_id
        self._sign = sign
        self._signed: dict[Slot, bytes] = {}
        self._reveal = RevealMark()
        self._counted = Counter(NOTHING, RevealMark())
        self._noted: list[SignedMessage] = []
        self._adopted: list[bytes] = []
        """Own messages that are known and not written yet."""
        self._kept: list[SignedMessage] = []
        self.base = Base()
        self.order: OrderSignature | None = None
        """The last signature of the host over the order of the transcript."""
        self.count = NOTHING

    @property
    def transcript(self) -> tuple[SignedMessage, ...]:
        """Return the messages of the transcript after the base."""
        return (*self._kept, *self._noted)

    @property
    def signed(self) -> tuple[bytes, ...]:
        """Return the messages that this seat has signed and that could be asked for again."""
        return tuple(self._signed.values())

    def signed_from(self, index: int) -> tuple[bytes, ...]:
        """Return the messages that this seat has signed whose anchor is a message or a later one."""
        return tuple(data for slot, data in self._signed.items() if slot.anchor >= index)

    def signed_at(self, slot: Slot) -> bytes | None:
        """Return the message that this seat has signed for a slot, None when there is none."""
        return self._signed.get(slot)

    def sign_once(self, messages: Sequence[bytes]) -> tuple[SignedMessage, ...]:
        """Return messages with their signatures, after they are on the disk with all that was noted before.

        Raises:
            SlotUsedError: A slot holds other bytes, or the journal does not reach back to the anchor.
            StorageError: The disk refused. Nothing may be sent; the same call may be repeated.
        """
        fresh: dict[Slot, bytes] = {}
        if self._adopted:
            self._write(())
        for data in messages:
            message = decode_message(self._match_id, data)
            slot = slot_of(message)
            known = self._signed.get(slot, fresh.get(slot))
            if known is None:
                self._check(message, data)
                fresh[slot] = data
            elif known != data:
                raise SlotUsedError(
                    f"this seat has signed another {message.kind} after message {message.anchor};"
                    " nothing was sent"
                )
        if fresh:
            self._write([*fresh.values()])
        else:
            self._publish()
        return tuple(SignedMessage(data, self._sign(data)) for data in messages)

    def note(
        self, messages: Sequence[SignedMessage], order: OrderSignature, adopted: Sequence[bytes]
    ) -> None:
        """Remember accepted messages of the transcript; they are written with the next signed message.

        Args:
            messages: The messages that follow those in :attr:`transcript`.
            order: The signature of the host over their order.
            adopted: Those of this seat that the journal lacked; they are written at once.

        Raises:
            StorageError: The disk refused to write what was adopted.
        """
        self._noted += messages
        self.order = order
        for data in adopted:
            self._adopted.append(data)
            self._hold(data)
        if adopted:
            self.sync()

    def sync(self) -> None:
        """Write what was noted.

        Raises:
            StorageError: The disk refused.
        """
        self._write(())

    def forget_transcript(self, index: int) -> None:
        """Drop the messages after an index, or all if the journal begins later; what was signed stays.

        They are fetched again with the records that the copy of the match lacks.

        Raises:
            StorageError: The disk refused.
        """
        self.order = None
        self._rebase(self.base, self.transcript[: max(0, index - self.base.index)])

    def compact(self, index: int, head: bytes) -> None:
        """Forget what was before the end of a complete record that is kept elsewhere.

        Slots with an older anchor are never signed from then on.

        Raises:
            StorageError: The disk refused.
        """
        before = index - self.base.index
        if before < 0:
            return
        assert 0 <= before <= len(self.transcript), "the record is in the journal"
        self._rebase(Base(index, head), self.transcript[before:])

    def restart(self, index: int, head: bytes, reveal: RevealMark) -> None:
        """Begin again at the end of a record, because the journal is older than the copy of the match.

        Raises:
            StorageError: The disk refused.
        """
        self._reveal = max(self._reveal, reveal)
        self.order = None
        self._rebase(Base(index, head), ())

    def _rebase(self, base: Base, messages: Sequence[SignedMessage]) -> None:
        """Begin at another place of the transcript, with these messages after it."""
        self._signed = self._signed_from(base)
        self.base, self._kept, self._noted = base, [*messages], []

    def _signed_from(self, base: Base) -> dict[Slot, bytes]:
        return {slot: data for slot, data in self._signed.items() if slot.anchor >= base.index}

    def _check(self, message: Message, data: bytes) -> None:
        """Refuse a message that would be the second one for something that only one may be signed for."""
        if message.anchor < self.base.index:
            raise SlotUsedError(
                f"the {message.kind} was due after message {message.anchor}, and the journal of this seat"
                f" begins at message {self.base.index}; nothing was sent"
            )
        if isinstance(message.body, Reveal):
            mark = RevealMark.of(message.body.number, data)
            given = max(self._counted.reveal, self._reveal)
            is_given = mark.number <= given.number and mark != given
            if mark.number != self._reveal.number + 1 or is_given:
                raise SlotUsedError(
                    f"reveal {mark.number} was due, and this seat has sent reveals up to {given.number}"
                    " for other throws; nothing was sent"
                )

    def _hold(self, data: bytes) -> None:
        """Remember that a message is signed."""
        message = decode_message(self._match_id, data)
        self._signed[slot_of(message)] = data
        if isinstance(message.body, Reveal):
            self._reveal = max(self._reveal, RevealMark.of(message.body.number, data))

    def _write(self, fresh: Sequence[bytes]) -> None:
        """Write what was noted and what is about to be sent."""
        self._settle([*self._adopted, *fresh])

    def _publish(self) -> None:
        """Write the counter, after the journal and before a message is sent."""

    def _settle(self, signed: Sequence[bytes]) -> None:
        """Follow what is written."""
        self._kept += self._noted
        self._noted, self._adopted = [], []
        for data in signed:
            self._hold(data)
            self.count = self.count.after(data)

"""The journal of a seat: what it has signed, by slot, and the transcript since the last complete record (2.4, 2.8).

:class:`SlotJournal` keeps both in memory. :class:`SeatJournal` writes them to a file before anything is sent, and keeps
a counter of the signed messages in another folder, so that a journal restored from a backup is noticed.
"""

from collections.abc import Callable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Annotated, Final, Literal, NamedTuple

import msgspec

from engine.kernel.errors import DataError
from engine.kernel.ids import Role
from netplay.fair.errors import SeatInUseError, SeatResumingError, SlotUsedError
from netplay.fair.frame_file import MAX_BYTES, FrameFile
from netplay.fair.private_file import IN_USE
from saves.decoding import canonical, decode
from saves.errors import LogInUseError, UnreadableError
from saves.fair.derivation import pack
from saves.fair.messages import (
    Bytes32,
    Message,
    Reveal,
    SignedMessage,
    Slot,
    decode_message,
    slot_of,
)
from saves.fair.signed_texts import BEFORE_FIRST, Index, OrderSignature
from saves.files import FILES, Files, make_folder
from saves.logfile import locked

COUNTER_SUFFIX: Final = ".count7"
COMPACT_BYTES: Final = 1 << 18
"""A journal is rewritten when it is longer than this."""
_COUNTER_FRAMES: Final = 4_096


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
_DOUBTFUL: Final = Signed(0, b"\xff" * 32)
"""In the counter while the seat knows that its journal is not complete."""


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

    def forget_transcript(self) -> None:
        """Drop the messages after the base, because the copy of the match does not reach the base; they are fetched.

        Raises:
            StorageError: The disk refused.
        """
        self.order = None
        self._rebase(self.base, ())

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
                f"a {message.kind} was due after message {message.anchor}, and the journal of this seat"
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


class _Head(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    format: Literal["flagplot-journal/7"]
    match: str
    role: str
    base: Base
    order: OrderSignature | None
    count: int
    digest: Bytes32
    """Of all messages that were signed before this frame was written."""
    reveal: RevealMark
    signed: tuple[bytes, ...]


class _Batch(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    messages: tuple[SignedMessage, ...]
    order: OrderSignature | None
    signed: tuple[bytes, ...]


_HEAD: Final = msgspec.msgpack.Decoder(_Head)
_BATCH: Final = msgspec.msgpack.Decoder(_Batch)
_COUNTER: Final = msgspec.msgpack.Decoder(Counter)


class SeatJournal(SlotJournal):
    """The journal of a seat on the disk."""

    def __init__(
        self,
        path: Path,
        counters: Path,
        match_id: str,
        role: Role,
        sign: Callable[[bytes], bytes],
        files: Files = FILES,
    ) -> None:
        """Read the journal, or begin a new one.

        Args:
            path: The file.
            counters: Folder of the counters, in another place than the file.
            match_id: The match.
            role: The seat.
            sign: Returns the signature of the seat.
            files: The disk.

        Raises:
            SeatInUseError: Another program of this account uses the seat, perhaps with a copy of its files.
            DataError: A file is damaged, or belongs to another seat.
            StorageError: The disk refused.
        """
        super().__init__(match_id, sign)
        self._role = role
        make_folder(counters)
        counter = counters / counter_name(match_id, role)
        try:
            self._lock = locked(counter)
        except LogInUseError as error:
            raise SeatInUseError(IN_USE) from error
        self._files: list[FrameFile] = []
        try:
            self._file = self._opened(path, files)
            self._counter = self._opened(counter, files)
            self._start()
        except BaseException:
            self.close()
            raise

    def _opened(self, path: Path, files: Files) -> FrameFile:
        file = FrameFile(path, files)
        self._files.append(file)
        return file

    @property
    def dropped(self) -> int:
        """Return how many bytes of an unfinished write were dropped at the start; nothing of them was sent."""
        return self._file.dropped

    def confirm(self) -> None:
        """Accept the journal as complete, after all other seats have answered and the match is caught up.

        Raises:
            StorageError: The disk refused.
        """
        self.is_complete = True
        self._publish()

    def distrust(self) -> None:
        """Sign nothing before :meth:`confirm`, also after a restart: the journal lacks messages or is missing.

        Raises:
            StorageError: The disk refused.
        """
        self.is_complete = False
        if self._counted.signed != _DOUBTFUL:
            self._count(_DOUBTFUL)

    def mend(self) -> None:
        """Continue after the disk has refused.

        Raises:
            StorageError: It still refuses.
        """
        for file in self._files:
            file.mend()

    def close(self) -> None:
        """Release the files and the lock; a second call has no effect."""
        for file in self._files:
            file.close()
        self._lock.release()

    # -- reading

    def _start(self) -> None:
        self.is_new = not self._file.frames and not self._counter.frames
        """Whether the seat starts for the first time."""
        before = self._read()
        try:
            if self._counter.frames:
                self._counted = _COUNTER.decode(self._counter.frames[-1])
        except msgspec.MsgspecError as error:
            raise self._damaged(self._counter) from error
        self.is_complete = self._counted.signed in {self.count, before}
        """Whether the counter confirms that no signed message is missing."""
        if not self._file.frames:
            self._file.append(self._head(self.base))
        if self.is_complete:
            self._publish()

    def _read(self) -> Signed:
        """Read the frames; returns the count before the last one, after which the program may have ended."""
        before = self.count
        try:
            for number, frame in enumerate(self._file.frames):
                before = self.count
                if number:
                    self._take(decode(_BATCH, frame, MAX_BYTES))
                else:
                    before = self._take_head(decode(_HEAD, frame, MAX_BYTES))
        except UnreadableError as error:
            raise self._damaged(self._file) from error
        return before

    def _take_head(self, head: _Head) -> Signed:
        if (head.match, head.role) != (self._match_id, self._role):
            raise DataError(str(self._file.path), "", "this is the journal of another seat")
        for data in head.signed:
            self._hold(data)
        self.base, self.order, self._reveal = head.base, head.order, head.reveal
        self.count = Signed(head.count, head.digest)
        return self.count

    def _take(self, batch: _Batch) -> None:
        self._noted += batch.messages
        self.order = batch.order
        self._settle(batch.signed)

    @staticmethod
    def _damaged(file: FrameFile) -> DataError:
        return DataError(str(file.path), "", "the journal of this seat is damaged")

    # -- writing

    def sign_once(self, messages: Sequence[bytes]) -> tuple[SignedMessage, ...]:
        """Return messages with their signatures, after they are on the disk with all that was noted before.

        Raises:
            SeatResumingError: The counter does not confirm the journal.
            SlotUsedError: A slot holds other bytes, or the journal does not reach back to the anchor.
            StorageError: The disk refused. Nothing may be sent; the same call may be repeated.
        """
        if not self.is_complete:
            raise SeatResumingError("the journal of this seat is older than its counter")
        return super().sign_once(messages)

    def _write(self, fresh: Sequence[bytes]) -> None:
        signed = [*self._adopted, *fresh]
        if signed or self._noted:
            self._file.append(canonical(_Batch(tuple(self._noted), self.order, tuple(signed))))
            self._settle(signed)
        self._publish()

    def _publish(self) -> None:
        if self.is_complete and self._counted.signed != self.count:
            self._count(self.count)

    def _count(self, signed: Signed) -> None:
        counted = Counter(signed, max(self._counted.reveal, self._reveal))
        content = canonical(counted)
        if len(self._counter.frames) < _COUNTER_FRAMES:
            self._counter.append(content)
        else:
            self._counter.replace([content])
        self._counted = counted

    def compact(self, index: int, head: bytes) -> None:
        """Forget what was before the end of a complete record that is kept elsewhere, once the journal is long.

        Raises:
            StorageError: The disk refused.
        """
        if self._file.size > COMPACT_BYTES:
            super().compact(index, head)

    def _rebase(self, base: Base, messages: Sequence[SignedMessage]) -> None:
        if self._adopted:
            self.sync()
        self._publish()
        signed = tuple(self._signed_from(base).values())
        frames = [self._head(base, signed)]
        if messages:
            frames.append(canonical(_Batch(tuple(messages), self.order, ())))
        self._file.replace(frames)
        super()._rebase(base, messages)

    def _head(self, base: Base, signed: tuple[bytes, ...] = ()) -> bytes:
        reveal = self._reveal
        seat = (self._match_id, self._role)
        return canonical(
            _Head("flagplot-journal/7", *seat, base, self.order, *self.count, reveal, signed)
        )


def counter_name(match_id: str, role: Role) -> str:
    """Return the file name of a counter; a match id from outside never becomes part of a path."""
    digest = blake2b(pack((match_id, role)), digest_size=16, person=b"fp7-counter")
    return digest.hexdigest() + COUNTER_SUFFIX

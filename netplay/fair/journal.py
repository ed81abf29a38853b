"""The journal of a seat on the disk: what it has signed, and the transcript since the last complete record (2.8).

Both are written before anything is sent. A counter of the signed messages is kept in another folder, so that a journal
restored from a backup is noticed.
"""

from collections.abc import Callable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Final, Literal

import msgspec

from engine.kernel.errors import DataError
from engine.kernel.ids import Role
from netplay.fair.errors import SeatInUseError, SeatResumingError, SlotUsedError
from netplay.fair.frame_file import MAX_BYTES, FrameFile, read_frames
from netplay.fair.private_file import IN_USE
from netplay.fair.slots import Base, Counter, RevealMark, Signed, SlotJournal
from saves.decoding import canonical, decode
from saves.errors import LogInUseError, UnreadableError
from saves.fair.derivation import pack
from saves.fair.messages import Bytes32, Message, SignedMessage, decode_message
from saves.fair.signed_texts import OrderSignature
from saves.files import FILES, Files, make_folder
from saves.logfile import locked

COUNTER_SUFFIX: Final = ".count7"
COMPACT_BYTES: Final = 1 << 18
"""A journal is rewritten when it is longer than this."""
_COUNTER_FRAMES: Final = 4_096


_DOUBTFUL: Final = Signed(0, b"\xff" * 32)
"""In the counter while the seat knows that its journal is not complete."""
_RETIRED: Final = Signed(0, b"\xfe" * 32)
"""In the counter after the match is closed: the seat signs nothing more."""


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
            raise SeatInUseError(IN_USE, error) from error
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
        if self._counted.signed not in {_DOUBTFUL, _RETIRED}:
            self._count(_DOUBTFUL)

    @property
    def is_retired(self) -> bool:
        """Return whether the match was closed, so that the seat signs nothing more, also with restored files."""
        return self._counted.signed == _RETIRED

    def retire(self) -> None:
        """Sign nothing more, because the match is closed; the counter shrinks to one frame, which must stay.

        Without it a journal from a backup would pass for one whose counter is lost, and sign again once all other
        seats, which may be dishonest, have answered. With it such a journal signs nothing at all.

        Raises:
            StorageError: The disk refused.
        """
        if self.is_retired:
            return
        self.mend()
        counted = Counter(_RETIRED, max(self._counted.reveal, self._reveal))
        self._counter.replace([canonical(counted)])
        self._counted = counted

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
        self.is_complete = self._counted.signed in {self.count, before, _RETIRED}
        """Whether the counter confirms that no signed message is missing, or that nothing will be signed."""
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
            SlotUsedError: A slot holds other bytes, the anchor is before the journal, or the match is closed.
            StorageError: The disk refused. Nothing may be sent; the same call may be repeated.
        """
        if self.is_retired and messages:
            raise SlotUsedError("this seat has followed the match to its close; nothing was sent")
        if not self.is_complete:
            raise SeatResumingError("the journal of this seat is older than its counter")
        return super().sign_once(messages)

    def _write(self, fresh: Sequence[bytes]) -> None:
        self.mend()
        signed = [*self._adopted, *fresh]
        if signed or self._noted:
            self._file.append(canonical(_Batch(tuple(self._noted), self.order, tuple(signed))))
            self._settle(signed)
        self._publish()

    def _publish(self) -> None:
        if self.is_complete and self._counted.signed not in {self.count, _RETIRED}:
            self._count(self.count)

    def _count(self, signed: Signed) -> None:
        self.mend()
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
        self.mend()
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


def opening_messages(path: Path, match_id: str, role: Role) -> tuple[Message, ...]:
    """Return the messages in a journal that begins with the transcript, those that the seat has signed first.

    Changes nothing and takes no lock. Empty if the journal begins later, so that the copy has had the opening.

    Raises:
        DataError: It is damaged, or belongs to another seat.
        UnreadableError: A frame or a message is.
        StorageError: It cannot be read.
    """
    first, *others = read_frames(path) or [b""]
    head = decode(_HEAD, first, MAX_BYTES)
    if (head.match, head.role) != (match_id, role):
        raise DataError(str(path), "", "this is the journal of another seat")
    if head.base != Base():
        return ()
    batches = [decode(_BATCH, frame, MAX_BYTES) for frame in others]
    own = [*head.signed, *(data for batch in batches for data in batch.signed)]
    received = (signed.data for batch in batches for signed in batch.messages)
    return tuple(decode_message(match_id, data) for data in (*own, *received))


def counter_name(match_id: str, role: Role) -> str:
    """Return the file name of a counter; a match id from outside never becomes part of a path."""
    digest = blake2b(pack((match_id, role)), digest_size=16, person=b"fp7-counter")
    return digest.hexdigest() + COUNTER_SUFFIX

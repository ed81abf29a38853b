"""Stores a seat's journal on disk: its signed messages, and the transcript since the last complete record (2.8).

The messages and the transcript are written to disk before anything is sent. The number of signed messages is also
stored in another folder, so that a journal restored from a backup is detected.
"""

from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Final, Literal

import msgspec
from typing_extensions import override

from engine.kernel.errors import DataError
from engine.kernel.ids import Role
from netplay.journal.errors import SeatInUseError, SeatResumingError, SlotUsedError
from netplay.journal.frame_file import MAX_BYTES, FrameFile, read_frames
from netplay.journal.private_file import IN_USE
from netplay.journal.slots import (
    Base,
    RevealMark,
    SignatureCounter,
    SignedCount,
    SlotJournal,
    SlotMark,
)
from saves.decoding import canonical, decode
from saves.errors import LogInUseError, UnreadableError
from saves.fair.derivation import pack
from saves.fair.messages import Bytes32, Message, SignedMessage, decode_message, slot_of
from saves.fair.signed_texts import OrderSignature
from saves.files import FILES, Files, make_folder
from saves.logfile import lock_path

COUNTER_SUFFIX: Final = ".count7"
COMPACT_BYTES: Final = 1 << 18
"""A journal is rewritten when it is longer than this many bytes."""
_COUNTER_FRAMES: Final = 4_096


_INCOMPLETE: Final = SignedCount(0, b"\xff" * 32)
"""Special counter value for a journal that is known to be incomplete."""
_RETIRED: Final = SignedCount(0, b"\xfe" * 32)
"""Special counter value for a seat that never signs again, because the match is closed."""


class _Head(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    format: Literal["flagplot-journal/7"]
    match: str
    role: str
    base: Base
    order: OrderSignature | None
    count: int
    digest: Bytes32
    """Hash of all messages that were signed before this frame was written."""
    reveal: RevealMark
    signed: tuple[bytes, ...]


class _Batch(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    messages: tuple[SignedMessage, ...]
    order: OrderSignature | None
    signed: tuple[bytes, ...]


_HEAD_DECODER: Final = msgspec.msgpack.Decoder(_Head)
_BATCH_DECODER: Final = msgspec.msgpack.Decoder(_Batch)
_COUNTER_DECODER: Final = msgspec.msgpack.Decoder(SignatureCounter)


class SeatJournal(SlotJournal):
    """A :class:`SlotJournal` that is stored on disk."""

    def __init__(
        self,
        path: Path,
        counters: Path,
        match_id: str,
        role: Role,
        sign: Callable[[bytes], bytes],
        files: Files = FILES,
    ) -> None:
        """Read the journal, or start a new one.

        Args:
            path: The journal file.
            counters: The folder for counters, which must differ from the journal's folder.
            match_id: The match.
            role: The seat's role.
            sign: Returns the seat's signature for a message.
            files: File operations to use.

        Raises:
            SeatInUseError: Another program on this account is using the seat, possibly with a copy of its files.
            DataError: A file is damaged or belongs to another seat.
            StorageError: A file cannot be read or written.
        """
        super().__init__(match_id, sign)
        self._role = role
        self._marks: dict[bytes, bytes] = {}
        """For each slot in the counter, the digest of the message signed for that slot."""
        self._unmarked: list[bytes] = []
        """Signed messages whose slots are not in the counter yet."""
        make_folder(counters)
        counter = counters / counter_name(match_id, role)
        try:
            # The lock on the counter also excludes a program that uses a copy of the seat's files
            # in another folder.
            self._lock = lock_path(counter)
        except LogInUseError as error:
            raise SeatInUseError(IN_USE, error) from error
        self._files: list[FrameFile] = []
        try:
            self._file = self._open_file(path, files)
            self._counter = self._open_file(counter, files)
            self._load()
        except BaseException:
            self.close()
            raise

    def _open_file(self, path: Path, files: Files) -> FrameFile:
        file = FrameFile(path, files)
        self._files.append(file)
        return file

    @property
    def dropped(self) -> int:
        """Return the number of bytes from an incomplete write that were dropped when the journal was opened.

        No message in an incomplete write had been sent.
        """
        return self._file.dropped

    def mark_complete(self) -> None:
        """Mark the journal as complete. Call this once all other seats have replied and the seat has caught up.

        Raises:
            StorageError: The counter cannot be written.
        """
        self.is_complete = True
        self._publish()

    def mark_incomplete(self) -> None:
        """Block signing until :meth:`mark_complete`, even across restarts. Call this if messages are missing.

        Raises:
            StorageError: The counter cannot be written.
        """
        self.is_complete = False
        if self._last_counter.signed not in {_INCOMPLETE, _RETIRED}:
            self._write_counter(_INCOMPLETE)

    @property
    def is_retired(self) -> bool:
        """Return whether the match is closed. In that case, the seat never signs again, even from restored files."""
        return self._last_counter.signed == _RETIRED

    def retire(self) -> None:
        """Stop signing permanently, because the match is closed.

        The counter is reduced to one frame, which must be kept.

        If the counter were deleted, a journal restored from a backup would look like a journal whose counter was lost.
        The seat would then sign again once all other seats, which may be dishonest, had replied.

        Raises:
            StorageError: The counter cannot be written.
        """
        if self.is_retired:
            return
        self.recover()
        retired = SignatureCounter(_RETIRED, max(self._last_counter.reveal, self._reveal))
        self._counter.replace([canonical(retired)])
        self._last_counter = retired

    def recover(self) -> None:
        """Recover from a failed write.

        Raises:
            StorageError: Writing still fails.
        """
        for file in self._files:
            file.recover()

    def close(self) -> None:
        """Release the files and the lock. Further calls have no effect."""
        for file in self._files:
            file.close()
        self._lock.release()

    # -- reading

    def _load(self) -> None:
        self.is_new = not self._file.frames and not self._counter.frames
        """True if the seat is being started for the first time."""
        previous_count = self._read_frames()
        try:
            for frame in self._counter.frames:
                self._last_counter = _COUNTER_DECODER.decode(frame)
                self._marks.update(self._last_counter.marks)
        except msgspec.MsgspecError as error:
            raise self._damage_error(self._counter) from error
        self._unmarked = [
            data
            for slot, data in self._signed.items()
            if SlotMark.from_message(slot, data).slot not in self._marks
        ]
        # After a crash, the counter may be one frame behind, because the journal is written first.
        self.is_complete = self._last_counter.signed in {self.count, previous_count, _RETIRED}
        """True if the counter shows that no signed message is missing, or that the seat never signs again."""
        if not self._file.frames:
            self._file.append(self._head(self.base))
        if self.is_complete:
            self._publish()

    def _read_frames(self) -> SignedCount:
        """Read the frames, and return the count of signed messages as of the second-to-last frame.

        The counter still has this value if the program crashed right after writing the last frame.
        """
        previous_count = self.count
        try:
            for number, frame in enumerate(self._file.frames):
                previous_count = self.count
                if number:
                    self._apply_batch(decode(_BATCH_DECODER, frame, MAX_BYTES))
                else:
                    previous_count = self._apply_head(decode(_HEAD_DECODER, frame, MAX_BYTES))
        except UnreadableError as error:
            raise self._damage_error(self._file) from error
        return previous_count

    def _apply_head(self, head: _Head) -> SignedCount:
        if (head.match, head.role) != (self._match_id, self._role):
            raise DataError(str(self._file.path), "", "this is the journal of another seat")
        for data in head.signed:
            self._store_signed(data)
        self.base, self.order, self._reveal = head.base, head.order, head.reveal
        self.count = SignedCount(head.count, head.digest)
        return self.count

    def _apply_batch(self, batch: _Batch) -> None:
        self._unwritten += batch.messages
        self.order = batch.order
        self._on_written(batch.signed)

    @staticmethod
    def _damage_error(file: FrameFile) -> DataError:
        return DataError(str(file.path), "", "this seat's journal is damaged")

    # -- writing

    @override
    def sign_once(self, messages: Sequence[bytes]) -> tuple[SignedMessage, ...]:
        """Write messages to disk, together with everything that is still unwritten, and sign the messages.

        Raises:
            SeatResumingError: The counter does not confirm that the journal is complete.
            SlotUsedError: A slot already contains other bytes, an anchor precedes the journal, or the match is closed.
            StorageError: The journal cannot be written. The caller must not send anything, but may call this again.
        """
        if self.is_retired and messages:
            raise SlotUsedError("the match is closed for this seat; nothing was sent")
        if not self.is_complete:
            raise SeatResumingError("this seat's journal is older than its counter")
        return super().sign_once(messages)

    @override
    def _write(self, fresh: Sequence[bytes]) -> None:
        self.recover()
        # The journal is written before the counter. Otherwise, a crash could leave the counter ahead and block the seat
        # needlessly.
        signed = [*self._adopted_messages, *fresh]
        if signed or self._unwritten:
            self._file.append(canonical(_Batch(tuple(self._unwritten), self.order, tuple(signed))))
            self._on_written(signed)
            self._unmarked += signed
        self._publish()

    @override
    def _publish(self) -> None:
        if self.is_complete and self._last_counter.signed not in {self.count, _RETIRED}:
            self._write_counter(self.count)

    def _write_counter(self, signed: SignedCount) -> None:
        self.recover()
        new_marks = {}
        for data in self._unmarked:
            mark = SlotMark.from_message(slot_of(decode_message(self._match_id, data)), data)
            new_marks[mark.slot] = mark.message
        reveal = max(self._last_counter.reveal, self._reveal)
        new_counter = SignatureCounter(signed, reveal, _sorted_marks(new_marks))
        if len(self._counter.frames) < _COUNTER_FRAMES:
            self._counter.append(canonical(new_counter))
        else:
            # An appended frame contains only the new marks. This frame replaces all others, so it
            # must contain every mark.
            with_all_marks = new_counter._replace(marks=_sorted_marks(self._marks | new_marks))
            self._counter.replace([canonical(with_all_marks)])
        self._marks |= new_marks
        self._unmarked = []
        self._last_counter = new_counter

    @override
    def _check_signable(self, message: Message, data: bytes) -> None:
        """Also refuse a message if the counter shows that the seat has signed a different message for the slot."""
        super()._check_signable(message, data)
        mark = SlotMark.from_message(slot_of(message), data)
        if self._marks.get(mark.slot, mark.message) != mark.message:
            raise SlotUsedError(
                f"this seat has signed another {message.kind} after message {message.anchor}, which is missing"
                " from its journal; nothing was sent"
            )

    @override
    def compact(self, index: int, head: bytes) -> None:
        """If the journal is too long, drop all messages up to the end of a record that the copy contains.

        Raises:
            StorageError: The journal cannot be written.
        """
        # A longer file takes longer to read at the start, but rewriting the file after each record
        # would cost more.
        if self._file.size > COMPACT_BYTES:
            super().compact(index, head)

    @override
    def _rebase(self, base: Base, messages: Sequence[SignedMessage]) -> None:
        self.recover()
        if self._adopted_messages:
            self.sync()
        self._publish()
        # The counter is written first, because it must contain a mark for every message that the
        # journal drops.
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


def _sorted_marks(marks: Mapping[bytes, bytes]) -> tuple[SlotMark, ...]:
    return tuple(SlotMark(*mark) for mark in marks.items())


def opening_messages(path: Path, match_id: str, role: Role) -> tuple[Message, ...]:
    """Return the messages in a journal that contains the start of the transcript. The seat's own messages come first.

    The file is not changed or locked. If the journal starts later, the result is empty, because the copy already
    contains the opening.

    Raises:
        DataError: The journal is damaged or belongs to another seat.
        UnreadableError: A frame or a message cannot be decoded.
        StorageError: The journal cannot be read.
    """
    first, *later_frames = read_frames(path) or [b""]
    head = decode(_HEAD_DECODER, first, MAX_BYTES)
    if (head.match, head.role) != (match_id, role):
        raise DataError(str(path), "", "this is the journal of another seat")
    if head.base != Base():
        return ()
    batches = [decode(_BATCH_DECODER, frame, MAX_BYTES) for frame in later_frames]
    own_data = [*head.signed, *(data for batch in batches for data in batch.signed)]
    received = (signed.data for batch in batches for signed in batch.messages)
    return tuple(decode_message(match_id, data) for data in (*own_data, *received))


def counter_name(match_id: str, role: Role) -> str:
    """Return the file name for a counter.

    The match id is hashed, so that untrusted ids never become part of a path.
    """
    digest = blake2b(pack((match_id, role)), digest_size=16, person=b"fp7-counter")
    return digest.hexdigest() + COUNTER_SUFFIX

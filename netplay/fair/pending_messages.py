"""Stores the messages for the next record on the host's disk, and serves them as a byte stream from any offset.

The host writes the messages to a file next to the record (``MATCH.pending7``, mode 0600) before any seat receives them.
A restarted host therefore continues with the same transcript.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from engine.kernel.errors import DataError
from engine.kernel.ids import Role
from netplay.fair.ordered_match import OrderedMatch
from netplay.fair.waiting_texts import LATE_SECONDS
from netplay.journal.frame_file import FrameFile
from netplay.wire.messages import CHUNK_BYTES, PendingPart
from saves.decoding import canonical, decode
from saves.errors import UnreadableError
from saves.fair.due_messages import due_messages
from saves.fair.messages import HOST, Consent, Offer, SignedMessage, decode_message
from saves.fair.signed_texts import OrderedBatch
from saves.fair.state import TranscriptPhase
from saves.logfile import SUFFIX as LOG_SUFFIX

SUFFIX: Final = ".pending7"
_MAX_BYTES: Final = 1 << 26
_LENGTH_BYTES: Final = 4
"""Size of the length prefix on each batch in the stream."""


class _Frame(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A frame in the file, which contains messages that were written together.

    A frame without messages shows how many messages the record contains.
    """

    after: int
    """Index of the last message before the frame."""
    messages: tuple[SignedMessage, ...]
    remark: str = ""


_FRAME_DECODER: Final = msgspec.msgpack.Decoder(_Frame)
_BATCH_DECODER: Final = msgspec.msgpack.Decoder(OrderedBatch)


def read_batches(data: bytes | bytearray, start: int = 0) -> Iterator[tuple[OrderedBatch, int]]:
    """Yield the complete batches in a stream, each with its end offset.

    Raises:
        UnreadableError: A batch cannot be decoded.
    """
    while len(data) >= start + _LENGTH_BYTES:
        end = start + _LENGTH_BYTES + int.from_bytes(data[start : start + _LENGTH_BYTES], "big")
        if len(data) < end:
            return
        yield decode(_BATCH_DECODER, bytes(data[start + _LENGTH_BYTES : end]), _MAX_BYTES), end
        start = end


class PendingMessages:
    """The messages of one match since its last record."""

    def __init__(
        self, match: OrderedMatch[Any], path: Path, now: Callable[[], float] = time.monotonic
    ) -> None:
        """Continue from the file left behind by the previous host process.

        Args:
            match: The host's copy. Its signing key must already be set.
            path: The file.
            now: Returns the seconds since the host started.

        Raises:
            StorageError: The file cannot be read.
            DataError: The file is damaged, or the match's record lacks messages that precede those in the file.
        """
        self.match = match
        self.remark = ""
        """The player's remark about the pending command."""
        self._now = now
        self._quiet_since = now()
        self._file = FrameFile(path)
        self._has_stored_messages = False
        """True if the file contains messages."""
        self._unsaved: list[SignedMessage] = []
        """Accepted messages that are not on disk yet."""
        self.count = 0
        """Number of messages received so far for the next record."""
        self._stream = bytearray()
        self._position = match.fair_state.index, match.fair_state.head
        """Index and transcript hash of the last message that the stream or a record contains."""
        try:
            for frame in self._file.frames:
                self._replay(decode(_FRAME_DECODER, frame, _MAX_BYTES))
        except UnreadableError as error:
            raise DataError(str(path), "", "the pending messages are damaged") from error

    def _replay(self, frame: _Frame) -> None:
        """Add the messages in a frame to the stream, except those that a record already contains.

        Raises:
            UnreadableError: The messages do not continue the transcript.
            DataError: Earlier messages are missing.
        """
        index = self.match.fair_state.index
        self._has_stored_messages |= bool(frame.messages)
        if frame.after > index:
            raise self._missing_error(index + 1, frame.after)
        # After a crash between storing a record and emptying this file, the record already contains
        # these messages.
        fresh = frame.messages[index - frame.after :]
        if not fresh:
            return
        for signed in fresh:
            refusal = self.match.restore(signed)
            if refusal is not None:
                raise UnreadableError(refusal.problem)
        self.remark = frame.remark or self.remark
        self.count += len(fresh)
        self._append_batch(fresh)

    def _missing_error(self, first: int, last: int) -> DataError:
        # An honest host never loses a record before this file is emptied. If the host continued
        # from the older record, it would sign a second transcript.
        path = self._file.path
        record_path = path.with_name(f"{self.match.header.match_id}{LOG_SUFFIX}")
        problem = (
            f"this record is older than {path.name} and lacks messages {first} to {last}, which the host has already"
            " signed; restore the latest version of the record to continue the match, and keep both files"
        )
        return DataError(str(record_path), "", problem)

    @property
    def index(self) -> int:
        """Return the index of the last message on disk."""
        return self._position[0]

    # -- waiting

    @property
    def is_empty(self) -> bool:
        """Return whether the next record has no messages yet."""
        return not self._unsaved and not self._stream

    @property
    def missing(self) -> tuple[Role, ...]:
        """Return the seats whose programs must send a message now."""
        state = self.match.fair_state
        # A consent is a decision by the player, so a missing consent does not make the program
        # late.
        if state.phase is TranscriptPhase.CONSENT:
            return ()
        authors = (message.author for message in due_messages(state) if message.author != HOST)
        return tuple(dict.fromkeys(authors))

    @property
    def quiet_seconds(self) -> float:
        """Return for how many seconds the seats could have sent a message but did not.

        Offers and the answers to them do not count as messages.
        """
        return self._now() - self._quiet_since

    def restart_quiet_time(self) -> None:
        """Restart the quiet time from zero. It measures how long the match has waited for the seats' messages."""
        self._quiet_since = self._now()

    def _restart_quiet_time_after(self, messages: Sequence[SignedMessage]) -> None:
        """Restart the quiet time, unless all of the messages are offers or answers to offers.

        The match waits for the same commands as before an offer. A side could otherwise delay the match by means of
        offers that its own roles decline.
        """
        match_id = self.match.header.match_id
        bodies = (decode_message(match_id, signed.data).body for signed in messages)
        if not all(isinstance(body, Offer | Consent) for body in bodies):
            self.restart_quiet_time()

    @property
    def is_late(self) -> bool:
        """Return whether a message is so long overdue that all connections must be notified."""
        is_waiting = self.match.fair_state.phase is not TranscriptPhase.IDLE
        return is_waiting and self.quiet_seconds > LATE_SECONDS

    @property
    def is_stored(self) -> bool:
        """Return whether all messages are on disk."""
        return not self._unsaved

    # -- receiving and sending

    def add(self, signed: SignedMessage) -> None:
        """Queue a message that the match has accepted."""
        self._unsaved.append(signed)
        self.count += 1
        self._restart_quiet_time_after((signed,))

    def next_frame(self) -> tuple[int, bytes]:
        """Return the number of unwritten messages, and the frame in which to write them."""
        frame = _Frame(self._position[0], tuple(self._unsaved), self.remark)
        return len(self._unsaved), canonical(frame)

    def write(self, frame: bytes) -> None:
        """Write a frame and sync it. This may run in a separate thread.

        Raises:
            StorageError: The file cannot be written.
        """
        # An earlier write may have failed and left the file unusable. It is rebuilt here, in case
        # the disk works again.
        self._file.recover()
        self._file.append(frame)
        self._has_stored_messages = True

    def publish(self, count: int) -> None:
        """Make the given number of messages available to the seats. They must already be on disk."""
        assert count == len(self._unsaved), "no message may be accepted during a write"
        fresh, self._unsaved = tuple(self._unsaved), []
        self._append_batch(fresh)
        self._restart_quiet_time_after(fresh)

    def _append_batch(self, messages: tuple[SignedMessage, ...]) -> None:
        # The host signs only messages that are on disk. Otherwise, a crash could make the host sign
        # two transcripts.
        order = self.match.order_signature()
        batch = OrderedBatch(*self._position, messages, order.signature)
        data = canonical(batch)
        self._stream += len(data).to_bytes(_LENGTH_BYTES, "big") + data
        self._position = batch.last, self.match.fair_state.head

    def next_part(self, received_bytes: int) -> PendingPart | None:
        """Return the next piece of the stream, or None if the seat already has all of it."""
        # A seat with more bytes than this stream has received an earlier stream, so it must start
        # again.
        start = received_bytes if received_bytes <= len(self._stream) else 0
        data = bytes(self._stream[start : start + CHUNK_BYTES])
        if not data:
            return None
        seq = self.match.seq + 1
        return PendingPart(seq=seq, offset=start, total=len(self._stream), data=data)

    # -- after the record

    def reset(self) -> None:
        """Clear the messages after a record that contains them has been stored."""
        self._unsaved.clear()
        self.count = 0
        self._stream.clear()
        self._position = self.match.fair_state.index, self.match.fair_state.head
        self.remark = ""
        self.restart_quiet_time()

    def clear_file(self) -> None:
        """Replace the messages in the file by the index up to which records contain them. This may run in a thread.

        If an older version of the record is restored later, the index shows that messages are missing.

        Raises:
            StorageError: The file cannot be written. This is harmless, because messages already in records are skipped.
        """
        mark = canonical(_Frame(self.index, ()))
        self._file.recover()
        if self._has_stored_messages:
            self._file.replace((mark,))
            self._has_stored_messages = False
        else:  # A short append is faster than a new file.
            self._file.append(mark)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def remove(self) -> None:
        """Delete the file after the match is over."""
        self._file.close()
        self._file.path.unlink(missing_ok=True)

"""Implements an append-only frame file. After a crash, each frame is either complete or missing.

A frame consists of the content length, the frame number, the CRC-32 of both, the content, and a checksum. An append
returns only when the frame is on disk, so only the last append can be incomplete. A damaged frame that no intact frame
follows is therefore dropped and reported.
"""

import os
import re
import zlib
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Final

from engine.kernel.errors import DataError
from saves.errors import StorageError
from saves.files import FILES, Files, replace_file, write_all

MAGIC: Final = b"\x8fFPFRM\r\n"
MAX_BYTES: Final = 1 << 26
_PREFIX_BYTES: Final = 12
_CHECKSUM_BYTES: Final = 16
_CANDIDATE: Final = re.compile(rb"(?s)(?=[\x00-\x04]...\x00...(?!\x00{4}))")
"""Matches a plausible frame length and number, followed by a nonzero CRC. Even an empty frame has a nonzero CRC."""


class FrameFile:
    """A frame file. Each file must have only one writer."""

    def __init__(self, path: Path, files: Files = FILES) -> None:
        """Read the file. If it does not exist, the first append creates it.

        Raises:
            DataError: The file is damaged before its last frame.
            StorageError: The file cannot be read or written.
        """
        self.path: Final = path
        self._files = files
        self._handle: int | None = None
        self._size = 0
        self._stopped = ""
        self._is_write_rejected = False
        """True if the last write failed with an OS error. In that case, a retry may succeed."""
        self.dropped = 0
        """Number of bytes from an incomplete append that were dropped when the file was read."""
        self.frames: list[bytes] = []
        """The contents of the frames on disk, in order."""
        self._load()

    @property
    def size(self) -> int:
        """Return the length of the file in bytes."""
        return self._size

    # -- reading

    def _load(self) -> None:
        try:
            data = self._files.read(self.path, MAX_BYTES, MAGIC)
        except FileNotFoundError:
            return
        except OSError as error:
            raise StorageError(f"cannot read {self.path}: {_error_text(error)}") from error
        self.frames, offset = _parse_frames(self.path, data)
        self._size, self.dropped = offset, len(data) - offset
        try:
            self._handle = self._files.open(self.path, os.O_WRONLY | os.O_APPEND)
            if self.dropped:
                self._files.truncate(self._handle, offset)
                self._files.sync(self._handle)
        except OSError as error:
            self.close()
            raise self._storage_error(error) from error

    # -- writing

    def append(self, content: bytes) -> None:
        """Append a frame and wait until it is on disk.

        Raises:
            StorageError: The write failed, and the file does not contain the frame. See :meth:`recover`.
        """
        self._check()
        frame = _encode_frame(len(self.frames), content)
        try:
            if self._handle is None:
                # A file truncated within its magic bytes would count as damaged, so the first frame is written with the
                # whole file.
                replace_file(self._files, self.path, MAGIC + frame)
                self._handle = self._files.open(self.path, os.O_WRONLY | os.O_APPEND)
                self._size = len(MAGIC)
            else:
                write_all(self._files, self._handle, frame)
                self._files.sync_data(self._handle)
        except OSError as error:
            self._stop_writing(error)
            raise self._storage_error(error) from error
        self._size += len(frame)
        self.frames.append(content)

    def replace(self, contents: Sequence[bytes]) -> None:
        """Replace all frames atomically. After a crash, the file contains either the old or the new frames.

        Raises:
            StorageError: The write failed, and the old frames remain valid. See :meth:`recover`.
        """
        self._check()
        try:
            self._rewrite(contents)
        except OSError as error:
            self._stop_writing(error)
            raise self._storage_error(error) from error
        self.frames = [*contents]

    def recover(self) -> None:
        """Recover from a failed write by writing all valid frames to a new file.

        The old file is not used again, because its contents are unknown after a failed sync.

        Raises:
            StorageError: Writing still fails, or another program has changed the file.
        """
        if not self._stopped:
            return
        if not self._is_write_rejected:
            raise StorageError(f"{self.path} can no longer be used: {self._stopped}")
        try:
            self._rewrite(self.frames)
        except OSError as error:
            raise self._storage_error(error) from error
        self._stopped, self._is_write_rejected = "", False

    def close(self) -> None:
        """Close the file. Further calls have no effect."""
        handle, self._handle = self._handle, None
        self._stopped = self._stopped or "it is closed"
        if handle is not None:
            self._files.close(handle)

    def _check(self) -> None:
        """Refuse to write if another program has changed the file."""
        if not self._stopped and self._handle is not None:
            try:
                self._stopped = self._files.external_change(self._handle, self._size)
            except OSError as error:
                self._stop_writing(error)
        if self._stopped:
            raise StorageError(f"cannot write {self.path} on this computer: {self._stopped}")

    def _rewrite(self, contents: Sequence[bytes]) -> None:
        data = MAGIC + b"".join(
            _encode_frame(number, content) for number, content in enumerate(contents)
        )
        replace_file(self._files, self.path, data)
        handle = self._files.open(self.path, os.O_WRONLY | os.O_APPEND)
        old_handle, self._handle, self._size = self._handle, handle, len(data)
        if old_handle is not None:
            self._files.close(old_handle)

    def _stop_writing(self, error: OSError) -> None:
        self._stopped, self._is_write_rejected = _error_text(error), True
        if self._handle is not None:
            try:
                self._files.truncate(self._handle, self._size)
            except OSError:
                return  # If recover() does not write a new file first, the next start drops the partial frame.

    def _storage_error(self, error: OSError) -> StorageError:
        return StorageError(f"cannot write {self.path} on this computer: {_error_text(error)}")


def read_frames(path: Path) -> list[bytes]:
    """Return a file's frames without changing the file.

    Raises:
        DataError: The file is damaged before its last frame.
        StorageError: The file cannot be read.
    """
    try:
        data = FILES.read(path, MAX_BYTES, MAGIC)
    except OSError as error:
        raise StorageError(f"cannot read {path}: {_error_text(error)}") from error
    return _parse_frames(path, data)[0]


def _parse_frames(path: Path, data: bytes) -> tuple[list[bytes], int]:
    """Return the frames in a file's contents, and the offset where the last frame ends.

    Raises:
        DataError: The file is damaged before its last frame.
    """
    if not data.startswith(MAGIC):
        raise DataError(str(path), "", "this is not a flagplot file, or it is damaged")
    frames: list[bytes] = []
    offset = len(MAGIC)
    while (frame := _parse_frame(data, offset)) is not None and frame[0] == len(frames):
        frames.append(frame[1])
        offset = frame[2]
    if offset < len(data) and (frame is not None or _has_later_frame(data, offset)):
        raise DataError(str(path), "", f"frame {len(frames)} at byte {offset} is damaged")
    return frames, offset


def _frame_prefix(number: int, length: int) -> bytes:
    packed = length.to_bytes(4, "big") + number.to_bytes(4, "big")
    return packed + zlib.crc32(packed).to_bytes(4, "big")


def _checksum(data: bytes) -> bytes:
    return blake2b(data, digest_size=_CHECKSUM_BYTES, person=b"fp7-frame").digest()


def _encode_frame(number: int, content: bytes) -> bytes:
    data = _frame_prefix(number, len(content)) + content
    return data + _checksum(data)


def _parse_frame(data: bytes, offset: int) -> tuple[int, bytes, int] | None:
    """Return the number, content and end offset of the frame at an offset; None if no complete frame begins there."""
    start = offset + _PREFIX_BYTES
    length, number = (
        int.from_bytes(data[offset + field_offset : offset + field_offset + 4], "big")
        for field_offset in (0, 4)
    )
    data_end = start + length
    end = data_end + _CHECKSUM_BYTES
    if end > len(data) or data[offset:start] != _frame_prefix(number, length):
        return None
    if data[data_end:end] != _checksum(data[offset:data_end]):
        return None
    return number, data[start:data_end], end


def _has_later_frame(data: bytes, offset: int) -> bool:
    """Return whether a complete frame begins anywhere after this offset."""
    # The pattern is a lookahead, so matches may overlap, and no possible frame is skipped.
    positions = (match.start() for match in _CANDIDATE.finditer(data, offset + 1))
    return any(_parse_frame(data, position) is not None for position in positions)


def _error_text(error: OSError) -> str:
    return error.strerror or str(error) or type(error).__name__

"""The few file operations that records need, in one place so that tests can make each of them fail."""

import contextlib
import errno
import os
import stat
from functools import lru_cache
from pathlib import Path
from typing import Final

from saves.errors import StorageError

_UNSUPPORTED: Final = frozenset(
    {errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EACCES}
)
"""What a system answers that cannot sync a folder, or may not read it."""
_CHUNK: Final = 1 << 20
_MOST_ZEROS: Final = 8 << 20
"""Zeros in a row, more than the longest record; what a file has beyond them would only cost memory."""
_ZEROS: Final = bytes(_CHUNK)


class Files:
    """The operating system's files, by descriptor."""

    def open(self, path: Path, flags: int) -> int:
        """Open a file; new ones are private to the user."""
        return os.open(path, flags | getattr(os, "O_CLOEXEC", 0), 0o600)

    def write(self, handle: int, data: memoryview) -> int:
        """Write some of the data at the end and return how many bytes."""
        return os.write(handle, data)

    def sync_data(self, handle: int) -> None:
        """Wait until the content and the length are on the disk."""
        getattr(os, "fdatasync", os.fsync)(handle)

    def sync(self, handle: int) -> None:
        """Wait until content and everything about the file are on the disk."""
        os.fsync(handle)

    def truncate(self, handle: int, size: int) -> None:
        """Cut the file to a size."""
        os.ftruncate(handle, size)

    def close(self, handle: int) -> None:
        """Let go of a descriptor."""
        os.close(handle)

    def rename(self, source: Path, target: Path) -> None:
        """Give a file its final name, replacing what had it."""
        source.replace(target)

    def remove(self, path: Path) -> None:
        """Remove a file."""
        path.unlink()

    def sync_folder(self, folder: Path) -> None:
        """Wait until names in a folder are on the disk; some systems cannot, which is logged once."""
        if os.name == "nt":
            return
        try:
            handle = self.open(folder, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
            try:
                os.fsync(handle)
            finally:
                self.close(handle)
        except OSError as error:
            if error.errno not in _UNSUPPORTED:
                raise
            _note_unsupported(error.strerror or str(error))

    def read(self, path: Path, most: int, start: bytes = b"") -> bytes:
        """Return the whole content, see :func:`read_file`."""
        return read_file(path, most, start)

    def trouble(self, handle: int, size: int) -> str:
        """Return why an open file is not what its only writer left, empty when it is.

        Args:
            handle: The open file.
            size: Bytes that it must have.
        """
        found = os.fstat(handle)
        if found.st_nlink == 0:
            return "the file was deleted or replaced by another program"
        return "" if found.st_size == size else "another program has written to the file"


FILES = Files()


@lru_cache(maxsize=16)
def _note_unsupported(reason: str) -> None:
    """Log once that names in folders cannot be synced: older SMB, some FUSE and WSL mounts.

    The content of the file was synced before, so that only its name could be lost in a power cut.
    """
    import structlog  # noqa: PLC0415  # most systems never need it

    if structlog.is_configured():  # else there is no log but the player's terminal
        structlog.get_logger().warning("folder_not_synced", error=reason)


def read_file(path: Path, most: int, start: bytes = b"") -> bytes:
    """Return the content of a file, of which nobody knows yet what it is.

    Never waits for a pipe that nobody writes to. Of zeros in a row 8 MiB are kept: a file with a hole costs no memory.

    Args:
        path: The file.
        most: Bytes that it may have.
        start: How it must begin; of a file that begins otherwise only so many bytes are read.

    Raises:
        OSError: It cannot be read, or is longer.
    """
    flags = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)
    flags |= getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags), "rb") as file:
        found = os.fstat(file.fileno())
        if stat.S_ISFIFO(found.st_mode):
            os.set_blocking(file.fileno(), True)
        begin = file.read(len(start))
        if begin != start:
            return begin
        if stat.S_ISREG(found.st_mode) and found.st_size > most:
            raise OSError(errno.EFBIG, _too_long(most))
        parts, room, zeros = [begin], most - len(begin), 0
        while chunk := file.read(_CHUNK):
            room -= len(chunk)
            if room < 0:
                raise OSError(errno.EFBIG, _too_long(most))
            zeros = zeros + len(chunk) if chunk == _ZEROS[: len(chunk)] else 0
            if zeros <= _MOST_ZEROS:
                parts.append(chunk)
    return b"".join(parts)


def _too_long(most: int) -> str:
    return f"it has more than {most} bytes"


def make_folder(folder: Path) -> None:
    """Make a folder and those above it; one that exists stays as it is.

    Raises:
        StorageError: The system refused.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"cannot make {folder}: {error.strerror or error}") from error


def write_all(files: Files, handle: int, data: bytes) -> None:
    """Write every byte, however small the portions that the system takes.

    Raises:
        OSError: The system refused; some bytes may be in the file.
    """
    rest = memoryview(data)
    while rest:
        try:
            count = files.write(handle, rest)
        except InterruptedError:
            continue
        if count <= 0:
            raise OSError("the system wrote nothing and gave no reason")
        rest = rest[count:]


def replace_file(files: Files, path: Path, data: bytes) -> None:
    """Put content under a name such that after a power cut either all of it is there or none.

    Raises:
        OSError: The system refused; what had the name before is unchanged.
    """
    part = path.with_name(path.name + ".part")
    handle = files.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        try:
            write_all(files, handle, data)
            files.sync(handle)
        finally:
            files.close(handle)
        files.rename(part, path)
    except OSError:
        clear_away(files, part)
        raise
    files.sync_folder(path.parent)


def clear_away(files: Files, part: Path) -> None:
    """Remove the part of a file that could not be written: on a full disk it would take the room that is left."""
    with contextlib.suppress(OSError):
        files.remove(part)

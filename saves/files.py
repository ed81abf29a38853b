"""Provides the file operations for record files.

They are methods of one class, so that tests can make any of them fail.
"""

import contextlib
import errno
import os
import stat
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, Final

from saves.errors import StorageError

_UNSUPPORTED: Final = frozenset(
    {errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EACCES}
)
"""The errno values for a folder that cannot be synced or may not be read."""
_CHUNK_BYTES: Final = 1 << 20
_MAX_ZEROS: Final = 8 << 20
"""Maximum number of consecutive zero bytes to keep. Records are shorter, so keeping more would only waste memory."""
_ZEROS: Final = bytes(_CHUNK_BYTES)


class Files:
    """File operations, performed directly by the operating system."""

    def open(self, path: Path, flags: int) -> int:
        """Open a file. New files are readable only by the user."""
        return os.open(path, flags | getattr(os, "O_CLOEXEC", 0), 0o600)

    def write(self, handle: int, data: memoryview) -> int:
        """Append the data, or only part of it, and return the number of bytes written."""
        return os.write(handle, data)

    def sync_data(self, handle: int) -> None:
        """Wait until the contents and the length of the file are on disk."""
        getattr(os, "fdatasync", os.fsync)(handle)

    def sync(self, handle: int) -> None:
        """Wait until the file's contents and all its metadata are on disk."""
        os.fsync(handle)

    def truncate(self, handle: int, size: int) -> None:
        """Truncate the file to a size."""
        os.ftruncate(handle, size)

    def close(self, handle: int) -> None:
        """Close a descriptor."""
        os.close(handle)

    def rename(self, source: Path, target: Path) -> None:
        """Rename a file. If a file with the target name exists, replace it."""
        source.replace(target)

    def remove(self, path: Path) -> None:
        """Delete a file."""
        path.unlink()

    def sync_folder(self, folder: Path) -> None:
        """Wait until a folder's entries are on disk. If the system does not support this, log a message once."""
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
            _log_unsupported_sync(error.strerror or str(error))

    def read(self, path: Path, max_bytes: int, start: bytes = b"") -> bytes:
        """Read a whole file of any kind; see :func:`read_file`."""
        return read_file(path, max_bytes, start)

    def external_change(self, handle: int, size: int) -> str:
        """Return how another program has changed an open file, or an empty string if the file is unchanged.

        Args:
            handle: The file's descriptor.
            size: The expected size in bytes.
        """
        file_status = os.fstat(handle)
        if file_status.st_nlink == 0:
            return "the file was deleted or replaced by another program"
        return "" if file_status.st_size == size else "another program has written to the file"


FILES = Files()


@lru_cache(maxsize=16)
def _log_unsupported_sync(reason: str) -> None:
    """Log once that folder entries cannot be synced, for example on older SMB and some FUSE and WSL mounts.

    File contents have already been synced, so a power failure could lose only the folder entry.
    """
    import structlog  # noqa: PLC0415  # most systems never need it

    # Without a logging configuration, the warning would be printed on the player's terminal.
    if structlog.is_configured():
        structlog.get_logger().warning("folder_sync_failed", error=reason)


def _open_file(path: Path) -> BinaryIO:
    """Open a file of any kind for reading. Opening a pipe without a writer does not block.

    Raises:
        OSError: The file cannot be opened.
    """
    # O_NONBLOCK prevents open() from waiting for a pipe's writer. Reads from a pipe may then block again.
    flags = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)
    flags |= getattr(os, "O_BINARY", 0)
    file = os.fdopen(os.open(path, flags), "rb")
    if stat.S_ISFIFO(os.fstat(file.fileno()).st_mode):
        os.set_blocking(file.fileno(), True)
    return file


def read_start(path: Path, max_bytes: int) -> bytes:
    """Read at most the first ``max_bytes`` bytes of a file of any kind.

    Opening a pipe without a writer does not block.

    Raises:
        OSError: The file cannot be read.
    """
    with _open_file(path) as file:
        return file.read(max_bytes)


def read_file(path: Path, max_bytes: int, start: bytes = b"") -> bytes:
    """Read a file of any kind, even a pipe or a huge sparse file.

    At most 8 MiB of consecutive zeros are kept, so that holes in a file take up little memory. Opening a pipe without a
    writer does not block.

    Args:
        path: The file.
        max_bytes: Maximum size in bytes.
        start: The expected first bytes. If the file begins differently, only as many bytes as ``start`` has are read
            and returned.

    Raises:
        OSError: The file cannot be read or is too long.
    """
    with _open_file(path) as file:
        file_status = os.fstat(file.fileno())
        magic = file.read(len(start))
        if magic != start:
            return magic
        if stat.S_ISREG(file_status.st_mode) and file_status.st_size > max_bytes:
            raise OSError(errno.EFBIG, _too_long_text(max_bytes))
        parts, bytes_left, zero_count = [magic], max_bytes - len(magic), 0
        # The size of a pipe or device is not known in advance, so the limit is also checked while
        # reading.
        while chunk := file.read(_CHUNK_BYTES):
            bytes_left -= len(chunk)
            if bytes_left < 0:
                raise OSError(errno.EFBIG, _too_long_text(max_bytes))
            zero_count = zero_count + len(chunk) if chunk == _ZEROS[: len(chunk)] else 0
            if zero_count <= _MAX_ZEROS:
                parts.append(chunk)
    return b"".join(parts)


def _too_long_text(max_bytes: int) -> str:
    return f"it has more than {max_bytes} bytes"


def make_folder(folder: Path) -> None:
    """Create a folder and its parents if they do not exist.

    Raises:
        StorageError: The folder cannot be created.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"cannot create {folder}: {error.strerror or error}") from error


def write_all(files: Files, handle: int, data: bytes) -> None:
    """Write all the data, in several calls if the system accepts only part of it at a time.

    Raises:
        OSError: The write failed; the file may contain part of the data.
    """
    remaining = memoryview(data)
    while remaining:
        try:
            count = files.write(handle, remaining)
        except InterruptedError:
            continue
        # If the system writes nothing, the loop would otherwise run forever.
        if count <= 0:
            raise OSError("the system wrote nothing without giving a reason")
        remaining = remaining[count:]


def replace_file(files: Files, path: Path, data: bytes) -> None:
    """Replace a file atomically. Even after a power failure, the file has either the old or the new contents.

    Raises:
        OSError: The write failed; the old file is unchanged.
    """
    partial_path = path.with_name(path.name + ".part")
    handle = create_partial(files, partial_path)
    try:
        try:
            write_all(files, handle, data)
            files.sync(handle)
        finally:
            files.close(handle)
        files.rename(partial_path, path)
    except OSError:
        delete_partial(files, partial_path)
        raise
    # Without syncing the folder, a power failure could undo the rename.
    files.sync_folder(path.parent)


def create_partial(files: Files, partial_path: Path, flags: int = 0) -> int:
    """Create a file for partial content and open it for writing. If the name is in use, that file is deleted first.

    Args:
        files: File operations to use.
        partial_path: The file.
        flags: Additional flags for opening the file.

    Raises:
        OSError: The file cannot be created.
    """
    # An existing file may be readable by other users, or may be a link to such a file. With O_EXCL,
    # such a file is neither opened nor followed.
    flags |= os.O_WRONLY | os.O_CREAT | os.O_EXCL
    try:
        return files.open(partial_path, flags)
    except FileExistsError:
        files.remove(partial_path)
        return files.open(partial_path, flags)


def delete_partial(files: Files, partial_path: Path) -> None:
    """Delete a partially written file, which would otherwise waste space on a full disk."""
    with contextlib.suppress(OSError):
        files.remove(partial_path)

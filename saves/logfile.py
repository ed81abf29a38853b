"""Reads and writes record files.

A file has at most one writer, and data is acknowledged only when it is on disk. Damaged files are never repaired
silently.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec
from filelock import FileLock, Timeout

from engine.kernel.errors import FlagplotError
from saves.disk_trouble import Trouble, disk_trouble
from saves.errors import CorruptLogError, LogInUseError, StorageError
from saves.files import (
    FILES,
    Files,
    create_partial,
    delete_partial,
    read_start,
    replace_file,
    write_all,
)
from saves.framing import (
    MAGIC,
    Scan,
    TornTail,
    leading_records,
    pack_frame,
    pack_head,
    read_head,
    scan,
)
from saves.headers import Header
from saves.lock_holder import lock_file, lock_holder
from saves.records import MAX_RECORD_BYTES, Record

SUFFIX: Final = ".fplog"
MAX_LOG_BYTES: Final = 1 << 28
_MAX_HEAD_BYTES: Final = MAX_RECORD_BYTES + 4096
_LEADING_BYTES: Final = 2 * _MAX_HEAD_BYTES


class Log(msgspec.Struct, frozen=True):
    """The contents of a record file."""

    header: Header
    records: Sequence[Record]
    record_offsets: Sequence[int]
    """Offset of each record's first byte."""
    intact_bytes: int
    """Offset where the last record ends."""
    torn: TornTail | None
    """The bytes that an interrupted write left at the end, which are not part of the game; None if there are none."""


def read_log(path: Path, files: Files = FILES) -> Log:
    """Read a file's records without changing the file.

    Raises:
        StorageError: The file cannot be read.
        CorruptLogError: The file is damaged; the error says where.
    """
    return parse_log(path.name, _read_content(path, files))


def read_intact(path: Path) -> Scan:
    """Read all intact records from a file, even if a later record is damaged.

    Raises:
        StorageError: The file cannot be read.
        CorruptLogError: The file's header block is damaged.
    """
    return scan(path.name, _read_content(path, FILES))


def parse_log(name: str, content: bytes) -> Log:
    """Read the records in a file's content.

    Raises:
        CorruptLogError: The content is damaged; the error says where, and names the file.
    """
    scanned = scan(name, content)
    if scanned.damage is not None:
        raise scanned.damage
    if not scanned.records:
        raise CorruptLogError(
            name, scanned.intact_bytes, 0, "the file ends before its first record"
        )
    return Log(
        scanned.header, scanned.records, scanned.record_offsets, scanned.intact_bytes, scanned.torn
    )


def read_header(path: Path) -> Header:
    """Read only a record file's header, even if its records are damaged.

    Raises:
        StorageError: The file cannot be read.
        CorruptLogError: The file's header block is damaged.
    """
    try:
        data = read_start(path, _MAX_HEAD_BYTES)
    except OSError as error:
        raise StorageError(f"cannot read {path}: {_error_text(error)}") from error
    return read_head(path.name, data)[0]


def read_leading(path: Path) -> tuple[Header, Iterator[Record]]:
    """Read a file's header and, lazily, its first records without changing the file.

    Each record is decoded only on request, and only about the first 8 MiB of the file are read. The iterator raises
    :class:`CorruptLogError` at a damaged record.

    Raises:
        StorageError: The file cannot be read.
        CorruptLogError: The file's header block is damaged.
    """
    try:
        data = read_start(path, _LEADING_BYTES)
    except OSError as error:
        raise StorageError(f"cannot read {path}: {_error_text(error)}") from error
    return read_head(path.name, data)[0], leading_records(path.name, data)


def salvage(
    path: Path, target: Path, files: Files = FILES, count_usable: Callable[[Log], int] | None = None
) -> Log:
    """Copy a damaged file's intact records to a new file and return them.

    Args:
        path: The damaged file, which is not changed.
        target: The new file's path.
        files: File operations.
        count_usable: Returns the number of leading records to keep; None keeps all intact records.

    Raises:
        StorageError: A file cannot be read or written, or the target file already exists.
        CorruptLogError: No record can be kept.
    """
    data = _read_content(path, files)
    scanned = scan(path.name, data)
    intact_log = Log(
        scanned.header, scanned.records, scanned.record_offsets, scanned.intact_bytes, None
    )
    count = (
        count_usable(intact_log)
        if count_usable is not None and scanned.records
        else len(scanned.records)
    )
    if not count:
        raise scanned.damage or CorruptLogError(
            path.name, scanned.intact_bytes, 0, "no record is intact"
        )
    end_offsets = [*scanned.record_offsets[1:], scanned.intact_bytes]
    salvaged = Log(
        scanned.header,
        scanned.records[:count],
        scanned.record_offsets[:count],
        end_offsets[count - 1],
        None,
    )
    # Unlike exists(), this also finds a broken link, which the rename below would silently replace.
    if os.path.lexists(target):
        raise StorageError(f"{target} already exists; nothing was written")
    try:
        # The bytes can be copied unchanged, because the padding depends only on the offsets, which
        # do not change.
        replace_file(files, target, data[: salvaged.intact_bytes])
    except OSError as error:
        raise StorageError(f"cannot write {target}: {_error_text(error)}") from error
    return salvaged


def write_log(
    path: Path, header: Header, records: Sequence[Record], file_ops: Files = FILES
) -> None:
    """Write a new, complete record file.

    Raises:
        StorageError: The write failed, or the file already exists.
    """
    if os.path.lexists(path):
        raise StorageError(f"{path} already exists; nothing was written")
    try:
        replace_file(file_ops, path, log_bytes(header, records))
    except OSError as error:
        raise StorageError(f"cannot write {path}: {_error_text(error)}") from error


def log_bytes(header: Header, records: Sequence[Record]) -> bytes:
    """Encode a header and records as the contents of a file. Each game has exactly one encoding."""
    parts = [pack_head(header)]
    offset = len(parts[0])
    for record in records:
        parts.append(pack_frame(record, offset))
        offset += len(parts[-1])
    return b"".join(parts)


class LogWriter:
    """The only writer of a record file, which holds the file's lock until it is closed."""

    def __init__(self, path: Path, files: Files = FILES, *, takes_lock: bool = True) -> None:
        """Take the lock. Callers use :meth:`create`, :meth:`open` or :meth:`open_unwritable` instead.

        Args:
            path: The file.
            files: File operations.
            takes_lock: False if :meth:`recover` takes the lock later.

        Raises:
            LogInUseError: Another writer holds the lock.
            StorageError: The lock cannot be taken.
        """
        self.path = _resolve_links(path)
        self.loaded: Log | None = None
        """The file's contents when it was opened; None for a new file."""
        self._files = files
        self._handle: int | None = None
        self._size = 0
        self._head = b""
        self._stopped = ""
        self._is_disk_error = False
        """True if a disk error stopped writing. In that case, :meth:`recover` may succeed."""
        self.trouble: Trouble = ""
        """The disk problem that stopped writing; empty if no disk problem did."""
        self._batched: bytearray | None = None
        self._lock = lock_path(self.path) if takes_lock else None

    @classmethod
    def create(cls, path: Path, files: Files = FILES) -> "LogWriter":
        """Create a writer for a new file. The file is created on disk when its first record is written.

        Raises:
            LogInUseError: Another writer is using this file.
            StorageError: The file exists, or the folder is not writable.
        """
        writer = cls(path, files)
        if writer.path.exists():
            writer.close()
            raise StorageError(f"{path} already exists; nothing was written")
        return writer

    @classmethod
    def open(cls, path: Path, files: Files = FILES) -> "LogWriter":
        """Open a writer for an existing file and cut off any torn tail; see :attr:`loaded`.

        Raises:
            LogInUseError: Another writer is using the file.
            StorageError: The file cannot be opened or written.
            CorruptLogError: The file is damaged; it is not changed.
        """
        # Locking a missing file would create a stray lock file.
        if not path.exists():
            raise StorageError(f"there is no file {path}")
        writer = cls(path, files)
        try:
            writer._resume()
        except BaseException:
            writer.close()
            raise
        return writer

    @classmethod
    def open_unwritable(cls, path: Path, error: StorageError, files: Files = FILES) -> "LogWriter":
        """Open a file that cannot currently be written. The writer accepts records once :meth:`recover` succeeds.

        Args:
            path: The file.
            error: The error that :meth:`open` raised.
            files: File operations.

        Raises:
            StorageError: The file cannot be read either.
            CorruptLogError: The file is damaged.
        """
        if not path.exists():
            raise error
        # A lock file cannot be created on a read-only or full disk.
        writer = cls(path, files, takes_lock=False)
        writer.loaded = read_log(writer.path, files)
        writer._size = writer.loaded.intact_bytes
        cause = error.__cause__
        writer._stopped = _error_text(cause) if isinstance(cause, OSError) else str(error)
        writer._is_disk_error, writer.trouble = True, disk_trouble(error)
        return writer

    def begin(self, header: Header) -> None:
        """Set a new file's header. It is written together with record 0.

        Raises:
            StorageError: The header is too long.
        """
        self._head = pack_head(header)
        self._size = len(self._head)

    def append(self, record: Record) -> None:
        """Append a record and wait until it is on disk.

        Raises:
            StorageError: The write failed. The file does not contain the record, and no records can be added until the
                file is reopened or :meth:`recover` succeeds. Also raised if the file would become too long to be read
                again.
        """
        if self._stopped:
            raise StorageError(f"{self.path} accepts no more records: {self._stopped}")
        offset = self._size + len(self._batched or b"")
        frame = pack_frame(record, offset)
        if offset + len(frame) > MAX_LOG_BYTES:
            raise StorageError(
                f"record {record.seq} would make {self.path} longer than {MAX_LOG_BYTES} bytes"
            )
        if self._batched is not None:
            self._batched += frame
        else:
            self._write(frame)

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Collect the records appended in the ``with`` block and write them together when it ends.

        Adding many records then costs only one disk sync. No record is on disk until the block ends.

        Raises:
            StorageError: The write at the end of the block failed. The file accepts no further records.
        """
        self._batched = bytearray()
        try:
            yield
        finally:
            # Write the records even after an error, because the copy in memory already contains
            # them.
            frames, self._batched = bytes(self._batched), None
            if frames:
                self._write(frames)

    def _write(self, frames: bytes) -> None:
        try:
            if self._handle is None:
                self._create(frames)
            else:
                # An external change is not a disk error. recover() then refuses instead of
                # overwriting another program's data.
                trouble = self._files.external_change(self._handle, self._size)
                if trouble:
                    self._stopped = trouble
                    raise StorageError(f"cannot write {self.path}: {trouble}")
                write_all(self._files, self._handle, frames)
                self._files.sync_data(self._handle)
        except OSError as error:
            self._stop_writing(error)
            raise StorageError(f"cannot write {self.path}: {self._stopped}") from error
        self._size += len(frames)

    def close(self) -> None:
        """Close the file and release its lock. Further calls have no effect."""
        handle, self._handle = self._handle, None
        self._stopped = self._stopped or "it is closed"
        if handle is not None:
            self._files.close(handle)
        if self._lock is not None:
            self._lock.release()

    def recover(self) -> None:
        """Recover from a disk error: reread the acknowledged records and write them to a new file.

        After a failed sync, the old file's state on disk is unknown, so it is never written to again. If this writer
        has not yet locked the file, lock it and open it for writing instead.

        Raises:
            StorageError: The disk still fails, or the file does not contain this writer's data.
        """
        if not self._stopped:
            return
        if not self._is_disk_error:
            raise StorageError(f"{self.path} accepts no more records: {self._stopped}")
        if self._lock is None:
            self._lock_and_open()
            return
        try:
            # If there is no handle, record 0 was never written. The next append creates the file
            # again.
            if self._handle is not None:
                self._switch_to_new_file(self._handle, self._read_acknowledged(self._handle))
        except OSError as error:
            self.trouble = disk_trouble(error)
            raise StorageError(f"cannot write {self.path}: {_error_text(error)}") from error
        self._stopped, self._is_disk_error, self.trouble = "", False, ""

    def _lock_and_open(self) -> None:
        """Lock a file that could not be written before, and open it for writing if it has not changed.

        Raises:
            StorageError: The disk still fails, or another program has locked or changed the file.
        """
        previous = self.loaded
        assert previous is not None, "the file must have been read"
        try:
            self._lock = lock_path(self.path)
            self._resume()
            current = self.loaded
            assert current is not None, "the file must have been reread"
            if (
                # The file was not locked until now, so another program may have appended records to
                # it.
                current.intact_bytes != previous.intact_bytes
                or current.records[-1].chain != previous.records[-1].chain
            ):
                raise StorageError(
                    f"cannot write {self.path}: another program has written to the file"
                )
        except FlagplotError as error:
            self.loaded = previous
            self._unlock()
            if isinstance(error, StorageError):
                raise
            raise StorageError(str(error)) from error
        self._stopped, self._is_disk_error, self.trouble = "", False, ""

    def _unlock(self) -> None:
        """Close the file and release its lock, but keep the rest of the writer's state."""
        handle, self._handle = self._handle, None
        lock, self._lock = self._lock, None
        if handle is not None:
            self._files.close(handle)
        if lock is not None:
            lock.release()

    def _switch_to_new_file(self, old_handle: int, data: bytes) -> None:
        """Replace the file with a new one that contains this data. All later writes go to the new file."""
        partial_path = self.path.with_name(self.path.name + ".part")
        new_handle = create_partial(self._files, partial_path, os.O_APPEND)
        try:
            write_all(self._files, new_handle, data)
            self._files.sync(new_handle)
            self._files.rename(partial_path, self.path)
        except BaseException:
            self._files.close(new_handle)
            delete_partial(self._files, partial_path)
            raise
        # The new handle is stored before the folder is synced. If the sync fails, the next
        # recover() must compare the new file.
        self._handle = new_handle
        self._files.close(old_handle)
        self._files.sync_folder(self.path.parent)

    def _read_acknowledged(self, handle: int) -> bytes:
        """Read the file up to the end of the last acknowledged record."""
        data = self._files.read(self.path, MAX_LOG_BYTES, MAGIC)[: self._size]
        scanned = scan(self.path.name, data)
        # The size is not compared, because the failed write may have left part of a record at the
        # end.
        trouble = self._files.external_change(handle, os.fstat(handle).st_size)
        if trouble or scanned.intact_bytes != self._size:
            trouble = trouble or "its content has changed since it was written"
            raise StorageError(f"{self.path} accepts no more records: {trouble}")
        return data

    def _create(self, frame: bytes) -> None:
        replace_file(self._files, self.path, self._head + frame)
        self._handle = self._files.open(self.path, os.O_WRONLY | os.O_APPEND)

    def _resume(self) -> None:
        self.loaded = read_log(self.path, self._files)
        self._size = self.loaded.intact_bytes
        try:
            self._handle = self._files.open(self.path, os.O_WRONLY | os.O_APPEND)
            if self.loaded.torn is not None:
                self._files.truncate(self._handle, self._size)
                self._files.sync(self._handle)
        except OSError as error:
            raise StorageError(f"cannot write {self.path}: {_error_text(error)}") from error

    def _stop_writing(self, error: OSError) -> None:
        """Stop writing, because the content on disk is unknown after a failed sync."""
        self._stopped, self._is_disk_error, self.trouble = (
            _error_text(error),
            True,
            disk_trouble(error),
        )
        # Remove any partially written record, so that the file ends with a complete one.
        if self._handle is not None:
            try:
                self._files.truncate(self._handle, self._size)
            except OSError:
                return  # If truncating fails, the torn tail is dropped the next time the file is opened.


def _read_content(path: Path, files: Files) -> bytes:
    try:
        return files.read(path, MAX_LOG_BYTES, MAGIC)
    except OSError as error:
        raise StorageError(f"cannot read {path}: {_error_text(error)}") from error


def _resolve_links(path: Path) -> Path:
    """Resolve symbolic links, so that all paths to a file share the same lock.

    Raises:
        StorageError: The links form a loop or are broken.
    """
    if not path.is_symlink():
        return path
    resolved = Path(os.path.realpath(path))
    if resolved.is_symlink():
        raise StorageError(f"{path} is a broken link")
    return resolved


def lock_path(path: Path) -> FileLock:
    """Lock a file and return the lock. The lock is released when the process exits, but the lock file may remain.

    Raises:
        LogInUseError: Another program holds the lock.
        StorageError: The lock cannot be taken.
    """
    # By default, filelock counts locks per thread, so a lock could not be released in another
    # thread.
    lock = FileLock(lock_file(path), timeout=0, thread_local=False)
    try:
        lock.acquire()
    except Timeout as error:
        raise LogInUseError(path, lock_holder(path)) from error
    except OSError as error:
        raise StorageError(f"cannot lock {path}: {_error_text(error)}") from error
    return lock


def _error_text(error: OSError) -> str:
    return error.strerror or str(error) or type(error).__name__

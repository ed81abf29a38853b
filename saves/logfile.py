"""Record files: one writer, nothing acknowledged before the disk has it, nothing repaired in silence."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec
from filelock import FileLock, Timeout

from engine.kernel.errors import FlagplotError
from saves.disk import Trouble, trouble_of
from saves.errors import CorruptLogError, LogInUseError, StorageError
from saves.files import FILES, Files, clear_away, replace_file, write_all
from saves.framing import MAGIC, Torn, leading_records, pack_frame, pack_head, read_head, scan
from saves.headers import Header
from saves.lock_holder import holder_of, lock_file
from saves.records import MAX_RECORD_BYTES, Record

SUFFIX: Final = ".fplog"
MAX_LOG_BYTES: Final = 1 << 28
_LONGEST_HEAD: Final = MAX_RECORD_BYTES + 4096
_LEADING_BYTES: Final = 2 * _LONGEST_HEAD


class Log(msgspec.Struct, frozen=True):
    """What a record file holds."""

    header: Header
    records: Sequence[Record]
    starts: Sequence[int]
    """For each record its first byte in the file."""
    good: int
    """Bytes up to the end of the last record."""
    torn: Torn | None
    """What an interrupted write left behind; not part of the game."""


def read_log(path: Path, files: Files = FILES) -> Log:
    """Return the records of a file; changes nothing.

    Raises:
        StorageError: The file cannot be read.
        CorruptLogError: It is damaged; says where.
    """
    found = scan(path.name, _content(path, files))
    if found.damage is not None:
        raise found.damage
    if not found.records:
        raise CorruptLogError(path.name, found.good, 0, "the file ends before its first record")
    return Log(found.header, found.records, found.starts, found.good, found.torn)


def read_header(path: Path) -> Header:
    """Return what a record file says about itself, whatever its records are.

    Raises:
        StorageError: The file cannot be read.
        CorruptLogError: Its head is damaged.
    """
    try:
        with path.open("rb") as file:
            data = file.read(_LONGEST_HEAD)
    except OSError as error:
        raise StorageError(f"cannot read {path}: {_reason(error)}") from error
    return read_head(path.name, data)[0]


def read_leading(path: Path) -> tuple[Header, Iterator[Record]]:
    """Return the header of a file, and its first records one after the other; changes nothing.

    Each record is decoded only when it is asked for, and what is behind the first 8 MiB of the file is not read.
    The iterator raises :class:`CorruptLogError` at a damaged record.

    Raises:
        StorageError: The file cannot be read.
        CorruptLogError: Its head is damaged.
    """
    try:
        with path.open("rb") as file:
            data = file.read(_LEADING_BYTES)
    except OSError as error:
        raise StorageError(f"cannot read {path}: {_reason(error)}") from error
    return read_head(path.name, data)[0], leading_records(path.name, data)


def salvage(
    path: Path, target: Path, files: Files = FILES, good: Callable[[Log], int] | None = None
) -> Log:
    """Copy the good records of a damaged file to a new one and return what it holds.

    Args:
        path: The damaged file; it stays as it is.
        target: Name of the new one.
        files: The disk.
        good: Returns how many of the whole records are good, from the first one on; None takes all.

    Raises:
        StorageError: A file cannot be read or written, or the new name is taken.
        CorruptLogError: Not even one record is good.
    """
    data = _content(path, files)
    found = scan(path.name, data)
    whole = Log(found.header, found.records, found.starts, found.good, None)
    count = good(whole) if good is not None and found.records else len(found.records)
    if not count:
        raise found.damage or CorruptLogError(path.name, found.good, 0, "no record is good")
    ends = [*found.starts[1:], found.good]
    kept = Log(found.header, found.records[:count], found.starts[:count], ends[count - 1], None)
    if os.path.lexists(target):
        raise StorageError(f"{target} exists already; nothing was written")
    try:
        replace_file(files, target, data[: kept.good])
    except OSError as error:
        raise StorageError(f"cannot write {target}: {_reason(error)}") from error
    return kept


def write_log(path: Path, header: Header, records: Sequence[Record], files: Files = FILES) -> None:
    """Write a whole record file at once under a new name.

    Raises:
        StorageError: The disk refused, or the name is taken.
    """
    if os.path.lexists(path):
        raise StorageError(f"{path} exists already; nothing was written")
    try:
        replace_file(files, path, log_bytes(header, records))
    except OSError as error:
        raise StorageError(f"cannot write {path}: {_reason(error)}") from error


def log_bytes(header: Header, records: Sequence[Record]) -> bytes:
    """Return the content of the file that holds these records; there is only one."""
    parts = [pack_head(header)]
    offset = len(parts[0])
    for record in records:
        parts.append(pack_frame(record, offset))
        offset += len(parts[-1])
    return b"".join(parts)


class LogWriter:
    """The one writer of a record file; holds the file's lock as long as it lives."""

    def __init__(self, path: Path, files: Files = FILES, *, takes_lock: bool = True) -> None:
        """Take the lock; :meth:`create` and :meth:`open` are the ways in.

        Args:
            path: The file.
            files: The disk.
            takes_lock: False leaves that to :meth:`mend`.

        Raises:
            LogInUseError: Another writer has it.
            StorageError: The lock cannot be taken.
        """
        self.path = _one_name(path)
        self.loaded: Log | None = None
        """What the file held when it was opened; None for a new one."""
        self._files = files
        self._handle: int | None = None
        self._size = 0
        self._head = b""
        self._stopped = ""
        self._is_refused = False
        """Whether it is the disk that stopped it, which may take records again."""
        self.trouble: Trouble = ""
        """What is wrong with the disk that stopped it."""
        self._held: bytearray | None = None
        self._lock = locked(self.path) if takes_lock else None

    @classmethod
    def create(cls, path: Path, files: Files = FILES) -> "LogWriter":
        """Return the writer of a new file, which appears with its first record.

        Raises:
            LogInUseError: Another writer has this name.
            StorageError: The name is taken, or the folder cannot be written.
        """
        writer = cls(path, files)
        if writer.path.exists():
            writer.close()
            raise StorageError(f"{path} exists already; nothing was written")
        return writer

    @classmethod
    def open(cls, path: Path, files: Files = FILES) -> "LogWriter":
        """Return the writer of an existing file; a torn tail is cut off, see :attr:`loaded`.

        Raises:
            LogInUseError: Another writer has the file.
            StorageError: The disk refused.
            CorruptLogError: The file is damaged; it stays as it is.
        """
        if not path.exists():  # before the lock, so that no lock file appears beside nothing
            raise StorageError(f"there is no file {path}")
        writer = cls(path, files)
        try:
            writer._resume()
        except BaseException:
            writer.close()
            raise
        return writer

    @classmethod
    def open_unwritable(
        cls, path: Path, refused: StorageError, files: Files = FILES
    ) -> "LogWriter":
        """Return the writer of a file on a disk that refuses; it takes records once :meth:`mend` succeeds.

        Args:
            path: The file.
            refused: Why :meth:`open` failed.
            files: The disk.

        Raises:
            StorageError: The file cannot be read either.
            CorruptLogError: It is damaged.
        """
        if not path.exists():
            raise refused
        writer = cls(path, files, takes_lock=False)
        writer.loaded = read_log(writer.path, files)
        writer._size = writer.loaded.good
        cause = refused.__cause__
        writer._stopped = _reason(cause) if isinstance(cause, OSError) else str(refused)
        writer._is_refused, writer.trouble = True, trouble_of(refused)
        return writer

    @property
    def stopped(self) -> str:
        """Return why nothing more is written, empty while all is well; see :meth:`mend`."""
        return self._stopped

    def begin(self, header: Header) -> None:
        """Set the head of a new file; it reaches the disk together with record 0.

        Raises:
            StorageError: The header is too long.
        """
        self._head = pack_head(header)
        self._size = len(self._head)

    def append(self, record: Record) -> None:
        """Write a record; when this returns, the disk has it.

        Raises:
            StorageError: The disk refused. The record is not part of the file, and none will be
                until the file is opened and read again.
        """
        if self._stopped:
            raise StorageError(f"{self.path} takes no more records: {self._stopped}")
        if self._held is not None:
            self._held += pack_frame(record, self._size + len(self._held))
        else:
            self._write(pack_frame(record, self._size))

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Let the records that are appended inside reach the disk together, when the block ends.

        For copies that catch up: one wait for many records. None of them counts as kept before the end.

        Raises:
            StorageError: At the end, when the disk refused; the file takes no more.
        """
        self._held = bytearray()
        try:
            yield
        finally:
            frames, self._held = bytes(self._held), None
            if frames:
                self._write(frames)

    def _write(self, frames: bytes) -> None:
        try:
            if self._handle is None:
                self._create(frames)
            else:
                trouble = self._files.trouble(self._handle, self._size)
                if trouble:
                    self._stopped = trouble
                    raise StorageError(f"cannot write {self.path}: {trouble}")
                write_all(self._files, self._handle, frames)
                self._files.sync_data(self._handle)
        except OSError as error:
            self._stop(error)
            raise StorageError(f"cannot write {self.path}: {self._stopped}") from error
        self._size += len(frames)

    def close(self) -> None:
        """Let go of the file and its lock; twice does no harm."""
        handle, self._handle = self._handle, None
        self._stopped = self._stopped or "it is closed"
        if handle is not None:
            self._files.close(handle)
        if self._lock is not None:
            self._lock.release()

    def mend(self) -> None:
        """Go on after the disk refused: read the file again and write it anew, as far as records were acknowledged.

        After a failed sync nobody knows what the disk has of the old file, so that one is not written to again.
        A file that could only be read is locked and opened now.

        Raises:
            StorageError: The disk still refuses, or the file is not what its only writer left.
        """
        if not self._stopped:
            return
        if not self._is_refused:
            raise StorageError(f"{self.path} takes no more records: {self._stopped}")
        if self._lock is None:
            self._lock_late()
            return
        try:
            if self._handle is not None:
                self._renew(self._handle, self._acknowledged(self._handle))
        except OSError as error:
            self.trouble = trouble_of(error)
            raise StorageError(f"cannot write {self.path}: {_reason(error)}") from error
        self._stopped, self._is_refused, self.trouble = "", False, ""

    def _lock_late(self) -> None:
        """Take the lock of a file that could only be read, and open the file if nothing has changed in it.

        Raises:
            StorageError: The disk still refuses, or another program has the file, or has written to it.
        """
        known = self.loaded
        assert known is not None, "it was read"
        try:
            self._lock = locked(self.path)
            self._resume()
            found = self.loaded
            assert found is not None, "it was read again"
            if found.good != known.good or found.records[-1].chain != known.records[-1].chain:
                raise StorageError(
                    f"cannot write {self.path}: another program has written to the file"
                )
        except FlagplotError as error:
            self.loaded = known
            self._unlock()
            if isinstance(error, StorageError):
                raise
            raise StorageError(str(error)) from error
        self._stopped, self._is_refused, self.trouble = "", False, ""

    def _unlock(self) -> None:
        """Let go of the file and of its lock; the writer stays as it was."""
        handle, self._handle = self._handle, None
        lock, self._lock = self._lock, None
        if handle is not None:
            self._files.close(handle)
        if lock is not None:
            lock.release()

    def _renew(self, older: int, data: bytes) -> None:
        """Put another file with this content under the name, and write to that from now on."""
        part = self.path.with_name(self.path.name + ".part")
        newer = self._files.open(part, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_TRUNC)
        try:
            write_all(self._files, newer, data)
            self._files.sync(newer)
            self._files.rename(part, self.path)
        except BaseException:
            self._files.close(newer)
            clear_away(self._files, part)
            raise
        self._handle = newer
        self._files.close(older)
        self._files.sync_folder(self.path.parent)

    def _acknowledged(self, handle: int) -> bytes:
        """Return what the file holds up to the last acknowledged record."""
        data = self._files.read(self.path, MAX_LOG_BYTES, MAGIC)[: self._size]
        found = scan(self.path.name, data)
        trouble = self._files.trouble(handle, os.fstat(handle).st_size)
        if trouble or found.good != self._size:
            trouble = trouble or "it does not hold what was written to it"
            raise StorageError(f"{self.path} takes no more records: {trouble}")
        return data

    def _create(self, frame: bytes) -> None:
        replace_file(self._files, self.path, self._head + frame)
        self._handle = self._files.open(self.path, os.O_WRONLY | os.O_APPEND)

    def _resume(self) -> None:
        self.loaded = read_log(self.path, self._files)
        self._size = self.loaded.good
        try:
            self._handle = self._files.open(self.path, os.O_WRONLY | os.O_APPEND)
            if self.loaded.torn is not None:
                self._files.truncate(self._handle, self._size)
                self._files.sync(self._handle)
        except OSError as error:
            raise StorageError(f"cannot write {self.path}: {_reason(error)}") from error

    def _stop(self, error: OSError) -> None:
        """Write nothing more; after a failed sync nobody knows what the disk has."""
        self._stopped, self._is_refused, self.trouble = _reason(error), True, trouble_of(error)
        if self._handle is not None:
            try:
                self._files.truncate(self._handle, self._size)
            except OSError:
                return  # reading the file again drops the torn rest


def _content(path: Path, files: Files) -> bytes:
    try:
        return files.read(path, MAX_LOG_BYTES, MAGIC)
    except OSError as error:
        raise StorageError(f"cannot read {path}: {_reason(error)}") from error


def _one_name(path: Path) -> Path:
    """Return the name of a file that all links to it share, so that they share its lock.

    Raises:
        StorageError: Links lead in a circle.
    """
    if not path.is_symlink():
        return path
    place = Path(os.path.realpath(path))
    if place.is_symlink():
        raise StorageError(f"{path} is a link that leads nowhere")
    return place


def locked(path: Path) -> FileLock:
    """Return the held lock of a file; the system releases it with the process, what carries it may stay.

    Raises:
        LogInUseError: Another program has it.
        StorageError: It cannot be taken.
    """
    lock = FileLock(lock_file(path), timeout=0, thread_local=False)
    try:
        lock.acquire()
    except Timeout as error:
        raise LogInUseError(path, holder_of(path)) from error
    except OSError as error:
        raise StorageError(f"cannot lock {path}: {_reason(error)}") from error
    return lock


def _reason(error: OSError) -> str:
    return error.strerror or str(error) or type(error).__name__

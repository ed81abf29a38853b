"""Tracks whether the host can write to its disk, and provides messages for players if it cannot."""

import asyncio
import os
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from pathlib import Path
from typing import Final

import structlog

from netplay.system.threads import run_on_executor
from netplay.wire import limits
from saves.disk_trouble import Trouble, disk_trouble
from saves.errors import StorageError
from saves.files import FILES, create_partial, delete_partial, write_all

log = structlog.get_logger()

DISK_PROBLEMS: Final[Mapping[Trouble, str]] = {
    "": "",
    "full": "the host's disk is full",
    "read-only": "the host's disk is read-only",
    "refuses": "the host's disk rejects writes",
}
_RETRY_TEXT: Final = "nothing was changed; try again later"
_TEST_BYTES: Final = 4_096
RECORD: Final = "record"
"""The kind of write that stores a match record."""
PENDING: Final = "pending"
"""The kind of write that stores a command while it is waiting for other seats."""


def check_folder(folder: Path) -> None:
    """Test a folder by writing and removing a small file.

    Raises:
        StorageError: The write failed.
    """
    try:
        _write_and_remove(folder)
    except OSError as error:
        raise StorageError(f"cannot write to {folder}: {error.strerror or error}") from error


def _write_and_remove(folder: Path) -> None:
    # The name is unique, because several worker processes may test the same folder at once.
    path = folder / f".disk-test-{os.getpid()}"
    handle = create_partial(FILES, path)
    try:
        try:
            write_all(FILES, handle, bytes(_TEST_BYTES))
            FILES.sync(handle)
        finally:
            FILES.close(handle)
    finally:
        delete_partial(FILES, path)


def folder_trouble(folder: Path) -> Trouble:
    """Return ``full`` or ``read-only`` if the folder's disk is full or read-only; otherwise, an empty string."""
    try:
        check_folder(folder)
    except StorageError as error:
        trouble = disk_trouble(error)
        return "" if trouble == "refuses" else trouble
    return ""


class FolderDisk:
    """Tracks whether the disk with the hosting folder is writable. All matches in one process share this object."""

    def __init__(self, folder: Path, disk: Executor, on_change: Callable[[], None]) -> None:
        """Assume initially that the disk works.

        Args:
            folder: The folder that contains the host's matches.
            disk: The thread pool for disk operations.
            on_change: Called in the event loop when writes start to fail or succeed again.
        """
        self.trouble: Trouble = ""
        self._folder = folder
        self._disk = disk
        self._changed = on_change
        self._is_suspect = False
        self._test_task: asyncio.Task[None] | None = None
        self._test_limit = limits.Bucket(1 / limits.REPAIR_SECONDS, 1)

    def schedule_test(self) -> None:
        """Schedule a disk test."""
        self._is_suspect = True

    def tick(self) -> None:
        """Test the disk if a test is scheduled or the disk has a problem."""
        is_due = self._is_suspect or bool(self.trouble)
        is_free = self._test_task is None or self._test_task.done()
        if is_due and is_free and self._test_limit.take():
            self._is_suspect = False
            self._test_task = asyncio.create_task(self._test())

    async def close(self) -> None:
        """Wait for a running test, and ignore its result. Call this before the disk threads are stopped."""
        if self._test_task is not None:
            self._test_task.cancel()
            await asyncio.gather(self._test_task, return_exceptions=True)

    async def _test(self) -> None:
        self._on_tested(await run_on_executor(self._disk, folder_trouble, self._folder))

    def _on_tested(self, trouble: Trouble) -> None:
        if trouble == self.trouble:
            return
        self.trouble = trouble
        if trouble:
            log.error("disk_write_failed", trouble=trouble)
        else:
            log.info("disk_write_recovered")
        self._changed()


class DiskState:
    """Tracks failed writes for one match."""

    def __init__(self, folder: FolderDisk | None, on_change: Callable[[], None]) -> None:
        """Assume initially that the disk works.

        Args:
            folder: The disk shared by all matches; None if it is not tracked.
            on_change: Called when writes start to fail or succeed again.
        """
        self._folder = folder
        self.changed = on_change
        self._failures: dict[str, Trouble] = {}

    @property
    def trouble(self) -> Trouble:
        """Return the disk problem for this match; empty if there is none."""
        for own_trouble in self._failures.values():
            return own_trouble
        return "" if self._folder is None else self._folder.trouble

    @property
    def phrase(self) -> str:
        """Return a phrase that describes the disk problem; empty if there is none."""
        return DISK_PROBLEMS[self.trouble]

    @property
    def refusal(self) -> str:
        """Return a sentence for a player whose request failed because of a disk problem."""
        return f"{self.phrase or DISK_PROBLEMS['refuses']}; {_RETRY_TEXT}"

    @property
    def is_refusing(self) -> bool:
        """Return whether the last write of any kind for this match failed."""
        return bool(self._failures)

    def has_failed(self, kind: str) -> bool:
        """Return whether the last write of this kind failed."""
        return kind in self._failures

    def set_read_only(self, trouble: Trouble) -> None:
        """Note that the match was opened without write access to its record."""
        self._failures[RECORD] = trouble

    def on_write_failed(self, error: StorageError, kind: str = RECORD) -> None:
        """Note that a write failed.

        Args:
            error: The error that the write raised.
            kind: The kind of data that could not be written.
        """
        previous, trouble = self.trouble, disk_trouble(error)
        # A later, more general error must not replace a precise one, such as a full disk.
        if trouble != "refuses" or kind not in self._failures:
            self._failures[kind] = trouble
        if self._folder is not None and trouble != "refuses":
            self._folder.schedule_test()
        self._notify_change(previous)

    def schedule_test(self) -> None:
        """Schedule a disk test after a failure to write data that is not part of the match."""
        if self._folder is not None:
            self._folder.schedule_test()

    def on_write_succeeded(self, kind: str = RECORD) -> None:
        """Note that a write succeeded.

        Once a record has been written, earlier write failures in this match no longer count. A short record may fit on
        a disk that is too full for anything else. Only a folder test therefore shows that the disk is no longer full.
        """
        previous = self.trouble
        if kind == RECORD:
            self._failures.clear()
        else:
            self._failures.pop(kind, None)
        self._notify_change(previous)

    def _notify_change(self, previous: Trouble) -> None:
        if self.trouble != previous:
            self.changed()

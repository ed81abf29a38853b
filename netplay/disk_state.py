"""Whether the disk of a host takes what its matches must keep, and what players read when it does not."""

import asyncio
import os
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from pathlib import Path
from typing import Final

import structlog

from netplay import limits
from saves.disk import Trouble, trouble_of
from saves.errors import StorageError
from saves.files import FILES, clear_away, write_all

log = structlog.get_logger()

DISK_WORDS: Final[Mapping[Trouble, str]] = {
    "": "",
    "full": "the host's disk is full",
    "read-only": "the host's disk is read-only",
    "refuses": "the host's disk takes no records",
}
_AGAIN: Final = "nothing happened, try again in a while"
_TEST_BYTES: Final = 4_096
RECORD: Final = "record"
"""What a disk can refuse: the record of a match ..."""
PENDING: Final = "pending"
"""... or what belongs to a command that waits for other seats."""


def check_folder(folder: Path) -> None:
    """Write a small file into a folder and remove it.

    Raises:
        StorageError: The disk refused.
    """
    try:
        _write_and_remove(folder)
    except OSError as error:
        raise StorageError(f"cannot write to {folder}: {error.strerror or error}") from error


def _write_and_remove(folder: Path) -> None:
    path = folder / f".disk-test-{os.getpid()}"
    handle = FILES.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        try:
            write_all(FILES, handle, bytes(_TEST_BYTES))
            FILES.sync(handle)
        finally:
            FILES.close(handle)
    finally:
        clear_away(FILES, path)


def folder_trouble(folder: Path) -> Trouble:
    """Return whether the disk of a folder is full or read-only now; empty where it is neither."""
    try:
        check_folder(folder)
    except StorageError as error:
        trouble = trouble_of(error)
        return "" if trouble == "refuses" else trouble
    return ""


class FolderDisk:
    """The disk of a hosting folder, for all matches that one process holds."""

    def __init__(self, folder: Path, disk: Executor, changed: Callable[[], None]) -> None:
        """Suspect nothing yet.

        Args:
            folder: Where the host keeps its matches.
            disk: Threads that wait for the disk.
            changed: Called in the event loop when the disk begins or ends to refuse.
        """
        self.trouble: Trouble = ""
        self._folder = folder
        self._disk = disk
        self._changed = changed
        self._is_suspect = False
        self._testing: asyncio.Task[None] | None = None
        self._tests = limits.Bucket(1 / limits.MEND_SECONDS, 1)

    def suspect(self) -> None:
        """Test the disk soon."""
        self._is_suspect = True

    def tick(self) -> None:
        """Test a disk that is suspected, or that has refused."""
        is_due = self._is_suspect or bool(self.trouble)
        is_free = self._testing is None or self._testing.done()
        if is_due and is_free and self._tests.take():
            self._is_suspect = False
            self._testing = asyncio.create_task(self._test())

    async def close(self) -> None:
        """End a test that is under way, before the threads for the disk end."""
        if self._testing is not None:
            self._testing.cancel()
            await asyncio.gather(self._testing, return_exceptions=True)

    async def _test(self) -> None:
        loop = asyncio.get_running_loop()
        self._note(await loop.run_in_executor(self._disk, folder_trouble, self._folder))

    def _note(self, trouble: Trouble) -> None:
        if trouble == self.trouble:
            return
        self.trouble = trouble
        if trouble:
            log.error("disk_refuses", trouble=trouble)
        else:
            log.info("disk_works_again")
        self._changed()


class DiskState:
    """What the disk refuses of one match."""

    def __init__(self, folder: FolderDisk | None, changed: Callable[[], None]) -> None:
        """Begin with a disk that takes everything.

        Args:
            folder: The disk for all matches; None where nothing is known of it.
            changed: Called when the disk begins or ends to refuse.
        """
        self._folder = folder
        self.changed = changed
        self._refused: dict[str, Trouble] = {}

    @property
    def trouble(self) -> Trouble:
        """Return what is wrong with the disk, empty while all is well."""
        for own in self._refused.values():
            return own
        return "" if self._folder is None else self._folder.trouble

    @property
    def words(self) -> str:
        """Return in words what is wrong with the disk, empty while all is well."""
        return DISK_WORDS[self.trouble]

    @property
    def refusal(self) -> str:
        """Return the sentence for a player whose request the disk refused."""
        return f"{self.words or DISK_WORDS['refuses']}; {_AGAIN}"

    @property
    def is_refusing(self) -> bool:
        """Return whether the disk refused something of this match last time."""
        return bool(self._refused)

    def has_refused(self, what: str) -> bool:
        """Return whether the disk refused this last time."""
        return what in self._refused

    def found(self, trouble: Trouble) -> None:
        """Note that the record of a match could only be read when it was opened."""
        self._refused[RECORD] = trouble

    def refused(self, error: StorageError, what: str = RECORD) -> None:
        """Note that the disk refused something.

        Args:
            error: What it said.
            what: What it refused.
        """
        before, trouble = self.trouble, trouble_of(error)
        if trouble != "refuses" or what not in self._refused:
            self._refused[what] = trouble
        if self._folder is not None and trouble != "refuses":
            self._folder.suspect()
        self._tell(before)

    def suspect(self) -> None:
        """Test the disk soon: it refused what is no part of the match."""
        if self._folder is not None:
            self._folder.suspect()

    def works(self, what: str = RECORD) -> None:
        """Note that the disk took something; a record shows that it takes all of this match.

        A short record may fit where nothing else does: only a test shows that the disk is not full any more.
        """
        before = self.trouble
        if what == RECORD:
            self._refused.clear()
        else:
            self._refused.pop(what, None)
        self._tell(before)

    def _tell(self, before: Trouble) -> None:
        if self.trouble != before:
            self.changed()

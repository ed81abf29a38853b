"""Writes a match's records to disk, one at a time."""

from concurrent.futures import Executor
from typing import Any

from netplay.system.threads import run_on_executor, run_to_end
from netplay.wire import limits
from saves.errors import StorageError
from saves.match import Match
from saves.match_replica import PendingRecord
from saves.records import Record


class RecordWriter:
    """Writes the records of one match in a thread, so that other matches are not delayed."""

    def __init__(self, match: Match[Any], disk: Executor) -> None:
        """Create a writer with nothing to write.

        Args:
            match: The match with its full, unredacted record.
            disk: Thread pool for disk operations.
        """
        self._match = match
        self._disk = disk
        self._is_write_rejected = bool(match.trouble)
        """True if the last write failed."""
        # A repair rereads and rewrites the whole record, so it must not be repeated for every
        # command in a flood.
        self._repair_limit = limits.Bucket(1 / limits.REPAIR_SECONDS, 1)

    async def commit(self, draft: PendingRecord[Any]) -> Record:
        """Write a draft to disk, then add it to the game.

        Raises:
            StorageError: The write failed. Nothing has changed. The log is repaired before the next draft is written.
        """
        # Even if the caller is cancelled, a record that is in the file must also be added to the
        # game.
        return await run_to_end(self._commit(draft))

    async def _commit(self, draft: PendingRecord[Any]) -> Record:
        await run_on_executor(self._disk, self._write, draft)
        return self._match.apply(draft)

    async def repair(self) -> bool:
        """Repair the log if the last write failed. Return False if the last attempt was too recent, otherwise True.

        Raises:
            StorageError: Writing still fails.
        """
        if self._is_write_rejected and not self._repair_limit.take():
            return False
        await run_on_executor(self._disk, self._repair)
        return True

    def _repair(self) -> None:
        if self._is_write_rejected:
            self._match.recover()
            self._is_write_rejected = False

    def _write(self, draft: PendingRecord[Any]) -> None:
        if self._is_write_rejected and not self._repair_limit.take():
            raise StorageError("the disk rejected a write a moment ago")
        self._repair()
        try:
            self._match.write(draft)
        except StorageError:
            self._is_write_rejected = True
            raise

"""From a judged command to a record on the disk, one of a match after the other."""

import asyncio
from concurrent.futures import Executor
from typing import Any

from netplay import limits
from saves.copy import PendingRecord
from saves.errors import StorageError
from saves.match import Match
from saves.records import Record


class Keeper:
    """Writes the record of one match; the disk is waited for in a thread, while other matches go on."""

    def __init__(self, match: Match[Any], disk: Executor) -> None:
        """Write nothing yet.

        Args:
            match: The judge's game.
            disk: Threads that wait for the disk.
        """
        self._match = match
        self._disk = disk
        self._is_refused = bool(match.trouble)
        """Whether the disk refused the last record."""
        self._mends = limits.Bucket(1 / limits.MEND_SECONDS, 1)

    async def keep(self, draft: PendingRecord[Any]) -> Record:
        """Make a draft part of the game once the disk has it.

        Raises:
            StorageError: The disk refused; nothing happened. The log is mended when the next draft comes.
        """
        await asyncio.get_running_loop().run_in_executor(self._disk, self._write, draft)
        return self._match.show(draft)

    async def mend(self) -> bool:
        """Let the log go on after the disk refused; returns False where it was tried a moment ago.

        Raises:
            StorageError: The disk still refuses.
        """
        if self._is_refused and not self._mends.take():
            return False
        await asyncio.get_running_loop().run_in_executor(self._disk, self._mend)
        return True

    def _mend(self) -> None:
        if self._is_refused:
            self._match.mend()
            self._is_refused = False

    def _write(self, draft: PendingRecord[Any]) -> None:
        if self._is_refused and not self._mends.take():
            raise StorageError("the disk refused a moment ago")
        self._mend()
        try:
            self._match.write(draft)
        except StorageError:
            self._is_refused = True
            raise

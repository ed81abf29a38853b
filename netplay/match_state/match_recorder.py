"""Writes a match's records on the host, and handles the consequences of each new record.

After each record, the time spent is recorded, obsolete offers are cancelled and waiting requests are woken. Once the
game is over, the match's secret is revealed.
"""

import time
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from pathlib import Path
from typing import Any, Final

import structlog

from engine.kernel.ids import Role
from netplay.fair.ordered_match import OrderedMatch
from netplay.feed.change_signal import ChangeSignal
from netplay.feed.feed import Feed
from netplay.feed.reminders import TurnTracker
from netplay.match_state.chat_and_offers import HOST, ChatAndOffers
from netplay.match_state.record_writer import RecordWriter
from netplay.match_state.timekeeper import Timekeeper
from netplay.system.disk_state import PENDING, RECORD, DiskState, check_folder
from netplay.system.threads import run_on_executor
from netplay.wire import limits
from saves.errors import StorageError
from saves.match import Match
from saves.match_replica import PendingRecord
from saves.records import Record
from saves.statements import TimeSpent

_NO_REVEAL: Final = (
    "the game is over; its secret will be revealed as soon as the host's disk accepts writes"
)


class MatchRecorder:
    """Writes one match's records. Callers must hold the table's request lock."""

    def __init__(
        self,
        match: Match[Any],
        disk: Executor,
        feed: Feed,
        clocks: Timekeeper,
        turns: TurnTracker,
        chat_and_offers: ChatAndOffers,
        change_signal: ChangeSignal,
        disk_state: DiskState | None = None,
    ) -> None:
        """Create a recorder for a newly opened match.

        Args:
            match: The match with its full, unredacted record.
            disk: Thread pool for disk operations.
            feed: Provides each seat's view of the records.
            clocks: The match's clocks.
            turns: Tracks whose turn it is.
            chat_and_offers: The chat and the open offer.
            change_signal: Wakes requests that are waiting for updates.
            disk_state: Tracks this match's failed writes.
        """
        self.match = match
        self.disk = disk
        self.clocks = clocks
        self.turns = turns
        self.chat_and_offers = chat_and_offers
        self.change_signal = change_signal
        self.match_log = structlog.get_logger().bind(
            game=match.header.game, match=match.header.match_id
        )
        self.listeners: list[Callable[[], None]] = []
        """Functions to call after each record, before peers are notified of the record."""
        self.last_append_time = 0.0
        """The ``time.perf_counter`` value when the last record was synced to disk."""
        self.is_reveal_due = match.outcome is not None and not match.is_revealed
        """True if the game is over but a crash or a disk error has prevented the secret from being revealed."""
        self.is_closed = False
        """True once a finished match's record file has been closed."""
        self._feed = feed
        self._writer = RecordWriter(match, disk)
        self.disk_state = disk_state or DiskState(None, change_signal.bump)
        if match.trouble:
            self.disk_state.set_read_only(match.trouble)
        self._last_change: float | None = time.monotonic()
        """Time when the last record was stored or the table was opened; None once cached results have been dropped."""

    async def commit(self, draft: PendingRecord[Any]) -> Record:
        """Write a draft to disk, then add it to the game.

        Raises:
            StorageError: The write failed. Nothing has changed.
        """
        try:
            record = await self._writer.commit(draft)
        except StorageError as error:
            self.disk_state.on_write_failed(error)
            raise
        self.disk_state.on_write_succeeded()
        return record

    async def run_on_disk(self, work: Callable[..., Any], *args: object) -> Any:  # noqa: ANN401  # the work's result
        """Run a disk operation in a thread, so that other matches are not delayed.

        Raises:
            StorageError: The operation failed.
        """
        try:
            result = await run_on_executor(self.disk, work, *args)
        except StorageError as error:
            self.disk_state.on_write_failed(error, PENDING)
            raise
        self.disk_state.on_write_succeeded(PENDING)
        return result

    async def test_disk(self, folder: Path) -> None:
        """After a failed write, check whether the disk is writable again.

        Args:
            folder: The folder that contains the host's matches.
        """
        state = self.disk_state
        try:
            if state.has_failed(RECORD):
                if await self._writer.repair():
                    state.on_write_succeeded()
            elif state.has_failed(PENDING):
                await self.run_on_disk(check_folder, folder)
        except StorageError as error:
            state.on_write_failed(error, RECORD if state.has_failed(RECORD) else PENDING)

    async def record_time_spent(self, role: Role, spent: Mapping[Role, int]) -> None:
        """Record the time spent up to the last record. If the write fails, no player is charged for the time.

        Args:
            role: The role in whose name the time is recorded.
            spent: Milliseconds spent by each role that had to decide. If it is empty, nothing is recorded.
        """
        if not spent:
            return
        try:
            statement = TimeSpent(spent=dict(spent))
            await self.commit(self.match.draft_statement(role, statement))
        except StorageError as error:
            self.match_log.error("time_spent_save_failed", seq=self.match.seq, error=str(error))
        # The time is dropped even if the write failed, so that players are not charged for it.
        self.clocks.reset_time_spent()

    async def record_remark(self, role: Role, text: str) -> None:
        """Record a remark on a command that has already been recorded. If the write fails, only the remark is lost."""
        try:
            await self.commit(self.match.draft_remark(text, role))
        except StorageError as error:
            self.match_log.warning("remark_save_failed", role=role, error=str(error))

    async def on_record_added(self, giver: Role | None = None) -> None:
        """Handle a new record: notify all peers and, if the game is over, reveal the secret.

        Args:
            giver: The role that gave the command; None if the record is not a command.
        """
        self.clocks.on_turn_changed(giver)
        self.turns.update(self.match.asked)
        self.last_append_time = time.perf_counter()
        self.chat_and_offers.cancel_offer("the game continued")
        self.notify_listeners()
        self._feed.cache_state()
        await self.reveal()
        self.match.drop_old_results(limits.MAX_RESULTS)
        self._last_change = time.monotonic()
        self.change_signal.notify()

    def notify_listeners(self) -> None:
        """Notify the listeners that must process each record immediately."""
        for listener in self.listeners:
            listener()

    async def reveal(self) -> None:
        """Reveal the secret of a finished game. If the write fails, notify the players once and retry later."""
        match = self.match
        if match.is_revealed or match.outcome is None:
            return
        if isinstance(match, OrderedMatch) and match.awaits_seeds:
            return
        try:
            await self.commit(match.draft_reveal())
        except StorageError as error:
            self.match_log.error("reveal_failed", seq=match.seq, error=str(error))
            if not self.is_reveal_due:
                self.chat_and_offers.add_line(HOST, _NO_REVEAL)
            self.is_reveal_due = True
        else:
            self.is_reveal_due = False
            self.notify_listeners()
            self._feed.cache_state()
            self.match_log.info("game_over", seq=match.seq)

    @property
    def is_finished(self) -> bool:
        """Return whether nothing is left to finish: no reveal is due, and the record of a revealed match is closed."""
        is_waiting = isinstance(self.match, OrderedMatch) and self.match.awaits_seeds
        is_reveal_owed = self.is_reveal_due and not is_waiting
        return not is_reveal_owed and (self.is_closed or not self.match.is_revealed)

    async def finish(self) -> None:
        """If revealing the secret failed earlier, retry it. If the match is finished, close the record."""
        if self.is_reveal_due:
            await self.reveal()
            self.change_signal.notify()
        if self.match.is_revealed:
            # Closing may write a snapshot, which would take too long in the event loop.
            await self.run_on_disk(self.close_record)

    def close_record(self) -> None:
        """Close the record file of a finished match, because no records can follow."""
        self.match.close()
        self.is_closed = True

    def drop_caches_if_idle(self, seconds: float) -> bool:
        """Drop cached results if nothing has happened for ``seconds`` seconds.

        Return True if results were dropped. They are dropped at most once between two records.
        """
        if self._last_change is None or time.monotonic() - self._last_change < seconds:
            return False
        self._last_change = None
        self.match.drop_old_results(0)
        return True

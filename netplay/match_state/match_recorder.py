"""A match's growing record on the host, and the consequences of each new record.

After each record, the time spent is stored, obsolete offers are cancelled and waiting requests are woken. Once the game
is over, its secret is revealed.
"""

import asyncio
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
        parley: ChatAndOffers,
        bell: ChangeSignal,
        disk_state: DiskState | None = None,
    ) -> None:
        """Start from a newly opened match.

        Args:
            match: The match with its full, unredacted record.
            disk: Thread pool for disk operations.
            feed: Each seat's view of the records.
            clocks: The match's clocks.
            turns: Tracks whose turn it is.
            parley: The chat and the open offer.
            bell: Wakes requests that are waiting for updates.
            disk_state: Tracks this match's failed writes.
        """
        self.match = match
        self.disk = disk
        self.clocks = clocks
        self.turns = turns
        self.parley = parley
        self.bell = bell
        self.journal = structlog.get_logger().bind(
            game=match.header.game, match=match.header.match_id
        )
        self.listeners: list[Callable[[], None]] = []
        """Called after each record, before peers are notified of it."""
        self.appended_at = 0.0
        """The ``time.perf_counter`` time at which the last record was synced."""
        self.owes_reveal = match.outcome is not None and not match.is_revealed
        """True if the game is over but, because of a crash or a disk error, its secret has not been revealed yet."""
        self.is_let_go = False
        """True once a finished match's record file has been closed."""
        self._feed = feed
        self._keeper = RecordWriter(match, disk)
        self.disk_state = disk_state or DiskState(None, bell.touch)
        if match.trouble:
            self.disk_state.found(match.trouble)
        self._moved: float | None = time.monotonic()
        """When the last record was stored or the table opened; None once cached results have been dropped."""

    async def keep(self, draft: PendingRecord[Any]) -> Record:
        """Write a draft to disk, then add it to the game.

        Raises:
            StorageError: The write failed. Nothing has changed.
        """
        try:
            record = await self._keeper.keep(draft)
        except StorageError as error:
            self.disk_state.refused(error)
            raise
        self.disk_state.works()
        return record

    async def on_disk(self, work: Callable[..., Any], *args: object) -> Any:  # noqa: ANN401  # the work's result
        """Run a disk operation in a thread, so that other matches are not held up.

        Raises:
            StorageError: The operation failed.
        """
        try:
            done = await asyncio.get_running_loop().run_in_executor(self.disk, work, *args)
        except StorageError as error:
            self.disk_state.refused(error, PENDING)
            raise
        self.disk_state.works(PENDING)
        return done

    async def test_disk(self, folder: Path) -> None:
        """Check whether a disk that rejected writes accepts them again.

        Args:
            folder: Folder with the host's matches.
        """
        state = self.disk_state
        try:
            if state.has_refused(RECORD):
                if await self._keeper.mend():
                    state.works()
            elif state.has_refused(PENDING):
                await self.on_disk(check_folder, folder)
        except StorageError as error:
            state.refused(error, RECORD if state.has_refused(RECORD) else PENDING)

    async def charge(self, role: Role, spent: Mapping[Role, int]) -> None:
        """Record the time spent up to the last record. If the write fails, no one is charged for the time.

        Args:
            role: The role whose record stopped the clocks.
            spent: Milliseconds spent by each role with an open question.
        """
        if not spent:
            return
        try:
            said = TimeSpent(spent=dict(spent))
            await self.keep(self.match.draft_statement(role, said))
        except StorageError as error:
            self.journal.error("time_not_kept", seq=self.match.seq, error=str(error))
        self.clocks.charged()

    async def remark(self, role: Role, text: str) -> None:
        """Record a comment on an already recorded command. If the write fails, only the comment is lost."""
        try:
            await self.keep(self.match.draft_remark(text, role))
        except StorageError as error:
            self.journal.warning("remark_not_kept", role=role, error=str(error))

    async def grown(self, giver: Role | None = None) -> None:
        """Handle a new record: notify all peers and, if the game is over, reveal the secret.

        Args:
            giver: The role that gave the command, if the record is a command.
        """
        self.clocks.turned(giver)
        self.turns.seen(self.match.asked)
        self.appended_at = time.perf_counter()
        self.parley.deny("the game continued")
        self.hear()
        self._feed.remember()
        await self.reveal()
        self.match.keep_latest(limits.RESULTS_KEPT)
        self._moved = time.monotonic()
        self.bell.ring()

    def hear(self) -> None:
        """Notify the listeners that must process each record immediately."""
        for look in self.listeners:
            look()

    async def reveal(self) -> None:
        """Reveal a finished game's secret. If the write fails, retry later and notify the players once."""
        match = self.match
        if match.is_revealed or match.outcome is None:
            return
        if isinstance(match, OrderedMatch) and match.awaits_seeds:
            return
        try:
            await self.keep(match.draft_reveal())
        except StorageError as error:
            self.journal.error("reveal_failed", seq=match.seq, error=str(error))
            if not self.owes_reveal:
                self.parley.say(HOST, _NO_REVEAL)
            self.owes_reveal = True
        else:
            self.owes_reveal = False
            self.hear()
            self._feed.remember()
            self.journal.info("game_over", seq=match.seq)

    @property
    def is_finished(self) -> bool:
        """Return whether nothing is left to write and a finished match's record has been closed."""
        is_waiting = isinstance(self.match, OrderedMatch) and self.match.awaits_seeds
        is_owed = self.owes_reveal and not is_waiting
        return not is_owed and (self.is_let_go or not self.match.is_revealed)

    async def finish(self) -> None:
        """Reveal the secret if that failed earlier, and close a finished match's record."""
        if self.owes_reveal:
            await self.reveal()
            self.bell.ring()
        if self.match.is_revealed:
            await self.on_disk(self.let_go)

    def let_go(self) -> None:
        """Close a finished match's record file. No records can follow."""
        self.match.close()
        self.is_let_go = True

    def is_idle(self, seconds: float) -> bool:
        """Drop cached results and return True once nothing has happened for this many seconds; True only once."""
        if self._moved is None or time.monotonic() - self._moved < seconds:
            return False
        self._moved = None
        self.match.keep_latest(0)
        return True

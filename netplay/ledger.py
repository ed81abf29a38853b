"""The record of one match at the host as it grows, and what follows from each of its records.

The time that ended is kept behind it, offers that it overtook end, whoever waits is woken, and after the end the secret
is shown.
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from pathlib import Path
from typing import Any, Final

import structlog

from engine.kernel.ids import Role
from netplay import limits
from netplay.bell import Bell
from netplay.disk_state import PENDING, RECORD, DiskState, check_folder
from netplay.fair.ordered_match import OrderedMatch
from netplay.feed import Feed
from netplay.keeping import Keeper
from netplay.parley import HOST, Parley
from netplay.reminding import Turns
from netplay.timekeeper import Timekeeper
from saves.copy import PendingRecord
from saves.errors import StorageError
from saves.match import Match
from saves.records import Record
from saves.statements import TimeSpent

_NO_REVEAL: Final = "the game is over; its secret is shown as soon as the host's disk takes records"


class Ledger:
    """Keeps the records of one match; whoever calls it holds the order of the table's requests."""

    def __init__(
        self,
        match: Match[Any],
        disk: Executor,
        feed: Feed,
        clocks: Timekeeper,
        turns: Turns,
        parley: Parley,
        bell: Bell,
        disk_state: DiskState | None = None,
    ) -> None:
        """Keep nothing yet.

        Args:
            match: The judge's game.
            disk: Threads that wait for the disk.
            feed: What each seat may be told of the records.
            clocks: The running clocks.
            turns: Whose turn it is.
            parley: What players say to each other.
            bell: Wakes whoever waits for news.
            disk_state: What the disk refuses of this match.
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
        """Called after each record, before anybody is told of it."""
        self.appended_at = 0.0
        """When the last record was synced, on the clock of ``time.perf_counter``."""
        self.owes_reveal = match.outcome is not None and not match.is_revealed
        """Whether the game is over and its secret not shown: a crash or the disk came in between."""
        self.is_let_go = False
        """Whether the record file of a match that is over is closed."""
        self._feed = feed
        self._keeper = Keeper(match, disk)
        self.disk_state = disk_state or DiskState(None, bell.touch)
        if match.trouble:
            self.disk_state.found(match.trouble)
        self._moved: float | None = time.monotonic()
        """When the last record was kept, or the table opened; None after what can be worked out again was forgotten."""

    async def keep(self, draft: PendingRecord[Any]) -> Record:
        """Make a draft part of the game once the disk has it.

        Raises:
            StorageError: The disk refused; nothing happened.
        """
        try:
            record = await self._keeper.keep(draft)
        except StorageError as error:
            self.disk_state.refused(error)
            raise
        self.disk_state.works()
        return record

    async def on_disk(self, work: Callable[..., Any], *args: object) -> Any:  # noqa: ANN401  # whatever the work returns
        """Do what waits for the disk in a thread, while other matches go on.

        Raises:
            StorageError: The disk refused.
        """
        try:
            done = await asyncio.get_running_loop().run_in_executor(self.disk, work, *args)
        except StorageError as error:
            self.disk_state.refused(error, PENDING)
            raise
        self.disk_state.works(PENDING)
        return done

    async def test_disk(self, folder: Path) -> None:
        """Find out whether a disk that refused takes records again.

        Args:
            folder: Where the host keeps its matches.
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
        """Keep the time that was spent up to the last record; what the disk refuses counts for nobody.

        Args:
            role: Whose record it is that ended the time.
            spent: Milliseconds of each role that was asked.
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
        """Keep what is said about a command that is kept; a disk that refuses it then loses no more than that."""
        try:
            await self.keep(self.match.draft_remark(text, role))
        except StorageError as error:
            self.journal.warning("remark_not_kept", role=role, error=str(error))

    async def grown(self, giver: Role | None = None) -> None:
        """Tell everybody that the record has grown; show the secret when the game is over.

        Args:
            giver: Who gave the command, if it was one.
        """
        self.clocks.turned(giver)
        self.turns.seen(self.match.asked)
        self.appended_at = time.perf_counter()
        self.parley.deny("the game went on")
        self.hear()
        self._feed.remember()
        await self.reveal()
        self.match.keep_latest(limits.RESULTS_KEPT)
        self._moved = time.monotonic()
        self.bell.ring()

    def hear(self) -> None:
        """Let those look who must hear of each record at once."""
        for look in self.listeners:
            look()

    async def reveal(self) -> None:
        """Show the secret of a game that is over; what the disk refuses is tried again, and said once."""
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
        """Return whether nothing is owed, and the record of a match that is over was let go of."""
        is_waiting = isinstance(self.match, OrderedMatch) and self.match.awaits_seeds
        is_owed = self.owes_reveal and not is_waiting
        return not is_owed and (self.is_let_go or not self.match.is_revealed)

    async def finish(self) -> None:
        """Show the secret where the disk refused that, and let go of the record of a match that is over."""
        if self.owes_reveal:
            await self.reveal()
            self.bell.ring()
        if self.match.is_revealed:
            await self.on_disk(self.let_go)

    def let_go(self) -> None:
        """Close the record file of a match that is over; nothing can follow in it."""
        self.match.close()
        self.is_let_go = True

    def is_idle(self, seconds: float) -> bool:
        """Return once whether nothing was done for so long; what was worked out about the match is forgotten then."""
        if self._moved is None or time.monotonic() - self._moved < seconds:
            return False
        self._moved = None
        self.match.keep_latest(0)
        return True

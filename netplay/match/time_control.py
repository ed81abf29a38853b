"""Enforces a match's time limits, reminds absent players, and saves unrecorded clock time."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, Final

from engine.kernel.ids import Role
from netplay.feed.presence import PresenceTracker
from netplay.feed.reminders import ReminderRunner, TurnReminder
from netplay.match_state.chat_and_offers import HOST
from netplay.match_state.match_recorder import MatchRecorder
from netplay.match_state.match_state_file import Kept, TableFile
from play.bots import bot_name
from play.seating import group_into_seats
from saves.disk import Trouble
from saves.errors import StorageError
from saves.match import Match
from saves.records import NOBODY
from saves.statements import Ending, TimeSpent
from saves.teams import info_of
from saves.terms import named

_SAVE_SECONDS: Final = 5.0
"""Interval between saves, and therefore the maximum clock time lost if the host is killed."""
Work = Callable[[], Awaitable[None]]


class TimeControl:
    """Checks one match's clocks and turns."""

    def __init__(
        self,
        ledger: MatchRecorder,
        file: TableFile,
        caller: ReminderRunner | None,
        attendance: PresenceTracker,
        in_order: Callable[[Work], Awaitable[None]],
    ) -> None:
        """Start with no flags fallen.

        Args:
            ledger: The match's recorder.
            file: The table's state, which is saved next to the record.
            caller: Sends reminders to absent players; None for no reminders.
            attendance: Tracks which seats are connected.
            in_order: Runs a task between two requests, unless the host is stopping.
        """
        self._ledger = ledger
        self._file = file
        self._caller = caller
        self._attendance = attendance
        self._in_order = in_order
        self._called_up: set[Role] = set()
        """Roles whose expired clocks have been announced."""
        self._next_save = 0.0
        self._saving: asyncio.Future[Trouble] | None = None
        self._dropping: asyncio.Future[None] | None = None

    def tick(self) -> None:
        """Check for expired clocks and due reminders, and save the table's state periodically."""
        ledger = self._ledger
        if not (ledger.clocks.has_clocks or self._caller):
            return
        self._remind()
        if self._dropping is None or self._dropping.done():
            work = self._in_order(self.drop_flags) if self._is_up() else None
            self._dropping = None if work is None else asyncio.ensure_future(work)
        now = time.monotonic()
        if now >= self._next_save:
            self._next_save = now + _SAVE_SECONDS
            if self._saving is None or self._saving.done():
                loop = asyncio.get_running_loop()
                self._saving = loop.run_in_executor(ledger.disk, self._file.write, self._kept())
                self._saving.add_done_callback(self._saved)

    def _saved(self, saving: "asyncio.Future[Trouble]") -> None:
        """Schedule a disk test if the write failed."""
        if not saving.cancelled() and saving.result():
            self._ledger.disk_state.suspect()

    async def close(self) -> None:
        """Save the table's state for the next process."""
        if self._saving is not None:
            await self._saving
        self._file.write(self._kept())

    def _kept(self) -> Kept:
        ledger = self._ledger
        return Kept(
            seq=ledger.match.seq,
            spent=ledger.clocks.spent(),
            joined=tuple(sorted(ledger.clocks.joined)),
            reminded=tuple(sorted(ledger.turns.called)),
        )

    def _remind(self) -> None:
        """Remind absent players of their turn."""
        match, caller = self._ledger.match, self._caller
        if caller is None or match.is_revealed or self._ledger.disk_state.trouble:
            return
        header = match.header
        for role in self._ledger.turns.due(match.asked, self._attendance.present):
            player = next(seat.player for seat in header.seats if seat.role == role)
            heading = match.ruleset.heading(match.state)
            called = TurnReminder(
                match=header.match_id, game=header.game, seat=role, player=player, heading=heading
            )
            caller.call(called)
            self._next_save = 0.0

    def _is_up(self) -> bool:
        """Return whether a clock has expired but has not been announced."""
        return not set(self._ledger.clocks.fallen()) <= self._called_up

    async def drop_flags(self) -> None:
        """Apply the match's time rule to expired clocks: announce them or end the match.

        No clock runs while a command is waiting for the seats' messages, because the command arrived in time.
        """
        ledger = self._ledger
        match, fallen = ledger.match, ledger.clocks.fallen()
        self._called_up &= set(fallen)
        dials = match.terms.dials
        if not fallen or dials is None:
            return
        if dials.clock.flag == "loses":
            await self._lose(fallen[0])
            return
        for role in fallen:
            if role not in self._called_up:
                self._called_up.add(role)
                ledger.parley.say(HOST, f"{named(match.ruleset, (role,))} ran out of time")

    async def _lose(self, role: Role) -> None:
        """End a match on time. If a write fails, retry at the next tick."""
        ledger = self._ledger
        match = ledger.match
        try:
            spent = TimeSpent(spent=ledger.clocks.spent())
            await ledger.keep(match.draft_statement(NOBODY, spent))
            ledger.clocks.charged()
            ledger.hear()
            lost = Ending(how="time", by=match.terms.side(role))
            await ledger.keep(match.draft_statement(role, lost))
        except StorageError as error:
            ledger.journal.error("time_not_kept", role=role, seq=match.seq, error=str(error))
            return
        ledger.journal.info("time_up", role=role, seq=match.seq)
        await ledger.grown()


def people(match: Match[Any]) -> tuple[tuple[Role, ...], ...]:
    """Return each person's roles, without bots."""
    header = match.header
    players = {seat.role: seat.player for seat in header.seats}
    seats = group_into_seats(info_of(match.ruleset, header), players)
    return tuple(seat for seat in seats if not bot_name(players[seat[0]]))

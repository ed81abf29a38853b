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
from netplay.match_state.match_state_file import MatchState, MatchStateFile
from play.bots import bot_name
from play.seating import group_into_seats
from saves.disk_trouble import Trouble
from saves.errors import StorageError
from saves.match import Match
from saves.records import NOBODY
from saves.statements import Ending, TimeSpent
from saves.teams import match_info
from saves.terms import role_names

_SAVE_SECONDS: Final = 5.0
"""Interval in seconds between saves. If the host is killed, at most this much clock time is lost."""
Work = Callable[[], Awaitable[None]]


class TimeControl:
    """Checks one match's clocks and whose turn it is."""

    def __init__(
        self,
        recorder: MatchRecorder,
        file: MatchStateFile,
        reminders: ReminderRunner | None,
        presence: PresenceTracker,
        run_exclusively: Callable[[Work], Awaitable[None]],
    ) -> None:
        """Create a checker that has not found any expired clocks yet.

        Args:
            recorder: The match's recorder.
            file: The table's state file, which is saved next to the record.
            reminders: Sends reminders to absent players; None for no reminders.
            presence: Tracks which seats are connected.
            run_exclusively: Runs a task between two requests, unless the host is stopping.
        """
        self._recorder = recorder
        self._file = file
        self._reminders = reminders
        self._presence = presence
        self._run_exclusively = run_exclusively
        self._announced: set[Role] = set()
        """Roles whose expired clocks have already been announced to the players."""
        self._next_save = 0.0
        self._save_task: asyncio.Future[Trouble] | None = None
        self._flag_task: asyncio.Future[None] | None = None

    def tick(self) -> None:
        """Check for expired clocks and due reminders, and save the table's state periodically."""
        recorder = self._recorder
        if not (recorder.clocks.has_clocks or self._reminders):
            return
        self._remind_absent()
        if self._flag_task is None or self._flag_task.done():
            work = self._run_exclusively(self.apply_fallen_flags) if self._has_new_flag() else None
            self._flag_task = None if work is None else asyncio.ensure_future(work)
        now = time.monotonic()
        if now >= self._next_save:
            self._next_save = now + _SAVE_SECONDS
            if self._save_task is None or self._save_task.done():
                loop = asyncio.get_running_loop()
                self._save_task = loop.run_in_executor(
                    recorder.disk, self._file.write, self._current_state()
                )
                self._save_task.add_done_callback(self._on_saved)

    def _on_saved(self, saving: "asyncio.Future[Trouble]") -> None:
        """Schedule a disk test if saving the state failed."""
        if not saving.cancelled() and saving.result():
            self._recorder.disk_state.schedule_test()

    async def close(self) -> None:
        """Save the table's state for the next process."""
        if self._save_task is not None:
            # Two writes must not overlap, because they would use the same temporary file.
            await self._save_task
        self._file.write(self._current_state())

    def _current_state(self) -> MatchState:
        recorder = self._recorder
        return MatchState(
            seq=recorder.match.seq,
            spent=recorder.clocks.unrecorded_time(),
            joined=tuple(sorted(recorder.clocks.joined)),
            reminded=tuple(sorted(recorder.turns.reminded)),
        )

    def _remind_absent(self) -> None:
        """Remind absent players of their turn."""
        match, reminders = self._recorder.match, self._reminders
        if reminders is None or match.is_revealed or self._recorder.disk_state.trouble:
            return
        header = match.header
        for role in self._recorder.turns.due_reminders(match.asked, self._presence.present_roles):
            player = next(seat.player for seat in header.seats if seat.role == role)
            heading = match.ruleset.heading(match.state)
            reminder = TurnReminder(
                match=header.match_id, game=header.game, seat=role, player=player, heading=heading
            )
            reminders.start(reminder)
            # The state is saved at the next tick, so that a restarted host does not send the
            # reminder again.
            self._next_save = 0.0

    def _has_new_flag(self) -> bool:
        """Return whether a clock has run out and this has not been announced yet."""
        return not set(self._recorder.clocks.fallen_roles()) <= self._announced

    async def apply_fallen_flags(self) -> None:
        """Apply the match's time rule to expired clocks: announce them, or end the match.

        While a command is waiting for messages from the seats, only the clocks of seats with overdue messages run,
        because the command arrived in time.
        """
        recorder = self._recorder
        match, fallen_roles = recorder.match, recorder.clocks.fallen_roles()
        # A clock that has gained time since is announced again the next time it runs out.
        self._announced &= set(fallen_roles)
        player_clocks = match.terms.player_clocks
        if not fallen_roles or player_clocks is None:
            return
        if player_clocks.clock.flag == "loses":
            await self._forfeit_on_time(fallen_roles[0])
            return
        for role in fallen_roles:
            if role not in self._announced:
                self._announced.add(role)
                recorder.chat_and_offers.add_line(
                    HOST, f"{role_names(match.ruleset, (role,))} ran out of time"
                )

    async def _forfeit_on_time(self, role: Role) -> None:
        """End the match because a role has run out of time. If a write fails, retry at the next tick."""
        recorder = self._recorder
        match = recorder.match
        try:
            spent = TimeSpent(spent=recorder.clocks.unrecorded_time())
            await recorder.commit(match.draft_statement(NOBODY, spent))
            # The time spent is already on disk, so a retry must not record it again.
            recorder.clocks.reset_time_spent()
            recorder.notify_listeners()
            ending = Ending(how="time", by=match.terms.side_roles(role))
            await recorder.commit(match.draft_statement(role, ending))
        except StorageError as error:
            recorder.match_log.error(
                "time_spent_save_failed", role=role, seq=match.seq, error=str(error)
            )
            return
        recorder.match_log.info("time_up", role=role, seq=match.seq)
        await recorder.on_record_added()


def roles_by_player(match: Match[Any]) -> tuple[tuple[Role, ...], ...]:
    """Return each person's roles. Bots are omitted."""
    header = match.header
    players = {seat.role: seat.player for seat in header.seats}
    seats = group_into_seats(match_info(match.ruleset, header), players)
    return tuple(seat for seat in seats if not bot_name(players[seat[0]]))

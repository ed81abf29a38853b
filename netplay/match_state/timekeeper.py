"""Measures how long each player in a match spends on decisions, using the host's monotonic clock.

Once all people have joined the match, a person's time runs while one of their roles must decide, or while a command
waits for an overdue message of one of their roles. The time stops while the host is not running. It also stops during
the fixed delay in a response window, which is the same for every answer. If the host has stalled long enough to lose
connections, each player's time resumes when that player reconnects, or after a short wait.
"""

import time
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

from engine.kernel.ids import Role
from play.bots import bot_name
from play.clock_readings import ClockReading
from saves.match import Match

RETURN_SECONDS: Final = 10.0
"""Maximum time in seconds that a player's clock waits for the player to reconnect after the host has stalled."""


class Timekeeper:
    """Measures time for one match. In a match without clocks, it does nothing."""

    def __init__(
        self,
        match: Match[Any],
        window_seconds: float,
        joined: tuple[Role, ...] = (),
        spent: Mapping[Role, int] | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start measuring.

        Args:
            match: The match with its full, unredacted record.
            window_seconds: The fixed delay in a response window.
            joined: The roles that have already joined the match.
            spent: Milliseconds spent by each role since the last record, as measured by an earlier process.
            now: Returns how long the host has been running, in seconds.
        """
        self._match = match
        self._window_seconds = window_seconds
        self._human_roles = {seat.role for seat in match.header.seats if not bot_name(seat.player)}
        self.joined = set(joined) & self._human_roles
        self._carried_over = dict(spent or {})
        self.now = now
        self._paused_at: float | None = None
        """Time when a command began to wait for messages from the seats; None if no command is waiting."""
        self._stopped_at: float | None = None
        """Time when writing to the host's disk began to fail; None while the disk works."""
        self._held: frozenset[Role] = frozenset()
        """Roles whose clocks are stopped while the other clocks run."""
        self._overdue: dict[Role, float] = {}
        """While a command waits: the roles whose clocks run because their messages are overdue, and since when."""
        self._since: dict[Role, float] = {}
        """Time when each role's clock started or, during the fixed delay, will start."""
        self._return_deadlines: dict[Role, float] = {}
        """After the host has stalled, the time when each player's clock resumes even without a reconnection."""
        self._update_clocks()

    @property
    def has_clocks(self) -> bool:
        """Return whether the match has clocks."""
        return self._match.terms.player_clocks is not None

    def join(self, role: Role) -> None:
        """Note that a player has connected. Once all players have joined, the clocks start."""
        deadline = self._return_deadlines.pop(role, None)
        for starts in (self._since, self._overdue):
            if deadline is not None and role in starts:
                starts[role] = max(starts[role], min(deadline, self.now()))
        if role in self._human_roles and role not in self.joined:
            self.joined.add(role)
            # A pause continues, because a command may still be waiting for messages from the seats.
            self._update_clocks()

    def pause(self) -> None:
        """Stop the clocks until the next record, because a command is waiting for messages from the seats."""
        if self._paused_at is None:
            self._paused_at = self.now()

    def hold(self, roles: Collection[Role]) -> None:
        """Stop only the clocks of these roles, and restart those that were stopped by an earlier call."""
        if self._held != frozenset(roles):
            # The measurement needs the roles that were stopped until now, so it comes before the
            # change.
            self._carried_over = self.unrecorded_time()
            self._held = frozenset(roles)
            self._postpone_starts()

    def run_overdue(self, roles: Collection[Role]) -> None:
        """While a command waits for messages, run the clocks of these roles, whose messages are overdue.

        The clocks of roles that were listed in the last call but no longer are stop again.
        """
        overdue = self._human_roles.intersection(roles)
        if self._paused_at is None or not self._has_begun:
            overdue = set()
        if overdue != self._overdue.keys():
            # The measurement needs the roles whose clocks have run until now.
            self._carried_over = self.unrecorded_time()
            self._overdue = {role: self._overdue.get(role, 0.0) for role in overdue}
            self._postpone_starts()

    def stop_all(self) -> None:
        """Stop all clocks until :meth:`restart_all`, because the host cannot accept commands."""
        if self._stopped_at is None:
            self._stopped_at = self.now()

    def restart_all(self) -> None:
        """Restart the clocks after :meth:`stop_all`."""
        if self._stopped_at is not None:
            # The measurement needs the stop time, which is cleared below.
            self._carried_over = self.unrecorded_time()
            self._stopped_at = None
            self._postpone_starts()

    def wait_for_return(self) -> None:
        """Stop each joined player's clock until the player reconnects or a time limit has passed.

        This is needed because a stalled host may have lost its connections. Time already spent still counts.
        """
        self._carried_over = self.unrecorded_time()
        self._postpone_starts()
        self._return_deadlines = dict.fromkeys(self.joined, self.now() + RETURN_SECONDS)

    def _start_time(self, role: Role, starts: Mapping[Role, float]) -> float:
        """Return the time when a role's clock started or will start."""
        since = starts[role]
        return max(since, self._return_deadlines.get(role, since))

    def _current_time(self) -> float:
        times = [
            stopped_at
            for stopped_at in (self._paused_at, self._stopped_at)
            if stopped_at is not None
        ]
        return min(times) if times else self.now()

    def on_turn_changed(self, giver: Role | None = None) -> None:
        """End any pause after a new record, and update the clocks for the roles that must decide now.

        Args:
            giver: The role that has just given a command; None if there is none. If this role must decide again, its
                clock restarts.
        """
        self._overdue = {}  # this time has been recorded with the new record
        if self._paused_at is not None:
            # The measurement needs the time of the pause, which is cleared below.
            self._carried_over = self.unrecorded_time()
            self._paused_at = None
            self._postpone_starts()
        self._update_clocks(giver)
        self._carried_over = {
            role: milliseconds
            for role, milliseconds in self._carried_over.items()
            if role in self._since
        }

    def _postpone_starts(self) -> None:
        """Let no clock start before now. A clock that will start only after a fixed delay keeps its start time."""
        now = self.now()
        self._since = {role: max(since, now) for role, since in self._since.items()}
        self._overdue = {role: max(since, now) for role, since in self._overdue.items()}

    @property
    def _has_begun(self) -> bool:
        """Return whether the match has clocks and all players have joined it."""
        return self.has_clocks and self.joined == self._human_roles and not self._match.is_revealed

    def _update_clocks(self, giver: Role | None = None) -> None:
        match, now = self._match, self.now()
        if giver is not None:
            self._return_deadlines.pop(giver, None)
        active_roles = (
            [role for role in match.asked if role in self._human_roles] if self._has_begun else []
        )
        # The giver's time up to this command has been recorded, so the giver's clock restarts.
        running = {role: since for role, since in self._since.items() if role != giver}
        self._since = {
            role: running[role] if role in running else now + self._minimum_delay(role)
            for role in active_roles
        }

    def _minimum_delay(self, role: Role) -> float:
        match = self._match
        # A host that cannot see the hands cannot compute the decision, but every copy can tell
        # whether it is a response window.
        if match.knows_hands:
            has_delay = match.ruleset.decision(match.state, role).allows_standing_order
        else:
            has_delay = match.ruleset.is_window(match.state, role)
        return self._window_seconds if has_delay else 0.0

    def unrecorded_time(self) -> dict[Role, int]:
        """Return each role's unrecorded time in milliseconds. Roles without unrecorded time are omitted."""
        now = self._current_time()
        running = {
            role: self._carried_over.get(role, 0)
            + max(0, round((now - self._start_time(role, self._since)) * 1000))
            for role in self._since
            if role not in self._held
        }
        overdue_until = self.now() if self._stopped_at is None else self._stopped_at
        for role in self._overdue:
            seconds = overdue_until - self._start_time(role, self._overdue)
            earlier = running.get(role, self._carried_over.get(role, 0))
            running[role] = earlier + max(0, round(seconds * 1000))
        stopped = {
            role: milliseconds
            for role, milliseconds in self._carried_over.items()
            if role not in running
        }
        return {
            role: milliseconds
            for role, milliseconds in (running | stopped).items()
            if milliseconds > 0
        }

    def reset_time_spent(self) -> None:
        """Reset the time spent once it has been recorded."""
        self._carried_over.clear()
        self._postpone_starts()

    def readings(self) -> tuple[ClockReading, ...]:
        """Return the current clock readings of all players; empty in a match without clocks."""
        player_clocks = self._match.terms.player_clocks
        if player_clocks is None:
            return ()
        spent = self.unrecorded_time()
        return tuple(
            ClockReading(
                role=role, left_ms=time_left - spent.get(role, 0), runs=self._is_running(role)
            )
            for role, time_left in player_clocks.left.items()
            if role in self._human_roles
        )

    def _is_running(self, role: Role) -> bool:
        if self._stopped_at is not None:
            return False
        if role in self._overdue:
            return self._start_time(role, self._overdue) <= self.now()
        return (
            self._paused_at is None
            and role in self._since
            and role not in self._held
            and self._start_time(role, self._since) <= self.now()
        )

    def fallen_roles(self) -> tuple[Role, ...]:
        """Return the roles whose clocks run but have no time left, beginning with the role that ran out first."""
        fallen = [reading for reading in self.readings() if reading.left_ms <= 0 and reading.runs]
        # All of these clocks are running, so the one that ran out first is furthest below zero.
        return tuple(reading.role for reading in sorted(fallen, key=lambda one: one.left_ms))

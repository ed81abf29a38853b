"""Measures how long each player of a match is asked, on the host's own steady clock.

Time runs while a role is asked that a person plays, once all of them have been at the table. It does not run while the
host does not, nor in the fixed time of a response window, which is the same for every answer.

After the host stood still long enough for connections to break, the time of each player runs again when that player is
back, or soon after.
"""

import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from engine.kernel.ids import Role
from play.bots import bot_name
from play.dials import Dial
from saves.match import Match

RETURN_SECONDS: Final = 10.0
"""How long a player may take to connect again after the host stood still, before time runs."""


class Timekeeper:
    """The running clocks of one match; a match without clocks has none that run."""

    def __init__(
        self,
        match: Match[Any],
        window_seconds: float,
        joined: tuple[Role, ...] = (),
        spent: Mapping[Role, int] | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Begin to measure.

        Args:
            match: The judge's game.
            window_seconds: Fixed time of a response window.
            joined: Roles that have been at the table before.
            spent: Milliseconds after the last record that an earlier process has measured.
            now: Seconds in which the host has run.
        """
        self._match = match
        self._window = window_seconds
        self._people = {seat.role for seat in match.header.seats if not bot_name(seat.player)}
        self.joined = set(joined) & self._people
        self._carried = dict(spent or {})
        self.now = now
        self._paused_at: float | None = None
        """Since when a command waits for other seats."""
        self._held_at: float | None = None
        """Since when the disk of the host refuses."""
        self._since: dict[Role, float] = {}
        """When the clock of a role began to run; later than now while its fixed time lasts."""
        self._return_by: dict[Role, float] = {}
        """When the clocks of players whose connection may have broken because of the host run again at the latest."""
        self.turned()

    @property
    def has_clocks(self) -> bool:
        """Return whether time is measured at all."""
        return self._match.terms.dials is not None

    def join(self, role: Role) -> None:
        """Note that a player is at the table; with the last one the clocks begin to run."""
        return_by = self._return_by.pop(role, None)
        if return_by is not None and role in self._since:
            self._since[role] = max(self._since[role], min(return_by, self.now()))
        if role in self._people and role not in self.joined:
            self.joined.add(role)
            self.turned()

    def pause(self) -> None:
        """Let no time pass until the next record: a command waits for what its giver has no part in."""
        if self._paused_at is None:
            self._paused_at = self.now()

    def hold(self) -> None:
        """Stop all clocks until :meth:`release`: the host can take no command."""
        if self._held_at is None:
            self._held_at = self.now()

    def release(self) -> None:
        """Let the clocks run again after :meth:`hold`."""
        if self._held_at is not None:
            self._carried = self.spent()
            self._held_at = None
            now = self.now()
            self._since = {role: max(since, now) for role, since in self._since.items()}

    def wait_for_return(self) -> None:
        """Stop the clock of each player who has been at the table, until the player is back or the wait is over.

        For connections that broke because the host stood still. Time spent so far is kept.
        """
        self._carried = self.spent()
        now = self.now()
        self._since = {role: max(since, now) for role, since in self._since.items()}
        self._return_by = dict.fromkeys(self.joined, now + RETURN_SECONDS)

    def _start(self, role: Role) -> float:
        """Return when the clock of a role that is asked began, or begins, to run."""
        since = self._since[role]
        return max(since, self._return_by.get(role, since))

    def _time(self) -> float:
        stops = [stop for stop in (self._paused_at, self._held_at) if stop is not None]
        return min(stops) if stops else self.now()

    @property
    def _stands_still(self) -> bool:
        return self._paused_at is not None or self._held_at is not None

    def turned(self, giver: Role | None = None) -> None:
        """Look who is asked now.

        Args:
            giver: Who has just given a command; his clock begins to run anew if he is asked again.
        """
        self._paused_at = None
        match, now = self._match, self.now()
        if giver is not None:
            self._return_by.pop(giver, None)
        is_begun = self.has_clocks and self.joined == self._people and not match.is_revealed
        asked = [role for role in match.asked if role in self._people] if is_begun else []
        before = {role: since for role, since in self._since.items() if role != giver}
        self._since = {
            role: before[role] if role in before else now + self._fixed(role) for role in asked
        }
        self._carried = {role: time for role, time in self._carried.items() if role in asked}

    def _fixed(self, role: Role) -> float:
        match = self._match
        if match.knows_hands:
            has_pace = match.ruleset.decision(match.state, role).may_be_ordered
        else:
            has_pace = match.ruleset.is_window(match.state, role)
        return self._window if has_pace else 0.0

    def spent(self) -> dict[Role, int]:
        """Return the milliseconds that no record has yet, of each role that has some."""
        now = self._time()
        found = {
            role: self._carried.get(role, 0) + max(0, round((now - self._start(role)) * 1000))
            for role in self._since
        }
        waiting = {role: time for role, time in self._carried.items() if role not in found}
        return {role: time for role, time in (found | waiting).items() if time > 0}

    def charged(self) -> None:
        """Take in that a record has what was spent."""
        now = self.now()
        self._carried.clear()
        self._since = {role: max(since, now) for role, since in self._since.items()}

    def dials(self) -> tuple[Dial, ...]:
        """Return what the clocks of all players show now; empty without clocks."""
        dials = self._match.terms.dials
        if dials is None:
            return ()
        now, spent = self._time(), self.spent()
        return tuple(
            Dial(
                role=role,
                left_ms=left - spent.get(role, 0),
                runs=not self._stands_still and role in self._since and self._start(role) <= now,
            )
            for role, left in dials.left.items()
            if role in self._people
        )

    def fallen(self) -> tuple[Role, ...]:
        """Return the roles that are asked and whose time is up."""
        return tuple(dial.role for dial in self.dials() if dial.left_ms <= 0 and dial.runs)

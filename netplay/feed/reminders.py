"""Reminds absent players that it is their turn by running a command that the operator chose.

The command is run without a shell. It receives its data in environment variables, which contain only public information
about the match.
"""

import asyncio
import contextlib
import os
import shlex
import time
from collections.abc import Callable, Collection, Iterable
from typing import Final

import msgspec
import structlog

from engine.kernel.errors import DataError
from engine.kernel.ids import Role
from netplay.wire.sanitising import NAME_LIMIT, REASON_LIMIT, sanitise

log = structlog.get_logger()

ABSENCE_SECONDS: Final = 10.0
"""Time in seconds that a player must be absent before a reminder is sent.

After a shorter absence, the player has probably lost the connection and will return.
"""
_RUN_SECONDS: Final = 60.0
"""Time limit in seconds for a command. A command that takes longer is killed."""
_MAX_COMMANDS: Final = 4


def split_command_line(text: str) -> tuple[str, ...]:
    """Split a command line into words. Quotation marks group words; no other character is special.

    Raises:
        DataError: There are no words, or a quotation mark is not closed.
    """
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        problem = "an unclosed quotation mark" if "quotation" in str(error) else str(error)
        raise DataError("command", "", f"'{text}' has {problem}") from error
    if not words or not words[0]:
        raise DataError("command", "", "there is no command to run")
    return words


class TurnReminder(msgspec.Struct, frozen=True, kw_only=True):
    """The information that a reminder passes to the command."""

    match: str
    game: str
    seat: str
    """The role whose turn it is."""
    player: str
    heading: str
    """The turn, the phase and the players to move."""

    def environment(self) -> dict[str, str]:
        """Return the environment variables for the command."""
        length_limits = {"heading": REASON_LIMIT}
        return {
            f"FLAGPLOT_{name.upper()}": sanitise(
                getattr(self, name), length_limits.get(name, NAME_LIMIT)
            )
            for name in self.__struct_fields__
        }


class TurnTracker:
    """Tracks whose turn it is, who is absent, and who has been reminded. Nobody is reminded twice in a turn."""

    def __init__(
        self,
        seats: Iterable[tuple[Role, ...]],
        reminded: Iterable[Role] = (),
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Create a tracker. Only the given roles count as already reminded.

        Args:
            seats: The roles of each person who may be reminded.
            reminded: The roles that an earlier process has already reminded of their current turn.
            now: A monotonic clock, in seconds.
        """
        self._seats = tuple(seats)
        self.reminded = set(reminded)
        """Roles that have been reminded of their current turn."""
        self.now = now
        self._away_since: dict[tuple[Role, ...], float] = {}

    def update(self, active_roles: Collection[Role]) -> None:
        """Update the roles to move after a new record. The turn of every other role is over.

        Args:
            active_roles: The roles that must make a decision.
        """
        for seat in self._seats:
            if not any(role in active_roles for role in seat):
                self.reminded.difference_update(seat)
                self._away_since.pop(seat, None)

    def due_reminders(
        self, active_roles: Collection[Role], present: Collection[Role]
    ) -> tuple[Role, ...]:
        """Return the roles to remind now. Each person gets at most one reminder per turn.

        Args:
            active_roles: The roles that must make a decision.
            present: The roles that are connected.
        """
        self.update(active_roles)
        now, roles = self.now(), list[Role]()
        for seat in self._seats:
            asked_roles = [role for role in seat if role in active_roles]
            if not asked_roles or any(role in present for role in seat):
                self._away_since.pop(seat, None)
                continue
            away_since = self._away_since.setdefault(seat, now)
            if now - away_since >= ABSENCE_SECONDS and not self.reminded.intersection(seat):
                self.reminded.add(asked_roles[0])
                roles.append(asked_roles[0])
        return tuple(roles)


class ReminderRunner:
    """Runs reminder commands concurrently. Failures are only logged."""

    def __init__(self, command: tuple[str, ...]) -> None:
        """Create a runner for the given command, which is already split into words."""
        self.command = command
        self._slots = asyncio.Semaphore(_MAX_COMMANDS)
        self._running: set[asyncio.Task[None]] = set()

    def start(self, reminder: TurnReminder) -> None:
        """Start the command that reminds a player."""
        task = asyncio.create_task(self._remind(reminder))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def close(self) -> None:
        """Cancel the commands that are still running."""
        for task in tuple(self._running):
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    async def _remind(self, reminder: TurnReminder) -> None:
        bound_log = log.bind(match=reminder.match, role=reminder.seat)
        async with self._slots:
            try:
                code = await self._run_command(reminder)
            except TimeoutError:
                bound_log.warning(
                    "reminder_failed", error=f"it took more than {_RUN_SECONDS:.0f} s"
                )
            except OSError as error:
                bound_log.warning("reminder_failed", error=error.strerror or type(error).__name__)
            else:
                if code:
                    bound_log.warning("reminder_failed", error=f"it exited with status {code}")
                else:
                    bound_log.info("reminder_sent")

    async def _run_command(self, reminder: TurnReminder) -> int:
        """Run the command and return its exit code.

        Raises:
            OSError: The command cannot be started.
            TimeoutError: The command took too long and was killed.
        """
        # The terminal may be in use by a screen, so the command must not read from it or write to
        # it.
        process = await asyncio.create_subprocess_exec(
            *self.command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            env={**os.environ, **reminder.environment()},
        )
        try:
            async with asyncio.timeout(_RUN_SECONDS):
                return await process.wait()
        finally:
            # The killed process must be waited for, or it would remain as a zombie.
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                await process.wait()

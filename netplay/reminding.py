"""Calls players who are away to their turn, by a command of the operator's or of their own choice.

The command is run without a shell. What it needs to know stands in its environment; it learns nothing that not
everybody at the table may know.
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
from netplay.cleaning import NAME_LIMIT, REASON_LIMIT, clean

log = structlog.get_logger()

PATIENCE_SECONDS: Final = 10.0
"""Who is away for less than this has lost the line, and comes back by himself."""
_RUN_SECONDS: Final = 60.0
"""A command that takes longer is ended."""
_AT_ONCE: Final = 4


def parse_command(text: str) -> tuple[str, ...]:
    """Return a command line as its words; quotation marks hold words together, nothing else has a meaning.

    Raises:
        DataError: It has no word, or an open quotation mark.
    """
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        problem = "an open quotation mark; close it" if "quotation" in str(error) else str(error)
        raise DataError("command", "", f"'{text}' has {problem}") from error
    if not words or not words[0]:
        raise DataError("command", "", "there is no command to run")
    return words


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """What a reminder is about."""

    match: str
    game: str
    seat: str
    """The role that is asked."""
    player: str
    heading: str
    """Turn, phase, whose move."""

    def environment(self) -> dict[str, str]:
        """Return the variables of the environment that tell it."""
        limits = {"heading": REASON_LIMIT}
        return {
            f"FLAGPLOT_{name.upper()}": clean(getattr(self, name), limits.get(name, NAME_LIMIT))
            for name in self.__struct_fields__
        }


class Turns:
    """Whose turn it is, who is away, and who was called to it already: at most once to each turn."""

    def __init__(
        self,
        seats: Iterable[tuple[Role, ...]],
        called: Iterable[Role] = (),
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Have called nobody but these.

        Args:
            seats: The roles of each person who may be called.
            called: Roles that an earlier process has called to the turn that they have.
            now: A steady clock, in seconds.
        """
        self._seats = tuple(seats)
        self.called = set(called)
        """Roles that were called to the turn that they have now."""
        self.now = now
        self._away_since: dict[tuple[Role, ...], float] = {}

    def seen(self, asked: Collection[Role]) -> None:
        """Take in who is asked after a record: the turn of everybody else is over.

        Args:
            asked: Roles that must decide.
        """
        for seat in self._seats:
            if not any(role in asked for role in seat):
                self.called.difference_update(seat)
                self._away_since.pop(seat, None)

    def due(self, asked: Collection[Role], here: Collection[Role]) -> tuple[Role, ...]:
        """Return the roles that are to be called now, one for each person; each is returned once in its turn.

        Args:
            asked: Roles that must decide.
            here: Roles that are at the table.
        """
        self.seen(asked)
        now, found = self.now(), list[Role]()
        for seat in self._seats:
            own = [role for role in seat if role in asked]
            if not own or any(role in here for role in seat):
                self._away_since.pop(seat, None)
                continue
            since = self._away_since.setdefault(seat, now)
            if now - since >= PATIENCE_SECONDS and not self.called.intersection(seat):
                self.called.add(own[0])
                found.append(own[0])
        return tuple(found)


class Caller:
    """Runs the command, some at a time; one that fails is logged and holds up nobody."""

    def __init__(self, command: tuple[str, ...]) -> None:
        """Run this command, given by its words."""
        self.command = command
        self._gate = asyncio.Semaphore(_AT_ONCE)
        self._running: set[asyncio.Task[None]] = set()

    def call(self, call: Call) -> None:
        """Begin to call somebody."""
        task = asyncio.create_task(self._call(call))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def close(self) -> None:
        """End what still runs."""
        for task in tuple(self._running):
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    async def _call(self, call: Call) -> None:
        logged = log.bind(match=call.match, role=call.seat)
        async with self._gate:
            try:
                code = await self._run(call)
            except TimeoutError:
                logged.warning("reminder_failed", error=f"it took more than {_RUN_SECONDS:.0f} s")
            except OSError as error:
                logged.warning("reminder_failed", error=error.strerror or type(error).__name__)
            else:
                if code:
                    logged.warning("reminder_failed", error=f"it ended with {code}")
                else:
                    logged.info("reminded")

    async def _run(self, call: Call) -> int:
        """Return how the command ended.

        Raises:
            OSError: It cannot be started.
            TimeoutError: It was ended.
        """
        process = await asyncio.create_subprocess_exec(
            *self.command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            env={**os.environ, **call.environment()},
        )
        try:
            async with asyncio.timeout(_RUN_SECONDS):
                return await process.wait()
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                await process.wait()

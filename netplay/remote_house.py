"""Matches that a worker process holds, as the host reaches them: the same interface, over a channel."""

import asyncio
import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Final, TypeVar

from engine.kernel.errors import FlagplotError
from netplay import channel
from netplay.channel import NEWS, Channel, News
from netplay.errors import NetworkError
from netplay.holding import Reply, Standing, Taken
from netplay.listener import Request
from netplay.manner import Manner
from netplay.marks import Marks, new_marks

B = TypeVar("B")

PROGRAM: Final = [sys.executable, "-P", "-m", "netplay.worker"]
"""What runs a worker; two descriptors follow. A fresh interpreter: sockets of the network library stay with the host,
whose process alone may close them."""
START_SECONDS: Final = 60.0
"""Until a worker must hear."""
HANGING_SECONDS: Final = 60.0
"""A worker that answers nothing for so long counts as dead."""
_LOOKS: Final = 12
"""The parts of this time: if this process is stopped too, only one of them ends without an answer."""
_PATIENCE_SECONDS: Final = 10.0
"""How long somebody who asks how matches stand waits for a worker."""
_ENDING_SECONDS: Final = 20.0
"""Until a worker must have ended that was told to."""
_LAST_LINES_SECONDS: Final = 3.0
"""Until one must have ended that has closed its channel."""


class WorkerEndedError(FlagplotError):
    """The worker process ended before its answer."""


class RemoteHouse:
    """One worker process from its start to its end; fulfils ``netplay.holding.Holding``."""

    def __init__(
        self, folder: Path, manner: Manner, ended: Callable[["RemoteHouse"], None]
    ) -> None:
        """Prepare; no process runs yet.

        Args:
            folder: Where records, keys and bundles are.
            manner: How matches are held.
            ended: Told once in the event loop when the process has ended, by order or not.
        """
        self._folder = folder
        self._manner = manner
        self._ended = ended
        self._channel: Channel[News] = Channel(NEWS, self._hear, self._lost)
        self._process: subprocess.Popen[bytes] | None = None
        self._marks: Marks | None = None
        self._numbers = count(1)
        self._waiting: dict[int, asyncio.Future[object]] = {}
        self._ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._end: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.at_work: frozenset[str] = frozenset()
        """The matches that the process was at when it ended."""
        self.status: int | None = None
        """How the process ended, as of ``subprocess``; None as long as it runs."""

    @property
    def process(self) -> int:
        """Return the number of the process, 0 before it runs."""
        return 0 if self._process is None else self._process.pid

    async def start(self) -> None:
        """Start the process and return when it hears.

        Raises:
            WorkerEndedError: It ended instead, or does not hear.
            OSError: The system starts no process.
        """
        end = self._spawn()
        try:
            await self._channel.open(end)
        except BaseException:
            self._bury_at_once(end)
            raise
        folder = os.fsencode(self._folder.absolute())
        self._channel.send(channel.Begin(folder=folder, manner=self._manner))
        try:
            async with asyncio.timeout(START_SECONDS):
                await self._ready
        except TimeoutError as error:
            self.kill()
            raise WorkerEndedError("a worker process does not answer") from error

    def _spawn(self) -> socket.socket:
        """Start the process and return this end of its channel."""
        ours, theirs = socket.socketpair()
        with theirs, new_marks() as marks:
            self._marks = Marks(marks.fileno())
            handles = theirs.fileno(), marks.fileno()
            try:
                self._process = subprocess.Popen(  # noqa: S603  # this very program
                    [*PROGRAM, *map(str, handles)],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    pass_fds=handles,
                )
            except OSError:
                ours.close()
                raise
        return ours

    def _bury_at_once(self, end: socket.socket) -> None:
        """End a process with which nothing was ever spoken."""
        end.close()
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()

    async def is_awake(self) -> bool:
        """Return whether the process answers in time; also where it has ended, which is noticed by itself."""
        answer = asyncio.ensure_future(self._ask(bool, lambda number: channel.Look(number=number)))
        try:
            for _ in range(_LOOKS):
                done, _ = await asyncio.wait([answer], timeout=HANGING_SECONDS / _LOOKS)
                if done:
                    with contextlib.suppress(WorkerEndedError):
                        await answer
                    return True
        finally:
            answer.cancel()
        return False

    # -- what the host asks

    async def answer(self, request: Request) -> Reply | None:
        """Answer one frame of a connection; None where the process ends meanwhile."""
        try:
            return await self._ask(
                Reply,
                lambda number: channel.Ask(
                    number=number,
                    line=request.line,
                    data=request.data,
                    certified=request.certified,
                    remote=request.remote,
                ),
            )
        except WorkerEndedError:
            return None

    def gone(self, line: int) -> None:
        """Forget a connection that has ended."""
        self._channel.send(channel.Gone(line=line))

    def take(self, match: str) -> "asyncio.Future[Taken]":
        """Open a match from its record."""
        return asyncio.ensure_future(
            self._ask(Taken, lambda number: channel.Take(number=number, match=match))
        )

    def play(self, match: str) -> None:
        """Start the bots of a match that do not run yet."""
        self._channel.send(channel.Play(match=match))

    async def discard(self, match: str, reason: str) -> None:
        """Let go of a match, and say goodbye to whoever is there."""
        await self._ask(
            bool, lambda number: channel.Discard(number=number, match=match, reason=reason)
        )

    def beat(self) -> None:
        """Send a heartbeat."""
        self._channel.send(channel.Beat())

    async def standings(self) -> tuple[Standing, ...]:
        """Return how each match stands; nothing where the process ends meanwhile, or is too busy to say."""
        try:
            async with asyncio.timeout(_PATIENCE_SECONDS):
                return await self._ask(tuple, lambda number: channel.Count(number=number))
        except (TimeoutError, WorkerEndedError):
            return ()

    async def is_done(self) -> bool:
        """Return whether every match is over and everybody has heard of it."""
        try:
            async with asyncio.timeout(_PATIENCE_SECONDS):
                return await self._ask(bool, lambda number: channel.Look(number=number))
        except (TimeoutError, WorkerEndedError):
            return False

    async def close(self, reason: str) -> None:
        """Say goodbye to everybody, and end once the disk has what is under way; a process that does not is ended."""
        if self._process is None:
            return
        try:
            async with asyncio.timeout(_ENDING_SECONDS):
                await self._ask(bool, lambda number: channel.Stop(number=number, reason=reason))
                await self._end
        except (TimeoutError, WorkerEndedError):
            self.kill()
            await self._end

    def kill(self) -> None:
        """End the process at once."""
        if self._process is not None:
            self._process.kill()

    # -- the channel

    async def _ask(self, kind: type[B], message: Callable[[int], channel.Said]) -> B:
        """Ask the process and return what it says.

        Raises:
            WorkerEndedError: It ended before its answer.
            NetworkError: It could not do what it was asked for.
        """
        if self._end.done() or self._channel.is_closed:
            raise WorkerEndedError("the worker process has ended")
        number = next(self._numbers)
        future = self._waiting[number] = asyncio.get_running_loop().create_future()
        self._channel.send(message(number))
        try:
            found = await future
        finally:
            self._waiting.pop(number, None)
        assert isinstance(found, kind), "the worker answers what was asked"
        return found

    def _hear(self, news: News) -> None:
        if isinstance(news, channel.Ready):
            if not self._ready.done():
                self._ready.set_result(None)
            return
        waiting = self._waiting.get(news.number)
        if waiting is None or waiting.done():
            return
        if isinstance(news, channel.Failed):
            waiting.set_exception(NetworkError(news.problem))
        else:
            waiting.set_result(news.body)

    def _lost(self) -> None:
        """Note that the channel has ended, and with it the process."""
        assert self._process is not None, "a channel has its process"
        waiting = asyncio.get_running_loop().run_in_executor(None, _ended, self._process)
        waiting.add_done_callback(self._buried)

    def _buried(self, waited: "asyncio.Future[int]") -> None:
        self.status = None if waited.cancelled() else waited.result()
        if self._marks is not None:
            self.at_work = self._marks.read()
            self._marks.close()
            self._marks = None
        problem = WorkerEndedError("the worker process has ended")
        if not self._ready.done():
            self._ready.set_exception(problem)
            self._ready.exception()  # whoever started it hears of it, or nobody waits
        for waiting in tuple(self._waiting.values()):
            if not waiting.done():
                waiting.set_exception(problem)
        self._end.set_result(None)
        self._ended(self)


def _ended(process: "subprocess.Popen[bytes]") -> int:
    """Return how a process has ended; one that cannot hear any more is of no use, and has little time for it."""
    try:
        return process.wait(_LAST_LINES_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()

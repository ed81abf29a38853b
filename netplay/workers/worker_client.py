"""The host's end of a worker process: the interface for running matches, over a channel."""

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
from netplay.match.host_config import HostConfig
from netplay.match.match_backend import LoadResult, MatchOverview, Reply
from netplay.transport.listener import Request
from netplay.wire.errors import NetworkError
from netplay.workers import channel
from netplay.workers.channel import NEWS, Channel, News
from netplay.workers.in_flight_marker import Marks, new_marks

B = TypeVar("B")

PROGRAM: Final = [sys.executable, "-P", "-m", "netplay.workers.worker"]
"""A worker's command line, to be followed by two descriptors.

The worker gets a fresh interpreter because the network library's sockets must stay in the host's process, the only one
that may close them.
"""
START_SECONDS: Final = 60.0
"""Time limit for a worker to become ready."""
HANGING_SECONDS: Final = 60.0
"""Silence after which a worker is considered dead."""
_LOOKS: Final = 12
"""Number of steps into which the wait is divided. If this process is suspended too, only one step times out."""
_PATIENCE_SECONDS: Final = 10.0
"""How long a status request waits for a worker."""
_ENDING_SECONDS: Final = 20.0
"""Time limit for a worker to exit after being asked to."""
_LAST_LINES_SECONDS: Final = 3.0
"""Time limit for a worker to exit after its channel has been closed."""


class WorkerEndedError(FlagplotError):
    """The worker process ended before it replied."""


class WorkerClient:
    """One worker process from start to end. Implements ``netplay.match.match_backend.MatchBackend``."""

    def __init__(
        self, folder: Path, manner: HostConfig, ended: Callable[["WorkerClient"], None]
    ) -> None:
        """Create a client without starting a process.

        Args:
            folder: Folder for records, keys and divergence reports.
            manner: Host settings.
            ended: Called once in the event loop when the process has ended, whether or not it was asked to end.
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
        """The matches that the process was working on when it ended."""
        self.status: int | None = None
        """The process's return code, as in ``subprocess``; None while it is running."""

    @property
    def process(self) -> int:
        """Return the process id, or 0 before the process is started."""
        return 0 if self._process is None else self._process.pid

    async def start(self) -> None:
        """Start the process and wait until it is ready.

        Raises:
            WorkerEndedError: The process ended or did not become ready in time.
            OSError: The system cannot start a process.
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
            raise WorkerEndedError("a worker process is not responding") from error

    def _spawn(self) -> socket.socket:
        """Start the process and return this end of its channel."""
        ours, theirs = socket.socketpair()
        with theirs, new_marks() as marks:
            self._marks = Marks(marks.fileno())
            handles = theirs.fileno(), marks.fileno()
            try:
                self._process = subprocess.Popen(  # noqa: S603  # runs this program
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
        """Kill a process whose channel could not be opened."""
        end.close()
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()

    async def is_awake(self) -> bool:
        """Return whether the process responds in time.

        Also True if it has ended, because that case is handled elsewhere.
        """
        answer = asyncio.ensure_future(
            self._ask(bool, lambda number: channel.GetStatus(number=number))
        )
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

    # -- the host's requests

    async def answer(self, request: Request) -> Reply | None:
        """Reply to one of a connection's frames; None if the process ends before replying."""
        try:
            return await self._ask(
                Reply,
                lambda number: channel.WorkerRequest(
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
        self._channel.send(channel.Disconnected(line=line))

    def take(self, match: str) -> "asyncio.Future[LoadResult]":
        """Open a match from its record."""
        return asyncio.ensure_future(
            self._ask(LoadResult, lambda number: channel.LoadMatch(number=number, match=match))
        )

    def play(self, match: str) -> None:
        """Start those of a match's bots that are not running yet."""
        self._channel.send(channel.Play(match=match))

    async def discard(self, match: str, reason: str) -> None:
        """Close a match and say goodbye to its peers."""
        await self._ask(
            bool, lambda number: channel.Discard(number=number, match=match, reason=reason)
        )

    def beat(self) -> None:
        """Send a heartbeat."""
        self._channel.send(channel.Beat())

    async def standings(self) -> tuple[MatchOverview, ...]:
        """Return each match's status; empty if the process ends or is too busy to reply."""
        try:
            async with asyncio.timeout(_PATIENCE_SECONDS):
                return await self._ask(tuple, lambda number: channel.CountMatches(number=number))
        except (TimeoutError, WorkerEndedError):
            return ()

    async def is_done(self) -> bool:
        """Return whether every match is over and all peers have been informed."""
        try:
            async with asyncio.timeout(_PATIENCE_SECONDS):
                return await self._ask(bool, lambda number: channel.GetStatus(number=number))
        except (TimeoutError, WorkerEndedError):
            return False

    async def close(self, reason: str) -> None:
        """Make the process say goodbye to its peers, finish its writes and exit. Kill it if that takes too long."""
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
        """Kill the process."""
        if self._process is not None:
            self._process.kill()

    # -- the channel

    async def _ask(self, kind: type[B], message: Callable[[int], channel.WorkerMessage]) -> B:
        """Send a request to the process and return its reply.

        Raises:
            WorkerEndedError: The process ended before it replied.
            NetworkError: The process could not do what was requested.
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
        """Handle the closing of the channel: wait for the process to exit."""
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
            self._ready.exception()  # mark the exception as retrieved, in case no caller is waiting
        for waiting in tuple(self._waiting.values()):
            if not waiting.done():
                waiting.set_exception(problem)
        self._end.set_result(None)
        self._ended(self)


def _ended(process: "subprocess.Popen[bytes]") -> int:
    """Wait for a process to exit and return its code, killing it soon because it is useless without a channel."""
    try:
        return process.wait(_LAST_LINES_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()

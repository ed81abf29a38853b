"""Lets the host run matches in a worker process and communicate with the process over a channel."""

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
from netplay.transport.listener import ConnectionRequest
from netplay.wire.errors import NetworkError
from netplay.workers import channel
from netplay.workers.channel import REPORT_DECODER, Channel, WorkerReport
from netplay.workers.in_flight_marker import InFlightMarker, new_marker_file

B = TypeVar("B")

# Without -P, Python would first look for modules in the current folder, where a file could shadow
# one of this program's modules.
PROGRAM: Final = [sys.executable, "-P", "-m", "netplay.workers.worker"]
"""Command line of a worker, without the two descriptors that are appended to it.

The worker needs a new interpreter. A fork would inherit the network library's sockets, which only the host process may
close.
"""
START_SECONDS: Final = 60.0
"""Time limit in seconds for a worker to become ready."""
HANGING_SECONDS: Final = 60.0
"""A worker is considered dead if it has sent no message for this many seconds."""
_STATUS_POLLS: Final = 12
"""Number of steps into which the wait for a worker is divided.

If this process is suspended, only one step times out.
"""
_STATUS_SECONDS: Final = 10.0
"""Time limit in seconds for a worker to reply to a status request."""
_STOP_SECONDS: Final = 20.0
"""Time limit in seconds for a worker to exit after it was asked to."""
_LAST_LINES_SECONDS: Final = 3.0
"""Time limit in seconds for a worker to exit after its channel has been closed."""


class WorkerEndedError(FlagplotError):
    """The worker process ended before replying."""


class WorkerClient:
    """Starts, uses and stops one worker process. This class implements ``netplay.match.match_backend.MatchBackend``."""

    def __init__(
        self, folder: Path, config: HostConfig, on_ended: Callable[["WorkerClient"], None]
    ) -> None:
        """Create a client without starting a process.

        Args:
            folder: The folder for records, keys and divergence reports.
            config: The host settings.
            on_ended: Called once in the event loop after the process has ended for any reason.
        """
        self._folder = folder
        self._config = config
        self._on_ended = on_ended
        self._channel: Channel[WorkerReport] = Channel(
            REPORT_DECODER, self._on_report, self._on_channel_closed
        )
        self._process: subprocess.Popen[bytes] | None = None
        self._marker: InFlightMarker | None = None
        self._request_numbers = count(1)
        self._pending_requests: dict[int, asyncio.Future[object]] = {}
        self._ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._exited: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.in_flight: frozenset[str] = frozenset()
        """The matches that the process was processing when it ended."""
        self.status: int | None = None
        """Return code of the process, as in ``subprocess``; None while it is running."""

    @property
    def process(self) -> int:
        """Return the process id, or 0 if the process has not been started."""
        return 0 if self._process is None else self._process.pid

    async def start(self) -> None:
        """Start the process and wait until it is ready.

        Raises:
            WorkerEndedError: The process ended or did not become ready in time.
            OSError: The system cannot start a process.
        """
        own_end = self._spawn()
        try:
            await self._channel.open(own_end)
        except BaseException:
            self._kill_unconnected(own_end)
            raise
        folder = os.fsencode(self._folder.absolute())
        self._channel.send(channel.Begin(folder=folder, manner=self._config))
        try:
            async with asyncio.timeout(START_SECONDS):
                await self._ready
        except TimeoutError as error:
            self.kill()
            raise WorkerEndedError("a worker process is not responding") from error

    def _spawn(self) -> socket.socket:
        """Start the process and return the host's end of the channel."""
        own_end, worker_end = socket.socketpair()
        # The host must close its copy of the worker's end. Otherwise, the channel would stay open
        # when the process dies.
        with worker_end, new_marker_file() as marker_file:
            self._marker = InFlightMarker(marker_file.fileno())
            handles = worker_end.fileno(), marker_file.fileno()
            try:
                self._process = subprocess.Popen(  # noqa: S603  # runs this program
                    [*PROGRAM, *map(str, handles)],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    pass_fds=handles,
                )
            except OSError:
                own_end.close()
                raise
        return own_end

    def _kill_unconnected(self, own_end: socket.socket) -> None:
        """Kill the process because its channel could not be opened."""
        own_end.close()
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()

    async def is_responding(self) -> bool:
        """Return whether the process responds within the time limit.

        Also return True if the process has ended, because that case is handled elsewhere.
        """
        status_request = asyncio.ensure_future(
            self._request(bool, lambda number: channel.CheckDone(number=number))
        )
        try:
            for _ in range(_STATUS_POLLS):
                done, _ = await asyncio.wait(
                    [status_request], timeout=HANGING_SECONDS / _STATUS_POLLS
                )
                if done:
                    with contextlib.suppress(WorkerEndedError):
                        await status_request
                    return True
        finally:
            status_request.cancel()
        return False

    # -- the host's requests

    async def answer(self, request: ConnectionRequest) -> Reply | None:
        """Return the reply to a frame, or None if the process ends before replying."""
        try:
            return await self._request(
                Reply,
                lambda number: channel.WorkerRequest(
                    number=number,
                    line=request.connection_id,
                    data=request.data,
                    certified=request.certificate_name,
                    remote=request.remote,
                ),
            )
        except WorkerEndedError:
            return None

    def forget_connection(self, connection_id: int) -> None:
        """Forget a connection that has ended."""
        self._channel.send(channel.Disconnected(line=connection_id))

    def load_match(self, match: str) -> "asyncio.Future[LoadResult]":
        """Open a match from its record."""
        return asyncio.ensure_future(
            self._request(LoadResult, lambda number: channel.LoadMatch(number=number, match=match))
        )

    def start_bots(self, match: str) -> None:
        """Start the bots in a match. Bots that are already running are not affected."""
        self._channel.send(channel.StartBots(match=match))

    async def discard_match(self, match: str, reason: str) -> None:
        """Close a match and disconnect its peers with the given reason."""
        await self._request(
            bool, lambda number: channel.DiscardMatch(number=number, match=match, reason=reason)
        )

    def heartbeat(self) -> None:
        """Send a heartbeat."""
        self._channel.send(channel.Heartbeat())

    async def overviews(self) -> tuple[MatchOverview, ...]:
        """Return the status of each match; empty if the process ends or is too busy to reply."""
        try:
            async with asyncio.timeout(_STATUS_SECONDS):
                return await self._request(
                    tuple, lambda number: channel.GetOverviews(number=number)
                )
        except (TimeoutError, WorkerEndedError):
            return ()

    async def is_done(self) -> bool:
        """Return whether every match is over and no peer is connected."""
        try:
            async with asyncio.timeout(_STATUS_SECONDS):
                return await self._request(bool, lambda number: channel.CheckDone(number=number))
        except (TimeoutError, WorkerEndedError):
            return False

    async def close(self, reason: str) -> None:
        """Ask the process to disconnect its peers, finish all writes and exit. If this takes too long, kill it."""
        if self._process is None:
            return
        try:
            async with asyncio.timeout(_STOP_SECONDS):
                await self._request(
                    bool, lambda number: channel.StopWorker(number=number, reason=reason)
                )
                await self._exited
        except (TimeoutError, WorkerEndedError):
            self.kill()
            await self._exited

    def kill(self) -> None:
        """Kill the process."""
        if self._process is not None:
            self._process.kill()

    # -- the channel

    async def _request(
        self, body_type: type[B], message: Callable[[int], channel.WorkerMessage]
    ) -> B:
        """Send a request to the process, and return the reply.

        Raises:
            WorkerEndedError: The process ended before replying.
            NetworkError: The process could not carry out the request.
        """
        if self._exited.done() or self._channel.is_closed:
            raise WorkerEndedError("the worker process has ended")
        number = next(self._request_numbers)
        future = self._pending_requests[number] = asyncio.get_running_loop().create_future()
        self._channel.send(message(number))
        try:
            body = await future
        finally:
            self._pending_requests.pop(number, None)
        assert isinstance(body, body_type), "the reply must match the request"
        return body

    def _on_report(self, report: WorkerReport) -> None:
        if isinstance(report, channel.Ready):
            if not self._ready.done():
                self._ready.set_result(None)
            return
        future = self._pending_requests.get(report.number)
        if future is None or future.done():
            return
        if isinstance(report, channel.Failed):
            future.set_exception(NetworkError(report.problem))
        else:
            future.set_result(report.body)

    def _on_channel_closed(self) -> None:
        """Wait for the process to exit after its channel has been closed."""
        assert self._process is not None, "the process must have been started"
        exit_future = asyncio.get_running_loop().run_in_executor(
            None, _wait_for_exit, self._process
        )
        exit_future.add_done_callback(self._on_exited)

    def _on_exited(self, exit_future: "asyncio.Future[int]") -> None:
        self.status = None if exit_future.cancelled() else exit_future.result()
        if self._marker is not None:
            # The marks are not final until the process has ended.
            self.in_flight = self._marker.marked_matches()
            self._marker.close()
            self._marker = None
        problem = WorkerEndedError("the worker process has ended")
        if not self._ready.done():
            self._ready.set_exception(problem)
            self._ready.exception()  # Mark the exception as retrieved, in case no caller is waiting.
        for future in tuple(self._pending_requests.values()):
            if not future.done():
                future.set_exception(problem)
        self._exited.set_result(None)
        self._on_ended(self)


def _wait_for_exit(process: "subprocess.Popen[bytes]") -> int:
    """Wait briefly for a process without a channel to exit. If it does not, kill it. Return the exit code."""
    try:
        return process.wait(_LAST_LINES_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()

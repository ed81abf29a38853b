"""Implements a worker process. It runs matches for a host and communicates with the host only through its channel.

:mod:`netplay.workers.worker_client` starts a worker as ``python -P -m netplay.workers.worker CHANNEL MARKS`` with two
descriptors. The worker exits when the host asks it to or when the host process has ended. Signals sent to the whole
process group also reach the worker. The worker ignores them, because the host handles them.
"""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

import structlog

from engine import registry
from engine.kernel.errors import FlagplotError
from engine.kernel.gc_tuning import tune_gc
from engine.registry import AnyRuleset
from netplay.invites.host_keys import load_authority
from netplay.system.core_dumps import forbid_core_dumps
from netplay.system.host_log import LogOutput, log_json
from netplay.system.out_of_memory import report_out_of_memory, watch_memory
from netplay.transport.listener import ConnectionRequest
from netplay.workers import channel
from netplay.workers.channel import ORDER_DECODER, Channel, WorkerOrder
from netplay.workers.in_flight_marker import InFlightMarker
from netplay.workers.match_server import MatchServer
from saves.errors import LogInUseError
from saves.memory_limit import limit_thread_memory

log = structlog.get_logger()

_IGNORED_SIGNALS: Final = (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP)
_LAST_ANSWERS_SECONDS: Final = 2.0
_ORPHAN_SECONDS: Final = 5.0
"""Time limit in seconds for a worker to finish its disk writes after the host process has ended."""
_IN_USE_SECONDS: Final = 10.0
"""Maximum time in seconds to wait for a record that an exiting process still has locked."""
_RETRY_SECONDS: Final = 0.1
_OUT_OF_MEMORY: Final = 3
"""Exit status of a worker that has run out of memory. A new process then reopens its matches."""


class Worker:
    """Carries out requests from the host."""

    def __init__(
        self, marker: InFlightMarker, rulesets: Callable[[str], AnyRuleset] = registry.ruleset
    ) -> None:
        """Create a worker that is not connected yet.

        Args:
            marker: Marks the matches that this process is processing.
            rulesets: Looks up a game's rules.
        """
        self._marker = marker
        self._rulesets = rulesets
        self._server: MatchServer | None = None
        self._channel: Channel[WorkerOrder] = Channel(
            ORDER_DECODER, self._on_order, self._on_channel_closed
        )
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_over = asyncio.Event()
        self._load_lock = asyncio.Lock()
        """Held while a match is opened, so that matches are opened one at a time."""
        self._is_stop_requested = False

    async def run(self, socket_end: socket.socket) -> None:
        """Handle requests until the host stops this worker or the host process ends."""
        await self._channel.open(socket_end)
        self._channel.send(channel.Ready())
        await self._is_over.wait()
        if not self._is_stop_requested and self._server is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(_ORPHAN_SECONDS):
                    await self._server.close("the host has ended")

    def _on_channel_closed(self) -> None:
        self._is_over.set()

    def _on_order(self, order: WorkerOrder) -> None:
        if isinstance(order, channel.Begin):
            self._begin(order)
            return
        server = self._server
        # A heartbeat may arrive before the first message, because heartbeats are sent to all
        # workers.
        if server is None and isinstance(order, channel.Heartbeat):
            return
        assert server is not None, "the first message from the host must be Begin"
        match order:
            case channel.WorkerRequest():
                self._spawn(self._answer(server, order))
            case channel.Disconnected():
                self._spawn(self._forget_connection(server, order.line))
            case channel.LoadMatch():
                self._spawn(self._load_match(server, order))
            case channel.StartBots():
                server.start_bots(order.match)
            case channel.DiscardMatch():
                self._spawn(self._discard_match(server, order))
            case channel.GetOverviews():
                self._spawn(self._send_overviews(server, order.number))
            case channel.CheckDone():
                self._spawn(self._send_status(server, order.number))
            case channel.Heartbeat():
                server.heartbeat()
            case channel.StopWorker():
                self._spawn(self._stop(server, order))

    def _begin(self, begin: channel.Begin) -> None:
        folder = Path(os.fsdecode(begin.folder))
        self._server = MatchServer(folder, self._rulesets, begin.manner, self._marker)
        self._server.start(load_authority(folder))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _answer(self, server: MatchServer, request: channel.WorkerRequest) -> None:
        reply = await server.answer(
            ConnectionRequest(request.data, request.line, request.certified, request.remote)
        )
        self._channel.send(channel.Answered(number=request.number, body=reply))

    @staticmethod
    async def _forget_connection(server: MatchServer, connection_id: int) -> None:
        """Forget a connection that has ended. As a task, this runs after the connection's earlier requests have begun.

        Otherwise, a greeting that arrived together with the end of its connection would never be forgotten.
        """
        server.forget_connection(connection_id)

    async def _load_match(self, server: MatchServer, order: channel.LoadMatch) -> None:
        """Open a match. If another process ran it before, retry until that process has released the record."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + _IN_USE_SECONDS
        while True:
            try:
                async with self._load_lock:
                    await asyncio.sleep(0)  # other requests can run in the meantime
                    result = await server.load_match(order.match)
            except LogInUseError as error:
                if loop.time() < deadline:
                    await asyncio.sleep(_RETRY_SECONDS)
                    continue
                self._channel.send(channel.Failed(number=order.number, problem=str(error)))
            except FlagplotError as error:
                self._channel.send(channel.Failed(number=order.number, problem=str(error)))
            except Exception as error:
                report_out_of_memory(error)
                log.exception("match_load_crashed", match=order.match)
                problem = "an internal error occurred in this program; see its log"
                self._channel.send(channel.Failed(number=order.number, problem=problem))
            else:
                self._channel.send(channel.Opened(number=order.number, body=result))
            return

    async def _discard_match(self, server: MatchServer, order: channel.DiscardMatch) -> None:
        if server.has_match(order.match):
            await server.discard_match(order.match, order.reason)
        self._channel.send(channel.Completed(number=order.number))

    async def _send_overviews(self, server: MatchServer, number: int) -> None:
        self._channel.send(channel.Counted(number=number, body=await server.overviews()))

    async def _send_status(self, server: MatchServer, number: int) -> None:
        self._channel.send(channel.Completed(number=number, body=await server.is_done()))

    async def _stop(self, server: MatchServer, order: channel.StopWorker) -> None:
        """Close everything, answer all waiting requests with the reason for the stop, and then confirm the stop."""
        self._is_stop_requested = True
        await server.close(order.reason)
        # Waiting requests are answered first, so that peers learn why the connection is ending and may reconnect.
        answer_tasks = self._tasks - {asyncio.current_task()}
        if answer_tasks:
            await asyncio.wait(answer_tasks, timeout=_LAST_ANSWERS_SECONDS)
        self._channel.send(channel.Completed(number=order.number))
        self._channel.close()


def _exit_at_once(log_output: LogOutput) -> None:
    log_output.close()
    os._exit(_OUT_OF_MEMORY)


def run(rulesets: Callable[[str], AnyRuleset] = registry.ruleset) -> None:
    """Run a worker process with the descriptors from the command line."""
    for signal_number in _IGNORED_SIGNALS:
        signal.signal(signal_number, signal.SIG_IGN)
    forbid_core_dumps()
    tune_gc()
    limit_thread_memory()
    log_output = log_json()
    socket_end = socket.socket(fileno=int(sys.argv[1]))
    # asyncio requires non-blocking sockets.
    socket_end.setblocking(False)
    marker = InFlightMarker(int(sys.argv[2]))

    status = 0

    async def serve() -> None:
        watch_memory(asyncio.get_running_loop(), partial(_exit_at_once, log_output))
        await Worker(marker, rulesets).run(socket_end)

    try:
        asyncio.run(serve())
    except Exception:
        log.exception("worker_crashed")
        status = 1
    log_output.close()
    os._exit(status)  # exits without waiting for threads that a disk has blocked


if __name__ == "__main__":
    run()

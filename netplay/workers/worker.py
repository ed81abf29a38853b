"""A host's worker process, which runs matches and communicates only through its channel.

It is started by :mod:`netplay.workers.worker_client` as ``python -P -m netplay.workers.worker CHANNEL MARKS`` with two
descriptors. It exits at the host's request or once the host has ended. Signals sent to the whole process group also
reach the worker, but it leaves them to the host.
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
from netplay.system.out_of_memory import report, watch_memory
from netplay.transport.listener import Request
from netplay.workers import channel
from netplay.workers.channel import ORDERS, Channel, Order
from netplay.workers.in_flight_marker import Marks
from netplay.workers.match_server import MatchServer
from saves.errors import LogInUseError
from saves.memory_limit import limit_thread_memory

log = structlog.get_logger()

_LEFT_TO_THE_HOST: Final = (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP)
_LAST_ANSWERS_SECONDS: Final = 2.0
_ORPHAN_SECONDS: Final = 5.0
"""How long a process whose host has died waits for the disk before exiting."""
_IN_USE_SECONDS: Final = 10.0
"""Time to wait for a record that an exiting process has not unlocked yet."""
_AGAIN_SECONDS: Final = 0.1
_OUT_OF_MEMORY: Final = 3
"""Exit status of a process that ran out of memory. A new process reopens its matches."""


class Worker:
    """Carries out the host's requests."""

    def __init__(
        self, marks: Marks, rulesets: Callable[[str], AnyRuleset] = registry.ruleset
    ) -> None:
        """Create a worker that is not connected yet.

        Args:
            marks: Marks the match that this process is working on.
            rulesets: Looks up a game's rules.
        """
        self._marks = marks
        self._rulesets = rulesets
        self._house: MatchServer | None = None
        self._channel: Channel[Order] = Channel(ORDERS, self._hear, self._lost)
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_over = asyncio.Event()
        self._opening = asyncio.Lock()
        """Lock held while opening a match, so that matches are opened one at a time."""
        self._is_told = False

    async def run(self, end: socket.socket) -> None:
        """Handle requests until the host stops this worker or itself ends."""
        await self._channel.open(end)
        self._channel.send(channel.Ready())
        await self._is_over.wait()
        if not self._is_told and self._house is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(_ORPHAN_SECONDS):
                    await self._house.close("the host has ended")

    def _lost(self) -> None:
        self._is_over.set()

    def _hear(self, order: Order) -> None:
        if isinstance(order, channel.Begin):
            self._begin(order)
            return
        house = self._house
        if house is None and isinstance(order, channel.Beat):
            return
        assert house is not None, "the host begins before it asks"
        match order:
            case channel.WorkerRequest():
                self._spawn(self._answer(house, order))
            case channel.Disconnected():
                house.gone(order.line)
            case channel.LoadMatch():
                self._spawn(self._take(house, order))
            case channel.Play():
                house.play(order.match)
            case channel.Discard():
                self._spawn(self._discard(house, order))
            case channel.CountMatches():
                self._spawn(self._count(house, order.number))
            case channel.GetStatus():
                self._spawn(self._look(house, order.number))
            case channel.Beat():
                house.beat()
            case channel.Stop():
                self._spawn(self._stop(house, order))

    def _begin(self, begin: channel.Begin) -> None:
        folder = Path(os.fsdecode(begin.folder))
        self._house = MatchServer(folder, self._rulesets, begin.manner, self._marks)
        self._house.start(load_authority(folder))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _answer(self, house: MatchServer, ask: channel.WorkerRequest) -> None:
        reply = await house.answer(Request(ask.data, ask.line, ask.certified, ask.remote))
        self._channel.send(channel.Answered(number=ask.number, body=reply))

    async def _take(self, house: MatchServer, take: channel.LoadMatch) -> None:
        """Open a match. The process that ran it previously may need a moment to release its record."""
        loop = asyncio.get_running_loop()
        latest = loop.time() + _IN_USE_SECONDS
        while True:
            try:
                async with self._opening:
                    await asyncio.sleep(0)  # let other requests run in the meantime
                    taken = await house.take(take.match)
            except LogInUseError as error:
                if loop.time() < latest:
                    await asyncio.sleep(_AGAIN_SECONDS)
                    continue
                self._channel.send(channel.Failed(number=take.number, problem=str(error)))
            except FlagplotError as error:
                self._channel.send(channel.Failed(number=take.number, problem=str(error)))
            except Exception as error:
                report(error)
                log.exception("take_crashed", match=take.match)
                problem = "an internal error occurred in this program; see its log"
                self._channel.send(channel.Failed(number=take.number, problem=problem))
            else:
                self._channel.send(channel.Opened(number=take.number, body=taken))
            return

    async def _discard(self, house: MatchServer, order: channel.Discard) -> None:
        if house.holds(order.match):
            await house.discard(order.match, order.reason)
        self._channel.send(channel.Completed(number=order.number))

    async def _count(self, house: MatchServer, number: int) -> None:
        self._channel.send(channel.Counted(number=number, body=await house.standings()))

    async def _look(self, house: MatchServer, number: int) -> None:
        self._channel.send(channel.Completed(number=number, body=await house.is_done()))

    async def _stop(self, house: MatchServer, order: channel.Stop) -> None:
        """Close everything, and reply to all held requests with a goodbye before confirming."""
        self._is_told = True
        await house.close(order.reason)
        answers = self._tasks - {asyncio.current_task()}
        if answers:
            await asyncio.wait(answers, timeout=_LAST_ANSWERS_SECONDS)
        self._channel.send(channel.Completed(number=order.number))
        self._channel.close()


def _end_at_once(outlet: LogOutput) -> None:
    outlet.close()
    os._exit(_OUT_OF_MEMORY)


def run(rulesets: Callable[[str], AnyRuleset] = registry.ruleset) -> None:
    """Run a worker process with the descriptors from the command line."""
    for number in _LEFT_TO_THE_HOST:
        signal.signal(number, signal.SIG_IGN)
    forbid_core_dumps()
    tune_gc()
    limit_thread_memory()
    outlet = log_json()
    end = socket.socket(fileno=int(sys.argv[1]))
    end.setblocking(False)
    marks = Marks(int(sys.argv[2]))

    status = 0

    async def serve() -> None:
        watch_memory(asyncio.get_running_loop(), partial(_end_at_once, outlet))
        await Worker(marks, rulesets).run(end)

    try:
        asyncio.run(serve())
    except Exception:
        log.exception("worker_crashed")
        status = 1
    outlet.close()
    os._exit(status)  # do not wait for threads stuck on a disk


if __name__ == "__main__":
    run()

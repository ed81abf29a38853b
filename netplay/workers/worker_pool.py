"""Assigns matches to worker processes, and restarts processes that die.

A new match is assigned to the process with the fewest running matches and stays there. A process that dies is restarted
and reopens its matches from their records, as after a restart of the host. Other processes are not affected. A match
that was being processed when its process died becomes suspect. If this happens again, the match gets a separate
process. If the separate process also dies while processing the match, the match is marked as broken. Connections to a
broken match are refused, and all other matches continue. If a process keeps dying and no single match is suspected, all
its matches are abandoned.
"""

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

import structlog

from engine.kernel.errors import FlagplotError
from netplay.match.host_config import HostConfig
from netplay.match.match_backend import LoadResult, MatchBackend, MatchOverview
from netplay.wire.errors import NetworkError
from netplay.workers.match_server import MatchServer
from netplay.workers.worker_client import WorkerClient, WorkerEndedError
from saves.headers import Header
from saves.redaction import redact_header

log = structlog.get_logger()

CRASH_WINDOW_SECONDS: Final = 600.0
"""Time in seconds for which a crash of a worker or match still counts."""
ISOLATE_AFTER: Final = 2
"""Number of times that a match becomes suspect before it gets a separate process."""
MAX_CRASHES: Final = 8
"""A worker's matches are abandoned if it dies this many times within CRASH_WINDOW_SECONDS."""
_RESTART_SECONDS: Final = 0.05
"""Delay in seconds before a worker is restarted after its first death. The delay doubles with each further death."""
_MAX_RESTART_SECONDS: Final = 5.0
"""Maximum delay in seconds before a worker is restarted."""
WATCH_SECONDS: Final = 5.0
"""Interval in seconds between checks of whether all workers respond."""
MAX_ISOLATED: Final = 4
"""Maximum number of matches that can have a separate process at the same time."""
_BROKEN_MATCH_TEXT: Final = (
    "this match cannot continue: its process crashed repeatedly; see the host's log"
)


class BrokenMatchError(NetworkError):
    """The match is marked as broken, because its process has died repeatedly."""


class CrashHistory:
    """Counts recent events, for example how often a process has died."""

    def __init__(self) -> None:
        """Create an empty history."""
        self._times: list[float] = []

    def add(self) -> int:
        """Add an event, and return the number of recent events including this one."""
        self._times.append(time.monotonic())
        return self.recent

    @property
    def recent(self) -> int:
        """Return the number of events in the last CRASH_WINDOW_SECONDS."""
        now = time.monotonic()
        self._times = [
            crash_time for crash_time in self._times if now - crash_time < CRASH_WINDOW_SECONDS
        ]
        return len(self._times)


class WorkerSlot:
    """A slot in which matches run: the host's own process, or a worker process and its replacements."""

    def __init__(
        self, number: int, backend: MatchBackend | None, *, is_isolated: bool = False
    ) -> None:
        """Create a slot without matches.

        Args:
            number: The number in the status and the log, counted from 1; 0 is the host's own process.
            backend: Runs the matches; None while no process is running.
            is_isolated: True if the slot is reserved for one suspect match.
        """
        self.number = number
        self.backend = backend
        self.is_isolated = is_isolated
        self.assignments: dict[str, MatchAssignment] = {}
        self.crashes = CrashHistory()
        self.crash_count = 0
        """Number of times that the process has died."""

    @property
    def process(self) -> int:
        """Return the id of the worker process, or 0 if there is none."""
        return self.backend.process if isinstance(self.backend, WorkerClient) else 0

    @property
    def load(self) -> int:
        """Return the number of assigned matches that are not over."""
        return sum(not assignment.is_over for assignment in self.assignments.values())


class MatchAssignment:
    """One match and its assigned worker."""

    def __init__(self, header: Header, worker: WorkerSlot) -> None:
        """Create the assignment for a match that is about to be opened."""
        self.header = redact_header(header, None)
        self.worker = worker
        self.error: FlagplotError | None = None
        """The reason why the match is not running; None if it is running or still being opened."""
        self.is_broken = False
        """True if the match crashed its process or could not be reopened. The match can no longer run."""
        self.is_open = False
        self.is_over = False
        self.has_bots = False
        """True if the bots in the match must run."""
        self.records = 0
        """Number of records in the match when it was last opened."""
        self.crashes = CrashHistory()
        self.first_load: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Future that is done once the match has been opened for the first time or has failed to open."""

    @property
    def match(self) -> str:
        """Return the match id."""
        return self.header.match_id


class WorkerPool:
    """The workers of one host and the matches assigned to them."""

    def __init__(
        self,
        folder: Path,
        config: HostConfig,
        server: MatchServer | None,
        on_backend_lost: Callable[[MatchBackend], None],
    ) -> None:
        """Create a pool without matches.

        Args:
            folder: The folder for records, keys and divergence reports.
            config: The host settings.
            server: Runs the matches in this process; None to use worker processes.
            on_backend_lost: Called when a worker process dies. It must drop the connections to the worker's matches.
        """
        self.assignments: dict[str, MatchAssignment] = {}
        self.workers: list[WorkerSlot] = [] if server is None else [WorkerSlot(0, server)]
        self._folder = folder
        self._config = config
        self._on_backend_lost = on_backend_lost
        self._is_closing = False
        self._tasks: set[asyncio.Task[None]] = set()

    # -- lifecycle

    async def start(self, count: int) -> None:
        """Start the given number of worker processes, and return once all of them are ready.

        Raises:
            NetworkError: A worker failed to start.
        """
        workers = [WorkerSlot(number, None) for number in range(1, count + 1)]
        self.workers += workers
        try:
            await asyncio.gather(*map(self._start_worker, workers))
            if workers:
                self._spawn(self._kill_hanging())
        except (OSError, WorkerEndedError) as error:
            await self.close("the host did not start")
            raise NetworkError(f"a worker process of the host did not start: {error}") from error

    async def close(self, reason: str) -> None:
        """Disconnect all peers and close every record. Peers that connect later are asked to try again."""
        self._is_closing = True
        for assignment in self.assignments.values():
            assignment.is_open = False
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*(backend.close(reason) for backend in self.backends()))
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for assignment in self.assignments.values():
            _mark_loaded(assignment)

    def backends(self) -> tuple[MatchBackend, ...]:
        """Return the backends that are currently running."""
        return tuple(worker.backend for worker in self.workers if worker.backend is not None)

    # -- matches

    def assign(self, header: Header) -> MatchAssignment:
        """Assign a match to the least loaded worker, and return the assignment. The match may still be opening."""
        shared_workers = (worker for worker in self.workers if not worker.is_isolated)
        # A worker that keeps crashing is not used, unless all workers keep crashing.
        worker = min(
            shared_workers, key=lambda slot: (slot.crashes.recent >= MAX_CRASHES, slot.load)
        )
        assignment = MatchAssignment(header, worker)
        self.assignments[assignment.match] = worker.assignments[assignment.match] = assignment
        self._load_matches((assignment,))
        return assignment

    def start_bots(self, match: str) -> None:
        """Start the bots in a match now, and again each time the match is reopened."""
        assignment = self.assignments[match]
        assignment.has_bots = True
        if assignment.is_open and assignment.worker.backend is not None:
            assignment.worker.backend.start_bots(match)

    async def discard_match(self, match: str, reason: str) -> None:
        """Close a match and remove it."""
        assignment = self.assignments.pop(match)
        assignment.worker.assignments.pop(match, None)
        if assignment.is_open and assignment.worker.backend is not None:
            await assignment.worker.backend.discard_match(match, reason)

    async def overviews(self) -> dict[str, MatchOverview]:
        """Return the status of every running match, by id."""
        results = await asyncio.gather(*(backend.overviews() for backend in self.backends()))
        by_match = {overview.match: overview for result in results for overview in result}
        for match in by_match.keys() & self.assignments.keys():
            self.assignments[match].is_over = by_match[match].is_over
        return by_match

    async def is_done(self) -> bool:
        """Return whether every match is over or broken, and no peer is connected."""
        if not all(
            assignment.is_open or assignment.error for assignment in self.assignments.values()
        ):
            return False
        return all(await asyncio.gather(*(backend.is_done() for backend in self.backends())))

    def _load_matches(self, assignments: Iterable[MatchAssignment]) -> None:
        """Ask each match's worker to open the match, and start its bots once it is open."""
        for assignment in assignments:
            backend = assignment.worker.backend
            if backend is None:
                continue
            result = backend.load_match(assignment.match)
            # A match in the host's own process is already open, so its result is handled
            # immediately instead of in a later iteration of the event loop.
            if result.done():
                self._on_loaded(assignment, backend, result)
            else:
                result.add_done_callback(partial(self._on_loaded, assignment, backend))

    def _on_loaded(
        self,
        assignment: MatchAssignment,
        backend: MatchBackend,
        future: "asyncio.Future[LoadResult]",
    ) -> None:
        if future.cancelled():
            return
        error = future.exception()
        if isinstance(error, WorkerEndedError):
            return  # the match is reopened when the process is restarted
        if error is not None:
            assert isinstance(error, FlagplotError), "only a FlagplotError must be caught above"
            self._mark_broken(assignment, error)
            return
        if (
            self.assignments.get(assignment.match) is not assignment
        ):  # the match was discarded in the meantime
            self._spawn(backend.discard_match(assignment.match, "this match was not opened"))
            return
        result = future.result()
        assignment.is_open, assignment.is_over, assignment.records = (
            True,
            result.is_over,
            result.records,
        )
        if assignment.has_bots and not result.is_over:
            backend.start_bots(assignment.match)
        if assignment.first_load.done():
            seq = result.records - 1
            log.info("match_resumed", match=assignment.match, game=assignment.header.game, seq=seq)
        _mark_loaded(assignment)

    def _mark_broken(self, assignment: MatchAssignment, error: FlagplotError) -> None:
        """Stop running a match because of an error."""
        assignment.is_open = False
        assignment.error = error
        assignment.worker.assignments.pop(assignment.match, None)
        if assignment.first_load.done() or isinstance(error, BrokenMatchError):
            assignment.is_broken = True
            log.error(
                "match_disabled",
                match=assignment.match,
                game=assignment.header.game,
                error=str(error),
            )
        _mark_loaded(assignment)

    # -- worker processes

    async def _start_worker(self, worker: WorkerSlot) -> None:
        client = WorkerClient(self._folder, self._config, lambda _: self._on_worker_died(worker))
        worker.backend = client
        await client.start()

    async def _kill_hanging(self) -> None:
        """Kill worker processes that no longer respond. They are restarted like any other process that dies."""
        while True:
            await asyncio.sleep(WATCH_SECONDS)
            clients = [client for client in self.backends() if isinstance(client, WorkerClient)]
            responding = await asyncio.gather(*(client.is_responding() for client in clients))
            for client, is_responding in zip(clients, responding, strict=True):
                if not is_responding:
                    log.error("worker_unresponsive", process=client.process)
                    client.kill()

    def _on_worker_died(self, worker: WorkerSlot) -> None:
        """Handle the death of a worker process, and schedule its restart."""
        client = worker.backend
        assert isinstance(client, WorkerClient), "a worker that dies must be a separate process"
        worker.backend = None
        if self._is_closing:
            return
        worker.crash_count += 1
        crash_count = worker.crashes.add()
        suspects = [
            assignment
            for assignment in worker.assignments.values()
            if assignment.match in client.in_flight
        ]
        log.error(
            "worker_died",
            worker=worker.number,
            status=client.status,
            matches=len(worker.assignments),
            at_work=[assignment.match for assignment in suspects],
        )
        for assignment in worker.assignments.values():
            assignment.is_open = False
        # Peers are disconnected before the restart, so that no peer waits for a reply that will
        # never be sent.
        self._on_backend_lost(client)
        for moved_assignment in tuple(self._isolate_suspects(worker, suspects)):
            self._spawn(self._restart_worker(moved_assignment, 1))
        if crash_count >= MAX_CRASHES:
            for assignment in tuple(worker.assignments.values()):
                self._mark_broken(assignment, BrokenMatchError(_BROKEN_MATCH_TEXT))
        if worker.is_isolated and not worker.assignments:
            self.workers.remove(worker)
        else:
            self._spawn(self._restart_worker(worker, crash_count))

    def _isolate_suspects(
        self, worker: WorkerSlot, suspects: Iterable[MatchAssignment]
    ) -> Iterator[WorkerSlot]:
        """Assign suspect matches that crash often to separate workers, and yield these workers.

        A match that crashed a separate worker is marked as broken instead.
        """
        for assignment in suspects:
            crash_count = assignment.crashes.add()
            if crash_count < ISOLATE_AFTER:
                continue
            if worker.is_isolated:
                self._mark_broken(assignment, BrokenMatchError(_BROKEN_MATCH_TEXT))
                continue
            if sum(slot.is_isolated for slot in self.workers) >= MAX_ISOLATED:
                continue
            number = max(slot.number for slot in self.workers) + 1
            assignment.worker = WorkerSlot(number, None, is_isolated=True)
            assignment.worker.assignments[assignment.match] = worker.assignments.pop(
                assignment.match
            )
            self.workers.append(assignment.worker)
            log.warning("match_isolated", match=assignment.match, worker=number)
            yield assignment.worker

    async def _restart_worker(self, worker: WorkerSlot, crashes: int) -> None:
        """Restart a worker process and reopen its matches, most recent first."""
        await asyncio.sleep(min(_RESTART_SECONDS * 2 ** (crashes - 1), _MAX_RESTART_SECONDS))
        try:
            await self._start_worker(worker)
        except WorkerEndedError:
            return  # the end of the process has already been handled
        except OSError as error:  # the system cannot start a process now
            log.warning("worker_start_failed", worker=worker.number, error=str(error))
            worker.backend = None
            # The system lacks resources, so the longest restart delay is used.
            self._spawn(self._restart_worker(worker, MAX_CRASHES))
            return
        log.info("worker_started", worker=worker.number, matches=len(worker.assignments))
        self._load_matches(tuple(worker.assignments.values())[::-1])

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _mark_loaded(assignment: MatchAssignment) -> None:
    if not assignment.first_load.done():
        assignment.first_load.set_result(None)

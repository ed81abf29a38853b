"""Assigns matches to worker processes and restarts a process that dies.

A new match is assigned to the process with the fewest running matches and stays there. A process that dies is restarted
and reopens its matches from their records, as after a host restart. Other processes are not affected.

A match that a process was working on when it died becomes suspect. The second time, the match gets a separate process.
If that process also dies while working on it, the match is marked as broken: its connections are refused, and all other
matches continue. A process that keeps dying without a suspect match gives up its matches.
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

SUSPECTED_SECONDS: Final = 600.0
"""How long a match remains suspect."""
ALONE_AT: Final = 2
"""How often a match must come under suspicion to get a separate process."""
MOST_DEATHS: Final = 8
"""Number of deaths within SUSPECTED_SECONDS at which a worker gives up its matches."""
_AGAIN_SECONDS: Final = 0.05
"""Delay before restarting a worker after its first death, doubled with each further death ..."""
_AGAIN_MOST_SECONDS: Final = 5.0
"""... up to this maximum."""
WATCH_SECONDS: Final = 5.0
"""Interval between checks that all workers respond."""
MOST_ALONE: Final = 4
"""Maximum number of matches with a separate process at the same time."""
_BROKEN: Final = "this match cannot continue: it crashed its process repeatedly; see the host's log"
_GIVEN_UP: Final = "this match cannot continue: its process crashes repeatedly; see the host's log"


class BrokenMatchError(NetworkError):
    """The match is broken because its process has died repeatedly."""


class CrashHistory:
    """Counts recent events, such as a process's deaths."""

    def __init__(self) -> None:
        """Start with no events."""
        self._times: list[float] = []

    def count(self) -> int:
        """Add an event and return the number of recent ones."""
        self._times.append(time.monotonic())
        return self.lately

    @property
    def lately(self) -> int:
        """Return the number of events within SUSPECTED_SECONDS."""
        now = time.monotonic()
        self._times = [then for then in self._times if now - then < SUSPECTED_SECONDS]
        return len(self._times)


class Worker:
    """One slot for running matches: the host's own process, or a worker process and its replacements."""

    def __init__(
        self, number: int, holding: MatchBackend | None, *, is_alone: bool = False
    ) -> None:
        """Start with no matches.

        Args:
            number: Number used in the status and the log, counted from 1; 0 is the host's own process.
            holding: Runs the matches; None while no process is running.
            is_alone: True if the slot is reserved for one suspect match.
        """
        self.number = number
        self.holding = holding
        self.is_alone = is_alone
        self.places: dict[str, MatchAssignment] = {}
        self.deaths = CrashHistory()
        self.died = 0
        """How many times its process has died."""

    @property
    def process(self) -> int:
        """Return the worker process's id, or 0 if there is none."""
        return self.holding.process if isinstance(self.holding, WorkerClient) else 0

    @property
    def load(self) -> int:
        """Return how many of its matches are not over."""
        return sum(not place.is_over for place in self.places.values())


class MatchAssignment:
    """One match and its assigned worker."""

    def __init__(self, header: Header, worker: Worker) -> None:
        """Create the assignment for a match that is about to be opened."""
        self.header = redact_header(header, None)
        self.worker = worker
        self.error: FlagplotError | None = None
        """Why the match is not running; None if it is running or still being opened."""
        self.is_broken = False
        """True if the match can no longer run, because it crashed its process or could not be reopened."""
        self.is_open = False
        self.is_over = False
        self.has_bots = False
        """True if its bots should play."""
        self.records = 0
        """Number of records when it was last opened."""
        self.suspicions = CrashHistory()
        self.settled: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done once the match has been opened for the first time or has failed to open."""

    @property
    def match(self) -> str:
        """Return the match id."""
        return self.header.match_id


class WorkerPool:
    """One host's workers and the matches assigned to them."""

    def __init__(
        self,
        folder: Path,
        manner: HostConfig,
        house: MatchServer | None,
        lost: Callable[[MatchBackend], None],
    ) -> None:
        """Start with no matches.

        Args:
            folder: Folder for records, keys and divergence reports.
            manner: Host settings.
            house: Runs the matches in this process; None to use worker processes.
            lost: Called when a process has died and its connections are therefore lost.
        """
        self.places: dict[str, MatchAssignment] = {}
        self.workers: list[Worker] = [] if house is None else [Worker(0, house)]
        self._folder = folder
        self._manner = manner
        self._lost = lost
        self._is_closing = False
        self._tasks: set[asyncio.Task[None]] = set()

    # -- lifecycle

    async def start(self, count: int) -> None:
        """Start the given number of worker processes, and return once all of them are ready.

        Raises:
            NetworkError: A worker failed to start.
        """
        workers = [Worker(number, None) for number in range(1, count + 1)]
        self.workers += workers
        try:
            await asyncio.gather(*map(self._start, workers))
            if workers:
                self._spawn(self._watch())
        except (OSError, WorkerEndedError) as error:
            await self.close("the host did not start")
            raise NetworkError(f"a worker process of the host did not start: {error}") from error

    async def close(self, reason: str) -> None:
        """Say goodbye to all peers and close every record. Later connections are asked to come back."""
        self._is_closing = True
        for place in self.places.values():
            place.is_open = False
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*(holding.close(reason) for holding in self.holdings()))
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for place in self.places.values():
            _settle(place)

    def holdings(self) -> tuple[MatchBackend, ...]:
        """Return the backends that are currently running."""
        return tuple(worker.holding for worker in self.workers if worker.holding is not None)

    # -- matches

    def place(self, header: Header) -> MatchAssignment:
        """Assign a match to the least loaded worker. The returned assignment reports when the match is open."""
        shared = (worker for worker in self.workers if not worker.is_alone)
        worker = min(shared, key=lambda each: (each.deaths.lately >= MOST_DEATHS, each.load))
        place = MatchAssignment(header, worker)
        self.places[place.match] = worker.places[place.match] = place
        self._take((place,))
        return place

    def play(self, match: str) -> None:
        """Start a match's bots, now and whenever it is reopened."""
        place = self.places[match]
        place.has_bots = True
        if place.is_open and place.worker.holding is not None:
            place.worker.holding.play(match)

    async def discard(self, match: str, reason: str) -> None:
        """Close a match and remove it."""
        place = self.places.pop(match)
        place.worker.places.pop(match, None)
        if place.is_open and place.worker.holding is not None:
            await place.worker.holding.discard(match, reason)

    async def standings(self) -> dict[str, MatchOverview]:
        """Return every running match's status, by id."""
        told = await asyncio.gather(*(holding.standings() for holding in self.holdings()))
        found = {standing.match: standing for standings in told for standing in standings}
        for match in found.keys() & self.places.keys():
            self.places[match].is_over = found[match].is_over
        return found

    async def is_done(self) -> bool:
        """Return whether every match is over or broken, and all peers have been informed."""
        if not all(place.is_open or place.error for place in self.places.values()):
            return False
        return all(await asyncio.gather(*(holding.is_done() for holding in self.holdings())))

    def _take(self, places: Iterable[MatchAssignment]) -> None:
        """Ask each match's worker to open the match, which also resumes its bots."""
        for place in places:
            holding = place.worker.holding
            if holding is None:
                continue
            taken = holding.take(place.match)
            if taken.done():
                self._taken(place, holding, taken)
            else:
                taken.add_done_callback(partial(self._taken, place, holding))

    def _taken(
        self, place: MatchAssignment, holding: MatchBackend, taken: "asyncio.Future[LoadResult]"
    ) -> None:
        if taken.cancelled():
            return
        error = taken.exception()
        if isinstance(error, WorkerEndedError):
            return  # the match is reopened when the process is restarted
        if error is not None:
            assert isinstance(error, FlagplotError), "nothing else is caught there"
            self._break(place, error)
            return
        if self.places.get(place.match) is not place:  # the match was discarded in the meantime
            self._spawn(holding.discard(place.match, "this match was not opened"))
            return
        found = taken.result()
        place.is_open, place.is_over, place.records = True, found.is_over, found.records
        if place.has_bots and not found.is_over:
            holding.play(place.match)
        if place.settled.done():
            seq = found.records - 1
            log.info("match_resumed", match=place.match, game=place.header.game, seq=seq)
        _settle(place)

    def _break(self, place: MatchAssignment, error: FlagplotError) -> None:
        """Stop running a match because of an error."""
        place.is_open = False
        place.error = error
        place.worker.places.pop(place.match, None)
        if place.settled.done() or isinstance(error, BrokenMatchError):
            place.is_broken = True
            log.error("match_broken", match=place.match, game=place.header.game, error=str(error))
        _settle(place)

    # -- worker processes

    async def _start(self, worker: Worker) -> None:
        house = WorkerClient(self._folder, self._manner, lambda _: self._died(worker))
        worker.holding = house
        await house.start()

    async def _watch(self) -> None:
        """Kill worker processes that no longer respond; they are then restarted like any others that die."""
        while True:
            await asyncio.sleep(WATCH_SECONDS)
            houses = [house for house in self.holdings() if isinstance(house, WorkerClient)]
            awake = await asyncio.gather(*(house.is_awake() for house in houses))
            for house, is_awake in zip(houses, awake, strict=True):
                if not is_awake:
                    log.error("worker_hangs", process=house.process)
                    house.kill()

    def _died(self, worker: Worker) -> None:
        """Handle the death of a worker process, and schedule its restart."""
        house = worker.holding
        assert isinstance(house, WorkerClient), "only processes die"
        worker.holding = None
        if self._is_closing:
            return
        worker.died += 1
        deaths = worker.deaths.count()
        suspects = [place for place in worker.places.values() if place.match in house.at_work]
        log.error(
            "worker_died",
            worker=worker.number,
            status=house.status,
            matches=len(worker.places),
            at_work=[place.match for place in suspects],
        )
        for place in worker.places.values():
            place.is_open = False
        self._lost(house)
        for moved in tuple(self._suspect(worker, suspects)):
            self._spawn(self._again(moved, 1))
        if deaths >= MOST_DEATHS:
            for place in tuple(worker.places.values()):
                self._break(place, BrokenMatchError(_GIVEN_UP))
        if worker.is_alone and not worker.places:
            self.workers.remove(worker)
        else:
            self._spawn(self._again(worker, deaths))

    def _suspect(self, worker: Worker, suspects: Iterable[MatchAssignment]) -> Iterator[Worker]:
        """Break a match that killed its separate process, and yield new workers for others suspected too often."""
        for place in suspects:
            suspicions = place.suspicions.count()
            if suspicions < ALONE_AT:
                continue
            if worker.is_alone:
                self._break(place, BrokenMatchError(_BROKEN))
                continue
            if sum(each.is_alone for each in self.workers) >= MOST_ALONE:
                continue
            number = max(each.number for each in self.workers) + 1
            place.worker = Worker(number, None, is_alone=True)
            place.worker.places[place.match] = worker.places.pop(place.match)
            self.workers.append(place.worker)
            log.warning("match_suspected", match=place.match, worker=number)
            yield place.worker

    async def _again(self, worker: Worker, deaths: int) -> None:
        """Restart a worker's process and reopen its matches, the most recent one first."""
        await asyncio.sleep(min(_AGAIN_SECONDS * 2 ** (deaths - 1), _AGAIN_MOST_SECONDS))
        try:
            await self._start(worker)
        except WorkerEndedError:
            return  # the process's death has already been handled
        except OSError as error:  # the system cannot start a process at present
            log.warning("worker_not_started", worker=worker.number, error=str(error))
            worker.holding = None
            self._spawn(self._again(worker, MOST_DEATHS))
            return
        log.info("worker_started", worker=worker.number, matches=len(worker.places))
        self._take(tuple(worker.places.values())[::-1])

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _settle(place: MatchAssignment) -> None:
    if not place.settled.done():
        place.settled.set_result(None)

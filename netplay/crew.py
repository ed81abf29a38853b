"""Which match is held where, and what happens when a worker process dies.

A match is given to the process with the fewest matches that go on, and stays there. A process that dies is started
again and opens its matches from their records, as after a restart of the host; the others notice nothing.

A match at which its process was when it died is suspected. At the second time it gets a process of its own; if that
dies at it, too, the match is broken: nobody is let in any more, and all other matches go on. A process that dies again
and again without a suspect gives up what it holds.
"""

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

import structlog

from engine.kernel.errors import FlagplotError
from netplay.errors import NetworkError
from netplay.holding import Holding, Standing, Taken
from netplay.house import House
from netplay.manner import Manner
from netplay.remote_house import RemoteHouse, WorkerEndedError
from saves.headers import Header
from saves.redaction import redact_header

log = structlog.get_logger()

SUSPECTED_SECONDS: Final = 600.0
"""How long a match stays suspected."""
ALONE_AT: Final = 2
"""So often suspected, a match gets a process of its own."""
MOST_DEATHS: Final = 8
"""A worker that dies so often within SUSPECTED_SECONDS gives up its matches."""
_AGAIN_SECONDS: Final = 0.05
"""From the first death of a worker to its next start, doubled with each further one ..."""
_AGAIN_MOST_SECONDS: Final = 5.0
"""... up to this."""
WATCH_SECONDS: Final = 5.0
"""From one look whether all workers are awake to the next."""
MOST_ALONE: Final = 4
"""Matches that have a process of their own at a time."""
_BROKEN: Final = (
    "this match cannot go on: it ended its process again and again; the host's log says when"
)
_GIVEN_UP: Final = (
    "this match cannot go on: its process ends again and again; the host's log says when"
)


class BrokenMatchError(NetworkError):
    """A match whose process died again and again."""


class Deaths:
    """When something happened, as far as it counts still."""

    def __init__(self) -> None:
        """Begin with none."""
        self._times: list[float] = []

    def count(self) -> int:
        """Note one more and return how many there were lately."""
        self._times.append(time.monotonic())
        return self.lately

    @property
    def lately(self) -> int:
        """Return how many there were lately."""
        now = time.monotonic()
        self._times = [then for then in self._times if now - then < SUSPECTED_SECONDS]
        return len(self._times)


class Worker:
    """One place where matches are held: this process, or a worker process with all that follow it."""

    def __init__(self, number: int, holding: Holding | None, *, is_alone: bool = False) -> None:
        """Hold nothing yet.

        Args:
            number: Its number for the status and the log, from 1; 0 is the host's own process.
            holding: What holds the matches; None as long as no process runs.
            is_alone: Whether it is for one suspected match.
        """
        self.number = number
        self.holding = holding
        self.is_alone = is_alone
        self.places: dict[str, Place] = {}
        self.deaths = Deaths()
        self.died = 0
        """How often its process has died."""

    @property
    def process(self) -> int:
        """Return the number of its process, 0 for the host's own or none."""
        return self.holding.process if isinstance(self.holding, RemoteHouse) else 0

    @property
    def load(self) -> int:
        """Return how many of its matches go on."""
        return sum(not place.is_over for place in self.places.values())


class Place:
    """One match, and where it is held."""

    def __init__(self, header: Header, worker: Worker) -> None:
        """Note a match that is about to be opened."""
        self.header = redact_header(header, None)
        self.worker = worker
        self.error: FlagplotError | None = None
        """Why the match is not held; None when it is, or will be in a moment."""
        self.is_broken = False
        """Whether it was held, or ended its process, and is not held any more."""
        self.is_open = False
        self.is_over = False
        self.has_bots = False
        """Whether its bots shall play."""
        self.records = 0
        """How many records it had when it was opened."""
        self.suspicions = Deaths()
        self.settled: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done as soon as the match is open for the first time, or cannot be."""

    @property
    def match(self) -> str:
        """Return the id of the match."""
        return self.header.match_id


class Crew:
    """Everything that holds the matches of one host."""

    def __init__(
        self,
        folder: Path,
        manner: Manner,
        house: House | None,
        lost: Callable[[Holding], None],
    ) -> None:
        """Hold nothing yet.

        Args:
            folder: Where records, keys and bundles are.
            manner: How matches are held.
            house: Holds them in this process; None for worker processes.
            lost: Told when a process has died, and its connections with it.
        """
        self.places: dict[str, Place] = {}
        self.workers: list[Worker] = [] if house is None else [Worker(0, house)]
        self._folder = folder
        self._manner = manner
        self._lost = lost
        self._is_closing = False
        self._tasks: set[asyncio.Task[None]] = set()

    # -- life

    async def start(self, count: int) -> None:
        """Start so many worker processes and return when all of them hear.

        Raises:
            NetworkError: One of them does not start.
        """
        workers = [Worker(number, None) for number in range(1, count + 1)]
        self.workers += workers
        try:
            await asyncio.gather(*map(self._start, workers))
            if workers:
                self._spawn(self._watch())
        except (OSError, WorkerEndedError) as error:
            await self.close("the host does not start")
            raise NetworkError(f"a worker process of the host does not start: {error}") from error

    async def close(self, reason: str) -> None:
        """Say goodbye to everybody, and let go of every record; whoever comes then is told to come again."""
        self._is_closing = True
        for place in self.places.values():
            place.is_open = False
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*(holding.close(reason) for holding in self.holdings()))
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for place in self.places.values():
            _settle(place)

    def holdings(self) -> tuple[Holding, ...]:
        """Return whatever holds matches now."""
        return tuple(worker.holding for worker in self.workers if worker.holding is not None)

    # -- matches

    def place(self, header: Header) -> Place:
        """Give a match to whoever has the least to do; returns its place, which tells when it is open."""
        shared = (worker for worker in self.workers if not worker.is_alone)
        worker = min(shared, key=lambda each: (each.deaths.lately >= MOST_DEATHS, each.load))
        place = Place(header, worker)
        self.places[place.match] = worker.places[place.match] = place
        self._take((place,))
        return place

    def play(self, match: str) -> None:
        """Start the bots of a match, here and wherever it is opened again."""
        place = self.places[match]
        place.has_bots = True
        if place.is_open and place.worker.holding is not None:
            place.worker.holding.play(match)

    async def discard(self, match: str, reason: str) -> None:
        """Let go of a match for good."""
        place = self.places.pop(match)
        place.worker.places.pop(match, None)
        if place.is_open and place.worker.holding is not None:
            await place.worker.holding.discard(match, reason)

    async def standings(self) -> dict[str, Standing]:
        """Return how each match stands that is held now, by its id."""
        told = await asyncio.gather(*(holding.standings() for holding in self.holdings()))
        found = {standing.match: standing for standings in told for standing in standings}
        for match in found.keys() & self.places.keys():
            self.places[match].is_over = found[match].is_over
        return found

    async def is_done(self) -> bool:
        """Return whether every match is over, or broken, and everybody has heard of it."""
        if not all(place.is_open or place.error for place in self.places.values()):
            return False
        return all(await asyncio.gather(*(holding.is_done() for holding in self.holdings())))

    def _take(self, places: Iterable[Place]) -> None:
        """Open matches where they are held; what is open is played on."""
        for place in places:
            holding = place.worker.holding
            if holding is None:
                continue
            taken = holding.take(place.match)
            if taken.done():
                self._taken(place, holding, taken)
            else:
                taken.add_done_callback(partial(self._taken, place, holding))

    def _taken(self, place: Place, holding: Holding, taken: "asyncio.Future[Taken]") -> None:
        if taken.cancelled():
            return
        error = taken.exception()
        if isinstance(error, WorkerEndedError):
            return  # whoever hears of its end opens the match again
        if error is not None:
            assert isinstance(error, FlagplotError), "nothing else is caught there"
            self._break(place, error)
            return
        if self.places.get(place.match) is not place:  # it was discarded meanwhile
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

    def _break(self, place: Place, error: FlagplotError) -> None:
        """Hold a match no longer."""
        place.is_open = False
        place.error = error
        place.worker.places.pop(place.match, None)
        if place.settled.done() or isinstance(error, BrokenMatchError):
            place.is_broken = True
            log.error("match_broken", match=place.match, game=place.header.game, error=str(error))
        _settle(place)

    # -- worker processes

    async def _start(self, worker: Worker) -> None:
        house = RemoteHouse(self._folder, self._manner, lambda _: self._died(worker))
        worker.holding = house
        await house.start()

    async def _watch(self) -> None:
        """Kill worker processes that answer nothing any more: what follows is as for any that dies."""
        while True:
            await asyncio.sleep(WATCH_SECONDS)
            houses = [house for house in self.holdings() if isinstance(house, RemoteHouse)]
            awake = await asyncio.gather(*(house.is_awake() for house in houses))
            for house, is_awake in zip(houses, awake, strict=True):
                if not is_awake:
                    log.error("worker_hangs", process=house.process)
                    house.kill()

    def _died(self, worker: Worker) -> None:
        """Note that the process of a worker has ended, and start the next one."""
        house = worker.holding
        assert isinstance(house, RemoteHouse), "only processes die"
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

    def _suspect(self, worker: Worker, suspects: Iterable[Place]) -> Iterator[Worker]:
        """Yield new workers for matches that are suspected often; break one that ended its own."""
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
        """Start the process of a worker again, and open its matches, the latest ones first."""
        await asyncio.sleep(min(_AGAIN_SECONDS * 2 ** (deaths - 1), _AGAIN_MOST_SECONDS))
        try:
            await self._start(worker)
        except WorkerEndedError:
            return  # and so its end was told
        except OSError as error:  # the system starts no process now
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


def _settle(place: Place) -> None:
    if not place.settled.done():
        place.settled.set_result(None)

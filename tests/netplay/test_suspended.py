"""No time runs while a process of the host is stopped: a player who cannot answer loses no time and is not blamed."""

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import pytest

from engine.kernel.ids import Role
from netplay.fair.waiting_texts import LATE_SECONDS
from netplay.feed import reminders
from netplay.match_state.timekeeper import RETURN_SECONDS
from netplay.peer.peer import Peer
from netplay.session.peer_session import PeerSession
from netplay.system.awake_clock import HEARTBEAT_SECONDS
from netplay.wire.modes import JOINT
from netplay.workers.worker_client import HANGING_SECONDS, WorkerClient
from play.offers import OfferKind
from saves.clocks import parse_clock
from saves.entries import record_statement
from saves.logfile import SUFFIX, read_log
from saves.statements import TimeSpent
from saves.verify import verify_file
from tests.netplay.tables import Room, live, room, step, until
from tests.netplay.test_clocks import Watch
from tests.netplay.test_fair import EOTS_PLAYERS, Hall, hall, stuck
from tests.netplay.test_processes import Processes
from tests.netplay.test_worker_processes import Table, status_of, worker_of
from tests.sizes import sized
from tests.toy_game import BLUE, RED, TOY, Hold

SECONDS: Final = 3
"""Seconds that each role has for a decision."""
STOPPED: Final = sized(4, 12, 40, of="seconds that a process of the host stays stopped")


class Match:
    """A match with clocks on a host with processes. A player who runs out of time loses."""

    def __init__(self, processes: Processes, workers: int) -> None:
        self.processes = processes
        words = "toy", "--scenario", "long", "--clock", f"{SECONDS}s", "--flag", "loses"
        self.process, invites = processes.host(*words, "--workers", str(workers))
        self.table = Table(processes.folder, invites)
        self.record = processes.folder / "host" / f"{self.table.match}{SUFFIX}"

    @property
    def peers(self) -> tuple[Peer, Peer]:
        return self.table.peers[RED], self.table.peers[BLUE]

    async def sit(self) -> None:
        await self.table.sit()
        session = PeerSession(self.peers[0])
        await until(lambda: any(dial.runs for dial in session.clock_readings()))

    async def move(self) -> None:
        """Let a seat that is asked give a command, which restarts the time of both."""
        await live(*self.peers)
        await step(1, 0, *self.peers)

    def check(self) -> None:
        """Check that no more time is recorded than the players had."""
        records = read_log(self.record).records
        assert {record.kind for record in records} == {"opening", "command", "clock"}
        said = [record_statement(record) for record in records if record.kind == "clock"]
        for spent in said:
            assert isinstance(spent, TimeSpent)
            assert all(0 < time < SECONDS * 1000 for time in spent.spent.values())
        assert said
        assert verify_file(self.record, TOY).status == "ok"


async def stop_for_a_while(process: int) -> None:
    os.kill(process, signal.SIGSTOP)
    end = time.monotonic() + STOPPED
    try:
        await until(lambda: time.monotonic() > end)
    finally:
        os.kill(process, signal.SIGCONT)


@pytest.fixture
async def matches(processes: Processes) -> AsyncIterator[list[Match]]:
    made: list[Match] = []
    yield made
    for match in made:
        for peer in match.peers:
            await peer.close()


@pytest.mark.full
async def test_a_stopped_worker_or_front_process_charges_no_time(
    processes: Processes, matches: list[Match]
) -> None:
    match = await asyncio.to_thread(Match, processes, 2)
    matches.append(match)
    status = await status_of(processes)
    worker, front = worker_of(status, match.table.match), match.process.pid
    assert worker != front
    await match.sit()
    for process in (worker, front):
        await stop_for_a_while(process)
        await match.move()
    match.check()


@pytest.mark.full
async def test_a_stopped_host_without_workers_charges_no_time(
    processes: Processes, matches: list[Match]
) -> None:
    match = await asyncio.to_thread(Match, processes, 1)
    matches.append(match)
    await match.sit()
    await stop_for_a_while(match.process.pid)
    await match.move()
    match.check()


# -- the same within one process, on a clock that the test advances


def suspendable(table: Room | Hall) -> Watch:
    """Let the test advance the time of a host in this process while its heartbeats continue."""
    watch = Watch()
    clock = table.house._clock
    clock._now = watch
    clock._last_heartbeat = watch.seconds
    return watch


async def beats(table: Room | Hall, watch: Watch, seconds: float) -> None:
    """Let the host run for some seconds of its time."""
    clock = table.house._clock
    end = clock.now() + seconds
    while clock.now() < end:
        watch.seconds += HEARTBEAT_SECONDS
        clock.heartbeat()
        await asyncio.sleep(0)


async def suspend(table: Room | Hall, watch: Watch, seconds: float) -> None:
    """Suspend the host, and wait for its next heartbeat."""
    watch.seconds += seconds
    await until(lambda: table.house._clock._last_heartbeat == watch.seconds)


def left(table: Room) -> dict[Role, float]:
    return {
        dial.role: dial.left_ms / 1000
        for dial in table.host.tables[table.match].timekeeper.readings()
    }


async def test_a_suspended_host_charges_no_time_until_players_return(tmp_path: Path) -> None:
    async with room(tmp_path, clock=parse_clock("60s", "loses")) as table:
        watch = suspendable(table)
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        await beats(table, watch, 5)
        assert left(table) == {RED: 55, BLUE: 55}
        await suspend(table, watch, 3_600)
        paused = 55 - HEARTBEAT_SECONDS
        assert left(table) == {RED: paused, BLUE: paused}
        await beats(table, watch, 2)
        assert left(table) == {RED: paused, BLUE: paused}, "the players are not back yet"
        await red.close()
        again = table.peer(RED)
        await live(again, blue)
        await beats(table, watch, 3)
        assert left(table) == {RED: paused - 3, BLUE: paused}
        await beats(table, watch, RETURN_SECONDS)
        assert left(table) == {RED: paused - 13, BLUE: paused - 5}
        assert not again.copy.is_revealed


@pytest.mark.full
async def test_a_short_delay_of_the_host_keeps_the_clocks_running(tmp_path: Path) -> None:
    async with room(tmp_path, clock=parse_clock("60s", "loses")) as table:
        watch = suspendable(table)
        await live(table.peer(RED), table.peer(BLUE))
        await suspend(table, watch, 0.9)
        assert left(table) == {RED: pytest.approx(59.1), BLUE: pytest.approx(59.1)}
        await suspend(table, watch, 2)
        await beats(table, watch, 1)
        assert left(table) == {RED: pytest.approx(57.85), BLUE: pytest.approx(57.85)}


async def test_a_command_marks_its_player_as_returned(tmp_path: Path) -> None:
    async with room(tmp_path, "long", clock=parse_clock("60m+0s", "loses")) as table:
        watch = suspendable(table)
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        await suspend(table, watch, 3_600)
        before = left(table)
        await asyncio.gather(red.submit(Hold()), blue.submit(Hold()))
        await until(lambda: red.seq == blue.seq == table.head)  # an outdated copy asks another role
        asked = red if red.is_asked else blue
        await beats(table, watch, 2)
        assert asked.role is not None
        assert left(table)[asked.role] == before[asked.role] - 2


@pytest.mark.full
async def test_a_restarted_host_waits_for_its_players(tmp_path: Path) -> None:
    async with room(tmp_path, clock=parse_clock("60s", "loses")) as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        await blue.close()
        await table.restart()
        watch = suspendable(table)
        await until(lambda: red.is_live)
        before = left(table)
        await beats(table, watch, 5)
        assert left(table)[BLUE] == before[BLUE]
        assert left(table)[RED] == pytest.approx(before[RED] - 5, abs=HEARTBEAT_SECONDS)
        await beats(table, watch, 10)
        assert left(table)[BLUE] < before[BLUE]


@pytest.mark.full
async def test_an_offer_does_not_expire_while_the_host_is_suspended(tmp_path: Path) -> None:
    async with room(tmp_path) as table:
        watch = suspendable(table)
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        await red.propose(OfferKind.DRAW)
        await until(lambda: blue.must_answer)
        parley = table.host.tables[table.match].chat_and_offers
        await suspend(table, watch, 2 * parley.offer_timeout_seconds)
        assert not parley.is_offer_overdue((RED, BLUE))
        await beats(table, watch, parley.offer_timeout_seconds)
        await until(lambda: parley.offer is None)


@pytest.mark.full
async def test_suspension_does_not_count_as_absence_for_reminders(tmp_path: Path) -> None:
    async with room(tmp_path) as table:
        watch = suspendable(table)
        await live(table.peer(RED))
        turns = table.host.tables[table.match].recorder.turns
        assert turns.due_reminders((BLUE,), ()) == ()
        await suspend(table, watch, 3_600)
        assert turns.due_reminders((BLUE,), ()) == ()
        await beats(table, watch, reminders.ABSENCE_SECONDS)
        assert turns.due_reminders((BLUE,), ()) == (BLUE,)


@pytest.mark.full
async def test_suspension_does_not_mark_a_seat_as_late(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with hall(tmp_path, "eots", "1943", EOTS_PLAYERS, chance=JOINT) as table:
        watch = suspendable(table)
        _, given, away = await stuck(table, monkeypatch)
        commands = table.host.tables[table.opened.match].commands
        await suspend(table, watch, 40)
        assert not commands.late_roles
        await beats(table, watch, LATE_SECONDS + HEARTBEAT_SECONDS)
        assert list(commands.late_roles) == [away]
        given.cancel()


@pytest.mark.full
async def test_a_suspended_front_process_does_not_end_its_workers(tmp_path: Path) -> None:
    async with room(tmp_path, workers=2) as table:
        house = table.host.pool.assignments[table.match].worker.backend
        assert isinstance(house, WorkerClient)
        loop = asyncio.get_running_loop()
        real = loop.time
        os.kill(house.process, signal.SIGSTOP)
        try:
            asked = asyncio.create_task(house.is_responding())
            await until(lambda: bool(house._pending_requests))
            loop.time = lambda: real() + 2 * HANGING_SECONDS  # type: ignore[method-assign]  # all processes were stopped together
            await asyncio.sleep(0.01)
        finally:
            os.kill(house.process, signal.SIGCONT)
        assert await asked

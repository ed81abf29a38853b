"""The headless host with its worker processes, as the command line runs it: killed, stopped and asked for status."""

import asyncio
import json
import os
import signal
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.kernel.ids import Role
from netplay.invites.invite import load_invite
from netplay.peer.peer import Peer
from netplay.peer.status import ConnectionState
from saves.logfile import SUFFIX, read_log
from saves.verify import verify_file
from tests.netplay.tables import live, step, toy_rules, until
from tests.netplay.test_processes import Processes
from tests.patience import PATIENCE
from tests.toy_game import BLUE, RED, TOY


@pytest.fixture(autouse=True)
def quit_signal() -> Iterator[None]:
    """Let the programs that a test starts end on SIGQUIT, which a shell may have set to be ignored."""
    before = signal.signal(signal.SIGQUIT, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGQUIT, before)


class Table:
    """One match of a host process, and the peers of both its seats in this process."""

    def __init__(self, folder: Path, invites: dict[str, str]) -> None:
        read = {role: load_invite(Path(path)) for role, path in invites.items()}
        self.match = read["red"].match
        self.peers = {
            role: Peer(read[role], folder / f"{self.match}-{role}", toy_rules)
            for role in (RED, BLUE)
        }
        self.reasons: set[str] = set()

    async def sit(self) -> None:
        for peer in self.peers.values():
            peer.start()
            peer.reporter.listen(lambda _, peer=peer: self.reasons.add(peer.reporter.status.reason))  # type: ignore[misc]  # mypy cannot infer it
        await live(*self.peers.values())

    async def play(self, moves: int, seed: int) -> None:
        await step(moves, seed, *self.peers.values())

    @property
    def was_reopened(self) -> bool:
        """Return whether a peer was informed that the host opens the match again."""
        return any("opening this match" in reason for reason in self.reasons)

    @property
    def seq(self) -> int:
        return min(peer.seq for peer in self.peers.values())


async def status_of(processes: Processes) -> dict[str, Any]:
    """Return the status that a host process reports."""
    words = ("host", "status", "--json", "--folder", str(processes.folder / "host"))
    told = await asyncio.to_thread(processes.run, *words)
    assert told.returncode == 0, told.stderr
    status: dict[str, Any] = json.loads(told.stdout)
    return status


def worker_of(status: dict[str, Any], match: str) -> int:
    """Return the id of the process that serves a match."""
    (number,) = (one["worker"] for one in status["matches"] if one["match"] == match)
    (process,) = (one["process"] for one in status["workers"] if one["worker"] == number)
    return int(process)


class Hosted:
    """A host process with two matches, each served by a separate worker."""

    def __init__(self, processes: Processes) -> None:
        self.processes = processes
        self.folder = processes.folder / "host"
        first, invites = processes.host("toy", "--scenario", "long", "--workers", "2")
        one = Table(processes.folder, invites)
        first.terminate()
        assert first.wait(PATIENCE) == 0
        self.process, invites = processes.host("toy", "--scenario", "long", "--workers", "2")
        self.tables = one, Table(processes.folder, invites)

    async def status(self) -> dict[str, Any]:
        return await status_of(self.processes)

    async def worker_of(self, table: Table) -> int:
        """Return the id of the process that serves a match."""
        process = worker_of(await self.status(), table.match)
        assert process != self.process.pid
        return process

    def record(self, table: Table) -> Path:
        return self.folder / f"{table.match}{SUFFIX}"


@pytest.fixture
async def hosted(processes: Processes) -> AsyncIterator[Hosted]:
    made = await asyncio.to_thread(Hosted, processes)
    yield made
    for table in made.tables:
        for peer in table.peers.values():
            await peer.close()


def is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    told = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(process)], check=False, capture_output=True, text=True
    )
    return not told.stdout.startswith("Z")  # a dead process that has not been reaped yet


@pytest.mark.full
async def test_killed_worker_loses_no_data_and_does_not_affect_other_match(
    hosted: Hosted,
) -> None:
    doomed, other = hosted.tables
    await doomed.sit()
    await other.sit()
    await doomed.play(6, 1)
    acknowledged = doomed.seq
    process = await hosted.worker_of(doomed)
    assert process != await hosted.worker_of(other)
    os.kill(process, signal.SIGKILL)
    await other.play(12, 2)
    await live(*doomed.peers.values())
    assert doomed.seq == acknowledged
    await doomed.play(6, 3)
    await other.play(6, 4)
    assert (doomed.was_reopened, other.was_reopened) == (True, False)
    status = await hosted.status()
    assert sorted(worker["died"] for worker in status["workers"]) == [0, 1]
    assert {match["state"] for match in status["matches"]} == {"open"}
    hosted.process.terminate()
    assert await asyncio.to_thread(hosted.process.wait, PATIENCE) == 0
    for table, moves in ((doomed, 12), (other, 18)):
        log = read_log(hosted.record(table))
        assert len(log.records) == moves + 1
        assert verify_file(hosted.record(table), TOY).status == "ok"
        for peer in table.peers.values():
            assert peer.copy.chain == log.records[-1].chain


@pytest.mark.full
@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGTERM, 0), (signal.SIGQUIT, 131)],
)
async def test_a_stopped_host_disconnects_peers_and_leaves_no_worker(
    hosted: Hosted, number: int, code: int
) -> None:
    table, _ = hosted.tables
    await table.sit()
    await table.play(3, 1)
    workers = [worker["process"] for worker in (await hosted.status())["workers"]]
    for process in workers:  # to the whole group at once, as a terminal or a service manager does
        os.kill(process, signal.SIGTERM)
        os.kill(process, signal.SIGINT)
        os.kill(process, signal.SIGQUIT)
    await table.play(3, 2)
    assert not table.was_reopened
    hosted.process.send_signal(number)
    assert await asyncio.to_thread(hosted.process.wait, PATIENCE) == code
    assert not any(map(is_running, workers))
    await until(lambda: table.peers[RED].reporter.status.link is ConnectionState.LOST)
    ended = await asyncio.to_thread(
        hosted.processes.run, "host", "status", "--folder", str(hosted.folder)
    )
    assert ended.returncode == 3
    assert ended.stderr.strip().endswith("no host is running in this folder")


@pytest.mark.full
async def test_workers_exit_with_a_killed_host_and_a_new_host_resumes(hosted: Hosted) -> None:
    table, _ = hosted.tables
    await table.sit()
    await table.play(4, 1)
    workers = [worker["process"] for worker in (await hosted.status())["workers"]]
    hosted.process.kill()
    await asyncio.to_thread(hosted.process.wait, PATIENCE)
    again = await asyncio.to_thread(_again, hosted.processes)
    await live(*table.peers.values())
    await table.play(4, 2)
    await until(lambda: not any(map(is_running, workers)))
    again.terminate()
    assert await asyncio.to_thread(again.wait, PATIENCE) == 0


def _again(processes: Processes) -> "subprocess.Popen[str]":
    return processes.host("--workers", "2")[0]


@pytest.mark.full
async def test_a_single_worker_runs_in_the_host_process(processes: Processes) -> None:
    host, invites = await asyncio.to_thread(
        processes.host, "toy", "--scenario", "short", "--workers", "1", "--bot", "blue=random"
    )
    red = Peer(load_invite(Path(invites["red"])), processes.folder / "red", toy_rules)
    red.start()
    await live(red)
    told = await asyncio.to_thread(
        processes.run, "host", "status", "--json", "--folder", str(processes.folder / "host")
    )
    status = json.loads(told.stdout)
    assert [(one["worker"], one["process"]) for one in status["workers"]] == [(0, host.pid)]
    seats = {seat["roles"]: seat for seat in status["matches"][0]["seats"]}
    assert seats[Role("blue")]["is_bot"]
    assert seats[Role("red")]["is_here"]
    await red.close()
    host.terminate()
    assert await asyncio.to_thread(host.wait, PATIENCE) == 0

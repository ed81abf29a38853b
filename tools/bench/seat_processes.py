"""Latency of commands in a match whose host and seats are separate programs on one machine, as players run them.

``python -m tools.bench.seat_processes INVITE FOLDER SEED COMMANDS`` runs one seat. The seat plays random commands, and
prints when it gave and when it received each record.
"""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

import msgspec

from engine.bots.random_player import RandomPlayer
from engine.kernel.dice import DerivedDice
from netplay.invites.invite import load_invite
from netplay.peer.peer import Peer
from netplay.peer.status import PeerEvent, RecordsReceived
from netplay.wire.modes import FAIR, Chance
from saves.errors import StaleCommandError
from saves.fair.messages import Kind
from saves.files import Files
from saves.logfile import SUFFIX, read_log
from saves.records import Record
from tools.bench.hosting import silence_log
from tools.bench.joint import GAME, SCENARIO, NetworkCosts, message_kinds
from tools.bench.measure import BenchmarkResult, BenchmarkTarget, measure, wall_seconds
from tools.bench.observed_host import start_host, stop_host
from tools.bench.processes import ROOT, environment
from tools.bench.records import secret

BEGINNINGS: Final = 5
COMMANDS: Final = 120
"""Number of records in each match."""
SAMPLES: Final = 8
"""Minimum number of commands with card mixes. Matches are played until this number is reached."""
THINKING_SECONDS: Final = 0.05
"""Pause before each command, so that no program is still busy with the previous one."""
_LIMIT_SECONDS: Final = 300.0
_SYNCS: Final = 100
_SYNCED_BYTES: Final = 1_000
_LEAVING_SECONDS: Final = 0.5
"""Time for which a seat stays connected after its last record, so that the other seats receive the record too."""


class SeatTimes(msgspec.Struct):
    """The times at which one seat gave and received records, by record number.

    The times are values of ``time.perf_counter``, a clock that all processes share on Linux.
    """

    began: float = 0.0
    """The time at which the seat started to connect."""
    ready: float = 0.0
    """The time at which the seat had received the game."""
    submitted: dict[int, float] = msgspec.field(default_factory=dict)
    received: dict[int, float] = msgspec.field(default_factory=dict)


class ProcessTimes(NamedTuple):
    """The times measured in one match."""

    begin_seconds: float
    """Seconds from the last seat's first connection until every seat had received the game."""
    latencies: list[tuple[Record, float]]
    """For each command, its record and the milliseconds until the last of the other seats had received the record."""


def fair_processes() -> Iterator[BenchmarkResult]:
    """Yield the cost of one disk sync, and the latencies in a match whose host and seats are separate processes."""
    yield measure(
        "disk-sync", "ms", _measure_syncs(),
        f"{_SYNCED_BYTES:,} bytes appended to a file and synced to disk; a command waits for several in a row",
    )  # fmt: skip
    costs, beginnings = NetworkCosts(), list[float]()
    while len(beginnings) < BEGINNINGS or len(costs.with_cards) < SAMPLES:
        times = _play(GAME, SCENARIO, FAIR, COMMANDS)
        beginnings.append(times.begin_seconds)
        for record, milliseconds in times.latencies:
            costs.add(record, milliseconds, needs_chance=Kind.REVEAL in message_kinds(record))
    what = "host and seats in three processes over TLS on loopback"
    yield measure(
        "begin-fair-processes", "s", beginnings,
        f"two seats of {GAME}, {what}: from the second seat's connection until both have received their hands",
        BenchmarkTarget(first=0.35, aim=0.35),
    )  # fmt: skip
    for name, values, target, kind in (
        ("decided-fair-processes", costs.without, 10, "commands without chance"),
        ("given-fair-processes", costs.with_chance, 50, "commands with dice"),
        ("dealt-fair-processes", costs.with_cards, 50, "commands for which seats mix cards"),
    ):
        yield measure(
            name, "ms", values, f"random {kind} of {SCENARIO}, {what}",
            BenchmarkTarget(first=target, aim=target),
        )  # fmt: skip


def _measure_syncs() -> list[float]:
    """Return the milliseconds that each of many appends takes until its data is on disk."""
    files, data = Files(), memoryview(bytes(_SYNCED_BYTES))
    with TemporaryDirectory() as name:
        handle = files.open(Path(name) / "synced", os.O_WRONLY | os.O_CREAT | os.O_APPEND)

        def append() -> None:
            files.write(handle, data)
            files.sync_data(handle)

        try:
            return [wall_seconds(append) * 1000 for _ in range(_SYNCS)]
        finally:
            files.close(handle)


def _play(game: str, scenario: str, chance: Chance, commands: int) -> ProcessTimes:
    """Play random commands with a host process and one process per seat, connected over TLS on loopback.

    Args:
        game: Id of the game.
        scenario: Id of the scenario.
        chance: The mode, which determines who rolls the dice and deals the cards.
        commands: Number of records after which the match ends.
    """
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "host").mkdir()
        host, invites = start_host(
            folder / "host", 0, 1, game, "--scenario", scenario, "--chance", chance
        )
        try:
            times = _run_seats(invites, folder, commands)
        finally:
            stop_host(host)
        (path,) = (folder / "host").glob(f"*{SUFFIX}")
        begin_seconds = max(seat.ready for seat in times) - max(seat.began for seat in times)
        return ProcessTimes(begin_seconds, _latencies(read_log(path).records, times))


def _run_seats(invites: Mapping[str, str], folder: Path, commands: int) -> list[SeatTimes]:
    seats = [path for role, path in invites.items() if role != "spectator"]
    processes = [
        subprocess.Popen(
            [
                *(sys.executable, "-m", __spec__.name, path),
                *(str(folder / f"seat-{number}"), str(number), str(commands)),
            ],
            stdout=subprocess.PIPE,
            env=environment(folder / f"home-{number}"),
            cwd=ROOT,
        )
        for number, path in enumerate(seats)
    ]
    try:
        outputs = [process.communicate(timeout=_LIMIT_SECONDS)[0] for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.wait()
    return [msgspec.json.decode(output, type=SeatTimes) for output in outputs]


def _latencies(records: Sequence[Record], times: list[SeatTimes]) -> list[tuple[Record, float]]:
    latencies = []
    for record in records:
        for seat in times:
            given_at = seat.submitted.get(record.seq)
            arrivals = [other.received.get(record.seq) for other in times if other is not seat]
            known_arrivals = [arrival for arrival in arrivals if arrival is not None]
            if given_at is not None and len(known_arrivals) == len(arrivals):
                latencies.append((record, (max(known_arrivals) - given_at) * 1000))
    return latencies


async def play_seat(invite: Path, folder: Path, seed: int, commands: int) -> SeatTimes:
    """Play random commands for one seat until the match has the given number of records or is over.

    Args:
        invite: The seat's invite file.
        folder: The folder for the seat's copy.
        seed: The seed for the commands.
        commands: Number of records after which the seat leaves.
    """
    times = SeatTimes(began=time.perf_counter())
    peer = Peer(load_invite(invite), folder, window_seconds=0.0)

    def on_event(event: PeerEvent) -> None:
        if isinstance(event, RecordsReceived):
            for record in event.records:
                times.received.setdefault(record.seq, time.perf_counter())

    peer.reporter.listen(on_event)
    peer.start()
    player = RandomPlayer(DerivedDice(secret(seed), 0))
    await peer.reporter.wait_for(lambda: peer.is_live and peer.is_ready)
    times.ready = time.perf_counter()
    while peer.seq < commands and not peer.copy.is_revealed:
        await peer.reporter.wait_for(
            lambda: peer.seq >= commands or peer.is_asked or peer.copy.is_revealed
        )
        await asyncio.sleep(THINKING_SECONDS)
        decision = peer.decision()
        if decision is None:
            continue
        command = player.choose(peer.view(), decision)
        started = time.perf_counter()
        try:
            record = await peer.submit(command)
        except StaleCommandError:  # another seat's record was first
            continue
        times.submitted[record.seq] = started
    await asyncio.sleep(_LEAVING_SECONDS)
    await peer.close()
    return times


def main() -> None:
    """Run one seat, and print its times as JSON."""
    invite, folder, seed, commands = sys.argv[1:]
    silence_log()
    times = asyncio.run(play_seat(Path(invite), Path(folder), int(seed), int(commands)))
    sys.stdout.buffer.write(msgspec.json.encode(times))


if __name__ == "__main__":
    main()

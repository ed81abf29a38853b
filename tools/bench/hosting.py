"""Disk, network and host benchmarks: appending records, command latency, and many matches in one process."""

import asyncio
import logging
import os
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import msgspec

from engine import registry
from engine.bots.random_player import RandomPlayer
from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from saves.decoding import canonical
from saves.framing import pack_frame
from saves.logfile import LogWriter
from tools.bench.measure import BenchmarkResult, BenchmarkTarget, measure, wall_seconds
from tools.bench.processes import python
from tools.bench.records import greedy_game, secret

APPENDS: Final = 300
COMMANDS: Final = 300
MATCHES: Final = 1_000
STEPS: Final = 20
"""Number of random commands per match before memory is measured."""
CROWD: Final = 100
CROWD_SECONDS: Final = 20
CROWD_WATCHED: Final = 10
_LOOK_SECONDS: Final = 0.05
SPECTATORS: Final = 10
WATCHED: Final = 100
_CHILD: Final = "from tools.bench.hosting import hold_matches\nhold_matches()\n"
_KIB: Final = 1024


def append() -> Iterator[BenchmarkResult]:
    """Yield the time to append a record, the time taken by the disk alone, and the difference."""
    rules = registry.ruleset("eots")
    game = greedy_game(rules, "1943", 1, APPENDS + 1)
    frames = [pack_frame(record, 0) for record in game.records]
    with TemporaryDirectory() as name:
        writer = LogWriter.create(Path(name) / "bench.fplog")
        writer.begin(game.header)
        first, *others = game.records
        writer.append(first)
        times = [wall_seconds(lambda record=record: writer.append(record)) for record in others]  # type: ignore[misc]  # mypy cannot infer the lambda
        writer.close()
        handle = os.open(Path(name) / "bare", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        raw = [wall_seconds(lambda frame=frame: _write(handle, frame)) for frame in frames[1:]]  # type: ignore[misc]  # as above
        os.close(handle)
    yield measure(
        "append", "ms", [seconds * 1000 for seconds in times],
        f"{len(times)} records of a greedy 1943 game (seed 1) appended one by one, each synced (fdatasync)",
    )  # fmt: skip
    yield measure(
        "append-disk", "ms", [seconds * 1000 for seconds in raw],
        "the same bytes written and synced with plain system calls",
    )  # fmt: skip
    overheads = [
        max(append_time - raw_time, 0.0)
        for append_time, raw_time in zip(sorted(times), sorted(raw), strict=True)
    ]
    yield measure(
        "append-over-disk", "ms", [seconds * 1000 for seconds in overheads],
        "the difference between the two, both sorted: the overhead of the program",
        BenchmarkTarget(first=1.0, aim=0.1, at=95),
    )  # fmt: skip


def _write(handle: int, frame: bytes) -> None:
    os.write(handle, frame)
    getattr(os, "fdatasync", os.fsync)(handle)


def latency() -> Iterator[BenchmarkResult]:
    """Yield the times from the host's disk sync, and from the player's command, until the other peer has the record."""
    from netplay.host.latency import measure_times

    silence_log()
    delivery_times, command_times = asyncio.run(measure_times("eots", "1943", COMMANDS))
    yield measure(
        "told", "ms", delivery_times,
        f"{len(delivery_times)} random commands of 1943 over TLS on loopback, host and both peers in one process: from"
        " the synced record at the host to the other peer's synced and folded copy",
        BenchmarkTarget(first=20, aim=3, at=99),
    )  # fmt: skip
    yield measure(
        "given", "ms", command_times,
        "the same, from the acting player's key press, including the round trip, resolution and two syncs",
    )  # fmt: skip


def crowd() -> Iterator[BenchmarkResult]:
    """Yield the number of commands per second on a host with many matches between bots."""
    silence_log()
    with TemporaryDirectory() as name:
        rates, delays = asyncio.run(_run_crowd(Path(name)))
    yield measure(
        "host-commands", "commands/s", rates,
        f"{CROWD} matches of 1943 between random host bots, host and bots in one process; one sample per second,"
        " after all bots have taken their seats",
        BenchmarkTarget(first=130, aim=500, more_is_better=True),
    )  # fmt: skip
    yield measure(
        "told-in-a-crowd", "ms", delays,
        f"meanwhile, in {CROWD_WATCHED} of these matches: from the synced record to the synced and folded copy of a"
        " spectator over TLS on loopback, also in this process",
        BenchmarkTarget(first=200, aim=20, at=99),
    )  # fmt: skip


async def _run_crowd(folder: Path) -> tuple[list[float], list[float]]:
    """Return the rates in commands per second, and the delays in milliseconds until spectators saw the commands."""
    from netplay.host.host import Host
    from netplay.host.host_command import raise_file_limit
    from netplay.peer.peer import Peer
    from netplay.workers.host_bots import save_bot_invite

    raise_file_limit()
    host = Host(folder)
    await host.start("127.0.0.1", 0)
    players = dict.fromkeys(_scenario_roles("1943"), "bot:random")
    watchers: list[tuple[Any, Any]] = []
    for number in range(CROWD):
        opened = host.open_match("eots", "1943", {}, players)
        for role in players:
            save_bot_invite(folder, opened.invites[role])
        host.start_bots(opened.match)
        if number < CROWD_WATCHED:
            watcher = Peer(opened.invites[None], folder / "watched")
            watcher.start()
            watchers.append((watcher, host.tables[opened.match]))
    tables = host.tables.values()
    await wait_until(lambda: all(len(table.sessions) >= len(players) for table in tables))
    for watcher, _ in watchers:
        await watcher.reporter.wait_for(lambda watcher=watcher: watcher.is_live)
    delays: list[float] = []
    for watcher, table in watchers:
        watcher.reporter.listen(partial(_record_delay, watcher, table, delays))
    rates: list[float] = []
    while len(rates) < CROWD_SECONDS or not delays:
        started, records_before = time.perf_counter(), _record_count(host)
        await asyncio.sleep(1)
        rates.append((_record_count(host) - records_before) / (time.perf_counter() - started))
    for watcher, _ in watchers:
        await watcher.close()
    await host.stop()
    return rates, delays


def _record_delay(watcher: Any, table: Any, delays: list[float], event: object) -> None:  # noqa: ANN401  # imported late
    """When a spectator receives the host's newest record, add the record's age in milliseconds to the list."""
    from netplay.peer.status import RecordsReceived

    if isinstance(event, RecordsReceived) and watcher.seq == table.match.seq:
        delays.append((time.perf_counter() - table.recorder.last_append_time) * 1000)


def _record_count(host: Any) -> int:  # noqa: ANN401  # the host is imported late
    return sum(table.match.seq for table in host.tables.values())


def _scenario_roles(scenario: str) -> tuple[Role, ...]:
    return registry.ruleset("eots").scenario_info(scenario, {}).roles


def spectators() -> Iterator[BenchmarkResult]:
    """Yield the processing time that each additional spectator adds to a command on the host."""
    silence_log()
    with TemporaryDirectory() as name:
        times = asyncio.run(_spectator_costs(Path(name)))
    yield measure(
        "spectator", "ms", times,
        f"{WATCHED} random commands of 1943 with {SPECTATORS} spectators: from a poll with a digest to its encoded"
        " answer, for all spectators except the first; without the network",
        BenchmarkTarget(first=0.5, aim=0.1),
    )  # fmt: skip


async def _spectator_costs(folder: Path) -> list[float]:
    from netplay.feed.host_session import HostSession
    from netplay.host.host import Host
    from netplay.wire.messages import PollUpdates, Submit, encode

    host = Host(folder)
    await host.start("127.0.0.1", 0)
    table = host.tables[_open_match(host, 0, 0)]
    game, rules = table.match, table.match.ruleset
    player = RandomPlayer(DerivedDice(secret(0), 0))
    sessions = [HostSession(-1 - number, None, ()) for number in range(SPECTATORS)]
    for session in sessions:
        table.join(session)
    times: list[float] = []
    for step in range(WATCHED):
        poll = PollUpdates(seq=game.seq, chain=game.chain, digest=game.view_digest(None))
        role = rules.active_roles(game.state)[0]
        command = player.choose(rules.project(game.state, role), rules.decision(game.state, role))
        submit = Submit(request_id=str(step), expected_seq=game.seq, command=canonical(command))
        await table.request(HostSession(-SPECTATORS - 1, role, ()), submit)
        for number, session in enumerate(sessions):
            started = time.perf_counter()
            desync = table.desync_detector.find_desync(session, poll)
            assert desync is None
            update = table.next_update(session, poll)
            assert update is not None
            encode(update)
            if number:
                times.append((time.perf_counter() - started) * 1000)
    await host.stop()
    return times


async def wait_until(condition: Callable[[], bool]) -> None:
    """Poll until a condition holds. This is for conditions that cannot be awaited."""
    while True:
        if condition():
            return
        await asyncio.sleep(_LOOK_SECONDS)


def silence_log(level: int = logging.WARNING) -> None:
    """Disable log messages below a level, because logging every command would distort the results."""
    import structlog

    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(level))


class MemoryUse(msgspec.Struct, frozen=True, kw_only=True):
    """A host's memory use with many matches."""

    matches: int
    base_kib: int
    """Resident memory with one match, in KiB."""
    all_kib: int
    """Resident memory with all matches, in KiB."""


def matches() -> Iterator[BenchmarkResult]:
    """Yield how many matches one process can hold, and the memory per match."""
    with TemporaryDirectory() as name:
        memory_use = msgspec.json.decode(
            python(_CHILD, name, str(MATCHES), str(STEPS)), type=MemoryUse
        )
    kib_per_match = (memory_use.all_kib - memory_use.base_kib) / memory_use.matches
    yield measure(
        "matches", "matches", [memory_use.matches],
        f"1943 games, each with {STEPS} random commands, opened in one headless host with invites and synced record"
        f" files; {memory_use.all_kib // _KIB} MB in all",
        BenchmarkTarget(first=100, aim=1_000, more_is_better=True),
    )  # fmt: skip
    yield measure(
        "memory-per-match", "kB", [kib_per_match],
        f"resident memory of that host minus the {memory_use.base_kib // _KIB} MB for its first match, per match",
        BenchmarkTarget(first=20_000, aim=2_000),
    )  # fmt: skip


def hold_matches() -> None:
    """Create the given number of matches, play a few commands in each, and print a :class:`MemoryUse`."""
    folder, count, steps = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    memory_use = asyncio.run(_hold_matches(folder, count, steps))
    sys.stdout.write(msgspec.json.encode(memory_use).decode())


async def _hold_matches(folder: Path, count: int, steps: int) -> MemoryUse:
    from netplay.host.host import Host
    from netplay.host.host_command import raise_file_limit

    silence_log()
    raise_file_limit()
    host = Host(folder)
    await host.start("127.0.0.1", 0)
    _open_match(host, 0, steps)
    base_kib = _resident_kib()
    for number in range(1, count):
        _open_match(host, number, steps)
    memory_use = MemoryUse(matches=len(host.tables), base_kib=base_kib, all_kib=_resident_kib())
    await host.stop()
    return memory_use


def _open_match(host: Any, number: int, steps: int) -> str:  # noqa: ANN401  # the host is imported late
    rules = registry.ruleset("eots")
    opened = host.open_match("eots", "1943", {}, dict.fromkeys(_scenario_roles("1943"), "bench"))
    game = host.tables[opened.match].match
    player = RandomPlayer(DerivedDice(secret(number), 0))
    for _ in range(steps):
        active_roles = rules.active_roles(game.state)
        if not active_roles:
            break
        decision = rules.decision(game.state, active_roles[0])
        game.submit(
            active_roles[0], player.choose(rules.project(game.state, None), decision), game.seq
        )
    return str(opened.match)


def _resident_kib() -> int:
    """Return this process's resident memory in KiB."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // _KIB

"""Load test of a headless host started from the command line: many matches between bots, some with spectators.

``python -m tools.bench.load --matches 1000 --seconds 600`` prints commands per second, the delay between a client's
command and a spectator's view of it, the memory use of all processes, and any lost records.
"""

import asyncio
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import click
import msgspec

from engine.kernel.errors import FlagplotError
from netplay.host.host_command import raise_file_limit
from netplay.host.status_server import HostStatus
from saves.logfile import SUFFIX, read_log
from saves.verify import verify_files
from saves.workers import available_cpu_count
from tools.bench.headless_host import (
    HostProcess,
    MatchClients,
    first_role,
    invite_port,
    open_matches,
)
from tools.bench.hosting import silence_log
from tools.bench.measure import BenchmarkResult, BenchmarkTarget, measure, percentile
from tools.click_commands import CheckedCommand

MATCHES: Final = 100
SECONDS: Final = 20.0
WATCHED: Final = 5
COUNTS: Final = (1, 2)
"""The numbers of workers to test."""
_LOOK_SECONDS: Final = 5.0
_KIB: Final = 1024


class LoadTestResult(msgspec.Struct, frozen=True, kw_only=True):
    """Results of a load test."""

    matches: int
    workers: int
    seconds: float
    commands: int
    rates: tuple[float, ...]
    """Commands per second in each interval between two samples."""
    given_ms: tuple[float, ...]
    """Milliseconds from a client's command until the client's own replica contains the record."""
    told_ms: tuple[float, ...]
    """Milliseconds from a client's command until a spectator's replica contains the record."""
    peak_rss_kib: int
    """Highest total resident memory of the host's processes."""
    processes: int
    problems: tuple[str, ...]
    """Lost records and other errors; empty if there are no errors."""


async def run_load(  # one argument per option
    folder: Path,
    *,
    matches: int,
    seconds: float,
    workers: int,
    watched: int = WATCHED,
    bot: str = "random",
    report_progress: Callable[[str], None] = lambda _: None,
) -> LoadTestResult:
    """Run a load test and return the results.

    Args:
        folder: An empty folder.
        matches: Number of matches between bots.
        seconds: Duration of the test, starting when the host is ready.
        workers: Number of worker processes.
        watched: Number of these matches that have a client in one seat and a spectator.
        bot: Name of the bot.
        report_progress: Receives progress messages.
    """
    raise_file_limit()
    host_folder = folder / "host"
    started = time.perf_counter()
    opened = await open_matches(host_folder, matches, watched, bot)
    report_progress(f"{matches} matches opened in {time.perf_counter() - started:.1f} s")
    started = time.perf_counter()
    host = HostProcess(host_folder, invite_port(opened), workers)
    clients = [
        MatchClients(created, first_role(), folder, number) for number, created in enumerate(opened)
    ]
    play_tasks: list[asyncio.Task[None]] = []
    try:
        await host.wait_until_ready()
        report_progress(f"resumed by {workers} workers in {time.perf_counter() - started:.1f} s")
        play_tasks = [asyncio.create_task(client.play()) for client in clients]
        samples = await _samples(
            host, seconds, partial(_is_enough, clients, play_tasks), report_progress
        )
        failed = [task for task in play_tasks if task.done() and task.exception() is not None]
        for task in play_tasks:
            task.cancel()
        await asyncio.gather(*play_tasks, return_exceptions=True)
        for client in clients:
            await client.disconnect()
        records_before = {created.match: created.records for created in samples[-1].status.matches}
        status = await host.stop()
    finally:
        host.end()
    problems = [f"a client stopped: {task.exception()}" for task in failed]
    problems += [f"the host ended with status {status}"] if status else []
    problems += [
        f"{created.worker} died {created.died} times"
        for created in samples[-1].status.workers
        if created.died
    ]
    report_progress("checking all records ...")
    problems += await asyncio.to_thread(_record_problems, host_folder, records_before)
    for client in clients:
        problems += client.problems(host_folder)
    pairs = list(pairwise(samples))
    commands = samples[-1].commands - samples[0].commands
    return LoadTestResult(
        matches=matches,
        workers=workers,
        seconds=samples[-1].at - samples[0].at,
        commands=commands,
        rates=tuple(
            (later.commands - earlier.commands) / (later.at - earlier.at)
            for earlier, later in pairs
        ),
        given_ms=tuple(ms for client in clients for ms in client.given_ms),
        told_ms=tuple(ms for client in clients for ms in client.told_ms),
        peak_rss_kib=max(sample.peak_rss_kib for sample in samples),
        processes=samples[-1].processes,
        problems=tuple(problems),
    )


class _Sample(msgspec.Struct, frozen=True):
    at: float
    commands: int
    processes: int
    peak_rss_kib: int
    status: HostStatus


def _is_enough(clients: list[MatchClients], play_tasks: list[asyncio.Task[None]]) -> bool:
    """Return whether every spectator has seen a command from its match's client, or a client has stopped."""
    return all(client.told_ms for client in clients) or any(task.done() for task in play_tasks)


async def _samples(
    host: HostProcess,
    seconds: float,
    is_enough: Callable[[], bool],
    report_progress: Callable[[str], None],
) -> list[_Sample]:
    """Sample the host's status for the given time, and then until there are enough measurements."""
    samples: list[_Sample] = []
    deadline = time.perf_counter() + seconds
    while True:
        status = await host.status()
        commands = sum(match.records for match in status.matches)
        sample = _Sample(time.perf_counter(), commands, *host.count_and_rss_kib(status), status)
        if samples:
            rate = (commands - samples[-1].commands) / (sample.at - samples[-1].at)
            report_progress(f"{rate:.0f} commands/s, {sample.peak_rss_kib // _KIB} MB")
        samples.append(sample)
        remaining = deadline - time.perf_counter()
        if remaining <= 0 and len(samples) > 1 and is_enough():
            return samples
        await asyncio.sleep(max(min(_LOOK_SECONDS, remaining), 0.1))


def _record_problems(folder: Path, expected_records: Mapping[str, int]) -> list[str]:
    """Return the errors in a stopped host's records.

    Args:
        folder: Folder of the records.
        expected_records: Number of records per match, according to the host's last status.
    """
    paths = sorted(folder.glob(f"*{SUFFIX}"))
    problems = [
        f"{name} is missing"
        for name in expected_records
        if not (folder / f"{name}{SUFFIX}").exists()
    ]
    for path in paths:
        try:
            log = read_log(path)
        except FlagplotError as error:
            problems.append(str(error))
            continue
        if (
            log.torn is not None
            or len(log.records) < expected_records[path.name.removesuffix(SUFFIX)]
        ):
            problems.append(f"{path.name} has lost records")
    verdicts = verify_files(paths, None, available_cpu_count())
    failed = (verdict for verdict in verdicts if verdict.status != "ok")
    return problems + [f"{verdict.file}: {verdict.status}" for verdict in failed]


def workers() -> Iterator[BenchmarkResult]:
    """Yield the number of commands per second on a headless host with one and with two workers."""
    silence_log()
    for count in COUNTS:
        with TemporaryDirectory() as name:
            load = run_load(
                Path(name), matches=MATCHES, seconds=SECONDS, workers=count, watched=WATCHED
            )
            result = asyncio.run(load)
        assert not result.problems, result.problems
        yield measure(
            f"host-commands-{count}-workers", "commands/s", result.rates,
            f"{MATCHES} matches of 1943 between random host bots in a headless host with {count} workers,"
            f" {WATCHED} of them with a client and a spectator over TLS on the same machine; every record verified"
            " afterwards",
            BenchmarkTarget(first=130 * count, aim=500 * count, more_is_better=True),
        )  # fmt: skip
        yield measure(
            f"told-{count}-workers", "ms", result.told_ms,
            "meanwhile: from a client's command to the spectator's synced and folded replica",
            BenchmarkTarget(first=200, aim=20, at=99),
        )  # fmt: skip


def report(result: LoadTestResult) -> str:
    """Format the results of a load test."""
    rate = result.commands / result.seconds
    title = f"{result.matches} matches, {result.workers} workers, {result.seconds:.0f} s"
    lines = [
        f"{title}: {result.commands} commands, {rate:.0f} per second",
        f"{result.processes} processes, {result.peak_rss_kib // _KIB} MB",
    ]
    for title, times in (("given", result.given_ms), ("told", result.told_ms)):
        if times:
            ranks = ", ".join(f"p{rank} {percentile(times, rank):.1f}" for rank in (50, 95, 99))
            lines.append(f"{title} (ms, {len(times)} client commands): {ranks}")
    lines.append("nothing lost, every record verified" if not result.problems else "PROBLEMS:")
    return "\n".join([*lines, *result.problems])


@click.command(cls=CheckedCommand)
@click.option("--matches", default=1_000, show_default=True, type=click.IntRange(1, 10_000))
@click.option("--seconds", default=600.0, show_default=True, type=click.FloatRange(1, 7_200))
@click.option(
    "--workers", "count", default=0, help="Number of worker processes. Default: one per processor."
)
@click.option("--watched", default=WATCHED, show_default=True, type=click.IntRange(1, 100))
@click.option("--bot", default="random", show_default=True)
@click.option("--json", "as_json", is_flag=True)
def main(  # one parameter per option
    matches: int, seconds: float, count: int, watched: int, bot: str, *, as_json: bool
) -> None:
    """Run a load test of a headless host on this machine."""
    silence_log()
    with TemporaryDirectory() as name:
        result = asyncio.run(
            run_load(
                Path(name),
                matches=matches,
                seconds=seconds,
                workers=count or available_cpu_count(),
                watched=min(watched, matches),
                bot=bot,
                report_progress=partial(click.echo, err=True),
            )
        )
    click.echo(msgspec.json.encode(result).decode() if as_json else report(result))
    sys.exit(1 if result.problems else 0)


if __name__ == "__main__":
    main()

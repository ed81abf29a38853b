"""Measures how a match is affected when the worker process of another match is killed."""

import asyncio
import logging
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tools.bench.headless_host import (
    HostProcess,
    MatchClients,
    first_role,
    invite_port,
    open_matches,
)
from tools.bench.hosting import silence_log, wait_until
from tools.bench.measure import BenchmarkResult, BenchmarkTarget, measure

KILLS: Final = 5
EACH: Final = 7
"""Number of commands that a client gives between two kills. Games between random bots have about 80 commands."""
_LOOK_SECONDS: Final = 0.1


async def _latencies(folder: Path) -> tuple[list[float], list[float]]:
    """Return the latencies of a client's commands, before and while another match's worker is killed."""
    host_folder = folder / "host"
    opened = await open_matches(host_folder, 2, 2, "random")
    victim, other = (
        MatchClients(created, first_role(), folder, number) for number, created in enumerate(opened)
    )
    host = HostProcess(host_folder, invite_port(opened), 2)
    play_tasks: list[asyncio.Task[None]] = []
    try:
        await host.wait_until_ready()
        play_tasks = [asyncio.create_task(client.play()) for client in (victim, other)]
        for _ in range(KILLS):
            await _wait_for_commands(other, play_tasks)
        calm_count = len(other.given_ms)
        for _ in range(KILLS):
            await _wait_for_commands(victim, play_tasks)
            os.kill(await _find_worker(host, victim), signal.SIGKILL)
            await _wait_for_commands(other, play_tasks)
    finally:
        for task in play_tasks:
            task.cancel()
        await asyncio.gather(*play_tasks, return_exceptions=True)
        for client in (victim, other):
            await client.disconnect()
        await host.stop()
    problems = [*victim.problems(host_folder), *other.problems(host_folder)]
    assert not problems, problems
    return other.given_ms[:calm_count], other.given_ms[calm_count:]


async def _wait_for_commands(client: MatchClients, play_tasks: list[asyncio.Task[None]]) -> None:
    """Wait until a client has given a few more commands.

    Raises:
        NetworkError: A client has stopped.
    """
    target_count = len(client.given_ms) + EACH
    await wait_until(
        lambda: len(client.given_ms) >= target_count or any(task.done() for task in play_tasks)
    )
    for task in play_tasks:
        if task.done():
            task.result()


async def _find_worker(host: HostProcess, client: MatchClients) -> int:
    """Wait until a worker process serves the client's match. Return the process id."""
    while True:
        status = await host.status()
        match_status = {match.match: match.worker for match in status.matches}
        process = {worker.worker: worker.process for worker in status.workers}[
            match_status[client.match]
        ]
        if process:
            return process
        await asyncio.sleep(_LOOK_SECONDS)


def killed_worker() -> Iterator[BenchmarkResult]:
    """Yield the latency of commands while another match's worker is killed repeatedly."""
    silence_log(logging.CRITICAL)
    with TemporaryDirectory() as name:
        calm, disturbed = asyncio.run(_latencies(Path(name)))
    yield measure(
        "given-in-calm", "ms", calm,
        "1943 against a random host bot in a headless host with two workers, each with one such match: commands"
        " of a client over TLS, from the command to its synced and folded replica",
    )  # fmt: skip
    yield measure(
        "given-beside-killed-worker", "ms", disturbed,
        f"the same, while the worker of the other match is killed {KILLS} times; both replicas match the host's record",
        BenchmarkTarget(first=200, aim=20, at=99),
    )  # fmt: skip

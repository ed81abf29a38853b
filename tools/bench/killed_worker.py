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
"""Number of commands that a client gives between two kills. A game between random bots has about 80 commands."""
_LOOK_SECONDS: Final = 0.1


async def _latencies(folder: Path) -> tuple[list[float], list[float]]:
    """Return the latencies of a client's commands, first undisturbed, then while another worker is being killed."""
    hosted = folder / "host"
    opened = await open_matches(hosted, 2, 2, "random")
    doomed, other = (
        MatchClients(one, first_role(), folder, number) for number, one in enumerate(opened)
    )
    host = HostProcess(hosted, invite_port(opened), 2)
    playing: list[asyncio.Task[None]] = []
    try:
        await host.wait_until_ready()
        playing = [asyncio.create_task(guest.play()) for guest in (doomed, other)]
        for _ in range(KILLS):
            await _wait_for_commands(other, playing)
        calm = len(other.given_ms)
        for _ in range(KILLS):
            await _wait_for_commands(doomed, playing)
            os.kill(await _find_worker(host, doomed), signal.SIGKILL)
            await _wait_for_commands(other, playing)
    finally:
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
        for guest in (doomed, other):
            await guest.disconnect()
        await host.stop()
    lost = [*doomed.problems(hosted), *other.problems(hosted)]
    assert not lost, lost
    return other.given_ms[:calm], other.given_ms[calm:]


async def _wait_for_commands(guest: MatchClients, playing: list[asyncio.Task[None]]) -> None:
    """Wait until a client has given a few more commands.

    Raises:
        NetworkError: A client has stopped.
    """
    enough = len(guest.given_ms) + EACH
    await wait_until(lambda: len(guest.given_ms) >= enough or any(task.done() for task in playing))
    for task in playing:
        if task.done():
            task.result()


async def _find_worker(host: HostProcess, guest: MatchClients) -> int:
    """Wait until a worker process serves the client's match, and return its id."""
    while True:
        status = await host.status()
        held = {match.match: match.worker for match in status.matches}
        process = {worker.worker: worker.process for worker in status.workers}[held[guest.match]]
        if process:
            return process
        await asyncio.sleep(_LOOK_SECONDS)


def killed_worker() -> Iterator[BenchmarkResult]:
    """Yield the latency of commands while another match's worker is killed repeatedly."""
    silence_log(logging.CRITICAL)
    with TemporaryDirectory() as name:
        calm, beside = asyncio.run(_latencies(Path(name)))
    yield measure(
        "given-in-calm", "ms", calm,
        "1943 against a random host bot in a headless host with two workers, each with one such match: commands"
        " of a client over TLS, from the command to its synced and folded replica",
    )  # fmt: skip
    yield measure(
        "given-beside-killed-worker", "ms", beside,
        f"the same, while the worker of the other match is killed {KILLS} times; both replicas match the host's record",
        BenchmarkTarget(first=200, aim=20, at=99),
    )  # fmt: skip

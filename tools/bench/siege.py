"""A host under attack: how long commands of an honest match take meanwhile, and what the host keeps of it.

``python -m tools.bench.siege`` prints the table of ``docs/benchmarks.md``, with one process and with two workers. The
host, the attackers (``attacks.py``) and the two honest players have processes of their own and speak TLS over loopback;
each attack meets a fresh host with the same two matches.
"""

import asyncio
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import click
import msgspec

from engine import registry
from engine.bots.random_player import RandomPlayer
from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from netplay.host.host_command import more_files
from netplay.host.latency import give
from netplay.invites.invite import load_invite
from netplay.peer.peer import Peer
from netplay.peer.status import Link, PeerEvent, StatusChanged
from saves.logfile import SUFFIX, read_log
from saves.verify import verify_file
from tools.bench.attacks import ATTACKS
from tools.bench.hosting import quiet, until
from tools.bench.hostprocess import HostProcess, ended, started_host
from tools.bench.measure import percentile
from tools.bench.processes import environment
from tools.bench.suite import columns, number
from tools.parameters import Command

GAME: Final = "eots"
SCENARIO: Final = "campaign-1941"
"""Random games of it have some 700 commands: more than one attack sees."""
WORKERS: Final = (1, 2)
SECONDS: Final = 6.0
"""How long an attack goes on."""
WARM_SECONDS: Final = 1.5
"""How long is played before it."""
AFTER_SECONDS: Final = 5.0
"""How long is played after it, before the memory of the host is looked at: it looks every two seconds who has left."""
PAUSE_SECONDS: Final = 0.02
"""Between two commands: as fast as quick bots."""
PATIENCE_SECONDS: Final = 60.0
COOL_SECONDS: Final = 20.0
"""How long the host may take to let go of what it had open for the attackers."""
_SAMPLE_SECONDS: Final = 0.2
_KIB: Final = 1024
_ATTACK: Final = "from tools.bench.attacks import main\nmain()\n"


class Endured(msgspec.Struct, frozen=True, kw_only=True):
    """What an attack did to a host."""

    attack: str
    workers: int
    done: int
    """Connections that the attackers made, or messages that they sent."""
    given: tuple[float, ...]
    """Milliseconds from a command of an honest player to the copy of the other one, meanwhile."""
    back: float
    """Seconds that an honest player needed to come back in the middle of it."""
    memory: tuple[int, int, int]
    """Resident KiB of all processes of the host: before, at most, and after the attackers have gone."""
    files: int
    """Descriptors that the host holds more than before, once it has had time to let go of them."""
    log_bytes: int
    log_lines: int
    lost: int
    """Connections that the honest players lost, besides the one that was closed on purpose."""
    verdict: str
    """Of the record at the end: ``ok``, or what is wrong."""


# -- the ground: a folder with two matches, which every attack finds alike


class Ground(msgspec.Struct, frozen=True, kw_only=True):
    """A folder of a host that has ended, and keys to its two matches."""

    folder: Path
    port: int
    played: Mapping[str, Path]
    """Invites of the match that is played, by role and ``spectator``."""
    other: Mapping[str, Path]
    """Invites of the other match."""


@contextmanager
def ground() -> Iterator[Ground]:
    """Yield a folder with two matches that no host holds."""
    with TemporaryDirectory() as name:
        folder = Path(name) / "host"
        folder.mkdir()
        port = _free_port()
        matches = []
        for _ in range(2):
            process, invites = started_host(folder, port, 1, GAME, "--scenario", SCENARIO)
            ended(process)
            matches.append({role: Path(path) for role, path in invites.items()})
        yield Ground(folder=folder, port=port, played=matches[0], other=matches[1])


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


# -- the honest match


class Honest:
    """Two players of a match, who choose at random and as fast as quick bots."""

    def __init__(self, invites: Mapping[str, Path], folder: Path) -> None:
        """Prepare; nobody is there yet."""
        roles = registry.ruleset(GAME).scenario_info(SCENARIO, {}).roles
        self._invites = {role: load_invite(invites[role]) for role in roles}
        self._folder = folder
        self._player = RandomPlayer(DerivedDice(bytes(32), 0))
        self.peers: dict[Role, Peer] = {}
        self.lost = 0
        """Connections that were lost and not given up."""

    async def sit(self, role: Role) -> None:
        """Take a seat, for the first time or again, and return when it is live."""
        peer = Peer(self._invites[role], self._folder / role, window_seconds=0.0)
        self.peers[role] = peer
        peer.listen(self._hear)
        peer.start()
        await peer.wait_for(lambda: peer.is_live and peer.is_ready)

    async def sit_all(self) -> None:
        """Take all seats."""
        await asyncio.gather(*map(self.sit, self._invites))

    async def come_back(self) -> float:
        """Let one player leave and come back; returns how many seconds that took."""
        role = next(iter(self._invites))
        await self.peers[role].close()
        began = time.perf_counter()
        await self.sit(role)
        return time.perf_counter() - began

    async def give(self) -> float:
        """Let whoever is asked give a command; returns the milliseconds until the other one had it."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while (times := await give(self.peers.values(), self._player)) is None:
                assert not all(peer.copy.is_revealed for peer in self.peers.values()), "too short"
                await asyncio.sleep(PAUSE_SECONDS)  # the newest record is on its way
        started, came = times
        return (came - started) * 1000

    async def play(self, until_when: float) -> list[float]:
        """Play until some time, on the clock of ``time.monotonic``; returns how long commands took."""
        given: list[float] = []
        while time.monotonic() < until_when:
            given.append(await self.give())
            await asyncio.sleep(PAUSE_SECONDS)
        return given

    async def leave(self) -> None:
        """Leave the table."""
        for peer in self.peers.values():
            await peer.close()

    def _hear(self, event: PeerEvent) -> None:
        if isinstance(event, StatusChanged) and event.status.link is Link.LOST:
            self.lost += 1


# -- one attack


def besieged(at: Ground, attack: str, workers: int) -> Endured:
    """Return what an attack does to a host with so many workers."""
    with TemporaryDirectory() as name:
        folder = Path(name) / "host"
        shutil.copytree(at.folder, folder)
        host = HostProcess(folder, at.port, workers)
        honest = Honest(at.played, Path(name))
        try:
            found = asyncio.run(_besieged(at, attack, workers, host, honest))
        finally:
            host.stop()
        lines = host.log.read_bytes().splitlines(keepends=True)
        ours = [line for line in lines if b'"command"' not in line]
        return msgspec.structs.replace(
            found,
            log_bytes=sum(map(len, ours)),
            log_lines=len(ours),
            verdict=_verdict(folder, honest),
        )


async def _besieged(
    at: Ground, attack: str, workers: int, host: HostProcess, honest: Honest
) -> Endured:
    await honest.sit_all()
    await honest.play(time.monotonic() + WARM_SECONDS)
    before, files = host.resident_kib, host.files
    async with _watching(host) as seen, _attacking(at, attack) as attackers:
        half = time.monotonic() + SECONDS / 2
        given = await honest.play(half)
        back = await honest.come_back()
        given += await honest.play(half + SECONDS / 2)
        done, _ = await attackers.communicate()
    left = await _let_go(host, files)
    given_after = await honest.play(time.monotonic() + AFTER_SECONDS)
    assert given_after, "the match goes on"
    after = host.resident_kib
    await honest.leave()
    return Endured(
        attack=attack,
        workers=workers,
        done=int(done),
        given=tuple(given),
        back=back,
        memory=(before, max(*seen, after), after),
        files=left,
        log_bytes=0,
        log_lines=0,
        lost=honest.lost,
        verdict="",
    )


@asynccontextmanager
async def _attacking(at: Ground, attack: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """Yield the process of the attackers, which ends by itself."""
    seat = next(path for role, path in at.other.items() if role != "spectator")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", _ATTACK, attack),
        *(str(at.played["spectator"]), str(seat), str(SECONDS)),
        stdout=subprocess.PIPE,
        env=environment(),
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


@asynccontextmanager
async def _watching(host: HostProcess) -> AsyncIterator[list[int]]:
    """Yield a list to which the memory of a host is added several times a second, in KiB."""
    seen = [host.resident_kib]

    async def watch() -> None:
        while True:
            await asyncio.sleep(_SAMPLE_SECONDS)
            seen.append(host.resident_kib)

    watching = asyncio.create_task(watch())
    try:
        yield seen
    finally:
        watching.cancel()


async def _let_go(host: HostProcess, files: int) -> int:
    """Wait until a host has let go of what strangers had open; returns how many descriptors it keeps of it."""
    try:
        async with asyncio.timeout(COOL_SECONDS):
            await until(lambda: host.files <= files)
    except TimeoutError:
        pass
    return max(host.files - files, 0)


def _verdict(folder: Path, honest: Honest) -> str:
    """Return whether the record is right, and the copies of both players are those of it."""
    peers = tuple(honest.peers.values())
    path = folder / f"{peers[0].invite.match}{SUFFIX}"
    status = verify_file(path, registry.ruleset(GAME)).status
    chain = read_log(path).records[-1].chain
    agree = all(peer.copy.chain == chain for peer in peers)
    return status if agree else "the copies differ"


# -- the report


def attacks(names: tuple[str, ...] = (), workers: tuple[int, ...] = WORKERS) -> Iterator[Endured]:
    """Yield what each attack does, by default all of them."""
    quiet()
    more_files()
    with ground() as at:
        for count in workers:
            for name in names or tuple(ATTACKS):
                yield besieged(at, name, count)


HEADINGS: Final[tuple[str, ...]] = (
    "attack", "workers", "done", "n", "p50 ms", "p99 ms", "back s",
    "MB before", "most", "after", "files", "log lines", "log kB", "lost", "record",
)  # fmt: skip


def row(endured: Endured) -> tuple[str, ...]:
    """Return the cells of one attack."""
    before, most, after = (f"{kib // _KIB}" for kib in endured.memory)
    return (
        endured.attack,
        str(endured.workers),
        f"{endured.done:,}",
        str(len(endured.given)),
        number(percentile(endured.given, 50)),
        number(percentile(endured.given, 99)),
        number(endured.back),
        before,
        most,
        after,
        str(endured.files),
        str(endured.log_lines),
        number(endured.log_bytes / 1000),
        str(endured.lost),
        endured.verdict,
    )


@click.command(cls=Command)
@click.argument("names", nargs=-1, type=click.Choice(tuple(ATTACKS)))
@click.option("--workers", multiple=True, type=click.IntRange(1, 64), default=WORKERS)
def main(names: tuple[str, ...], workers: tuple[int, ...]) -> None:
    """Attack a host, and print a table."""
    rows = [HEADINGS]
    for endured in attacks(names, workers):
        click.echo("  ".join(row(endured)), err=True)
        rows.append(row(endured))
    click.echo(columns(rows))


if __name__ == "__main__":
    main()

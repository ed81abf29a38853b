"""Measures the latency of an honest match, and the host's resource use, while the host is under attack.

``python -m tools.bench.load_attack`` prints the table in ``docs/benchmarks.md``, with one process and with two workers.
The host and the attackers (``attacks.py``) run in processes of their own. The host, the attackers and the two honest
players use TLS over loopback. Each attack runs against a fresh host with the same two matches.
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
from netplay.host.host_command import raise_file_limit
from netplay.host.latency import submit_next
from netplay.invites.invite import load_invite
from netplay.peer.peer import Peer
from netplay.peer.status import ConnectionState, PeerEvent, StatusChanged
from saves.logfile import SUFFIX, read_log
from saves.verify import verify_file
from tools.bench.attacks import ATTACKS
from tools.bench.hosting import silence_log, wait_until
from tools.bench.measure import percentile
from tools.bench.observed_host import ObservedHost, start_host, stop_host
from tools.bench.processes import environment
from tools.bench.suite import columns, number
from tools.click_commands import CheckedCommand

GAME: Final = "eots"
SCENARIO: Final = "campaign-1941"
"""A random game of this scenario has about 700 commands, more than the players can give during one attack."""
WORKERS: Final = (1, 2)
SECONDS: Final = 6.0
"""Duration of an attack in seconds."""
WARM_UP_SECONDS: Final = 1.5
"""Seconds of play before the attack."""
SETTLE_SECONDS: Final = 5.0
"""Seconds of play between the attack and the memory measurement. The host looks for lost clients every two seconds."""
PAUSE_SECONDS: Final = 0.02
"""Pause between two commands, about as long as that of fast bots."""
PATIENCE_SECONDS: Final = 60.0
DISCONNECT_SECONDS: Final = 20.0
"""Time limit, in seconds, for the host to close the attackers' connections."""
_SAMPLE_SECONDS: Final = 0.2
_KIB: Final = 1024
_ATTACK: Final = "from tools.bench.attacks import main\nmain()\n"


class AttackResult(msgspec.Struct, frozen=True, kw_only=True):
    """The effects of one attack on a host."""

    attack: str
    workers: int
    done: int
    """Number of connections made or messages sent by the attackers."""
    given: tuple[float, ...]
    """Latencies of honest commands during the attack: milliseconds until the other player's replica has the command."""
    back: float
    """Seconds that an honest player took to reconnect during the attack."""
    memory: tuple[int, int, int]
    """Resident memory of the host's processes in KiB: before the attack, the maximum, and after the attack."""
    files: int
    """Number of additional file descriptors that are still open after the attack."""
    log_bytes: int
    log_lines: int
    lost: int
    """Number of connections that the honest players lost, except for the intentional disconnect."""
    verdict: str
    """Verification result for the record: ``ok``, or a description of the error."""


# -- the folder with two matches, used by every attack


class AttackSetup(msgspec.Struct, frozen=True, kw_only=True):
    """The folder of a stopped host, and the invites for its two matches."""

    folder: Path
    port: int
    played: Mapping[str, Path]
    """Invites for the match being played, by role and ``spectator``."""
    other: Mapping[str, Path]
    """Invites for the other match."""


@contextmanager
def attack_setup() -> Iterator[AttackSetup]:
    """Yield a folder with two matches that no host is serving."""
    with TemporaryDirectory() as name:
        folder = Path(name) / "host"
        folder.mkdir()
        port = _free_port()
        matches = []
        for _ in range(2):
            process, invites = start_host(folder, port, 1, GAME, "--scenario", SCENARIO)
            stop_host(process)
            matches.append({role: Path(path) for role, path in invites.items()})
        yield AttackSetup(folder=folder, port=port, played=matches[0], other=matches[1])


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


# -- the honest match


class HonestPlayers:
    """Two players of a match who choose random commands at the speed of fast bots."""

    def __init__(self, invites: Mapping[str, Path], folder: Path) -> None:
        """Load the invites without connecting."""
        roles = registry.ruleset(GAME).scenario_info(SCENARIO, {}).roles
        self._invites = {role: load_invite(invites[role]) for role in roles}
        self._folder = folder
        self._player = RandomPlayer(DerivedDice(bytes(32), 0))
        self.peers: dict[Role, Peer] = {}
        self.lost = 0
        """Number of connections that were lost unintentionally."""

    async def take_seat(self, role: Role) -> None:
        """Take a seat, for the first time or again. Wait until the seat is live."""
        peer = Peer(self._invites[role], self._folder / role, window_seconds=0.0)
        self.peers[role] = peer
        peer.reporter.listen(self._on_event)
        peer.start()
        await peer.reporter.wait_for(lambda: peer.is_live and peer.is_ready)

    async def take_all_seats(self) -> None:
        """Take all seats."""
        await asyncio.gather(*map(self.take_seat, self._invites))

    async def reconnect(self) -> float:
        """Disconnect and reconnect one player. Return the reconnection time in seconds."""
        role = next(iter(self._invites))
        await self.peers[role].close()
        start_time = time.perf_counter()
        await self.take_seat(role)
        return time.perf_counter() - start_time

    async def give(self) -> float:
        """Give a command for the active player. Return the milliseconds until the other player has received it."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while (times := await submit_next(self.peers.values(), self._player)) is None:
                assert not all(peer.copy.is_revealed for peer in self.peers.values()), (
                    "the match must not have ended"
                )
                await asyncio.sleep(PAUSE_SECONDS)  # the newest record has not arrived yet
        started, received = times
        return (received - started) * 1000

    async def play(self, until_when: float) -> list[float]:
        """Play until the given time on the ``time.monotonic`` clock. Return each command's latency in milliseconds."""
        latencies: list[float] = []
        while time.monotonic() < until_when:
            latencies.append(await self.give())
            await asyncio.sleep(PAUSE_SECONDS)
        return latencies

    async def disconnect(self) -> None:
        """Disconnect all players."""
        for peer in self.peers.values():
            await peer.close()

    def _on_event(self, event: PeerEvent) -> None:
        if isinstance(event, StatusChanged) and event.status.link is ConnectionState.LOST:
            self.lost += 1


# -- one attack


def run_attack(setup: AttackSetup, attack: str, workers: int) -> AttackResult:
    """Run an attack on a host with the given number of workers. Return its effects."""
    with TemporaryDirectory() as name:
        folder = Path(name) / "host"
        shutil.copytree(setup.folder, folder)
        host = ObservedHost(folder, setup.port, workers)
        honest = HonestPlayers(setup.played, Path(name))
        try:
            result = asyncio.run(_run_attack(setup, attack, workers, host, honest))
        finally:
            host.stop()
        lines = host.log.read_bytes().splitlines(keepends=True)
        # omit the log lines about the honest match's commands
        other_lines = [line for line in lines if b'"command"' not in line]
        return msgspec.structs.replace(
            result,
            log_bytes=sum(map(len, other_lines)),
            log_lines=len(other_lines),
            verdict=_verdict(folder, honest),
        )


async def _run_attack(
    setup: AttackSetup, attack: str, workers: int, host: ObservedHost, honest: HonestPlayers
) -> AttackResult:
    await honest.take_all_seats()
    await honest.play(time.monotonic() + WARM_UP_SECONDS)
    memory_before, files = host.resident_kib, host.files
    async with _memory_samples(host) as samples, _attackers(setup, attack) as attackers:
        half_time = time.monotonic() + SECONDS / 2
        latencies = await honest.play(half_time)
        reconnect_seconds = await honest.reconnect()
        latencies += await honest.play(half_time + SECONDS / 2)
        done, _ = await attackers.communicate()
    leaked_files = await _leaked_files(host, files)
    latencies_after = await honest.play(time.monotonic() + SETTLE_SECONDS)
    assert latencies_after, "the match must continue after the attack"
    memory_after = host.resident_kib
    await honest.disconnect()
    return AttackResult(
        attack=attack,
        workers=workers,
        done=int(done),
        given=tuple(latencies),
        back=reconnect_seconds,
        memory=(memory_before, max(*samples, memory_after), memory_after),
        files=leaked_files,
        log_bytes=0,
        log_lines=0,
        lost=honest.lost,
        verdict="",
    )


@asynccontextmanager
async def _attackers(setup: AttackSetup, attack: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """Yield the attackers' process, which exits on its own."""
    seat = next(path for role, path in setup.other.items() if role != "spectator")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", _ATTACK, attack),
        *(str(setup.played["spectator"]), str(seat), str(SECONDS)),
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
async def _memory_samples(host: ObservedHost) -> AsyncIterator[list[int]]:
    """Yield a list that collects the host's memory, in KiB, several times a second."""
    samples = [host.resident_kib]

    async def sample_repeatedly() -> None:
        while True:
            await asyncio.sleep(_SAMPLE_SECONDS)
            samples.append(host.resident_kib)

    watch_task = asyncio.create_task(sample_repeatedly())
    try:
        yield samples
    finally:
        watch_task.cancel()


async def _leaked_files(host: ObservedHost, files: int) -> int:
    """Wait for a host to close the file descriptors of the attackers. Return the number that are still open."""
    try:
        async with asyncio.timeout(DISCONNECT_SECONDS):
            await wait_until(lambda: host.files <= files)
    except TimeoutError:
        pass
    return max(host.files - files, 0)


def _verdict(folder: Path, honest: HonestPlayers) -> str:
    """Verify the record and compare its last chain value with both players' replicas. Return the result."""
    peers = tuple(honest.peers.values())
    path = folder / f"{peers[0].invite.match}{SUFFIX}"
    status = verify_file(path, registry.ruleset(GAME)).status
    chain = read_log(path).records[-1].chain
    is_agreed = all(peer.copy.chain == chain for peer in peers)
    return status if is_agreed else "the copies differ"


# -- the report


def attacks(
    names: tuple[str, ...] = (), workers: tuple[int, ...] = WORKERS
) -> Iterator[AttackResult]:
    """Run the named attacks, or all attacks if none are named, and yield their effects."""
    silence_log()
    raise_file_limit()
    with attack_setup() as setup:
        for count in workers:
            for name in names or tuple(ATTACKS):
                yield run_attack(setup, name, count)


HEADINGS: Final[tuple[str, ...]] = (
    "attack", "workers", "done", "n", "p50 ms", "p99 ms", "back s",
    "MB before", "most", "after", "files", "log lines", "log kB", "lost", "record",
)  # fmt: skip


def row(result: AttackResult) -> tuple[str, ...]:
    """Return the table cells for one attack."""
    before_mib, peak_mib, after_mib = (f"{kib // _KIB}" for kib in result.memory)
    return (
        result.attack,
        str(result.workers),
        f"{result.done:,}",
        str(len(result.given)),
        number(percentile(result.given, 50)),
        number(percentile(result.given, 99)),
        number(result.back),
        before_mib,
        peak_mib,
        after_mib,
        str(result.files),
        str(result.log_lines),
        number(result.log_bytes / 1000),
        str(result.lost),
        result.verdict,
    )


@click.command(cls=CheckedCommand)
@click.argument("names", nargs=-1, type=click.Choice(tuple(ATTACKS)))
@click.option("--workers", multiple=True, type=click.IntRange(1, 64), default=WORKERS)
def main(names: tuple[str, ...], workers: tuple[int, ...]) -> None:
    """Attack a host, and print a table."""
    rows = [HEADINGS]
    for result in attacks(names, workers):
        click.echo("  ".join(row(result)), err=True)
        rows.append(row(result))
    click.echo(columns(rows))


if __name__ == "__main__":
    main()

"""A headless host started from the command line, and its external clients, for benchmarks."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click

from engine import registry
from engine.bots.random_player import RandomPlayer
from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from netplay.host.host import Host
from netplay.host.match_creation import CreatedMatch
from netplay.host.status_server import HostStatus, ask_status
from netplay.peer.peer import Peer
from netplay.peer.status import PeerEvent, RecordsReceived
from netplay.workers.host_bots import save_bot_invite
from saves.errors import StaleCommandError
from saves.logfile import SUFFIX, read_log
from tools.bench.processes import ROOT, environment
from tools.bench.records import secret

GAME: Final = "eots"
SCENARIO: Final = "1943"
_READY_SECONDS: Final = 300.0
_KIB: Final = 1024


def first_role() -> Role:
    """Return the role played by the client."""
    return registry.ruleset(GAME).scenario_info(SCENARIO, {}).roles[0]


class MatchClients:
    """A player and a spectator in one match, connected over TLS."""

    def __init__(self, opened: CreatedMatch, role: Role, folder: Path, number: int) -> None:
        """Create the peers without starting them."""
        self.match = opened.match
        self.seat = Peer(opened.invites[role], folder / f"seat-{number}", window_seconds=0.0)
        self.watcher = Peer(opened.invites[None], folder / f"watch-{number}")
        self.given_ms: list[float] = []
        self.told_ms: list[float] = []
        self._player = RandomPlayer(DerivedDice(secret(number), 0))
        self._submitted_at: dict[int, float] = {}
        self._seen_at: dict[int, float] = {}

    async def play(self) -> None:
        """Connect, and play random commands until the game ends or the task is cancelled."""
        self.watcher.reporter.listen(self._on_spectator_event)
        for peer in (self.seat, self.watcher):
            peer.start()
        while not self.seat.copy.is_revealed:
            await self.seat.reporter.wait_for(lambda: self.seat.is_live and self.seat.is_asked)
            decision = self.seat.decision()
            if decision is None:
                continue
            command = self._player.choose(self.seat.view(), decision)
            start_time = time.perf_counter()
            with contextlib.suppress(StaleCommandError):
                record = await self.seat.submit(command)
                self.given_ms.append((time.perf_counter() - start_time) * 1000)
                self._submitted_at[record.seq] = start_time
                self._match(record.seq)

    def _on_spectator_event(self, event: PeerEvent) -> None:
        if isinstance(event, RecordsReceived) and not event.is_silent:
            for record in event.records:
                self._seen_at[record.seq] = time.perf_counter()
                self._match(record.seq)

    def _match(self, seq: int) -> None:
        if seq in self._submitted_at and seq in self._seen_at:
            self.told_ms.append((self._seen_at.pop(seq) - self._submitted_at.pop(seq)) * 1000)

    async def disconnect(self) -> None:
        """Disconnect both peers. Their replicas stay on disk."""
        for peer in (self.seat, self.watcher):
            await peer.close()

    def problems(self, folder: Path) -> Iterator[str]:
        """Yield a sentence for each replica whose records differ from the host's."""
        records = read_log(folder / f"{self.match}{SUFFIX}").records
        for peer in (self.seat, self.watcher):
            for path in sorted(peer.copy.path.parent.glob(f"*{SUFFIX}")):
                copy = read_log(path).records
                if [index.chain for index in copy] != [
                    index.chain for index in records[: len(copy)]
                ]:
                    yield f"{path.name} differs from the host's record"


async def open_matches(folder: Path, count: int, watched: int, bot: str) -> list[CreatedMatch]:
    """Create matches in a folder. Return the first ``watched`` of them, in each of which a client plays one seat."""
    host = Host(folder)
    await host.start("127.0.0.1", 0)
    roles = registry.ruleset(GAME).scenario_info(SCENARIO, {}).roles
    guests: list[CreatedMatch] = []
    for number in range(count):
        players = dict.fromkeys(roles, f"bot:{bot}")
        if number < watched:
            players[roles[0]] = "guest"
        opened = host.open_match(GAME, SCENARIO, {}, players)
        for role, player in players.items():
            if player != "guest":
                save_bot_invite(folder, opened.invites[role])
        if number < watched:
            guests.append(opened)
        await asyncio.sleep(0)
    await host.stop()
    return guests


def invite_port(opened: list[CreatedMatch]) -> int:
    """Return the port in the matches' invites; 0 if there are no matches."""
    return int(opened[0].invites[None].addresses[0].rpartition(":")[2]) if opened else 0


class HostProcess:
    """A headless host in its own process, together with its workers."""

    def __init__(self, folder: Path, port: int, workers: int) -> None:
        """Start the host."""
        self._folder = folder
        self._log = (folder / "log").open("wb")
        program = "from tools.cli import main; main()"
        command = [sys.executable, "-c", program, "host", "serve", "--headless", "--json"]
        command += ["--listen", f"127.0.0.1:{port}", "--folder", str(folder)]
        self._process = subprocess.Popen(
            [*command, "--workers", str(workers)],
            stdout=subprocess.PIPE,
            stderr=self._log,
            env=environment(folder / "home"),
            cwd=ROOT,
        )

    async def wait_until_ready(self) -> None:
        """Wait until the host accepts connections."""
        assert self._process.stdout is not None, "stdout must be a pipe"
        line = await asyncio.to_thread(self._process.stdout.readline)
        if not line:
            last_lines = (self._folder / "log").read_text(encoding="utf-8").splitlines()[-1:]
            raise click.ClickException(f"the host did not start: {' '.join(last_lines)}")

    async def status(self) -> HostStatus:
        """Return the host's status."""
        return await asyncio.to_thread(ask_status, self._folder)

    def count_and_rss_kib(self, status: HostStatus) -> tuple[int, int]:
        """Return the number of host processes and their total resident memory in KiB."""
        process_ids = {status.process, *(worker.process for worker in status.workers)} - {0}
        return len(process_ids), sum(map(resident_kib, process_ids))

    async def stop(self) -> int:
        """Send SIGTERM and return the exit status."""
        self._process.send_signal(signal.SIGTERM)
        try:
            return await asyncio.to_thread(self._process.wait, _READY_SECONDS)
        finally:
            self.end()

    def end(self) -> None:
        """Kill the host if it is still running, and close its files."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        self._log.close()
        if self._process.stdout is not None:
            self._process.stdout.close()


def resident_kib(process: int) -> int:
    """Return a process's resident memory in KiB; 0 if the process has ended."""
    try:
        text = Path(f"/proc/{process}/statm").read_text(encoding="ascii")
    except OSError:
        return 0
    return int(text.split()[1]) * os.sysconf("SC_PAGE_SIZE") // _KIB

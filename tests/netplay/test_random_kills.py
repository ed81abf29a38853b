"""Host, workers, players and spectators as separate processes, killed at random moments of running games.

Killed processes are restarted as a person would restart them. Nothing that a peer has received may be lost, and the
record of
every match must verify at the end.
"""

import asyncio
import contextlib
import os
import random
import signal
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec
import pytest

from engine.kernel.ids import Role
from engine.registry import AnyRuleset, ruleset
from netplay.invites.invite import load_invite
from netplay.peer.peer import Peer
from netplay.wire.errors import UnavailableError
from saves.errors import StaleCommandError
from saves.logfile import SUFFIX, read_log
from tests.netplay.tables import toy_rules, until
from tests.netplay.test_processes import Processes
from tests.patience import PATIENCE
from tests.sizes import sized
from tests.toy_game import BLUE, RED

SEED: Final = 1
KILLS: Final = sized(3, 20, 100, of="kills")
PACE: Final = 0.03
"""Seconds between two commands of a match, so that it lasts as long as the kills."""
_SETTLED: Final = 20 * PACE
"""Once play has stopped, a record that has not grown for this long does not grow any more."""
MOST_WORKERS: Final = 2
"""Maximum number of workers killed per host. After one more death, a match is intentionally marked as broken."""
MOST_RECORDS: Final = 12
"""A kill comes after at most this number of records, and of seconds: during a command or a start."""
MOST_SECONDS: Final = 0.05
_WEIGHTS: Final = {"host": 2, "worker": 3, "player": 3, "spectator": 2}


_GAMES: Final[Mapping[str, tuple[str, str, tuple[Role, Role], Callable[[str], AnyRuleset]]]] = {
    "host": ("toy", "long", (RED, BLUE), toy_rules),
    "joint": ("eots", "1943", (Role("allied"), Role("japan")), ruleset),
}
"""Game, scenario and roles for each mode. The checks by seats of a joint match need real rules."""


class Known(msgspec.Struct, frozen=True):
    """Information sent to a peer: the chain value of a record, which covers all earlier records."""

    match: str
    seq: int
    chain: bytes


class Guest:
    """A process with an invite, restarted whenever it is killed."""

    def __init__(self, processes: Processes, place: str, invite: str, *words: str) -> None:
        self.invite = load_invite(Path(invite))
        self.folder = processes.folder / place
        self.copy = self.folder / _copy_name(self.invite.match, self.invite.role)
        self._processes = processes
        self._words = (words[0], invite, *words[1:], "--wait", str(PATIENCE))
        self.start()

    def start(self) -> None:
        folder = str(self.folder)
        self.process = self._processes.start(*self._words, "--folder", folder, is_heard=False)

    def kill(self) -> Iterator[Known]:
        """Kill it, yield the content of its copy, and restart it."""
        if self.process.poll() == 0:  # its game is over
            return
        self.process.kill()
        self.process.wait(PATIENCE)
        yield from told(self.copy)
        self.start()

    def leave(self) -> None:
        """Let it end in the way that a player ends it."""
        assert self.process.poll() in {None, 0}, f"{self._words} failed"
        self.process.terminate()
        self.process.wait(PATIENCE)


def _copy_name(match: str, role: str | None) -> str:
    return f"{match}.{role or 'spectator'}{SUFFIX}"


def told(path: Path) -> tuple[Known, ...]:
    """Return the content of a record or copy; empty if there is none yet."""
    with contextlib.suppress(FileNotFoundError):
        path.stat()
        last = read_log(path).records[-1]
        return (Known(path.name.partition(".")[0], last.seq, last.chain),)
    return ()


class Scene:
    """A host with two workers and two matches, in which all players but one are processes."""

    def __init__(self, processes: Processes, chance: str) -> None:
        self.processes = processes
        self.known: list[Known] = []
        self.kills: list[str] = []
        self.workers_killed = 0
        game, scenario, (own, other), rules = _GAMES[chance]
        words = (game, "--scenario", scenario, "--chance", chance)
        first, housed = self._host(*words, "--bot", f"{other}=random")
        first.terminate()
        assert first.wait(PATIENCE) == 0
        self.host, guests = self._host(*words)
        self.players = (
            Guest(processes, "first", housed[own], "join", "--bot", "random"),
            Guest(processes, "second", guests[other], "join", "--bot", "random"),
        )
        watching = ("watch", "--headless")
        self.spectators = (
            Guest(processes, "watch-1", housed["spectator"], *watching),
            Guest(processes, "watch-2", guests["spectator"], *watching),
        )
        self.rules = rules
        self.own = Peer(load_invite(Path(guests[own])), processes.folder / "own", rules)

    def _host(self, *words: str) -> tuple["subprocess.Popen[str]", dict[str, str]]:
        return self.processes.host(*words, "--workers", "2", "--bot-pause", str(PACE))

    @property
    def guests(self) -> tuple[Guest, ...]:
        return self.players + self.spectators

    @property
    def records(self) -> tuple[Path, ...]:
        """Return the record of each match."""
        matches = [guest.invite.match for guest in self.players]
        return tuple(self.processes.folder / "host" / f"{match}{SUFFIX}" for match in matches)

    async def play(self) -> None:
        """Play the one seat of this process, and store the acknowledged records."""
        source = random.Random(SEED)
        while True:
            await self.own.reporter.wait_for(lambda: self.own.decision() is not None)
            await asyncio.sleep(PACE)
            decision = self.own.decision()
            if decision is not None:
                # The match waits for a killed player, or an earlier command goes first.
                with contextlib.suppress(UnavailableError, StaleCommandError):
                    record = await self.own.submit(source.choice(decision.options))
                    self.known.append(Known(self.own.invite.match, record.seq, record.chain))

    async def strike(self, source: random.Random) -> None:
        """Kill one process at a random moment, and restart it."""
        victim = source.choices(tuple(_WEIGHTS), tuple(_WEIGHTS.values()))[0]
        if victim == "worker" and self.workers_killed == MOST_WORKERS:
            victim = "host"
        path = source.choice(self.records)
        await self._grown(path, source.randrange(MOST_RECORDS + 1))
        await asyncio.sleep(source.uniform(0, MOST_SECONDS))
        self.kills.append(victim)
        match victim:
            case "host":
                await asyncio.to_thread(self._kill_host)
            case "worker":
                self._kill_worker(source)
            case _:
                guests = self.players if victim == "player" else self.spectators
                self.known += source.choice(guests).kill()

    def _kill_host(self) -> None:
        self.host.kill()
        self.host.wait(PATIENCE)
        for path in self.records:
            self.known += told(path)
        self.host, _ = self._host()
        self.workers_killed = 0

    def _kill_worker(self, source: random.Random) -> None:
        workers = sorted(children(self.host.pid))
        if workers:  # otherwise both are just restarted
            with contextlib.suppress(ProcessLookupError):
                os.kill(source.choice(workers), signal.SIGKILL)
                self.workers_killed += 1

    @property
    def is_over(self) -> bool:
        """Return whether a game is over. Random commands can end a game with real rules early."""
        return any(read_log(path).records[-1].kind == "reveal" for path in self.records)

    async def _grown(self, path: Path, records: int) -> None:
        """Wait until a record has grown by this number of records, or a game is over."""
        for _ in range(records):
            size = _size(path)
            if self.is_over:
                return
            try:
                await until(lambda size=size: _size(path) > size or self.is_over)  # type: ignore[misc]  # mypy cannot infer it
            except TimeoutError:
                own, decision = self.own.reporter.status, self.own.decision()
                raise AssertionError((path.name, own, decision, self.kills)) from None

    async def end(self) -> None:
        """Let all players leave, all others receive the last record, and the host stop."""
        for player in self.players:
            await asyncio.to_thread(player.leave)
        sitting = [Peer(one.invite, one.folder, self.rules) for one in self.players]
        for peer in sitting:  # they give no more commands, but a pending throw needs them
            peer.start()
        for peer in sitting:
            await peer.reporter.wait_for(lambda peer=peer: peer.is_live)  # type: ignore[misc]  # mypy cannot infer it
        for path in self.records:
            await self._all_told(path)
        for spectator in self.spectators:
            await asyncio.to_thread(spectator.leave)
        for peer in sitting:
            await peer.close()
        workers = tuple(children(self.host.pid))
        assert len(workers) >= 2
        self.host.terminate()
        assert await asyncio.to_thread(self.host.wait, PATIENCE) == 0
        await until(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers))

    async def _all_told(self, path: Path) -> None:
        """Wait until all copies are as long as a record that no longer grows."""
        match = path.name.removesuffix(SUFFIX)
        copies = [one.copy for one in self.guests if one.invite.match == match]
        head = b""
        while head != _head(path):
            head = _head(path)
            await until(lambda: all(_head(copy) == _head(path) for copy in copies))
            await asyncio.sleep(_SETTLED)


def _size(path: Path) -> int:
    return path.stat().st_size


def _head(path: Path) -> bytes:
    """Return the chain value of a record or copy; empty if there is none."""
    found = told(path)
    return found[0].chain if found else b""


def children(process: int) -> Iterator[int]:
    for task in Path(f"/proc/{process}/task").iterdir():
        yield from map(int, (task / "children").read_text(encoding="ascii").split())


@pytest.fixture(params=["host", "joint"])
async def scene(processes: Processes, request: pytest.FixtureRequest) -> AsyncIterator[Scene]:
    made = await asyncio.to_thread(Scene, processes, request.param)
    made.own.start()
    await until(lambda: all(path.exists() for path in made.records))
    yield made
    await made.own.close()


@pytest.mark.full
@pytest.mark.series("D4", "N11")
@pytest.mark.timeout(1800)
async def test_no_acknowledged_data_is_lost_after_random_kills(scene: Scene) -> None:
    source = random.Random(SEED)
    playing = asyncio.create_task(scene.play())
    try:
        while len(scene.kills) < KILLS and not scene.is_over:
            await scene.strike(source)
            assert not playing.done() or playing.result()
        assert scene.kills
        for path in scene.records:
            await scene._grown(path, MOST_RECORDS)
    finally:
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)
    await scene.end()
    for path in scene.records:
        check(path, scene)


def check(path: Path, scene: Scene) -> None:
    """Check that a record contains everything that was sent, that all copies match it, and that it verifies."""
    match = path.name.removesuffix(SUFFIX)
    records = read_log(path).records
    for one in scene.known:
        assert one.match != match or records[one.seq].chain == one.chain, (one.seq, scene.kills)
    copies = {
        guest.copy: _head(guest.copy) for guest in scene.guests if guest.invite.match == match
    }
    assert set(copies.values()) == {records[-1].chain}, (copies, scene.kills)
    verified = scene.processes.run("verify", str(path))
    assert verified.returncode == 0, verified.stdout + verified.stderr

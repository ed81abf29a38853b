"""A host with the toy game, its peers, and players who choose at random."""

import asyncio
import contextlib
import random
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from engine.kernel.errors import DataError
from engine.kernel.ids import Role
from engine.kernel.ruleset import Ruleset
from netplay.host.host import Host
from netplay.host.host_command import HostPlan
from netplay.invites.invite import Invite
from netplay.match.host_config import HostConfig
from netplay.match_state.full_record import FULL_SUFFIX
from netplay.peer.peer import Peer
from netplay.peer.status import ConnectionState
from netplay.wire.answer_delay import WINDOW_SECONDS
from netplay.wire.messages import ChatLine
from netplay.wire.modes import HOST, Chance
from netplay.workers.match_server import MatchServer
from saves.clocks import Clock
from saves.errors import StaleCommandError
from saves.logfile import SUFFIX, read_log
from tests.netplay.toy_games import DEADLY, HUNGRY
from tests.patience import PATIENCE
from tests.toy_game import BLUE, RED, TOY
from tests.toy_six import ROLES, SIX

PLAYERS: Mapping[Role, str] = {RED: "Ada", BLUE: "Bob"}


SIX_PLAYERS: Mapping[Role, str] = {role: f"Player of {role}" for role in ROLES}
_GAMES: Mapping[str, Ruleset[Any, Any, Any, Any, Any]] = {
    "toy": TOY,
    "six": SIX,
    "deadly": DEADLY,
    "hungry": HUNGRY,
}
TOY_WORKER = [sys.executable, "-m", "tests.netplay.toy_worker"]


def toy_rules(game: str) -> Ruleset[Any, Any, Any, Any, Any]:
    if game not in _GAMES:
        raise DataError("game", "", f"there is no game '{game}'")
    return _GAMES[game]


def toy_plan(folder: Path, players: Mapping[Role, str] = PLAYERS, own: str = "") -> HostPlan:
    """Return the plan for hosting a match of the toy game over TLS on a free port of this machine."""
    return HostPlan(
        host="127.0.0.1",
        port=0,
        plain=False,
        folder=folder,
        invites=folder / "invites",
        game="toy",
        scenario="middle",
        players=players,
        own_role=own,
    )


_LONGEST_TEST = 240.0
Rulesets = Callable[[str], Ruleset[Any, Any, Any, Any, Any]]


class Room:
    """A host, one open match, and the peers that take seats."""

    def __init__(
        self,
        folder: Path,
        *,
        plain: bool = False,
        players: Mapping[Role, str] = PLAYERS,
        workers: int = 1,
        clock: Clock | None = None,
        manner: HostConfig | None = None,
        chance: Chance = HOST,
    ) -> None:
        self.clock = clock
        self.manner = manner or HostConfig(window_seconds=0.0)  # each peer has a separate window
        self.chance: Chance = chance
        self.players = players
        self.game = "toy" if RED in players else "six"
        self.folder = folder
        self.plain = plain
        self.workers = workers
        self.host = self._new_host()
        self.invites: dict[Role | None, Invite] = {}
        self.match = ""
        self.peers: list[Peer] = []
        self.port = 0

    def _new_host(self, rules: Rulesets = toy_rules) -> Host:
        return Host(self.folder / "host", rules, self.manner, self.workers)

    async def open(self, scenario: str = "middle") -> None:
        self.port = await self.host.start("127.0.0.1", self.port, plain=self.plain)
        opened = self.host.open_match(
            self.game, scenario, {}, self.players, clock=self.clock, chance=self.chance
        )
        await self.host.wait_until_open(opened.match)
        self.match = opened.match
        self.invites = opened.invites

    async def restart(self, rules: Rulesets = toy_rules) -> None:
        """Stop the host without notice and start another one with the same folder and port."""
        await self.host.stop()
        self.host = self._new_host(rules)
        await self.host.start("127.0.0.1", self.port, plain=self.plain)

    def peer(
        self,
        role: Role | None,
        place: str = "",
        port: int | None = None,
        window_seconds: float = WINDOW_SECONDS,
    ) -> Peer:
        """Start a peer. ``place`` names its folder, ``port`` a proxy in between."""
        invite = self.invites[role]
        if port is not None:
            scheme = invite.addresses[0].partition("://")[0]
            address = f"{scheme}://127.0.0.1:{port}"
            invite = msgspec.structs.replace(invite, addresses=(address,))
        folder = self.folder / (place or f"peer-{role}")
        peer = Peer(invite, folder, toy_rules, window_seconds)
        peer.start()
        self.peers.append(peer)
        return peer

    @property
    def house(self) -> MatchServer:
        assert self.host.server is not None, "the matches are held in this process"
        return self.host.server

    @property
    def chat(self) -> list[ChatLine]:
        """Return the chat lines; the host must run in this process."""
        return list(self.host.tables[self.match].chat_and_offers.chat)

    @property
    def head(self) -> int:
        """Return the last record of the match, read from disk if the match is not open in this process."""
        if self.match not in self.host.tables:
            path = self.host.folder / f"{self.match}{SUFFIX}"
            return len(read_log(path).records) - 1
        return self.host.tables[self.match].match.seq

    async def close(self) -> None:
        for peer in self.peers:
            await peer.close()
        await self.host.stop()


@contextlib.asynccontextmanager
async def room(
    folder: Path,
    scenario: str = "middle",
    *,
    plain: bool = False,
    players: Mapping[Role, str] = PLAYERS,
    workers: int = 1,
    clock: Clock | None = None,
    manner: HostConfig | None = None,
    chance: Chance = HOST,
) -> AsyncIterator[Room]:
    made = Room(
        folder,
        plain=plain,
        players=players,
        workers=workers,
        clock=clock,
        manner=manner,
        chance=chance,
    )
    await made.open(scenario)
    try:
        async with asyncio.timeout(_LONGEST_TEST):
            yield made
    finally:
        await made.close()


async def until(condition: Callable[[], bool], seconds: float = PATIENCE) -> None:
    """Wait until a condition holds. Fail if the time runs out first."""
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110  # what is waited for has no event of its own
            await asyncio.sleep(0.002)


async def live(*peers: Peer) -> None:
    await until(lambda: all(peer.is_live and peer.is_ready for peer in peers))


async def play(peer: Peer, moves: int, seed: int = 0) -> int:
    """Play a seat at random for a number of moves or to the end. Return the number of moves made."""
    source = random.Random(seed)
    made = 0
    while made < moves:
        await peer.reporter.wait_for(
            lambda: peer.decision() is not None or peer.copy.is_revealed or peer.reporter.is_over
        )
        decision = peer.decision()
        if decision is None:
            break
        with contextlib.suppress(StaleCommandError):
            await peer.submit(source.choice(decision.options))
            made += 1
    return made


async def step(moves: int, seed: int, *peers: Peer) -> None:
    """Let the seats that are asked move at random, one after another."""
    source = random.Random(seed)
    for _ in range(moves):
        await until(lambda: any(peer.decision() is not None for peer in peers))
        peer = source.choice([peer for peer in peers if peer.decision() is not None])
        decision = peer.decision()
        assert decision is not None
        record = await peer.submit(source.choice(decision.options))
        await until(lambda seq=record.seq: all(peer.seq >= seq for peer in peers))  # type: ignore[misc]  # mypy cannot infer it


def copies_in(folder: Path, suffix: str = SUFFIX) -> list[Path]:
    """Return the record files in and below a folder, except full copies that seats fetch after the end."""
    found = (path for path in folder.rglob(f"*{suffix}") if path.is_file())
    return sorted(path for path in found if FULL_SUFFIX not in path.name)


def is_over(peer: Peer) -> bool:
    return peer.copy.is_revealed


def is_connected(peer: Peer) -> bool:
    return peer.reporter.status.link is ConnectionState.CONNECTED

"""Measures how long a command takes to reach another peer over loopback, for ``flagplot bench``."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from engine import registry
from engine.bots.random_player import RandomPlayer
from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from engine.registry import AnyRuleset
from netplay.host.host import Host
from netplay.host.match_creation import CreatedMatch
from netplay.match.match_table import MatchTable
from netplay.peer.peer import Peer
from netplay.peer.status import PeerEvent, RecordsReceived
from netplay.wire.modes import HOST, Chance

_READY_SECONDS = 20.0


async def measure_times(
    game: str,
    scenario: str,
    commands: int,
    rulesets: Callable[[str], AnyRuleset] = registry.ruleset,
) -> tuple[list[float], list[float]]:
    """Play random commands over loopback, and return the delivery and command latencies in milliseconds.

    The first list contains one time per command, measured from the host's disk sync until the other peer has stored and
    applied the record. The times in the second list start when the command is submitted, so they include resolving the
    command and two disk syncs. The host and both peers share this process, so the results are upper bounds.
    """
    async with run_match(game, scenario, rulesets) as match:
        return await match.play_commands(commands)


class LoopbackMatch(msgspec.Struct, frozen=True):
    """A match with a peer in every seat, connected over loopback with TLS."""

    host: Host
    opened: CreatedMatch
    peers: dict[Role, Peer]
    seconds: float
    """Time in seconds from the first connection attempt until every seat had received the game."""

    @property
    def table(self) -> MatchTable:
        """Return the match table on the host."""
        return self.host.tables[self.opened.match]

    async def play_commands(self, commands: int) -> tuple[list[float], list[float]]:
        """Play random commands, and return the same two lists as :func:`measure_times`."""
        return await _play(self.table, self.peers, commands)


@asynccontextmanager
async def run_match(
    game: str,
    scenario: str,
    rulesets: Callable[[str], AnyRuleset] = registry.ruleset,
    chance: Chance = HOST,
) -> AsyncIterator[LoopbackMatch]:
    """Yield a running match with a peer in every seat, all in this process."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        host = Host(folder / "host", rulesets)
        await host.start("127.0.0.1", 0)
        rules = rulesets(game)
        roles = rules.scenario_info(scenario, {}).roles
        players = {role: f"bench {role}" for role in roles}  # each role gets its own seat
        opened = host.open_match(game, scenario, {}, players, chance=chance)
        peers = {  # the response-window delay must not count as latency
            role: Peer(opened.invites[role], folder / str(number), rulesets, window_seconds=0.0)
            for number, role in enumerate(roles)
        }
        try:
            start_time = time.perf_counter()
            for peer in peers.values():
                peer.start()
            async with asyncio.timeout(_READY_SECONDS):
                for peer in peers.values():
                    await peer.reporter.wait_for(lambda peer=peer: peer.is_live and peer.is_ready)  # type: ignore[misc]  # mypy cannot infer it
            yield LoopbackMatch(host, opened, peers, time.perf_counter() - start_time)
        finally:
            for peer in peers.values():
                await peer.close()
            await host.stop()


async def _play(
    table: MatchTable, peers: dict[Role, Peer], commands: int
) -> tuple[list[float], list[float]]:
    player = RandomPlayer(DerivedDice(bytes(32), 0))
    delivery_times: list[float] = []
    command_times: list[float] = []
    for _ in range(commands):
        times = await submit_next(peers.values(), player)
        if times is None:
            break
        started, received_at = times
        delivery_times.append((received_at - table.recorder.last_append_time) * 1000)
        command_times.append((received_at - started) * 1000)
    return delivery_times, command_times


async def submit_next(peers: Iterable[Peer], player: RandomPlayer) -> tuple[float, float] | None:
    """Submit a command for the first seat that must make a decision, and wait until every seat has the record.

    Args:
        peers: A peer for every seat.
        player: Chooses the command.

    Returns:
        The ``time.perf_counter`` times when the command was submitted and when the last of the other seats received it;
        None if no seat must make a decision.
    """
    all_peers = tuple(peers)
    peer = next((candidate for candidate in all_peers if candidate.is_asked), None)
    decision = None if peer is None else peer.decision()
    if peer is None or decision is None:
        return None
    seq = peer.seq + 1
    arrivals = [_arrival_future(receiver, seq) for receiver in all_peers if receiver is not peer]
    command = player.choose(peer.view(), decision)
    started = time.perf_counter()
    await peer.submit(command)
    return started, max(await asyncio.gather(*arrivals))


def _arrival_future(peer: Peer, seq: int) -> "asyncio.Future[float]":
    """Return a future for the time when a peer receives a record."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[float] = loop.create_future()

    def on_event(event: PeerEvent) -> None:
        if isinstance(event, RecordsReceived) and peer.seq >= seq and not future.done():
            future.set_result(time.perf_counter())
            unsubscribe()

    unsubscribe = peer.reporter.listen(on_event)
    return future

"""Bounds of docs/robustness.md that are times: N3, N7, N8 and P6, measured over TLS on loopback in one process."""

import asyncio
import logging
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from netplay.host.host_command import more_files
from netplay.host.latency import running
from netplay.peer.peer import Peer
from netplay.peer.status import PeerEvent, ViewsDiffered
from netplay.transport.handshake import take_seat
from netplay.transport.sockets import connect
from tools.bench.hosting import quiet, until
from tools.bench.measure import Goal, Measure, measure

SQUATTERS: Final = 1_000
SEATS: Final = 10
STORM: Final = 2_000
STORM_SECONDS: Final = 3.0
DIFFERENCES: Final = 10
GAME: Final = "eots"
SCENARIO: Final = "1943"
PATIENCE_SECONDS: Final = 60.0


def bounds() -> Iterator[Measure]:
    """Yield how a host bears squatters, a storm of connections, a stopped peer and a peer whose state is wrong."""
    quiet(logging.CRITICAL)  # differences are made on purpose
    more_files()
    yield measure(
        "seat-among-squatters", "s", asyncio.run(_squatted()),
        f"N3: {SQUATTERS} connections that say nothing; until one more seat is taken",
        Goal(first=3.0, aim=1.0, at=95),
    )  # fmt: skip
    yield measure(
        "given-in-a-storm", "ms", asyncio.run(_stormed()),
        f"N8: commands of a running game while {STORM} connections come and go in {STORM_SECONDS:.0f} seconds; all"
        " descriptors are let go of afterwards",
        Goal(first=200, aim=50, at=99),
    )  # fmt: skip
    yield measure(
        "peer-told-absent", "s", [asyncio.run(_stopped())],
        "N7: from the last word of a peer that stops reading until the other one is told", Goal(first=10.0, aim=10.0),
    )  # fmt: skip
    yield measure(
        "difference-mended", "s", asyncio.run(_spoiled()),
        f"P6: {DIFFERENCES} times a peer's state is silently another one: from the next record until host and peer"
        " agree again, with both logs kept",
        Goal(first=5.0, aim=1.0, at=95),
    )  # fmt: skip


async def _squatted() -> list[float]:
    """Return the seconds in which seats are taken among squatters."""
    seconds: list[float] = []
    async with running(GAME, SCENARIO) as game:
        invite = game.opened.invites[None]
        squatters = [await _dialled(game.host.port) for _ in range(SQUATTERS)]
        for _ in range(SEATS):
            began = time.perf_counter()
            line = await connect(invite.addresses[0], invite, PATIENCE_SECONDS)
            await take_seat(line, invite)
            seconds.append(time.perf_counter() - began)
            await line.close()
        for writer in squatters:
            writer.close()
    return seconds


async def _dialled(port: int) -> asyncio.StreamWriter:
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    return writer


async def _stormed() -> list[float]:
    """Return how long commands took in a storm of connections, in milliseconds."""
    async with running(GAME, SCENARIO) as game:
        await game.play(10)
        files = _open_files()
        storm = asyncio.create_task(_storm(game.host.port))
        given: list[float] = []
        while not storm.done():
            given += (await game.play(1))[1]
        await storm
        async with asyncio.timeout(PATIENCE_SECONDS):
            await until(lambda: _open_files() <= files)
    return given


def _open_files() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


async def _storm(port: int) -> None:
    """Come and go, evenly over a time."""
    began = time.perf_counter()
    for number in range(STORM):
        with suppress(OSError):
            writer = await _dialled(port)
            writer.close()
            await writer.wait_closed()
        early = began + STORM_SECONDS * number / STORM - time.perf_counter()
        await asyncio.sleep(max(early, 0.0))


async def _stopped() -> float:
    """Return after how many seconds a peer hears that the other one has stopped."""
    async with running(GAME, SCENARIO) as game:
        (role, stopping), (_, other) = game.peers.items()
        await stopping.close()
        invite = game.opened.invites[role]
        line = await connect(invite.addresses[0], invite)
        await take_seat(line, invite)
        await other.wait_for(lambda: role in other.status.present)
        began = time.perf_counter()
        async with asyncio.timeout(PATIENCE_SECONDS):
            await other.wait_for(lambda: role in other.status.absent)
        seconds = time.perf_counter() - began
        await line.close()
    return seconds


async def _spoiled() -> list[float]:
    """Return how long it takes until a peer with a wrong state agrees with its host again."""
    seconds: list[float] = []
    async with running(GAME, SCENARIO) as game:
        peer = next(iter(game.peers.values()))
        differences: list[PeerEvent] = []
        peer.listen(
            lambda event: differences.append(event) if isinstance(event, ViewsDiffered) else None
        )
        while len(seconds) < DIFFERENCES:
            _spoil(peer)
            began = time.perf_counter()
            async with asyncio.timeout(PATIENCE_SECONDS):
                await game.play(1)
                await peer.wait_for(lambda: len(differences) > len(seconds))
                await peer.wait_for(lambda: peer.is_live and peer.seq == game.table.match.seq)
            seconds.append(time.perf_counter() - began)
            await game.play(2)
    return seconds


def _spoil(peer: Peer) -> None:
    """Make a peer believe that political will is another one."""
    follower = peer.copy._follower  # noqa: SLF001  # nothing but a fault does this
    assert follower is not None, "the peer has a copy"
    state = follower.state
    tracks = replace(state.tracks, political_will=state.tracks.political_will + 1)
    follower._timeline._state = replace(state, tracks=tracks)  # noqa: SLF001  # as above

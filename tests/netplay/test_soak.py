"""Match after match on one host, with an occasional fault: nothing grows, and every record verifies (N11)."""

import asyncio
import gc
import random
import tracemalloc
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

import pytest

from saves.logfile import SUFFIX, read_log
from saves.verify import verify_file
from tests.netplay.impatience import AS_EVER, Patience
from tests.netplay.proxy import HostileProxy
from tests.netplay.tables import PLAYERS, Room, is_over, play, room, until
from tests.patience import PATIENCE
from tests.sizes import sized
from tests.toy_game import BLUE, RED, TOY

MATCHES: Final = sized(2, 6, 1_000, of="matches one after the other, each with a fault")
WARM: Final = MATCHES // 4
"""Number of matches after which everything that is loaded once is loaded."""
CLOSING: Final = 4
"""Number of descriptors for connections that are about to close."""
BYTES: Final = 10_000
"""Maximum memory of a finished match on its host, which keeps its result until the host ends."""
LOADED: Final = 150_000
"""Bytes of data that is loaded or cached once, and only after the first matches."""


def open_files() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


async def one_match(table: Room, proxy: HostileProxy, number: int, patience: Patience) -> None:
    """Open a match, play it to its end with one fault, and leave it."""
    opened = table.host.open_match(table.game, "short", {}, PLAYERS)
    table.match, table.invites = opened.match, opened.invites
    peers = [table.peer(role, f"{number}-{role}", proxy.port) for role in (RED, BLUE, None)]
    games = [asyncio.create_task(play(each, 999, number)) for each in peers[:2]]
    await until(lambda: table.head > number % 4)
    await FAULTS[number % len(FAULTS)](table, proxy)
    proxy.is_hostile = False
    patience.wait(AS_EVER)
    await asyncio.wait_for(asyncio.gather(*games), PATIENCE)
    await until(lambda: all(map(is_over, peers)))
    chain = read_log(table.host.folder / f"{table.match}{SUFFIX}").records[-1].chain
    for each in peers:
        assert each.copy.chain == chain
        await each.close()
    table.peers.clear()
    await until(lambda: table.match not in table.host.tables)


async def _cut(_: Room, proxy: HostileProxy) -> None:
    proxy.cut()


async def _hostile(table: Room, proxy: HostileProxy) -> None:
    before = proxy.faults
    proxy.is_hostile = True
    await until(lambda: proxy.faults > before or all(map(is_over, table.peers)))


async def _new_host(table: Room, proxy: HostileProxy) -> None:
    await table.restart()
    proxy.cut()


FAULTS: Final[tuple[Callable[[Room, HostileProxy], Awaitable[None]], ...]] = (
    _cut,
    _hostile,
    _new_host,
)


@pytest.mark.full
@pytest.mark.series("N11")
async def test_n11_repeated_matches_with_faults_leak_nothing(
    tmp_path: Path, impatient: Patience, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.netplay.tables._LONGEST_TEST", 86_400.0)
    monkeypatch.setattr("netplay.workers.match_server.UNLOAD_SECONDS", 0.0)
    chance = random.Random(11)
    held: list[tuple[int, int]] = []
    before = open_files()
    async with room(tmp_path, "short", plain=True) as table:
        proxy = HostileProxy(11, table.port)
        proxy.is_hostile = False
        await proxy.start()
        tracemalloc.start()
        try:
            for number in range(MATCHES):
                await one_match(table, proxy, number + chance.randrange(2), impatient)
                await until(lambda: not proxy.connections)
                gc.collect()
                held.append((open_files(), tracemalloc.get_traced_memory()[0]))
        finally:
            tracemalloc.stop()
            await proxy.stop()
        (files, memory), (last_files, last_memory) = held[WARM], held[-1]
        more = MATCHES - 1 - WARM
        assert last_files - files <= CLOSING
        assert last_memory - memory <= BYTES * more + LOADED
    await until(lambda: open_files() <= before + CLOSING)
    records = [*table.host.folder.glob("*.fplog")]
    assert len(records) == MATCHES + 1  # and the match that no player joined
    assert {verify_file(path, TOY).status for path in records} == {"ok"}

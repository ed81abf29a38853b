"""N5: on any line, both logs are parts of one history, and after it is repaired they are equal."""

import asyncio
import contextlib
from pathlib import Path
from typing import Any

import pytest

from netplay.wire.errors import NetworkError
from saves.errors import StaleCommandError
from saves.match import Match
from saves.match_replica import PendingRecord
from saves.records import Record
from tests.netplay.impatience import AS_EVER, Patience
from tests.netplay.proxy import HostileProxy
from tests.netplay.tables import Room, is_over, live, play, room, step, until
from tests.patience import PATIENCE
from tests.sizes import sized
from tests.toy_game import BLUE, RED, TOY, Hold

SEEDS = sized(2, 100, 5_000, of="games of the toy")
AT_ONCE = sized(2, 10, of="toy games at the same time")
FAULTS = 3
"""Number of faults before the line is repaired."""


def check_one_history(table: Room) -> None:
    judge = table.host.tables[table.match].match
    for each in table.peers:
        for seq in range(each.seq + 1):
            assert each.copy.record(seq).chain == judge.records[seq].chain
            assert each.copy.record(seq).seq == seq


async def one_bad_game(folder: Path, seed: int, patience: Patience) -> int:
    async with room(folder, "short", plain=True) as table:
        proxy = HostileProxy(seed, table.port)
        await proxy.start()
        try:
            peers = [table.peer(role, port=proxy.port) for role in (RED, BLUE, None)]
            games = [
                asyncio.create_task(play(each, 999, seed + number))
                for number, each in enumerate(peers[:2])
            ]

            def is_disturbed() -> bool:
                check_one_history(table)
                return proxy.faults >= FAULTS or all(map(is_over, peers))

            await until(is_disturbed)
            proxy.is_hostile = False
            patience.wait(AS_EVER)
            proxy.cut()
            await asyncio.wait_for(asyncio.gather(*games), PATIENCE)
            await until(lambda: all(map(is_over, peers)))
            check_one_history(table)
            judge = table.host.tables[table.match].match
            for each in peers:
                assert each.copy.chain == judge.chain
                assert each.copy.digest() == judge.view_digest(each.role)
        finally:
            await proxy.stop()
        return proxy.faults


@pytest.mark.series("N5")
@pytest.mark.parametrize("first", range(0, SEEDS, AT_ONCE), ids=lambda first: f"N5-seeds-{first}")
async def test_a_hostile_connection_loses_and_duplicates_nothing(
    tmp_path: Path, first: int, impatient: Patience
) -> None:
    games = [
        one_bad_game(tmp_path / str(seed), seed, impatient)
        for seed in range(first, first + AT_ONCE)
    ]
    faults = await asyncio.wait_for(asyncio.gather(*games), 120)
    assert sum(faults) > AT_ONCE


@pytest.mark.full
@pytest.mark.series("N5")
@pytest.mark.usefixtures("impatient")
async def test_a_connection_cut_after_every_command_loses_nothing(tmp_path: Path) -> None:
    async with room(tmp_path, "short", plain=True) as table:
        proxy = HostileProxy(1, table.port)
        proxy.is_hostile = False
        await proxy.start()
        try:
            red = table.peer(RED, port=proxy.port)
            blue = table.peer(BLUE, port=proxy.port)
            await live(red, blue)
            for number in range(9):
                given = asyncio.create_task(step(1, number, red, blue))
                await asyncio.sleep(0.001 * number)
                proxy.cut()
                await asyncio.wait_for(given, PATIENCE)
            await until(lambda: red.seq == blue.seq == table.head)
            check_one_history(table)
        finally:
            await proxy.stop()


@pytest.mark.full
@pytest.mark.usefixtures("impatient")
async def test_a_command_is_applied_once_if_the_host_stops_before_answering(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The host syncs a command and stops before it can answer."""
    async with room(tmp_path, "short") as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        listener = table.host._listener
        show = Match.apply

        def show_and_die(match: Match[Any], draft: PendingRecord[Any]) -> Record:
            listener._closing = True
            return show(match, draft)

        monkeypatch.setattr(Match, "apply", show_and_die)
        given = asyncio.create_task(red.submit(Hold()))
        await until(lambda: table.head == 1)
        monkeypatch.undo()
        await table.restart()
        record = await asyncio.wait_for(given, PATIENCE)
        assert record.seq == 1
        await until(lambda: red.seq == blue.seq == 1)
        assert table.head == 1
        assert TOY.active_roles(red.state) == (BLUE,)


async def test_closing_a_peer_fails_its_pending_command(tmp_path: Path) -> None:
    async with room(tmp_path, "short") as table:
        red = table.peer(RED)
        await live(red)
        await table.host.stop()
        given = asyncio.create_task(red.submit(Hold()))
        await asyncio.sleep(0)
        await red.close()
        with pytest.raises(NetworkError), contextlib.suppress(StaleCommandError):
            await asyncio.wait_for(given, PATIENCE)

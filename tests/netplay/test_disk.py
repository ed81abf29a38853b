"""A host's disk: nobody is told before it has a record, and a slow or broken one holds up its own match only."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from engine.kernel.ids import Role
from netplay.errors import NetworkError
from netplay.peer import Peer
from netplay.table import Table
from saves.files import Files
from saves.logfile import LogWriter, read_log
from tests.netplay.tables import PLAYERS, Room, live, room, step, until
from tests.saves.faulty_files import FaultyFiles, StuckFiles
from tests.toy_game import BLUE, RED


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[Room]:
    async with room(tmp_path, "long") as made:
        yield made


def _disk(table: Room, files: Files) -> Table:
    """Put the record of a room's match on another disk."""
    found = table.host.tables[table.match]
    assert isinstance(found.match._log, LogWriter)
    found.match._log._files = files
    return found


async def _usual(peer: Peer) -> None:
    decision = peer.decision()
    assert decision is not None
    await peer.submit(decision.default)


async def _asked(table: Room) -> tuple[Peer, Peer]:
    """Return two live peers, first one that is asked."""
    red, blue = table.peer(RED), table.peer(BLUE)
    await live(red, blue)
    return (red, blue) if red.is_asked else (blue, red)


async def test_a_match_goes_on_while_the_disk_of_another_is_stuck(table: Room) -> None:
    giver, other = await _asked(table)
    watcher = table.peer(None)
    await live(watcher)
    disk = StuckFiles()
    stuck = _disk(table, disk)
    command = asyncio.create_task(_usual(giver))
    try:
        await until(disk.entered.is_set)
        opened = table.host.open_match("toy", "long", {}, PLAYERS)
        table.invites = opened.invites
        red, blue = (table.peer(Role(role), f"second-{role}") for role in (RED, BLUE))
        await live(red, blue)
        await step(5, 0, red, blue)
        assert table.host.tables[opened.match].match.seq == 5
        assert not command.done()
        assert stuck.match.seq == giver.seq == other.seq == watcher.seq == 0
    finally:
        disk.released.set()
    await command
    await until(lambda: giver.seq == other.seq == watcher.seq == 1)


async def test_commands_of_a_match_keep_their_order_while_its_disk_is_slow(table: Room) -> None:
    giver, other = await _asked(table)
    disk = StuckFiles()
    found = _disk(table, disk)
    first = asyncio.create_task(_usual(giver))
    await until(disk.entered.is_set)
    second = asyncio.create_task(giver.say("hurry"))
    disk.released.set()
    await asyncio.gather(first, second)
    await step(3, 0, giver, other)
    records = read_log(table.host.folder / f"{table.match}.fplog").records
    assert list(records) == list(found.match.records)
    assert records[1].role == giver.role


async def test_a_host_that_stops_waits_for_the_record_under_way(table: Room) -> None:
    giver, _ = await _asked(table)
    disk = StuckFiles()
    _disk(table, disk)
    command = asyncio.create_task(_usual(giver))
    await until(disk.entered.is_set)
    stopping = asyncio.create_task(table.host.stop())
    await until(lambda: bool(table.host.tables[table.match].closing))
    assert not stopping.done()
    disk.released.set()
    await stopping
    assert len(read_log(table.host.folder / f"{table.match}.fplog").records) == 2
    command.cancel()
    await asyncio.gather(command, return_exceptions=True)


@pytest.mark.parametrize("fault", ["EIO-sync", "ENOSPC"])
async def test_a_refusing_disk_ends_its_match_with_a_sentence_and_no_other(
    table: Room, fault: str
) -> None:
    giver, other = await _asked(table)
    found = _disk(table, FaultyFiles(0, fault))
    for said in ("cannot write", "takes no more records"):
        with pytest.raises(NetworkError, match=said):
            await _usual(giver)
    assert found.match.seq == giver.seq == other.seq == 0
    opened = table.host.open_match("toy", "long", {}, PLAYERS)
    table.invites = opened.invites
    red, blue = (table.peer(Role(role), f"second-{role}") for role in (RED, BLUE))
    await live(red, blue)
    await step(5, 0, red, blue)
    assert len(read_log(table.host.folder / f"{table.match}.fplog").records) == 1


class NoReveal(Files):
    """Refuses what comes after the end of a game."""

    def __init__(self, table: Table) -> None:
        self._match = table.match

    @property
    def is_over(self) -> bool:
        return self._match.ruleset.outcome(self._match.state) is not None

    def sync_data(self, handle: int) -> None:
        if self.is_over:
            raise OSError(5, "Input/output error")
        super().sync_data(handle)


async def test_the_last_command_is_told_although_the_disk_refuses_the_reveal(
    tmp_path: Path,
) -> None:
    async with room(tmp_path, "short") as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        found = table.host.tables[table.match]
        disk = NoReveal(found)
        _disk(table, disk)
        while not disk.is_over:
            await step(1, 0, red, blue)
        assert red.seq == blue.seq == found.match.seq
        assert not found.match.is_revealed

"""A host's disk: no peer receives a record before it is stored, and a slow or broken disk delays only its own match."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from typing_extensions import override

from engine.bots.random_player import RandomPlayer
from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from netplay.match.match_table import MatchTable
from netplay.peer.peer import Peer
from netplay.peer.status import Chatted
from netplay.session import bot_peer
from netplay.session.bot_peer import play_seat
from netplay.wire import limits
from netplay.wire.errors import NetworkError, UnavailableError
from play.offers import OfferKind
from saves.files import Files
from saves.logfile import LogWriter, read_log
from tests.netplay.tables import PLAYERS, Room, live, room, step, until
from tests.saves.faulty_files import FaultyFiles, StuckFiles
from tests.sizes import sampled
from tests.toy_game import BLUE, RED, TOY

WORDS = {"EIO-sync": "the host's disk rejects writes", "ENOSPC": "the host's disk is full"}


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[Room]:
    async with room(tmp_path, "long") as made:
        yield made


def _disk(table: Room, files: Files) -> MatchTable:
    """Use another disk for the record of a room's match."""
    found = table.host.tables[table.match]
    assert isinstance(found.match._log, LogWriter)
    found.match._log._files = files
    return found


async def _usual(peer: Peer) -> None:
    decision = peer.decision()
    assert decision is not None
    await peer.submit(decision.default)


async def _asked(table: Room) -> tuple[Peer, Peer]:
    """Return two live peers, with one that is asked first."""
    red, blue = table.peer(RED), table.peer(BLUE)
    await live(red, blue)
    return (red, blue) if red.is_asked else (blue, red)


@pytest.mark.full
async def test_a_match_continues_while_the_disk_of_another_is_stuck(table: Room) -> None:
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


async def test_commands_keep_their_order_on_a_slow_disk(table: Room) -> None:
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


async def test_a_stopping_host_waits_for_the_record_being_written(table: Room) -> None:
    giver, _ = await _asked(table)
    disk = StuckFiles()
    _disk(table, disk)
    command = asyncio.create_task(_usual(giver))
    await until(disk.entered.is_set)
    stopping = asyncio.create_task(table.host.stop())
    await until(lambda: bool(table.host.tables[table.match].closing_reason))
    assert not stopping.done()
    disk.released.set()
    await stopping
    assert len(read_log(table.host.folder / f"{table.match}.fplog").records) == 2
    command.cancel()
    await asyncio.gather(command, return_exceptions=True)


@pytest.mark.parametrize("fault", sampled(["EIO-sync", "ENOSPC"], 1))
async def test_failing_disk_blocks_only_its_own_match_with_a_reason(
    table: Room, fault: str
) -> None:
    giver, other = await _asked(table)
    for _ in range(3):
        found = _disk(table, FaultyFiles(0, fault))
        with pytest.raises(UnavailableError) as refused:
            await _usual(giver)
        assert f"{WORDS[fault]}; nothing was changed" in str(refused.value)
        assert str(table.folder) not in str(refused.value)
    assert found.match.seq == giver.seq == other.seq == 0
    opened = table.host.open_match("toy", "long", {}, PLAYERS)
    table.invites = opened.invites
    red, blue = (table.peer(Role(role), f"second-{role}") for role in (RED, BLUE))
    await live(red, blue)
    await step(5, 0, red, blue)
    assert len(read_log(table.host.folder / f"{table.match}.fplog").records) == 1


@pytest.mark.full
@pytest.mark.parametrize("fault", ["EIO-sync", "ENOSPC"])
async def test_a_match_resumes_when_the_disk_recovers(table: Room, fault: str) -> None:
    giver, other = await _asked(table)
    found = _disk(table, FaultyFiles(0, fault))
    with pytest.raises(UnavailableError):
        await _usual(giver)
    await _usual(giver)
    await step(3, 0, giver, other)
    records = read_log(table.host.folder / f"{table.match}.fplog").records
    assert records == found.match.records
    assert len(records) == 5


async def test_a_takeback_refused_by_the_disk_does_not_reveal_a_path(table: Room) -> None:
    giver, other = await _asked(table)
    await _usual(giver)
    await until(lambda: other.seq == 1)
    _disk(table, FaultyFiles(0, "ENOSPC"))
    said: list[str] = []
    giver.reporter.listen(
        lambda event: said.append(event.text) if isinstance(event, Chatted) else None
    )
    await giver.propose(OfferKind.TAKEBACK, 0)
    await until(lambda: other.reporter.offer is not None)
    with pytest.raises(NetworkError, match="the host's disk is full"):
        await other.answer_offer(agree=True)
    await until(lambda: bool(said))
    assert "the host's disk is full" in said[0]
    assert str(table.folder) not in said[0]


async def test_a_bot_resumes_when_the_disk_recovers(
    table: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bot_peer, "_RETRY_SECONDS", 0.01)
    giver, _ = await _asked(table)
    found = _disk(table, FaultyFiles(0, "ENOSPC"))
    bot = asyncio.create_task(play_seat(giver, RandomPlayer(DerivedDice(bytes(32), 0))))
    await until(lambda: found.match.seq > 0)
    bot.cancel()
    await asyncio.gather(bot, return_exceptions=True)


class NoReveal(Files):
    """Refuses records after the end of a game."""

    def __init__(self, table: MatchTable) -> None:
        self._match = table.match
        self.refuses = True

    @property
    def is_over(self) -> bool:
        return self._match.ruleset.outcome(self._match.state) is not None

    @override
    def sync_data(self, handle: int) -> None:
        if self.is_over and self.refuses:
            raise OSError(5, "Input/output error")
        super().sync_data(handle)

    @override
    def sync(self, handle: int) -> None:
        if self.is_over and self.refuses:
            raise OSError(5, "Input/output error")
        super().sync(handle)


@pytest.mark.full
async def test_last_command_is_sent_even_if_reveal_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "REPAIR_SECONDS", 0.1)
    async with room(tmp_path, "short") as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        found = table.host.tables[table.match]
        disk = NoReveal(found)
        _disk(table, disk)
        said: list[str] = []
        red.reporter.listen(
            lambda event: said.append(event.text) if isinstance(event, Chatted) else None
        )
        while not disk.is_over:
            await step(1, 0, red, blue)
        assert red.seq == blue.seq == found.match.seq
        assert not found.match.is_revealed
        await until(lambda: bool(said))
        assert said[0].startswith("the game is over; its secret will be revealed as soon as")
        disk.refuses = False
        await until(lambda: red.copy.is_revealed and blue.copy.is_revealed)
        assert len(said) == 1
        assert read_log(table.host.folder / f"{table.match}.fplog").records[-1].kind == "reveal"


async def test_a_crash_between_the_last_command_and_the_reveal_is_repaired(tmp_path: Path) -> None:
    async with room(tmp_path, "short", plain=True) as table:
        judge = table.host.tables[table.match].match
        while asked := TOY.active_roles(judge.state):
            judge.submit(asked[0], TOY.decision(judge.state, asked[0]).default, judge.seq)
        await table.restart()
        red = table.peer(RED)
        await until(lambda: red.copy.is_revealed)
        assert table.host.tables[table.match].match.is_revealed

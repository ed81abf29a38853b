"""Seats whose journal knows more records than their copy: a host's bots, which keep no copies, and lost files."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from netplay.peer.peer import Peer
from netplay.session.bot_peer import play_seat
from netplay.wire.modes import FAIR, JOINT, Chance
from netplay.workers.host_bots import save_bot_invite
from saves.framing import SECTOR
from saves.logfile import read_log
from tests.netplay.lasting_bot import LastingBot
from tests.netplay.tables import until
from tests.netplay.test_eots_whole import ALLIED, JAPAN
from tests.netplay.test_fair import EOTS_PLAYERS, Hall, give, hall

MODES = pytest.mark.parametrize("mode", [JOINT, pytest.param(FAIR, marks=pytest.mark.full)])


async def plays(table: Hall, allied: Peer) -> None:
    """Let the Allied seat play until the host's bot has also given a command."""
    bot = asyncio.create_task(play_seat(allied, LastingBot("eots")))
    before = allied.seq
    await until(lambda: commands_of(table, JAPAN, before) or bot.done())
    assert not bot.done()
    bot.cancel()
    await asyncio.gather(bot, return_exceptions=True)


def commands_of(table: Hall, role: str, after: int) -> bool:
    """Return whether a role has given a command after a record."""
    records = table.judged.records[after + 1 :]
    return any(record.kind == "command" and record.role == role for record in records)


@pytest.mark.full
@MODES
async def test_a_host_bot_resumes_after_each_restart(tmp_path: Path, mode: Chance) -> None:
    table = Hall(tmp_path, "eots", "1943", {ALLIED: "Ada", JAPAN: "bot:random"}, chance=mode)
    await table.open()
    try:
        match = table.opened.match
        save_bot_invite(table.host.folder, table.opened.invites[JAPAN])
        table.host.start_bots(match)
        allied = table.seat(ALLIED)
        await table.live()
        for _ in range(2):
            await plays(table, allied)
            await table.restart()
            table.host.start_bots(match)
            await table.live()
        await plays(table, allied)
    finally:
        await table.close()


def tear(path: Path) -> None:
    """Destroy a sector of a record in the middle of a copy."""
    offset = read_log(path).record_offsets[3] // SECTOR * SECTOR + SECTOR
    content = path.read_bytes()
    path.write_bytes(content[:offset] + bytes(SECTOR) + content[offset + SECTOR :])


@pytest.mark.full
@MODES
@pytest.mark.parametrize("damage", [Path.unlink, tear], ids=["lost", "torn"])
async def test_a_seat_with_a_damaged_copy_receives_it_again(
    tmp_path: Path, mode: Chance, damage: Callable[[Path], None]
) -> None:
    async with hall(tmp_path, "eots", "1943", EOTS_PLAYERS, chance=mode) as table:
        await give(table, 6)
        await table.level()
        for role in EOTS_PLAYERS:
            peer = table.peers[role]
            await peer.close()
            damage(peer.copy.path)
            table.seat(role)
            await table.live()
            await table.level()
        await give(table, 4)
        await table.level()

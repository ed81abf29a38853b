"""A host whose record was restored from a backup, while its file of pending messages is the current one."""

import asyncio
from pathlib import Path

import pytest

from engine.kernel.errors import DataError
from netplay.wire.modes import JOINT
from tests.netplay.test_fair import EOTS_PLAYERS, give, hall, host_file, stuck


async def test_p8_host_with_restored_record_does_not_sign_a_second_history(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pending messages follow messages that the restored record lacks, so the host refuses to open the match."""
    async with hall(tmp_path, "eots", "1943", EOTS_PLAYERS, chance=JOINT) as table:
        match = table.opened.match
        await give(table, 1)
        await table.level()
        backup = host_file(table).read_bytes()
        await give(table, 2)
        peer, given, _ = await stuck(table, monkeypatch)
        index = table.match.fair_state.index
        await peer.close()
        given.cancel()
        await asyncio.gather(given, return_exceptions=True)
        await table.host.stop()
        current = host_file(table).read_bytes()
        host_file(table).write_bytes(backup)
        await table.restart()
        assert match not in table.host.tables
        with pytest.raises(DataError, match=r"this record is older than .*\.pending7 and lacks"):
            table.house.open_table(match)

        host_file(table).write_bytes(current)
        await table.restart()
        assert table.match.fair_state.index == index, "the host continues with the current record"

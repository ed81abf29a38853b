"""A host whose record was restored from a backup while no message was pending."""

from pathlib import Path

import pytest

from engine.kernel.errors import DataError
from netplay.journal.frame_file import MAGIC, read_frames
from netplay.wire.modes import FAIR, JOINT, Chance
from tests.netplay.test_fair import EOTS_PLAYERS, give, hall, host_file
from tests.saves.fair.quick_proofs import quick_proofs

__all__ = ("quick_proofs",)
pytestmark = pytest.mark.usefixtures("quick_proofs")


@pytest.mark.parametrize("chance", [JOINT, pytest.param(FAIR, marks=pytest.mark.full)])
async def test_p8_host_reports_an_older_record_without_pending_messages(
    tmp_path: Path, chance: Chance
) -> None:
    async with hall(tmp_path, "eots", "1943", EOTS_PLAYERS, chance=chance) as table:
        match = table.opened.match
        await give(table, 1)
        await table.level()
        backup = host_file(table).read_bytes()
        await give(table, 1)
        await table.level()
        index = table.match.fair_state.index
        await table.host.stop()
        current = host_file(table).read_bytes()
        host_file(table).write_bytes(backup)
        await table.restart()
        assert match not in table.host.tables
        with pytest.raises(DataError, match=r"this record is older than .*\.pending7 and lacks"):
            table.house.open_table(match)

        host_file(table).write_bytes(current)
        await table.restart()
        assert table.match.fair_state.index == index
        await give(table, 1)


@pytest.mark.full
async def test_host_resumes_from_an_empty_pending_file_of_an_earlier_version(
    tmp_path: Path,
) -> None:
    async with hall(tmp_path, "eots", "1943", EOTS_PLAYERS, chance=JOINT) as table:
        await give(table, 1)
        await table.level()
        await table.host.stop()
        pending = host_file(table).with_suffix(".pending7")
        pending.write_bytes(MAGIC)
        await table.restart()
        await give(table, 1)
        await table.level()
        assert read_frames(pending), "it now contains the index"

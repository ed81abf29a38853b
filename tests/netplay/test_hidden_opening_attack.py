"""A host stops a match after the deal, and keeps the seat's program from listing it (docs/fair-play.md, section 11)."""

from pathlib import Path

import pytest

from netplay.wire.modes import FAIR, JOINT, Chance
from tests.netplay.test_earlier import deal, host, listed, stop
from tests.netplay.test_eots_whole import ALLIED
from tests.sizes import sampled


@pytest.mark.parametrize("chance", sampled([JOINT, FAIR], 1, of="modes of a stopped opening"))
async def test_remarks_do_not_hide_a_stopped_opening(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chance: Chance
) -> None:
    """Remarks are records that need no signature of a seat. Only so many records of a match are read."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    async with host(tmp_path, chance) as table:
        await deal(table)
        await table.level()
        count = 400
        with table.judged.batch():
            for _ in range(count):
                table.judged.remark("x")
        recorder = table.host.tables[table.opened.match].recorder
        recorder.change_signal.bump()
        await table.level()
        assert table.peers[ALLIED].seq == count
        match = await stop(table)
        assert match in listed(table), "the player gave no command after the deal"

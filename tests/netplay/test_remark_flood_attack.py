"""A host makes a seat's record so long, with remarks that need no signature, that nobody can read it again.

The limit on the length of a record file is lowered here. At its real value, a host needs some 130,000 remarks of the
greatest length.
"""

from pathlib import Path

import pytest

from netplay.peer import replicator
from netplay.wire.modes import FAIR, JOINT, Chance
from saves.verify import verify_file
from tests.netplay.tables import until
from tests.netplay.test_earlier import deal, host
from tests.netplay.test_eots_whole import ALLIED
from tests.sizes import sampled


@pytest.mark.parametrize(
    "chance", sampled([JOINT, FAIR], 1, of="modes of a record that is too long")
)
async def test_p8_seat_refuses_records_that_would_make_its_file_unreadable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chance: Chance
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    async with host(tmp_path, chance) as table:
        await deal(table)
        victim = table.peers[ALLIED]
        with table.judged.batch():
            for _ in range(600):
                table.judged.remark("x" * 400)
        monkeypatch.setattr(
            "saves.logfile.MAX_LOG_BYTES", 1 << 18
        )  # the host itself knows no limit
        table.host.tables[table.opened.match].recorder.change_signal.bump()
        await until(lambda: victim.reporter.is_over)
        assert "longer than" in victim.reporter.status.reason
        await victim.close()
        assert verify_file(victim.copy.path).status == "ok"


@pytest.mark.full
async def test_seat_limits_consecutive_unsigned_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr("saves.follower._MAX_UNSIGNED_RECORDS", 10)
    monkeypatch.setattr(replicator, "RETRY_MIN_SECONDS", 0.02)
    async with host(tmp_path, JOINT) as table:
        await deal(table)
        victim = table.peers[ALLIED]
        with table.judged.batch():
            for _ in range(12):
                table.judged.remark("x")
        table.host.tables[table.opened.match].recorder.change_signal.bump()
        await until(lambda: victim.reporter.is_over)
        assert "too many records without a signature" in victim.reporter.status.reason
        assert victim.seq == 10

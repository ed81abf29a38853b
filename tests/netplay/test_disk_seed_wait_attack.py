"""A host whose disk is full at the end of a match, for longer than ``seed_wait``. All programs are honest."""

import contextlib
from pathlib import Path

import pytest

from netplay.system.disk_state import PENDING
from netplay.wire.errors import NetworkError
from play.offers import OfferKind
from saves.errors import StorageError
from saves.fair.record_verifier import missing_seeds
from saves.fair.state import TranscriptPhase
from saves.fair.terms import SHORTEST_SEED_WAIT, TimeLimits
from tests.netplay.faulty_disk import FaultyDisk
from tests.netplay.tables import until
from tests.netplay.test_eots_whole import ALLIED, JAPAN
from tests.netplay.test_fair import EOTS_PLAYERS, hall, waited_for
from tests.netplay.test_fair_seed_wait import HostClocks, keep_seed
from tests.saves.fair.quick_proofs import quick_proofs

__all__ = ("quick_proofs",)
pytestmark = pytest.mark.usefixtures("quick_proofs")


@pytest.mark.parametrize(
    "full_for", [0, pytest.param(SHORTEST_SEED_WAIT + 1, marks=pytest.mark.full)]
)
async def test_at_25_match_that_ended_on_a_full_disk_is_closed_with_its_seeds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, full_for: int
) -> None:
    """While the disk is full, no seat learns of the end, so none of them can send its seed."""
    clocks = HostClocks(monkeypatch)
    disk = FaultyDisk(tmp_path / "host", monkeypatch)
    limits = TimeLimits(seed_wait=SHORTEST_SEED_WAIT)
    async with hall(tmp_path, "eots", "south-pacific", EOTS_PLAYERS, limits=limits) as table:
        await table.level()
        held = table.host.tables[table.opened.match]
        disk.trouble = "full"
        with contextlib.suppress(NetworkError):
            await table.peers[ALLIED].propose(OfferKind.RESIGNATION)
        await until(lambda: held.recorder.disk_state.is_refusing)
        assert table.match.fair_state.has_ended
        clocks.system += full_for
        clocks.skipped += full_for
        held.finish()  # called every second
        assert held._finish_task is not None
        await held._finish_task
        assert table.match.fair_state.phase is TranscriptPhase.ENDED
        disk.trouble = ""
        await until(lambda: not held.recorder.disk_state.trouble)
        await until(lambda: table.match.is_revealed)  # the host calls finish() every second
        assert table.match.terms.ending is not None, "the resignation is in no record"
        assert missing_seeds(table.match.header, table.match.records) == ()


@pytest.mark.full
async def test_at_25_seed_wait_restarts_when_the_disk_recovers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The end is on disk, but the disk is then full for longer than ``seed_wait``, so no seed can be stored."""
    clocks = HostClocks(monkeypatch)
    limits = TimeLimits(seed_wait=SHORTEST_SEED_WAIT)
    async with hall(tmp_path, "eots", "south-pacific", EOTS_PLAYERS, limits=limits) as table:
        await table.level()
        keep_seed(table.peers[JAPAN], monkeypatch)
        await table.peers[ALLIED].propose(OfferKind.RESIGNATION)
        await until(lambda: waited_for(table) == (JAPAN,))
        held = table.host.tables[table.opened.match]
        await until(lambda: not held.commands.is_record_due)  # the other seed is on disk
        held.recorder.disk_state.on_write_failed(StorageError("no space"), PENDING)
        clocks.system += SHORTEST_SEED_WAIT + 1
        clocks.skipped += SHORTEST_SEED_WAIT + 1
        assert not held.commands.is_record_due
        held.recorder.disk_state.on_write_succeeded(PENDING)
        assert not held.commands.is_record_due
        clocks.system += SHORTEST_SEED_WAIT + 1
        clocks.skipped += SHORTEST_SEED_WAIT + 1
        assert held.commands.is_record_due

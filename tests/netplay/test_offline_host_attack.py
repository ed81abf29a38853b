"""A host that is off for longer than ``seed_wait`` after the end of a match, before the match is closed."""

import os
import time
from pathlib import Path

import pytest

from netplay.peer.fair_duties import FairDuties
from play.offers import OfferKind
from saves.fair.record_verifier import missing_seeds
from saves.fair.state import TranscriptPhase
from saves.fair.terms import SHORTEST_SEED_WAIT, TimeLimits
from tests.netplay.tables import until
from tests.netplay.test_eots_whole import ALLIED
from tests.netplay.test_fair import EOTS_PLAYERS, hall, host_file
from tests.saves.fair.quick_proofs import quick_proofs

__all__ = ("quick_proofs",)
pytestmark = pytest.mark.usefixtures("quick_proofs")


async def test_at_25_seeds_are_accepted_after_the_host_was_offline_beyond_seed_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the host is off, no seat can send its seed. All programs are honest and connect again."""
    limits = TimeLimits(seed_wait=SHORTEST_SEED_WAIT)
    async with hall(tmp_path, "eots", "south-pacific", EOTS_PLAYERS, limits=limits) as table:
        await table.level()
        with monkeypatch.context() as patch:

            async def send_nothing(*_: object) -> None:
                """Replace the seats' sending, so that the host stops before a seed arrives."""

            patch.setattr(FairDuties, "send_due", send_nothing)
            await table.peers[ALLIED].propose(OfferKind.RESIGNATION)
            await until(lambda: table.match.fair_state.phase is TranscriptPhase.ENDED)
            await table.level()
            await table.host.stop()
        record = host_file(table)
        ended = time.time() - SHORTEST_SEED_WAIT - 60
        os.utime(record, (ended, ended))
        await table.restart()
        await until(lambda: table.match.is_revealed)
        assert missing_seeds(table.match.header, table.match.records) == ()

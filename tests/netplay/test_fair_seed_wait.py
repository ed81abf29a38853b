"""AT-25: what a host and the copies do about a seat that keeps its card seed after the end of a match."""

from pathlib import Path

import pytest

from netplay.match.ordered_commands import SeatDecidedCommands
from netplay.peer.peer import Peer
from play.offers import OfferKind
from saves.fair.record_verifier import missing_seeds
from saves.fair.state import TranscriptPhase
from saves.fair.terms import SHORTEST_SEED_WAIT, TimeLimits
from saves.verify import verify_file
from tests.netplay.tables import until
from tests.netplay.test_eots_whole import ALLIED, JAPAN
from tests.netplay.test_fair import EOTS_PLAYERS, hall, host_file, waited_for
from tests.saves.fair.quick_proofs import quick_proofs

__all__ = ("quick_proofs",)
pytestmark = pytest.mark.usefixtures("quick_proofs")


class WallClock:
    """Replaces the module ``time`` of the host's commands."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def time(self) -> float:
        return self.now


def keep_seed(peer: Peer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a seat acknowledge the end, and never open its card seed."""
    assert peer.seat is not None
    participant = peer.seat.participant
    monkeypatch.setattr(participant, "update_seed_permission", lambda *, is_wait_over: is_wait_over)


async def test_at_25_a_match_is_closed_without_a_seed_when_the_time_for_it_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = WallClock()
    monkeypatch.setattr("netplay.match.ordered_commands.time", clock)
    limits = TimeLimits(seed_wait=SHORTEST_SEED_WAIT)
    async with hall(tmp_path, "eots", "south-pacific", EOTS_PLAYERS, limits=limits) as table:
        await table.level()
        allied, japan = table.peers[ALLIED], table.peers[JAPAN]
        keep_seed(japan, monkeypatch)
        await allied.propose(OfferKind.RESIGNATION)
        await until(lambda: waited_for(table) == allied.reporter.status.waiting_for == (JAPAN,))
        await table.level()
        ended = table.host.tables[table.opened.match]
        assert isinstance(ended.commands, SeatDecidedCommands)

        clock.now += SHORTEST_SEED_WAIT
        assert not ended.commands.is_record_due
        await ended.commands.store_complete()
        assert table.match.fair_state.phase is TranscriptPhase.ENDED, "the seed may still come"
        for path in (allied.copy.path, japan.copy.path, host_file(table)):
            verdict = verify_file(path)
            assert (verdict.status, verdict.exit_code) == ("awaited", 7)
            assert "ended, not closed; waiting for the card seeds" in verdict.notes

        clock.now += 1
        ended.finish()  # called every second
        await until(lambda: table.match.is_revealed)
        await table.level()
        assert missing_seeds(table.match.header, table.match.records) == (JAPAN,)
        for path in (allied.copy.path, japan.copy.path, host_file(table)):
            verdict = verify_file(path)
            assert (verdict.status, verdict.exit_code) == ("unproven", 7)
            assert "unproven: japan has not opened its card seed" in verdict.notes

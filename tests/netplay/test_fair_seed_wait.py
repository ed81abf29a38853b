"""AT-25: what a host and the copies do about a seat that keeps its card seed after the end of a match."""

from pathlib import Path

import pytest

from netplay.match.ordered_commands import SeatDecidedCommands
from netplay.peer.peer import Peer
from netplay.system.awake_clock import AwakeClock
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


class HostClocks:
    """The system clock of the host's commands, and the seconds that the host has been running."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Replace both clocks. The running time continues, but can be moved forward."""
        self.system = 1_000_000.0
        self.skipped = 0.0
        running = AwakeClock.now
        monkeypatch.setattr("netplay.match.ordered_commands.time", self)
        monkeypatch.setattr(AwakeClock, "now", lambda clock: running(clock) + self.skipped)

    def time(self) -> float:
        return self.system


def keep_seed(peer: Peer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a seat acknowledge the end, and never open its card seed."""
    assert peer.seat is not None
    participant = peer.seat.participant
    monkeypatch.setattr(participant, "update_seed_permission", lambda *, is_wait_over: is_wait_over)


async def test_at_25_a_match_is_closed_without_a_seed_after_the_seed_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clocks = HostClocks(monkeypatch)
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

        clocks.system += SHORTEST_SEED_WAIT
        clocks.skipped += SHORTEST_SEED_WAIT + 1
        assert not ended.commands.is_record_due
        await ended.commands.store_complete()
        assert table.match.fair_state.phase is TranscriptPhase.ENDED, "the seed may still come"
        for path in (allied.copy.path, japan.copy.path, host_file(table)):
            verdict = verify_file(path)
            assert (verdict.status, verdict.exit_code) == ("awaited", 7)
            assert "ended, not closed; waiting for the card seeds" in verdict.notes

        clocks.system += 1
        ended.finish()  # called every second
        await until(lambda: table.match.is_revealed)
        await table.level()
        assert missing_seeds(table.match.header, table.match.records) == (JAPAN,)
        for path in (allied.copy.path, japan.copy.path, host_file(table)):
            verdict = verify_file(path)
            assert (verdict.status, verdict.exit_code) == ("unproven", 7)
            assert "unproven: japan has not revealed its card seed" in verdict.notes


@pytest.mark.full
@pytest.mark.parametrize(
    "seed_wait", [SHORTEST_SEED_WAIT, pytest.param(2 * 3_600, marks=pytest.mark.full)]
)
async def test_at_25_a_system_clock_jump_does_not_close_a_match_early(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed_wait: int
) -> None:
    """The host must also have been running for ``seed_wait``, or for an hour if that is shorter."""
    clocks = HostClocks(monkeypatch)
    limits = TimeLimits(seed_wait=seed_wait)
    async with hall(tmp_path, "eots", "south-pacific", EOTS_PLAYERS, limits=limits) as table:
        await table.level()
        keep_seed(table.peers[JAPAN], monkeypatch)
        await table.peers[ALLIED].propose(OfferKind.RESIGNATION)
        await until(lambda: waited_for(table) == (JAPAN,))
        ended = table.host.tables[table.opened.match]
        await until(lambda: not ended.commands.is_record_due)  # the other seed is on disk
        clocks.system += 400 * 86_400
        assert not ended.commands.is_record_due
        clocks.skipped += min(seed_wait, 3_600) - 30  # the test itself takes less than 30 seconds
        assert not ended.commands.is_record_due
        clocks.skipped += 31
        assert ended.commands.is_record_due

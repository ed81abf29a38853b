"""A seat opens its card seed but never acknowledges the end, so that only the others seem to keep theirs back."""

from pathlib import Path

import pytest

from play.offers import OfferKind
from saves.fair.record_verifier import missing_seeds
from tests.netplay.tables import until
from tests.netplay.test_eots_whole import ALLIED, JAPAN
from tests.netplay.test_fair import EOTS_PLAYERS, hall
from tests.saves.fair.quick_proofs import quick_proofs

__all__ = ("quick_proofs",)
pytestmark = pytest.mark.usefixtures("quick_proofs")


async def test_p7_seat_that_opens_its_seed_without_an_acknowledgement_blocks_no_other_seed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The host is honest. Nobody would blame the attacker, because the host waits only for the victim's seed."""
    async with hall(tmp_path, "eots", "south-pacific", EOTS_PLAYERS) as table:
        await table.level()
        victim, attacker = table.peers[ALLIED], table.peers[JAPAN]
        assert attacker.seat is not None
        participant = attacker.seat.participant
        monkeypatch.setattr(participant, "sign_ack", lambda: None)
        participant.participant.may_open_seed = True
        await victim.propose(OfferKind.RESIGNATION)
        await until(lambda: JAPAN in table.match.fair_state.seeds)
        await until(lambda: table.match.is_revealed)
        assert missing_seeds(table.match.header, table.match.records) == ()

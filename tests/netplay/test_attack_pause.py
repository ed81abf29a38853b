"""A match of protocol 7 that all seats have adjourned continues with the next command, over TLS."""

import asyncio
from pathlib import Path

import pytest

from netplay.peer.status import ConnectionState
from netplay.session.peer_session import PeerSession
from play.offers import OfferKind
from saves.fair.state import TranscriptPhase
from saves.verify import verify_file
from tests.netplay.hostile import hostile_hall
from tests.netplay.tables import until
from tests.saves.fair.quick_proofs import quick_proofs

__all__ = ("quick_proofs",)
pytestmark = pytest.mark.usefixtures("quick_proofs")
LIMIT = 60.0


async def test_an_adjourned_match_resumes_with_the_next_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with asyncio.timeout(LIMIT), hostile_hall(tmp_path, monkeypatch) as hall:
        asked = hall.asked_seat()
        giver, other = hall.peers[asked], next(p for r, p in hall.peers.items() if r != asked)
        await giver.propose(OfferKind.ADJOURNMENT)
        await until(lambda: other.must_answer)
        await other.answer_offer(agree=True)
        await until(lambda: giver.is_adjourned and other.is_adjourned)
        assert hall.state.phase is TranscriptPhase.IDLE
        sessions = [PeerSession(peer) for peer in (giver, other)]
        for session in sessions:
            assert session.is_adjourned
            assert session.waiting_for() == (asked,)
            assert OfferKind.RESUMPTION not in session.available_offers()
        assert sessions[0].decision() is not None
        assert sessions[1].decision() is None
        seq, decision = giver.seq, giver.decision()
        assert decision is not None, "the next command ends the pause"
        await giver.submit(decision.options[-1])
        await until(
            lambda: (
                all(p.seq > seq for p in (giver, other))
                or any(p.reporter.status.link is ConnectionState.STOPPED for p in (giver, other))
            )
        )
        for peer in (giver, other):
            assert peer.reporter.status.link is ConnectionState.CONNECTED, (
                peer.reporter.status.reason
            )
            assert not peer.is_adjourned
        paths = [peer.copy.path for peer in (giver, other)]
    for path in paths:
        assert verify_file(path, giver.ruleset).status == "ok"

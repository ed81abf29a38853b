"""A player makes a second offer while one is open, and must still be able to give the next command."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from netplay.feed.host_session import Verdict
from netplay.peer.peer import Peer
from netplay.peer.replicator import PeerRequest
from netplay.wire.modes import FAIR, JOINT, Chance
from play.offers import OfferKind
from saves.errors import MatchError
from saves.fair.state import TranscriptPhase
from tests.netplay.tables import until
from tests.netplay.test_fair import EOTS_PLAYERS, Hall, hall
from tests.patience import PATIENCE
from tests.saves.fair.quick_proofs import quick_proofs
from tests.sizes import sampled

__all__ = ("quick_proofs",)
pytestmark = pytest.mark.usefixtures("quick_proofs")
_OFFERS = [OfferKind.ADJOURNMENT, OfferKind.DRAW, OfferKind.TAKEBACK]
_MODES = [JOINT, FAIR]


async def asked_peer(table: Hall) -> Peer:
    await table.level()
    return next(table.peers[role] for role in table.players if table.peers[role].is_asked)


async def give_default(peer: Peer) -> None:
    decision = peer.decision()
    assert decision is not None
    await asyncio.wait_for(peer.submit(decision.default), PATIENCE)


@pytest.mark.parametrize("matter", sampled(_OFFERS, 1, of="kinds of a second offer"))
@pytest.mark.parametrize("chance", sampled(_MODES, 1, of="modes with a second offer"))
async def test_a_second_offer_leaves_the_slot_of_the_next_command_free(
    tmp_path: Path, chance: Chance, matter: OfferKind
) -> None:
    async with hall(tmp_path, "eots", "1943", EOTS_PLAYERS, chance=chance) as table:
        peer = await asked_peer(table)
        await peer.propose(OfferKind.DRAW)
        await until(lambda: peer.reporter.offer is not None)
        seq = table.judged.seq
        with pytest.raises(MatchError, match="another offer is still open"):
            await peer.propose(matter, seq)
        await give_default(peer)
        assert table.judged.seq > seq


@pytest.mark.parametrize("chance", sampled(_MODES, 1, of="modes with crossing offers"))
async def test_an_offer_that_crosses_another_leaves_the_slot_of_the_next_command_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chance: Chance
) -> None:
    async with hall(tmp_path, "eots", "1943", EOTS_PLAYERS, chance=chance) as table:
        peer = await asked_peer(table)
        other = next(table.peers[role] for role in table.players if role != peer.role)
        send, is_first = peer.replicator.send, [True]

        async def send_late(
            request: PeerRequest, recorded_seq: Callable[[], int | None] = lambda: None
        ) -> Verdict:
            if is_first.pop() if is_first else False:
                await other.propose(OfferKind.DRAW)
            return await send(request, recorded_seq)

        monkeypatch.setattr(peer.replicator, "send", send_late)
        seq = table.judged.seq
        with pytest.raises(MatchError, match="another offer is still open"):
            await peer.propose(OfferKind.ADJOURNMENT)
        assert table.match.fair_state.phase is TranscriptPhase.CONSENT
        await give_default(peer)
        assert table.judged.seq > seq

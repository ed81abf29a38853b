"""A host refuses an offer only after the opponent's dice, so that the offer is signed again for the new position.

The opponent agrees only if the dice were bad for it. A takeback even lets it roll again.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from netplay.feed.host_session import Verdict
from netplay.peer.replicator import PeerRequest
from netplay.wire.errors import NetworkError
from netplay.wire.modes import FAIR, JOINT, Chance
from play.offers import OfferKind
from saves.fair.state import TranscriptPhase
from tests.netplay.hostile import hostile_hall
from tests.netplay.test_fair_attacks import LIMIT
from tests.netplay.test_joint_attacks import find
from tests.saves.fair.quick_proofs import quick_proofs
from tests.sizes import sampled

__all__ = ("quick_proofs",)
pytestmark = pytest.mark.usefixtures("quick_proofs")


@pytest.mark.parametrize("matter", [OfferKind.DRAW, OfferKind.TAKEBACK])
@pytest.mark.parametrize("chance", sampled([JOINT, FAIR], 1, of="modes with a repeated offer"))
async def test_p4_offer_is_not_signed_again_for_a_position_that_the_player_has_not_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chance: Chance, matter: OfferKind
) -> None:
    async with (
        asyncio.timeout(LIMIT),
        hostile_hall(tmp_path, monkeypatch, chance=chance) as hall,
    ):
        await hall.give(2)
        command = await find(hall, uses_chance=False)
        victim, seq, is_first = hall.peers[hall.victim], hall.judged.seq, [True]
        send = victim.replicator.send

        async def send_late(
            request: PeerRequest, recorded_seq: Callable[[], int | None] = lambda: None
        ) -> Verdict:
            if is_first.pop() if is_first else False:
                await hall.peers[hall.accomplice].submit(command)
            return await send(request, recorded_seq)

        monkeypatch.setattr(victim.replicator, "send", send_late)
        with pytest.raises(NetworkError, match="the game has continued"):
            await victim.propose(matter, seq - 1)
        await hall.level()
        assert hall.judged.seq > seq
        assert hall.state.phase is TranscriptPhase.IDLE
        hall.check(hall.victim)

"""A host keeps a record back, but sends its messages and an offer, so that a player answers without knowing the record.

The opponent, who belongs to the host, has rolled badly and asks for a draw before the player sees the dice.
"""

import asyncio
from pathlib import Path

import pytest

from netplay.journal.errors import SlotUsedError
from netplay.session.peer_session import PeerSession
from netplay.wire.errors import NetworkError
from netplay.wire.modes import FAIR, JOINT, Chance
from play.offers import OfferKind
from saves.fair.messages import Kind
from tests.netplay.hostile import hostile_hall
from tests.netplay.tables import until
from tests.netplay.test_fair_attacks import LIMIT, framed
from tests.netplay.test_joint_attacks import find
from tests.saves.fair.quick_proofs import quick_proofs
from tests.sizes import sampled

__all__ = ("quick_proofs",)
pytestmark = pytest.mark.usefixtures("quick_proofs")


@pytest.mark.parametrize("chance", sampled([JOINT, FAIR], 1, of="modes with an unseen record"))
async def test_p4_seat_signs_nothing_while_it_lacks_a_record_whose_messages_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chance: Chance
) -> None:
    async with (
        asyncio.timeout(LIMIT),
        hostile_hall(tmp_path, monkeypatch, chance=chance) as hall,
    ):
        command = await find(hall, uses_chance=False)
        victim, seq, start = hall.peers[hall.victim], hall.judged.seq, hall.state
        session = PeerSession(victim)
        hall.lie(hall.victim, b"", start.index)
        await hall.peers[hall.accomplice].submit(command)
        await hall.peers[hall.accomplice].propose(OfferKind.DRAW)
        messages = [signed for signed, _ in hall.history[start.index + 1 :]]
        hall.lies[hall.victim].extend(framed(hall.batch(start, *messages)), hall.state.index)
        await until(lambda: not hall.wake() and hall.is_following(hall.victim))
        asked = hall.asked[hall.victim]
        await until(lambda: hall.asked[hall.victim] > asked + 1)
        assert victim.seq == seq
        assert session.negotiation.offer_question() == ""
        with pytest.raises(NetworkError, match="no proposal"):
            await session.negotiation.answer_offer(agree=True)
        assert not hall.of(hall.victim, Kind.CONSENT), "the player has not seen the last record"
        assert victim.seat is not None
        with pytest.raises(SlotUsedError):
            victim.seat.sign_command(command)
        hall.check(hall.victim)

"""A seat resigns before the opening is complete. No record can contain that, so the match would never begin."""

import asyncio
from pathlib import Path

import pytest

from netplay.wire.messages import Post
from netplay.wire.modes import FAIR, JOINT, Chance
from saves.fair.messages import End, Kind, decode_message
from saves.fair.state import TranscriptPhase
from tests.netplay.hostile import hostile_hall
from tests.netplay.tables import until
from tests.netplay.test_fair_attacks import LIMIT
from tests.saves.fair.quick_proofs import quick_proofs
from tests.sizes import sampled

__all__ = ("quick_proofs",)
pytestmark = pytest.mark.usefixtures("quick_proofs")


@pytest.mark.parametrize("chance", sampled([JOINT, FAIR], 1, of="modes with an early resignation"))
async def test_o6_match_begins_although_a_seat_resigns_during_the_opening(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chance: Chance
) -> None:
    """The host is honest, but the victim's connection is slow."""
    async with (
        asyncio.timeout(LIMIT),
        hostile_hall(tmp_path, monkeypatch, waits=False, chance=chance) as hall,
    ):
        hall.keeps = lambda role, signed: (
            role == hall.victim and decode_message(hall.id, signed.data).kind is Kind.REVEAL
        )
        await until(
            lambda: (
                bool(hall.kept)
                and hall.is_following(hall.accomplice)
                and hall.state.phase is TranscriptPhase.REVEAL
            )
        )
        end = hall.message(hall.accomplice, Kind.END, End("resigned", hall.accomplice))
        seat = hall.peers[hall.accomplice].seat
        assert seat is not None
        with monkeypatch.context() as patch:
            patch.setattr(seat, "due_post", lambda: Post(messages=(end,)))
            asked = hall.asked[hall.accomplice]
            await until(lambda: not hall.wake() and hall.asked[hall.accomplice] > asked + 2)
        assert not hall.state.has_ended
        hall.keeps = None
        await hall.peers[hall.victim].close()
        hall.seat(hall.victim)  # sends its reveal again
        await hall.live()
        assert [record.kind for record in hall.judged.records] == ["opening"]
        hall.check(hall.victim)

"""A host keeps an answered question on a player's screen, and has the answer signed for another offer (P4)."""

import asyncio
from pathlib import Path

import msgspec
import pytest

from netplay.feed.host_session import HostSession
from netplay.match.match_table import MatchTable
from netplay.peer import replicator
from netplay.session.peer_session import PeerSession
from netplay.wire.errors import NetworkError
from netplay.wire.messages import PendingPart, PollUpdates, TranscriptUpdate, Update
from netplay.wire.modes import FAIR, JOINT, Chance
from play.offers import OfferKind
from tests.netplay.hostile import HostileHall, hostile_hall
from tests.netplay.tables import until
from tests.netplay.test_fair_attacks import LIMIT
from tests.netplay.test_joint_attacks import find
from tests.sizes import sampled

_GARBAGE = b"\0\0\0\5"
"""The start of a batch that never arrives."""
change = msgspec.structs.replace


class Spoiler:
    """Lets the host end each update to the victim with bytes that make the victim's program drop the connection."""

    def __init__(self, hall: HostileHall, monkeypatch: pytest.MonkeyPatch) -> None:
        self.is_on = False
        news = MatchTable.next_update

        def spoiled(table: MatchTable, session: HostSession, ask: PollUpdates) -> Update | None:
            update = news(table, session, ask)
            if not self.is_on or session.role != hall.victim or update is None:
                return update
            return change(update, transcript=_spoiled(update, ask))

        monkeypatch.setattr(MatchTable, "next_update", spoiled)


def _spoiled(update: Update, ask: PollUpdates) -> TranscriptUpdate:
    told = update.transcript
    assert told is not None
    if told.part is not None:
        part = told.part
        return change(
            told,
            part=change(part, data=part.data + _GARBAGE, total=part.total + len(_GARBAGE)),
        )
    start = 0 if update.records else ask.pending
    seq = ask.seq + len(update.records) + 1
    return change(
        told, part=PendingPart(seq=seq, offset=start, total=start + len(_GARBAGE), data=_GARBAGE)
    )


@pytest.mark.parametrize("chance", sampled([JOINT, FAIR], 1, of="modes with a stale offer"))
async def test_p4_answer_is_signed_only_for_the_offer_shown_to_the_player(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chance: Chance
) -> None:
    monkeypatch.setattr(replicator, "RETRY_MIN_SECONDS", 0.02)
    async with (
        asyncio.timeout(LIMIT),
        hostile_hall(tmp_path, monkeypatch, chance=chance) as hall,
    ):
        spoiler = Spoiler(hall, monkeypatch)
        command = await find(hall, uses_chance=False)
        accomplice, victim = hall.peers[hall.accomplice], hall.peers[hall.victim]
        session = PeerSession(victim)
        await accomplice.propose(OfferKind.ADJOURNMENT)
        await until(lambda: bool(session.negotiation.offer_question()))
        question = session.negotiation.offer_question()
        assert "asks to adjourn" in question
        # The next command closes this offer. The host lets the victim's program read the command and the next offer,
        # but not the end of the update, so the program goes on showing the first offer.
        spoiler.is_on = True
        await accomplice.submit(command)
        await accomplice.propose(OfferKind.DRAW)
        assert victim.seat is not None
        seat = victim.seat.participant
        await until(lambda: seat.state.offer is not None and seat.state.offer.matter == "draw")
        assert session.negotiation.offer_question() == question
        with pytest.raises(NetworkError, match="no longer open"):
            await session.negotiation.answer_offer(agree=True)
        spoiler.is_on = False
        hall.wake()
        await until(lambda: session.negotiation.offer_question() not in {"", question})
        assert "draw" in session.negotiation.offer_question()
        assert hall.state.end is None

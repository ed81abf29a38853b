"""False information that a hostile host sends outside the transcript, against unchanged programs over TLS."""

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.kernel.ids import Role
from netplay.feed.host_session import HostSession
from netplay.match import pending_match
from netplay.match.match_table import MatchTable
from netplay.peer.status import ConnectionState
from netplay.wire.errors import ProtocolError
from netplay.wire.messages import (
    CHUNK_BYTES,
    OpenOffer,
    PendingPart,
    PollUpdates,
    SignedTexts,
    TranscriptUpdate,
    Update,
)
from play.offers import OfferKind
from saves.chain import record_chain
from saves.commitments import compute_commitment
from saves.decoding import canonical
from saves.fair import messages as fair
from saves.fair.messages import Kind
from saves.fair.state import TranscriptPhase
from saves.fair.terms import FairTerms
from saves.fair.transcript_log import _EMPTY_RECORD, PUBLIC_SALT
from saves.records import Entry, encode_record
from saves.statements import Adjournment
from tests.netplay.hostile import HostileHall, hostile_hall
from tests.netplay.tables import until
from tests.saves.fair.quick_proofs import quick_proofs

__all__ = ("quick_proofs",)
pytestmark = pytest.mark.usefixtures("quick_proofs")
LIMIT = 60.0


def edit_news(
    hall: HostileHall, monkeypatch: pytest.MonkeyPatch, edit: Callable[[Update], Update]
) -> None:
    """Let the host change the updates that it sends to the victim."""
    tell = MatchTable.next_update

    def edited(table: MatchTable, session: HostSession, ask: PollUpdates) -> Update | None:
        found = tell(table, session, ask)
        return edit(found) if found is not None and session.role == hall.victim else found

    monkeypatch.setattr(MatchTable, "next_update", edited)


@pytest.mark.full
async def test_a_player_never_accepts_an_offer_other_than_the_one_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with asyncio.timeout(LIMIT), hostile_hall(tmp_path, monkeypatch) as hall:
        shown = OpenOffer(
            offer=1, role=hall.accomplice, matter=OfferKind.ADJOURNMENT, waiting_for=(hall.victim,)
        )
        edit_news(
            hall,
            monkeypatch,
            lambda news: news if news.offer is None else msgspec.structs.replace(news, offer=shown),
        )
        victim = hall.peers[hall.victim]
        await hall.peers[hall.accomplice].propose(OfferKind.DRAW)
        await until(
            lambda: hall.state.phase is TranscriptPhase.CONSENT and hall.is_following(hall.victim)
        )
        await until(lambda: victim.reporter.offer is not None)
        assert victim.reporter.offer is not None
        if victim.reporter.offer == shown:
            await victim.answer_offer(agree=True)
            await until(hall.is_settled)
        assert hall.state.end is None, "nobody has agreed to a draw"
        assert (victim.reporter.offer.matter, victim.must_answer) == (OfferKind.DRAW, True)


async def test_an_adjournment_without_consent_of_all_seats_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with asyncio.timeout(LIMIT), hostile_hall(tmp_path, monkeypatch) as hall:
        victim = hall.peers[hall.victim]

        def forged(news: Update) -> Update:
            copy = victim.copy
            roles = tuple(party.role for party in copy.transcript.setup.parties)
            body = canonical(Adjournment(by=roles))
            said = Entry(
                tag="adjournment",
                v=1,
                body=body,
                commitment=compute_commitment(PUBLIC_SALT, "adjournment", 1, body),
                salt=PUBLIC_SALT,
            )
            bare = msgspec.structs.replace(
                _EMPTY_RECORD,
                kind="adjournment",
                role=hall.victim,
                command=said,
                seq=copy.seq + 1,
                prev=copy.chain,
            )
            record = msgspec.structs.replace(bare, chain=record_chain(bare))
            return msgspec.structs.replace(news, head=record.seq, records=(encode_record(record),))

        def paused() -> tuple[Role, ...]:
            terms = victim.copy.terms
            return () if terms is None else terms.adjourned

        edit_news(hall, monkeypatch, forged)
        hall.wake()
        await until(
            lambda: (
                hall.wake() or victim.reporter.status.link is ConnectionState.LOST or bool(paused())
            )
        )
        assert not paused(), "no seat has consented to a pause"


@pytest.mark.full
async def test_repeated_messages_from_the_host_use_bounded_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with asyncio.timeout(LIMIT), hostile_hall(tmp_path, monkeypatch) as hall:
        offer = hall.message(hall.accomplice, Kind.OFFER, fair.Offer("draw"))
        frame = canonical(hall.batch(hall.state, offer))
        piece = len(frame).to_bytes(4, "big") + frame
        seat = hall.peers[hall.victim].seat
        assert seat is not None

        data = piece * (CHUNK_BYTES // len(piece))
        seq, index = hall.peers[hall.victim].copy.seq, hall.state.index + 1
        for number in range(3):
            part = PendingPart(
                seq=seq + 1, offset=seat.received_bytes(seq), total=len(data), data=data
            )
            expects = pytest.raises(ProtocolError) if number else contextlib.nullcontext()
            with expects:
                seat.receive(TranscriptUpdate(index=index, part=part), seq, ())
        assert seat.received_bytes(seq) <= len(data), "more than the host has announced"


async def test_repeated_resume_requests_from_the_host_use_bounded_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The host announces a record that it never sends, so the victim does not answer any request."""
    async with asyncio.timeout(LIMIT), hostile_hall(tmp_path, monkeypatch) as hall:
        seat = hall.peers[hall.victim].seat
        assert seat is not None
        request = seat.participant.resume_request()
        for number in range(100):
            nonce = number.to_bytes(16, "big")
            forged = tuple(
                msgspec.structs.replace(request, role=role, nonce=nonce)
                for role in (hall.accomplice, f"seat {number}")
            )
            texts = SignedTexts(number=number, resumes=forged)
            seat.receive(TranscriptUpdate(index=hall.state.index, texts=texts), 0, ())
        assert len(seat._requests) < len(hall.players)


async def test_a_host_cannot_remove_the_wait_before_seeds_are_released(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def at_once(**named: Any) -> FairTerms:  # noqa: ANN401  # as it is called
        return FairTerms(**named | {"ack_wait": 0})

    monkeypatch.setattr(pending_match, "FairTerms", at_once)
    async with (
        asyncio.timeout(LIMIT),
        hostile_hall(tmp_path, monkeypatch, waits=False, seats=False) as hall,
    ):
        for role in hall.players:
            hall.seat(role)
        victim = hall.peers[hall.victim]
        await until(lambda: victim.is_ready or victim.reporter.is_over)
        assert not victim.is_ready, "the seat plays under a shorter wait than its player was shown"

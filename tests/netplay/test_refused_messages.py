"""A host's reaction to refused messages in a match with a transcript, and what seats may send in the meantime."""

import asyncio
from pathlib import Path

import pytest

from engine.kernel.errors import DataError
from netplay.fair.message_server import MessageServer
from netplay.fair.seat import FairSeat
from netplay.peer import replicator
from netplay.peer.status import ConnectionState
from netplay.session.peer_session import PeerSession
from netplay.wire import limits
from netplay.wire.errors import ConnectionLostError
from netplay.wire.messages import Post, Refused
from netplay.wire.modes import FAIR, JOINT, Chance
from play.offers import OfferKind
from saves.fair.dealer import Dealer
from saves.fair.due_messages import awaited_roles
from saves.fair.messages import (
    Agree,
    Consent,
    Kind,
    Message,
    SignedMessage,
    decode_message,
    encode_message,
)
from saves.fair.state import MessageRefusal, TranscriptPhase
from saves.fair.terms import TimeLimits
from tests.netplay.tables import until
from tests.netplay.test_attack_posts import attacking
from tests.netplay.test_eots_whole import ALLIED, JAPAN
from tests.netplay.test_fair import EOTS_PLAYERS, Hall, give, hall

MANY = 50


def false_agreement(seat: FairSeat) -> SignedMessage:
    """Return a message that no honest seat sends: its agreement to another header."""
    made = seat.participant.participant
    state = made.state
    anchor_hash = state.hash_at(0)
    assert anchor_hash is not None
    message = Message(
        kind=Kind.AGREE, anchor=0, anchor_hash=anchor_hash, author=made.role, body=Agree(bytes(32))
    )
    data = encode_message(state.setup.match_id, message)
    return SignedMessage(data, made._secrets.sign(data))


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replicator, "RETRY_MIN_SECONDS", 0.02)
    monkeypatch.setattr(replicator, "RETRY_MAX_SECONDS", 0.05)


@pytest.mark.full
@pytest.mark.usefixtures("impatient")
async def test_false_messages_lock_a_seat_out_of_a_waiting_match_temporarily(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "REFUSALS_PER_MINUTE", 3)
    monkeypatch.setattr(limits, "REFUSED_SECONDS", 1.0)
    due, is_lying = FairSeat.due_post, [True]

    def lie(seat: FairSeat) -> Post | None:
        if not is_lying[0]:
            return due(seat)
        is_liar = seat._role == ALLIED and seat.participant.participant.state.index == 0
        return Post(messages=(false_agreement(seat),)) if is_liar else None

    monkeypatch.setattr(FairSeat, "due_post", lie)
    async with hall(tmp_path, "eots", "1943", EOTS_PLAYERS, waits=False, chance=JOINT) as table:
        liar, other = table.peers[ALLIED], table.peers[JAPAN]
        said: list[str] = []
        liar.reporter.listen(lambda _: said.append(liar.reporter.status.reason))
        await until(lambda: any("reconnect in" in reason for reason in said))
        refused = {reason for reason in said if "message refused: " in reason}
        assert refused, said
        assert not any(peer.reporter.is_over for peer in (liar, other))
        assert other.reporter.status.link is ConnectionState.WAITING
        is_lying[0] = False
        for peer in (liar, other):
            assert peer.seat is not None
            peer.seat.restart_connection()
        await table.live()


@pytest.mark.full
async def test_too_many_stale_messages_close_the_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "STALE_BURST", MANY)
    monkeypatch.setattr(limits, "STALE_PER_SECOND", 0)
    async with attacking(tmp_path, monkeypatch) as attacker:
        late = attacker.message(Kind.CONSENT, Consent(agrees=True))
        answer = await attacker.send(*[late] * MANY)
        assert isinstance(answer, Refused)
        assert answer.code == "stale"
        with pytest.raises(ConnectionLostError, match="too many messages"):
            await attacker.send(late)


async def test_an_opening_that_the_host_cannot_resolve_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cannot(*_: object) -> None:
        raise DataError("card", "", "there is no such card")

    words = "the host's rules cannot resolve the opening of this match"
    with monkeypatch.context() as patch:
        patch.setattr(Dealer, "proposal", cannot)
        made = Hall(tmp_path, "eots", "1943", EOTS_PLAYERS, chance=JOINT)
        await made.open()
        try:
            peers = [made.seat(role) for role in EOTS_PLAYERS]
            await until(lambda: all(words in peer.reporter.status.reason for peer in peers))
            assert all(peer.reporter.status.link is ConnectionState.WAITING for peer in peers)
            (standing,) = (await made.host.overviews()).values()
            assert words in standing.heading
            patch.undo()
            await made.restart()
            await made.live()
        finally:
            await made.close()


@pytest.mark.full
@pytest.mark.parametrize("chance", [JOINT, pytest.param(FAIR, marks=pytest.mark.full)])
@pytest.mark.parametrize(
    "matter", [OfferKind.RESIGNATION, pytest.param(OfferKind.STOP, marks=pytest.mark.full)]
)
async def test_a_restarted_seat_can_end_a_match_with_a_silent_opponent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, matter: OfferKind, chance: Chance
) -> None:
    async with hall(
        tmp_path, "eots", "1943", EOTS_PLAYERS, chance=chance, limits=TimeLimits(reply_limit=1)
    ) as table:
        await give(table, 3)
        await table.level()
        asked = next(role for role in EOTS_PLAYERS if table.peers[role].is_asked)
        other = JAPAN if asked == ALLIED else ALLIED
        take = FairSeat._receive_texts
        monkeypatch.setattr(
            FairSeat,
            "_receive_texts",
            lambda seat, texts: None if seat._role == asked else take(seat, texts),
        )
        await table.peers[other].close()
        seat = table.seat(other)
        await until(lambda: seat.is_live and seat.seat is not None and seat.seat.is_open)
        assert seat.seat is not None
        waiting = seat.seat.participant
        await until(lambda: waiting.missing_seats() == (asked,))
        assert not waiting.resumption.is_over
        await until(lambda: seat.reporter.status.may_stop)
        assert await PeerSession(seat).negotiation.propose(matter) == "Done."
        await until(lambda: seat.copy.outcome is not None)
        outcome = seat.copy.outcome
        assert outcome is not None
        assert outcome.winner is None if matter is OfferKind.STOP else outcome.winner is not None


@pytest.mark.full
@pytest.mark.parametrize("chance", [JOINT, pytest.param(FAIR, marks=pytest.mark.full)])
async def test_restarted_seat_can_stop_a_match_while_both_seats_owe_reveals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chance: Chance
) -> None:
    """Both seats owe a reveal. The restarted one may not send its own, because the other does not reply."""
    submit, take = MessageServer.submit, FairSeat._receive_texts
    is_lost = [False]

    def lose(server: MessageServer, signed: SignedMessage) -> MessageRefusal | None:
        kind = decode_message(server.match.header.match_id, signed.data).kind
        return None if is_lost[0] and kind is Kind.REVEAL else submit(server, signed)

    monkeypatch.setattr(MessageServer, "submit", lose)
    async with hall(
        tmp_path, "eots", "1943", EOTS_PLAYERS, chance=chance, limits=TimeLimits(reply_limit=1)
    ) as table:
        is_lost[0] = True
        giving = asyncio.create_task(give(table, 1_000))
        await until(lambda: table.match.fair_state.phase is TranscriptPhase.REVEAL)
        giving.cancel()
        silent, role = table.players
        monkeypatch.setattr(
            FairSeat,
            "_receive_texts",
            lambda seat, texts: None if seat._role == silent else take(seat, texts),
        )
        await table.peers[role].close()
        peer = table.seat(role)
        await until(lambda: peer.is_live and peer.seat is not None and peer.seat.is_open)
        assert peer.seat is not None
        seat = peer.seat.participant
        await until(lambda: seat.missing_seats() == (silent,) and peer.reporter.status.may_stop)
        assert {role, silent} == awaited_roles(seat.state)
        assert OfferKind.STOP in PeerSession(peer).available_offers()
        assert await PeerSession(peer).negotiation.propose(OfferKind.STOP) == "Done."
        await until(lambda: peer.copy.outcome is not None)
        assert not seat.resumption.is_over
        assert peer.copy.outcome is not None
        assert peer.copy.outcome.winner is None

"""Unreadable answers: the peer reconnects and asks again, and nothing is lost or counted twice."""

import asyncio
from collections import Counter
from pathlib import Path
from typing import Final

import pytest

from engine import registry
from netplay.peer import replicator
from netplay.peer.peer import Peer
from netplay.peer.replicator import Replicator
from netplay.peer.status import ConnectionState
from netplay.session.bot_peer import play_seat
from netplay.session.peer_session import PeerSession
from netplay.transport.sockets import PeerConnection
from netplay.wire import messages as wire
from netplay.wire.modes import JOINT
from play.bots import create_seat_bot
from play.offers import OfferKind
from saves.verify import verify_file
from tests.netplay.impatience import AS_EVER, Patience
from tests.netplay.tables import Room, is_over, live, room, until
from tests.netplay.test_fair import EOTS_PLAYERS, give, hall
from tests.patience import PATIENCE
from tests.sizes import sampled
from tests.toy_game import BLUE, RED, REGISTERED, Hold
from tools.headless_peer import play_bots

JUNK: Final = (b"", b"\xc1\xff\xff\xff\xff", b"\x93junk", b"\x81\xa4kind\xa4news")
TIMES: Final = 2
"""Number of answers to each kind of request that are corrupted."""


class Spoiler:
    """All connections to a host, some of whose answers are corrupted."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.left: Counter[type[wire.WireMessage]] = Counter()
        """Number of answers still to be corrupted, by the kind of their request."""
        ask, spoiler = PeerConnection.ask, self

        async def spoilt(line: PeerConnection, data: bytes, seconds: float) -> bytes:
            answer = await ask(line, data, seconds)
            kind = type(wire.decode_request(data))
            if spoiler.left[kind] <= 0:
                return answer
            spoiler.left[kind] -= 1
            return JUNK[spoiler.left[kind] % len(JUNK)]

        monkeypatch.setattr(PeerConnection, "ask", spoilt)

    def spoil(self, *kinds: type[wire.WireMessage], times: int = TIMES) -> None:
        """Corrupt the next answers to some kinds of requests."""
        self.left.update(dict.fromkeys(kinds, times))

    @property
    def is_done(self) -> bool:
        """Return whether every answer that was to be corrupted was requested."""
        return not any(self.left.values())


@pytest.fixture
def spoiler(monkeypatch: pytest.MonkeyPatch, impatient: Patience) -> Spoiler:
    monkeypatch.setitem(registry._GAMES, "toy", REGISTERED)
    impatient.wait(AS_EVER)
    return Spoiler(monkeypatch)


def check_one_history(table: Room, *peers: Peer) -> None:
    judge = table.host.tables[table.match].match
    for peer in peers:
        assert peer.copy.chain == judge.chain
        assert peer.copy.digest() == judge.view_digest(peer.role)


@pytest.mark.series("N5")
@pytest.mark.parametrize(
    "kind",
    sampled(
        [
            wire.Hello,
            wire.SeatProof,
            wire.PollUpdates,
            wire.Ping,
            wire.Submit,
            wire.AskFull,
        ],
        1,
        of="unreadable answers to bots",
    ),
)
async def test_bots_finish_a_game_despite_unreadable_answers(
    tmp_path: Path, spoiler: Spoiler, kind: type[wire.WireMessage]
) -> None:
    spoiler.spoil(kind, times=4 if kind is wire.Ping else TIMES)  # more pings than there are seats
    async with room(tmp_path, "short", plain=True) as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        bots = [play_seat(peer, create_seat_bot("random", "toy")) for peer in (red, blue)]
        await asyncio.wait_for(asyncio.gather(*bots), PATIENCE)
        await until(lambda: red.replicator.is_done and blue.replicator.is_done and spoiler.is_done)
        check_one_history(table, red, blue)
        for peer in (red, blue):
            assert verify_file(peer.copy.full_path).status == "ok"


@pytest.mark.full
@pytest.mark.series("N5")
async def test_a_fair_match_continues_despite_unreadable_answers(
    tmp_path: Path, spoiler: Spoiler
) -> None:
    async with hall(tmp_path, "eots", "1943", EOTS_PLAYERS) as table:
        spoiler.spoil(wire.PostPart)
        await give(table, 2)
        giver = next(table.peers[role] for role in table.players)
        await giver.propose(OfferKind.RESIGNATION)
        seats = [table.peers[role] for role in table.players]
        await until(lambda: all(seat.replicator.is_done for seat in seats) and spoiler.is_done)
        await table.level()
        for seat in seats:
            assert verify_file(seat.copy.path).status == "ok"


@pytest.mark.full
@pytest.mark.series("N5")
@pytest.mark.parametrize(
    "kind",
    sampled(
        [wire.Enrol, wire.WaitForStart, wire.PostPart], 1, of="unreadable answers before a match"
    ),
)
async def test_a_match_begins_despite_unreadable_answers(
    tmp_path: Path, spoiler: Spoiler, kind: type[wire.WireMessage]
) -> None:
    spoiler.spoil(kind)
    async with hall(tmp_path, "eots", "1943", EOTS_PLAYERS, chance=JOINT) as table:
        await until(lambda: spoiler.is_done)
        await give(table, 1)
        await table.level()


@pytest.mark.full
@pytest.mark.parametrize("kind", sampled([wire.Submit, wire.PollUpdates, wire.Ping], 1))
async def test_command_line_bots_finish_a_game_despite_unreadable_answers(
    tmp_path: Path, spoiler: Spoiler, kind: type[wire.WireMessage]
) -> None:
    spoiler.spoil(kind)
    async with room(tmp_path, "short", plain=True) as table:
        seats = [
            play_bots((table.invites[role],), tmp_path / str(role), "random", PATIENCE)
            for role in (RED, BLUE)
        ]
        results = await asyncio.wait_for(asyncio.gather(*seats), PATIENCE)
        assert results[0] == results[1]
        assert results[0] != "the game is not over"
        await until(lambda: spoiler.is_done)


@pytest.mark.parametrize(
    "kind", sampled([wire.Submit, wire.Say, wire.MakeOffer, wire.OfferAnswer], 1)
)
async def test_unreadable_answers_are_retried_and_requests_applied_once(
    tmp_path: Path, spoiler: Spoiler, kind: type[wire.WireMessage]
) -> None:
    async with room(tmp_path, "long", plain=True) as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        one, other = PeerSession(red), PeerSession(blue)
        lost = []
        for peer in (red, blue):
            peer.reporter.listen(
                lambda _, peer=peer: lost.append(  # type: ignore[misc]  # mypy cannot infer it
                    peer.reporter.status.link is ConnectionState.LOST
                )
            )
        spoiler.spoil(
            kind, times=1 if kind is wire.Submit else TIMES
        )  # the update shows that it was accepted
        record = await asyncio.wait_for(red.submit(Hold()), PATIENCE)
        assert record.seq == table.head == 1
        await asyncio.wait_for(one.negotiation.say("hello"), PATIENCE)
        assert [line.text for line in table.chat].count("hello") == 1
        await asyncio.wait_for(one.negotiation.propose(OfferKind.DRAW), PATIENCE)
        await until(lambda: other.negotiation.offer_question() != "")
        await asyncio.wait_for(other.negotiation.answer_offer(agree=True), PATIENCE)
        await until(lambda: is_over(red) and is_over(blue))
        assert spoiler.is_done
        assert any(lost)
        check_one_history(table, red, blue)


@pytest.mark.full
async def test_unreadable_answers_are_retried_with_exponential_backoff(
    tmp_path: Path, spoiler: Spoiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []

    async def wait(_: Replicator, seconds: float) -> None:
        waits.append(seconds)
        await asyncio.sleep(0)

    monkeypatch.setattr(Replicator, "_wait_to_retry", wait)
    least = 0.02
    monkeypatch.setattr(replicator, "RETRY_MIN_SECONDS", least)
    monkeypatch.setattr(replicator, "RETRY_MAX_SECONDS", PATIENCE)
    async with room(tmp_path, "long", plain=True) as table:
        red = table.peer(RED)
        await live(red)
        spoiler.spoil(wire.Say, times=5)
        await asyncio.wait_for(red.say("hello"), PATIENCE)
        assert waits == [least, 2 * least, 4 * least, 8 * least, 16 * least]
        assert [line.text for line in table.chat] == ["hello"]

"""AT-27 over TLS: 2 MiB and 3,000 messages, from a seat to an honest host, and from a dishonest host to a seat."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest

from netplay.peer.peer import Peer
from netplay.wire.errors import ConnectionLostError
from netplay.wire.messages import Post, PostPart, Refused
from saves import records
from saves.decoding import canonical
from saves.fair.messages import (
    MAX_MESSAGES,
    MAX_RECORD_BYTES,
    Kind,
    SignedMessage,
    decode_message,
)
from tests.netplay.hostile import HostileHall, hostile_hall
from tests.netplay.tables import until
from tests.netplay.test_fair import EOTS_PLAYERS
from tests.netplay.test_fair_attacks import draw
from tests.netplay.test_fair_command_attacks import (
    LIMIT,
    FalseMessage,
    post,
    restart,
    stops_victim,
)
from tests.saves.fair.quick_proofs import quick_proofs

__all__ = ("quick_proofs",)
pytestmark = pytest.mark.usefixtures("quick_proofs")
MANY = 3_000


def long_command(hall: HostileHall) -> SignedMessage:
    """Return a false command so long that 64 of them have almost 2 MiB."""
    peer = hall.peers[hall.accomplice]
    decision = peer.decision()
    assert decision is not None, "the attacker is asked"
    body = hall.participant(hall.accomplice).request_body(decision.options[0])
    box = bytes(MAX_RECORD_BYTES // MAX_MESSAGES - 400)
    return hall.message(hall.accomplice, Kind.REQUEST, msgspec.structs.replace(body, box=box))


@contextlib.asynccontextmanager
async def another_match(hall: HostileHall) -> AsyncIterator[list[Peer]]:
    """Open another match on the same host, and yield its players."""
    opened = hall.host.open_match("eots", "1943", {}, EOTS_PLAYERS)
    await hall.host.wait_until_open(opened.match)
    peers = [
        Peer(opened.invites[role], hall.folder / f"another-{role}", window_seconds=0.0)
        for role in EOTS_PLAYERS
    ]
    try:
        for peer in peers:
            peer.start()
        await until(lambda: all(peer.is_live for peer in peers))
        yield peers
    finally:
        for peer in peers:
            await peer.close()


async def play(peers: list[Peer]) -> None:
    """Give a command in the other match."""
    peer = next(one for one in peers if one.is_asked)
    decision = peer.decision()
    assert decision is not None
    await peer.submit(decision.options[0])
    await until(lambda: len({one.seq for one in peers}) == 1)


async def test_at_27_2_mib_or_3000_messages_from_a_seat_do_not_affect_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with (
        asyncio.timeout(LIMIT),
        hostile_hall(tmp_path, monkeypatch) as hall,
        another_match(hall) as others,
    ):
        head, victim = hall.state.head, hall.peers[hall.victim]
        messages = [long_command(hall)] * MAX_MESSAGES
        size = len(canonical(Post(messages=tuple(messages))))
        assert MAX_RECORD_BYTES * 0.99 < size <= MAX_RECORD_BYTES
        sending = asyncio.create_task(post(hall, *messages))
        await play(others)
        answer = await sending
        assert isinstance(answer, Refused)
        assert "hidden entries must not have" in answer.text

        line = liar(hall).replicator._channel
        with pytest.raises(ConnectionLostError):
            await hall.send_part(
                PostPart(request_id="a", total=records.MAX_RECORD_BYTES + 1, data=bytes(9))
            )
        hall.wake()  # the host closes a connection at once when no request waits on it
        await until(lambda: liar(hall).is_live and liar(hall).replicator._channel is not line)

        with pytest.raises(ConnectionLostError, match="too many"):
            await flood(hall)
        await play(others)
        assert hall.state.head == head
        assert victim.is_live
        assert not victim.reporter.status.disk
        hall.check(hall.victim)


def liar(hall: HostileHall) -> Peer:
    return hall.peers[hall.accomplice]


async def flood(hall: HostileHall) -> None:
    for _ in range(0, MANY, MAX_MESSAGES):
        assert isinstance(await post(hall, *[stale(hall)] * MAX_MESSAGES), Refused)


def stale(hall: HostileHall) -> SignedMessage:
    """Return the last message of the attacker's seat, which is in order already."""
    messages = (one for one, _ in reversed(hall.history))
    return next(
        one for one in messages if decode_message(hall.id, one.data).author == hall.accomplice
    )


def many_offers(hall: HostileHall) -> FalseMessage:
    offer = draw(hall)
    return FalseMessage(offer, hall.state, (offer,) * (MANY - 1))


def many_bytes(hall: HostileHall) -> FalseMessage:
    command = long_command(hall)
    return FalseMessage(command, hall.state, (command,) * (MAX_MESSAGES - 1))


@pytest.mark.full
async def test_at_27_victim_halts_at_2_mib_or_3000_messages_and_resumes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with asyncio.timeout(LIMIT), hostile_hall(tmp_path, monkeypatch) as hall:
        for name, make, charge, author in (
            ("AT-27-3000-messages", many_offers, "E3", ""),
            ("AT-27-2-MiB", many_bytes, "E2", hall.accomplice),
        ):
            await stops_victim(hall, name, make(hall), charge, author)
            await restart(hall)
        await hall.live()
        await hall.give(1)
        hall.check(*hall.players)

"""A modified client sends many signed texts, each of which would wake every connection of the match."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import pytest

from engine.kernel.ids import Role
from netplay.fair.seat import split_post
from netplay.match.ordered_commands import SeatDecidedCommands
from netplay.peer.peer import Peer
from netplay.transport import handshake
from netplay.wire.limits import RESUMES_BURST
from netplay.wire.messages import Accepted, Post
from netplay.wire.modes import JOINT
from saves.fair.signed_texts import (
    Ack,
    Resume,
    Resumed,
    ack_message,
    resume_message,
    resumed_message,
)
from tests.netplay import tables
from tests.netplay.tables import PLAYERS, Room, live, play, room, until
from tests.netplay.test_clocks import Watch
from tests.netplay.test_fair_attacks import LIMIT
from tests.toy_sealed import SEALED_TOY

MANY = 40


def role_of(peer: Peer) -> Role:
    assert peer.seat is not None
    return peer.seat.role


class Flooder:
    """A seat that signs any text about the transcript that it has followed."""

    def __init__(self, table: Room, peer: Peer, victim: Peer) -> None:
        self.table, self.peer, self.victim = table, peer, victim
        commands = table.host.tables[table.match].commands
        assert isinstance(commands, SeatDecidedCommands)
        self.server = commands._message_server
        # The allowance is refilled only when the test advances this clock.
        self.watch = Watch()
        self.server.texts._now = self.watch

    @property
    def role(self) -> Role:
        return role_of(self.peer)

    @property
    def wakes(self) -> int:
        """Return how many texts have woken every connection. The host numbers these texts."""
        return self.server.texts._version

    def sign(self, text: bytes) -> bytes:
        assert self.peer.seat is not None
        return self.peer.seat.participant._secrets.sign(text)

    def request(self, number: int) -> Resume:
        assert self.peer.seat is not None
        made, nonce = self.peer.seat.participant.resume_request(), number.to_bytes(16, "big")
        text = resume_message(self.table.match, self.role, nonce, made.index, made.head)
        return Resume(
            role=self.role,
            index=made.index,
            head=made.head,
            signature=self.sign(text),
            nonce=nonce,
            order=made.order,
        )

    def answers(self, request: Resume) -> tuple[Resumed, Resumed]:
        """Return the honest answer to a request, and one that claims to have followed nothing."""
        assert self.peer.seat is not None
        honest = self.peer.seat.participant.answer_resume(request)
        assert honest is not None
        head = self.server.match.transcript.setup.header_hash
        signature = self.sign(resumed_message(self.table.match, self.role, request.nonce, -1, head))
        empty = Resumed(
            role=self.role,
            index=-1,
            head=head,
            signature=signature,
            nonce=request.nonce,
            order=b"",
        )
        return honest, empty

    def ack(self, index: int) -> Ack:
        head = self.server.match.fair_state.head
        text = ack_message(self.table.match, self.role, index, head)
        return Ack(role=self.role, index=index, head=head, signature=self.sign(text))

    async def send(self, post: Post) -> None:
        line = self.peer.replicator._channel
        assert line is not None
        for part in split_post(post):
            assert isinstance(await handshake.ask(line, part, LIMIT), Accepted)


@pytest.fixture(autouse=True)
def sealed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Play a game whose cards the host can deal in a joint match."""
    monkeypatch.setitem(cast("dict[str, Any]", tables._GAMES), "toy", SEALED_TOY)


@asynccontextmanager
async def flooding(folder: Path) -> AsyncIterator[Flooder]:
    async with room(folder, "long", chance=JOINT) as table:
        peers = [table.peer(role) for role in PLAYERS]
        await live(*peers)
        yield Flooder(table, *peers)


async def test_a_flood_of_requests_wakes_the_others_no_more_often_than_allowed(
    tmp_path: Path,
) -> None:
    async with flooding(tmp_path) as attacker:
        texts, before = attacker.server.texts, attacker.wakes
        for number in range(MANY):
            await attacker.send(Post(resume=attacker.request(number)))
        # Besides the request, its first answer wakes everybody.
        assert attacker.wakes - before <= 2 * RESUMES_BURST
        assert texts._resumes[attacker.role][1] == attacker.request(RESUMES_BURST - 1)
        attacker.watch.seconds += 1
        # The last request is delayed, not lost: an honest seat that starts often is not locked out.
        last = attacker.request(MANY - 1)
        await until(lambda: texts._resumes[attacker.role][1] == last)
        await until(lambda: (role_of(attacker.victim), last.nonce) in texts._resumed)


async def test_a_repeated_request_wakes_nobody(tmp_path: Path) -> None:
    async with flooding(tmp_path) as attacker:
        request = attacker.request(1)
        await attacker.send(Post(resume=request))
        await until(
            lambda: (role_of(attacker.victim), request.nonce) in attacker.server.texts._resumed
        )
        before = attacker.wakes
        for _ in range(MANY):
            await attacker.send(Post(resume=request))
        assert attacker.wakes == before


async def test_further_answers_and_acknowledgements_wake_nobody(tmp_path: Path) -> None:
    """A seat answers one request again and again, and acknowledges an end that has not come."""
    async with flooding(tmp_path) as attacker:
        role = role_of(attacker.victim)
        await attacker.victim.close()
        victim = attacker.table.peer(role)
        await live(victim)
        texts = attacker.server.texts
        await until(lambda: bool(texts._resumed))
        answers = attacker.answers(texts._resumes[role][1])
        before = attacker.wakes
        for number in range(MANY):
            await attacker.send(Post(resumed=(answers[number % 2],), ack=attacker.ack(number)))
        assert attacker.wakes == before
        assert not texts._acks
        # The match continues.
        asked = attacker.peer if attacker.peer.is_asked else victim
        assert await play(asked, 1) == 1

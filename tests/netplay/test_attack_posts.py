"""A hostile seat makes the host compute for a long time with one post of many useless messages or texts."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from engine.kernel.ids import Role
from netplay.fair.message_server import MessageServer, SignedTextStore
from netplay.fair.pending_messages import PendingMessages
from netplay.match.ordered_commands import SeatDecidedCommands
from netplay.peer.peer import Peer
from netplay.transport import handshake
from netplay.wire.errors import ConnectionLostError
from netplay.wire.limits import REFUSALS_PER_MINUTE
from netplay.wire.messages import Answer, Post, Refused
from netplay.wire.modes import JOINT
from play.offers import OfferKind
from saves.fair import requests
from saves.fair.messages import (
    AnyBody,
    Consent,
    Kind,
    Message,
    Offer,
    SignedMessage,
    decode_message,
    encode_message,
)
from saves.fair.signed_texts import (
    Resume,
    Resumed,
    is_signed,
    order_message,
    resume_message,
    resumed_message,
)
from saves.fair.state import MessageRefusal
from tests.netplay import tables
from tests.netplay.fair.match import FairMatch
from tests.netplay.tables import PLAYERS, Room, live, room, until
from tests.netplay.test_clocks import Watch
from tests.netplay.test_fair_attacks import LIMIT, post_of
from tests.netplay.test_joint_attacks import Hider, until_hidden, with_zeros
from tests.toy_game import CardId, Hold, Lay, Swap
from tests.toy_sealed import SEALED_TOY

ALLIED, JAPAN = Role("allied"), Role("japan")
MANY = 50


class Attacker:
    """A seat of the toy game that can give a hidden command, and sends anything."""

    def __init__(self, table: Room, peer: Peer, command: Any) -> None:  # noqa: ANN401  # of this game
        assert peer.seat is not None
        self.made = peer.seat.participant.participant
        self.hider = Hider(self.made, command)
        self.peer, self._table = peer, table

    @property
    def server(self) -> MessageServer:
        """Return the part of the host that receives the messages."""
        commands = self._table.host.tables[self._table.match].commands
        assert isinstance(commands, SeatDecidedCommands)
        return commands._message_server

    def message(self, kind: Kind, body: AnyBody) -> SignedMessage:
        made = self.made
        message = Message(
            kind=kind,
            anchor=made.state.index,
            anchor_hash=made.state.head,
            author=made.role,
            body=body,
        )
        data = encode_message(self._table.match, message)
        return SignedMessage(data, made._secrets.sign(data))

    async def send(self, *messages: SignedMessage) -> Answer:
        line = self.peer.replicator._channel
        assert line is not None
        return await handshake.ask(line, post_of(*messages), LIMIT)


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[SignedMessage]:
    """Record the messages that a host folds."""
    found: list[SignedMessage] = []
    submit = MessageServer.submit

    def noted(one: MessageServer, signed: SignedMessage) -> MessageRefusal | None:
        found.append(signed)
        return submit(one, signed)

    monkeypatch.setattr(MessageServer, "submit", noted)
    return found


@asynccontextmanager
async def attacking(folder: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Attacker]:
    """Play until a seat can give a hidden command."""
    monkeypatch.setitem(cast("dict[str, Any]", tables._GAMES), "toy", SEALED_TOY)
    async with room(folder, "long", chance=JOINT) as table:
        peers = [table.peer(role) for role in PLAYERS]
        await live(*peers)
        peer, command = await until_hidden(peers)
        yield Attacker(table, peer, command)


async def test_a_host_stops_checking_a_post_at_the_first_false_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, judged: list[SignedMessage]
) -> None:
    async with attacking(tmp_path, monkeypatch) as attacker:
        judged.clear()
        false = attacker.message(Kind.OFFER, Offer("takeback", 999))
        assert isinstance(await attacker.send(*[false] * MANY), Refused)
        assert judged == [false]


async def test_a_host_stops_checking_a_post_at_the_first_refused_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, judged: list[SignedMessage]
) -> None:
    async with attacking(tmp_path, monkeypatch) as attacker:
        judged.clear()
        request = attacker.message(Kind.REQUEST, with_zeros(attacker.hider))
        assert isinstance(await attacker.send(*[request] * MANY), Refused)
        assert judged == [request]


async def serve_others(turns: list[int]) -> None:
    while True:
        turns[0] += 1
        await asyncio.sleep(0)


async def test_a_host_serves_others_between_the_messages_of_a_post(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns, seen = [0], list[int]()
    submit = MessageServer.submit

    def noted(one: MessageServer, signed: SignedMessage) -> MessageRefusal | None:
        seen.append(turns[0])
        return submit(one, signed)

    async with attacking(tmp_path, monkeypatch) as attacker:
        late = attacker.message(Kind.CONSENT, Consent(agrees=True))
        monkeypatch.setattr(MessageServer, "submit", noted)
        others = asyncio.create_task(serve_others(turns))
        answer = await attacker.send(*[late] * MANY)
        others.cancel()
    assert isinstance(answer, Refused)
    assert len(seen) == MANY
    assert all(before < after for before, after in pairwise(seen))


async def test_a_host_serves_others_after_each_reading_of_a_false_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns, seen = [0], list[int]()
    readings, is_refused = requests.readings, requests.is_refused

    def many(*args: Any) -> Iterator[requests.Reading]:  # noqa: ANN401  # as it is called
        return (one for one in readings(*args) for _ in range(MANY))

    def noted(*args: Any) -> bool:  # noqa: ANN401  # as it is called
        seen.append(turns[0])
        return is_refused(*args)

    async with attacking(tmp_path, monkeypatch) as attacker:
        false: Any = Swap if isinstance(attacker.hider.command, Lay | Hold) else Lay
        body = attacker.hider.request(false(card=CardId("no such card")))
        monkeypatch.setattr(requests, "readings", many)
        monkeypatch.setattr(requests, "is_refused", noted)
        others = asyncio.create_task(serve_others(turns))
        answer = await attacker.send(attacker.message(Kind.REQUEST, body))
        others.cancel()
    assert isinstance(answer, Refused)
    assert len(seen) == MANY
    assert all(before < after for before, after in pairwise(seen))


async def test_pending_messages_are_decoded_once_for_all_late_messages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    decoded: Counter[bytes] = Counter()

    def counted(match_id: str, data: bytes) -> Message:
        decoded[data] += 1
        return decode_message(match_id, data)

    async with attacking(tmp_path, monkeypatch) as attacker:
        server = attacker.server
        await attacker.peer.propose(OfferKind.ADJOURNMENT)
        pending = [signed.data for signed in server.match.transcript.segment]
        await until(lambda: attacker.made.state.index == server.match.fair_state.index)
        monkeypatch.setattr("saves.fair.accusations.decode_message", counted)
        late = attacker.message(Kind.CONSENT, Consent(agrees=True))
        for _ in range(2):
            assert isinstance(await attacker.send(late, late), Refused)
        assert {data: decoded[data] for data in pending} == dict.fromkeys(pending, 1)
        assert decoded[late.data]


async def test_seats_receive_a_record_before_the_host_clears_its_pending_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    recorded, clear = SeatDecidedCommands._on_record_stored, PendingMessages.clear_file

    async def noted(one: SeatDecidedCommands, *args: Any) -> None:  # noqa: ANN401  # as it is called
        await recorded(one, *args)
        done.append("told")

    def cleared(one: PendingMessages) -> None:
        done.append("cleared")
        clear(one)

    monkeypatch.setattr(SeatDecidedCommands, "_on_record_stored", noted)
    monkeypatch.setattr(PendingMessages, "clear_file", cleared)
    async with attacking(tmp_path, monkeypatch) as attacker:
        done.clear()
        request = attacker.message(Kind.REQUEST, attacker.hider.request())
        with suppress(
            ConnectionLostError
        ):  # the seat's program stops: it did not send this command
            await attacker.send(request)
        await until(lambda: len(done) == 2)
    assert done == ["told", "cleared"]


@pytest.mark.full
async def test_repeatedly_refused_commands_close_the_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with attacking(tmp_path, monkeypatch) as attacker:
        request = attacker.message(Kind.REQUEST, with_zeros(attacker.hider))
        for _ in range(REFUSALS_PER_MINUTE):
            assert isinstance(await attacker.send(request), Refused)
        with pytest.raises(ConnectionLostError, match="too many"):
            await attacker.send(request)


def test_a_host_verifies_one_answer_per_seat_and_question(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    match = FairMatch("eots", "south-pacific", deals=False)
    board = SignedTextStore(
        cast("Any", SimpleNamespace(transcript=SimpleNamespace(setup=match.setup))), Watch()
    )
    head, nonce = match.setup.header_hash, bytes(16)
    question = resume_message(match.match_id, JAPAN, nonce, -1, head)
    resume = Resume(
        role=JAPAN,
        index=-1,
        head=head,
        signature=match.secrets[JAPAN].sign(question),
        nonce=nonce,
        order=b"",
    )
    assert board.store(JAPAN, Post(resume=resume))
    checked: list[object] = []

    def counted(setup: Any, text: Any) -> bool:  # noqa: ANN401  # as it is called
        checked.append(text)
        return is_signed(setup, text)

    monkeypatch.setattr("netplay.fair.message_server.is_signed", counted)
    answers = tuple(answer(match, index, nonce) for index in range(MANY))
    unasked = tuple(answer(match, 0, number.to_bytes(16, "big")) for number in range(1, MANY))
    assert board.store(ALLIED, Post(resumed=(*unasked, *answers)))
    assert checked == [answers[-1]]


def answer(match: FairMatch, index: int, nonce: bytes) -> Resumed:
    head = match.setup.header_hash
    text = resumed_message(match.match_id, ALLIED, nonce, index, head)
    signature = match.secrets[ALLIED].sign(text)
    order = match.host_key.sign(order_message(match.match_id, index, head))
    return Resumed(
        role=ALLIED, index=index, head=head, signature=signature, nonce=nonce, order=order
    )

"""A player sends another player a file that looks like a new invite to the same seat, but leads to the sender's host.

The sender knows the public header of the match, so this host can pretend to continue the match. In *trusted host* and
*joint* mode, seats report hidden cards to the host.
"""

import datetime as dt
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from netplay.invites import identity
from netplay.invites.invite import Invite, new_invite, write_invites
from netplay.peer.known_host import SUFFIX, KnownHost
from netplay.peer.peer import Peer
from netplay.transport.listener import ConnectionRequest, Listener
from netplay.wire import messages as wire
from netplay.wire.errors import InviteError
from netplay.wire.modes import JOINT
from netplay.workers.match_server import rules_of
from saves.headers import Header, encode_header
from tests.netplay.tables import Room, live, room, toy_rules, until
from tests.netplay.test_eots_whole import ALLIED, JAPAN
from tests.netplay.test_fair import EOTS_PLAYERS, Hall
from tests.toy_game import BLUE, RED, TOY
from tui.presenter.invite_list import list_invites

_NOW = dt.datetime.now(dt.UTC)


class FalseHost:
    """Pretends to be the host of a match, and asks the seat for its last records."""

    def __init__(self, header: Header) -> None:
        self.authority = identity.new_authority(_NOW)
        self.header = header
        self.questions: list[wire.Question] = []
        self.listener = Listener(self.answer, lambda _: None)

    def invite(self) -> Invite:
        """Return the file for the victim."""
        address = f"tls+tcp://127.0.0.1:{self.listener.port}"
        validity = (_NOW, _NOW + dt.timedelta(days=30))
        return new_invite(self.authority, (address,), self.header.match_id, "toy", RED, validity)

    async def answer(self, request: ConnectionRequest) -> bytes:
        question = wire.decode_request(request.data)
        self.questions.append(question)
        return wire.encode(self._reply(question))

    def _reply(self, question: wire.Question) -> wire.Answer:
        match question:
            case wire.Hello():
                return self._challenge(question)
            case wire.SeatProof():
                return wire.Welcome(
                    header=encode_header(msgspec.structs.replace(self.header, audience=RED)),
                    seq=0,
                    chain=bytes(32),
                    capabilities=wire.CAPABILITIES,
                    rules=rules_of(TOY),
                    window_ms=0,
                )
            case wire.PollUpdates():
                return wire.Desync(
                    seq=question.seq,
                    agreed_seq=question.seq,
                    agreed_chain=question.chain,
                    digest=bytes(32),
                    records=(),
                )
            case wire.Tail():
                return wire.Pong(token=0)
            case _:
                return wire.Pong(token=getattr(question, "token", 0))

    def _challenge(self, hello: wire.Hello) -> wire.Challenge:
        pair, nonce = self.authority.host, bytes(32)
        parts = (hello.nonce, hello.match.encode(), nonce)
        return wire.Challenge(
            nonce=nonce,
            certificate=pair.certificate,
            signature=identity.sign_proof(pair.key, identity.HOST_CONTEXT, *parts),
        )


@asynccontextmanager
async def false_host(header: Header) -> AsyncIterator[FalseHost]:
    host = FalseHost(header)
    host.listener.bind("127.0.0.1", 0)
    host.listener.start(host.authority, plain=False)
    try:
        yield host
    finally:
        await host.listener.stop()


async def begin(table: Room) -> Header:
    """Let both players join, and let the victim leave. Return the header that the attacker knows."""
    victim, attacker = table.peer(RED), table.peer(BLUE)
    await live(victim, attacker)
    await victim.close()
    assert attacker.header is not None
    return attacker.header


async def test_another_players_host_cannot_read_the_copy_of_a_seat(tmp_path: Path) -> None:
    async with room(tmp_path) as table, false_host(await begin(table)) as host:
        with pytest.raises(InviteError, match="not from the host of your match"):
            Peer(host.invite(), tmp_path / f"peer-{RED}", toy_rules)
        assert not host.questions
        returned = table.peer(RED)
        await live(returned)


async def test_a_copy_without_a_known_host_is_bound_to_the_next_host(tmp_path: Path) -> None:
    """Copies from earlier versions of the program have no such file."""
    async with room(tmp_path) as table, false_host(await begin(table)) as host:
        path = table.peers[0].copy.path.with_suffix(SUFFIX)
        path.unlink()
        returned = table.peer(RED)
        await live(returned)
        await returned.close()
        assert path.exists()
        with pytest.raises(InviteError, match="not from the host of your match"):
            Peer(host.invite(), tmp_path / f"peer-{RED}", toy_rules)


async def test_an_invite_with_a_new_key_from_the_same_host_is_accepted(tmp_path: Path) -> None:
    async with room(tmp_path) as table:
        await begin(table)
        written: list[Invite] = []

        def write(invites: tuple[Invite, ...]) -> Path:
            written.extend(invites)
            return tmp_path

        table.host.reissue_invites(table.match, (RED,), write)
        table.invites[RED] = written[0]
        returned = table.peer(RED)
        await live(returned)


async def test_a_seat_that_waits_for_the_match_to_begin_is_bound_to_its_host(
    tmp_path: Path,
) -> None:
    """The terms are public before the match begins. The seat would agree to another host's header, but only to one."""
    table = Hall(tmp_path, "eots", "1943", EOTS_PLAYERS, chance=JOINT)
    await table.open()
    try:
        victim = table.seat(ALLIED)
        seat = victim.seat
        assert seat is not None
        await until(seat.path.exists)
        await victim.close()
        validity = (_NOW, _NOW + dt.timedelta(days=30))
        authority = identity.new_authority(_NOW)
        false = new_invite(authority, (), table.opened.match, "eots", ALLIED, validity)
        with pytest.raises(InviteError, match="not from the host of your match"):
            Peer(false, tmp_path / str(ALLIED))
        table.seat(ALLIED)
        table.seat(JAPAN)
        await table.live()
    finally:
        await table.close()


def test_a_damaged_file_matches_no_host(tmp_path: Path) -> None:
    path = tmp_path / f"match{SUFFIX}"
    host = KnownHost(path, "0" * 64)
    host.check()
    path.write_bytes(b"{")
    host.remember()
    with pytest.raises(InviteError, match="it is damaged") as raised:
        host.check()
    assert raised.value.source == str(path)


def test_the_player_is_warned_of_the_invite_and_not_of_the_file(tmp_path: Path) -> None:
    """The sender of a false invite claims that the host has new keys."""
    path = tmp_path / f"match{SUFFIX}"
    KnownHost(path, "0" * 64).remember()
    with pytest.raises(InviteError) as raised:
        KnownHost(path, "1" * 64).check()
    assert raised.value.source == "this invite"
    warning, advice = raised.value.problem.split("; if ")
    assert "0" * 16 in warning
    assert "1" * 16 in warning
    assert str(path) not in warning
    assert str(path) in advice


def test_an_invite_from_another_host_is_listed_separately(tmp_path: Path) -> None:
    """The newer file must not hide the invite from the match's own host."""
    validity = (_NOW, _NOW + dt.timedelta(days=30))
    for name in ("own", "false"):
        authority = identity.new_authority(_NOW)
        invite = new_invite(authority, (), "0123456789abcdef", "eots", "japan", validity)
        write_invites(tmp_path, (invite,), f"{name}.invite")
    listed = list_invites((tmp_path,), tmp_path / "copies")
    assert {entry.path.name for entry in listed} == {"own.invite", "false.invite"}

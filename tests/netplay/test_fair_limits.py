"""Limits belong to a seat or to an address: coming back with another connection gains nothing, and locks nobody out."""

import contextlib
import json
import os
from collections.abc import AsyncIterator, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
import structlog
from structlog.testing import capture_logs

from engine.kernel.ids import Role
from netplay.system.host_log import log_json
from netplay.transport import listener
from netplay.transport.handshake import ask, authenticate
from netplay.transport.in_process import InProcessConnection
from netplay.transport.listener import ConnectionRequest, Listener
from netplay.wire import limits
from netplay.wire import messages as wire
from netplay.wire.errors import SeatRefusedError
from netplay.wire.limits import Bucket, most_common_origin, origin
from saves.decoding import canonical
from tests.netplay.tables import Room, room
from tests.toy_game import BLUE, RED, Hold, Roll

pytestmark = pytest.mark.series("N9")

HOME, ELSEWHERE = "203.0.113.5", "198.51.100.9"


class Street:
    """Connections to a host from any address, without a network."""

    def __init__(self, table: Room) -> None:
        self.table = table
        self._number = 10_000

    def line(self, address: str) -> InProcessConnection:
        self._number += 1
        number = self._number
        host = self.table.host

        async def answer(data: bytes) -> bytes | None:
            return await host._handle(ConnectionRequest(data, number, None, f"{address}:{number}"))

        return InProcessConnection(answer, partial(host._on_disconnected, number))

    async def seat(self, role: Role | None, address: str = HOME) -> InProcessConnection:
        line = self.line(address)
        await authenticate(line, self.table.invites[role])
        return line


@pytest.fixture
async def street(tmp_path: Path) -> AsyncIterator[Street]:
    async with room(tmp_path, "long", plain=True) as table:
        yield Street(table)


async def _answer(line: InProcessConnection, message: wire.WireMessage) -> wire.Answer:
    return wire.decode_answer(await line.ask(wire.encode(message), 10))


async def _flood(street: Street, role: Role, make: Any, lines: int, each: int) -> list[str]:  # noqa: ANN401  # any request
    """Send requests over one connection after another; returns the code of every refusal, or empty."""
    said = []
    for number in range(lines):
        line = await street.seat(role)
        for count in range(each):
            answer = await _answer(line, make(f"{number}-{count}"))
            said.append(answer.code if isinstance(answer, wire.Refused) else "")
        await line.close()
    return said


def _say(request: str) -> wire.Say:
    return wire.Say(request_id=request, text="spam")


def _roll(request: str) -> wire.Submit:
    return wire.Submit(request_id=request, expected_seq=0, command=canonical(Roll()))


async def test_the_chat_limit_applies_across_all_connections_of_a_seat(
    street: Street, monkeypatch: pytest.MonkeyPatch
) -> None:
    _stop_the_clock(monkeypatch)
    said = await _flood(street, BLUE, _say, 5, 8)
    assert said.count("") == limits.CHAT_BURST
    assert said.count("too-fast") == len(said) - limits.CHAT_BURST


async def test_the_illegal_command_limit_applies_across_all_connections_of_a_seat(
    street: Street, monkeypatch: pytest.MonkeyPatch
) -> None:
    _stop_the_clock(monkeypatch)
    said = await _flood(street, BLUE, _roll, 5, 20)
    assert said.count("illegal") == limits.ILLEGAL_BURST
    assert said.count("too-fast") == len(said) - limits.ILLEGAL_BURST


async def test_the_offence_limit_applies_across_all_connections_of_a_seat(
    street: Street, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAX_OFFENCES", 12)
    street.table.host.tables[street.table.match].allowances = limits.Allowances()
    with pytest.raises(Exception, match="reconnect in"):
        await _flood(street, BLUE, _say, 20, 5)
    line = await street.seat(RED)
    assert isinstance(await _answer(line, wire.Ping(token=1)), wire.Pong)


def _stop_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no token come back: how fast the test runs shall not count."""
    monkeypatch.setattr(Bucket.__init__, "__defaults__", (lambda: 0.0,))


async def test_too_many_messages_close_the_connection(
    street: Street, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MESSAGES_BURST", 40)
    monkeypatch.setattr(limits, "MAX_OFFENCES", 10)
    _stop_the_clock(monkeypatch)
    street.table.host.tables[street.table.match].allowances = limits.Allowances()
    line = await street.seat(BLUE)
    for token in range(40 + 10):
        assert await _answer(line, wire.Ping(token=token)) == wire.Pong(token=token)
    answer = await _answer(line, wire.Ping(token=0))
    assert isinstance(answer, wire.Bye)
    assert "too many messages" in answer.reason


def test_message_rate_and_burst_match_the_documented_limits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [0.0]
    monkeypatch.setattr(Bucket.__init__, "__defaults__", (lambda: now[0],))
    bucket = limits.Allowance().messages
    assert sum(bucket.take() for _ in range(3_000)) == limits.MESSAGES_BURST
    now[0] += 1
    assert sum(bucket.take() for _ in range(3_000)) == limits.MESSAGES_PER_SECOND


async def test_digest_comparisons_for_spectators_are_limited(
    street: Street, monkeypatch: pytest.MonkeyPatch
) -> None:
    _stop_the_clock(monkeypatch)
    table = street.table.host.tables[street.table.match]
    asked: list[int] = []
    made = table._feed.digest_at

    def counted(seq: int, role: Role | None) -> bytes:
        asked.append(seq)
        return made(seq, role)

    monkeypatch.setattr(table._feed, "digest_at", counted)
    chain = table.match.chain
    for _ in range(2):  # another connection gains nothing
        line = await street.seat(None)
        for _ in range(limits.COMPARISONS_BURST):
            await _answer(line, wire.PollUpdates(seq=0, chain=chain, digest=bytes(32)))
        await line.close()
    assert len(asked) == limits.COMPARISONS_BURST
    seat = await street.seat(RED)
    wrong = wire.PollUpdates(seq=0, chain=chain, digest=bytes(32))
    assert isinstance(await _answer(seat, wrong), wire.Desync)


async def test_a_flooding_spectator_does_not_block_other_spectators(
    street: Street, monkeypatch: pytest.MonkeyPatch
) -> None:
    _stop_the_clock(monkeypatch)
    monkeypatch.setattr(limits, "MESSAGES_BURST", 5)
    monkeypatch.setattr(limits, "MAX_OFFENCES", 3)
    flooder, other = await street.seat(None), await street.seat(None, ELSEWHERE)
    answer: wire.Answer = wire.Pong(token=0)
    while not isinstance(answer, wire.Bye):
        answer = await _answer(flooder, wire.Ping(token=0))
    assert isinstance(await _answer(other, wire.Ping(token=0)), wire.Pong)
    with pytest.raises(Exception, match="reconnect in"):
        await street.seat(None)
    await street.seat(None, ELSEWHERE)


async def test_spectators_from_one_address_do_not_lock_out_others(
    street: Street, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAX_SPECTATORS", 6)
    crowd = [await street.seat(None) for _ in range(6)]
    guests = [await street.seat(None, ELSEWHERE) for _ in range(3)]
    table = street.table.host.tables[street.table.match]
    assert table.presence.spectator_count == 6
    for line in guests:
        assert isinstance(await _answer(line, wire.Ping(token=0)), wire.Pong)
    for line in crowd[:3]:
        assert isinstance(await _answer(line, wire.Ping(token=0)), wire.Bye)
    for address in (HOME, ELSEWHERE):
        with pytest.raises(SeatRefusedError, match="no room for more spectators"):
            await street.seat(None, address)
    await street.seat(None, "192.0.2.77")


@pytest.mark.parametrize(
    ("remote", "whose"),
    [
        ("203.0.113.5:4711", "203.0.113.5"),
        ("[2001:db8:1:2:3:4:5:6]:4711", "2001:db8:1:2::/64"),
        ("[::ffff:203.0.113.5]:4711", "203.0.113.5"),
        ("[fe80::1%eth0]:4711", "fe80::/64"),
        ("unknown", "unknown"),
        ("this process", "this process"),
    ],
)
def test_origin_groups_ipv6_addresses_by_64_bit_prefix(remote: str, whose: str) -> None:
    assert origin(remote) == whose


def test_the_first_most_common_origin_is_chosen() -> None:
    assert most_common_origin(["a", "b", "b", "c", "c"]) == ("b", 2)


class _Pipe:
    closed = False

    def __init__(self, number: int) -> None:
        self.id = number
        self.remote_address = f"127.0.0.1:{number}"


async def test_excess_silent_connections_are_dropped_from_the_same_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(listener, "MAX_UNAUTHENTICATED", 5)
    dropped: list[str] = []
    lines = Listener(_nothing, lambda _: None)
    places = (ELSEWHERE, *[HOME] * 20, ELSEWHERE)
    monkeypatch.setattr(lines._proxy, "mark_greeted", lambda port: f"{places[port - 1]}:{port}")
    monkeypatch.setattr(
        lines, "drop", lambda number: dropped.append(lines._connections.pop(number).origin)
    )
    for number in range(1, len(places) + 1):
        lines._register_connection(_Pipe(number))
    assert dropped == [HOME] * 17


async def _nothing(request: ConnectionRequest) -> bytes | None:
    del request
    return None


# -- the log under attack


@pytest.fixture
def log_file(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "host.log"
    outlet = log_json(os.open(path, os.O_WRONLY | os.O_CREAT))
    yield path
    outlet.close()
    structlog.reset_defaults()


def _lines(path: Path) -> list[dict[str, Any]]:
    logger = structlog.get_config()["logger_factory"]()
    logger.close()
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


async def test_repeated_reconnects_do_not_flood_the_log(street: Street, log_file: Path) -> None:
    for _ in range(60):
        line = await street.seat(BLUE)
        await line.close()
    line = await street.seat(BLUE)
    command = wire.Submit(request_id="r", expected_seq=0, command=canonical(Hold()))
    assert isinstance(await _answer(line, command), wire.Accepted | wire.Refused)
    lines = _lines(log_file)
    assert len([one for one in lines if one["event"] == "player_joined"]) <= 21
    assert len(lines) < 3 * 21 + 5


async def test_text_from_unauthenticated_peers_is_not_logged(
    street: Street, log_file: Path
) -> None:
    hello = wire.Hello(
        protocol=wire.PROTOCOL,
        capabilities=wire.CAPABILITIES,
        match=street.table.match,
        role="red",
        nonce=bytes(32),
    )
    change = partial(msgspec.structs.replace, hello)
    frames = [
        *(wire.encode(change(role=f"evil{number}")) for number in range(40)),
        *(wire.encode(change(match=f"evil{number}")) for number in range(40)),
        *(wire.encode(change(capabilities=(f"evil{number}",))) for number in range(40)),
        *(wire.encode(change(protocol=77_777_777_000 + number)) for number in range(40)),
        *(msgspec.msgpack.encode({"kind": f"evil{number}"}) for number in range(40)),
        *(msgspec.msgpack.encode({"kind": "ping", f"evil{number}": 1}) for number in range(40)),
    ]
    for frame in frames:
        answer = wire.decode_answer(await street.line(ELSEWHERE).ask(frame, 10))
        assert isinstance(answer, wire.Bye)
    lines = _lines(log_file)
    text = json.dumps(lines)
    assert "evil" not in text
    assert "77777777" not in text
    assert 3 <= len(lines) <= 6


async def test_the_cache_of_logged_refusals_is_bounded(
    street: Street, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("netplay.workers.admission._MAX_LOGGED", 10)
    with capture_logs():
        for number in range(40):
            line = street.line(f"203.0.113.{number}")
            with contextlib.suppress(Exception):
                await ask(line, wire.Ping(token=0), 5)
    assert len(street.table.host._refusals._logged) == 10

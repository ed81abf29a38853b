"""The proxy in front of the transport: which connections it admits, in which order, and which it drops."""

import asyncio
import contextlib
import resource
import socket
import ssl
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from types import ModuleType

import pytest

from netplay.invites.identity import HOST_NAME
from netplay.invites.invite import Invite
from netplay.transport import admission_proxy, listener, proxied_connection
from netplay.transport.admission_proxy import AdmissionProxy
from netplay.transport.fair_queue import FairQueue
from netplay.transport.proxied_connection import SniffResult, sniff_plain, sniff_tls
from tests.netplay.tables import until
from tests.netplay.test_transport import GREETING, RED, Echo, dialled, echoing, many_files
from tests.patience import PATIENCE
from tests.sizes import sized
from tools.bench.attacks import client_hello

pytestmark = pytest.mark.series("N3", "N8")

__all__ = ["many_files"]
CROWD = sized(40, 2_000, of="handshakes begun and left")
ELSEWHERE = "127.0.0.2"
"""Another address that a connection may come from."""


HELLO = client_hello()
ANSWER_GREETING = b"\x00SP\x00\x00\x31\x00\x00"
"""The first bytes that a reply socket sends."""


# -- the first bytes


@pytest.mark.parametrize("heard_of", [sniff_tls, sniff_plain])
@pytest.mark.parametrize("whole", [HELLO, GREETING], ids=["hello", "greeting"])
def test_a_greeting_is_recognised_only_when_complete(
    heard_of: Callable[[bytes], SniffResult], whole: bytes
) -> None:
    fits = (heard_of is sniff_tls) is (whole is HELLO)
    found = [heard_of(whole[:length]) for length in range(len(whole) + 1)]
    if fits:
        assert found == [SniffResult.INCOMPLETE] * len(whole) + [SniffResult.COMPLETE]
    else:
        assert SniffResult.COMPLETE not in found
        assert found[-1] is SniffResult.UNRECOGNISED


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(b"GET / HTTP/1.1\r\n\r\n", id="http"),
        pytest.param(b"\x17\x03\x03\x00\x05", id="another-record"),
        pytest.param(b"\x16\x02\x00\x00\x05", id="another-version"),
        pytest.param(b"\x16\x03\x01\x00\x00", id="an-empty-record"),
        pytest.param(b"\x16\x03\x01\xff\xff", id="too-long"),
        pytest.param(b"\x16\x03\x01\x00\x06\x02\x00\x00\x02xx", id="another-message"),
        pytest.param(b"\x16\x03\x01\x00\x06\x01\x00\x00\x03xx", id="in-two-records"),
        pytest.param(b"\x16\x03\x01\x00\x06\x01\x00\x00\x01xx", id="two-in-a-record"),
        pytest.param(HELLO + b"\x16", id="more-than-a-hello"),
    ],
)
def test_a_malformed_client_hello_is_unrecognised(words: bytes) -> None:
    assert sniff_tls(words) is SniffResult.UNRECOGNISED


def test_bytes_after_a_plain_greeting_are_accepted() -> None:
    assert sniff_plain(GREETING + b"more") is SniffResult.COMPLETE
    assert sniff_plain(b"\x00SQ") is SniffResult.UNRECOGNISED


# -- the order of admission


def test_the_fair_queue_alternates_origins_newest_first() -> None:
    crowd: FairQueue[str] = FairQueue()
    for name in ("a1", "a2", "a3", "b1", "b2"):
        crowd.add(name[0], name)
    crowd.add("a", "a2")
    assert len(crowd) == 5
    assert sorted(crowd) == ["a1", "a2", "a3", "b1", "b2"]
    assert crowd.eviction_candidate() == "a1"
    turns = [crowd.pop_next(), crowd.pop_next()]
    crowd.add("c", "c1")
    crowd.discard("a", "a9")
    turns += [crowd.pop_next() for _ in range(len(crowd))]
    assert turns == ["b2", "a3", "c1", "b1", "a2", "a1"]
    assert not crowd


# -- many clients that begin handshakes without finishing them


class Permits:
    """Admits as many connections as a test allows."""

    def __init__(self, count: int) -> None:
        self.count = count

    def take(self) -> bool:
        self.count -= self.count > 0
        return self.count > 0


class Stranger:
    """A connection from some address that sends what the test tells it to."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.writer = writer
        self.heard = b""
        self.is_closed = False
        self._listening = asyncio.create_task(self._listen(reader))

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        with contextlib.suppress(ConnectionError):
            while part := await reader.read(1 << 16):
                self.heard += part
        self.is_closed = True

    async def leave(self) -> None:
        self._listening.cancel()
        self.writer.close()
        with contextlib.suppress(ConnectionError):
            await self.writer.wait_closed()


async def strange(host: Echo, words: bytes, address: str = "127.0.0.1") -> Stranger:
    reader, writer = await asyncio.open_connection(
        "127.0.0.1", host.listener.port, local_addr=(address, 0)
    )
    writer.write(words)
    return Stranger(reader, writer)


@contextlib.asynccontextmanager
async def besieged(
    host: Echo, words: bytes, count: int, address: str = "127.0.0.1"
) -> AsyncIterator[list[Stranger]]:
    """Yield the given number of strangers, and disconnect them afterwards."""
    crowd: list[Stranger] = []
    try:
        while len(crowd) < count:
            crowd.append(await strange(host, words, address))
        yield crowd
    finally:
        await asyncio.gather(*(one.leave() for one in crowd))


def answered(crowd: list[Stranger]) -> int:
    return sum(bool(one.heard) for one in crowd)


@pytest.mark.usefixtures("many_files")
@pytest.mark.parametrize("words", [HELLO, HELLO[:40], b""], ids=["hello", "half", "nothing"])
async def test_waiting_connections_do_not_delay_players_or_new_arrivals(
    monkeypatch: pytest.MonkeyPatch, words: bytes
) -> None:
    """The transport handles only admitted connections, however many wait. The newest waiting connection is next."""
    async with echoing(plain=False) as host, dialled(host) as running:
        assert await running.ask(b"proven", PATIENCE) == b"proven"
        doors = host.listener._proxy
        monkeypatch.setattr(doors, "_max_ungreeted", CROWD + 1)
        turns = Permits(0)
        monkeypatch.setattr(doors, "_greeting_rate", turns)
        async with besieged(host, words, CROWD) as crowd:
            asks = CROWD if words == HELLO else 0
            await until(lambda: (len(doors._ungreeted), len(doors._waiting)) == (CROWD, asks))
            assert answered(crowd) == 0
            assert await running.ask(b"undisturbed", PATIENCE) == b"undisturbed"
            coming = asyncio.create_task(_greeted(host))
            await until(lambda: len(doors._waiting) == asks + 1)
            turns.count = 2
            assert await asyncio.wait_for(coming, PATIENCE) == b"let me in"
            assert len(doors._waiting) == asks
            assert answered(crowd) == 0
            if asks:
                turns.count = 6
                await until(lambda: answered(crowd) == 5)
                assert len(doors._waiting) == CROWD - 5
            assert await running.ask(b"still here", PATIENCE) == b"still here"
        await until(lambda: doors.count == 1)


async def _greeted(host: Echo) -> bytes:
    async with dialled(host) as line:
        return await line.ask(b"let me in", PATIENCE)


@contextlib.asynccontextmanager
async def deaf(
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[tuple[AdmissionProxy, socket.socket]]:
    """Yield a proxy with ten connections, at most three greetings at a time, and the socket of a silent transport."""
    monkeypatch.setattr(admission_proxy, "MAX_CONCURRENT_GREETINGS", 3)
    monkeypatch.setattr(admission_proxy, "GREETINGS_PER_SECOND", 1_000_000)
    with socket.create_server(("127.0.0.1", 0)) as inside:
        doors = AdmissionProxy()
        port = doors.bind("127.0.0.1", 0)
        doors.open(inside.getsockname(), plain=True)
        writers = []
        for _ in range(10):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(GREETING)
            writers.append(writer)
        yield doors, inside
        for writer in writers:
            writer.close()
        await doors.stop()
        assert doors.count == 0


async def test_concurrent_greetings_to_the_transport_are_limited(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(admission_proxy, "ANSWER_SECONDS", 10 * PATIENCE)
    async with deaf(monkeypatch) as (doors, inside):
        await until(lambda: (len(doors._ungreeted), len(doors._waiting)) == (10, 7))
        answering = inside.accept()[0]
        assert answering.recv(100) == GREETING
        answering.sendall(b"welcome")
        await until(lambda: len(doors._waiting) == 6)
        answering.close()
        await until(lambda: len(doors._ungreeted) == 9)


async def test_an_unresponsive_transport_does_not_block_the_queue(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(admission_proxy, "ANSWER_SECONDS", 0.05)
    async with deaf(monkeypatch) as (doors, _):
        await until(lambda: (len(doors._ungreeted), len(doors._waiting)) == (10, 0))


@pytest.mark.parametrize("limit", ["_max_ungreeted", "MAX_GREETING"])
async def test_excess_connections_are_evicted_from_the_same_address_only(
    monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    async with echoing(plain=False) as host:
        doors = host.listener._proxy
        owner = doors if limit == "_max_ungreeted" else admission_proxy
        monkeypatch.setattr(owner, limit, 10)
        async with (
            besieged(host, HELLO, 2, ELSEWHERE) as few,
            besieged(host, HELLO, 8) as early,
        ):
            await until(lambda: answered(few + early) == 10)
            async with besieged(host, HELLO, 5) as late:
                await until(lambda: answered(late) == 5)
                await until(lambda: [one.is_closed for one in early] == [True] * 5 + [False] * 3)
                assert not any(one.is_closed for one in few + late)
                assert len(doors._ungreeted) == 10
                assert await _greeted(host) == b"let me in"


async def test_only_unauthenticated_connections_time_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(listener, "_SWEEP_SECONDS", 0.01)
    async with echoing(plain=False) as host, dialled(host) as line:
        assert await line.ask(b"proven", PATIENCE) == b"proven"
        doors = host.listener._proxy
        async with besieged(host, HELLO, 3) as crowd:
            await until(lambda: answered(crowd) == 3)
            monkeypatch.setattr(listener, "GREETING_SECONDS", 0.0)
            await until(lambda: all(one.is_closed for one in crowd))
        await until(lambda: doors.count == 1)
        assert await line.ask(b"undisturbed", PATIENCE) == b"undisturbed"


async def test_a_connection_with_another_protocol_is_closed_immediately() -> None:
    async with (
        echoing(plain=False) as host,
        besieged(host, b"GET / HTTP/1.1\r\n\r\n", 3) as crowd,
    ):
        await until(lambda: all(one.is_closed for one in crowd))
        assert answered(crowd) == 0


def client_context(invite: Invite, folder: Path) -> ssl.SSLContext:
    """Return a TLS client of the standard library that uses the invite's key."""
    context = ssl.create_default_context(cadata=invite.authority)
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    key_file = folder / "key.pem"
    key_file.write_text(f"{invite.certificate}\n{invite.key}")
    context.load_cert_chain(key_file)
    return context


async def test_a_connection_that_bypasses_the_proxy_is_refused(tmp_path: Path) -> None:
    """Programs on the same machine can find the address behind the proxy, but even a valid key does not help them."""
    async with echoing(plain=False) as host:
        reader, writer = await asyncio.open_connection(
            *host.listener._proxy._transport_address,
            ssl=client_context(RED, tmp_path),
            server_hostname=HOST_NAME,
        )
        request = b"\x80\x00\x00\x01asked"
        writer.write(GREETING + len(request).to_bytes(8, "big") + request)
        with contextlib.suppress(ConnectionError):
            heard = await asyncio.wait_for(reader.read(), PATIENCE)
            assert heard in (b"", ANSWER_GREETING)
        writer.close()
        assert not host.listener._connections
        assert host.requests == []


async def test_a_silent_connection_that_bypasses_the_proxy_is_closed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(listener, "GREETING_SECONDS", 0.1)
    monkeypatch.setattr(listener, "_SWEEP_SECONDS", 0.02)
    async with echoing(plain=False) as host:
        reader, writer = await asyncio.open_connection(*host.listener._proxy._transport_address)
        assert await asyncio.wait_for(reader.read(), PATIENCE) == b""
        writer.close()


# -- forwarding of data


async def test_proxied_connections_disable_nagle_delay() -> None:
    """Otherwise every other answer takes 40 ms."""
    async with echoing(plain=False) as host, dialled(host) as line:
        assert await line.ask(b"proven", PATIENCE) == b"proven"
        only = next(iter(host.listener._proxy._connections))
        for end in (only.outer, only.inner):
            assert end is not None
            assert end._transport is not None
            own = end._transport.get_extra_info("socket")
            assert own.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


async def test_a_peer_that_stops_reading_causes_back_pressure() -> None:
    """Unread data at one end stops the reading at the other, so that the transport waits as without a proxy."""
    piece = bytes(1 << 16)
    with socket.create_server(("127.0.0.1", 0)) as inside:
        doors = AdmissionProxy()
        port = doors.bind("127.0.0.1", 0)
        doors.open(inside.getsockname(), plain=True)
        with socket.create_connection(("127.0.0.1", port)) as slow:
            slow.sendall(GREETING)
            sending = await asyncio.to_thread(lambda: inside.accept()[0])
            sending.setblocking(False)
            sent = 0
            stalled = 0
            while stalled < 100:
                try:
                    sent += sending.send(piece)
                    stalled = 0
                except BlockingIOError:
                    stalled += 1
                await asyncio.sleep(0)
            only = next(iter(doors._connections))
            transport = only.outer._transport
            assert transport is not None
            assert 0 < transport.get_write_buffer_size() < 1 << 20
            slow.setblocking(False)
            taken = 0
            loop = asyncio.get_running_loop()
            while taken < sent:
                taken += len(await loop.sock_recv(slow, 1 << 20))
            await until(lambda: not transport.get_write_buffer_size())
            sending.sendall(b"end")
            assert await loop.sock_recv(slow, 10) == b"end"
            sending.close()
            assert await loop.sock_recv(slow, 10) == b""
        await doors.stop()


@pytest.mark.parametrize(
    ("owner", "size"), [(proxied_connection, 1 << 15), (admission_proxy, 1 << 24)]
)
async def test_closing_does_not_wait_for_a_peer_that_stops_reading(
    monkeypatch: pytest.MonkeyPatch, owner: ModuleType, size: int
) -> None:
    """This holds for a few bytes, and for so many that the end of the other side is not noticed behind them."""
    monkeypatch.setattr(owner, "LAST_BYTES_SECONDS", 0.05)
    with socket.create_server(("127.0.0.1", 0)) as inside:
        doors = AdmissionProxy()
        port = doors.bind("127.0.0.1", 0)
        doors.open(inside.getsockname(), plain=True)
        with socket.socket() as slow:
            slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            slow.connect(("127.0.0.1", port))
            slow.sendall(GREETING)
            sending = await asyncio.to_thread(lambda: inside.accept()[0])
            only = next(iter(doors._connections))
            await until(lambda: only.inner is not None)
            end = only.outer._transport
            assert end is not None
            end.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
            only.outer.write(bytes(size))
            assert end.get_write_buffer_size()
            sending.close()
            doors.on_transport_closed(only.port)
            await until(lambda: doors.count == 0)
        await doors.stop()


@pytest.mark.parametrize("iterations", range(1, 6))
async def test_connection_accepted_while_stopping_is_closed(iterations: int) -> None:
    """asyncio accepts the connection at once, but reports it only after the proxy has stopped listening."""
    doors = AdmissionProxy()
    port = doors.bind("127.0.0.1", 0)
    doors.open(("127.0.0.1", port), plain=True)
    await until(lambda: doors._server is not None and doors._server.is_serving())
    with socket.create_connection(("127.0.0.1", port)) as late:
        for _ in range(iterations):
            await asyncio.sleep(0)
        await doors.stop()
        assert doors.count == 0
        late.setblocking(False)
        with contextlib.suppress(ConnectionResetError):
            async with asyncio.timeout(PATIENCE):
                assert await asyncio.get_running_loop().sock_recv(late, 1) == b""
    assert doors.count == 0


async def test_an_unreachable_transport_closes_the_connection() -> None:
    doors = AdmissionProxy()
    port = doors.bind("127.0.0.1", 0)
    doors.open(("127.0.0.1", 1), plain=True)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(GREETING)
    assert await asyncio.wait_for(reader.read(), PATIENCE) == b""
    writer.close()
    await until(lambda: doors.count == 0)
    await doors.stop()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "[::]"])
async def test_a_released_address_can_be_bound_again(host: str) -> None:
    if ":" in host and not socket.has_ipv6:
        pytest.skip("no IPv6 here")
    doors = AdmissionProxy()
    port = doors.bind(host, 0)
    doors.stop_accepting()
    again = AdmissionProxy()
    assert again.bind(host, port) == port
    again.stop_accepting()


def test_the_ungreeted_limit_follows_the_open_file_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1_024, 1_024))
    assert admission_proxy._ungreeted_limit() == 256
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1 << 20, 1 << 20))
    assert admission_proxy._ungreeted_limit() == admission_proxy.MAX_UNGREETED

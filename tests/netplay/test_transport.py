"""Transport: limits, idle connections, and admission."""

import asyncio
import contextlib
import datetime as dt
import resource
import socket
import ssl
import struct
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import msgspec
import pynng
import pytest
from structlog.testing import capture_logs

from netplay.invites.identity import Authority, issue_seat, new_authority
from netplay.invites.invite import Invite, new_invite
from netplay.transport import listener, sockets
from netplay.transport.listener import ConnectionRequest, Listener
from netplay.transport.sockets import PeerConnection, connect
from netplay.wire.errors import AddressError, ConnectionLostError
from netplay.wire.message_size import MAX_MESSAGE_BYTES, MAX_PAYLOAD_BYTES
from tests.netplay.tables import until
from tests.patience import PATIENCE
from tests.sizes import sampled

NOW = dt.datetime.now(dt.UTC)
DAY = dt.timedelta(days=1)
OURS = new_authority(NOW)
OTHER = new_authority(NOW)
VALID = (NOW - DAY, NOW + DAY)


def invite(valid: tuple[dt.datetime, dt.datetime] = VALID, authority: Authority = OURS) -> Invite:
    return new_invite(authority, ("tcp://127.0.0.1:1",), "match-1", "toy", "red", valid)


RED = invite()


class Echo:
    """A listener that returns every message."""

    def __init__(self) -> None:
        self.requests: list[ConnectionRequest] = []
        self.gone: list[int] = []
        self.released = asyncio.Event()
        """Until this is set, requests to be held get no answer."""
        self.listener = Listener(self.answer, self.gone.append)
        self.plain = False

    def start(self, *, plain: bool) -> None:
        self.plain = plain
        self.listener.bind("127.0.0.1", 0)
        self.listener.start(OURS, plain=plain)

    async def answer(self, request: ConnectionRequest) -> bytes | None:
        self.requests.append(request)
        self.listener.mark_authenticated(request.connection_id)
        if request.data == b"hold":
            await self.released.wait()
        return None if request.data == b"silence" else request.data

    @property
    def address(self) -> str:
        return f"{'tcp' if self.plain else 'tls+tcp'}://127.0.0.1:{self.listener.port}"


@contextlib.asynccontextmanager
async def echoing(*, plain: bool) -> AsyncIterator[Echo]:
    host = Echo()
    host.start(plain=plain)
    try:
        yield host
    finally:
        await host.listener.stop()


@pytest.fixture(
    params=[pytest.param(False, id="tls"), pytest.param(True, id="plain", marks=pytest.mark.full)]
)
async def echo(request: pytest.FixtureRequest) -> AsyncIterator[Echo]:
    async with echoing(plain=request.param) as host:
        yield host


@pytest.fixture
async def secured() -> AsyncIterator[Echo]:
    async with echoing(plain=False) as host:
        yield host


@contextlib.asynccontextmanager
async def dialled(host: Echo, seat: Invite = RED) -> AsyncIterator[PeerConnection]:
    line = await connect(host.address, seat)
    try:
        yield line
    finally:
        await line.close()


async def test_requests_are_answered_with_the_client_certificate_known(echo: Echo) -> None:
    async with dialled(echo) as line:
        assert await line.ask(b"hello", PATIENCE) == b"hello"
        longest = b"x" * MAX_PAYLOAD_BYTES
        assert await line.ask(longest, PATIENCE) == longest
    first = echo.requests[0]
    assert first.certificate_name == (None if echo.plain else "red, O=match-1")
    assert first.remote.startswith("127.0.0.1:")


async def test_a_pending_request_does_not_block_others(echo: Echo) -> None:
    async with dialled(echo) as line, dialled(echo) as other:
        held = asyncio.create_task(line.ask(b"hold", PATIENCE))
        await until(lambda: [each.data for each in echo.requests] == [b"hold"])
        assert await line.ask(b"quick", PATIENCE) == b"quick"
        assert await other.ask(b"quick", PATIENCE) == b"quick"
        assert not held.done()
        echo.released.set()
        assert await held == b"hold"


@pytest.mark.full
async def test_too_many_pending_requests_close_the_connection(echo: Echo) -> None:
    async with dialled(echo) as line:
        asked = [asyncio.create_task(line.ask(b"hold", PATIENCE)) for _ in range(12)]
        ended = await asyncio.gather(*asked, return_exceptions=True)
    assert any(isinstance(end, ConnectionLostError) for end in ended)


async def test_a_request_without_an_answer_times_out(echo: Echo) -> None:
    async with dialled(echo) as line:
        with pytest.raises(ConnectionLostError, match="is not responding"):
            await line.ask(b"silence", 0.2)
        assert await line.ask(b"again", PATIENCE) == b"again"


async def test_both_sides_detect_a_closed_connection(echo: Echo) -> None:
    async with dialled(echo) as line, dialled(echo) as other:
        await line.ask(b"a", PATIENCE)
        await other.ask(b"b", PATIENCE)
        echo.listener.drop(echo.requests[0].connection_id)
        await asyncio.wait_for(line.is_lost.wait(), PATIENCE)
        with pytest.raises(ConnectionLostError):
            await line.ask(b"c", PATIENCE)
        assert await other.ask(b"d", PATIENCE) == b"d"
    both = {echo.requests[0].connection_id, echo.requests[1].connection_id}
    await until(lambda: not echo.listener._connections and both <= {*echo.gone})


async def test_connecting_to_a_closed_port_is_refused() -> None:
    with pytest.raises(ConnectionLostError, match="no host is listening at"):
        await connect("tls+tcp://127.0.0.1:1", RED)


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (pynng.lib.NNG_ECONNREFUSED, "no host is listening at"),
        (pynng.lib.NNG_EPEERAUTH, "do not accept each other's certificates"),
        (pynng.lib.NNG_ECRYPTO, "do not accept each other's certificates"),
        (pynng.lib.NNG_ETIMEDOUT, "is not responding"),
        (pynng.lib.NNG_ECLOSED, "closed the connection during the handshake"),
        (pynng.lib.NNG_ECONNRESET, "closed the connection during the handshake"),
        (pynng.lib.NNG_ECONNABORTED, "closed the connection during the handshake"),
        (pynng.lib.NNG_ECONNSHUT, "closed the connection during the handshake"),
        (pynng.lib.NNG_ENOMEM, "cannot be reached: out of memory"),
    ],
)
def test_dial_errors_are_explained(number: int, words: str) -> None:
    with pytest.raises(pynng.NNGException) as caught:
        pynng.check_err(number)
    assert words in sockets._dial_problem("tls+tcp://127.0.0.1:1", caught.value, RED)


async def test_a_port_in_use_is_reported(secured: Echo) -> None:
    with pytest.raises(AddressError, match="is in use"):
        Echo().listener.bind("127.0.0.1", secured.listener.port)


async def test_connecting_to_a_silent_host_times_out() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        dial = connect(f"tls+tcp://127.0.0.1:{silent.getsockname()[1]}", RED, 0.5)
        with pytest.raises(ConnectionLostError, match="is not responding"):
            await asyncio.wait_for(dial, PATIENCE)


REPLACE = msgspec.structs.replace
LATER = (NOW + 2 * DAY, NOW + 3 * DAY)
PAST = (NOW - 2 * DAY, NOW - DAY)
FOREIGN = issue_seat(OTHER, "match-1", "red", *VALID)


@pytest.mark.series("N4")
@pytest.mark.parametrize(
    "seat",
    [
        pytest.param(invite(PAST), id="N4-expired"),
        pytest.param(invite(LATER), id="N4-not-yet-valid"),
        pytest.param(
            REPLACE(RED, certificate=FOREIGN.certificate, key=FOREIGN.key), id="N4-other-authority"
        ),
        pytest.param(invite(authority=OTHER), id="N4-host-of-another-authority"),
    ],
)
async def test_a_tls_refusal_does_not_affect_running_connections(
    secured: Echo, seat: Invite
) -> None:
    async with dialled(secured) as line:
        with pytest.raises(ConnectionLostError, match=r"certificates|closed"):
            async with dialled(secured, seat) as bad:
                await bad.ask(b"let me in", PATIENCE)
        assert await line.ask(b"still here", PATIENCE) == b"still here"
    assert {request.certificate_name for request in secured.requests} == {"red, O=match-1"}
    with capture_logs() as logs:
        secured.listener._log_refused_certificates()
        secured.listener._log_refused_certificates()
    assert [entry["event"] for entry in logs] == ["certificates_rejected"] * bool(logs)
    assert secured.listener.refused_certificates == sum(entry["count"] for entry in logs)


@pytest.mark.series("N4")
async def test_a_connection_without_a_certificate_is_refused(secured: Echo) -> None:
    bare = pynng.Req0(recv_timeout=1500, send_timeout=1500)
    bare.tls_config = pynng.TLSConfig(
        pynng.TLSConfig.MODE_CLIENT,
        server_name="flagplot-host",
        ca_string=OURS.authority.certificate,
    )
    with pytest.raises(pynng.NNGException):
        await asyncio.to_thread(_dial_and_ask, bare, secured.address)
    bare.close()
    assert secured.requests == []


def _dial_and_ask(bare: pynng.Req0, address: str) -> None:
    bare.dial(address, block=True)
    bare.send(b"let me in")
    bare.recv()


def _tls_version(port: int, folder: Path, least: ssl.TLSVersion, most: ssl.TLSVersion) -> str:
    """Connect with the seat's certificate and return the version that both sides agreed on."""
    keys = folder / "seat.pem"
    keys.write_text(RED.certificate + RED.key, encoding="ascii")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.load_cert_chain(keys)
    context.minimum_version, context.maximum_version = least, most
    context.set_ciphers("ALL:@SECLEVEL=0")
    with (
        socket.create_connection(("127.0.0.1", port), PATIENCE) as raw,
        context.wrap_socket(raw) as wrapped,
    ):
        return str(wrapped.version())


@pytest.mark.series("N4")
@pytest.mark.filterwarnings("ignore:ssl.TLSVersion:DeprecationWarning")
@pytest.mark.parametrize(
    ("least", "most"),
    [
        pytest.param(ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1, id="older"),
        pytest.param(ssl.TLSVersion.TLSv1_3, ssl.TLSVersion.TLSv1_3, id="newer"),
    ],
)
async def test_tls_versions_other_than_1_2_are_refused(
    secured: Echo, tmp_path: Path, least: ssl.TLSVersion, most: ssl.TLSVersion
) -> None:
    with pytest.raises((ssl.SSLError, OSError)):
        await asyncio.to_thread(_tls_version, secured.listener.port, tmp_path, least, most)


async def test_client_that_supports_tls_1_3_is_accepted_with_1_2(
    secured: Echo, tmp_path: Path
) -> None:
    versions = ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3
    spoken = await asyncio.to_thread(_tls_version, secured.listener.port, tmp_path, *versions)
    assert spoken == "TLSv1.2"


async def test_concurrent_dials_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hundreds of simultaneous handshakes would all be aborted midway, which the transport does not survive."""
    running: set[str] = set()
    most = 0

    async def dial(address: str, _invite: Invite, _seconds: float) -> str:
        nonlocal most
        running.add(address)
        most = max(most, len(running))
        await asyncio.sleep(0)
        running.remove(address)
        return address

    monkeypatch.setattr(sockets, "_connect", dial)
    dials = [connect(f"tcp://127.0.0.1:{port}", RED) for port in range(1, 101)]
    assert len(set(map(str, await asyncio.gather(*dials)))) == len(dials)
    assert most == sockets._MAX_DIALS


# -- sizes: N2

GREETING = b"\x00SP\x00\x00\x30\x00\x00"
"""The first bytes that a request socket sends."""


def _memory() -> tuple[int, int]:
    """Return address space and resident bytes of this process."""
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()
    size = resource.getpagesize()
    return int(pages[0]) * size, int(pages[1]) * size


def _announce(port: int, announced: int, sent: int) -> bool:
    """Announce a message and send part of it. Return whether the host closed the connection."""
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as raw:
        raw.settimeout(PATIENCE)
        raw.sendall(GREETING)
        greeting = raw.recv(8, socket.MSG_WAITALL)
        assert greeting == b"\x00SP\x00\x00\x31\x00\x00"
        with contextlib.suppress(OSError):
            raw.sendall(struct.pack(">Q", announced) + b"x" * sent)
        try:
            return raw.recv(1) == b""
        except ConnectionError:
            return True


@pytest.mark.series("N2")
@pytest.mark.parametrize("sent", [0, 1, 200_000], ids=lambda sent: f"send-{sent}")
@pytest.mark.parametrize(
    "announced",
    [MAX_MESSAGE_BYTES + 1, 1 << 20, 1 << 31, 1 << 63],
    ids=["64KiB+1", "1MiB", "2GiB", "2^63"],
)
async def test_an_oversized_length_prefix_closes_the_connection(announced: int, sent: int) -> None:
    async with echoing(plain=True) as host, dialled(host) as line:
        space, resident = _memory()
        closed = await asyncio.to_thread(_announce, host.listener.port, announced, sent)
        grown_space, grown_resident = _memory()
        assert closed
        # A second thread that the test itself needs may reserve an arena of 64 MiB.
        assert grown_space - space < 256 << 20
        assert grown_resident - resident < 8 << 20
        assert await line.ask(b"the game goes on", PATIENCE) == b"the game goes on"


# -- idle connections: N3


async def _squat(port: int, count: int, words: bytes) -> list[asyncio.StreamWriter]:
    writers: list[asyncio.StreamWriter] = []
    for _ in range(count):
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(words)
        writers.append(writer)
    return writers


async def _leave(writers: list[asyncio.StreamWriter]) -> None:
    for writer in writers:
        writer.close()
    await asyncio.gather(*(writer.wait_closed() for writer in writers), return_exceptions=True)


@pytest.mark.series("N3")
@pytest.mark.parametrize(
    "words",
    [
        pytest.param(b"", id="say-nothing", marks=pytest.mark.full),
        pytest.param(GREETING, id="greet-only"),
        pytest.param(b"\x00SP\x00\x00\x10\x00\x00", id="wrong-protocol", marks=pytest.mark.full),
        pytest.param(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", id="http", marks=pytest.mark.full),
    ],
)
@pytest.mark.parametrize(
    "count", sampled([50, 1000, 1], 1, of="crowds: 50, 1,000 and 1 connections")
)
@pytest.mark.usefixtures("many_files")
async def test_idle_connections_do_not_lock_out_others(
    echo: Echo, count: int, words: bytes
) -> None:
    async with dialled(echo) as running:
        assert await running.ask(b"proven", PATIENCE) == b"proven"
        writers = await _squat(echo.listener.port, count, words)
        async with dialled(echo) as line:
            assert await line.ask(b"hello", PATIENCE) == b"hello"
        undisturbed = await running.ask(b"undisturbed", PATIENCE)
        await _leave(writers)
    assert undisturbed == b"undisturbed"


@pytest.fixture
def many_files() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 8192 if hard == resource.RLIM_INFINITY else min(8192, hard)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


@pytest.mark.series("N3")
@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize(
    "plain", [False, pytest.param(True, marks=pytest.mark.full)], ids=["tls", "plain"]
)
async def test_a_silent_connection_is_closed(*, plain: bool) -> None:
    async with echoing(plain=plain) as host, dialled(host) as line:
        await asyncio.wait_for(line.is_lost.wait(), PATIENCE)
        assert not host.listener._connections


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let listeners that are started from now on time out quickly."""
    monkeypatch.setattr(listener, "GREETING_SECONDS", 1.0)  # enough for a slow machine
    monkeypatch.setattr(listener, "_SWEEP_SECONDS", 0.02)


@pytest.mark.series("N3")
@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize(
    "words",
    [pytest.param(b"", marks=pytest.mark.full), b"\x16\x03\x01\x02\x00\x01"],
    ids=["nothing", "half-hello"],
)
async def test_a_connection_with_an_unfinished_handshake_is_closed(words: bytes) -> None:
    async with echoing(plain=False) as host, dialled(host) as line:
        assert await line.ask(b"proven", PATIENCE) == b"proven"
        reader, writer = await asyncio.open_connection("127.0.0.1", host.listener.port)
        writer.write(words)
        assert await asyncio.wait_for(reader.read(), PATIENCE) == b""
        writer.close()
        assert await line.ask(b"undisturbed", PATIENCE) == b"undisturbed"
        await until(lambda: not host.listener._proxy._ungreeted)


@pytest.mark.full
@pytest.mark.series("N3")
@pytest.mark.usefixtures("hurried")
async def test_a_silent_tls_connection_is_closed(tmp_path: Path) -> None:
    async with echoing(plain=False) as host:
        said = await asyncio.to_thread(_silent_inside, host.listener.port, tmp_path)
    assert said == b"\x00SP\x00\x00\x31\x00\x00"


@pytest.mark.full
@pytest.mark.parametrize("count", [5, 40])
def test_concurrent_first_handshakes_of_a_process_succeed(count: int) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "tests.netplay.handshakes", str(count)],
        check=False,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert (ended.returncode, ended.stderr) == (0, "")


def _silent_inside(port: int, folder: Path) -> bytes:
    """Return everything that a host sends to a silent client inside TLS until it closes the connection."""
    keys = folder / "seat.pem"
    keys.write_text(RED.certificate + RED.key, encoding="ascii")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.load_cert_chain(keys)
    heard = b""
    with (
        socket.create_connection(("127.0.0.1", port), PATIENCE) as raw,
        context.wrap_socket(raw) as wrapped,
        contextlib.suppress(ssl.SSLError, ConnectionError),
    ):
        while part := wrapped.recv(100):
            heard += part
    return heard


@contextlib.contextmanager
def silent_host() -> Iterator[str]:
    """Yield the address of a listener that accepts connections and never sends anything."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listening:
        yield f"tls+tcp://127.0.0.1:{listening.getsockname()[1]}"


@pytest.mark.full
async def test_many_concurrent_dials_to_a_silent_host_time_out() -> None:
    """There are more dials than asyncio has threads. The close that ends a dial must not wait for the dial."""
    with silent_host() as address:
        dials = (connect(address, RED, 0.3) for _ in range(40))
        async with asyncio.timeout(PATIENCE):
            ended = await asyncio.gather(*dials, return_exceptions=True)
    assert {str(each) for each in ended} == {f"the host at {address} is not responding"}


async def test_a_cancelled_close_still_closes_the_connection(echo: Echo) -> None:
    """Otherwise the garbage collector closes it, possibly in a thread that the close has to wait for."""
    release = threading.Event()
    loop = asyncio.get_running_loop()
    busy = [loop.run_in_executor(None, release.wait) for _ in range(64)]
    try:
        line = await connect(echo.address, RED)
        assert await line.ask(b"here", PATIENCE) == b"here"
        closing = asyncio.ensure_future(line.close())
        await asyncio.sleep(0)
        closing.cancel()
        await until(lambda: not echo.listener._connections)
    finally:
        release.set()
        await asyncio.gather(*busy)


@pytest.mark.full
async def test_cancelling_a_dial_twice_leaks_no_socket() -> None:
    before = {thread.name for thread in threading.enumerate()}
    with silent_host() as address:
        dial = asyncio.ensure_future(connect(address, RED, 30))
        await until(lambda: {thread.name for thread in threading.enumerate()} != before)
        for _ in range(2):
            dial.cancel()
            await asyncio.sleep(0)
        with pytest.raises(asyncio.CancelledError):
            await dial
        await until(lambda: not {thread.name for thread in threading.enumerate()} - before)


async def _asks(line: PeerConnection, size: int) -> str:
    """Send requests without a pause until the connection is lost. Return the reason."""
    while True:
        try:
            await line.ask(b"x" * size, PATIENCE)
        except ConnectionLostError as error:
            return str(error)


@pytest.mark.full
async def test_both_ends_detect_a_connection_closed_under_load(echo: Echo) -> None:
    """If it is closed while answers are being sent, the transport might notify neither end."""
    for size in (10, 2_000, 40_000) * 5:
        async with dialled(echo) as line:
            asking = [asyncio.ensure_future(_asks(line, size)) for _ in range(6)]
            await until(lambda: len(echo.requests) > 20)
            echo.listener.drop(echo.requests[-1].connection_id)
            reasons = set(await asyncio.gather(*asking))
        assert not [reason for reason in reasons if "is not responding" in reason]
        await until(lambda: not echo.listener._connections)
        echo.requests.clear()

"""Attacks on a host by strangers and malicious clients. Each attack runs for a few seconds in its own process.

``load_attack.py`` starts that process. :data:`LINES` and :data:`CROWD` limit the number of simultaneous connections.
"""

import asyncio
import resource
import ssl
import struct
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from itertools import count
from pathlib import Path
from random import Random
from typing import Final, TypeAlias
from urllib.parse import urlsplit

import msgspec

from engine.eots.commands import Done
from engine.kernel.errors import FlagplotError
from netplay.host.host_command import raise_file_limit
from netplay.invites.invite import Invite, load_invite
from netplay.transport.handshake import authenticate
from netplay.transport.sockets import PeerConnection, connect
from netplay.wire import messages as wire
from netplay.wire.message_size import MAX_MESSAGE_BYTES
from saves.chain import first_chain
from saves.decoding import canonical
from saves.headers import decode_header

LINES: Final = 8
"""Number of simultaneous connections in an attack that sends messages."""
CROWD: Final = 2_000
"""Number of simultaneous connections in an attack that sends no messages."""
STORM_EACH_SECOND: Final = 700
_SPARE_FILES: Final = 100
_ANSWER_SECONDS: Final = 6.0
_GREETING: Final = b"\x00SP\x00\x00\x30\x00\x00"
"""The first bytes that an NNG request socket sends."""
_ANNOUNCED: Final = (MAX_MESSAGE_BYTES + 1, 1 << 20, 1 << 31, 1 << 63)
_WRONG_HASH: Final = bytes(32)
"""A chain value or digest that matches no record or state."""


class Target(msgspec.Struct, kw_only=True):
    """The host under attack, the attackers' keys, and their progress."""

    watcher: Invite
    """A spectator's invite for the match played during the attack."""
    seat: Invite
    """A player's invite for another match."""
    until: float
    """End of the attack, on the ``time.monotonic`` clock."""
    done: int = 0
    """Number of connections made or messages sent so far."""

    @property
    def address(self) -> tuple[str, int]:
        """Return the host's address and port."""
        parts = urlsplit(self.watcher.addresses[0])
        assert parts.hostname, "an invite's address must contain a host"
        assert parts.port
        return parts.hostname, parts.port

    @property
    def left(self) -> float:
        """Return the number of seconds left in the attack."""
        return max(self.until - time.monotonic(), 0.0)


Attack: TypeAlias = Callable[[Target], Awaitable[None]]
"""An attack. It ends at the time in the target's `until`."""
Once: TypeAlias = Callable[[], Awaitable[None]]
"""One connection of an attack, from start to end."""


# -- attackers that send no messages


async def _no_attack(target: Target) -> None:
    await asyncio.sleep(target.left)


async def _silent_connections(target: Target) -> None:
    """Connect and send nothing."""
    await _hold_connections(target, b"")


async def _incomplete_handshakes(target: Target) -> None:
    """Start a valid TLS handshake so that the host does its part of the work, but never finish the handshake."""
    await _hold_connections(target, client_hello())


async def _half_client_hellos(target: Target) -> None:
    """Send half of a TLS client hello and nothing more."""
    hello = client_hello()
    await _hold_connections(target, hello[: len(hello) // 2])


async def _repeated_handshakes(target: Target) -> None:
    """Start a TLS handshake, disconnect after the host has done its part of the work, and reconnect immediately."""
    hello = client_hello()

    async def begin() -> None:
        reader, writer = await asyncio.open_connection(*target.address)
        target.done += 1
        try:
            writer.write(hello)
            async with asyncio.timeout(target.left):
                await reader.read(MAX_MESSAGE_BYTES)
        finally:
            writer.close()

    await _run_in_parallel(target, begin, _connection_limit())


def _connection_limit() -> int:
    """Return the number of connections to keep open: :data:`CROWD`, or fewer if the open-file limit is lower."""
    return min(CROWD, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - _SPARE_FILES)


async def _hold_connections(target: Target, words: bytes) -> None:
    """Keep as many connections open as possible. Replace each connection that the host closes."""

    async def hold() -> None:
        reader, writer = await asyncio.open_connection(*target.address)
        target.done += 1
        try:
            writer.write(words)
            async with asyncio.timeout(target.left):
                while await reader.read(MAX_MESSAGE_BYTES):
                    pass
        finally:
            writer.close()

    await _run_in_parallel(target, hold, _connection_limit())


def client_hello() -> bytes:
    """Return the first message of a TLS handshake."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    outgoing = ssl.MemoryBIO()
    with suppress(ssl.SSLWantReadError):
        context.wrap_bio(ssl.MemoryBIO(), outgoing).do_handshake()
    return outgoing.read()


async def _connection_storm(target: Target) -> None:
    """Connect and disconnect without sending anything, at a constant rate."""
    started = time.monotonic()
    while target.left or not target.done:
        with suppress(OSError):
            _, writer = await asyncio.open_connection(*target.address)
            writer.close()
        target.done += 1
        wait_seconds = started + target.done / STORM_EACH_SECOND - time.monotonic()
        await asyncio.sleep(max(wait_seconds, 0.0))


# -- attackers without a key, or without the key for the seat


async def _oversized_messages(target: Target) -> None:
    """Announce messages over the size limit on a TLS connection."""
    numbers = count()
    with _spectator_tls_context(target) as context:

        async def announce() -> None:
            reader, writer = await asyncio.open_connection(*target.address, ssl=context)
            target.done += 1
            try:
                writer.write(_GREETING)
                await reader.readexactly(len(_GREETING))
                announced = _ANNOUNCED[next(numbers) % len(_ANNOUNCED)]
                writer.write(struct.pack(">Q", announced) + b"x" * MAX_MESSAGE_BYTES)
                async with asyncio.timeout(_ANSWER_SECONDS):
                    await reader.read()
            finally:
                writer.close()

        await _run_in_parallel(target, announce, LINES)


@contextmanager
def _spectator_tls_context(target: Target) -> Iterator[ssl.SSLContext]:
    """Yield a TLS context with a spectator's key."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    with tempfile.TemporaryDirectory() as name:
        keys = Path(name) / "keys.pem"
        keys.write_text(target.watcher.certificate + target.watcher.key, encoding="ascii")
        context.load_cert_chain(keys)
    yield context


async def _seat_requests_with_wrong_key(target: Target) -> None:
    """Try to take a player's seat with a spectator's key."""
    forged_invite = msgspec.structs.replace(target.watcher, role="japan")

    async def ask() -> None:
        line = await connect(target.watcher.addresses[0], target.watcher)
        target.done += 1
        try:
            await authenticate(line, forged_invite)
        finally:
            await line.close()

    await _run_in_parallel(target, ask, LINES)


# -- attackers with a valid key


async def _take_and_leave_seat(target: Target) -> None:
    """Take a seat and leave it, repeatedly."""

    async def take_and_leave() -> None:
        async with _connected_peer(target.seat):
            target.done += 1

    await _run_in_parallel(target, take_and_leave, LINES)


async def _chat_flood(target: Target) -> None:
    """Send chat as fast as the host replies. Reconnect whenever the host disconnects the client."""
    await _send_repeatedly(
        target, target.seat, lambda number: wire.Say(request_id=number, text="spam" * 50)
    )


async def _illegal_commands(target: Target) -> None:
    """Send commands that are not currently allowed."""
    body = canonical(Done())
    await _send_repeatedly(
        target,
        target.seat,
        lambda number: wire.Submit(request_id=number, expected_seq=0, command=body),
    )


async def _record_requests(target: Target) -> None:
    """As a spectator, request the whole record repeatedly."""
    chain = await _first_chain(target)
    await _send_repeatedly(
        target, target.watcher, lambda _: wire.PollUpdates(seq=-1, chain=chain, digest=None)
    )


async def _divergence_reports(target: Target) -> None:
    """As a spectator, report differing views and send log tails for the host to store."""
    digests = count()

    def poll_message(number: str) -> wire.WireMessage:
        digest = next(digests).to_bytes(32, "big")
        if number.endswith("0"):
            return wire.PollUpdates(seq=0, chain=_WRONG_HASH, digest=digest)
        return wire.Tail(seq=0, digest=digest, records=(bytes(wire.CHUNK_BYTES),))

    await _send_repeatedly(target, target.watcher, poll_message)


async def _mutated_messages(target: Target) -> None:
    """As a spectator, send messages with randomly changed bytes."""
    source = Random(1)  # noqa: S311  # the choice of bytes is not secret
    frames = [
        wire.encode(wire.PollUpdates(seq=0, chain=_WRONG_HASH, digest=_WRONG_HASH)),
        wire.encode(wire.Say(request_id="a", text="hello")),
        wire.encode(wire.Submit(request_id="b", expected_seq=0, command=b"\x80")),
        wire.encode(wire.Tail(seq=0, digest=_WRONG_HASH, records=(b"x" * 100,))),
    ]

    def mutate() -> bytes:
        frame = bytearray(source.choice(frames))
        for _ in range(source.randrange(1, 5)):
            frame[source.randrange(100)] = source.randrange(256)
        return bytes(frame)

    async def send() -> None:
        async with _connected_peer(target.watcher) as line:
            while not isinstance(await _request(target, line, mutate()), wire.Bye) and target.left:
                pass

    await _run_in_parallel(target, send, LINES)


async def _send_repeatedly(
    target: Target, invite: Invite, make_message: Callable[[str], wire.WireMessage]
) -> None:
    """Send messages one after another over several connections. Reconnect immediately after a disconnect."""
    numbers = count()

    def message() -> bytes:
        return wire.encode(make_message(f"attack-{next(numbers)}"))

    async def send() -> None:
        async with _connected_peer(invite) as line:
            while not isinstance(await _request(target, line, message()), wire.Bye) and target.left:
                pass

    await _run_in_parallel(target, send, LINES)


async def _first_chain(target: Target) -> bytes:
    """Return the chain value before the first record of the match."""
    line = await connect(target.watcher.addresses[0], target.watcher)
    try:
        welcome = await authenticate(line, target.watcher)
    finally:
        await line.close()
    return first_chain(decode_header(welcome.header))


@asynccontextmanager
async def _connected_peer(invite: Invite) -> AsyncIterator[PeerConnection]:
    line = await connect(invite.addresses[0], invite)
    try:
        await authenticate(line, invite)
        yield line
    finally:
        await line.close()


async def _request(target: Target, line: PeerConnection, data: bytes) -> wire.Answer:
    target.done += 1
    return wire.decode_answer(await line.ask(data, _ANSWER_SECONDS))


async def _run_in_parallel(target: Target, once: Once, lines: int) -> None:
    """Run an attack over the given number of connections until the time is up, but at least once on each connection."""
    await asyncio.gather(*(_repeat(target, once) for _ in range(lines)))


async def _repeat(target: Target, once: Once) -> None:
    is_first = True
    while is_first or target.left:
        is_first = False
        try:
            await once()
        except (FlagplotError, OSError, EOFError):  # disconnected or refused by the host
            await asyncio.sleep(0)


ATTACKS: Final[Mapping[str, Attack]] = {
    "nothing": _no_attack,
    "restless": _repeated_handshakes,
    "hanging": _incomplete_handshakes,
    "half": _half_client_hellos,
    "silent": _silent_connections,
    "storm": _connection_storm,
    "oversize": _oversized_messages,
    "impostors": _seat_requests_with_wrong_key,
    "seats": _take_and_leave_seat,
    "chat": _chat_flood,
    "illegal": _illegal_commands,
    "questions": _record_requests,
    "tails": _divergence_reports,
    "mutated": _mutated_messages,
}
"""Attacks by name. The first one does nothing and serves as the baseline."""


def main() -> None:
    """Run the attack named on the command line, and print the number of connections made or messages sent."""
    name, watcher, seat, seconds = sys.argv[1:]
    raise_file_limit()
    target = Target(
        watcher=load_invite(Path(watcher)),
        seat=load_invite(Path(seat)),
        until=time.monotonic() + float(seconds),
    )
    asyncio.run(_attack(name, target))
    sys.stdout.write(f"{target.done}\n")


async def _attack(name: str, target: Target) -> None:
    await ATTACKS[name](target)

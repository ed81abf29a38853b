"""What strangers and ill-natured guests do to a host, each for some seconds, from a process of its own.

``siege.py`` starts it. All of it is bounded: in connections at a time (:data:`LINES`, :data:`CROWD`) and in time.
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
from netplay.host.host_command import more_files
from netplay.invites.invite import Invite, load_invite
from netplay.transport.handshake import take_seat
from netplay.transport.sockets import PeerConnection, connect
from netplay.wire import messages as wire
from netplay.wire.message_size import MAX_MESSAGE_BYTES
from saves.chain import first_chain
from saves.decoding import canonical
from saves.headers import decode_header

LINES: Final = 8
"""Connections at a time of an attack that says something."""
CROWD: Final = 2_000
"""Connections at a time of an attack that says nothing."""
STORM_EACH_SECOND: Final = 700
_SPARE_FILES: Final = 100
_ANSWER_SECONDS: Final = 6.0
_GREETING: Final = b"\x00SP\x00\x00\x30\x00\x00"
"""What a socket that asks says first."""
_ANNOUNCED: Final = (MAX_MESSAGE_BYTES + 1, 1 << 20, 1 << 31, 1 << 63)
_WRONG: Final = bytes(32)
"""A chain or digest that nothing has."""


class Target(msgspec.Struct, kw_only=True):
    """The host, the keys that the attackers have, and how far they are."""

    watcher: Invite
    """Of spectators of the match that is played meanwhile."""
    seat: Invite
    """Of a seat of another match."""
    until: float
    """When the attack is over, on the clock of ``time.monotonic``."""
    done: int = 0
    """Connections that were made, or messages that were sent."""

    @property
    def address(self) -> tuple[str, int]:
        """Return where the host listens."""
        parts = urlsplit(self.watcher.addresses[0])
        assert parts.hostname, "an invite holds addresses"
        assert parts.port
        return parts.hostname, parts.port

    @property
    def left(self) -> float:
        """Return for how many seconds the attack goes on."""
        return max(self.until - time.monotonic(), 0.0)


Attack: TypeAlias = Callable[[Target], Awaitable[None]]
"""Goes on until it is over."""
Once: TypeAlias = Callable[[], Awaitable[None]]
"""One connection of an attack, from its beginning to its end."""


# -- who says nothing


async def _nothing(target: Target) -> None:
    await asyncio.sleep(target.left)


async def _silent(target: Target) -> None:
    """Connect and say nothing."""
    await _held(target, b"")


async def _hanging(target: Target) -> None:
    """Begin a TLS handshake properly, so that the host works for it, and leave it at that."""
    await _held(target, client_hello())


async def _half(target: Target) -> None:
    """Begin to begin one, and leave it at that."""
    hello = client_hello()
    await _held(target, hello[: len(hello) // 2])


async def _restless(target: Target) -> None:
    """Begin a TLS handshake, leave when the host has worked for it, and come back at once."""
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

    await _together(target, begin, _crowd())


def _crowd() -> int:
    """Return how many connections an attacker can hold."""
    return min(CROWD, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - _SPARE_FILES)


async def _held(target: Target, words: bytes) -> None:
    """Hold as many connections as can be; one that the host closes is replaced."""

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

    await _together(target, hold, _crowd())


def client_hello() -> bytes:
    """Return what begins a TLS handshake."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    said = ssl.MemoryBIO()
    with suppress(ssl.SSLWantReadError):
        context.wrap_bio(ssl.MemoryBIO(), said).do_handshake()
    return said.read()


async def _storm(target: Target) -> None:
    """Come and go without a word, evenly over the time."""
    began = time.monotonic()
    while target.left or not target.done:
        with suppress(OSError):
            _, writer = await asyncio.open_connection(*target.address)
            writer.close()
        target.done += 1
        early = began + target.done / STORM_EACH_SECOND - time.monotonic()
        await asyncio.sleep(max(early, 0.0))


# -- who has no key, or not the one for the seat


async def _oversize(target: Target) -> None:
    """Announce messages longer than any, within TLS."""
    numbers = count()
    with _spectators_tls(target) as context:

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

        await _together(target, announce, LINES)


@contextmanager
def _spectators_tls(target: Target) -> Iterator[ssl.SSLContext]:
    """Yield what takes a spectator's key through TLS."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    with tempfile.TemporaryDirectory() as name:
        keys = Path(name) / "keys.pem"
        keys.write_text(target.watcher.certificate + target.watcher.key, encoding="ascii")
        context.load_cert_chain(keys)
    yield context


async def _impostors(target: Target) -> None:
    """Ask for a seat of the match with the key of a spectator."""
    wanted = msgspec.structs.replace(target.watcher, role="japan")

    async def ask() -> None:
        line = await connect(target.watcher.addresses[0], target.watcher)
        target.done += 1
        try:
            await take_seat(line, wanted)
        finally:
            await line.close()

    await _together(target, ask, LINES)


# -- who has a key


async def _seats(target: Target) -> None:
    """Take a seat and leave it, over and over."""

    async def come_and_go() -> None:
        async with _seated(target.seat):
            target.done += 1

    await _together(target, come_and_go, LINES)


async def _chat(target: Target) -> None:
    """Talk as fast as the host answers; come back with another connection when it has enough."""
    await _flood(target, target.seat, lambda number: wire.Say(request_id=number, text="spam" * 50))


async def _illegal(target: Target) -> None:
    """Give commands that nobody asked for."""
    body = canonical(Done())
    await _flood(
        target,
        target.seat,
        lambda number: wire.Submit(request_id=number, expected_seq=0, command=body),
    )


async def _questions(target: Target) -> None:
    """Ask for the whole record again and again, as a spectator."""
    chain = await _first_chain(target)
    await _flood(
        target, target.watcher, lambda _: wire.PollUpdates(seq=-1, chain=chain, digest=None)
    )


async def _tails(target: Target) -> None:
    """Tell the host that views differ, and send it ends of logs to keep, as a spectator."""
    digests = count()

    def tell(number: str) -> wire.Message:
        digest = next(digests).to_bytes(32, "big")
        if number.endswith("0"):
            return wire.PollUpdates(seq=0, chain=_WRONG, digest=digest)
        return wire.Tail(seq=0, digest=digest, records=(bytes(wire.CHUNK_BYTES),))

    await _flood(target, target.watcher, tell)


async def _mutated(target: Target) -> None:
    """Send messages with some bytes changed, as a spectator."""
    source = Random(1)  # noqa: S311  # which bytes change is no secret
    frames = [
        wire.encode(wire.PollUpdates(seq=0, chain=_WRONG, digest=_WRONG)),
        wire.encode(wire.Say(request_id="a", text="hello")),
        wire.encode(wire.Submit(request_id="b", expected_seq=0, command=b"\x80")),
        wire.encode(wire.Tail(seq=0, digest=_WRONG, records=(b"x" * 100,))),
    ]

    def mutated() -> bytes:
        frame = bytearray(source.choice(frames))
        for _ in range(source.randrange(1, 5)):
            frame[source.randrange(100)] = source.randrange(256)
        return bytes(frame)

    async def send() -> None:
        async with _seated(target.watcher) as line:
            while not isinstance(await _told(target, line, mutated()), wire.Bye) and target.left:
                pass

    await _together(target, send, LINES)


async def _flood(target: Target, invite: Invite, make: Callable[[str], wire.Message]) -> None:
    """Send one message after the other over several connections; whoever is thrown out comes back at once."""
    numbers = count()

    def message() -> bytes:
        return wire.encode(make(f"attack-{next(numbers)}"))

    async def send() -> None:
        async with _seated(invite) as line:
            while not isinstance(await _told(target, line, message()), wire.Bye) and target.left:
                pass

    await _together(target, send, LINES)


async def _first_chain(target: Target) -> bytes:
    """Return the chain before the first record of the match."""
    line = await connect(target.watcher.addresses[0], target.watcher)
    try:
        welcome = await take_seat(line, target.watcher)
    finally:
        await line.close()
    return first_chain(decode_header(welcome.header))


@asynccontextmanager
async def _seated(invite: Invite) -> AsyncIterator[PeerConnection]:
    line = await connect(invite.addresses[0], invite)
    try:
        await take_seat(line, invite)
        yield line
    finally:
        await line.close()


async def _told(target: Target, line: PeerConnection, data: bytes) -> wire.Answer:
    target.done += 1
    return wire.decode_answer(await line.ask(data, _ANSWER_SECONDS))


async def _together(target: Target, once: Once, lines: int) -> None:
    """Let so many attackers do something over and over until it is over, at least once each."""
    await asyncio.gather(*(_over_and_over(target, once) for _ in range(lines)))


async def _over_and_over(target: Target, once: Once) -> None:
    is_first = True
    while is_first or target.left:
        is_first = False
        try:
            await once()
        except (FlagplotError, OSError, EOFError):  # thrown out, or not let in: once more
            await asyncio.sleep(0)


ATTACKS: Final[Mapping[str, Attack]] = {
    "nothing": _nothing,
    "restless": _restless,
    "hanging": _hanging,
    "half": _half,
    "silent": _silent,
    "storm": _storm,
    "oversize": _oversize,
    "impostors": _impostors,
    "seats": _seats,
    "chat": _chat,
    "illegal": _illegal,
    "questions": _questions,
    "tails": _tails,
    "mutated": _mutated,
}
"""By the name that the table has; the first is what the others are compared with."""


def main() -> None:
    """Attack as the command line says, and print how many connections were made or messages sent."""
    name, watcher, seat, seconds = sys.argv[1:]
    more_files()
    target = Target(
        watcher=load_invite(Path(watcher)),
        seat=load_invite(Path(seat)),
        until=time.monotonic() + float(seconds),
    )
    asyncio.run(_attack(name, target))
    sys.stdout.write(f"{target.done}\n")


async def _attack(name: str, target: Target) -> None:
    await ATTACKS[name](target)

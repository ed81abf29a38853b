"""What the host and one of its worker processes say to each other, over a pair of sockets that nobody else has.

Each message is its length in 4 bytes and a MessagePack map with its tag. What asks for an answer has a number, which
the answer repeats.
"""

import asyncio
import socket
from collections.abc import Callable
from typing import Annotated, Final, Generic, TypeAlias, TypeVar

import msgspec

from netplay.holding import MatchId, Reply, Standing, Taken
from netplay.manner import Manner

M = TypeVar("M")
_LENGTH_BYTES: Final = 4


class Said(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind"):
    """Base of all messages."""


# -- the host says


class Begin(Said, frozen=True, kw_only=True, tag="begin"):
    """The first message: where the matches are, and how they are held."""

    folder: bytes
    """Bytes, because the name of a folder need not be text."""
    manner: Manner


class Ask(Said, frozen=True, kw_only=True, tag="ask"):
    """A frame of a connection, to be answered."""

    number: int
    line: int
    data: bytes
    certified: str | None
    remote: str


class Gone(Said, frozen=True, kw_only=True, tag="gone"):
    """A connection has ended."""

    line: int


class Take(Said, frozen=True, kw_only=True, tag="take"):
    """Open a match from its record."""

    number: int
    match: MatchId


class Play(Said, frozen=True, kw_only=True, tag="play"):
    """Start the bots of a match."""

    match: MatchId


class Discard(Said, frozen=True, kw_only=True, tag="discard"):
    """Let go of a match."""

    number: int
    match: MatchId
    reason: str


class Count(Said, frozen=True, kw_only=True, tag="count"):
    """How does every match stand?"""

    number: int


class Look(Said, frozen=True, kw_only=True, tag="look"):
    """Is every match over, and has everybody heard of it?"""

    number: int


class Beat(Said, frozen=True, kw_only=True, tag="beat"):
    """The host runs; sent at regular intervals."""


class Stop(Said, frozen=True, kw_only=True, tag="stop"):
    """Say goodbye to everybody, let go of the records, and end."""

    number: int
    reason: str


Order: TypeAlias = Begin | Ask | Gone | Take | Play | Discard | Count | Look | Beat | Stop


# -- the worker answers


class Answered(Said, frozen=True, kw_only=True, tag="answered"):
    """To an :class:`Ask`."""

    number: int
    body: Reply


class Opened(Said, frozen=True, kw_only=True, tag="opened"):
    """To a :class:`Take`."""

    number: int
    body: Taken


class Counted(Said, frozen=True, kw_only=True, tag="counted"):
    """To a :class:`Count`."""

    number: int
    body: tuple[Standing, ...]


class Done(Said, frozen=True, kw_only=True, tag="done"):
    """To everything else; to a :class:`Look` it says whether it is so."""

    number: int
    body: bool = True


class Failed(Said, frozen=True, kw_only=True, tag="failed"):
    """It could not be done; nothing happened."""

    number: int
    problem: Annotated[str, msgspec.Meta(min_length=1)]


class Ready(Said, frozen=True, kw_only=True, tag="ready"):
    """The first message of a worker: it hears."""


News: TypeAlias = Answered | Opened | Counted | Done | Failed | Ready

ORDERS: Final[msgspec.msgpack.Decoder[Order]] = msgspec.msgpack.Decoder(Order)
NEWS: Final[msgspec.msgpack.Decoder[News]] = msgspec.msgpack.Decoder(News)
_ENCODER: Final = msgspec.msgpack.Encoder()


class Channel(asyncio.Protocol, Generic[M]):
    """One end of the pair."""

    def __init__(
        self,
        decoder: "msgspec.msgpack.Decoder[M]",
        hear: Callable[[M], None],
        ended: Callable[[], None],
    ) -> None:
        """Prepare; :meth:`open` connects.

        Args:
            decoder: Reads what the other end says.
            hear: Told each message in the event loop, in order.
            ended: Told once when the other end is gone, or this one was closed.
        """
        self._decoder = decoder
        self._hear = hear
        self._ended = ended
        self._buffer = bytearray()
        self._transport: asyncio.Transport | None = None

    async def open(self, end: socket.socket) -> None:
        """Speak and hear over one end of a pair of sockets."""
        await asyncio.get_running_loop().create_unix_connection(lambda: self, sock=end)

    @property
    def is_closed(self) -> bool:
        """Return whether nothing can be said any more."""
        return self._transport is None or self._transport.is_closing()

    def send(self, message: Said) -> None:
        """Say something; lost without a word when the other end is gone."""
        if self._transport is None or self._transport.is_closing():
            return
        data = _ENCODER.encode(message)
        self._transport.write(len(data).to_bytes(_LENGTH_BYTES, "big") + data)

    def close(self) -> None:
        """End the connection once everything has left."""
        if self._transport is not None:
            self._transport.close()

    # -- what the event loop calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Note the transport."""
        assert isinstance(transport, asyncio.Transport), "a stream is written to"
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Hear every message that is whole."""
        buffer = self._buffer
        buffer += data
        start = 0
        while len(buffer) >= (begin := start + _LENGTH_BYTES):
            end = begin + int.from_bytes(buffer[start:begin], "big")
            if len(buffer) < end:
                break
            message = self._decoder.decode(buffer[begin:end])
            start = end
            self._hear(message)
        del buffer[:start]

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell that the other end is gone."""
        del exc
        self._ended()

"""Exchanges messages between the host and one of its worker processes, over a private socket pair.

Each message consists of a 4-byte length and a tagged MessagePack map. A message that needs a reply contains a number,
which the reply repeats.
"""

import asyncio
import socket
from collections.abc import Callable
from typing import Annotated, Final, Generic, TypeAlias, TypeVar

import msgspec
from typing_extensions import override

from netplay.match.host_config import HostConfig
from netplay.match.match_backend import LoadResult, MatchId, MatchOverview, Reply

M = TypeVar("M")
_LENGTH_BYTES: Final = 4


class WorkerMessage(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind"):
    """Base class for all messages between the host and a worker."""


# -- from the host


class Begin(WorkerMessage, frozen=True, kw_only=True, tag="begin"):
    """The first message, which contains the folder for the matches and the host settings."""

    folder: bytes
    """The folder's path. It is sent as bytes, because file names need not be valid text."""
    manner: HostConfig


class WorkerRequest(WorkerMessage, frozen=True, kw_only=True, tag="ask"):
    """A frame from a connection, to which the worker must reply."""

    number: int
    line: int
    data: bytes
    certified: str | None
    remote: str


class Disconnected(WorkerMessage, frozen=True, kw_only=True, tag="gone"):
    """Reports that a connection has ended."""

    line: int


class LoadMatch(WorkerMessage, frozen=True, kw_only=True, tag="take"):
    """Open a match from its record."""

    number: int
    match: MatchId


class StartBots(WorkerMessage, frozen=True, kw_only=True, tag="play"):
    """Start the bots in a match."""

    match: MatchId


class DiscardMatch(WorkerMessage, frozen=True, kw_only=True, tag="discard"):
    """Close a match."""

    number: int
    match: MatchId
    reason: str


class GetOverviews(WorkerMessage, frozen=True, kw_only=True, tag="count"):
    """Request the status of every match."""

    number: int


class CheckDone(WorkerMessage, frozen=True, kw_only=True, tag="look"):
    """Ask whether every match is over and no peer is connected."""

    number: int


class Heartbeat(WorkerMessage, frozen=True, kw_only=True, tag="beat"):
    """A heartbeat, which the host sends at regular intervals while it is running."""


class StopWorker(WorkerMessage, frozen=True, kw_only=True, tag="stop"):
    """Disconnect all peers with this reason, close the records, and exit."""

    number: int
    reason: str


WorkerOrder: TypeAlias = (
    Begin
    | WorkerRequest
    | Disconnected
    | LoadMatch
    | StartBots
    | DiscardMatch
    | GetOverviews
    | CheckDone
    | Heartbeat
    | StopWorker
)


# -- from the worker


class Answered(WorkerMessage, frozen=True, kw_only=True, tag="answered"):
    """The reply to a :class:`WorkerRequest`."""

    number: int
    body: Reply


class Opened(WorkerMessage, frozen=True, kw_only=True, tag="opened"):
    """The reply to a :class:`LoadMatch`."""

    number: int
    body: LoadResult


class Counted(WorkerMessage, frozen=True, kw_only=True, tag="counted"):
    """The reply to a :class:`GetOverviews`."""

    number: int
    body: tuple[MatchOverview, ...]


class Completed(WorkerMessage, frozen=True, kw_only=True, tag="done"):
    """The reply to any other message that needs one.

    If that message is a :class:`CheckDone`, the body is the answer.
    """

    number: int
    body: bool = True


class Failed(WorkerMessage, frozen=True, kw_only=True, tag="failed"):
    """Reports that the operation failed and changed nothing."""

    number: int
    problem: Annotated[str, msgspec.Meta(min_length=1)]


class Ready(WorkerMessage, frozen=True, kw_only=True, tag="ready"):
    """The first message from a worker, sent as soon as it can receive messages."""


WorkerReport: TypeAlias = Answered | Opened | Counted | Completed | Failed | Ready

ORDER_DECODER: Final[msgspec.msgpack.Decoder[WorkerOrder]] = msgspec.msgpack.Decoder(WorkerOrder)
REPORT_DECODER: Final[msgspec.msgpack.Decoder[WorkerReport]] = msgspec.msgpack.Decoder(WorkerReport)
_ENCODER: Final = msgspec.msgpack.Encoder()


class Channel(asyncio.Protocol, Generic[M]):
    """One end of the socket pair."""

    def __init__(
        self,
        decoder: "msgspec.msgpack.Decoder[M]",
        on_message: Callable[[M], None],
        on_closed: Callable[[], None],
    ) -> None:
        """Create a channel that is not connected yet. :meth:`open` connects it.

        Args:
            decoder: Decodes messages from the other end.
            on_message: Called in the event loop with each message, in order.
            on_closed: Called once when either end has been closed.
        """
        self._decoder = decoder
        self._on_message = on_message
        self._on_closed = on_closed
        self._buffer = bytearray()
        self._transport: asyncio.Transport | None = None

    async def open(self, socket_end: socket.socket) -> None:
        """Start sending and receiving over one end of a socket pair."""
        await asyncio.get_running_loop().create_unix_connection(lambda: self, sock=socket_end)

    @property
    def is_closed(self) -> bool:
        """Return whether the channel is closed or closing, so that no more messages can be sent."""
        return self._transport is None or self._transport.is_closing()

    def send(self, message: WorkerMessage) -> None:
        """Send a message, or drop it silently if the channel is closed."""
        if self._transport is None or self._transport.is_closing():
            return
        data = _ENCODER.encode(message)
        self._transport.write(len(data).to_bytes(_LENGTH_BYTES, "big") + data)

    def close(self) -> None:
        """Close the channel after sending all buffered data."""
        if self._transport is not None:
            self._transport.close()

    # -- callbacks from the event loop

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport), "the transport must be a stream"
        self._transport = transport

    @override
    def data_received(self, data: bytes) -> None:
        buffer = self._buffer
        buffer += data
        start = 0
        while len(buffer) >= (begin := start + _LENGTH_BYTES):
            end = begin + int.from_bytes(buffer[start:begin], "big")
            if len(buffer) < end:
                break
            message = self._decoder.decode(buffer[begin:end])
            start = end
            self._on_message(message)
        # The processed bytes are deleted only once, because each deletion moves the rest of the
        # buffer.
        del buffer[:start]

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        self._on_closed()

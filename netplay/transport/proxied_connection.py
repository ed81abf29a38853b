"""Recognises greetings in the first bytes of a proxied connection, and implements the connection's two ends."""

import asyncio
import enum
import socket
from collections.abc import Callable
from typing import Final

from typing_extensions import override

_RECORD_HEADER_BYTES: Final = 5
"""Length of a TLS record header in bytes."""
_MESSAGE_HEADER_BYTES: Final = 4
"""Length of a TLS handshake message header in bytes."""
_MAX_RECORD_BYTES: Final = 16_384
_HANDSHAKE: Final = 0x16
_MAJOR_VERSION: Final = 0x03
_CLIENT_HELLO: Final = 0x01
_SP_MAGIC: Final = b"\x00SP\x00"
_SP_BYTES: Final = 8
LAST_BYTES_SECONDS: Final = 2.0
"""Time limit in seconds for sending the bytes that are still queued when an end is closed."""


class SniffResult(enum.Enum):
    """The result of examining the first bytes on a connection."""

    INCOMPLETE = enum.auto()
    """The beginning of a greeting."""
    COMPLETE = enum.auto()
    """A complete greeting. The transport will respond to it."""
    UNRECOGNISED = enum.auto()
    """Data that the transport cannot process."""


def sniff_tls(data: bytes | bytearray) -> SniffResult:
    """Classify the first bytes on a TLS connection.

    A greeting is a ClientHello in a single record, with nothing after it. The transport answers a complete greeting at
    once and does not wait for more input.
    """
    expected = ((0, _HANDSHAKE), (1, _MAJOR_VERSION), (_RECORD_HEADER_BYTES, _CLIENT_HELLO))
    if any(len(data) > offset and data[offset] != value for offset, value in expected):
        return SniffResult.UNRECOGNISED
    if len(data) < _RECORD_HEADER_BYTES:
        return SniffResult.INCOMPLETE
    length = int.from_bytes(data[3:_RECORD_HEADER_BYTES], "big")
    if (
        not _MESSAGE_HEADER_BYTES < length <= _MAX_RECORD_BYTES
        or len(data) > _RECORD_HEADER_BYTES + length
    ):
        return SniffResult.UNRECOGNISED
    message_header = data[_RECORD_HEADER_BYTES : _RECORD_HEADER_BYTES + _MESSAGE_HEADER_BYTES]
    if (
        len(message_header) == _MESSAGE_HEADER_BYTES
        and int.from_bytes(message_header[1:], "big") != length - _MESSAGE_HEADER_BYTES
    ):
        return SniffResult.UNRECOGNISED
    return (
        SniffResult.COMPLETE
        if len(data) == _RECORD_HEADER_BYTES + length
        else SniffResult.INCOMPLETE
    )


def sniff_plain(data: bytes | bytearray) -> SniffResult:
    """Classify the first bytes on a connection without TLS.

    Any data may follow the transport's greeting.
    """
    if not data.startswith(_SP_MAGIC[: len(data)]):
        return SniffResult.UNRECOGNISED
    return SniffResult.COMPLETE if len(data) >= _SP_BYTES else SniffResult.INCOMPLETE


class ProxyEndpoint(asyncio.Protocol):
    """One end of a proxied connection: the socket to the remote peer or the socket to the transport."""

    def __init__(
        self,
        on_connected: Callable[[], None],
        on_data: Callable[[bytes], None],
        on_closed: Callable[[], None],
    ) -> None:
        """Store the callbacks, which run in the event loop.

        Args:
            on_connected: Called once when the connection is made.
            on_data: Called with the data received.
            on_closed: Called once when the connection has ended.
        """
        self._on_connected = on_connected
        self.on_data = on_data
        self._on_closed = on_closed
        self._transport: asyncio.Transport | None = None
        self.peer_endpoint: ProxyEndpoint | None = None
        """The other end; None until the two ends are joined.

        While this end cannot send, the other is not read.
        """

    def address(self, side: str) -> tuple[str, int]:
        """Return the host and port for ``sockname`` or ``peername``; an empty name and 0 if disconnected."""
        assert self._transport is not None, "the socket must have been connected"
        address = self._transport.get_extra_info(side)
        return (str(address[0]), int(address[1])) if address else ("", 0)

    @property
    def descriptor(self) -> int:
        """Return the socket's file descriptor; -1 once the socket is closed."""
        assert self._transport is not None, "the socket must have been connected"
        own_socket = self._transport.get_extra_info("socket")
        return -1 if own_socket is None else int(own_socket.fileno())

    def write(self, data: bytes | bytearray) -> None:
        """Send data, or queue it until it can be sent."""
        assert self._transport is not None, "the socket must have been connected"
        self._transport.write(data)

    def close(self) -> None:
        """Close the connection after sending the queued data, or after a time limit."""
        if self._transport is None or self._transport.is_closing():
            return
        self._transport.close()
        if self._transport.get_write_buffer_size():
            loop = asyncio.get_running_loop()
            loop.call_later(LAST_BYTES_SECONDS, self._transport.abort)

    def abort(self) -> None:
        """Close the connection immediately."""
        if self._transport is not None:
            self._transport.abort()

    # -- callbacks of the event loop

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport), "the transport must be a stream"
        self._transport = transport
        # Without this option, a small reply is delayed until the other side has acknowledged the
        # previous one.
        own_socket = transport.get_extra_info("socket")
        own_socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._on_connected()

    @override
    def data_received(self, data: bytes) -> None:
        self.on_data(data)

    @override
    def pause_writing(self) -> None:
        """Stop reading from the other end while this end is slow, so that the buffer does not grow."""
        if self.peer_endpoint is not None and self.peer_endpoint._transport is not None:  # noqa: SLF001  # same class
            self.peer_endpoint._transport.pause_reading()  # noqa: SLF001

    @override
    def resume_writing(self) -> None:
        if self.peer_endpoint is not None and self.peer_endpoint._transport is not None:  # noqa: SLF001
            self.peer_endpoint._transport.resume_reading()  # noqa: SLF001

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        self._on_closed()

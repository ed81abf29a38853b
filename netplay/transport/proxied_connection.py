"""Recognises a proxied connection's first bytes, and handles its two ends."""

import asyncio
import enum
import socket
from collections.abc import Callable
from typing import Final

_RECORD: Final = 5
"""Length of a TLS record header in bytes."""
_HEAD: Final = 4
"""Length of a TLS handshake message header in bytes."""
_LONGEST_RECORD: Final = 16_384
_HANDSHAKE: Final = 0x16
_MAJOR: Final = 0x03
_CLIENT_HELLO: Final = 0x01
_SP: Final = b"\x00SP\x00"
_SP_BYTES: Final = 8
LAST_BYTES_SECONDS: Final = 2.0
"""Time limit for sending the bytes still queued when an end is closed."""


class SniffResult(enum.Enum):
    """Result of sniffing a connection's first bytes."""

    PART = enum.auto()
    """The beginning of a greeting."""
    WHOLE = enum.auto()
    """A complete greeting, which the transport will respond to."""
    NONSENSE = enum.auto()
    """Data that the transport does not understand."""


def sniff_tls(words: bytes | bytearray) -> SniffResult:
    """Classify a TLS connection's first bytes.

    A greeting is a ClientHello in a single record, with nothing after it. The transport is certain to respond to a
    complete greeting, so it needs only a moment for each and never waits.
    """
    expected = ((0, _HANDSHAKE), (1, _MAJOR), (_RECORD, _CLIENT_HELLO))
    if any(len(words) > place and words[place] != byte for place, byte in expected):
        return SniffResult.NONSENSE
    if len(words) < _RECORD:
        return SniffResult.PART
    length = int.from_bytes(words[3:_RECORD], "big")
    if not _HEAD < length <= _LONGEST_RECORD or len(words) > _RECORD + length:
        return SniffResult.NONSENSE
    head = words[_RECORD : _RECORD + _HEAD]
    if len(head) == _HEAD and int.from_bytes(head[1:], "big") != length - _HEAD:
        return SniffResult.NONSENSE
    return SniffResult.WHOLE if len(words) == _RECORD + length else SniffResult.PART


def heard_of_sp(words: bytes | bytearray) -> SniffResult:
    """Classify the first bytes of a connection without TLS.

    A greeting is the transport's own, and may be followed by any data.
    """
    if not words.startswith(_SP[: len(words)]):
        return SniffResult.NONSENSE
    return SniffResult.WHOLE if len(words) >= _SP_BYTES else SniffResult.PART


class ProxyEndpoint(asyncio.Protocol):
    """One end of a proxied connection: the socket to the remote peer, or the one to the transport."""

    def __init__(
        self,
        made: Callable[[], None],
        hear: Callable[[bytes], None],
        ended: Callable[[], None],
    ) -> None:
        """Store the callbacks, which run in the event loop.

        Args:
            made: Called once when the connection is made.
            hear: Called with the data received.
            ended: Called once when the connection has ended.
        """
        self._made = made
        self.hear = hear
        self._ended = ended
        self._transport: asyncio.Transport | None = None
        self.other: ProxyEndpoint | None = None
        """The other end, from which reading pauses while this end cannot send."""

    def address(self, of: str) -> tuple[str, int]:
        """Return the host and port of either side (``sockname`` or ``peername``); empty if disconnected."""
        assert self._transport is not None, "it is connected"
        found = self._transport.get_extra_info(of)
        return (str(found[0]), int(found[1])) if found else ("", 0)

    @property
    def descriptor(self) -> int:
        """Return the socket's file descriptor, or -1 once it is closed."""
        assert self._transport is not None, "it is connected"
        found = self._transport.get_extra_info("socket")
        return -1 if found is None else int(found.fileno())

    def write(self, data: bytes | bytearray) -> None:
        """Send data."""
        assert self._transport is not None, "it is connected"
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

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Store the transport."""
        assert isinstance(transport, asyncio.Transport), "a stream is written to"
        self._transport = transport
        # A small reply must not be delayed until the other side has acknowledged the previous one.
        own = transport.get_extra_info("socket")
        own.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._made()

    def data_received(self, data: bytes) -> None:
        """Pass on the received data."""
        self.hear(data)

    def pause_writing(self) -> None:
        """Stop reading from the other end while this end is slow, so that this end's buffer does not grow."""
        if self.other is not None and self.other._transport is not None:  # noqa: SLF001  # same class
            self.other._transport.pause_reading()  # noqa: SLF001

    def resume_writing(self) -> None:
        """Resume reading from the other end."""
        if self.other is not None and self.other._transport is not None:  # noqa: SLF001
            self.other._transport.resume_reading()  # noqa: SLF001

    def connection_lost(self, exc: Exception | None) -> None:
        """Report that the connection has ended."""
        del exc
        self._ended()

"""One connection that comes in: what is said first on it, and its two ends."""

import asyncio
import enum
import socket
from collections.abc import Callable
from typing import Final

_RECORD: Final = 5
"""Bytes before what a TLS record holds."""
_HEAD: Final = 4
"""Bytes before what a TLS handshake message holds."""
_LONGEST_RECORD: Final = 16_384
_HANDSHAKE: Final = 0x16
_MAJOR: Final = 0x03
_CLIENT_HELLO: Final = 0x01
_SP: Final = b"\x00SP\x00"
_SP_BYTES: Final = 8
LAST_BYTES_SECONDS: Final = 2.0
"""How long an end that has ended may take what was still on its way to it."""


class Heard(enum.Enum):
    """What the first words of a connection are."""

    PART = enum.auto()
    """The beginning of a greeting."""
    WHOLE = enum.auto()
    """A greeting that the transport answers."""
    NONSENSE = enum.auto()
    """Nothing that the transport speaks."""


def heard_of_tls(words: bytes | bytearray) -> Heard:
    """Return what the first words are where TLS is spoken: a ClientHello in one record, and nothing after it.

    A whole one is certain to be answered, so that the transport is at work on it for a moment and never waits.
    """
    expected = ((0, _HANDSHAKE), (1, _MAJOR), (_RECORD, _CLIENT_HELLO))
    if any(len(words) > place and words[place] != byte for place, byte in expected):
        return Heard.NONSENSE
    if len(words) < _RECORD:
        return Heard.PART
    length = int.from_bytes(words[3:_RECORD], "big")
    if not _HEAD < length <= _LONGEST_RECORD or len(words) > _RECORD + length:
        return Heard.NONSENSE
    head = words[_RECORD : _RECORD + _HEAD]
    if len(head) == _HEAD and int.from_bytes(head[1:], "big") != length - _HEAD:
        return Heard.NONSENSE
    return Heard.WHOLE if len(words) == _RECORD + length else Heard.PART


def heard_of_sp(words: bytes | bytearray) -> Heard:
    """Return what the first words are where TLS is not spoken: the greeting of the transport, whatever follows."""
    if not words.startswith(_SP[: len(words)]):
        return Heard.NONSENSE
    return Heard.WHOLE if len(words) >= _SP_BYTES else Heard.PART


class End(asyncio.Protocol):
    """One end of a passage: the socket to the stranger, or the one to the transport."""

    def __init__(
        self,
        made: Callable[[], None],
        hear: Callable[[bytes], None],
        ended: Callable[[], None],
    ) -> None:
        """Prepare; all are told in the event loop.

        Args:
            made: Told once that the connection is made.
            hear: Told what comes.
            ended: Told once that the connection is no more.
        """
        self._made = made
        self.hear = hear
        self._ended = ended
        self._transport: asyncio.Transport | None = None
        self.other: End | None = None
        """Not read from while this end takes nothing."""

    def address(self, of: str) -> tuple[str, int]:
        """Return host and port of this side (``sockname``) or the other one (``peername``), empty if it is gone."""
        assert self._transport is not None, "it is connected"
        found = self._transport.get_extra_info(of)
        return (str(found[0]), int(found[1])) if found else ("", 0)

    @property
    def descriptor(self) -> int:
        """Return the number of its open file, -1 when it has none any more."""
        assert self._transport is not None, "it is connected"
        found = self._transport.get_extra_info("socket")
        return -1 if found is None else int(found.fileno())

    def write(self, data: bytes | bytearray) -> None:
        """Send something."""
        assert self._transport is not None, "it is connected"
        self._transport.write(data)

    def close(self) -> None:
        """End the connection once what was sent has left, or soon after."""
        if self._transport is None or self._transport.is_closing():
            return
        self._transport.close()
        if self._transport.get_write_buffer_size():
            loop = asyncio.get_running_loop()
            loop.call_later(LAST_BYTES_SECONDS, self._transport.abort)

    def abort(self) -> None:
        """End the connection at once."""
        if self._transport is not None:
            self._transport.abort()

    # -- what the event loop calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Note the transport."""
        assert isinstance(transport, asyncio.Transport), "a stream is written to"
        self._transport = transport
        # A small answer must not wait until the other side has acknowledged the one before it.
        own = transport.get_extra_info("socket")
        own.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._made()

    def data_received(self, data: bytes) -> None:
        """Hand on what has come."""
        self.hear(data)

    def pause_writing(self) -> None:
        """Take no more from the other end while this one is slow, so that nothing piles up."""
        if self.other is not None and self.other._transport is not None:  # noqa: SLF001  # its like
            self.other._transport.pause_reading()  # noqa: SLF001

    def resume_writing(self) -> None:
        """Take more from the other end."""
        if self.other is not None and self.other._transport is not None:  # noqa: SLF001
            self.other._transport.resume_reading()  # noqa: SLF001

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell that the connection is no more."""
        del exc
        self._ended()

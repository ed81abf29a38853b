"""Messages filled up to a few sizes, because TLS hides what a message says and not how long it is.

A command, or the news of it, is as long as the words in it: without this, whoever listens on the line could tell a pass
from a card by its length.
"""

from typing import Final

from netplay.errors import ProtocolError
from netplay.transport import MOST_PAYLOAD

SIZES: Final = (512, 1_024, 2_048, 4_096, 8_192, 16_384, 32_768, MOST_PAYLOAD)
"""Bytes that a filled message may have."""
_MARK: Final = b"\xc1"
"""Begins a filled message; no MessagePack does."""
_LENGTH_BYTES: Final = 4
_LEAD: Final = len(_MARK) + _LENGTH_BYTES


def fill(data: bytes) -> bytes:
    """Return a message filled up to the next size; one that has no room for that stays as it is."""
    size = next((size for size in SIZES if size >= len(data) + _LEAD), 0)
    if not size:
        return data
    return (_MARK + len(data).to_bytes(_LENGTH_BYTES, "big") + data).ljust(size, b"\0")


def bare(data: bytes) -> bytes:
    """Return a message without what it is filled with; one that is not filled is returned as it is.

    Raises:
        ProtocolError: It says that it is longer than it is.
    """
    if not data.startswith(_MARK):
        return data
    length = int.from_bytes(data[len(_MARK) : _LEAD], "big")
    if len(data) < _LEAD + length:
        raise ProtocolError("the message is shorter than it says")
    return data[_LEAD : _LEAD + length]

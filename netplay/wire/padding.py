"""Pads messages to one of a few fixed sizes. TLS hides the contents of a message but not its length.

The length of a command and of the resulting update depends on the content. Without padding, an eavesdropper could tell
a pass from a card play by its length.
"""

from typing import Final

from netplay.wire.errors import ProtocolError
from netplay.wire.message_size import MAX_PAYLOAD_BYTES

SIZES: Final = (512, 1_024, 2_048, 4_096, 8_192, 16_384, 32_768, MAX_PAYLOAD_BYTES)
"""Possible lengths of a padded message in bytes."""
_MARKER: Final = b"\xc1"
"""The first byte of a padded message. No MessagePack value begins with this byte."""
_LENGTH_BYTES: Final = 4
_HEADER_BYTES: Final = len(_MARKER) + _LENGTH_BYTES


def pad(data: bytes) -> bytes:
    """Pad a message to the smallest size into which it fits.

    A message that is too long for any size is returned unchanged.
    """
    size = next((size for size in SIZES if size >= len(data) + _HEADER_BYTES), 0)
    if not size:
        return data
    return (_MARKER + len(data).to_bytes(_LENGTH_BYTES, "big") + data).ljust(size, b"\0")


def unpad(data: bytes) -> bytes:
    """Remove the padding from a message. A message without padding is returned unchanged.

    Raises:
        ProtocolError: The message is shorter than its length field says.
    """
    # the message is a Hello or Bye, which are never padded
    if not data.startswith(_MARKER):
        return data
    length = int.from_bytes(data[len(_MARKER) : _HEADER_BYTES], "big")
    if len(data) < _HEADER_BYTES + length:
        raise ProtocolError("the message is shorter than its length field")
    return data[_HEADER_BYTES : _HEADER_BYTES + length]

"""Encodes and decodes a record's messages for storage in a file.

The file stores all signatures. It omits the other fields if they can be derived from the message's position.
"""

from typing import Annotated, TypeAlias

import msgspec

Bytes32: TypeAlias = Annotated[bytes, msgspec.Meta(min_length=32, max_length=32)]
Bytes64: TypeAlias = Annotated[bytes, msgspec.Meta(min_length=64, max_length=64)]
Index: TypeAlias = Annotated[int, msgspec.Meta(ge=0, lt=1 << 32)]
Word: TypeAlias = Annotated[str, msgspec.Meta(max_length=96)]


class StoredMessage(
    msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False
):
    """One message in a transcript, as stored in a file."""

    kind: Word
    author: Word
    anchor: Index
    body: bytes
    """The body in MessagePack, without the entries that the record itself contains."""
    signature: Bytes64


class Segment(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """All messages since the previous record, up to and including the one that completes this record."""

    messages: tuple[StoredMessage, ...]
    head: Bytes32
    """Transcript hash after the last message."""
    order: Bytes64
    """The host's signature over the transcript's order up to the last message."""

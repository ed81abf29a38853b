"""A record's messages as stored in a file.

The file contains the signatures, and only those message fields that cannot be derived from the message's position.
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
    """One transcript message."""

    kind: Word
    author: Word
    anchor: Index
    body: bytes
    """The body, encoded as MessagePack, without the entries contained in the record itself."""
    signature: Bytes64


class Segment(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """The messages from the previous record up to and including the last message of this one."""

    messages: tuple[StoredMessage, ...]
    head: Bytes32
    """Transcript hash after the last message."""
    order: Bytes64
    """The host's signature over the transcript's order up to the last message."""

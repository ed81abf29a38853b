"""The messages of a record as a file keeps them: signatures, and what does not follow from the place of a message."""

from typing import Annotated, TypeAlias

import msgspec

Bytes32: TypeAlias = Annotated[bytes, msgspec.Meta(min_length=32, max_length=32)]
Bytes64: TypeAlias = Annotated[bytes, msgspec.Meta(min_length=64, max_length=64)]
Index: TypeAlias = Annotated[int, msgspec.Meta(ge=0, lt=1 << 32)]
Word: TypeAlias = Annotated[str, msgspec.Meta(max_length=96)]


class StoredMessage(
    msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False
):
    """One message of a transcript."""

    kind: Word
    author: Word
    anchor: Index
    body: bytes
    """MessagePack of the body; entries that the record holds are left out."""
    signature: Bytes64


class Segment(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """The messages between two records, with the last one."""

    messages: tuple[StoredMessage, ...]
    head: Bytes32
    """Transcript hash after the last message."""
    order: Bytes64
    """Signature of the host over the order of the transcript up to the last message."""

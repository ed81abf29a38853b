"""Defines records: a game's steps, which are stored and sent in full or redacted for one seat.

A record usually contains one command and all the events that it caused. Its chain value covers salted commitments to
the command and events, not their bytes. All copies of a game, full or redacted, therefore have the same chain
(``docs/save-format.md``).
"""

from typing import Annotated, Final, Literal, TypeAlias

import msgspec

from engine.kernel.ids import Role
from saves.decoding import decode
from saves.fair.segments import Segment
from saves.protocol6.parties import Consent, Links, OpenedSeed, Sealed, SignedStep
from saves.statements import StatementKind

HASH_BYTES: Final = 32
SALT_BYTES: Final = 16
NOBODY: Final = Role("")
"""Role in records that no role caused: openings, reveals and a narrator's remarks."""
MAX_RECORD_BYTES: Final = 4 << 20
"""Maximum size of a record or header in bytes, checked before it is written or decoded."""

Hash: TypeAlias = Annotated[bytes, msgspec.Meta(min_length=HASH_BYTES, max_length=HASH_BYTES)]
Salt: TypeAlias = Annotated[bytes, msgspec.Meta(min_length=SALT_BYTES, max_length=SALT_BYTES)]
Seq: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=(1 << 63) - 1)]
Kind: TypeAlias = Literal["opening", "command", "takeback", "reveal"] | StatementKind


# Records contain no reference cycles, so the garbage collector need not track them.
class Entry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """The part of a command or event that is visible in this copy."""

    tag: str
    """The kind's tag; empty if the kind is hidden too."""
    v: int
    """The tag's schema number; 0 if the kind is hidden."""
    body: bytes | None
    """The command or event in MessagePack, possibly redacted; None if the whole content is hidden."""
    commitment: Hash
    salt: Salt | None
    """The salt that opens the commitment; None unless the body is complete."""


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """One step in a game. Its ``chain`` value covers this record and everything before it."""

    seq: Seq
    kind: Kind
    role: Role
    """The author of the command or statement, or the role that asked for the takeback; otherwise empty."""
    command: Entry | None
    """The command or the statement; None if the record has neither."""
    events: tuple[Entry, ...]
    takeback_to: Seq | None
    """In a takeback, the number of the record whose state is restored; otherwise None."""
    secret: bytes | None
    """In a reveal, the match secret; otherwise None."""
    prev: Hash
    chain: Hash
    links: Links | msgspec.UnsetType = msgspec.UNSET
    """One link per party if the record used randomness; otherwise omitted."""
    signature: Entry | msgspec.UnsetType = msgspec.UNSET
    """The author's signature over the command.

    Hidden if the command is hidden; omitted in a match without parties.
    """
    consents: tuple[Consent, ...] | msgspec.UnsetType = msgspec.UNSET
    """The parties' consents to a takeback or agreement, in header order; omitted in a match without parties."""
    steps: tuple[SignedStep, ...] | msgspec.UnsetType = msgspec.UNSET
    """The masked-deck steps since the last record that contains steps; omitted if there are none."""
    sealed: tuple[Sealed, ...] | msgspec.UnsetType = msgspec.UNSET
    """Boxes with the parties' private parts of the record, in header order; omitted if no part is private."""
    seeds: tuple[OpenedSeed, ...] | msgspec.UnsetType = msgspec.UNSET
    """In a reveal, the parties' card seeds; omitted in other records and if the host dealt."""
    transcript: Segment | msgspec.UnsetType = msgspec.UNSET
    """Protocol 7 messages since the last record that contains messages; omitted in other matches and in statements."""


_RECORD_DECODER: Final = msgspec.msgpack.Decoder(Record)


def encode_record(record: Record) -> bytes:
    """Encode a record for sending; :func:`decode_record` decodes it.

    Fields that are UNSET are dropped before encoding. Otherwise, msgspec would use the longer map prefix for a Struct
    with 16 or more fields, even if fewer are present. This would change the encoding of older records.
    """
    fields = {name: getattr(record, name) for name in record.__struct_fields__}
    return msgspec.msgpack.encode(
        {name: value for name, value in fields.items() if value is not msgspec.UNSET}
    )


def decode_record(data: bytes) -> Record:
    """Decode a record without checking its chain value.

    Raises:
        UnreadableError: The bytes do not encode a record, or exceed the size limit.
    """
    return decode(_RECORD_DECODER, data, MAX_RECORD_BYTES)

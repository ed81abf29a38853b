"""Records: what is kept and sent of a game, in full or as one seat may see it.

A record is one command with all events that it caused. Its chain value hashes a salted commitment per command and event
instead of their bytes, so every copy of a game, full or redacted, has the same chain (``docs/save-format.md``).
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
"""Role of records that no role caused: opening, reveal, and what a narrator remarks."""
MAX_RECORD_BYTES: Final = 4 << 20
"""No record and no header may be longer; checked before anything is written or decoded."""

Hash: TypeAlias = Annotated[bytes, msgspec.Meta(min_length=HASH_BYTES, max_length=HASH_BYTES)]
Salt: TypeAlias = Annotated[bytes, msgspec.Meta(min_length=SALT_BYTES, max_length=SALT_BYTES)]
Seq: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=(1 << 63) - 1)]
Kind: TypeAlias = Literal["opening", "command", "takeback", "reveal"] | StatementKind


class Entry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """One command or event as this copy may show it."""

    tag: str
    """Empty when even the kind is hidden."""
    v: int
    """Schema number of the tag; 0 when the kind is hidden."""
    body: bytes | None
    """The command or event in MessagePack, maybe redacted; None when wholly hidden."""
    commitment: Hash
    salt: Salt | None
    """Opens the commitment; present exactly when the body is complete."""


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """One step of a game; ``chain`` covers everything before it."""

    seq: Seq
    kind: Kind
    role: Role
    """Giver of the command, whose statement it is, or who asked for the takeback; else empty."""
    command: Entry | None
    """The command or the statement."""
    events: tuple[Entry, ...]
    takeback_to: Seq | None
    """The game stands again as after this record."""
    secret: bytes | None
    """The match secret in a reveal."""
    prev: Hash
    chain: Hash
    links: Links | msgspec.UnsetType = msgspec.UNSET
    """One link of each party where the record used chance; in a match without parties the field is missing."""
    signature: Entry | msgspec.UnsetType = msgspec.UNSET
    """The giver's signature of the command, hidden where the command is; likewise."""
    consents: tuple[Consent, ...] | msgspec.UnsetType = msgspec.UNSET
    """That all parties agree to a takeback, in the order of the header; likewise."""
    steps: tuple[SignedStep, ...] | msgspec.UnsetType = msgspec.UNSET
    """What was done with cards in cipher since the last record that had steps; missing where nothing was."""
    sealed: tuple[Sealed, ...] | msgspec.UnsetType = msgspec.UNSET
    """What parties alone know of the record, in the order of the header; missing where none knows anything."""
    seeds: tuple[OpenedSeed, ...] | msgspec.UnsetType = msgspec.UNSET
    """The card seeds of the parties, in a reveal; missing where the host dealt."""
    transcript: Segment | msgspec.UnsetType = msgspec.UNSET
    """Messages of protocol 7 since the last record that had any; missing in other matches and in statements."""


_RECORD_DECODER: Final = msgspec.msgpack.Decoder(Record)


def encode_record(record: Record) -> bytes:
    """Return a record as it travels; :func:`decode_record` reads it.

    A Struct of sixteen fields or more takes the longer form of a map even where missing fields leave fewer, so the map
    is written from those that are there.
    """
    fields = {name: getattr(record, name) for name in record.__struct_fields__}
    return msgspec.msgpack.encode(
        {name: value for name, value in fields.items() if value is not msgspec.UNSET}
    )


def decode_record(data: bytes) -> Record:
    """Return the record in these bytes; its chain value is not yet checked.

    Raises:
        UnreadableError: The bytes are not a record, or are longer than a record may be.
    """
    return decode(_RECORD_DECODER, data, MAX_RECORD_BYTES)

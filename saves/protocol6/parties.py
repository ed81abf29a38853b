"""The parties of a match: what each seat's program promises before the first record, and what it gives to each one."""

from typing import Annotated, Final, TypeAlias

import msgspec

from engine.kernel.ids import Role

KEY_BYTES: Final = 32
LINK_BYTES: Final = 32
SIGNATURE_BYTES: Final = 64

Key: TypeAlias = Annotated[bytes, msgspec.Meta(min_length=KEY_BYTES, max_length=KEY_BYTES)]
Link: TypeAlias = Annotated[bytes, msgspec.Meta(min_length=LINK_BYTES, max_length=LINK_BYTES)]
Signature: TypeAlias = Annotated[
    bytes, msgspec.Meta(min_length=SIGNATURE_BYTES, max_length=SIGNATURE_BYTES)
]
Links: TypeAlias = tuple[Link, ...]
"""One link of each party, in the order of the header."""


class Party(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the program of one role promises; stands in the header of a match with joint chance."""

    role: Role
    verify_key: Key
    """Ed25519 key that checks its signatures."""
    head: Link
    """End of its chain of links: whose hash a link is again and again, see ``saves.protocol6.links``."""
    proof: Signature
    """Its own signature of role and head in this match, so that nobody promises with the key of another."""
    cards: Link | msgspec.UnsetType = msgspec.UNSET
    """Commitment to its card seed, see ``saves.protocol6.cardseed``; the field is missing where the host deals."""


class Consent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """That a party agrees to a record that is no command, such as a takeback."""

    role: Role
    signature: Signature


class Throw(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The one use of a link: the record for which the parties open it, settled before any of them does."""

    index: Annotated[int, msgspec.Meta(ge=0)]
    """Number of the link: how many records before it used chance."""
    seq: Annotated[int, msgspec.Meta(ge=0, le=(1 << 63) - 1)]
    """Number of the record."""
    prev: Link
    """Chain value that it follows."""
    role: Role
    """Giver of the command; empty for the opening."""
    digest: Link
    """Of the commitments to the command and to its signature, see ``saves.chain.throw_digest``."""


class SignedStep(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A step about cards in cipher as it travels and is kept, see ``saves.protocol6.transcript``."""

    author: Role
    body: bytes
    """The step in MessagePack."""
    signature: Signature


class Sealed(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a party alone knows of a record, in a box that its card seed opens, see ``saves.protocol6.sealing``."""

    role: Role
    box: bytes


class OpenedSeed(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The card seed of a party, opened after the end."""

    role: Role
    seed: Link

"""Defines the commitments that a party makes before the first record, and its contributions to each record."""

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
"""One link per party, in header order."""


class Party(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A party's commitments. They are stored in the header of a match with joint randomness."""

    role: Role
    verify_key: Key
    """Ed25519 key that verifies the party's signatures."""
    head: Link
    """Head of the party's hash chain; see ``saves.protocol6.hash_chain``."""
    proof: Signature
    """The party's signature over these commitments. It prevents a party from using another party's key."""
    cards: Link | msgspec.UnsetType = msgspec.UNSET
    """Commitment to the party's card seed (see ``saves.protocol6.cardseed``); omitted if the host deals."""


class Consent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A party's consent to a record that is not a command, such as a takeback."""

    role: Role
    signature: Signature


class Throw(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Identifies the record for which the parties may reveal their next links.

    These values are fixed before any party reveals its link.
    """

    index: Annotated[int, msgspec.Meta(ge=0)]
    """Each link's index, which equals the number of earlier records that used randomness."""
    seq: Annotated[int, msgspec.Meta(ge=0, le=(1 << 63) - 1)]
    """The record's number."""
    prev: Link
    """The chain value before the record."""
    role: Role
    """The role that gives the command; empty for the opening."""
    digest: Link
    """Hash of the command commitment and the signature commitment; see ``saves.chain.compute_throw_digest``."""


class SignedStep(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A masked-card step as sent and stored; see ``saves.protocol6.transcript``."""

    author: Role
    body: bytes
    """The step in MessagePack."""
    signature: Signature


class Sealed(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An encrypted box with one party's private part of a record.

    The party's card seed decrypts the box; see ``saves.protocol6.sealing``.
    """

    role: Role
    box: bytes


class OpenedSeed(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A party's card seed, revealed once the match is over."""

    role: Role
    seed: Link

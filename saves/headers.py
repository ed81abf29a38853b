"""Defines the header, which is stored before the first record in every copy of a game."""

from collections.abc import Mapping
from hashlib import blake2b
from typing import Annotated, Final, TypeAlias

import msgspec

from engine.kernel.ids import Role
from saves.clocks import Clock
from saves.codec import AnyGame
from saves.decoding import decode
from saves.fair.terms import FairTerms
from saves.protocol6.parties import Party
from saves.records import HASH_BYTES, MAX_RECORD_BYTES, Hash

FORMAT_VERSION: Final = 1
FULL: Final = "*"
"""Audience of the full copy, which hides nothing and includes the secret."""
BLIND: Final = "-"
"""Audience of the copy kept by a host that cannot read hands. It includes the secret, but only public card data."""
SPECTATOR: Final = ""
"""Audience of a spectator's copy, which contains only public data."""

OwnData: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}$")]


class Seat(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The player of one role."""

    role: Role
    player: str
    """Display name."""
    seat_id: str
    """The fingerprint of the seat's key in a hosted match, or ``local-ROLE`` in a local game."""


class Header(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The description of a match: its game, rules, players and terms, and who may read this copy."""

    format: int
    match_id: str
    game: str
    edition: str
    rules_version: int
    data_digest: str
    scenario: str
    """Scenario id; empty if the game began from a custom position."""
    options: Mapping[str, str]
    seats: tuple[Seat, ...]
    secret_commitment: Hash
    position_commitment: Hash
    audience: str
    """A role, or one of :data:`SPECTATOR`, :data:`BLIND` and :data:`FULL`.

    The chain covers all public fields except this one.
    """
    position: bytes | None = None
    """Starting position in MessagePack; present only in the full copy and the host's copy."""
    secret: bytes | None = None
    """Match secret; present only in the full copy and the host's copy."""
    own_data: OwnData | msgspec.UnsetType = msgspec.UNSET
    """Hex digest of the custom game data in the position; omitted if the game has no custom data."""
    clock: Clock | msgspec.UnsetType = msgspec.UNSET
    """Time control; omitted if the game has no clock."""
    parties: tuple[Party, ...] | msgspec.UnsetType = msgspec.UNSET
    """The parties that sign and jointly generate randomness, one per role.

    Omitted if only the host generates randomness.
    """
    fair: FairTerms | msgspec.UnsetType = msgspec.UNSET
    """Terms of a protocol 7 match, including the parties' commitments; omitted for all other matches."""


_HEADER_DECODER: Final = msgspec.msgpack.Decoder(Header)


def encode_header(header: Header) -> bytes:
    """Encode a header for a file or the network.

    Fields that are UNSET are dropped before encoding. Otherwise, msgspec would use the longer map prefix for a Struct
    with 16 or more fields, even if fewer are present. This would change the encoding of older headers.
    """
    fields = {name: getattr(header, name) for name in header.__struct_fields__}
    set_fields = {name: value for name, value in fields.items() if value is not msgspec.UNSET}
    return msgspec.msgpack.encode({**set_fields, "options": dict(sorted(header.options.items()))})


def decode_header(data: bytes) -> Header:
    """Decode a header.

    Raises:
        UnreadableError: The bytes are not a valid header.
    """
    return decode(_HEADER_DECODER, data, MAX_RECORD_BYTES)


def own_data_digest(overlay: bytes) -> OwnData | msgspec.UnsetType:
    """Return the digest of custom game data as printed by ``b2sum -l 256``, or UNSET if there is no custom data."""
    return blake2b(overlay, digest_size=HASH_BYTES).hexdigest() if overlay else msgspec.UNSET


def rules_differ(game: AnyGame, header: Header) -> bool:
    """Return whether the edition, rules version or data digest differs from that in a game's header."""
    current = (game.edition, game.version, game.data_digest)
    return current != (header.edition, header.rules_version, header.data_digest)


def is_other_version(game: AnyGame, header: Header) -> bool:
    """Return whether a header was made by a version of the program with another format or other rules."""
    return header.format != FORMAT_VERSION or rules_differ(game, header)


def rules_words(rules: AnyGame | Header) -> str:
    """Describe a ruleset's or header's edition and rules version."""
    version = rules.rules_version if isinstance(rules, Header) else rules.version
    return f"edition {rules.edition}, rules {version}"


def audience_role(header: Header) -> Role | None:
    """Return the role that owns a copy; None for spectators' copies and the full copy."""
    return None if header.audience in {FULL, BLIND, SPECTATOR} else Role(header.audience)

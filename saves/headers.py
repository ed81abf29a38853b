"""Headers: what a copy of a game says about itself before the first record."""

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
"""Audience of the full copy, which hides nothing and holds the secret."""
BLIND: Final = "-"
"""Audience of the copy of a host that cannot read hands: it holds the secret, and of cards what anybody may know."""
SPECTATOR: Final = ""
"""Audience of the copy that anybody may have."""

OwnData: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}$")]


class Seat(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who plays a role."""

    role: Role
    player: str
    """Name for the screen."""
    seat_id: str
    """Identity of the seat on the wire, such as a key fingerprint; empty for hot-seat and bots."""


class Header(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a copy of a game says about itself before the first record."""

    format: int
    match_id: str
    game: str
    edition: str
    rules_version: int
    data_digest: str
    scenario: str
    """Empty when the game began from a position of the player's own."""
    options: Mapping[str, str]
    seats: tuple[Seat, ...]
    secret_commitment: Hash
    position_commitment: Hash
    audience: str
    """A role, :data:`SPECTATOR`, :data:`BLIND` or :data:`FULL`; the only public field that the chain does not cover."""
    position: bytes | None = None
    """Starting position in MessagePack; only in the full copy and the host's."""
    secret: bytes | None = None
    """Match secret; only in the full copy and the host's."""
    own_data: OwnData | msgspec.UnsetType = msgspec.UNSET
    """Hex digest of the players' own data that the position holds; the field is missing where it holds none."""
    clock: Clock | msgspec.UnsetType = msgspec.UNSET
    """How much time each role has; the field is missing where nobody measures it."""
    parties: tuple[Party, ...] | msgspec.UnsetType = msgspec.UNSET
    """Who makes chance together and signs, one per role; the field is missing where the host makes chance alone."""
    fair: FairTerms | msgspec.UnsetType = msgspec.UNSET
    """Promises of the parties of a match of protocol 7; the field is missing in all others."""


_HEADER_DECODER: Final = msgspec.msgpack.Decoder(Header)


def encode_header(header: Header) -> bytes:
    """Return a header as it stands in a file or travels.

    A Struct of sixteen fields or more takes the longer form of a map even where missing fields leave fewer, so the map
    is written from those that are there.
    """
    fields = {name: getattr(header, name) for name in header.__struct_fields__}
    there = {name: value for name, value in fields.items() if value is not msgspec.UNSET}
    return msgspec.msgpack.encode({**there, "options": dict(sorted(header.options.items()))})


def decode_header(data: bytes) -> Header:
    """Return the header in these bytes.

    Raises:
        UnreadableError: The bytes are not a header.
    """
    return decode(_HEADER_DECODER, data, MAX_RECORD_BYTES)


def own_data_digest(overlay: bytes) -> OwnData | msgspec.UnsetType:
    """Return what a header says of the players' own data, as ``b2sum -l 256`` says it; nothing when there are none."""
    return blake2b(overlay, digest_size=HASH_BYTES).hexdigest() if overlay else msgspec.UNSET


def rules_differ(game: AnyGame, header: Header) -> bool:
    """Return whether a game began under other rules or data than these."""
    today = (game.edition, game.version, game.data_digest)
    return today != (header.edition, header.rules_version, header.data_digest)


def rules_words(rules: AnyGame | Header) -> str:
    """Return the edition and the rules version of a game or a header in words."""
    version = rules.rules_version if isinstance(rules, Header) else rules.version
    return f"edition {rules.edition}, rules {version}"


def audience_role(header: Header) -> Role | None:
    """Return the role whose copy this is; None for the spectators' and for the full copy."""
    return None if header.audience in {FULL, BLIND, SPECTATOR} else Role(header.audience)

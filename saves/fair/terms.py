"""Defines the fair-play section in a protocol 7 match's header."""

from typing import Annotated, Final, Literal, TypeAlias

import msgspec

from engine.kernel.ids import Role

Bytes32: TypeAlias = Annotated[bytes, msgspec.Meta(min_length=32, max_length=32)]
Bytes64: TypeAlias = Annotated[bytes, msgspec.Meta(min_length=64, max_length=64)]
Seconds: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=30 * 86_400)]
Place: TypeAlias = Literal["own machine", "host's machine"]

SEED_WAIT: Final = 72 * 3_600
ACK_WAIT: Final = 24 * 3_600
SHORTEST_ACK_WAIT: Final = 3_600
"""Minimum wait in seconds.

A seat enforces it regardless of the header, because the seat's player has not agreed to less.
"""
SHORTEST_SEED_WAIT: Final = 60
AckWait: TypeAlias = Annotated[int, msgspec.Meta(ge=SHORTEST_ACK_WAIT, le=30 * 86_400)]
SeedWait: TypeAlias = Annotated[int, msgspec.Meta(ge=SHORTEST_SEED_WAIT, le=30 * 86_400)]


class FairParty(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The commitments made by one role's program."""

    role: Role
    key: Bytes32
    """Ed25519 key that verifies the party's signatures."""
    head: Bytes32
    """Head of the party's hash chain. The party's reveals are the values of this chain."""
    cards: Annotated[bytes, msgspec.Meta(max_length=32)]
    """32-byte commitment to the party's card seed; empty if the host deals."""
    proof: Bytes64
    """The party's signature over these commitments and the match id."""
    place: Place
    """The kind of place where the party's secrets are stored, as reported by the program that created the key."""


class OwnSetup(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The public form of the set-up for a match that begins with a custom position or custom data."""

    tag: Annotated[str, msgspec.Meta(max_length=64)]
    v: Annotated[int, msgspec.Meta(ge=0, le=2**31)]
    body: bytes
    commitment: Bytes32
    """Commitment to the complete set-up, which only the host knows until the match is over."""


class TimeLimits(msgspec.Struct, frozen=True, kw_only=True):
    """How long the programs in a protocol 7 match wait for each other, in seconds."""

    seed_wait: SeedWait = SEED_WAIT
    """Time from the end of the match until the host may close it even if card seeds are missing."""
    ack_wait: AckWait = ACK_WAIT
    """Time from the end of the match until a seat reveals its card seed even if acknowledgements are missing."""
    reply_limit: Seconds = 0
    """Time without a message after which a seat may stop the match; 0 if no seat may stop it."""


class FairTerms(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The part of the header that makes a match a protocol 7 match."""

    fair: Literal[7] = 7
    host_key: Bytes32
    """Ed25519 key that verifies the host's signatures over the order of the messages."""
    parties: tuple[FairParty, ...]
    """The parties, one per role, in role order."""
    dealer_key: Bytes32 | msgspec.UnsetType = msgspec.UNSET
    """A dealing host's X25519 key for encrypting hidden commands; omitted if the seats deal."""
    setup: OwnSetup | msgspec.UnsetType = msgspec.UNSET
    """Custom set-up for a match in which the host deals.

    Omitted for a plain scenario, because every copy computes the scenario's set-up itself.
    """
    seed_wait: SeedWait = SEED_WAIT
    """Seconds from the end of the match until the host may close it even if card seeds are missing."""
    ack_wait: Seconds = ACK_WAIT
    """Seconds from the end of the match until a seat reveals its card seed even if acknowledgements are missing."""
    reply_limit: Seconds = 0
    """Seconds without a message after which a seat may stop the match; 0 if no seat may stop it."""

    @property
    def limits(self) -> TimeLimits:
        """Return the time limits."""
        return TimeLimits(
            seed_wait=self.seed_wait, ack_wait=self.ack_wait, reply_limit=self.reply_limit
        )

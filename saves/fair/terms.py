"""What the header of a match of protocol 7 says about fair play."""

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
"""A seat waits at least so long, whatever the host has written in the header: its player has not agreed to less."""
SHORTEST_SEED_WAIT: Final = 60
AckWait: TypeAlias = Annotated[int, msgspec.Meta(ge=SHORTEST_ACK_WAIT, le=30 * 86_400)]
SeedWait: TypeAlias = Annotated[int, msgspec.Meta(ge=SHORTEST_SEED_WAIT, le=30 * 86_400)]


class FairParty(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the program of one role promises."""

    role: Role
    key: Bytes32
    """Ed25519 key of its signatures."""
    head: Bytes32
    """End of its hash chain of reveals."""
    cards: Annotated[bytes, msgspec.Meta(max_length=32)]
    """Commitment to its card seed, 32 bytes; empty when the host deals."""
    proof: Bytes64
    """Its own signature of the promise in this match."""
    place: Place
    """Where its secrets are; the program that makes the key says so."""


class OwnSetup(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The set-up of a match that begins from a position or data of the players' own, as everyone sees it."""

    tag: Annotated[str, msgspec.Meta(max_length=64)]
    v: Annotated[int, msgspec.Meta(ge=0, le=2**31)]
    body: bytes
    commitment: Bytes32
    """To the complete set-up, which the host alone has before the end."""


class TimeLimits(msgspec.Struct, frozen=True, kw_only=True):
    """How long the programs of a match of protocol 7 wait for each other, in seconds."""

    seed_wait: SeedWait = SEED_WAIT
    """From the end until the host may close without all card seeds."""
    ack_wait: AckWait = ACK_WAIT
    """From the end until a seat opens its card seed without the acknowledgement of every party."""
    reply_limit: Seconds = 0
    """Without a message, until a seat may stop the match; 0 for no limit."""


class FairTerms(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The part of a header that makes a match one of protocol 7."""

    fair: Literal[7] = 7
    host_key: Bytes32
    """Ed25519 key with which the host signs the order of the messages."""
    parties: tuple[FairParty, ...]
    """One per role, in the order of the roles."""
    dealer_key: Bytes32 | msgspec.UnsetType = msgspec.UNSET
    """X25519 key of a host that deals, for which hidden commands are encrypted; missing when the seats deal."""
    setup: OwnSetup | msgspec.UnsetType = msgspec.UNSET
    """Of a match whose host deals; missing if it begins from a scenario, whose position every copy computes."""
    seed_wait: SeedWait = SEED_WAIT
    """Seconds after the end until the host may close without all card seeds."""
    ack_wait: Seconds = ACK_WAIT
    """Seconds after the end until a seat opens its card seed without the acknowledgement of every party."""
    reply_limit: Seconds = 0
    """Seconds without a message after which a seat may stop the match; 0 for no limit."""

"""Defines the messages in the masked-card protocol, all of which are public.

Each card is in a slot. A slot has a permanent number and contains a point that some seats' keys mask. Shuffles and
arrangements empty slots and fill new ones, so a slot does not reveal where its card came from.
"""

from typing import Annotated, Final, TypeAlias

import msgspec

from engine.kernel.ids import Role
from saves.protocol6.cardseed import COMMITMENT_BYTES
from saves.protocol6.group import POINT_BYTES, SCALAR_BYTES

SlotNumber: TypeAlias = Annotated[int, msgspec.Meta(ge=0, lt=1 << 31)]
PointBytes: TypeAlias = Annotated[
    bytes, msgspec.Meta(min_length=POINT_BYTES, max_length=POINT_BYTES)
]
ScalarBytes: TypeAlias = Annotated[
    bytes, msgspec.Meta(min_length=SCALAR_BYTES, max_length=SCALAR_BYTES)
]
Commitment: TypeAlias = Annotated[
    bytes, msgspec.Meta(min_length=COMMITMENT_BYTES, max_length=COMMITMENT_BYTES)
]


class CipherStep(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"
):
    """Base class for all steps."""


# -- calls: requests for an action (other code checks them against the game's rules)


class ShuffleCalled(CipherStep, frozen=True, kw_only=True, tag="shuffle-called"):
    """Shuffle cards from a deck into new slots that no seat can read."""

    deck: str
    slots: tuple[SlotNumber, ...]
    """Slots with undrawn, discarded or returned cards.

    The owner of the deck may know which cards these are, but not in which slot each card ends up.
    """


class DrawCalled(CipherStep, frozen=True, kw_only=True, tag="draw-called"):
    """Request the keys to some cards from every seat except the reader, so that only the reader can read the cards."""

    slots: tuple[SlotNumber, ...]
    reader: Role
    for_shuffle: bool = False
    """True if the owner only looks through the whole deck, and no card is dealt.

    The owner shuffles the deck before the next deal.
    """


class OpenCalled(CipherStep, frozen=True, kw_only=True, tag="open-called"):
    """Turn cards face up for everyone."""

    slots: tuple[SlotNumber, ...]


# -- answers: how seats respond to a call


class KeysGiven(CipherStep, frozen=True, kw_only=True, tag="keys-given"):
    """A seat's keys for the requested slots, in order."""

    keys: tuple[ScalarBytes, ...]


class Mixed(CipherStep, frozen=True, kw_only=True, tag="mixed"):
    """A seat's first pass: mask all cards with one key, and put the cards in a new order."""

    deck: str
    points: tuple[PointBytes, ...]


class Masked(CipherStep, frozen=True, kw_only=True, tag="masked"):
    """A seat's second pass: replace the first pass's key with a separate key for each card."""

    deck: str
    points: tuple[PointBytes, ...]
    commitments: tuple[Commitment, ...]
    """Commitments to the keys, one per card."""


class Arranged(CipherStep, frozen=True, kw_only=True, tag="arranged"):
    """Put cards into new slots, in an order known only to the seat that can read the cards."""

    slots: tuple[SlotNumber, ...]
    points: tuple[PointBytes, ...]
    commitments: tuple[Commitment, ...]


AnyStep: TypeAlias = ShuffleCalled | DrawCalled | OpenCalled | KeysGiven | Mixed | Masked | Arranged
STEP_DECODER: Final = msgspec.msgpack.Decoder(AnyStep)

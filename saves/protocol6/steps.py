"""What seats say to one another about cards in cipher; everybody may read all of it.

Cards lie in slots. A slot is numbered once and for ever; what lies in it is a point, masked by keys of some seats. A
shuffle and an arrangement empty slots and fill new ones, so that no slot tells where its card was before.
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


class Step(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"):
    """Base of all steps."""


# -- calls: what shall happen. Whether the rules of the game demand it, the game's judge says.


class ShuffleCalled(Step, frozen=True, kw_only=True, tag="shuffle-called"):
    """Cards of a deck are shuffled into new slots that nobody can read."""

    deck: str
    slots: tuple[SlotNumber, ...]
    """Undrawn, discarded or returned; their owner may learn which cards they are, never which comes where."""


class DrawCalled(Step, frozen=True, kw_only=True, tag="draw-called"):
    """Everybody but the reader takes the own keys off cards, so that the reader alone can read them."""

    slots: tuple[SlotNumber, ...]
    reader: Role
    for_shuffle: bool = False
    """True when nothing is dealt: the owner of a deck looks through all of it, and shuffles it before the next deal."""


class OpenCalled(Step, frozen=True, kw_only=True, tag="open-called"):
    """Cards are turned up for everybody."""

    slots: tuple[SlotNumber, ...]


# -- answers: what seats do about a call


class KeysGiven(Step, frozen=True, kw_only=True, tag="keys-given"):
    """A seat's keys of the slots for which it was asked, in their order."""

    keys: tuple[ScalarBytes, ...]


class Mixed(Step, frozen=True, kw_only=True, tag="mixed"):
    """First pass of a seat: all cards masked by one key, in a new order."""

    deck: str
    points: tuple[PointBytes, ...]


class Masked(Step, frozen=True, kw_only=True, tag="masked"):
    """Second pass of a seat: that key taken off again, and one of its own laid on each card."""

    deck: str
    points: tuple[PointBytes, ...]
    commitments: tuple[Commitment, ...]
    """To the key of each card."""


class Arranged(Step, frozen=True, kw_only=True, tag="arranged"):
    """The one who alone can read cards lays them anew, in an order that nobody else can tell."""

    slots: tuple[SlotNumber, ...]
    points: tuple[PointBytes, ...]
    commitments: tuple[Commitment, ...]


AnyStep: TypeAlias = ShuffleCalled | DrawCalled | OpenCalled | KeysGiven | Mixed | Masked | Arranged
STEP_DECODER: Final = msgspec.msgpack.Decoder(AnyStep)

"""Defines decks, slots for masked cards, shuffles in progress, and the steps that seats must take."""

import msgspec

from engine.kernel.ids import Role
from saves.protocol6.group import Point, Scalar
from saves.protocol6.steps import KeysGiven, Masked, Mixed


class OwnedDeck(msgspec.Struct, frozen=True, kw_only=True):
    """One seat's deck."""

    owner: Role
    cards: tuple[str, ...]
    """Every card that can ever be in the deck, in a fixed order. Copies of the same card have distinct names."""


class Slot(msgspec.Struct, kw_only=True):
    """A numbered place for one card."""

    number: int
    deck: str
    point: Point
    commitments: dict[Role, bytes]
    """Commitments to the keys that mask the card, by seat."""
    keys: dict[Role, Scalar]
    """The keys that have been made public, by seat."""
    card: str = ""
    """The card's face; empty until it is public."""
    arranged: tuple[int, int] | None = None
    """If an arrangement placed the card, the number of that step and the card's index in it; otherwise None."""

    @property
    def masked_by(self) -> tuple[Role, ...]:
        """Return the seats whose secret keys still mask the card."""
        return tuple(role for role in self.commitments if role not in self.keys)


class Owed(msgspec.Struct, frozen=True, kw_only=True):
    """A step that is due from a seat."""

    role: Role
    kind: type[KeysGiven] | type[Mixed] | type[Masked]
    deck: str = ""
    """The deck to shuffle or mask; empty if the step reveals keys."""
    slots: tuple[int, ...] = ()
    """The slots whose keys must be revealed; empty if the step shuffles or masks a deck."""


class Shuffle(msgspec.Struct, kw_only=True):
    """A shuffle in progress."""

    call: int
    """Number of the step that called the shuffle. This number identifies the shuffle."""
    first: int
    """Number of the shuffle's first new slot. The others follow consecutively."""
    deck: str
    slots: tuple[int, ...]
    order: tuple[Role, ...]
    """Seats in mixing order. The deck's owner is first, because only the owner can remove the owner's keys."""
    points: tuple[Point, ...] = ()
    """The points after the last pass."""
    mixed: int = 0
    masked: int = 0
    commitments: dict[Role, tuple[bytes, ...]] = {}

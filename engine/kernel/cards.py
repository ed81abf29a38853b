"""Card piles: where each card of a deck is, as far as a copy of the match knows."""

import enum
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec


class PileKind(enum.StrEnum):
    """Kinds of card piles. They differ in what the players can see."""

    RANDOM = "random"
    """A deck segment in unknown order. A drawn card is picked from it at random."""
    ORDERED = "ordered"
    """A deck segment in a fixed order. The first card is drawn first."""
    HAND = "hand"
    """Cards that only their owner sees. Their order has no meaning."""
    LAID = "laid"
    """Face-down cards. Everyone sees their positions, but not their faces."""
    DISCARD = "discard"
    """A discard pile. Some or all of its faces may be public."""
    OPEN = "open"
    """Cards with public faces. They were played, lie on the table or are out of the game."""

    @property
    def is_segment(self) -> bool:
        """Return whether this kind of pile is part of a deck, so that cards are drawn from it."""
        return self in {PileKind.RANDOM, PileKind.ORDERED}


class PileContents(msgspec.Struct, frozen=True):
    """The contents of one card pile."""

    kind: PileKind
    cards: tuple[str, ...]
    """Card ids, with :data:`~engine.kernel.hidden.HIDDEN` for each card that is unknown to this copy."""


OPEN_PILE: Final = "open"
"""Name of the pile of cards whose faces are public. Every game has this pile and lists it last."""


def strings_in(item: object) -> Iterator[str]:
    """Yield every string in nested mappings and sequences, depth first."""
    if isinstance(item, str):
        yield item
    elif isinstance(item, Mapping):
        for value in item.values():
            yield from strings_in(value)
    elif isinstance(item, Sequence):
        for value in item:
            yield from strings_in(value)

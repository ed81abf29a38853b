"""Where the cards of a deck are, pile by pile, as far as one copy of a match knows."""

import enum

import msgspec


class PileKind(enum.StrEnum):
    """What a table sees of a pile."""

    RANDOM = "random"
    """A segment of a deck in unknown order: chance picks a card when one is drawn."""
    ORDERED = "ordered"
    """A segment of a deck whose order is fixed: the first card is drawn first."""
    HAND = "hand"
    """Cards that only their owner sees; their order means nothing."""
    LAID = "laid"
    """Face-down cards whose positions are visible at a table."""
    DISCARD = "discard"
    """A discard pile: some or all of its faces may be public."""
    OPEN = "open"
    """Cards with public faces: played, on the table, removed or not part of the scenario."""

    @property
    def is_segment(self) -> bool:
        """Return whether cards are drawn from such a pile."""
        return self in {PileKind.RANDOM, PileKind.ORDERED}


class CardPlace(msgspec.Struct, frozen=True):
    """One pile of a deck."""

    kind: PileKind
    cards: tuple[str, ...]
    """Ids, or :data:`~engine.kernel.hidden.HIDDEN` for a card whose face this copy does not know."""


OPEN_PILE = "open"
"""Name of the pile with public faces; every game has it, as the last one."""

"""The locations of a deck's cards, by pile, as known to one copy of a match."""

import enum
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec

from engine.kernel.hidden import HIDDEN
from engine.kernel.ids import Role


class PileKind(enum.StrEnum):
    """Kinds of piles, by how much of them players at the table can see."""

    RANDOM = "random"
    """A deck segment in unknown order; each card drawn from it is picked at random."""
    ORDERED = "ordered"
    """A deck segment in a fixed order; the first card is drawn first."""
    HAND = "hand"
    """Cards that only their owner sees. Their order has no meaning."""
    LAID = "laid"
    """Face-down cards whose positions are visible."""
    DISCARD = "discard"
    """A discard pile. Some or all of its faces may be public."""
    OPEN = "open"
    """Cards with public faces: played, on the table, removed, or not part of the scenario."""

    @property
    def is_segment(self) -> bool:
        """Return whether cards are drawn from this kind of pile."""
        return self in {PileKind.RANDOM, PileKind.ORDERED}


class PileContents(msgspec.Struct, frozen=True):
    """One pile of cards."""

    kind: PileKind
    cards: tuple[str, ...]
    """Card ids, or :data:`~engine.kernel.hidden.HIDDEN` for a card whose face this copy does not know."""


OPEN_PILE: Final = "open"
"""Name of the pile with public faces. Every game has this pile, and it always comes last."""
PADDING_BYTES: Final = 64
"""Hidden entries are padded to a multiple of this many bytes."""


def strings_in(item: object) -> Iterator[str]:
    """Yield every string in plain data, depth first."""
    if isinstance(item, str):
        yield item
    elif isinstance(item, Mapping):
        for value in item.values():
            yield from strings_in(value)
    elif isinstance(item, Sequence):
        for value in item:
            yield from strings_in(value)


def padded_size(public_form: msgspec.Struct, decks: Mapping[Role, Sequence[str]]) -> int:
    """Return the maximum size, in bytes, of the full command or event, rounded up to a multiple of ``PADDING_BYTES``.

    Args:
        public_form: The public form, with :data:`~engine.kernel.hidden.HIDDEN` for each hidden card.
        decks: All cards that may be hidden.
    """
    hidden = sum(word == HIDDEN for word in strings_in(msgspec.to_builtins(public_form)))
    longest = max(len(msgspec.msgpack.encode(card)) for deck in decks.values() for card in deck)
    most = len(msgspec.msgpack.encode(public_form))
    most += hidden * (longest - len(msgspec.msgpack.encode(HIDDEN)))
    # Round up.
    return -(-most // PADDING_BYTES) * PADDING_BYTES

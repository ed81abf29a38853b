"""The placeholder for cards with unknown faces, and a dictionary that does not allow looking up the placeholder."""

from typing import Final, TypeVar

from engine.kernel.errors import HiddenError

K = TypeVar("K", bound=str)
V = TypeVar("V")

HIDDEN: Final = "?"
"""Placeholder for a card whose face this copy does not know."""


class Faces(dict[K, V]):
    """A dictionary of cards by id that raises :class:`HiddenError` when a hidden card is looked up."""

    def __missing__(self, card: K) -> V:
        """Raise :class:`HiddenError` for a hidden card. Any other unknown id is a bug and raises KeyError."""
        if card == HIDDEN:
            raise HiddenError("this copy does not know the face of this card")
        raise KeyError(card)

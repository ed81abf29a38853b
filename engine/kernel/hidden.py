"""Cards whose faces a seat's copy of the game does not know."""

from typing import Final, TypeVar

from engine.kernel.errors import HiddenError

K = TypeVar("K", bound=str)
V = TypeVar("V")

HIDDEN: Final = "?"
"""Stands for a card whose face is not known here."""


class Faces(dict[K, V]):
    """Cards by id; what needs the face of a hidden one ends with :class:`HiddenError`."""

    def __missing__(self, card: K) -> V:
        """Refuse a hidden card; any other id that is none is our own mistake."""
        if card == HIDDEN:
            raise HiddenError("the face of this card is not known here")
        raise KeyError(card)

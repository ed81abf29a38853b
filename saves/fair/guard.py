"""The guard of the commitments: a blinding hides one card only."""

from hashlib import blake2b
from typing import Final

from saves.fair.errors import BlindingReuseError

_KEPT_BYTES: Final = 16
"""Of each secret a hash of this length is kept, so that the guard never holds a secret."""


class BlindingGuard:
    """Memory of the blindings of one seat in one match; it is dropped with the secrets of the match.

    Two commitments with one blinding and two cards differ by the difference of two public points, which reveals both
    cards. This check stays on in releases: a fault of the program must stop the match, not open a hand.
    """

    def __init__(self) -> None:
        """Begin without blindings."""
        self._used: dict[bytes, tuple[str, str | bytes]] = {}
        self._contents: dict[tuple[str, str | bytes], tuple[str, str | bytes]] = {}

    def __len__(self) -> int:
        return len(self._used)

    def record(self, blinding: bytes, deck: str, content: str | bytes) -> None:
        """Record that a blinding hides a content.

        Args:
            blinding: Blinding of a commitment, or the seed of the blindings of a shadow.
            deck: Deck of the card.
            content: The card, or for a shadow a digest of all its inputs.

        Raises:
            BlindingReuseError: The blinding was recorded with another content or deck.
        """
        hidden = (deck, content)
        key = blake2b(blinding, digest_size=_KEPT_BYTES, person=b"fp7-guard").digest()
        before = self._used.setdefault(key, self._contents.setdefault(hidden, hidden))
        if before != hidden:
            raise BlindingReuseError(
                f"a blinding of deck {deck} was about to hide a second card; the program has stopped"
            )

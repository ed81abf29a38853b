"""Ensures that commitments to different cards never use the same blinding."""

from hashlib import blake2b
from typing import Final

from saves.fair.errors import BlindingReuseError

_KEY_BYTES: Final = 16
"""Length of the hash stored for each blinding. The guard stores only hashes, so it holds no secrets."""


class BlindingGuard:
    """The blindings that one seat has used in one match. The guard is discarded together with the match's secrets.

    If two commitments hide different cards with the same blinding, the commitments' difference equals the difference
    between two public points. That reveals both cards. The check is also active in releases, because stopping the match
    after a bug is better than revealing a hand.
    """

    def __init__(self) -> None:
        """Start with no blindings recorded."""
        self._used: dict[bytes, tuple[str, str | bytes]] = {}
        self._contents: dict[tuple[str, str | bytes], tuple[str, str | bytes]] = {}

    def __len__(self) -> int:
        return len(self._used)

    def record(self, blinding: bytes, deck: str, content: str | bytes) -> None:
        """Record that a blinding is being used for a card.

        Args:
            blinding: The blinding in a commitment, or the seed for a shadow's blindings.
            deck: The card's deck.
            content: The card; for a shadow, a digest of all its inputs.

        Raises:
            BlindingReuseError: The blinding has already been recorded for different content or another deck.
        """
        use = (deck, content)
        key = blake2b(blinding, digest_size=_KEY_BYTES, person=b"fp7-guard").digest()
        # A card is blinded many times, so equal tuples are stored only once to save memory.
        previous_use = self._used.setdefault(key, self._contents.setdefault(use, use))
        if previous_use != use:
            raise BlindingReuseError(
                f"a blinding factor of deck {deck} was about to be reused for a second card; the program has stopped"
            )

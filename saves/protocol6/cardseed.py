"""Derives all of a seat's card secrets from its card seed.

The audit therefore needs only the card seeds. All keys and permutations that an honest program uses are derived from
the card seed. The card seed is derived from the party's master seed and revealed once the match is over. It reveals
nothing about the seat's signing key.
"""

from hashlib import blake2b
from typing import Final

from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from saves.decoding import canonical
from saves.protocol6.group import Scalar, scalar_from
from saves.protocol6.hash_chain import SEED_BYTES

COMMITMENT_BYTES: Final = 32
_UNIFORM_BYTES: Final = 64


def key_commitment(key: Scalar) -> bytes:
    """Compute a seat's commitment to one card's key. The seat publishes it when masking the card."""
    return blake2b(key, digest_size=COMMITMENT_BYTES, person=b"flagplot-cardkey").digest()


def seed_commitment(seed: bytes) -> bytes:
    """Compute the card seed commitment that a party publishes before the match."""
    return blake2b(seed, digest_size=COMMITMENT_BYTES, person=b"flagplot-cards").digest()


class CardSeed:
    """One seat's card secrets in one match."""

    def __init__(self, match_id: str, role: Role, seed: bytes) -> None:
        """Derive the secrets from a 32-byte card seed."""
        assert len(seed) == SEED_BYTES
        self._match_id = match_id
        self.role = role
        self._seed = seed

    def deck_key(self, shuffle: int) -> Scalar:
        """Return the single key that masks all cards in a shuffle.

        ``shuffle`` is the number of the step that called the shuffle.
        """
        return scalar_from(self._derive(b"flagplot-deckkey", shuffle, _UNIFORM_BYTES))

    def card_key(self, slot: int) -> Scalar:
        """Return the key that masks the card in a slot that a shuffle has filled."""
        return scalar_from(self._derive(b"flagplot-slotkey", slot, _UNIFORM_BYTES))

    def hand_key(self, step: int, position: int) -> Scalar:
        """Return the key that masks a card placed by one of this seat's arrangements.

        The key is derived from the step, not from the slot. If another step replaces this one, both fill slots with the
        same numbers. A key revealed for the first step must not unmask a card placed by the second.

        Args:
            step: The step's number.
            position: The card's index in the step.
        """
        key_path = (self._match_id, self.role, step, position)
        return scalar_from(_keyed(self._seed, b"flagplot-handkey", key_path, _UNIFORM_BYTES))

    def permutation(self, step: int, count: int) -> tuple[int, ...]:
        """Return a uniformly random permutation: entry i is the old position of the card that moves to position i."""
        dice = DerivedDice(self._derive(b"flagplot-order", step, SEED_BYTES), step)
        places = list(range(count))
        for last_index in range(count - 1, 0, -1):
            swap_index = dice.randbelow(last_index + 1)
            places[last_index], places[swap_index] = places[swap_index], places[last_index]
        return tuple(places)

    def box_key(self) -> bytes:
        """Return the key for the boxes that contain this seat's private entries."""
        return self._derive(b"flagplot-boxkey", 0, SEED_BYTES)

    def _derive(self, purpose: bytes, number: int, size: int) -> bytes:
        return _keyed(self._seed, purpose, (self._match_id, self.role, number), size)


def _keyed(seed: bytes, purpose: bytes, place: tuple[str | int, ...], size: int) -> bytes:
    return blake2b(canonical(place), key=seed, digest_size=size, person=purpose).digest()

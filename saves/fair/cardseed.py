"""What a seat's program keeps to itself about cards; all of it follows from the seat's master seed.

Because it follows, the audit needs the seeds and nothing else: whoever knows a seed knows each key and each permutation
that an honest program would have used, and compares.
"""

from hashlib import blake2b
from typing import Final

from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from saves.decoding import canonical
from saves.fair.group import Scalar, scalar_from
from saves.fair.links import SEED_BYTES

COMMITMENT_BYTES: Final = 32
_UNIFORM_BYTES: Final = 64


def key_commitment(key: Scalar) -> bytes:
    """Return what a seat says of the key of one card when it lays the key on it."""
    return blake2b(key, digest_size=COMMITMENT_BYTES, person=b"flagplot-cardkey").digest()


class CardSeed:
    """The secrets of one seat in one match."""

    def __init__(self, match_id: str, role: Role, seed: bytes) -> None:
        """Derive from a master seed of 32 bytes."""
        assert len(seed) == SEED_BYTES
        self._match_id = match_id
        self.role = role
        self._seed = seed

    def deck_key(self, shuffle: int) -> Scalar:
        """Return the key that masks all cards alike during a shuffle, named by the step that called it."""
        return scalar_from(self._derive(b"flagplot-deckkey", shuffle, _UNIFORM_BYTES))

    def card_key(self, slot: int) -> Scalar:
        """Return the key that masks the card in a slot."""
        return scalar_from(self._derive(b"flagplot-slotkey", slot, _UNIFORM_BYTES))

    def order(self, step: int, count: int) -> tuple[int, ...]:
        """Return a permutation of so many, each with the same chance: for each place, the old place of its card."""
        dice = DerivedDice(self._derive(b"flagplot-order", step, SEED_BYTES), step)
        places = list(range(count))
        for last in range(count - 1, 0, -1):
            other = dice.below(last + 1)
            places[last], places[other] = places[other], places[last]
        return tuple(places)

    def _derive(self, purpose: bytes, number: int, size: int) -> bytes:
        return _keyed(self._seed, purpose, (self._match_id, self.role, number), size)


def _keyed(seed: bytes, purpose: bytes, place: tuple[str | int, ...], size: int) -> bytes:
    return blake2b(canonical(place), key=seed, digest_size=size, person=purpose).digest()

"""What a seat's program keeps to itself about cards: all of it follows from its card seed.

Because it follows, the audit needs the card seeds and nothing else: whoever knows one knows each key and each
permutation that an honest program would have used, and compares. The card seed follows from the master seed of the
party and is opened after the end; it tells nothing of the key that the seat signs with.
"""

from hashlib import blake2b
from typing import Final

from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from saves.decoding import canonical
from saves.protocol6.group import Scalar, scalar_from
from saves.protocol6.links import SEED_BYTES

COMMITMENT_BYTES: Final = 32
_UNIFORM_BYTES: Final = 64


def key_commitment(key: Scalar) -> bytes:
    """Return what a seat says of the key of one card when it lays the key on it."""
    return blake2b(key, digest_size=COMMITMENT_BYTES, person=b"flagplot-cardkey").digest()


def card_seed_of(master: bytes) -> bytes:
    """Return the card seed of a party with a master seed, 32 bytes each."""
    return blake2b(b"", key=master, digest_size=SEED_BYTES, person=b"flagplot-dealing").digest()


def seed_commitment(seed: bytes) -> bytes:
    """Return what a party promises of its card seed."""
    return blake2b(seed, digest_size=COMMITMENT_BYTES, person=b"flagplot-cards").digest()


class CardSeed:
    """The secrets of one seat in one match."""

    def __init__(self, match_id: str, role: Role, seed: bytes) -> None:
        """Derive from a card seed of 32 bytes."""
        assert len(seed) == SEED_BYTES
        self._match_id = match_id
        self.role = role
        self._seed = seed

    def deck_key(self, shuffle: int) -> Scalar:
        """Return the key that masks all cards alike during a shuffle, named by the step that called it."""
        return scalar_from(self._derive(b"flagplot-deckkey", shuffle, _UNIFORM_BYTES))

    def card_key(self, slot: int) -> Scalar:
        """Return the key that masks the card in a slot which a shuffle filled."""
        return scalar_from(self._derive(b"flagplot-slotkey", slot, _UNIFORM_BYTES))

    def hand_key(self, step: int, at: int) -> Scalar:
        """Return the key that masks a card which an arrangement of this seat laid anew.

        It follows from the step, not from the slot: where another step is taken in place of this one, its slots have
        the same numbers, and a key that is given for one of them must not fit a card of the hand.

        Args:
            step: Number of the step.
            at: Which of its cards, counted from 0.
        """
        place = (self._match_id, self.role, step, at)
        return scalar_from(_keyed(self._seed, b"flagplot-handkey", place, _UNIFORM_BYTES))

    def order(self, step: int, count: int) -> tuple[int, ...]:
        """Return a permutation of so many, each with the same chance: for each place, the old place of its card."""
        dice = DerivedDice(self._derive(b"flagplot-order", step, SEED_BYTES), step)
        places = list(range(count))
        for last in range(count - 1, 0, -1):
            other = dice.below(last + 1)
            places[last], places[other] = places[other], places[last]
        return tuple(places)

    def salt_key(self) -> bytes:
        """Return the secret from which the salts of this seat's own entries follow."""
        return self._derive(b"flagplot-saltkey", 0, SEED_BYTES)

    def box_key(self) -> bytes:
        """Return the key of the boxes in which this seat keeps what it alone knows."""
        return self._derive(b"flagplot-boxkey", 0, SEED_BYTES)

    def _derive(self, purpose: bytes, number: int, size: int) -> bytes:
        return _keyed(self._seed, purpose, (self._match_id, self.role, number), size)


def _keyed(seed: bytes, purpose: bytes, place: tuple[str | int, ...], size: int) -> bytes:
    return blake2b(canonical(place), key=seed, digest_size=size, person=purpose).digest()

"""Provides dice for playouts. They make comparisons between candidates depend less on luck."""

from collections.abc import Sequence
from hashlib import blake2b
from typing import Final

from engine.kernel.dice import SECRET_BYTES, DerivedDice, Dice, Die

_BYTE: Final = 256
_FIRST_PLAYOUT_RECORD: Final = 1 << 32
"""First record number used for playouts, so that their draws differ from all other draws with the same secret."""


class MirroredDice:
    """Dice with mirrored faces: a high roll becomes a low roll, and vice versa."""

    def __init__(self, dice: Dice) -> None:
        """Create dice that mirror the given dice."""
        self._dice = dice

    def roll(self, die: Die) -> int:
        """Return the face opposite to the original dice's face."""
        return die.lowest + die.highest - self._dice.roll(die)

    def pick(self, items: Sequence[str]) -> str:
        """Return the item picked by the original dice. Picks are not mirrored."""
        return self._dice.pick(items)


class RankedDice:
    """Dice that rank all names in a fixed random order. A pick takes the highest-ranked item.

    Cards are therefore drawn in the same order in all of a sample's playouts, whatever else happens.
    """

    def __init__(self, secret: bytes, sample: int) -> None:
        """Create the dice for one sample. Each sample has its own ranking."""
        self._key = secret
        self._sample = sample.to_bytes(8, "big")
        self._ranks: dict[str, bytes] = {}
        self._dice = DerivedDice(secret, _FIRST_PLAYOUT_RECORD + sample)

    def roll(self, die: Die) -> int:
        """Return a random face."""
        return self._dice.roll(die)

    def pick(self, items: Sequence[str]) -> str:
        """Return the highest-ranked item."""
        return min(items, key=self._rank)

    def _rank(self, item: str) -> bytes:
        rank = self._ranks.get(item)
        if rank is None:
            message = self._sample + item.encode()
            rank = blake2b(message, key=self._key, digest_size=8).digest()
            self._ranks[item] = rank
        return rank


def draw_secret(dice: DerivedDice) -> bytes:
    """Return a secret for the samples of one decision."""
    return bytes(dice.randbelow(_BYTE) for _ in range(SECRET_BYTES))


def antithetic_dice(secret: bytes, sample: int) -> Dice:
    """Return the dice for a sample's playouts. Each odd sample mirrors the preceding sample."""
    dice = DerivedDice(secret, _FIRST_PLAYOUT_RECORD + sample // 2)
    return MirroredDice(dice) if sample % 2 else dice

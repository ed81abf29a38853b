"""Chance in playouts, made so that candidates differ less by chance than by what they are."""

from collections.abc import Sequence
from hashlib import blake2b
from typing import Final

from engine.kernel.dice import SECRET_BYTES, DerivedDice, Dice, Die

_BYTE: Final = 256
_PLAYOUTS: Final = 1 << 32
"""Records of a secret from which on playouts take their chance."""


class Turned:
    """Dice with their faces turned round: where others are lucky these are not."""

    def __init__(self, dice: Dice) -> None:
        """Turn some dice round."""
        self._dice = dice

    def roll(self, die: Die) -> int:
        """Return a face."""
        return die.lowest + die.highest - self._dice.roll(die)

    def pick(self, items: Sequence[str]) -> str:
        """Return one of the items."""
        return self._dice.pick(items)


class RankedDice:
    """Chance that has put all names in an order beforehand: of some, the first is picked.

    So cards come in the same order in all playouts of a sample, whatever else happens there.
    """

    def __init__(self, secret: bytes, sample: int) -> None:
        """Take the order of a sample."""
        self._key = secret
        self._sample = sample.to_bytes(8, "big")
        self._ranks: dict[str, bytes] = {}
        self._dice = DerivedDice(secret, _PLAYOUTS + sample)

    def roll(self, die: Die) -> int:
        """Return a face."""
        return self._dice.roll(die)

    def pick(self, items: Sequence[str]) -> str:
        """Return the item that comes first."""
        return min(items, key=self._rank)

    def _rank(self, item: str) -> bytes:
        found = self._ranks.get(item)
        if found is None:
            message = self._sample + item.encode()
            found = blake2b(message, key=self._key, digest_size=8).digest()
            self._ranks[item] = found
        return found


def secret_from(dice: DerivedDice) -> bytes:
    """Return a secret for the samples of one question."""
    return bytes(dice.below(_BYTE) for _ in range(SECRET_BYTES))


def turned_in_pairs(secret: bytes, sample: int) -> Dice:
    """Return the chance of the playouts in a sample: every second one is that before it turned round."""
    dice = DerivedDice(secret, _PLAYOUTS + sample // 2)
    return Turned(dice) if sample % 2 else dice

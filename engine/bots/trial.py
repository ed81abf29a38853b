"""A trial of candidates by playouts: each once, then those that look best; and dice that halve the noise."""

from collections.abc import Callable, Sequence
from typing import Final

from engine.kernel.dice import SECRET_BYTES, DerivedDice, Dice, Die

TRUST: Final = 1
"""The first judgement counts as much as so many playouts."""
FINALISTS: Final = 3
"""The best so far, among which further playouts decide."""
ENOUGH: Final = 2
"""Playouts of each finalist before anything is clear."""
GAP: Final = 12
"""What a difference must come to."""
_SCALE: Final = 100
_BYTE: Final = 256
_PLAYOUTS: Final = 1 << 32
"""Records of a secret from which on playouts take their chance."""


class Trial:
    """Candidates being compared."""

    def __init__(self, priors: Sequence[int], play_out: Callable[[int, int], int]) -> None:
        """Begin without a playout.

        Args:
            priors: The first judgement on each candidate, on the scale of the playouts.
            play_out: Plays a candidate out in a sample, both by number, and returns what it comes to.
        """
        self._play_out = play_out
        self._sums = [TRUST * prior for prior in priors]
        self._seen: list[list[int]] = [[] for _ in priors]
        """What each candidate has come to."""

    def best(self) -> int:
        """Return the place of the candidate that looks best now, the first on a tie."""
        return min(range(len(self._sums)), key=self._rank)

    def go_on(self) -> None:
        """Play one candidate out once more, in a sample that is new to it."""
        at = self._next()
        found = self._play_out(at, len(self._seen[at]))
        self._sums[at] += found
        self._seen[at].append(found)

    @property
    def is_clear(self) -> bool:
        """Return whether more playouts would hardly change anything: one was always better, or all are as good."""
        finalists = sorted(range(len(self._seen)), key=self._rank)[:FINALISTS]
        if any(len(self._seen[at]) < ENOUGH for at in finalists) or not all(self._seen):
            return False
        best, *others = (self._seen[at] for at in finalists)
        seen = [found for one in self._seen for found in one]
        is_same = max(seen) - min(seen) <= GAP
        return is_same or min(best) > max(max(one) for one in others) + GAP

    def _next(self) -> int:
        for at, seen in enumerate(self._seen):
            if not seen:
                return at
        ranked = sorted(range(len(self._seen)), key=self._rank)
        return min(ranked[:FINALISTS], key=lambda at: len(self._seen[at]))

    def _rank(self, at: int) -> tuple[int, int]:
        return (-_SCALE * self._sums[at] // (TRUST + len(self._seen[at])), at)


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


def secret_from(dice: DerivedDice) -> bytes:
    """Return a secret for the samples of one question."""
    return bytes(dice.below(_BYTE) for _ in range(SECRET_BYTES))


def chance(secret: bytes, sample: int) -> Dice:
    """Return the chance of the playouts in a sample: every second one is that before it turned round."""
    dice = DerivedDice(secret, _PLAYOUTS + sample // 2)
    return Turned(dice) if sample % 2 else dice

"""The easy player of Quartermaster General: one of the good options, not always the best."""

from collections.abc import Sequence
from typing import Final

from engine.bots.greedy_qmg import GreedyQmg
from engine.kernel.dice import DerivedDice

MARGIN: Final = 1.6
"""By how many points an option may be worse than the best one and still be taken."""


class EasyQmg(GreedyQmg):
    """Takes any option that is not much worse than the best one, each with the same chance."""

    def __init__(self, dice: DerivedDice) -> None:
        """Play by chance among the good options."""
        super().__init__(dice)
        self._dice = dice

    def _picked(self, values: Sequence[float]) -> int:
        """Return the place of one of the good options."""
        best = max(values)
        good = [at for at, value in enumerate(values) if value >= best - MARGIN]
        return good[self._dice.below(len(good))]

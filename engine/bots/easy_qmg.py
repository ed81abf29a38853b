"""The easy bot for Quartermaster General, which picks a good option but not always the best."""

from collections.abc import Sequence
from typing import Final

from typing_extensions import override

from engine.bots.greedy_qmg import GreedyQmg
from engine.kernel.dice import DerivedDice

MARGIN: Final = 1.6
"""Maximum difference, in points, between the best option and any other that may be chosen."""


class EasyQmg(GreedyQmg):
    """Chooses at random among the options that are not much worse than the best one."""

    def __init__(self, dice: DerivedDice) -> None:
        """Initialise with the dice used to choose among good options."""
        super().__init__(dice)
        self._dice = dice

    @override
    def _pick_index(self, values: Sequence[float]) -> int:
        best = max(values)
        good_indexes = [index for index, value in enumerate(values) if value >= best - MARGIN]
        return good_indexes[self._dice.randbelow(len(good_indexes))]

"""Defines the easy Quartermaster General bot, which picks a good option but not always the best one."""

from collections.abc import Sequence
from typing import Final

from typing_extensions import override

from engine.bots.greedy_qmg import GreedyQmg
from engine.kernel.dice import DerivedDice

MARGIN: Final = 1.6
"""Margin below the best value, in points. An option within this margin may be chosen."""


class EasyQmg(GreedyQmg):
    """Chooses at random among the options that are not much worse than the best option."""

    def __init__(self, dice: DerivedDice) -> None:
        """Create the bot. The dice choose among good options."""
        super().__init__(dice)
        self._dice = dice

    @override
    def _pick_index(self, values: Sequence[float]) -> int:
        best_score = max(values)
        good_indexes = [index for index, value in enumerate(values) if value >= best_score - MARGIN]
        return good_indexes[self._dice.randbelow(len(good_indexes))]

"""Defines the easy Empire of the Sun bot, which makes sensible plays and pursues one goal at a time."""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace
from typing_extensions import override

from engine.bots.greedy_eots import GreedyEots
from engine.bots.greedy_eots_situation import EotsSituation
from engine.eots.frames import CardPlayFrame
from engine.eots.ids import UnitId
from engine.eots.view import EotsView, OffensiveView
from engine.kernel.dice import DerivedDice

GOOD_VALUE_DIVISOR: Final = 2
"""Divisor of the best play's value. A card play that is worth at least the quotient may be chosen."""
MARGIN: Final = 20
"""Margin below the best play's value. A card play within this margin may also be chosen."""
MAX_GOALS: Final = 1
"""Maximum number of goals in an offensive."""


class EasyEots(GreedyEots):
    """Chooses a card play that is not much worse than the best play, and pursues one goal with it."""

    def __init__(self, dice: DerivedDice) -> None:
        """Create the bot. The dice choose among good plays."""
        super().__init__(dice)
        self._dice = dice

    @override
    def _pick_index(self, view: EotsView, values: Sequence[int]) -> int:
        """Return the index of the option to choose. All good card plays are equally likely."""
        best_score = max(values)
        if not isinstance(view.frames[-1], CardPlayFrame) or best_score <= 0:
            return super()._pick_index(view, values)
        min_value = min(best_score // GOOD_VALUE_DIVISOR, best_score - MARGIN)
        good_indexes = [index for index, value in enumerate(values) if value >= max(min_value, 1)]
        return good_indexes[self._dice.randbelow(len(good_indexes))]

    @override
    def _update_plan(
        self,
        view: EotsView,
        situation: EotsSituation,
        offensive: OffensiveView,
        offered_units: tuple[UnitId, ...],
    ) -> None:
        super()._update_plan(view, situation, offensive, offered_units)
        if self._plan is not None:
            self._plan = replace(self._plan, goals=self._plan.goals[:MAX_GOALS])

"""The one interpreter of card texts: every operation of the vocabulary, found by its step."""

from typing import Any, Final

from engine.qmg.cards import choices, effects, pieces, zones
from engine.qmg.cards.base import Operation, StepsHandler
from engine.qmg.deck_steps import Steps
from engine.qmg.terms import Context


def _can_do(at: Context, steps: Steps) -> bool:
    return INTERPRETER.is_possible(at, steps)


_ALL: Final[tuple[Operation[Any], ...]] = (
    *pieces.OPERATIONS,
    *zones.OPERATIONS,
    *effects.OPERATIONS,
    *choices.operations(_can_do),
)
INTERPRETER: Final = StepsHandler(_ALL)
"""The handler of lists of steps; a test holds that no operation is missing."""

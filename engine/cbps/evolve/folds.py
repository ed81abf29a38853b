"""All folds in one table."""

from collections.abc import Callable, Mapping
from typing import Final, cast

from engine.cbps.events.base import CbpsEvent
from engine.cbps.evolve import air, combat, fleet, flights, japan, turns
from engine.cbps.state import State
from engine.kernel.memo import folding

Fold = Callable[[State, CbpsEvent], State]

FOLDS: Final = cast(
    "Mapping[type[CbpsEvent], Fold]",  # each fold takes the type under which it stands
    {**turns.FOLDS, **air.FOLDS, **fleet.FOLDS, **japan.FOLDS, **flights.FOLDS, **combat.FOLDS},
)
"""One fold per kind of fact; a test holds that none is missing."""

evolve: Final[Callable[[State, CbpsEvent], State]] = folding(FOLDS)
"""Returns the state after an event; never refuses, never rolls, never looks at a clock."""

"""All folds in one table."""

from collections.abc import Callable, Mapping
from typing import Final, cast

from engine.cbps.events.base import CbpsEvent
from engine.cbps.evolve import air, combat, fleet, flights, japan, turns
from engine.cbps.state import State
from engine.kernel.memo import handed_on

Fold = Callable[[State, CbpsEvent], State]

FOLDS: Final = cast(
    "Mapping[type[CbpsEvent], Fold]",  # each fold takes the type under which it stands
    {**turns.FOLDS, **air.FOLDS, **fleet.FOLDS, **japan.FOLDS, **flights.FOLDS, **combat.FOLDS},
)
"""One fold per kind of fact; a test holds that none is missing."""


def evolve(state: State, event: CbpsEvent) -> State:
    """Return the state after an event; never refuses, never rolls, never looks at a clock."""
    return handed_on(state, FOLDS[type(event)](state, event))

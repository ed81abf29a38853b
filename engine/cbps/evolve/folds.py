"""The table of all folds."""

from collections.abc import Callable, Mapping
from typing import Final, cast

from engine.cbps.event_counters import event_with_ids
from engine.cbps.events.base import CbpsEvent
from engine.cbps.evolve import air, combat, fleet, flights, japan, turns
from engine.cbps.state import State
from engine.kernel.memo import make_evolve

Fold = Callable[[State, CbpsEvent], State]

FOLDS: Final = cast(
    "Mapping[type[CbpsEvent], Fold]",  # each fold accepts events of the type that is its key
    {**turns.FOLDS, **air.FOLDS, **fleet.FOLDS, **japan.FOLDS, **flights.FOLDS, **combat.FOLDS},
)
"""One fold for each kind of event. A test ensures that none is missing."""

_apply: Final[Callable[[State, CbpsEvent], State]] = make_evolve(FOLDS)


def evolve(state: State, event: CbpsEvent) -> State:
    """Return the state after an event. The result depends only on the state and the event. No event is refused."""
    return _apply(state, event_with_ids(state, event))

"""The only writer of state: one fold per kind of fact."""

from collections.abc import Callable, Mapping
from typing import Final, cast

from engine.eots.events.base import EotsEvent
from engine.eots.folds import battle, cards, flow, movement, offensive, strategic, tracks, units
from engine.eots.state import State
from engine.kernel.memo import handed_on

Fold = Callable[[State, EotsEvent], State]

FOLDS: Final = cast(
    "Mapping[type[EotsEvent], Fold]",
    {
        **flow.FOLDS,
        **units.FOLDS,
        **cards.FOLDS,
        **tracks.FOLDS,
        **offensive.FOLDS,
        **movement.FOLDS,
        **battle.FOLDS,
        **strategic.FOLDS,
    },
)
"""A test holds that every fact has its fold and no fold is left over."""


def evolve(state: State, event: EotsEvent) -> State:
    """Return the state after an event; never refuses, never rolls, never looks at a clock."""
    return handed_on(state, FOLDS[type(event)](state, event))

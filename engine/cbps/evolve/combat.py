"""Folds for surface combat events. They change nothing, because the frame tracks the combat."""

from collections.abc import Mapping
from typing import Final

from engine.cbps.events import combat as ev
from engine.cbps.events.base import CbpsEvent
from engine.cbps.state import State


def _nothing(state: State, _event: CbpsEvent) -> State:
    return state


FOLDS: Final[Mapping[type, object]] = {
    ev.SurfaceCombatBegan: _nothing,
    ev.CombatChosen: _nothing,
    ev.AvoidanceRolled: _nothing,
    ev.RoundBegan: _nothing,
    ev.ShipFired: _nothing,
}
"""One fold for each event of :mod:`engine.cbps.events.combat`."""

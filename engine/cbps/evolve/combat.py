"""Folds for surface combat events. They change nothing, because the frame stores the progress of the combat."""

from collections.abc import Mapping
from typing import Final

from engine.cbps.events import combat as ev
from engine.cbps.events.base import CbpsEvent
from engine.cbps.state import State


def _keep_state(state: State, _event: CbpsEvent) -> State:
    return state


FOLDS: Final[Mapping[type, object]] = {
    ev.SurfaceCombatBegan: _keep_state,
    ev.CombatChosen: _keep_state,
    ev.AvoidanceRolled: _keep_state,
    ev.RoundBegan: _keep_state,
    ev.ShipFired: _keep_state,
}
"""The fold function of each event in :mod:`engine.cbps.events.combat`."""

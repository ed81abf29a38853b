"""Carrier forces that have lost all their carriers (9.13)."""

from typing import Final

from engine.cbps.damage.ch12_hulls import ships_in_force
from engine.cbps.events.japan import ButaiOpened, LevelChanged, PointsMoved
from engine.cbps.forces.ch07_forces import (
    CARRIER_MAXIMUM,
    SURFACE_MAXIMUM,
    free_letters,
    remove_force,
)
from engine.cbps.forces.ch09_butai import replace_counter
from engine.cbps.ids import JapaneseBox
from engine.cbps.run import Run

_RETURN_BOXES: Final[tuple[JapaneseBox, ...]] = ("r12", "r8", "r4", "r0")


def become_surface_force(run: Run, name: str) -> None:
    """Turn a level-4 carrier force without carriers into a level-3 surface force (9.13).

    Points on their way home are lost (10.33). A force without any ships leaves play. Any other force is left unchanged.
    """
    state = run.state
    old_force = state.forces[name]
    ships = ships_in_force(state, name)
    if not old_force.is_carrier or old_force.level != CARRIER_MAXIMUM:
        return
    if any(state.game_data.japanese_ships[ship].is_carrier for ship in ships):
        return
    if not ships:
        remove_force(run, name, "sunk")
        return
    for box in _RETURN_BOXES:
        if box in old_force.boxes:
            run.add(PointsMoved(owner=name, points=old_force.boxes[box], source=box, to="lost"))
    run.add(LevelChanged(force=name, level=SURFACE_MAXIMUM, chit="surface"))
    if not old_force.is_butai:
        return
    run.add(ButaiOpened(force=name, is_open=False))
    if letters := free_letters(run.state):
        replace_counter(run, name, letters[0])

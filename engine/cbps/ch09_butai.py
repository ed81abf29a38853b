"""Butai displays and air points, which are generic again when they are home (9.1, 9.2, 10.14)."""

from engine.cbps.ch09_points import known_strength
from engine.cbps.ch12_hulls import is_deck_operable
from engine.cbps.events.japan import BoxesShifted, ButaiOpened, ForceRenamed
from engine.cbps.events.turns import ChitSwapped
from engine.cbps.rulings import BOX_SHIFT
from engine.cbps.run import Run
from engine.cbps.state import State

__all__ = ["butai_setup", "butai_shift", "known_strength", "rename"]

_MOVING: tuple[str, ...] = ("a11", "a7", "a3", "s2", "s1", "r0", "r4", "r8", "r12")
"""Boxes whose points a shift moves (9.12)."""


def butai_setup(run: Run, force: str) -> str:
    """Open the display of a force, whose counter is replaced by the Butai's (9.11).

    Returns:
        The name of the force from now on; the same if it has a display already.
    """
    if run.state.forces[force].is_butai:
        return force
    run.add(ButaiOpened(force=force))
    return rename(run, force, _free_number(run.state))


def _free_number(state: State) -> str:
    """Return the lowest free Butai number; there may be more than the four that are printed (OP-32).

    One that still has a raid in the air is not free.
    """
    number = 1
    flying = [raid.origin for raid in state.raids.values()]
    while str(number) in (*state.forces, *state.gone_letters, *state.cup, *flying):
        number += 1
    return str(number)


def rename(run: Run, force: str, name: str) -> str:
    """Replace a counter by another one; an undrawn chit is exchanged (9.11, 9.13).

    Returns:
        The new name.
    """
    run.add(ForceRenamed(force=force, name=name))
    if force in run.state.cup:
        run.add(ChitSwapped(chit=force, by=name))
    return name


def butai_shift(run: Run, force: str) -> None:
    """Move the boxes of a display up, once per activation of its force (9.12, 10.32, 10.33, OP-33)."""
    boxes = run.state.forces[force].boxes
    if any(box in boxes for box in _MOVING):
        is_operable = "r0" not in boxes or is_deck_operable(run.state, force)
        run.add(BoxesShifted(owner=force, is_deck_operable=is_operable))


def shift_by_phase(run: Run) -> None:
    """Move the boxes of all displays up where that is done once per phase (OP-33)."""
    if BOX_SHIFT.is_other(run.state.options):
        for name, force in tuple(run.state.forces.items()):
            if force.is_butai:
                butai_shift(run, name)

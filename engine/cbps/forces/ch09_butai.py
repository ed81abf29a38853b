"""Butai displays and their air points. Points become generic again on landing (9.1, 9.2, 10.14)."""

from engine.cbps.damage.ch12_hulls import is_deck_operable
from engine.cbps.events.japan import BoxesShifted, ButaiOpened, ForceRenamed
from engine.cbps.events.turns import ChitSwapped
from engine.cbps.force_ids import counter_of, used_counters
from engine.cbps.rulings import BOX_SHIFT
from engine.cbps.run import Run
from engine.cbps.state import State

_SHIFTED_BOXES: tuple[str, ...] = ("a11", "a7", "a3", "s2", "s1", "r0", "r4", "r8", "r12")
"""The boxes whose points move in a shift (9.12)."""


def open_butai(run: Run, force: str) -> None:
    """Open a Butai display for a force without one, and replace its counter with a Butai counter (9.11)."""
    if not run.state.forces[force].is_butai:
        run.add(ButaiOpened(force=force))
        replace_counter(run, force, _free_butai_number(run.state))


def _free_butai_number(state: State) -> str:
    """Return the lowest free Butai number, which may be beyond the four printed displays (OP-32).

    A number with a raid still in the air is not free.
    """
    number = 1
    used_letters = used_counters(state)
    while str(number) in used_letters:
        number += 1
    return str(number)


def replace_counter(run: Run, force: str, counter: str) -> None:
    """Replace a force's counter with another one, and swap its undrawn chit (9.11, 9.13)."""
    old_counter = counter_of(run.state, force)
    run.add(ForceRenamed(force=force, name=counter))
    if old_counter in run.state.cup:
        run.add(ChitSwapped(chit=old_counter, by=counter))


def shift_boxes(run: Run, force: str) -> None:
    """Shift the points on a display to the next boxes, once per activation of its force (9.12, 10.32, 10.33, OP-33)."""
    boxes = run.state.forces[force].boxes
    if any(box in boxes for box in _SHIFTED_BOXES):
        is_operable = "r0" not in boxes or is_deck_operable(run.state, force)
        run.add(BoxesShifted(owner=force, is_deck_operable=is_operable))


def shift_all_boxes(run: Run) -> None:
    """Shift the points on all displays if the option to do this once per phase is chosen (OP-33)."""
    if BOX_SHIFT.uses_alternative(run.state.options):
        for name, force in tuple(run.state.forces.items()):
            if force.is_butai:
                shift_boxes(run, name)

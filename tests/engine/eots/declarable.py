"""A simple check of whether step 3 of an offensive can be completed in a position (7.24).

Production computes the same answer for all hexes at once in ``engine/eots/ch08_movement/outlook.py``.
"""

from engine.eots.ch07_offensive.feasibility import (
    DeclarationRequirements,
    can_join,
    declaration_requirements,
    is_allowed_battle,
    strike_targets,
)
from engine.eots.state import Offensive, State, current_offensive


def is_declarable(state: State) -> bool:
    """Return whether step 3 can be completed legally in the current position (7.24)."""
    offensive = current_offensive(state)
    now = declaration_requirements(state)
    if not offensive.event and len(now.forced | frozenset(offensive.battles)) > 1:
        return False
    if any(not is_allowed_battle(state, at) for at in now.forced):
        return False
    return _is_every_carrier_placed(state, offensive, now)


def _is_every_carrier_placed(
    state: State, offensive: Offensive, now: DeclarationRequirements
) -> bool:
    loose = tuple(
        unit
        for unit in now.must_fight
        if not any(can_join(state, unit, at) for at in now.landings)
        and not any(can_join(state, unit, at) for at in now.forced | frozenset(offensive.battles))
    )
    if not loose:
        return True
    targets = strike_targets(state, offensive, now)
    if offensive.event:
        return all(any(can_join(state, unit, at) for at in targets) for unit in loose)
    return any(all(can_join(state, unit, at) for unit in loose) for at in targets)

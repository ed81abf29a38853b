"""Invariants of a full state, checked by fuzz tests (1, 4, 9)."""

from collections.abc import Iterator

from engine.qmg.ids import ROUNDS
from engine.qmg.position import position_from_state
from engine.qmg.position_checks import table_problems
from engine.qmg.state import State


def violations(state: State) -> Iterator[str]:
    """Yield a description of each invariant that the state violates."""
    position = position_from_state(state)
    for path, problem in table_problems(position):
        yield f"{path}: {problem}"
    if state.outcome is None and state.frames and state.round > ROUNDS:
        yield "12.5: a round after the last one"

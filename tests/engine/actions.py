"""Properties that the action objects of every question must have, in any game."""

from collections.abc import Iterable
from typing import Any

from engine.kernel.machine import DecisionHandler, Handler
from engine.kernel.ruleset import Command


def check_actions(
    handler: Handler[Any, Any, Any, Any, Any],
    state: Any,  # noqa: ANN401  # of any game
    role: str,
    foreign: Iterable[Command] = (),
) -> None:
    """Check that the options at the innermost frame are exactly the commands that no rule refuses."""
    assert isinstance(handler, DecisionHandler)
    frame = state.frames[-1]
    decision = handler.decision(state, frame, role)
    found: set[Command] = set()
    for action in handler.actions:
        tried = tuple(action.candidates(state, frame, role))
        let_through = tuple(c for c in tried if not list(action.refusals(state, frame, role, c)))
        assert tuple(action.options(state, frame, role)) == let_through, (frame, action)
        assert action.is_open(state, frame, role) is bool(let_through)
        found.update(let_through)
    assert found == set(decision.options)
    assert len(found) == len(decision.options), "no doubles"
    assert decision.default in found
    assert handler.is_open(state, frame, role)
    for command in foreign:
        wanted = command in found
        assert handler.is_option(state, frame, role, command) is wanted, (frame, command)
        assert (not list(handler.why_not(state, frame, role, command))) is wanted, (frame, command)

"""Segments in which every commander acts independently until all have finished."""

from typing import Any, Generic, TypeVar

from msgspec.structs import replace
from typing_extensions import override

from engine.cbps.commands import CbpsCommand, Done
from engine.cbps.frames import Asking
from engine.cbps.run import DecisionHandler, PlainAction, Run
from engine.cbps.seats import commanders
from engine.cbps.state import State
from engine.kernel import machine
from engine.kernel.memo import Memo

A = TypeVar("A", bound=Asking)


class SegmentDoneAction(PlainAction[A, Done], Generic[A]):
    """Ends the segment for one commander."""

    @override
    def apply(self, run: Run, frame: A, role: str, command: Done) -> None:
        run.replace_top(replace(frame, done=(*frame.done, role)))


class SegmentQuestion(DecisionHandler[A], Generic[A]):
    """Base class of the decision in a segment. ``Done`` must be its last action.

    A commander whose only option is ``Done`` is not asked. When no commander is left to ask, :meth:`close` ends the
    segment.
    """

    is_plan = True

    @override
    def active_roles(self, state: State, frame: A) -> tuple[str, ...]:
        """Return the commanders who are not done and have a choice to make."""
        return tuple(
            role
            for role in commanders(state)
            if role not in frame.done and self.is_open(state, frame, role)
        )

    def __init__(self) -> None:
        """Create a cache of one legal command per commander, which usually remains legal in the next state."""
        self._legal_commands: Memo[dict[str, CbpsCommand]] = Memo()

    def search_order(self) -> tuple[machine.Action[Any, Any, Any, Any, Any], ...]:
        """Return all actions except ``Done``, in the order in which to look for a legal command."""
        return self.actions[-2::-1]

    @override
    def is_open(self, state: State, frame: A, role: str) -> bool:
        """Return whether a commander has any option besides ``Done``. The check stops at the first legal command."""
        if self.is_hint_legal(state, frame, role, (Done,)):
            return True
        cached_sets = self._legal_commands.latest_result(state) or {}
        if role in cached_sets and self.is_option(state, frame, role, cached_sets[role]):
            return True
        for action in self.search_order():
            first_option = next(iter(action.options(state, frame, role)), None)
            if first_option is not None:
                self._legal_commands.store(state, {**cached_sets, role: first_option})
                return True
        return False

    @override
    def default(
        self, state: State, frame: A, role: str, options: tuple[CbpsCommand, ...]
    ) -> CbpsCommand:
        """Return ``Done``, the last option."""
        return options[-1]

    @override
    def step(self, run: Run, frame: A) -> None:
        """Close the segment, since no commander has anything to do."""
        self.close(run, frame)

    def close(self, run: Run, frame: A) -> None:
        """Carry out the end of the segment. An override must leave or replace the frame."""
        run.pop()

"""Segments in which every commander acts in his own time until he is done."""

from typing import Any, Generic, TypeVar

from msgspec.structs import replace

from engine.cbps.commands import CbpsCommand, Done
from engine.cbps.frames import Asking
from engine.cbps.run import PlainAction, Question, Run
from engine.cbps.seats import commanders
from engine.cbps.state import State
from engine.kernel import machine
from engine.kernel.memo import LatestMemo

A = TypeVar("A", bound=Asking)


class DoneAction(PlainAction[A, Done], Generic[A]):
    """End the segment for one commander."""

    def apply(self, run: Run, frame: A, role: str, command: Done) -> None:
        """Note that he is done."""
        run.replace(replace(frame, done=(*frame.done, role)))


class SegmentQuestion(Question[A], Generic[A]):
    """The question of a segment; ``Done`` must be its last action.

    Nobody is asked who can do nothing else. When nobody is asked any more the segment closes (:meth:`close`).
    """

    is_plan = True

    def asked(self, state: State, frame: A) -> tuple[str, ...]:
        """Return the commanders that are not done and have a choice."""
        return tuple(
            role
            for role in commanders(state)
            if role not in frame.done and self.is_open(state, frame, role)
        )

    def __init__(self) -> None:
        """Remember a command that was legal, by commander: most often it still is."""
        self._legal: LatestMemo[dict[str, CbpsCommand]] = LatestMemo()

    def likely(self) -> tuple[machine.Action[Any, Any, Any, Any, Any], ...]:
        """Return the actions but ``Done`` in the order in which a legal command is looked for."""
        return self.actions[-2::-1]

    def is_open(self, state: State, frame: A, role: str) -> bool:
        """Return whether a commander can do anything but end the segment; stops at the first legal command."""
        if self.comes(state, frame, role, (Done,)):
            return True
        known = self._legal.latest(state) or {}
        if role in known and self.is_option(state, frame, role, known[role]):
            return True
        for action in self.likely():
            found = next(iter(action.options(state, frame, role)), None)
            if found is not None:
                self._legal.keep(state, {**known, role: found})
                return True
        return False

    def default(
        self, state: State, frame: A, role: str, options: tuple[CbpsCommand, ...]
    ) -> CbpsCommand:
        """Return that he is done."""
        return options[-1]

    def step(self, run: Run, frame: A) -> None:
        """Close the segment, since nobody has anything to do."""
        self.close(run, frame)

    def close(self, run: Run, frame: A) -> None:
        """Do what the segment does at its end; it must leave the frame or replace it."""
        run.leave()

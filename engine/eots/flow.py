"""How a game of Empire of the Sun moves on: the kernel's machine with the names of this game (4.0, 7.2)."""

from collections.abc import Callable
from typing import Generic, TypeVar

from engine.eots.commands import EotsCommand
from engine.eots.events.base import EotsEvent
from engine.eots.events.flow import FrameEntered, FrameLeft, FrameReplaced
from engine.eots.frames import Frame, FrameBase, Phase, TurnFrame
from engine.eots.ids import Side
from engine.eots.state import State
from engine.kernel import machine
from engine.kernel.decision import Decision

F = TypeVar("F", bound=FrameBase)
K = TypeVar("K", bound=EotsCommand)
EotsDecision = Decision[EotsCommand]
Evolve = Callable[[State, EotsEvent], State]


class EotsRun(machine.Run[State, EotsEvent, Frame]):
    """One command being carried out; each change of the stack is an event of its own."""

    __slots__ = ()

    def top(self) -> Frame:
        """Return the innermost frame."""
        return self.state.frames[-1]

    def enter(self, frame: Frame) -> None:
        """Open a frame inside the present one."""
        self.add(FrameEntered(frame=frame))

    def replace(self, frame: Frame) -> None:
        """Let the innermost frame go on."""
        self.add(FrameReplaced(frame=frame))

    def leave(self) -> None:
        """Close the innermost frame."""
        self.add(FrameLeft())


class Handler(machine.Handler[State, EotsCommand, EotsRun, F, Side], Generic[F]):
    """The rules of one frame type."""


class Question(machine.Question[State, EotsCommand, EotsRun, F, Side], Handler[F], Generic[F]):
    """A handler made of actions."""


class Action(machine.Action[State, EotsRun, F, Side, K], Generic[F, K]):
    """The rule of one kind of command at one frame type."""


class PlainAction(machine.PlainAction[State, EotsRun, F, Side, K], Generic[F, K]):
    """The rule of a command without fields at one frame type."""


def top(state: State) -> Frame:
    """Return the innermost frame."""
    return state.frames[-1]


def is_in_segment(state: State, phase: Phase) -> bool:
    """Return whether a segment is under way, and not an event that does something like it (5.33)."""
    return any(isinstance(frame, TurnFrame) and frame.phase is phase for frame in state.frames)

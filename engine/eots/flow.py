"""How a game of Empire of the Sun moves on: the kernel's machine with the names of this game (4.0, 7.2)."""

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from engine.eots.commands import EotsCommand
from engine.eots.events.base import EotsEvent
from engine.eots.events.flow import FrameEntered, FrameLeft, FrameReplaced
from engine.eots.events.tracks import DieRolled
from engine.eots.frames import Frame, FrameBase, Phase, TurnFrame
from engine.eots.ids import D10, Side
from engine.eots.state import State
from engine.kernel import machine
from engine.kernel.decision import Decision
from engine.kernel.ids import Refusal, Rule

F = TypeVar("F", bound=FrameBase)
K = TypeVar("K", bound=EotsCommand)
EotsDecision = Decision[EotsCommand]
Evolve = Callable[[State, EotsEvent], State]


class EotsRun(machine.Run[State, EotsEvent, Frame]):
    """One command being carried out; each change of the stack is an event of its own."""

    __slots__ = ()

    def roll(
        self, rule: Rule, side: Side, purpose: str, *, modifier: int = 0, about: str = ""
    ) -> int:
        """Roll the die, record it with what modifies it and what it is for, and return its face (1.22)."""
        face = self.dice.roll(D10)
        self.add(
            DieRolled(
                rule=rule, side=side, face=face, modifier=modifier, purpose=purpose, about=about
            )
        )
        return face

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
    """A handler made of actions; its words may name the frame and the offensive, such as ``{frame.hex}``."""

    def prompt(self, state: State, frame: F, role: Side) -> str:
        """Return the question in words fit for the player."""
        return self.asks.format(frame=frame, offensive=state.offensive)

    def unfit(self, state: State, frame: F, role: Side, command: EotsCommand) -> Iterator[Refusal]:
        """Yield why a command of another kind does not fit here."""
        yield Refusal(self.rule_of(state, frame), self.busy.format(frame=frame))


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

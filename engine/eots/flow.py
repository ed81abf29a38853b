"""How a game moves on: each frame type has one handler; what needs no decision happens by itself (4.0, 7.2)."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import ClassVar, Generic, TypeVar

from engine.eots.commands import EotsCommand
from engine.eots.events.base import EotsEvent
from engine.eots.events.flow import FrameEntered, FrameLeft, FrameReplaced
from engine.eots.frames import Frame, FrameBase
from engine.eots.ids import Side
from engine.eots.state import State
from engine.kernel.decision import Decision
from engine.kernel.dice import Dice
from engine.kernel.ids import Refusal
from engine.kernel.ledger import Ledger

F = TypeVar("F", bound=FrameBase)
EotsLedger = Ledger[State, EotsEvent]
EotsDecision = Decision[EotsCommand]


class Handler(ABC, Generic[F]):
    """The rules of one frame type.

    The innermost frame rules the game. While its handler asks nobody, :meth:`step` runs; it must change the
    stack or the state.
    """

    frame: ClassVar[type[FrameBase]]
    """The frame type that this handler serves."""

    @abstractmethod
    def asked(self, state: State, frame: F) -> tuple[Side, ...]:
        """Return who must decide now; empty lets the game go on by itself."""

    @abstractmethod
    def decision(self, state: State, frame: F, side: Side) -> EotsDecision:
        """Return the question to an asked side, with every legal command."""

    def is_option(self, state: State, frame: F, side: Side, command: EotsCommand) -> bool:
        """Return whether a command is among the options of an asked side.

        Handlers whose lists are long answer without making them; a test holds that the answer is the same.
        """
        return command in self.decision(state, frame, side).options

    @abstractmethod
    def resolve(
        self, ledger: EotsLedger, frame: F, side: Side, command: EotsCommand, dice: Dice
    ) -> None:
        """Carry out a command that is among the options."""

    @abstractmethod
    def step(self, ledger: EotsLedger, frame: F, dice: Dice) -> None:
        """Do what happens by itself while nobody is asked."""

    def why_not(
        self, state: State, frame: F, side: Side, command: EotsCommand
    ) -> Iterator[Refusal]:
        """Yield the rules against a command; the options come from the same checks."""
        del state, frame, side, command
        yield from ()


def top(state: State) -> Frame:
    """Return the innermost frame."""
    return state.frames[-1]


def enter(ledger: EotsLedger, frame: Frame) -> None:
    """Open a frame inside the present one."""
    ledger.add(FrameEntered(frame=frame))


def replace_top(ledger: EotsLedger, frame: Frame) -> None:
    """Let the innermost frame go on."""
    ledger.add(FrameReplaced(frame=frame))


def leave(ledger: EotsLedger) -> None:
    """Close the innermost frame."""
    ledger.add(FrameLeft())

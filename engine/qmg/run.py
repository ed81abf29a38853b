"""How a game moves on: one handler per frame type, run until somebody must decide (10).

While a command is carried out the stack of frames is a plain list; when the game waits again, one event records what
changed of it. Facts go through the ledger and are folded at once.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import cache
from typing import ClassVar, Final, Generic, NamedTuple, TypeVar

from engine.kernel.decision import Decision
from engine.kernel.dice import Dice
from engine.kernel.ids import Refusal, Role, Rule
from engine.kernel.ledger import Ledger
from engine.qmg.ch10_answers import anybody_could
from engine.qmg.commands import QmgCommand
from engine.qmg.events import FramesChanged, QmgEvent
from engine.qmg.frames import Frame, FrameBase, Trigger, WindowFrame
from engine.qmg.ids import FORCE_INDEX
from engine.qmg.state import State

QmgDecision = Decision[QmgCommand]
QmgLedger = Ledger[State, QmgEvent]
F = TypeVar("F", bound=FrameBase)
LOOP_LIMIT: Final = 10_000
"""Automatic steps after one command; more are a mistake of ours."""


class Result(NamedTuple):
    """What a frame that has ended tells the one below it."""

    cancelled: bool = False
    air_defended: bool = False
    changes: tuple[tuple[str, int], ...] = ()
    cards: int = 0


NOTHING: Final = Result()


class Run:
    """One command being carried out."""

    def __init__(self, ledger: QmgLedger, dice: Dice) -> None:
        """Go on from the ledger's state."""
        self._ledger = ledger
        self.dice = dice
        self._parked = ledger.state.frames
        self.stack: list[Frame] = list(self._parked)
        self.result = NOTHING
        """What the frame that ended last has to say."""
        self.asked: QmgDecision | None = None
        """The question at which the run stopped, when it was worked out on the way."""

    @property
    def state(self) -> State:
        """Return the state after every fact so far; its frames are those of the last question."""
        return self._ledger.state

    def add(self, event: QmgEvent) -> None:
        """Record and fold a fact."""
        self._ledger.add(event)

    def push(self, frame: Frame) -> None:
        """Open a frame inside the present one."""
        self.result = NOTHING
        self.stack.append(frame)

    def swap(self, frame: Frame) -> None:
        """Let the present frame go on."""
        self.stack[-1] = frame

    def leave(self, result: Result = NOTHING) -> None:
        """End the present frame."""
        self.stack.pop()
        self.result = result

    def take(self) -> Result:
        """Return what the last ended frame said, once."""
        result, self.result = self.result, NOTHING
        return result

    def window_below(self) -> int:
        """Return the place in the stack of the window that the running effect answers."""
        for at in range(len(self.stack) - 1, -1, -1):
            if isinstance(self.stack[at], WindowFrame):
                return at
        raise AssertionError("no window is open", self.stack)

    def window(self, trigger: Trigger) -> None:
        """Open a reaction window, unless nobody could have an answer as far as the table knows (10.4)."""
        self.result = NOTHING
        if anybody_could(self.state, trigger):
            self.stack.append(WindowFrame(trigger=trigger))

    def park(self) -> None:
        """Record where the game stands now."""
        before, now = self._parked, self.stack
        keep = 0
        for old, new in zip(before, now, strict=False):
            if old is not new:
                break
            keep += 1
        if keep == len(before) == len(now):
            return
        self.add(FramesChanged(keep=keep, frames=tuple(now[keep:])))
        self._parked = self.state.frames


class Handler(ABC, Generic[F]):
    """The rules of one frame type."""

    frame: ClassVar[type[FrameBase]]

    @abstractmethod
    def go(self, run: Run, frame: F) -> bool:
        """Do what happens by itself; return False when somebody must decide first."""

    def asked(self, state: State, frame: F) -> tuple[str, ...]:
        """Return who must decide while the game waits at this frame; rests on open facts alone."""
        raise AssertionError("nobody is ever asked here", frame)

    def decision(self, state: State, stack: Sequence[Frame], frame: F, role: str) -> QmgDecision:
        """Return the question to an asked country."""
        raise AssertionError("nothing is ever asked here", frame)

    def resolve(self, run: Run, frame: F, role: str, command: QmgCommand) -> None:
        """Carry out one of the options."""
        raise AssertionError("nothing is ever answered here", frame)

    def why_not(
        self, state: State, stack: Sequence[Frame], frame: F, role: str, command: QmgCommand
    ) -> Iterator[Refusal]:
        """Yield the rules against a command."""
        del state, stack, frame, role, command
        yield from ()


def question(
    role: str,
    rule: str,
    prompt: str,
    options: Sequence[QmgCommand],
    default: QmgCommand | None = None,
    *,
    is_window: bool = False,
) -> QmgDecision:
    """Return a question; the default is the last option unless another is named."""
    return Decision(
        role=Role(role),
        rule=Rule(rule),
        prompt=prompt,
        options=tuple(options),
        default=options[-1] if default is None else default,
        is_window=is_window,
    )


@cache
def in_turn_order(countries: tuple[str, ...], active: str) -> tuple[str, ...]:
    """Return countries of a team in turn order, beginning with the active one or the next after it (10.4)."""
    if not active:
        return countries
    start = FORCE_INDEX[active]
    return tuple(
        sorted(countries, key=lambda country: (FORCE_INDEX[country] - start) % len(FORCE_INDEX))
    )

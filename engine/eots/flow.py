"""Base classes for frame handlers and their commands, specialised with Empire of the Sun's types (4.0, 7.2)."""

from collections.abc import Callable, Iterable, Iterator
from typing import Final, Generic, TypeVar

import msgspec
from typing_extensions import override

from engine.eots.commands import Done, EotsCommand, Pass
from engine.eots.events.base import EotsEvent
from engine.eots.events.flow import FrameEntered, FrameLeft, FrameReplaced
from engine.eots.events.tracks import DieRolled
from engine.eots.frames import Frame, FrameBase, Phase, TurnFrame
from engine.eots.ids import D10, Side
from engine.eots.state import Offensive, State
from engine.kernel import machine
from engine.kernel.ids import Refusal, Rule
from engine.kernel.sentences import SentenceFormatter

F = TypeVar("F", bound=FrameBase)
K = TypeVar("K", bound=EotsCommand)
N = TypeVar("N", bound=str)


class EotsRun(machine.Run[State, EotsEvent, Frame]):
    """The processing of one command. Every change to the frame stack becomes an event."""

    __slots__ = ()

    def roll(
        self,
        rule: Rule,
        side: Side,
        purpose: str,
        *,
        modifier: int = 0,
        subject: str = "",
        needed_face: int | None = None,
    ) -> int:
        """Roll the die and return its face without the modifier (1.22).

        The roll is recorded with its modifier and purpose.
        """
        face = self.dice.roll(D10)
        self.add(
            DieRolled(
                rule=rule,
                side=side,
                face=face,
                modifier=modifier,
                purpose=purpose,
                about=subject,
                needed=needed_face,
            )
        )
        return face

    @override
    def top(self) -> Frame:
        return self.state.frames[-1]

    @override
    def push(self, frame: Frame) -> None:
        self.add(FrameEntered(frame=frame))

    @override
    def replace_top(self, frame: Frame) -> None:
        self.add(FrameReplaced(frame=frame))

    @override
    def pop(self) -> None:
        self.add(FrameLeft())


class Handler(machine.Handler[State, EotsCommand, EotsRun, F, Side], Generic[F]):
    """Base class for the handler of one frame type."""


class _PromptContext(msgspec.Struct, frozen=True):
    """The objects that a prompt's text can refer to."""

    frame: FrameBase
    offensive: Offensive | None


_WORDS: Final = SentenceFormatter({})


_ENDING_COMMANDS: Final = frozenset((Done, Pass))


class DecisionHandler(
    machine.DecisionHandler[State, EotsCommand, EotsRun, F, Side], Handler[F], Generic[F]
):
    """A handler composed of actions. The prompt can refer to the frame and the offensive, as in ``{frame.hex}``."""

    @override
    def prompt(self, state: State, frame: F, role: Side) -> str:
        return _WORDS.fill(self.question, _PromptContext(frame, state.offensive))

    def has_other_command(self, state: State, frame: F, role: Side) -> bool:
        """Return whether a command other than ``pass`` or ``done`` is possible. If not, the step ends (7.2)."""
        # During replays, the next command is known as a hint. Checking it first usually gives the
        # answer.
        return self.is_hint_legal(state, frame, role, _ENDING_COMMANDS) or any(
            action.is_open(state, frame, role)
            for action in self.actions
            if action.kind not in _ENDING_COMMANDS
        )

    @override
    def wrong_kind(
        self, state: State, frame: F, role: Side, command: EotsCommand
    ) -> Iterator[Refusal]:
        yield Refusal(self.decision_rule(state, frame), self.wrong_kind_text.format(frame=frame))


class Action(machine.Action[State, EotsRun, F, Side, K], Generic[F, K]):
    """Base class for actions: how one kind of command works in one type of frame."""


class PlainAction(machine.PlainAction[State, EotsRun, F, Side, K], Generic[F, K]):
    """The action for a command without fields.

    If ``effect`` is None, the command ends the frame. If ``check`` is None, the command is always legal.
    """

    def __init__(
        self,
        kind: type[K],
        effect: Callable[[EotsRun, F, Side], None] | None = None,
        check: Callable[[State, F, Side], Iterator[Refusal]] | None = None,
    ) -> None:
        """Store the command type, the effect and the legality check."""
        super().__init__(kind)
        self.effect = effect
        self.check = check

    @override
    def refusals(self, state: State, frame: F, role: Side, command: K) -> Iterator[Refusal]:
        """Yield the reasons why the command is currently illegal."""
        return iter(()) if self.check is None else self.check(state, frame, role)

    @override
    def apply(self, run: EotsRun, frame: F, role: Side, command: K) -> None:
        """Apply the effect or, if there is none, end the frame."""
        if self.effect is None:
            run.pop()
        else:
            self.effect(run, frame, role)


class Naming(Action[F, K], Generic[F, K, N]):
    """The action for a command that names one item.

    It consists of the items to choose from, a check and an effect.
    """

    def __init__(
        self,
        kind: type[K],
        listed_items: Callable[[State, F, Side], Iterable[N]],
        check: Callable[[State, F, Side, N], Iterator[Refusal]],
        effect: Callable[[EotsRun, F, Side, N], None],
    ) -> None:
        """Store the command type and the three parts of the rule. The command's only field must be the name."""
        self.kind = kind
        self.items = listed_items
        self.check = check
        self.effect = effect
        (self.field,) = kind.__struct_fields__

    @override
    def candidates(self, state: State, frame: F, role: Side) -> Iterator[K]:
        """Yield a command for each item, in the given order."""
        for name in self.items(state, frame, role):
            yield self.kind(**{self.field: name})

    @override
    def refusals(self, state: State, frame: F, role: Side, command: K) -> Iterator[Refusal]:
        """Yield the reasons why this item cannot be chosen."""
        return self.check(state, frame, role, getattr(command, self.field))

    @override
    def apply(self, run: EotsRun, frame: F, role: Side, command: K) -> None:
        self.effect(run, frame, role, getattr(command, self.field))


class ExactNaming(Naming[F, K, N], Generic[F, K, N]):
    """The action for a command that names one item, where all items to choose from are legal and all others illegal."""

    is_exact = True


def top_frame(state: State) -> Frame:
    """Return the innermost frame."""
    return state.frames[-1]


def is_in_segment(state: State, phase: Phase) -> bool:
    """Return whether a segment of the turn is in progress. Events with similar effects do not count (5.33)."""
    return any(isinstance(frame, TurnFrame) and frame.phase is phase for frame in state.frames)

"""What every operation of a card is, and the frame that goes through a list of them (A.1)."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from msgspec.structs import replace

from engine.kernel.ids import Refusal, Rule
from engine.qmg.cards.refusals import why_not_step
from engine.qmg.commands import Done, QmgCommand
from engine.qmg.deck import CARD
from engine.qmg.deck_steps import STEP_LISTS, Build, Op, Step, Steps, inner_name
from engine.qmg.frames import Binds, StepsFrame
from engine.qmg.ids import NAVY
from engine.qmg.run import Handler, QmgDecision, Result, Run, question
from engine.qmg.state import State
from engine.qmg.terms import Context, context

O = TypeVar("O", bound=Step)  # noqa: E741 - an operation


def context_of(state: State, frame: StepsFrame) -> Context:
    """Return what the text of a frame refers to."""
    source = frame.source
    return context(state, source.owner, source.trigger, frame.binds)


def advance(run: Run, frame: StepsFrame, space: str = "") -> None:
    """Go to the next step of the list; the space used by this one is remembered (A.1.5)."""
    binds = replace(frame.binds, spaces=(*frame.binds.spaces, space))
    run.replace(replace(frame, at=frame.at + 1, binds=binds, repeats=0, stage="", rest=()))


def descend(run: Run, frame: StepsFrame, suffix: str = "", **binds: str) -> None:
    """Run a list of steps inside the present one, told by what follows the step's number in its name."""
    run.replace(replace(frame, stage="inside"))
    steps = inner_name(frame.steps, frame.at, suffix)
    if steps not in STEP_LISTS:
        return  # nothing to do
    inner = replace(
        Binds(), numbers=frame.binds.numbers, chosen=frame.binds.chosen, each=frame.binds.each
    )
    run.enter(
        StepsFrame(
            steps=steps,
            source=frame.source,
            binds=replace(inner, **binds),
            is_cost=frame.is_cost,
        )
    )


class Operation(ABC, Generic[O]):
    """One operation of the vocabulary (A.2)."""

    op: ClassVar[type[Step]]

    @abstractmethod
    def go(self, run: Run, frame: StepsFrame, op: O) -> bool:
        """Do what happens by itself; return False when somebody must decide."""

    @abstractmethod
    def is_possible(self, at: Context, op: O) -> bool:
        """Return whether the step could be done now; asked for the options of a choice (A.2)."""

    def decider(self, at: Context, op: O) -> str:
        """Return the country that decides."""
        del op
        return at.owner

    def options(self, at: Context, frame: StepsFrame, op: O) -> Sequence[QmgCommand]:
        """Return the legal choices on the live board, without the decline."""
        raise AssertionError("nothing to choose here", op)

    def prompt(self, at: Context, frame: StepsFrame, op: O) -> str:
        """Return the question, to follow the title of the card."""
        raise AssertionError("nothing to ask here", op)

    def is_binding(self, frame: StepsFrame, op: O) -> bool:
        """Return whether there is no decline."""
        del op
        return frame.is_cost

    def choose(self, run: Run, frame: StepsFrame, op: O, command: QmgCommand) -> None:
        """Carry a choice out."""
        raise AssertionError("nothing to choose here", op, command)

    def decline(self, run: Run, frame: StepsFrame, op: O) -> None:
        """Go on without it."""
        del op
        advance(run, frame)


class Automatic(Operation[O]):
    """A step without a question (A.1.3)."""

    def is_possible(self, at: Context, op: O) -> bool:
        """Return True: it always happens."""
        del at, op
        return True


class Asking(Operation[O]):
    """A step for which a country picks one legal choice, or declines (A.1.3)."""

    def is_possible(self, at: Context, op: O) -> bool:
        """Return whether there is a legal choice."""
        return bool(self.options(at, _UNPLACED, op))

    def go(self, run: Run, frame: StepsFrame, op: O) -> bool:
        """Pass over an impossible step silently; come back after what it set off."""
        if frame.stage == "inside":
            self.returned(run, frame, op)
            return True
        if self.options(context_of(run.state, frame), frame, op):
            return False
        self.decline(run, frame, op)
        return True

    def returned(self, run: Run, frame: StepsFrame, op: O) -> None:
        """Go on after the windows of the choice have ended."""
        del op
        advance(run, frame, frame.rest[0] if frame.rest else "")


_UNPLACED = StepsFrame(steps="", source=Any)  # type: ignore[arg-type]  # stands for "not begun"


class StepsHandler(Handler[StepsFrame]):
    """Goes through a list of steps, one fully finished before the next (9.6)."""

    frame = StepsFrame

    def __init__(self, operations: Sequence[Operation[Any]]) -> None:
        """Know every operation."""
        self._operations = {each.op: each for each in operations}

    def operation(self, op: Op) -> Operation[Any]:
        """Return what carries a step out."""
        return self._operations[type(op)]

    def is_possible(self, at: Context, steps: Steps) -> bool:
        """Return whether at least one step of a list could be done now."""
        return any(self.operation(op).is_possible(at, op) for op in steps)

    def _op(self, frame: StepsFrame) -> Op:
        return STEP_LISTS[frame.steps][frame.at]

    def go(self, run: Run, frame: StepsFrame) -> bool:
        """Carry out the present step, or end the list."""
        if frame.at >= len(STEP_LISTS[frame.steps]):
            run.leave(Result())
            return True
        op = self._op(frame)
        return self.operation(op).go(run, frame, op)

    def asked(self, state: State, frame: StepsFrame) -> tuple[str, ...]:
        """Return who decides on the present step."""
        op = self._op(frame)
        return (self.operation(op).decider(context_of(state, frame), op),)

    def decision(self, state: State, frame: StepsFrame, role: str) -> QmgDecision:
        """Ask for one legal choice."""
        op = self._op(frame)
        operation = self.operation(op)
        at = context_of(state, frame)
        options = list(operation.options(at, frame, op))
        if not operation.is_binding(frame, op):
            options.append(Done())
        title = CARD[frame.source.card].name
        rule = _rule(frame, op)
        default = options[0] if operation.is_binding(frame, op) else None
        return question(role, rule, f"{title}: {operation.prompt(at, frame, op)}", options, default)

    def resolve(self, run: Run, frame: StepsFrame, role: str, command: QmgCommand) -> None:
        """Carry the choice out, or go on without."""
        op = self._op(frame)
        operation = self.operation(op)
        if isinstance(command, Done):
            operation.decline(run, frame, op)
        else:
            operation.choose(run, frame, op, command)

    def why_not(
        self,
        state: State,
        frame: StepsFrame,
        role: str,
        command: QmgCommand,
    ) -> Iterator[Refusal]:
        """Say what the present step of the card allows."""
        op = self._op(frame)
        at = context_of(state, frame)
        yield from why_not_step(at, frame, op, command)
        title = CARD[frame.source.card].name
        prompt = self.operation(op).prompt(at, frame, op)
        yield Refusal(Rule(_rule(frame, op)), f"{title} asks for something else: {prompt}")


def _rule(frame: StepsFrame, op: Op) -> str:
    """Return the rule by which a step asks."""
    if frame.is_cost:
        return "9.5"
    if isinstance(op, Build) and op.piece == NAVY:
        return "7.2"
    return _RULES.get(type(op).__name__, "9.6")


_RULES = {
    "Build": "7.1",
    "Recruit": "7.3",
    "Battle": "7.4",
    "Eliminate": "7.5",
    "EliminateAir": "13.4",
    "DeployAir": "13.3",
    "MarshalAir": "13.3",
    "AirSuperiority": "13.3",
    "RebuildEach": "16.13",
    "AnyOrder": "7.8",
    "Choose": "7.8",
    "PlayCard": "9.7",
    "UnlessDiscard": "9.4",
    "PayThen": "9.5",
}

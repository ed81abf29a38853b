"""The base class of card operations, and functions that advance through a list of steps (A.1)."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import ClassVar, Final

from msgspec.structs import replace
from typing_extensions import override

from engine.kernel.ids import Refusal
from engine.qmg.commands import QmgCommand
from engine.qmg.deck_steps import STEP_LISTS, Step, Steps, inner_name
from engine.qmg.frames import Binds, StepsFrame
from engine.qmg.run import Run
from engine.qmg.state import State
from engine.qmg.terms import Context, full_context


def card_context(state: State, frame: StepsFrame) -> Context:
    """Return the context for evaluating a frame's card text."""
    source = frame.source
    return full_context(state, source.owner, source.trigger, frame.binds)


def advance(run: Run, frame: StepsFrame, space: str = "") -> None:
    """Record the space that the current step has used, and advance to the next step in the list (A.1.5)."""
    # A step that used no space is recorded too, because cards refer to steps by number.
    binds = replace(frame.binds, spaces=(*frame.binds.spaces, space))
    run.replace_top(replace(frame, at=frame.at + 1, binds=binds, repeats=0, stage="", rest=()))


def enter_steps(run: Run, frame: StepsFrame, suffix: str = "", **binds: str) -> None:
    """Run a list of steps inside the current step. ``suffix`` is the end of the list's name."""
    run.replace_top(replace(frame, stage="inside"))
    steps = inner_name(frame.steps, frame.at, suffix)
    if steps not in STEP_LISTS:
        return  # empty lists are not stored
    # Step numbers refer only to the same list, so the inner list begins without spaces (A.1.5).
    inner_frame = replace(
        Binds(), numbers=frame.binds.numbers, chosen=frame.binds.chosen, each=frame.binds.each
    )
    run.push(
        StepsFrame(
            steps=steps,
            source=frame.source,
            binds=replace(inner_frame, **binds),
            is_cost=frame.is_cost,
        )
    )


class Operation(ABC):
    """Carries out one kind of step: its options, its refusals and its effect (A.2)."""

    rule: ClassVar[str] = "9.6"
    """The rule cited when the step requires a decision. For a cost, 9.5 is cited instead."""
    asks: ClassVar[str] = ""
    """The prompt, if it is always the same; otherwise empty."""
    takes: ClassVar[tuple[type[QmgCommand], ...]] = ()
    """Command types for which the step has its own refusals."""

    def __init__(self, operation: Step) -> None:
        """Create the operation for a step of the card data."""
        self.op = operation
        self.inner = {suffix: make_operations(steps) for suffix, steps in operation.inner().items()}
        """The operations for the lists inside the step."""

    def start_or_finish(self, run: Run, frame: StepsFrame) -> bool:
        """Begin or finish the step. Return False if a country must decide."""
        if frame.stage != "inside":
            return self.start(run, frame)
        self.after_inner_steps(run, frame)
        return True

    @abstractmethod
    def start(self, run: Run, frame: StepsFrame) -> bool:
        """Begin the step. Return False if a country must decide."""

    def after_inner_steps(self, run: Run, frame: StepsFrame) -> None:
        """Continue after the end of a list or frame that this step started."""
        advance(run, frame, frame.rest[0] if frame.rest else "")

    @abstractmethod
    def is_possible(self, context: Context) -> bool:
        """Return whether the step is possible now.

        A part of a card is offered only if one of its steps is possible (A.2).
        """

    def decider(self, context: Context) -> str:
        """Return the country that makes the decision."""
        return context.owner

    def deciding_rule(self, frame: StepsFrame) -> str:
        """Return the rule cited when the step requires a decision."""
        return "9.5" if frame.is_cost else self.rule

    def options(self, context: Context, frame: StepsFrame | None) -> Sequence[QmgCommand]:
        """Return the legal choices on the current board, except for declining.

        The frame is None before the step begins.
        """
        raise AssertionError("nothing to choose here", self.op)

    def refusals(
        self, context: Context, frame: StepsFrame, command: QmgCommand
    ) -> Iterator[Refusal]:
        """Yield the reasons why a command of a type in :attr:`takes` is refused."""
        del context, frame, command
        yield from ()

    def prompt(self, context: Context, frame: StepsFrame) -> str:
        """Return the prompt, which is shown after the card's title."""
        assert self.asks, ("a step without a fixed prompt must override this", self.op)
        return self.asks

    def is_mandatory(self, frame: StepsFrame) -> bool:
        """Return True if the country cannot decline."""
        return frame.is_cost

    def apply(self, run: Run, frame: StepsFrame, command: QmgCommand) -> None:
        """Carry out a choice."""
        raise AssertionError("nothing to choose here", self.op, command)

    def decline(self, run: Run, frame: StepsFrame) -> None:
        """Continue without a choice. Later steps can still be carried out, even those after "then" (7.8, 16.6)."""
        advance(run, frame)


class ChoiceOperation(Operation):
    """Base class of steps that let a country make a legal choice or decline (A.1.3)."""

    @override
    def is_possible(self, context: Context) -> bool:
        return bool(self.options(context, None))

    @override
    def start(self, run: Run, frame: StepsFrame) -> bool:
        if self.options(card_context(run.state, frame), frame):
            return False
        self.decline(run, frame)
        return True


OPERATIONS: Final[dict[type[Step], type[Operation]]] = {}
"""The operation class for each step type. The interpreter fills this table."""


def make_operations(steps: Steps) -> tuple[Operation, ...]:
    """Create the operations for a list of steps."""
    return tuple(OPERATIONS[type(step)](step) for step in steps)


@cache
def operations_for(name: str) -> tuple[Operation, ...]:
    """Return the operations for a named list."""
    return make_operations(STEP_LISTS[name])


def is_any_possible(context: Context, steps: Iterable[Operation]) -> bool:
    """Return whether at least one step of a list is possible now."""
    return any(step.is_possible(context) for step in steps)

"""Interprets card texts: runs a list of steps, each with its own operation (9.6, A)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from typing_extensions import override

from engine.kernel.decision import Decision
from engine.kernel.ids import Refusal, Role, Rule
from engine.qmg.atlas import SPACE
from engine.qmg.board_analysis import board_analysis
from engine.qmg.cards import air, base, choices, effects, pieces, zones
from engine.qmg.cards.base import Operation, card_context, operations_for
from engine.qmg.cards.pieces import POOL_IS_EMPTY, is_pool_empty
from engine.qmg.commands import (
    Battle,
    Build,
    Deploy,
    Designate,
    DiscardTop,
    Done,
    Drop,
    Eliminate,
    LosePoint,
    Marshal,
    Play,
    QmgCommand,
    Recruit,
    SpaceCommand,
    Superiority,
)
from engine.qmg.deck import CARD
from engine.qmg.deck_steps import Repeated
from engine.qmg.frames import StepsFrame, UseFrame
from engine.qmg.ids import NAVY
from engine.qmg.run import Handler, QmgDecision, Result, Run
from engine.qmg.state import State

OPERATIONS: Final = base.OPERATIONS
"""The operation class for each step type."""
for _module in (air, choices, effects, pieces, zones):
    OPERATIONS.update(_module.OPERATIONS)


def current_operation(frame: StepsFrame) -> Operation:
    """Return the operation for the current step of a list."""
    return operations_for(frame.steps)[frame.at]


_TIMING: Final[Mapping[type[QmgCommand], Refusal]] = {
    Build: Refusal(Rule("7.1"), "a piece can be built only when a card says so"),
    Designate: Refusal(Rule("7.6"), "a piece can be named as just built only with a Build card"),
    Recruit: Refusal(Rule("7.3"), "a piece can be recruited only when a card says so"),
    Battle: Refusal(Rule("7.4"), "a space can be battled only when a card says so"),
    Eliminate: Refusal(Rule("7.5"), "a piece can be eliminated only when a card says so"),
}
"""The refusals for actions that are possible only when a card allows them."""
_TURN_STEP_COMMANDS: Final = Play | Drop | DiscardTop | LosePoint | Deploy | Marshal | Superiority
"""Actions that belong to a step of the turn. A card can also allow them at other times."""


class StepsHandler(Handler[StepsFrame]):
    """Runs a list of steps. Each step is completed before the next step begins (9.6)."""

    frame = StepsFrame

    @override
    def try_step(self, run: Run, frame: StepsFrame) -> bool:
        """Carry out the current step. If no step is left, end the list."""
        steps = operations_for(frame.steps)
        if frame.at < len(steps):
            return steps[frame.at].start_or_finish(run, frame)
        run.pop(Result())
        return True

    @override
    def active_roles(self, state: State, frame: StepsFrame) -> tuple[str, ...]:
        """Return the country that makes the current step's decision."""
        return (current_operation(frame).decider(card_context(state, frame)),)

    @override
    def decision(self, state: State, frame: StepsFrame, role: str) -> QmgDecision:
        operation = current_operation(frame)
        context = card_context(state, frame)
        options = list(operation.options(context, frame))
        default = options[0] if operation.is_mandatory(frame) else Done()
        if isinstance(default, Done):
            options.append(default)
        prompt = f"{CARD[frame.source.card].name}: {operation.prompt(context, frame)}"
        return Decision(
            role=Role(role),
            rule=Rule(operation.deciding_rule(frame)),
            prompt=prompt,
            options=tuple(options),
            default=default,
            automatic_answer=_automatic_choice(state, frame, options),
        )

    @override
    def resolve(self, run: Run, frame: StepsFrame, role: str, command: QmgCommand) -> None:
        """Carry out the choice. If the country declines, continue without it."""
        operation = current_operation(frame)
        if isinstance(command, Done):
            operation.decline(run, frame)
        else:
            operation.apply(run, frame, command)

    @override
    def why_not(
        self, state: State, frame: StepsFrame, role: str, command: QmgCommand
    ) -> Iterator[Refusal]:
        """Yield refusals that state what the card's current step asks for."""
        operation = current_operation(frame)
        context = card_context(state, frame)
        if isinstance(command, SpaceCommand) and command.space not in SPACE:
            yield Refusal(Rule("5"), f"there is no space {command.space}")
        elif isinstance(command, operation.takes):
            yield from operation.refusals(context, frame, command)
        title, prompt = CARD[frame.source.card].name, operation.prompt(context, frame)
        rule = Rule(operation.deciding_rule(frame))
        yield Refusal(rule, f"{title} asks for something else: {prompt}")

    @override
    def accepts_kind(self, frame: StepsFrame, command: QmgCommand) -> bool:
        return isinstance(command, (*current_operation(frame).takes, _TURN_STEP_COMMANDS))

    @override
    def timing_refusals(self, state: State, role: str, command: QmgCommand) -> Iterator[Refusal]:
        """Yield refusals stating that the pool is empty, or that only a card allows the action (7.1 - 7.6, 4.3)."""
        if isinstance(command, Build | Recruit) and is_pool_empty(board_analysis(state), command):
            yield POOL_IS_EMPTY
        check = _TIMING.get(type(command))
        if check is not None:
            is_navy = isinstance(command, Build) and command.piece == NAVY
            yield Refusal(Rule("7.2"), check.text) if is_navy else check


def _automatic_choice(
    state: State, frame: StepsFrame, options: Sequence[QmgCommand]
) -> QmgCommand | None:
    """Return the only choice of a card that was just used and has a single step; otherwise None (10.4)."""
    # The country decided to use the card. If there is only one target, nothing more needs to be
    # decided.
    is_use = len(state.frames) > 1 and isinstance(state.frames[-2], UseFrame)
    operation = current_operation(frame).op
    is_single = len(operations_for(frame.steps)) == 1 and not (
        isinstance(operation, Repeated) and operation.count.most > 1
    )
    one_choice = (
        isinstance(options[0], SpaceCommand) and len(options) - (options[-1] == Done()) == 1
    )
    return options[0] if is_use and is_single and not frame.is_cost and one_choice else None


INTERPRETER: Final = StepsHandler()
"""The handler for lists of steps."""

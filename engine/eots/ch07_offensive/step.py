"""One step of an offensive as the handler sees it (7.2)."""

from abc import ABC, abstractmethod
from collections.abc import Iterator

from engine.eots.commands import (
    EotsCommand,
)
from engine.eots.flow import EotsRun
from engine.eots.frames import (
    OffensiveFrame,
)
from engine.eots.ids import Side
from engine.eots.state import State
from engine.kernel.ids import Refusal, Rule


class Step(ABC):
    """One step of 7.2: who is asked, and what happens by itself."""

    rule: Rule

    def asked(self, state: State, frame: OffensiveFrame) -> tuple[Side, ...]:
        """Return who must decide; most steps ask nobody."""
        del state, frame
        return ()

    def rule_now(self, state: State, frame: OffensiveFrame) -> Rule:
        """Return the rule that asks; a step with several windows has several."""
        del state, frame
        return self.rule

    def default(self, options: tuple[EotsCommand, ...]) -> EotsCommand:
        """Return the answer when the time runs out: the last option, which declines or finishes."""
        return options[-1]

    def is_window(self, state: State, frame: OffensiveFrame) -> bool:
        """Return whether a side is asked only because it could hold a card, as far as everybody knows."""
        del state, frame
        return False

    def prompt(self, state: State) -> str:
        """Return the question in words."""
        del state
        return ""

    def options(self, state: State, frame: OffensiveFrame) -> tuple[EotsCommand, ...]:
        """Return the legal commands in a fixed order."""
        del state, frame
        return ()

    def is_option(self, state: State, frame: OffensiveFrame, command: EotsCommand) -> bool:
        """Return whether a command is among the options."""
        return command in self.options(state, frame)

    def resolve(self, run: EotsRun, frame: OffensiveFrame, command: EotsCommand) -> None:
        """Carry a command out; a step that asks nobody is never given one."""
        raise AssertionError(frame, command, self.rule, run.state.turn)

    @abstractmethod
    def run(self, run: EotsRun, frame: OffensiveFrame) -> None:
        """Do what happens by itself."""

    def why_not(self, state: State, command: EotsCommand) -> Iterator[Refusal]:
        """Yield the rules against a command."""
        del state, command
        yield from ()


def go_to(run: EotsRun, step: int, stage: int = 0) -> None:
    """Let the offensive stand at a step."""
    run.replace(OffensiveFrame(step=step, stage=stage))


def next_stage(run: EotsRun, frame: OffensiveFrame) -> None:
    """Mark a part of the step as finished."""
    go_to(run, frame.step, frame.stage + 1)

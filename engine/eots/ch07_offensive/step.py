"""Moves an offensive from step to step, and from stage to stage within a step (7.2)."""

from collections.abc import Callable

from typing_extensions import override

from engine.eots.flow import EotsRun, Handler
from engine.eots.frames import OffensiveFrame
from engine.eots.ids import Side


def enter_step(run: EotsRun, step: int, stage: int = 0) -> None:
    """Move the offensive to the given step of 7.2."""
    run.replace_top(OffensiveFrame(step=step, stage=stage))


def next_stage(run: EotsRun, frame: OffensiveFrame) -> None:
    """Move on to the next stage of the current step."""
    enter_step(run, frame.step, frame.stage + 1)


def end_stage(run: EotsRun, frame: OffensiveFrame, _role: Side) -> None:
    """End the current stage because the side has passed or is done. The step's next stage follows."""
    next_stage(run, frame)


class StepParts(Handler[OffensiveFrame]):
    """A step without decisions. Its parts run in order, each in its own stage, and then the next step begins."""

    def __init__(self, *parts: Callable[[EotsRun, OffensiveFrame], None], next_step: int) -> None:
        """Create the step from its parts and the number of the next step. Each part must end its own stage."""
        self.parts = parts
        self.next_step = next_step

    @override
    def step(self, run: EotsRun, frame: OffensiveFrame) -> None:
        """Run the next part of the step. If none is left, move to the next step."""
        if frame.stage < len(self.parts):
            self.parts[frame.stage](run, frame)
        else:
            enter_step(run, self.next_step)

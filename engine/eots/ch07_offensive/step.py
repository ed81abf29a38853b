"""How an offensive goes from step to step (7.2)."""

from collections.abc import Callable

from engine.eots.flow import EotsRun, Handler
from engine.eots.frames import OffensiveFrame
from engine.eots.ids import Side


def go_to(run: EotsRun, step: int, stage: int = 0) -> None:
    """Let the offensive stand at a step."""
    run.replace(OffensiveFrame(step=step, stage=stage))


def next_stage(run: EotsRun, frame: OffensiveFrame) -> None:
    """Mark a part of the step as finished."""
    go_to(run, frame.step, frame.stage + 1)


def end_stage(run: EotsRun, frame: OffensiveFrame, _role: Side) -> None:
    """End a part of the step: somebody passes or is done."""
    next_stage(run, frame)


class Parts(Handler[OffensiveFrame]):
    """A step in which nobody is asked: its parts come one after the other, each at a stage of its own, then a step."""

    def __init__(self, *parts: Callable[[EotsRun, OffensiveFrame], None], then: int) -> None:
        """Take the parts, each of which marks itself as finished, and the step that follows."""
        self.parts = parts
        self.then = then

    def step(self, run: EotsRun, frame: OffensiveFrame) -> None:
        """Do the next part, or go on."""
        if frame.stage < len(self.parts):
            self.parts[frame.stage](run, frame)
        else:
            go_to(run, self.then)

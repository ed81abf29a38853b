"""How an offensive goes from step to step (7.2)."""

from typing import TypeVar

from engine.eots.commands import EotsCommand
from engine.eots.flow import EotsRun, PlainAction
from engine.eots.frames import OffensiveFrame
from engine.eots.ids import Side

K = TypeVar("K", bound=EotsCommand)


def go_to(run: EotsRun, step: int, stage: int = 0) -> None:
    """Let the offensive stand at a step."""
    run.replace(OffensiveFrame(step=step, stage=stage))


def next_stage(run: EotsRun, frame: OffensiveFrame) -> None:
    """Mark a part of the step as finished."""
    go_to(run, frame.step, frame.stage + 1)


class EndingStage(PlainAction[OffensiveFrame, K]):
    """To pass or to be done ends a part of the step."""

    def apply(self, run: EotsRun, frame: OffensiveFrame, role: Side, command: K) -> None:
        """Go on to the next part."""
        next_stage(run, frame)

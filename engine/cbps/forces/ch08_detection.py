"""Detection by searches, strikes and surface combat. L and S have the same effect (8.1, 8.111, 8.12)."""

from typing import Final

from engine.cbps.events.japan import Detected
from engine.cbps.ids import Detection
from engine.cbps.rulings import LATEST_DETECTION
from engine.cbps.run import Run

DETECTION_RANKS: Final[tuple[Detection, ...]] = ("", "?", "L", "S")
"""Detection markers from undetected to spotted (8.11)."""


def set_detection(run: Run, force: str, detection: Detection, cause: str) -> None:
    """Give a force a detection marker (8.13).

    By default, a lower result does not replace a higher marker (OP-29).
    """
    old_detection = run.state.forces[force].detection
    is_better = DETECTION_RANKS.index(detection) > DETECTION_RANKS.index(old_detection)
    if not is_better and LATEST_DETECTION.uses_alternative(run.state.options):
        is_better = detection not in {old_detection, "?"}
    if is_better:
        run.add(Detected(force=force, detection=detection, why=cause))


def reduce_detection(run: Run, force: str) -> None:
    """Lower the detection marker of an activated force by one step (8.14)."""
    rank = DETECTION_RANKS.index(run.state.forces[force].detection)
    if rank:
        run.add(Detected(force=force, detection=DETECTION_RANKS[rank - 1], why="activation"))

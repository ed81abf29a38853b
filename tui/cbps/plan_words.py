"""Words of the planner panel: phases, forces, ranges of numbers."""

from fractions import Fraction
from typing import Final, TypeAlias

from engine.cbps.planner.moments import Moment
from engine.cbps.prose.names import name
from engine.cbps.view import CbpsView
from engine.kernel.chances import Chances, mean, tenths

Lines: TypeAlias = tuple[str, ...]
LIGHTS: Final = {"day": "by day", "dusk": "at dusk", "night": "by night"}
DETECTIONS: Final = {"": "undetected", "?": "approximate", "L": "Located", "S": "Spotted"}
"""Detection in words (8.11)."""


def moment_words(moment: Moment | None) -> str:
    """Return a phase in words: ``0810 phase 3, by day``."""
    if moment is None:
        return "after the end of the scenario"
    return f"{moment.time} phase {moment.phase}, {LIGHTS[moment.light]}"


def force_words(view: CbpsView, target: str) -> str:
    """Return a target with what is known of it: ``Force C (Large, Located)``."""
    force = view.forces.get(target)
    if force is None:
        return name(target)
    known = [force.chit] if force.chit else []
    if force.level:
        known.append(f"level {force.level}")
    known.append(DETECTIONS[force.detection])
    return f"{name(target)} ({', '.join(known)})"


def span(least: int, expected: Fraction, most: int) -> str:
    """Return what something costs: ``12-16 (14 expected)``, one number where that is sure."""
    if least == most:
        return str(least)
    return f"{least}-{most} ({tenths(expected)} expected)"


def spread(chances: Chances[int]) -> str:
    """Return what chance decides: ``1.3 (0-4)``, one number where that is sure."""
    sure = [number for number, chance in chances.items() if chance]
    low, high = min(sure), max(sure)
    if low == high:
        return str(low)
    return f"{tenths(mean(chances))} ({low}-{high})"

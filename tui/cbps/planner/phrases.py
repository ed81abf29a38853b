"""Formats values for the planner panel: phases, forces and ranges of numbers."""

from fractions import Fraction
from typing import Final, TypeAlias

from engine.cbps.planner.moments import Moment
from engine.cbps.prose.names import display_name
from engine.cbps.view import CbpsView
from engine.kernel.chances import Chances, format_tenths, mean

Lines: TypeAlias = tuple[str, ...]
LIGHT_PHRASES: Final = {"day": "by day", "dusk": "at dusk", "night": "by night"}
DETECTION_NAMES: Final = {"": "undetected", "?": "approximate", "L": "Located", "S": "Spotted"}
"""Detection states in words (8.11)."""


def moment_text(moment: Moment | None) -> str:
    """Return a phase in words, such as ``0810 phase 3, by day``."""
    if moment is None:
        return "after the end of the scenario"
    return f"{moment.time} phase {moment.phase}, {LIGHT_PHRASES[moment.light]}"


def force_text(view: CbpsView, target: str) -> str:
    """Describe a target and its known size and detection state, such as ``Force C (Large, Located)``."""
    force = view.forces.get(target)
    if force is None:
        return display_name(target)
    facts = [force.chit] if force.chit else []
    if force.level:
        facts.append(f"level {force.level}")
    facts.append(DETECTION_NAMES[force.detection])
    return f"{display_name(target)} ({', '.join(facts)})"


def number_range(least: int, expected_value: Fraction, max_number: int) -> str:
    """Return a range of costs, such as ``12-16 (14 expected)``, or a single number if the cost is certain."""
    if least == max_number:
        return str(least)
    return f"{least}-{max_number} ({format_tenths(expected_value)} expected)"


def average_and_range(chances: Chances[int]) -> str:
    """Return the average and range of a distribution, such as ``1.3 (0-4)``, or just a certain value."""
    possible_values = [number for number, chance in chances.items() if chance]
    low_value, high_value = min(possible_values), max(possible_values)
    if low_value == high_value:
        return str(low_value)
    return f"{format_tenths(mean(chances))} ({low_value}-{high_value})"

"""Victory values that differ between editions. A ruling selects the edition (DS-8, DS-9, DS-16, DS-17, DS-21)."""

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from engine.eots.victory_terms import AreaCount, EndCondition, VpCondition

OLDER_VALUES: Final[Mapping[tuple[str, str], Mapping[str, int]]] = {
    ("17.27", "A"): {"vp_per_box": 0},
    ("17.38", "N"): {"vp": -3},
    ("17.38", "Q"): {"vp": -1},
    ("17.48", "G"): {"vp": 1},
}
"""Values in version 3.0, by rule and condition letter (DS-9, DS-16, DS-17, DS-21)."""
OLDER_RESOURCES: Final = 10
"""Highest number of Japanese resource hexes with which the Allies win under 17.27 in version 3.0 (DS-8)."""


def older_term(rule: str, term: VpCondition) -> VpCondition:
    """Return a victory condition with its version 3.0 points."""
    changes = OLDER_VALUES.get((rule, term.id))
    return term if changes is None else replace(term, **changes)


def older_end(rule: str, condition: EndCondition) -> EndCondition:
    """Return a game-ending condition as printed in version 3.0."""
    if rule == "17.27" and isinstance(condition, AreaCount):
        return replace(condition, maximum=OLDER_RESOURCES)
    return condition

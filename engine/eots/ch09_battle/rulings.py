"""The switchable rulings of battle and what each game has chosen (9.2, 9.4, CP-05)."""

from typing import Final

from engine.eots.state import State

ER_HALVING: Final = "er-halving"
CRITICAL_SCOPE: Final = "critical-scope"
INTRINSIC_PLUS_THREE: Final = "intrinsic-plus-three"
STEPS_COMPARED: Final = "steps-compared"
A5_BONUS: Final = "a5-bonus"

DEFAULTS: Final = {
    ER_HALVING: "per-unit",
    CRITICAL_SCOPE: "lifts-f2",
    INTRINSIC_PLUS_THREE: "counts",
    STEPS_COMPARED: "ground-combat",
    A5_BONUS: "defence",
}
"""OPB-2, OPB-4, OPB-7, OPB-8 and CP-05 as this edition rules them."""
OTHERS: Final = {
    ER_HALVING: "on-the-sum",
    CRITICAL_SCOPE: "lifts-f2-and-f4",
    INTRINSIC_PLUS_THREE: "does-not",
    STEPS_COMPARED: "whole-battle",
    A5_BONUS: "defence-and-attack",
}
"""The other reading of each ruling."""


def plays_other(state: State, option: str) -> bool:
    """Return whether a game plays the other reading of a ruling."""
    return state.options.get(option) == OTHERS[option]

"""The switchable rulings of movement and what each game has chosen (8; OP-10, OP-13 to OP-15, OP-21)."""

from typing import Final

from engine.eots.state import State

NAVAL_STACKING: Final = "naval-stacking"
EXCESS_AIR: Final = "excess-air"
DISENGAGE_LANDING: Final = "disengage-landing"
STRATEGIC_ZOI: Final = "strategic-zoi"
BARGE_SIDE: Final = "barge-side"

DEFAULTS: Final = {
    NAVAL_STACKING: "six-in-all",
    EXCESS_AIR: "two-turns",
    DISENGAGE_LANDING: "yes",
    STRATEGIC_ZOI: "no-leaving-no-entering",
    BARGE_SIDE: "all-water",
}
OTHERS: Final = {
    NAVAL_STACKING: "six-of-a-type",
    EXCESS_AIR: "next-turn",
    DISENGAGE_LANDING: "ground-movement-only",
    STRATEGIC_ZOI: "no-entering",
    BARGE_SIDE: "any-sea",
}
"""The other reading of each ruling."""


def plays_other(state: State, option: str) -> bool:
    """Return whether a game plays the other reading of a ruling."""
    return state.options.get(option) == OTHERS[option]

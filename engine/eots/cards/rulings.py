"""The switchable rulings of cards and their windows, and what each game has chosen (5.37, 7.27, 7.29; CP-n)."""

from typing import Final

from engine.eots.state import State

SR_SWITCH: Final = "sr-switch"
SR_HQ: Final = "sr-hq"
FO_LAST_CARD: Final = "fo-last-card"
TOJO_DISCARD: Final = "tojo-discard"
FALSE_CONDITION: Final = "false-condition"
OBOE_COMMAND: Final = "oboe-command"
TEMPORARY_ASP: Final = "temporary-asp"
J9_STRATEGIC: Final = "j9-strategic"
MIDWAY_SCREEN: Final = "midway-screen"

DEFAULTS: Final = {
    SR_SWITCH: "in-the-hex",
    SR_HQ: "any-hq-in-range",
    FO_LAST_CARD: "card-in-hand",
    TOJO_DISCARD: "before-1944",
    FALSE_CONDITION: "without-effect",
    OBOE_COMMAND: "overrides",
    TEMPORARY_ASP: "after-halving",
    J9_STRATEGIC: "42",
    MIDWAY_SCREEN: "neither-screen",
}
"""OP-8, OP-22, OP-12, CP-36, CP-02, CP-10, CP-21, CP-24 and CP-25 as this edition rules them."""
OTHERS: Final = {
    SR_SWITCH: "in-range",
    SR_HQ: "the-reaction-hq",
    FO_LAST_CARD: "very-last-play",
    TOJO_DISCARD: "never",
    FALSE_CONDITION: "not-playable",
    OBOE_COMMAND: "does-not",
    TEMPORARY_ASP: "before-halving",
    J9_STRATEGIC: "30",
    MIDWAY_SCREEN: "one-lacks",
}
"""The other reading of each ruling."""


def plays_other(state: State, option: str) -> bool:
    """Return whether a game plays the other reading of a ruling."""
    return state.options.get(option) == OTHERS[option]

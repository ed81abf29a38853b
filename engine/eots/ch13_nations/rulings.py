"""The switchable rulings of national status, Political Will and victory, and what each game has chosen (13, 16, 17)."""

from typing import Final

from engine.eots.board import board
from engine.eots.geography import Area
from engine.eots.ids import AreaId, RulingId
from engine.eots.state import State

PALAWAN: Final = "palawan"
BURMA_2108: Final = "burma-2108"
MANDATE_HEXES: Final = "mandate-hexes"
BIAK: Final = "biak"
PONAPE: Final = "ponape"
AUSTRALIA_MANDATES: Final = "australia-mandates"
PW_RECOVERY: Final = "pw-recovery"
OCCUPATION_HEX: Final = "occupation-hex"
SHORT_GAME_RULES: Final = "short-game-rules"
TOURNAMENT_NOTE: Final = "tournament-note"
REAL_UNIT: Final = "real-unit"
"""Third value of the tournament note: a unit must stand in the hex (DS-11)."""
PHILIPPINE_PORTS: Final = "philippine-ports"
VICTORY_VALUES: Final = "victory-values"

DEFAULTS: Final = {
    PALAWAN: "philippine",
    BURMA_2108: "burma",
    MANDATE_HEXES: "all-17",
    BIAK: "new-guinea",
    PONAPE: "marshall",
    AUSTRALIA_MANDATES: "bases-fall",
    PW_RECOVERY: "edition-2021",
    OCCUPATION_HEX: "same-hex",
    SHORT_GAME_RULES: "one-year-scenarios",
    TOURNAMENT_NOTE: "hypothetical-unit",
    PHILIPPINE_PORTS: "one-scale",
    VICTORY_VALUES: "edition-2021",
}
"""OPB-40, OPB-17, OPB-20, OPB-21, OPB-23, OPB-38, OPB-26, OPB-27, OPS-4, OPS-6 and OPS-7 as this edition rules them.

The victory values are DS-8, DS-9, DS-16, DS-17 and DS-21.
"""
OTHERS: Final = {
    PALAWAN: "not-philippine",
    BURMA_2108: "not-burma",
    MANDATE_HEXES: "named-locations",
    BIAK: "not-new-guinea",
    PONAPE: "not-marshall",
    AUSTRALIA_MANDATES: "bases-stay",
    PW_RECOVERY: "edition-3-0",
    OCCUPATION_HEX: "any-hex-of-the-group",
    SHORT_GAME_RULES: "also-longer-scenarios",
    TOURNAMENT_NOTE: "off",
    PHILIPPINE_PORTS: "literal",
    VICTORY_VALUES: "edition-3-0",
}
"""The other reading of each ruling."""

_BY_RULING: Final = {
    PALAWAN: RulingId("OPB-40"),
    BURMA_2108: RulingId("OPB-17"),
    BIAK: RulingId("OPB-21"),
    PONAPE: RulingId("OPB-23"),
}


def plays_other(state: State, option: str) -> bool:
    """Return whether a game plays the other reading of a ruling."""
    return state.options.get(option) == OTHERS[option]


def area_rulings(state: State) -> tuple[RulingId, ...]:
    """Return the rulings whose other reading changes a list of the map."""
    return tuple(ruling for option, ruling in _BY_RULING.items() if plays_other(state, option))


def area(state: State, name: AreaId) -> Area:
    """Return a rule area under the rulings of the game."""
    return board().area(name, area_rulings(state))

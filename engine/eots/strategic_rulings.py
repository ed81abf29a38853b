"""The switchable rulings of the strategic phase and what each game has chosen (10-12, 13.71, 17.10)."""

from typing import Final

from engine.eots.ids import RulingId
from engine.eots.state import State

B29_LOSS: Final = "b29-loss"
OAHU_POINTS: Final = "oahu-points"
OAHU_EVEN_TURNS: Final = "oahu-even-turns"
BOXED_BY_EVENT: Final = "boxed-by-event"
EMPTY_DECK: Final = "empty-deck"
HAINAN: Final = "hainan"
SP_PASSES: Final = "sp-passes"
HISTORICAL_HAND: Final = "historical-japanese-hand"

DEFAULTS: Final = {
    B29_LOSS: "modified-9",
    OAHU_POINTS: "us-units",
    OAHU_EVEN_TURNS: "chart-point-stays",
    BOXED_BY_EVENT: "europe-roll",
    EMPTY_DECK: "reshuffle-discards",
    HAINAN: "not-china",
    SP_PASSES: "none",
    HISTORICAL_HAND: "off",
}
OTHERS: Final = {
    B29_LOSS: "natural-9",
    OAHU_POINTS: "any-allied-naval-unit",
    OAHU_EVEN_TURNS: "all-need-oahu",
    BOXED_BY_EVENT: "none",
    EMPTY_DECK: "no-draw",
    HAINAN: "china",
    SP_PASSES: "by-hand-size",
    HISTORICAL_HAND: "on",
}
"""The other reading of each ruling, or the optional rule in force (17.25F)."""

_BY_RULING: Final = {HAINAN: RulingId("OPB-19")}


def plays_other(state: State, option: str) -> bool:
    """Return whether a game plays the other reading of a ruling."""
    return state.options.get(option) == OTHERS[option]


def area_rulings(state: State) -> tuple[RulingId, ...]:
    """Return the rulings whose other reading changes a list of the map."""
    return tuple(ruling for option, ruling in _BY_RULING.items() if plays_other(state, option))

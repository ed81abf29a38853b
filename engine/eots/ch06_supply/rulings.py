"""The switchable rulings of supply and what each game has chosen (0.3, 6, 13.79)."""

from typing import Final

from engine.eots.ids import RulingId
from engine.eots.state import State

MIXED_HEXSIDES: Final = "mixed-hexsides"
SUPPLY_ELIGIBLE_PORT: Final = "supply-eligible-port"
JAPAN_SUPPLY_CITIES: Final = "japan-supply-cities"
MAP_CORNERS: Final = "map-corners"
KWAI_PATH: Final = "kwai-path"
KWAI_PLUS_ONE: Final = "kwai-plus-one"
HUMP_AIRFIELDS: Final = "hump-airfields"
HQ_ARRIVAL_PORT: Final = "hq-arrival-port"
BLOCKADE_HEX: Final = "blockade-hex"

DEFAULTS: Final = {
    MIXED_HEXSIDES: "choose",
    SUPPLY_ELIGIBLE_PORT: "land-or-sea",
    JAPAN_SUPPLY_CITIES: "home-islands",
    MAP_CORNERS: "stepped",
    KWAI_PATH: "via-2010",
    KWAI_PLUS_ONE: "route-and-unit",
    HUMP_AIRFIELDS: "dacca-and-jarhat",
    HQ_ARRIVAL_PORT: "eligible-or-supplied",
    BLOCKADE_HEX: "japanese",
}
OTHERS: Final = {
    MIXED_HEXSIDES: "land-only",
    SUPPLY_ELIGIBLE_PORT: "sea-only",
    JAPAN_SUPPLY_CITIES: "honshu",
    MAP_CORNERS: "straight",
    KWAI_PATH: "direct",
    KWAI_PLUS_ONE: "unit-only",
    HUMP_AIRFIELDS: "northern-india",
    HQ_ARRIVAL_PORT: "eligible",
    BLOCKADE_HEX: "any",
}
"""The other reading of each ruling."""

_BY_RULING: Final = {
    JAPAN_SUPPLY_CITIES: RulingId("OP-31"),
    HUMP_AIRFIELDS: RulingId("OPB-16"),
    KWAI_PATH: RulingId("OP-18"),
}


def plays_other(state: State, option: str) -> bool:
    """Return whether a game plays the other reading of a ruling."""
    return state.options.get(option) == OTHERS[option]


def area_rulings(state: State) -> tuple[RulingId, ...]:
    """Return the rulings whose other reading changes a list of the map."""
    return tuple(ruling for option, ruling in _BY_RULING.items() if plays_other(state, option))

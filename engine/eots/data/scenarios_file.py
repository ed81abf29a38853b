"""Schema of `scenarios.json`. README.md in the same directory explains the keys."""

from typing import Literal

import msgspec

from engine.eots.ids import AreaId, CardId, Face, HexId, Location, ScenarioId, Side, UnitId
from engine.eots.victory_terms import ChinaBox, IndiaBox, Victory

FILE = "scenarios.json"


class Strict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base class for rows that reject unknown keys."""


class Placement(Strict, frozen=True, kw_only=True):
    """A unit that starts on the map or in the China box."""

    unit: UnitId
    at: Location
    face: Face


class FixedUnit(Strict, frozen=True, kw_only=True):
    """A unit in the South Pacific that never moves (17.10)."""

    unit: UnitId
    at: Location
    text: str


class Entering(Strict, frozen=True, kw_only=True):
    """A unit that enters play with the given face up."""

    unit: UnitId
    face: Face


class TurnEntries(Strict, frozen=True, kw_only=True):
    """The reinforcements due in a turn."""

    turn: int
    units: tuple[Entering, ...]


class CardName(Strict, frozen=True, kw_only=True):
    """A reference to a strategy card."""

    id: CardId
    side: Side
    number: int
    name: str = ""


class EventUnit(Strict, frozen=True, kw_only=True):
    """A unit that enters play only when its card is played."""

    unit: UnitId
    card: CardName


ControlScope = Literal[
    "all-hexes",
    "regions",
    "hexes",
    "hexes-with-ground-units",
    "hexes-with-units",
    "all-ports-airfields-resources-on-map",
    "australia-ports-and-airfields",
]


class ControlRule(Strict, frozen=True, kw_only=True):
    """A rule that sets control at the start of the game. Later rules override earlier ones."""

    order: int
    side: Side
    scope: ControlScope
    of: Side | None = None
    """Owner of the units if the scope refers to units, otherwise None."""
    regions: tuple[AreaId, ...] = ()
    hexes: tuple[HexId, ...] = ()


class ControlMarker(Strict, frozen=True, kw_only=True):
    """A control marker listed in the rulebook."""

    hex: HexId
    side: Side


class ControlRules(Strict, frozen=True, kw_only=True):
    """Control at the start of the game."""

    rules: tuple[ControlRule, ...]
    markers: tuple[ControlMarker, ...]


class WillFlags(Strict, frozen=True, kw_only=True):
    """Facts about Political Will that are already recorded at the start (16.42, 16.43)."""

    alaska_segments: int = 0
    hawaii_segments: int = 0
    alaska_penalty_used: bool = False
    hawaii_penalty_used: bool = False
    resource_bonus_used: bool = False


class Markers(Strict, frozen=True, kw_only=True):
    """Tracks and markers at the start of the game."""

    rule: str
    turn: int
    tojo: Literal["pm-tojo", "resigned"]
    political_will: int
    war_in_europe: int
    china_front: ChinaBox
    japan_divisions_in_china: int
    burma_road: Literal["open", "closed-hump", "closed-no-hump"]
    burma_road_marker_side: Literal["hump", "no-hump"]
    india: IndiaBox | None
    japan_asp: int
    japan_asp_side: Literal["barges", "no-barges"]
    allied_asp: int
    japan_resources: int
    japan_isr: bool
    us_isr: bool
    japan_air_replacements: int
    japan_naval_replacements: int
    allied_passes: int
    japan_passes: int
    no_transport_route: tuple[HexId, ...]
    kwai_bridge: bool
    escort_level: int
    pt_boats: bool
    japan_defense_plan_drm: int = 0
    """J-31's modifier, or 0 if the card is not in effect."""
    pw_flags: WillFlags = WillFlags()


class HistoricalHand(Strict, frozen=True, kw_only=True):
    """A fixed hand that the players may agree to use (17.12, 17.25F)."""

    rule: str
    exact: tuple[int, ...]
    plus_random: int
    text: str


class SwapOption(Strict, frozen=True, kw_only=True):
    """A card that a side may take in exchange for one of its own (17.25E)."""

    rule: str
    take: int
    text: str


class TakeOption(Strict, frozen=True, kw_only=True):
    """A card that a side may choose for its hand (17.11, 17.25D)."""

    rule: str
    card: int
    may_play_before_first_japanese_card: bool


class HandRule(Strict, frozen=True, kw_only=True):
    """One side's hand."""

    count: int | None = None
    """Number of cards dealt, or None if `exact` or `by_rule` determines the number."""
    passes: int = 0
    exact: tuple[int, ...] = ()
    """Numbers of the cards that the hand must contain."""
    plus_random: int = 0
    by_rule: str | None = None
    """Rule that determines the number of cards, or None."""
    historical: HistoricalHand | None = None
    swap: SwapOption | None = None
    may_take: TakeOption | None = None


class Hands(Strict, frozen=True, kw_only=True):
    """Hands for an inclusive range of turns."""

    from_turn: int
    to_turn: int
    japan: HandRule
    allied: HandRule


class Numbers(Strict, frozen=True, kw_only=True):
    """Card numbers for each side."""

    allied: tuple[int, ...]
    japan: tuple[int, ...]


class MaybeNumbers(Strict, frozen=True, kw_only=True):
    """One optional card number for each side."""

    allied: int | None
    japan: int | None


class CardSetup(Strict, frozen=True, kw_only=True):
    """Where cards are at the start. All cards that are not listed are in the deck."""

    rule: str = ""
    removed: Numbers
    discard: Numbers
    future_offensive: MaybeNumbers
    hands: tuple[Hands, ...]
    decks: Numbers | None = None
    """All cards used in the South Pacific (17.10); None if the scenario uses every card."""


class Politics(Strict, frozen=True, kw_only=True):
    """National status at the start of the game."""

    surrendered: tuple[AreaId, ...]
    japan_holds_mandates: bool = False
    text: str


class RivalryRemoval(Strict, frozen=True, kw_only=True):
    """Rule for ending an inter-service rivalry by playing a card (17.26)."""

    rule: str
    text: str


class OcOnly(Strict, frozen=True, kw_only=True):
    """Cards that may be used only as operations cards (17.26)."""

    rule: str
    text: str
    cards: tuple[CardName, ...]


class ShortGameRules(Strict, frozen=True, kw_only=True):
    """Rules for the one-year scenarios (17.26, 17.37, 17.47)."""

    rule: str
    isr_removal: RivalryRemoval
    pw_events_oc_only: OcOnly


class JapanPoints(Strict, frozen=True, kw_only=True):
    """Japanese replacement steps for a turn."""

    naval: int
    air: int
    ground: int


class AlliedPoints(Strict, frozen=True, kw_only=True):
    """Allied replacement steps for a turn."""

    ground: int
    air: int
    us_naval: int
    china: int = 0


class TurnReplacements(Strict, frozen=True, kw_only=True):
    """Replacement steps for a turn, before any conditions are applied (11.2)."""

    turn: int
    japan: JapanPoints
    allied: AlliedPoints


class OwnReplacements(Strict, frozen=True, kw_only=True):
    """A scenario's own replacement schedule."""

    rule: str
    per_turn: tuple[TurnReplacements, ...]
    text: str


class SpecialRule(Strict, frozen=True, kw_only=True):
    """A rule that is specific to one scenario."""

    id: str
    text: str
    phase: str = ""


class Scenario(Strict, frozen=True, kw_only=True):
    """One scenario, including everything it inherits (17)."""

    id: ScenarioId
    name: str
    rule: str
    map: Literal["main", "south-pacific"]
    start_turn: int
    end_turn: int
    start_at: Literal["turn-1-special", "offensives-phase"]
    """The point where the game starts: in 17.11's special first turn, or in the Offensives Phase of the start turn."""
    inherits: ScenarioId | None = None
    victory_ref: ScenarioId | None = None
    """The scenario whose victory conditions `victory` uses, or None."""
    setup: tuple[Placement, ...]
    fixed_units: tuple[FixedUnit, ...] = ()
    delay_box: tuple[Entering, ...]
    reinforcements: tuple[TurnEntries, ...]
    """Sorted by turn. Reinforcements due after the last turn never arrive."""
    event_units: tuple[EventUnit, ...]
    eliminated: tuple[UnitId, ...]
    unused: tuple[UnitId, ...]
    control: ControlRules
    markers: Markers
    cards: CardSetup
    politics: Politics
    short_game_rules: ShortGameRules | None
    own_replacements: OwnReplacements | None = msgspec.field(name="replacements", default=None)
    """The scenario's own schedule, or None if the chart in `Schedules` applies."""
    special_rules: tuple[SpecialRule, ...]
    victory: Victory

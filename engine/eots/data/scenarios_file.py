"""Shape of `scenarios.json`; see README.md beside it for the meaning of the keys."""

from typing import Literal

import msgspec

from engine.eots.ids import AreaId, CardId, Face, HexId, Location, ScenarioId, Side, UnitId
from engine.eots.victory_terms import ChinaBox, IndiaBox, Victory

FILE = "scenarios.json"


class Strict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of rows whose every key is known."""


class Placement(Strict, frozen=True, kw_only=True):
    """A unit on the map, or in the China box, at the start."""

    unit: UnitId
    at: Location
    face: Face


class FixedUnit(Strict, frozen=True, kw_only=True):
    """A unit of the South Pacific that never moves (17.10)."""

    unit: UnitId
    at: Location
    text: str


class Entering(Strict, frozen=True, kw_only=True):
    """A unit that enters on this face."""

    unit: UnitId
    face: Face


class TurnEntries(Strict, frozen=True, kw_only=True):
    """The reinforcements of a turn."""

    turn: int
    units: tuple[Entering, ...]


class CardName(Strict, frozen=True, kw_only=True):
    """A card."""

    id: CardId
    side: Side
    number: int
    name: str = ""


class EventUnit(Strict, frozen=True, kw_only=True):
    """A unit that only its card brings in."""

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
    """One rule of control at the start; later rules override earlier ones."""

    order: int
    side: Side
    scope: ControlScope
    of: Side | None = None
    """Owner of the units of the scopes that name units."""
    regions: tuple[AreaId, ...] = ()
    hexes: tuple[HexId, ...] = ()


class ControlMarker(Strict, frozen=True, kw_only=True):
    """A control marker that the rule names."""

    hex: HexId
    side: Side


class ControlRules(Strict, frozen=True, kw_only=True):
    """Control at the start."""

    rules: tuple[ControlRule, ...]
    markers: tuple[ControlMarker, ...]


class WillFlags(Strict, frozen=True, kw_only=True):
    """What Political Will remembers (16.42, 16.43)."""

    alaska_segments: int = 0
    hawaii_segments: int = 0
    alaska_penalty_used: bool = False
    hawaii_penalty_used: bool = False
    resource_bonus_used: bool = False


class Markers(Strict, frozen=True, kw_only=True):
    """Tracks and markers at the start."""

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
    """J-31 in force with this modifier."""
    pw_flags: WillFlags = WillFlags()


class HistoricalHand(Strict, frozen=True, kw_only=True):
    """A hand that both players may agree on (17.12, 17.25F)."""

    rule: str
    exact: tuple[int, ...]
    plus_random: int
    text: str


class SwapOption(Strict, frozen=True, kw_only=True):
    """A card that may be taken for another (17.25E)."""

    rule: str
    take: int
    text: str


class TakeOption(Strict, frozen=True, kw_only=True):
    """A card that may be one of the hand (17.11, 17.25D)."""

    rule: str
    card: int
    may_play_before_first_japanese_card: bool


class HandRule(Strict, frozen=True, kw_only=True):
    """The hand of one side."""

    count: int | None = None
    """Cards dealt; None where `exact` or `by_rule` says it."""
    passes: int = 0
    exact: tuple[int, ...] = ()
    """Numbers of cards that are in the hand."""
    plus_random: int = 0
    by_rule: str | None = None
    """Rule that computes the hand."""
    historical: HistoricalHand | None = None
    swap: SwapOption | None = None
    may_take: TakeOption | None = None


class Hands(Strict, frozen=True, kw_only=True):
    """Hands of some turns, both ends included."""

    from_turn: int
    to_turn: int
    japan: HandRule
    allied: HandRule


class Numbers(Strict, frozen=True, kw_only=True):
    """Card numbers per side."""

    allied: tuple[int, ...]
    japan: tuple[int, ...]


class MaybeNumbers(Strict, frozen=True, kw_only=True):
    """A card number or nothing per side."""

    allied: int | None
    japan: int | None


class CardSetup(Strict, frozen=True, kw_only=True):
    """Where the cards are at the start; all others form the draw deck."""

    rule: str = ""
    removed: Numbers
    discard: Numbers
    future_offensive: MaybeNumbers
    hands: tuple[Hands, ...]
    decks: Numbers | None = None
    """The whole decks of the South Pacific (17.10); None = all cards."""


class Politics(Strict, frozen=True, kw_only=True):
    """National status at the start."""

    surrendered: tuple[AreaId, ...]
    japan_holds_mandates: bool = False
    text: str


class RivalryRemoval(Strict, frozen=True, kw_only=True):
    """A card play that ends a rivalry (17.26)."""

    rule: str
    text: str


class OcOnly(Strict, frozen=True, kw_only=True):
    """Cards that may be used as operations cards only (17.26)."""

    rule: str
    text: str
    cards: tuple[CardName, ...]


class ShortGameRules(Strict, frozen=True, kw_only=True):
    """Rules of the one-year scenarios (17.26, 17.37, 17.47)."""

    rule: str
    isr_removal: RivalryRemoval
    pw_events_oc_only: OcOnly


class JapanPoints(Strict, frozen=True, kw_only=True):
    """Japanese replacement steps of a turn."""

    naval: int
    air: int
    ground: int


class AlliedPoints(Strict, frozen=True, kw_only=True):
    """Allied replacement steps of a turn."""

    ground: int
    air: int
    us_naval: int
    china: int = 0


class TurnReplacements(Strict, frozen=True, kw_only=True):
    """Replacement steps of a turn before conditions (11.2)."""

    turn: int
    japan: JapanPoints
    allied: AlliedPoints


class OwnReplacements(Strict, frozen=True, kw_only=True):
    """A scenario's own replacement schedule."""

    rule: str
    per_turn: tuple[TurnReplacements, ...]
    text: str


class SpecialRule(Strict, frozen=True, kw_only=True):
    """A rule of one scenario."""

    id: str
    text: str
    phase: str = ""


class Scenario(Strict, frozen=True, kw_only=True):
    """One scenario with everything that it inherits (17)."""

    id: ScenarioId
    name: str
    rule: str
    map: Literal["main", "south-pacific"]
    start_turn: int
    end_turn: int
    start_at: Literal["turn-1-special", "offensives-phase"]
    """17.11, or the Offensives Phase of the start turn."""
    inherits: ScenarioId | None = None
    victory_ref: ScenarioId | None = None
    """Scenario whose victory conditions are in `victory`."""
    setup: tuple[Placement, ...]
    fixed_units: tuple[FixedUnit, ...] = ()
    delay_box: tuple[Entering, ...]
    reinforcements: tuple[TurnEntries, ...]
    """Ascending turns; those after the end turn never happen."""
    event_units: tuple[EventUnit, ...]
    eliminated: tuple[UnitId, ...]
    unused: tuple[UnitId, ...]
    control: ControlRules
    markers: Markers
    cards: CardSetup
    politics: Politics
    short_game_rules: ShortGameRules | None
    own_replacements: OwnReplacements | None = msgspec.field(name="replacements", default=None)
    """None = the chart of `Schedules`."""
    special_rules: tuple[SpecialRule, ...]
    victory: Victory

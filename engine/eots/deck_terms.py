"""Vocabulary shared by all cards: windows, filters, places and conditions (C4.1, C4.3-C4.5)."""

from enum import StrEnum
from typing import TYPE_CHECKING, Literal, NewType

import msgspec

from engine.eots.counters import Counter
from engine.eots.ids import (
    ActivationNation,
    AreaId,
    CardId,
    Category,
    CommonwealthNation,
    HexId,
    Nationality,
    Service,
    Side,
    Terrain,
    UnitId,
)
from engine.kernel.unions import leaf_types, union_of

HqSelector = NewType("HqSelector", str)
"""`any`, a group (`us`, `commonwealth`, `joint`), or the name of a headquarters as used on cards."""


class Window(StrEnum):
    """The times at which an event's steps can take effect. The values `step1` to `step13` refer to 7.2."""

    ON_PLAY = "on_play"
    STEP1 = "step1"
    STEP2 = "step2"
    STEP3 = "step3"
    STEP4 = "step4"
    STEP5 = "step5"
    STEP6 = "step6"
    STEP7 = "step7"
    STEP8 = "step8"
    STEP9 = "step9"
    STEP10 = "step10"
    STEP11 = "step11"
    STEP12 = "step12"
    STEP13 = "step13"
    END_OF_OFFENSIVE = "end_of_offensive"
    OFFENSIVE = "offensive"
    PERSISTENT = "persistent"
    NEXT_TURN = "next_turn"
    WHEN_DISCARDED_OR_OC = "when_discarded_or_oc"


class CardService(StrEnum):
    """The two inter-service rivalries, as named on the cards (14)."""

    US = "us"
    JAPAN = "jp"

    @property
    def side(self) -> Side:
        """Return the side that this rivalry affects."""
        return Side.JAPAN if self is CardService.JAPAN else Side.ALLIED


class Rivalry(StrEnum):
    """A rivalry marker's faces (14)."""

    RIVALRY = "rivalry"
    AGREEMENT = "agreement"


UnitClass = Literal["CV", "CVL", "CVE", "BB", "BC", "CA", "CL", "APD", "DD", "LRB", "B29"]
"""Unit types as written in filters, which use capitals."""
Nation = Literal[
    "us",
    "commonwealth",
    "british",
    "australian",
    "new_zealand",
    "indian",
    "chinese",
    "dutch",
    "japanese",
    "any",
]
GroundSize = Literal["regiment", "brigade", "division", "corps", "army"]
PlayState = Literal["active", "inactive", "full", "reduced", "in_play", "in_battle"]
"""A unit's current state in the game. `active` means activated in this Offensive."""


def is_of_nation(counter: Counter, nation: Nation) -> bool:
    """Return whether a counter belongs to a nation, as named on the cards (C4.4)."""
    match nation:
        case "any":
            return True
        case "us":
            return counter.nationality is Nationality.US
        case "commonwealth":
            return counter.activation_nation is ActivationNation.COMMONWEALTH
        case "chinese":
            return counter.nationality is Nationality.CHINA
        case "dutch":
            return counter.nationality is Nationality.DUTCH
        case "japanese":
            return counter.side is Side.JAPAN
        case "british" | "australian" | "new_zealand" | "indian":
            return counter.cw_nation is CommonwealthNation(nation.replace("_", "-"))


class Filter(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """A set of units. For every key that is set, a unit must match at least one entry of the key's list (C4.4)."""

    side: Side | None = None
    category: tuple[Category, ...] = msgspec.field(name="class", default=())
    types: tuple[UnitClass, ...] = ()
    size: tuple[GroundSize, ...] = ()
    nat: tuple[Nation, ...] = ()
    service: tuple[Service, ...] = ()
    lrb: bool | None = None
    unit: tuple[UnitId, ...] = ()
    state: tuple[PlayState, ...] = ()
    """States that the unit must have, all of them. `matches` ignores this key. `full` and `reduced` are faces."""

    def matches(self, counter: Counter) -> bool:
        """Return whether a counter matches every key except `state`."""
        return (
            (self.side is None or counter.side is self.side)
            and (not self.category or counter.category in self.category)
            and (not self.types or counter.type.upper() in self.types)
            and (not self.size or (counter.is_ground and counter.type.value in self.size))
            and (not self.nat or any(is_of_nation(counter, nation) for nation in self.nat))
            and (not self.service or counter.isr_service in self.service)
            and (self.lrb is None or counter.lrb is self.lrb)
            and (not self.unit or counter.id in self.unit)
        )


class PlaceFilter(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """A description of places. A place must match every key that is set (C4.5)."""

    port: bool = False
    airfield: bool = False
    friendly: bool = False
    """True if the card's owner must control the place."""
    in_supply: bool = False
    single: bool = False
    """True if all units that the event moves must go to the same hex."""
    was_active: bool = False
    was_in_battle_hex: bool = False
    bombarded: bool = False
    """True if the place must be a battle hex with a BB of the card's owner and no enemy BB (J-20)."""
    region: tuple[AreaId, ...] = ()
    not_region: tuple[AreaId, ...] = ()
    hexes: tuple[HexId, ...] = ()
    within: int | None = None
    """Maximum distance from `of`, in hexes."""
    of: HexId | None = None
    within_hq_range: Literal[True] | tuple[HqSelector, ...] | None = None
    """True if a supplied HQ of the owner must have the place in range and may command the unit.

    If this is a list, one of the listed HQs must have the place in range, whether or not the HQ is in supply.
    """
    control: Side | None = None
    within_of_resource: int | None = None
    """Maximum distance from the nearest resource hex, in hexes."""
    moved_within_extended_range_of: Filter | None = None
    activated_in: tuple[AreaId, ...] = ()
    any: tuple["PlaceFilter", ...] = ()
    all: tuple["PlaceFilter", ...] = ()


class Term(msgspec.Struct, frozen=True, kw_only=True, tag_field="is", forbid_unknown_fields=True):
    """Base class for conditions. The docstring of each subclass states when it is true (C4.3)."""


class GameTurn(Term, frozen=True, kw_only=True, tag="game_turn"):
    """It is the given turn."""

    n: int


class NthCardOfTurn(Term, frozen=True, kw_only=True, tag="nth_card_of_turn"):
    """This is the n-th card that its owner plays this turn."""

    n: int


class YearAtLeast(Term, frozen=True, kw_only=True, tag="year_at_least"):
    """It is this year or a later one."""

    year: int


class EventPlayed(Term, frozen=True, kw_only=True, tag="event_played"):
    """A card has been played as an event in this game."""

    card: CardId


class RivalryIs(Term, frozen=True, kw_only=True, tag="isr"):
    """A rivalry marker shows the given face."""

    service: CardService
    state: Rivalry


class TojoResigned(Term, frozen=True, kw_only=True, tag="tojo_resigned"):
    """J-43 has been played as an event."""


class HexesControlled(Term, frozen=True, kw_only=True, tag="hexes_controlled"):
    """A side controls all of these hexes."""

    hexes: tuple[HexId, ...]
    side: Side


class OffensiveHq(Term, frozen=True, kw_only=True, tag="offensive_hq"):
    """One of these headquarters activates the Offensive."""

    hq: tuple[HqSelector, ...]


class Activated(Term, frozen=True, kw_only=True, tag="activated"):
    """At least this many matching units are activated in this Offensive."""

    filter: Filter
    minimum: int = msgspec.field(name="min")


class UnitIn(Term, frozen=True, kw_only=True, tag="unit_in"):
    """A matching unit is at a matching place."""

    filter: Filter
    where: PlaceFilter


class Occupied(Term, frozen=True, kw_only=True, tag="occupied"):
    """One of the side's units is in the region."""

    region: AreaId
    side: Side


class BattleHas(Term, frozen=True, kw_only=True, tag="battle_has"):
    """A unit that matches the filter takes part in the battle being resolved."""

    filter: Filter


class TerrainIn(Term, frozen=True, kw_only=True, tag="terrain_in"):
    """The battle hex has one of these terrains."""

    terrain: tuple[Terrain, ...]


class BattleIn(Term, frozen=True, kw_only=True, tag="battle_in"):
    """The battle hex matches the given place filter."""

    where: PlaceFilter


class BattleWithin(Term, frozen=True, kw_only=True, tag="battle_within"):
    """The battle hex is at most this many hexes from a matching unit."""

    n: int
    of_unit: Filter


class NoWeatherPlayed(Term, frozen=True, kw_only=True, tag="no_weather_played"):
    """No weather card was played in step 4."""


class FrenchFrigateScreen(Term, frozen=True, kw_only=True, tag="french_frigate_screen"):
    """Hex 5508 is in an Allied ZOI, even a neutralised one, and within 3 hexes of a US CA (CP-25)."""


class ChinaNotSurrendered(Term, frozen=True, kw_only=True, tag="china_not_surrendered"):
    """China has not surrendered."""


class UsCarrierDeclaresBattle(Term, frozen=True, kw_only=True, tag="us_carrier_declares_battle"):
    """A US carrier takes part in a battle in the region."""

    region: AreaId


class LandedUnoccupiedIsland(
    Term, frozen=True, kw_only=True, tag="landed_unoccupied_one_hex_island"
):
    """The owner's ground unit made an amphibious assault on a one-hex island without enemy units."""


class PtBoatsNotPlayed(Term, frozen=True, kw_only=True, tag="pt_boats_not_played"):
    """A-23 has not ended the use of barges."""


class NewSubDoctrineNotPlayed(Term, frozen=True, kw_only=True, tag="new_sub_doctrine_not_played"):
    """A-80 has not ended the escort modifier."""


class KwaiLineToRangoon(Term, frozen=True, kw_only=True, tag="kwai_line_to_rangoon"):
    """The railway to Rangoon supplies both the headquarters and an activated unit (13.79, OPB-41)."""


class AllOf(Term, frozen=True, kw_only=True, tag="all"):
    """All inner conditions are true."""

    of: tuple["Condition", ...]


class AnyOf(Term, frozen=True, kw_only=True, tag="any"):
    """At least one inner condition is true."""

    of: tuple["Condition", ...]


class Not(Term, frozen=True, kw_only=True, tag="not"):
    """The inner condition is false."""

    of: "Condition"


class ActivatedIn(Term, frozen=True, kw_only=True, tag="activated_in"):
    """An activated unit that matches the filter started in one of the regions."""

    regions: tuple[AreaId, ...]
    filter: Filter | None = None


class BaseWithin(Term, frozen=True, kw_only=True, tag="base_within"):
    """The side controls a supply-eligible airfield at most this far from a hex."""

    n: int
    of: HexId
    side: Side


if TYPE_CHECKING:
    Condition = Term
else:
    Condition = union_of(leaf_types(Term, globals()))  # the union type that msgspec decodes

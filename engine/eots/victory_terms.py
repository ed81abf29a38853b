"""The scenarios' victory conditions, as typed terms (16.1-16.3, 17.10.7, 17.27, 17.38, 17.48)."""

from typing import Literal

import msgspec

from engine.eots.ids import AreaId, HexId, Side

Result = Literal["allied-decisive", "allied-tactical", "japan-tactical", "japan-decisive"]
ChinaBox = Literal[
    "government-collapsed",
    "chungking-falls",
    "threat-to-chungking",
    "major-breakthrough",
    "unstable-front",
    "stable-front",
]
IndiaBox = Literal["revolts", "unstable", "strikes", "unrest", "stable"]


class VpTerm(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="type", forbid_unknown_fields=True
):
    """Base class for conditions that score Japanese victory points. `id` is the condition's letter in the rule."""

    id: str
    text: str = ""


class ChinaFrontDistance(VpTerm, frozen=True, kw_only=True, tag="china-front-distance"):
    """Points for each box between the China marker and `from_box`."""

    vp_per_box: int
    from_box: ChinaBox
    direction: Literal["left", "both"]
    """`left` counts only boxes to the left of `from_box`; `both` also subtracts boxes to the right of `from_box`."""
    maximum: int | None = msgspec.field(name="max", default=None)
    surrendered_bonus: int = 0


class ChinaSurrendered(VpTerm, frozen=True, kw_only=True, tag="china-surrendered"):
    """China has surrendered."""

    vp: int


class BurmaRoadClosed(VpTerm, frozen=True, kw_only=True, tag="burma-road-closed"):
    """The Burma Road is closed, with or without the Hump."""

    vp: int


class NoSupplyLine(VpTerm, frozen=True, kw_only=True, tag="no-supply-line"):
    """No supply line connects a hex to another hex or, if `end` is None, to the east edge."""

    vp: int
    start: HexId = msgspec.field(name="from")
    end: HexId | None = msgspec.field(name="to")


class ControlEach(VpTerm, frozen=True, kw_only=True, tag="control-each"):
    """Points for each hex in the list or area that the side controls."""

    vp_each: int
    side: Side
    area: AreaId | None = None
    hexes: tuple[HexId, ...] = ()


class Control(VpTerm, frozen=True, kw_only=True, tag="control"):
    """The side controls the hex."""

    vp: int
    side: Side
    hexes: tuple[HexId, ...]


class ControlAll(VpTerm, frozen=True, kw_only=True, tag="control-all"):
    """The side controls all of the listed hexes."""

    vp: int
    side: Side
    hexes: tuple[HexId, ...]


class ControlCount(VpTerm, frozen=True, kw_only=True, tag="control-count"):
    """The number of hexes that the side controls in an area is within the bounds, inclusive."""

    vp: int
    side: Side
    area: AreaId
    subset: Literal["ports", "all-hexes"] = "all-hexes"
    minimum: int | None = msgspec.field(name="min", default=None)
    maximum: int | None = msgspec.field(name="max", default=None)
    exactly: int | None = None
    qualifier: Literal["in-supply"] | None = None
    unless: str | None = None
    """The letter of another condition, or None. If the other condition scores, this condition does not."""


class RegionControl(VpTerm, frozen=True, kw_only=True, tag="region-control"):
    """The side controls the area, as defined in the area's rule (13.84, 13.85, 13.92)."""

    vp: int
    side: Side
    area: AreaId


class RegionControlNot(VpTerm, frozen=True, kw_only=True, tag="region-control-not"):
    """The side does not control the area, as defined in the area's rule."""

    vp: int
    side: Side
    area: AreaId


class AllPortsOfRegion(VpTerm, frozen=True, kw_only=True, tag="all-ports-of-region"):
    """One side controls all ports in the area and the hexes in `include`."""

    vp: int
    area: AreaId
    include: tuple[HexId, ...] = ()
    swing: bool = False
    """True if the Allies score too, which makes the points negative."""


class IndiaInBox(VpTerm, frozen=True, kw_only=True, tag="india-box"):
    """The India marker is in one of these boxes."""

    vp: int
    boxes: tuple[IndiaBox | Literal["surrendered"], ...]
    when: Literal["scoring-turn"]
    exclusive_with: str | None = None


class PoliticalWillLow(VpTerm, frozen=True, kw_only=True, tag="political-will-low"):
    """If Political Will is at most the threshold: points per box times (threshold + 1 - Political Will)."""

    threshold: int
    vp_per_box: int


class PoliticalWillHigh(VpTerm, frozen=True, kw_only=True, tag="political-will-high"):
    """If Political Will is at least the threshold: points per box times (Political Will - threshold + 1)."""

    threshold: int
    vp_per_box: int


class OccupiedAtAnyTurnEnd(VpTerm, frozen=True, kw_only=True, tag="occupied-at-any-turn-end"):
    """Points for each hex that the side occupies and controls at the end of any turn. Each hex scores once."""

    vp_each: int
    side: Side
    hexes: tuple[HexId, ...]
    once_per_hex: bool = True


class Occupation(VpTerm, frozen=True, kw_only=True, tag="occupied"):
    """Points for each hex that the side occupies at the end of the scoring turn."""

    vp_each: int
    side: Side
    hexes: tuple[HexId, ...]
    when: Literal["scoring-turn"]


class NotHeldInSupply(VpTerm, frozen=True, kw_only=True, tag="not-held-in-supply"):
    """The side does not control all of the listed hexes, or could not supply a unit in one of them."""

    vp: int
    side: Side
    hexes: tuple[HexId, ...]


class PortInRange(VpTerm, frozen=True, kw_only=True, tag="port-in-range"):
    """The side controls at least one port within the given distance of a hex."""

    vp: int
    side: Side
    of: HexId
    range: int


class PortInRangeNone(VpTerm, frozen=True, kw_only=True, tag="port-in-range-none"):
    """The side controls no port within the given distance of a hex."""

    vp: int
    side: Side
    of: HexId
    range: int


VpCondition = (
    ChinaFrontDistance
    | ChinaSurrendered
    | BurmaRoadClosed
    | NoSupplyLine
    | ControlEach
    | Control
    | ControlAll
    | ControlCount
    | RegionControl
    | RegionControlNot
    | AllPortsOfRegion
    | IndiaInBox
    | PoliticalWillLow
    | PoliticalWillHigh
    | OccupiedAtAnyTurnEnd
    | Occupation
    | NotHeldInSupply
    | PortInRange
    | PortInRangeNone
)
"""Any condition that scores Japanese victory points."""


class EndTerm(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="type", forbid_unknown_fields=True
):
    """Base class for conditions that end a game or decide its winner."""

    text: str = ""


class JapanSurrenders(EndTerm, frozen=True, kw_only=True, tag="japan-surrenders"):
    """Japan surrenders now (13.93)."""


class JapanSurrendered(EndTerm, frozen=True, kw_only=True, tag="japan-surrendered"):
    """Japan has surrendered (13.93)."""


class PoliticalWillIs(EndTerm, frozen=True, kw_only=True, tag="political-will"):
    """The Political Will marker is in the given box (16.4)."""

    equals: int


class AreaCount(EndTerm, frozen=True, kw_only=True, tag="control-count"):
    """The side controls at most this many hexes in the area."""

    side: Side
    area: AreaId
    maximum: int = msgspec.field(name="max")


class BombingStreak(EndTerm, frozen=True, kw_only=True, tag="strategic-bombing-streak"):
    """Strategic bombing has succeeded in each of the last `turns` turns (16.2)."""

    turns: int


class B29InRange(EndTerm, frozen=True, kw_only=True, tag="b29-in-range-of-tokyo"):
    """A B29 is within the given distance of Tokyo. The China box counts (13.74)."""

    range: int


class NoHqOnMap(EndTerm, frozen=True, kw_only=True, tag="no-hq-on-map"):
    """A side has no headquarters on the map."""


class EveryTerm(EndTerm, frozen=True, kw_only=True, tag="all"):
    """All inner conditions are met."""

    of: tuple["EndCondition", ...]


EndCondition = (
    JapanSurrenders
    | JapanSurrendered
    | PoliticalWillIs
    | AreaCount
    | BombingStreak
    | B29InRange
    | NoHqOnMap
    | EveryTerm
)
"""A condition that ends a game or decides its winner."""


class Automatic(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A victory condition that is checked before any points are counted."""

    winner: Literal["allied", "japan", "opponent"]
    """The winner. `opponent` means the opponent of the side that meets the condition."""
    when: Literal["immediately", "end-of-turn-phase"]
    turn: int | None = None
    """The only turn in which the condition is checked; None means that it is checked every turn."""
    condition: EndCondition
    text: str = ""


class Level(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The result for a range of Japanese victory points. The bounds are inclusive; None means no bound."""

    result: Result
    minimum: int | None = msgspec.field(name="min")
    maximum: int | None = msgspec.field(name="max")


class FinalTest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The conditions that decide the winner at the end of the campaign (16.2, 16.3)."""

    turn: int
    allied_if: tuple[EndCondition, ...]
    """The Allies win if any one of these is met."""
    otherwise: Side


class CampaignVictory(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="campaign"):
    """Victory in the campaigns (16.1-16.3)."""

    rule: str
    automatic: tuple[Automatic, ...]
    final: FinalTest


class VpVictory(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="vp"):
    """Victory by Japanese victory points at the end of a turn (17.27, 17.38, 17.48)."""

    rule: str
    scoring_turn: int
    automatic: tuple[Automatic, ...]
    tournament_control: str
    start_value: int | None = None
    """Points that the rule states for the starting position, or None if the rule does not state any."""
    conditions: tuple[VpCondition, ...]
    levels: tuple[Level, ...]


class WillChange(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A change in Political Will in the South Pacific scenario (17.10.7)."""

    id: str
    change: int
    when: str
    condition: str


class PortControl(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The Allies win if they control at least `allied_margin` more hexes of the area than Japan (17.10.7)."""

    start: dict[Side, int]
    area: AreaId
    allied_margin: int
    text: str


class VpSchedule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Victory by points in the South Pacific (17.10.7)."""

    scoring_turn: int
    start_value: int
    counting: str
    conditions: tuple[VpCondition, ...]
    levels: tuple[Level, ...]


class SouthPacificVictory(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="south-pacific"
):
    """Victory in the South Pacific. Before play, the players choose one of two scoring methods (17.10.7)."""

    rule: str
    automatic: tuple[Automatic, ...]
    political_will_schedule: tuple[WillChange, ...]
    choice: str
    port_control: PortControl
    vp_schedule: VpSchedule


Victory = CampaignVictory | VpVictory | SouthPacificVictory

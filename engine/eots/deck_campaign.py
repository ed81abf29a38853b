"""Event steps that affect units, tracks, politics and cards (C4.2)."""

from typing import Literal

import msgspec

from engine.eots.deck_steps import AskingStep, IfAbsent, SpecialId, Step, YearValues
from engine.eots.deck_terms import CardService, Filter, HqSelector, Nation, PlaceFilter, Rivalry
from engine.eots.ids import CardId, HexId, Side, UnitId


class PlaceUnit(AskingStep, frozen=True, kw_only=True, tag="place_unit"):
    """Put a unit into play at the first legal place in the list."""

    unit: UnitId
    where: tuple[PlaceFilter, ...]
    fallback: Literal["lost", "removed_from_game"]


class ReplaceHq(AskingStep, frozen=True, kw_only=True, tag="replace_hq"):
    """Exchange one headquarters for another."""

    out: UnitId
    incoming: UnitId = msgspec.field(name="in")
    if_absent: IfAbsent
    """The effect if the old headquarters is not in play."""


class RemoveUnit(Step, frozen=True, kw_only=True, tag="remove_unit"):
    """Remove the unit from the game if it is in play."""

    unit: UnitId


class ScheduleReinforcement(Step, frozen=True, kw_only=True, tag="schedule_reinforcement"):
    """The unit arrives this many turns later."""

    unit: UnitId
    turn_offset: int
    delayable: bool


class Replacements(AskingStep, frozen=True, kw_only=True, tag="replacements"):
    """Give the owner replacement steps."""

    side: Side
    kind: Literal["air", "ground", "naval"]
    nat: Nation
    n: int
    use: Literal["immediate", "bank_or_immediate"]
    filter: Filter | None = None
    where: PlaceFilter | None = None
    """Where a unit on the map must be to receive a step."""
    return_at: PlaceFilter | None = None
    """Where an eliminated unit may return; None means anywhere that 10.11 allows."""
    may_return_eliminated: bool = True


class ReplacementPenalty(Step, frozen=True, kw_only=True, tag="replacement_penalty"):
    """Reduce or restrict the replacement steps of a later turn."""

    side: Side
    kind: Literal["air", "ground", "naval"]
    lose: int
    turn_offset: int
    restrict_to: Literal["non_commonwealth"]


class DelayReinforcements(Step, frozen=True, kw_only=True, tag="delay_reinforcements"):
    """All reinforcements due to the side in the given turn go to the Delay Box."""

    side: Side
    turn_offset: int


class ParadropControl(AskingStep, frozen=True, kw_only=True, tag="paradrop_control"):
    """Capture one hex in the extended range of one of the owner's active air units (CP-39)."""

    eliminate: Filter
    """Enemy units that may be in the hex. The capture eliminates them."""


class AirborneDrop(Step, frozen=True, kw_only=True, tag="airborne_drop"):
    """Drop an inactive airborne unit into a hex within range of an air unit stacked with it (CP-17)."""

    unit: UnitId
    carried_by: Filter = msgspec.field(name="with")


class EvacuateStep(AskingStep, frozen=True, kw_only=True, tag="evacuate"):
    """Carry ground units from a coastal hex and its neighbours by strategic sea movement. Ignore enemy ZOI (CP-34)."""

    max_units: int
    to: PlaceFilter


class RedeployStep(AskingStep, frozen=True, kw_only=True, tag="redeploy"):
    """Move a headquarters and ships to a port, avoiding unneutralised enemy ZOI (CP-43)."""

    hq: HqSelector
    max_units: int
    filter: Filter
    to: PlaceFilter


class ControlAdjacentIslands(Step, frozen=True, kw_only=True, tag="control_adjacent_islands"):
    """Gain control of unoccupied one-hex islands adjacent to the island where the unit has just landed."""


class PoliticalWill(Step, frozen=True, kw_only=True, tag="political_will"):
    """Move the US Political Will marker, either for J-1 (16.44A) or for another event (16.44B)."""

    delta: int
    with_bid: bool = False
    """True if a campaign's bid is added (16.48B)."""


class WarInEurope(Step, frozen=True, kw_only=True, tag="war_in_europe"):
    """Move the War in Europe marker by the value for the current year (15)."""

    by_year: YearValues


class China(Step, frozen=True, kw_only=True, tag="china"):
    """Move the China marker. Positive values move it towards Stable Front (13.7)."""

    delta: int
    may_enter_stable: bool = True
    """True if the marker may end in Stable Front."""


class India(Step, frozen=True, kw_only=True, tag="india"):
    """Move the India marker. Negative values move it towards Revolts (13.6)."""

    delta: int


class SetRivalry(Step, frozen=True, kw_only=True, tag="isr"):
    """Set a rivalry marker (14)."""

    service: CardService
    state: Rivalry


class Escorts(Step, frozen=True, kw_only=True, tag="escorts"):
    """Raise the escort marker from none to 2 or from 2 to 4, or remove it from the game."""

    change: Literal["raise", "remove"]


class Capability(Step, frozen=True, kw_only=True, tag="capability"):
    """Switch a lasting capability on or off."""

    name: Literal["soviet_manchuria_enabled", "barges", "hump"]
    value: bool


class Marker(Step, frozen=True, kw_only=True, tag="marker"):
    """Place or flip a reminder marker."""

    name: Literal[
        "burma_road",
        "defensive_doctrine",
        "doolittle",
        "high_altitude_interceptors",
        "jp_asp",
        "kwai_bridge",
        "panama_canal",
        "pt_boats",
        "tojo",
    ]
    state: Literal["on", "on_map", "next_turn", "hump", "barges", "no_barges", "resigned"]
    """The marker's face or place."""


class Supersede(Step, frozen=True, kw_only=True, tag="supersede"):
    """Named effects of these cards no longer apply. Conditions on those cards test this."""

    cards: tuple[CardId, ...]
    scope: str


class BuildTransRoute(AskingStep, frozen=True, kw_only=True, tag="build_trans_route"):
    """Build one transport route free of charge (13.77)."""

    first: HexId
    then_one_of: tuple[HexId, ...]


class OpenTransRoute(Step, frozen=True, kw_only=True, tag="open_trans_route"):
    """The hexes have a transport route for the rest of the game (13.79)."""

    hexes: tuple[HexId, ...]


class HqEfficiency(Step, frozen=True, kw_only=True, tag="hq_efficiency"):
    """Change the activating headquarters' efficiency, depending on the railway (13.79)."""

    delta: int


class SovietInvasion(Step, frozen=True, kw_only=True, tag="soviet_invasion"):
    """The Allies gain control of the hexes with Soviet flags, and Japan loses the resource hexes."""

    hexes: tuple[HexId, ...]


class TokyoExpress(AskingStep, frozen=True, kw_only=True, tag="tokyo_express"):
    """Place or move the Tokyo Express marker (6.23, CP-32)."""

    where: PlaceFilter


class Draw(Step, frozen=True, kw_only=True, tag="draw"):
    """The owner draws cards. Events may draw at most three in an Offensives Phase (5.35)."""

    n: int


class SwapWithDiscard(AskingStep, frozen=True, kw_only=True, tag="swap_with_discard"):
    """Discard one card from hand, then take any card from the same side's discard pile."""

    optional: bool


class DiscardRandom(Step, frozen=True, kw_only=True, tag="discard_random"):
    """The side loses random cards from its hand."""

    side: Side
    n: int


class ReshuffleEndOfTurn(Step, frozen=True, kw_only=True, tag="reshuffle_end_of_turn"):
    """Shuffle the deck and the discards together at the end of the game turn (5.37)."""

    side: Side


class Special(Step, frozen=True, kw_only=True, tag="special"):
    """A rule specific to this card. Its text is in the card's notes."""

    id: SpecialId

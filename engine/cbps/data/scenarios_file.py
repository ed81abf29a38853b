"""The schema of `scenarios.json`: the nine scenarios, their variants, and the rules that they share."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal, TypeAlias

import msgspec

from engine.cbps.charts.chart import Small
from engine.cbps.charts.results import ArrivalZone, LevelOneForce, Waves
from engine.cbps.charts.special import ShipLine
from engine.cbps.data.map_file import HexId, SourcedRow
from engine.cbps.data.orbat_file import AirType, Count, Letter, Name
from engine.cbps.ids import Verdict

FILE: Final = "scenarios.json"
Day: TypeAlias = Literal["19 June", "20 June"]
TurnLabel: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^\d{4}$", max_length=4)]
Turn: TypeAlias = tuple[Day, TurnLabel]
"""A turn of the scenario. Turns after midnight belong to the previous day."""
Phase: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=4)]
Points: TypeAlias = Literal[
    "point_destroyed",
    "us_unit_lost",
    "point_through",
    "per_2_us_units_lost",
    "per_4_us_units_lost_returning",
    "per_2_ready_attack_units",
    "false_contact",
    "level_1",
    "level_2_surface",
    "level_2_carrier",
    "level_3_surface",
    "level_3_carrier",
    "level_4_carrier",
    "level_4_per_cv",
    "level_4_per_cvl",
]
"""Achievements that score points in the learning scenarios."""


class Said(SourcedRow, frozen=True, kw_only=True):
    """A rule described in words."""

    text: str


class Chance(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The highest die roll that sinks a lone crippled ship if an enemy is within the given distance."""

    within_hexes: Count
    sunk_up_to: Count


class CrippledRule(Said, frozen=True, kw_only=True):
    """The die rolls that replace surface combat against crippled ships. The first row within reach applies."""

    japanese: tuple[Chance, ...]
    us: tuple[Chance, ...]


class SubmarineHexes(SourcedRow, frozen=True, kw_only=True):
    """Suggested starting hexes for submarines."""

    hexes: Mapping[str, HexId]


class OptionalRules(SourcedRow, frozen=True, kw_only=True):
    """The optional rules for the full games, by number."""

    any: tuple[str, ...]
    scenario_8_only: tuple[str, ...]
    recommended: Mapping[Literal["6", "7", "8", "9"], tuple[str, ...]]


class CommonRules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Rules shared by several scenarios."""

    us_air_setup: Said
    end_of_game: Said
    free_submarine_setup: Said
    one_day_flank_rule: Said
    crippled_substitute_rule: CrippledRule
    historical_submarines: SubmarineHexes
    optional_rules_full_games: OptionalRules


class RulesInForce(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The rulebook sections that a scenario lists as in force or omitted."""

    use: tuple[str, ...]
    omit: tuple[str, ...] = ()
    optional: str = ""


class CapSetup(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Units that start in a group's CAP box."""

    tg: str
    units: tuple[str, ...]


class StrikeSetup(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An air strike that starts in flight."""

    id: Name
    tg: str
    fuel: Count
    units: tuple[str, ...]


class ExtraCarrier(SourcedRow, frozen=True, kw_only=True):
    """A carrier added to a group in this scenario (6.13)."""

    id: str
    tg: str
    slot: Count


class UsSetup(SourcedRow, frozen=True, kw_only=True):
    """The US side of a scenario."""

    task_force_58_hex: HexId
    task_groups: tuple[str, ...]
    aa_totals: Mapping[str, Count]
    """The printed anti-aircraft totals of the groups (5.73)."""
    air_setup: Literal["", "common.us_air_setup"] = ""
    """Path of the shared air set-up. If empty, only the units named in this record are in play."""
    cap: tuple[CapSetup, ...] = ()
    ready: tuple[str, ...] = ()
    strikes: tuple[StrikeSetup, ...] = ()
    submarines: tuple[str, ...] = ()
    leeward_marker_at_start: bool = False
    extra_carrier: ExtraCarrier | None = None


class Appearance(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The time and place at which a raid appears, on the line between two hexes."""

    turn: TurnLabel
    phase: Phase
    line_from: HexId
    line_to: HexId
    hex: HexId | None = None
    """Hex of the raid. If None, the raid is placed at the distance given by the Intercept Range chart."""
    distance_hexes: Count | None = None


class RaidSetup(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A raid scheduled by the scenario."""

    id: Name
    strength: Waves
    appears: Appearance


class ForceSetup(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A Japanese force that is known from the start."""

    id: Name
    hex: HexId
    carriers: tuple[str, ...]
    screen: tuple[str, ...]
    cap: Count


class ShipPool(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Ships that can be drawn for forces, in addition to all cruiser and destroyer forces."""

    cv: tuple[str, ...] = msgspec.field(name="CV")
    cvl: tuple[str, ...] = msgspec.field(name="CVL")
    bb: tuple[str, ...] = msgspec.field(name="BB")


class Commitment(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Commitment threshold and limit (13.21)."""

    threshold: Count
    limit: Count


class FixedStrength(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The Known Air Strength given by the scenario (10.1D)."""

    value: Count
    text: str


class FixedCap(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """CAP points by the number of carriers in a force (5.41)."""

    one_or_two: Count
    three_or_more: Count


class ZoneShare(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An arrival zone with the range of die rolls that leads to it (7.13)."""

    lo: Count
    hi: Count
    zone: ArrivalZone


class ArrivalOverride(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A scenario's own arrival zones, which replace the chart."""

    zones: tuple[ZoneShare, ...]


class JapaneseSetup(SourcedRow, frozen=True, kw_only=True):
    """The Japanese side of a scenario. Fields that the scenario does not use are empty."""

    raids: tuple[RaidSetup, ...] = ()
    movement: str = ""
    """Description of how the scenario's raids move."""
    forces: tuple[ForceSetup, ...] = ()
    detection: str = ""
    letters: tuple[Letter, ...] = ()
    arrival: ArrivalOverride | None = None
    l1_cup: Mapping[LevelOneForce | Literal["False Contact"], Count] = msgspec.field(
        default_factory=dict
    )
    ships: Mapping[ShipLine, ShipPool] = msgspec.field(default_factory=dict)
    commitment: Mapping[ShipLine, Commitment] = msgspec.field(default_factory=dict)
    guam_air_value: Count | None = None
    activation_chits: tuple[Literal["US Move", "US Subs", "Guam"], ...] = ()
    """The activation chits, except for No Op and the chits of forces."""
    known_air_strength: FixedStrength | None = None
    cap: FixedCap | None = None


class VictoryLevel(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A victory level with its minimum points (None for the lowest level)."""

    min: Small | None
    level: Name
    verdict: Verdict | None = None
    """The verdict of a level with a custom name, or None for printed levels."""


class Victory(SourcedRow, frozen=True, kw_only=True):
    """The scoring of a scenario."""

    score: str
    points: Mapping[Points, Small] = msgspec.field(default_factory=dict)
    levels: tuple[VictoryLevel, ...] = ()
    """Levels from highest to lowest, or empty if the levels of 15.1 apply."""
    historical: str = ""


class FleetForce(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A force of the historical fleet."""

    hex: HexId
    carriers: tuple[str, ...]
    screen: tuple[str, ...]
    cruiser_forces: Count
    """Number of Cruiser Forces drawn for this force."""


class Variant(SourcedRow, frozen=True, kw_only=True):
    """A variant of a scenario."""

    id: Name
    title: str
    change: str
    ships: ShipLine | None = None
    options: tuple[str, ...] = ()
    """The optional rules in force in the variant."""
    fleet: tuple[FleetForce, ...] = ()
    battle_line_ahead_hexes: Count = 0


class TableModifiers(SourcedRow, frozen=True, kw_only=True):
    """Chart modifiers that apply in this scenario only."""

    charts: Mapping[Literal["air_raid_generation", "l2_to_l3_carrier", "l3_to_l4"], Small]


class SkilledAircrews(SourcedRow, frozen=True, kw_only=True):
    """Scenario-specific modifiers for air-to-air combat with naval fighters."""

    us_air_to_air: Small
    japanese_air_to_air: Small


class Refuelling(SourcedRow, frozen=True, kw_only=True):
    """The turns in which the oilers arrive and leave (20.2, 20.8)."""

    oilers_arrive: Turn
    oilers_leave: Turn


class Scenario(SourcedRow, frozen=True, kw_only=True):
    """One scenario of the game."""

    id: Annotated[int, msgspec.Meta(ge=1, le=9)]
    title: str
    date: str
    battle_part: str
    turns: tuple[Turn, ...]
    start_phase: Phase
    end_phase: Phase = 4
    length_action_phases: Count
    rules: RulesInForce
    sequence_per_phase: tuple[str, ...]
    us: UsSetup
    japan: JapaneseSetup
    special_rules: tuple[str, ...]
    victory: Victory
    variants: tuple[Variant, ...] = ()
    contact_distance_hexes: Count | None = None
    """Distance used for all contact rolls, or None to measure it on the map (5.2)."""
    return_flight: Mapping[AirType, Count] | None = None
    """Fuel Critical box of each aircraft type on the optional return flight."""
    table_modifiers: TableModifiers | None = None
    skilled_aircrews: SkilledAircrews | None = None
    kido_butai: bool = False
    refuelling: Refuelling | None = None


class ScenariosFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The contents of `scenarios.json`."""

    format: Literal["cbps-scenarios/1"]
    title: str
    common: CommonRules
    scenarios: tuple[Scenario, ...]

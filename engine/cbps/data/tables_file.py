"""The schema of `tables.json`: every chart with the type of its results (2.4)."""

from typing import Final, Literal

import msgspec

from engine.cbps.charts.chart import Chart, ColumnChart, DieChart, LookupChart, Small
from engine.cbps.charts.listed import (
    BoxesChart,
    ChitChart,
    DamageChart,
    FormulaChart,
    MixChart,
    TurnChart,
    ValuesChart,
)
from engine.cbps.charts.results import (
    AbortElim,
    AirCode,
    ArrivalZone,
    BattleLineAction,
    CarrierMix,
    Contact,
    FireSpread,
    SearchCode,
    SurfaceCode,
    Waves,
    Wind,
)
from engine.cbps.charts.special import (
    CommitmentOneChart,
    CommitmentTestChart,
    FirstLevelChart,
    KnownStrengthChart,
    MatrixChart,
    NamedMatrixChart,
    RaidGenerationChart,
    ScreenChart,
    SectionChart,
    SurfaceFireChart,
    SurpriseChart,
)
from engine.cbps.ids import Direction

FILE: Final = "tables.json"
Dice = tuple[Small, ...]


class Charts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All charts and tables of the game (appendix E)."""

    constants: ValuesChart
    turn_track: TurnChart
    second_hex_fuel: DieChart[Small]
    deck_crash: DieChart[Literal["no crash", "deck crash"]]
    deck_crash_clear: DieChart[Literal["remove", "stays"]]
    inoperative_deck_repair: DieChart[Literal["stays", "remove"]]
    arrival_near_us_carriers: DieChart[Literal["other_zone", "other_hex_same_zone", "original_hex"]]
    land_reinforcement_check: DieChart[Literal["none", "reinforcement"]]
    refuel: DieChart[Literal["success", "fail"]]
    night_surface_surprise: DieChart[Literal["us_surprises", "none", "japanese_surprises"]]
    guam_shuttle: DieChart[Small]
    interception_fuel_level: DieChart[Small]
    us_fuel_expenditure: ValuesChart
    safe_return: DieChart[Literal["safe", "lost"]]
    us_air_to_air: ColumnChart[Small]
    japanese_air_to_air: ColumnChart[AirCode]
    strike_contact: ColumnChart[Contact]
    surprise: SurpriseChart
    japanese_cap_strength: ColumnChart[Small]
    anti_aircraft_fire: ColumnChart[AbortElim]
    air_attack_die_rolls: LookupChart[Dice]
    air_attack_damage: DieChart[Small]
    japanese_action_vs_battle_line: DieChart[BattleLineAction]
    carrier_operations_limits: NamedMatrixChart
    japanese_arrival_zone: DieChart[ArrivalZone]
    l1_chit_mix: MixChart
    l2_chits: ChitChart
    l3_chits: ChitChart
    known_air_strength_modifier: LookupChart[Small]
    l1_to_l2: FirstLevelChart
    l2_to_l3_carrier: SectionChart
    l2_to_l3_surface: ColumnChart[SurfaceCode]
    l3_to_l4: ColumnChart[CarrierMix]
    screen_generation: ScreenChart
    air_search: DieChart[SearchCode]
    air_raid_generation: RaidGenerationChart
    raid_strength_unknown: ColumnChart[Waves]
    raid_strength_known: KnownStrengthChart
    raid_strength_l3_l4_guam: ColumnChart[Waves]
    raid_strength_reduction: MatrixChart
    japanese_escort_fighters: ColumnChart[Small]
    intercept_range: DieChart[Small]
    butai_tracks: BoxesChart
    us_damage_effects: DamageChart
    japanese_damage_effects: FormulaChart
    fire_outbreak: DieChart[Literal["none", "fire"]]
    fire_spread: DieChart[FireSpread]
    commitment_l1: CommitmentOneChart
    commitment_l4: ValuesChart
    commitment_test: CommitmentTestChart
    commitment_defaults: ValuesChart
    submarine_contact: DieChart[Literal["fail", "contact"]]
    us_submarine_attack: DieChart[Small]
    us_submarine_hits: DieChart[Small | Literal["second_roll"]]
    us_submarine_hits_second: DieChart[Small | Literal["sunk"]]
    asw: DieChart[Literal["none", "pin 1", "pin 2", "second_roll"]]
    asw_second: DieChart[Literal["pin 2", "destroyed"]]
    japanese_submarine_attack: DieChart[Literal["none", "second_roll"]]
    japanese_submarine_attack_second: DieChart[
        Literal["1 hit", "2 hits", "2 hits + fire", "3 hits", "sunk"]
    ]
    land_reinforcement_strength: DieChart[Small]
    wind: DieChart[Wind]
    wind_second: DieChart[Wind]
    location_direction: DieChart[Direction | Literal["none"]]
    location_distance: DieChart[Small]
    surface_combat_fire: SurfaceFireChart
    vp_awards: ValuesChart
    vp_deductions: ValuesChart
    victory_levels: LookupChart[str]

    def chart(self, chart_id: str) -> Chart:
        """Return the chart with the given key.

        Raises:
            KeyError: There is no such chart.
        """
        chart = getattr(self, chart_id, None)
        if not isinstance(chart, Chart):
            raise KeyError(chart_id)
        return chart

    def all(self) -> tuple[Chart, ...]:
        """Return all charts in the order of appendix E."""
        return tuple(self.chart(name) for name in self.__struct_fields__)


class TablesFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The contents of `tables.json`."""

    schema_version: Literal[1]
    title: str
    tables: Charts

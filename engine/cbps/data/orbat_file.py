"""The schema of `orbat.json`: ships, air units, task groups, forces and chits of both sides (2.3)."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal, TypeAlias

import msgspec

from engine.cbps.charts.chart import Small
from engine.cbps.charts.results import LevelTwo, SurfaceCode
from engine.cbps.data.map_file import SourcedRow

FILE: Final = "orbat.json"

Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=999)]
ShipType: TypeAlias = Literal["CV", "CVL", "BB", "CLAA", "CruDiv", "Desron", "DesDiv"]
AirType: TypeAlias = Literal["F6F", "F6F-3", "SBD", "SB2C", "TBF", "TBM"]
JapaneseClass: TypeAlias = Literal["historical", "additional", "ghost"]
"""Availability of a Japanese ship. Ghost ships are used only in Scenario 9 (7.43)."""
Letter: TypeAlias = Annotated[str, msgspec.Meta(pattern="^[A-Z]$", max_length=1)]
Name: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=40)]


class AirTypeRow(SourcedRow, frozen=True, kw_only=True):
    """A type of US aircraft (2.36, 4.15)."""

    type: AirType
    role: Literal["fighter", "attack"]
    night: bool
    """True if the type can operate at night (22.0)."""
    attack: Count
    endurance: Count


class UsShipRow(SourcedRow, frozen=True, kw_only=True):
    """A US ship, or a division of ships."""

    id: Name
    name: str
    type: ShipType
    tg: str
    """The task group to which the ship belongs."""
    slot: Small | None = None
    """The carrier's slot on the group's display, or None for other ships (6.13)."""
    ship_class: Literal["historical", "scenario_9"] = msgspec.field(name="class")
    aa: Count
    damage_capacity: Annotated[int, msgspec.Meta(ge=1, le=99)]
    surface_attack: Count
    air_group: str = ""
    aircraft: Mapping[str, Count] = msgspec.field(default_factory=dict)
    members: str = ""
    """The ships that make up a division. Empty for a single ship."""

    @property
    def is_carrier(self) -> bool:
        """Return whether the ship is a CV or CVL."""
        return self.type in ("CV", "CVL")


class AirUnitRow(SourcedRow, frozen=True, kw_only=True):
    """A US air unit of twelve aircraft (2.34)."""

    id: Name
    name: str
    type: AirType
    carrier: str
    squadron: str = ""


class TaskGroupRow(SourcedRow, frozen=True, kw_only=True):
    """A US task group with its ships in order."""

    id: Name
    name: str
    display: bool
    carrier_slots: Count
    ships: tuple[str, ...]
    aa_total: Count
    """Total anti-aircraft value of all ships when undamaged."""
    aa_battleships: Count


class Submarine(SourcedRow, frozen=True, kw_only=True):
    """A US submarine (14.11)."""

    id: Name
    name: str


class Markers(SourcedRow, frozen=True, kw_only=True):
    """The number of markers of one kind in the game."""

    count: Count


class UsCounters(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The counters of the US side."""

    air_types: tuple[AirTypeRow, ...]
    ships: tuple[UsShipRow, ...]
    air_units: tuple[AirUnitRow, ...]
    task_groups: tuple[TaskGroupRow, ...]
    submarines: tuple[Submarine, ...]
    submarines_note: str = ""
    surface_tg_markers: Markers
    search_markers: Markers


class JapaneseShip(SourcedRow, frozen=True, kw_only=True):
    """A Japanese ship counter: a carrier, a battleship, or a force of cruisers or destroyers."""

    id: Name
    name: str
    type: Literal["CV", "CVL", "BB", "CA", "DD"]
    ship_class: JapaneseClass = msgspec.field(name="class", default="historical")
    damage_capacity: Annotated[int, msgspec.Meta(ge=1, le=99)]
    aa: Count
    surface_attack: Count
    air_value: Count = 0
    """The air points of a carrier."""
    commitment: Count = 0
    aircraft: Count = 0
    size: Count = 0
    """The number on a cruiser or destroyer counter (7.39)."""

    @property
    def is_carrier(self) -> bool:
        """Return whether the ship is a CV or CVL."""
        return self.type in ("CV", "CVL")


class ForceMarkers(SourcedRow, frozen=True, kw_only=True):
    """The letters of the force counters (7.1)."""

    letters: tuple[Letter, ...]


class ButaiRow(SourcedRow, frozen=True, kw_only=True):
    """The Butai displays (2.0)."""

    displays: tuple[Count, ...]
    raid_boxes: tuple[str, ...]


class NavalPoints(SourcedRow, frozen=True, kw_only=True):
    """The values of a naval air point (2.34, 5.75)."""

    aircraft_per_point: Count
    attack: Count
    attack_scenario_9: Count


class LandPoints(SourcedRow, frozen=True, kw_only=True):
    """The values of a land air point (2.34, 5.75)."""

    aircraft_per_point: Count
    attack: Count


class AirPoints(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The values of Japanese naval and land air points."""

    naval: NavalPoints
    land: LandPoints


class LevelTwoChit(SourcedRow, frozen=True, kw_only=True):
    """A level-2 chit with its Commitment Value (7.33, 13.13)."""

    id: LevelTwo | Literal["Kido Butai"]
    count: Count
    commitment: Count
    scenario: Count | None = None
    """The only scenario that uses the chit, or None for every scenario."""


class LevelThreeChit(SourcedRow, frozen=True, kw_only=True):
    """A level-3 carrier chit (7.331, 9.25, 13.13)."""

    id: Name
    cv: Count
    cvl: Count
    count: Count
    air_value: Count
    commitment: Count
    scenario: Count | None = None


class KidoButai(SourcedRow, frozen=True, kw_only=True):
    """The Kido Butai of Scenario 9 (7.43, 7.44)."""

    scenario: Count
    carriers: tuple[str, ...]
    screen: SurfaceCode


class Oilers(SourcedRow, frozen=True, kw_only=True):
    """The Japanese oilers (20.2)."""

    ids: tuple[Name, ...]


class JapaneseCounters(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The counters of the Japanese side."""

    carriers: tuple[JapaneseShip, ...]
    battleships: tuple[JapaneseShip, ...]
    battleships_note: str = ""
    cruiser_forces: tuple[JapaneseShip, ...]
    destroyer_forces: tuple[JapaneseShip, ...]
    force_draw_note: str = ""
    force_markers: ForceMarkers
    butai: ButaiRow
    air_points: AirPoints
    l2_chits: tuple[LevelTwoChit, ...]
    l3_chits: tuple[LevelThreeChit, ...]
    l3_note: str = ""
    kido_butai: KidoButai
    oilers: Oilers


class OrbatFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The contents of `orbat.json`."""

    format: Literal["cbps-orbat/1"]
    title: str
    us: UsCounters
    japan: JapaneseCounters

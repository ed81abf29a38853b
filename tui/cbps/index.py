"""An index of a player's view, for finding units, ships and upcoming phases."""

from collections.abc import Iterable
from typing import Final

import msgspec

from engine.cbps.data.orbat_file import AirType
from engine.cbps.game_data import GameData
from engine.cbps.ids import Place
from engine.cbps.locations import (
    all_carriers,
    carriers_in_group,
    groups_in,
    nearest_carrier_groups,
    ship_hex,
    units_at,
)
from engine.cbps.planner.moments import Moment, Table, moment_after, state_from_view
from engine.cbps.view import CbpsView

LIGHT_MARKS: Final = {"day": "o", "dusk": "-", "night": "*"}


def moment_text(moment: Moment | None) -> str:
    """Return a phase in short form, such as ``0930/3 day``."""
    if moment is None:
        return "after the end of the scenario"
    return f"{moment.time}/{moment.phase} {moment.light}"


class Index(msgspec.Struct, frozen=True, eq=False):
    """Finds units, ships and distances in one view."""

    view: CbpsView
    table: Table
    """The game state used by the rules engine, rebuilt from the view."""

    @property
    def game_data(self) -> GameData:
        """The game data of the match."""
        return self.table.game_data

    def units(self, place: Place, location: str) -> tuple[str, ...]:
        """Return the air units in a box of a carrier, in a mission or in a search."""
        return units_at(self.table, place, location)

    def air_type(self, unit: str) -> AirType:
        """Return the type of an air unit, such as ``F6F``."""
        return self.game_data.air_units[unit].type

    def carriers(self, group: str) -> tuple[str, ...]:
        """Return a task group's surviving carriers, in display order (6.13)."""
        carriers_at_sea = carriers_in_group(self.table, group)
        return tuple(name for name in all_carriers(self.game_data) if name in carriers_at_sea)

    def carrier_groups(self) -> tuple[str, ...]:
        """Return the task groups that have carriers, in their usual order."""
        return tuple(name for name in self.view.groups if self.carriers(name))

    def ship_hex(self, ship: str) -> str:
        """Return a US ship's hex; empty if the ship has been sunk."""
        return ship_hex(self.table, ship)

    def groups_at(self, hex: str) -> tuple[str, ...]:
        """Return the task groups that have a surviving ship in a hex."""
        return groups_in(self.table, hex)

    def missions_at(self, hex: str) -> tuple[str, ...]:
        """Return the missions in a hex, except CAP."""
        return tuple(name for name, mission in self.view.missions.items() if mission.hex == hex)

    def cap_missions(self, group: str) -> tuple[str, ...]:
        """Return the CAP missions over a group (4.33)."""
        return tuple(name for name, mission in self.view.missions.items() if mission.cap == group)

    def mission_units(self, mission: str) -> tuple[str, ...]:
        """Return the air units in a mission."""
        return self.units("mission", mission)

    def distance(self, start_hex: str, end_hex: str) -> int:
        """Return the distance between two hexes."""
        return self.game_data.map.grid.distance(start_hex, end_hex)

    def nearest_home(self, hex: str) -> tuple[str, int] | None:
        """Return the nearest task group with a carrier and its distance in hexes; None if no group has a carrier."""
        groups = nearest_carrier_groups(self.table, hex)
        if not groups:
            return None
        return groups[0], self.distance(hex, self.view.groups[groups[0]].hex)

    # -- time

    def phase_after(self, phases: int) -> Moment | None:
        """Return the phase reached after a number of further phases; None if the scenario ends before then."""
        return moment_after(self.table, phases)

    def light_marks(self) -> str:
        """Return the light in the four phases of this turn, with the current phase in brackets: ``o[o]oo``."""
        marks = [
            LIGHT_MARKS[light]
            for light in self.game_data.charts.turn_track.turn(self.view.time).light
        ]
        current_index = self.view.phase - 1
        return "".join(
            f"[{mark}]" if phase == current_index else mark for phase, mark in enumerate(marks)
        )


class Indexer:
    """Caches the index of the latest view, because building an index rebuilds the whole game state."""

    def __init__(self) -> None:
        self._latest_index: Index | None = None

    def get(self, view: CbpsView) -> Index:
        """Return the index for a view."""
        # Views are never modified, so the index is outdated only if the view is a different object.
        if self._latest_index is None or self._latest_index.view is not view:
            self._latest_index = Index(view, state_from_view(view))
        return self._latest_index


def first_or_empty(texts: Iterable[str]) -> str:
    """Return the first of several strings, or an empty string if there are none."""
    return next(iter(texts), "")

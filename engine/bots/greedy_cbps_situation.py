"""Computes data about the current situation from the view for the greedy Carrier Battle bot."""

from collections.abc import Mapping
from functools import cached_property
from typing import Final

from engine.bots.greedy_cbps_stance import USUAL_STANCE, Stance
from engine.cbps.game_data import GameData, load_game_data
from engine.cbps.geometry import HexMap
from engine.cbps.view import CbpsView

PHASES: Final = 4
"""Number of Action Phases in a turn."""
_LAUNCH_DECK_SIZES: Final = {"CV": 2, "CVL": 1}
"""Maximum number of units on the flight deck that still allows launches, by carrier type (6.22)."""
_DEFENCE_SCENARIOS: Final = ("1", "3")
"""Scenarios where only fighters fly missions."""
_RECONNAISSANCE_SCENARIO: Final = "4"
"""The scenario about finding and identifying enemy forces."""


class CbpsSituation:
    """The situation at one decision. Derived values are cached."""

    def __init__(self, view: CbpsView, stance: Stance = USUAL_STANCE) -> None:
        """Create the situation that a view shows.

        Args:
            view: The view.
            stance: The commander's style of play.
        """
        self.view = view
        self.stance = stance
        self.game_data: GameData = load_game_data(view.overlay)
        self.grid: HexMap = self.game_data.map.grid
        self.distance = self.grid.distance

    @property
    def is_defence(self) -> bool:
        """Return whether the scenario is defensive. Strikes do not fly in such a scenario."""
        return self.view.scenario in _DEFENCE_SCENARIOS

    @property
    def is_reconnaissance(self) -> bool:
        """Return whether strikes only have to make contact with forces. Losses cost nothing in that case."""
        return self.view.scenario == _RECONNAISSANCE_SCENARIO

    # -- time

    @property
    def is_day(self) -> bool:
        """Return whether it is day."""
        return self.view.light == "day"

    @cached_property
    def phases_left(self) -> int:
        """Return the number of Action Phases left in the scenario after this one."""
        turns = len(self.game_data.scenarios[self.view.scenario].turns)
        return (turns - self.view.turn) * PHASES - self.view.phase

    @cached_property
    def phases_to_dusk(self) -> int:
        """Return the number of phases until dusk or the end of the scenario, whichever comes first; 0 if it is dark."""
        scenario, track = (
            self.game_data.scenarios[self.view.scenario],
            self.game_data.charts.turn_track,
        )
        phases = 0
        for number in range(self.view.turn, len(scenario.turns)):
            light = track.turn(scenario.turns[number][1]).light
            start = self.view.phase - 1 if number == self.view.turn else 0
            for lighting in light[start:]:
                if lighting != "day":
                    return phases
                phases += 1
        return phases

    # -- air units

    @cached_property
    def units_by_place(self) -> Mapping[tuple[str, str], tuple[str, ...]]:
        """Return the units at each location.

        The key is the kind of place and the name of the carrier, mission or search.
        """
        units: dict[tuple[str, str], list[str]] = {}
        for name, unit in self.view.units.items():
            units.setdefault((unit.place, unit.at), []).append(name)
        return {key: tuple(names) for key, names in units.items()}

    def units_at(self, place: str, location: str) -> tuple[str, ...]:
        """Return the units that are in a carrier's box, on a mission or on a search."""
        return self.units_by_place.get((place, location), ())

    def is_attacker(self, unit: str) -> bool:
        """Return whether a unit carries bombs or torpedoes."""
        return self.game_data.air_types[self.game_data.air_units[unit].type].role == "attack"

    def endurance(self, unit: str) -> int:
        """Return a unit's fuel at launch."""
        return self.game_data.air_types[self.game_data.air_units[unit].type].endurance

    def attackers(self, mission: str) -> int:
        """Return the number of attackers in a mission."""
        return sum(self.is_attacker(unit) for unit in self.units_at("mission", mission))

    # -- carriers and groups

    @cached_property
    def carriers(self) -> tuple[str, ...]:
        """Return the carriers that are afloat and in a group, in display order."""
        return tuple(
            name
            for name, ship in self.view.ships.items()
            if self.game_data.us_ships[name].is_carrier and ship.group and not ship.is_sunk
        )

    def carrier_hex(self, carrier: str) -> str:
        """Return a carrier's hex."""
        return self.view.groups[self.view.ships[carrier].group].hex

    @cached_property
    def carrier_hexes(self) -> tuple[str, ...]:
        """Return the hexes with carriers. Each hex occurs once."""
        return tuple(dict.fromkeys(self.carrier_hex(name) for name in self.carriers))

    @cached_property
    def task_force_hex(self) -> str:
        """Return the hex of TF 58 or, if all groups are detached, of the first group."""
        groups = self.view.groups.values()
        return next(
            (group.hex for group in groups if not group.is_detached), next(iter(groups)).hex
        )

    def nearest_carrier_hex(self, hex_id: str) -> str:
        """Return the nearest hex with a carrier. If no carriers are left, return the given hex."""
        return min(
            self.carrier_hexes,
            key=lambda carrier_hex: self.distance(hex_id, carrier_hex),
            default=hex_id,
        )

    def deck_size(self, carrier: str) -> int:
        """Return how many units may be on a flight deck without blocking launches (6.22)."""
        return _LAUNCH_DECK_SIZES[self.game_data.us_ships[carrier].type]

    def deck_unit_count(self, carrier: str) -> int:
        """Return how many units are on a flight deck."""
        return len(self.units_at("ready", carrier)) + len(self.units_at("landed", carrier))

    def landing_room(self, carrier: str, unit_count: int) -> int:
        """Return how many units can land in one phase on a flight deck that has the given number of units (6.22)."""
        kind = self.game_data.us_ships[carrier].type
        limits = self.game_data.charts.carrier_operations_limits
        room = limits.look_up("flight_deck", kind) - unit_count
        return max(0, min(limits.look_up("launch_or_land", kind), room))

    def is_closed(self, carrier: str) -> bool:
        """Return whether markers prevent all air operations on a carrier."""
        ship = self.view.ships[carrier]
        return bool(ship.fires) or ship.is_inoperative or ship.is_crashed

    # -- missions

    def mission_hex(self, mission: str) -> str:
        """Return a mission's hex. For CAP, this is the group's hex."""
        mission_view = self.view.missions[mission]
        return self.view.groups[mission_view.cap].hex if mission_view.cap else mission_view.hex

    def cap_units(self, group: str) -> int:
        """Return the number of CAP units over a group."""
        return sum(
            len(self.units_at("mission", name))
            for name, mission in self.view.missions.items()
            if mission.cap == group
        )

    @cached_property
    def raids(self) -> tuple[str, ...]:
        """Return the raids heading for US ships, nearest first."""
        goals = self.view.groups.keys() | self.view.ships.keys()
        raids = [
            name
            for name, raid in self.view.raids.items()
            if raid.kind == "raid"
            and not raid.is_home
            and (raid.target in goals or not raid.target)
        ]
        return tuple(sorted(raids, key=lambda name: (self.raid_range(name), name)))

    def raid_range(self, raid: str) -> int:
        """Return a raid's distance from the nearest carriers."""
        return min(
            (self.distance(self.view.raids[raid].hex, hex_id) for hex_id in self.carrier_hexes),
            default=0,
        )

    @cached_property
    def raid_points(self) -> int:
        """Return the total points of the raids heading for US ships."""
        return sum(self.view.raids[raid].points for raid in self.raids)

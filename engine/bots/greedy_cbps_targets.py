"""Values Japanese forces for the greedy Carrier Battle bot, and finds the forces within reach of strikes."""

from typing import Final

from engine.bots.greedy_cbps_situation import PHASES, CbpsSituation

IDENTIFICATION_VALUE: Final = 3
"""Value of a force that a strike could identify further, in the scenario about identification (Scenario 4)."""
ONE_WAY_HEXES: Final = 12
"""Maximum distance, in hexes, to the target of a strike that need not return."""
_TOP_LEVEL: Final = {True: 4, False: 3}
"""Highest detection level of forces with carriers (True) and without carriers (False)."""
_CHIT_VALUES: Final = {"Carrier": 30, "Large": 16, "Medium": 10, "Small": 6}
"""Expected value of a level-1 chit, in victory points."""
_SHIP_VALUES: Final = {"CV": 25, "CVL": 15}
_EXIT_VALUES: Final = {"CV": 20, "CVL": 20, "BB": 15, "CA": 8, "DD": 8}
"""Points lost for each enemy ship that reaches the invasion fleet (15.1)."""
_DETECTION_DURATION: Final = {"": 0, "?": 1, "L": 2, "S": 3}
"""Number of activations after which a force is no longer detected, by its detection marker."""
_LONE_CRIPPLE_VALUE: Final = 8
"""Value of a crippled carrier outside any force."""
_INVADER_VALUE: Final = 14
"""Value of a surface force approaching the invasion fleet."""
_NEAR_SAIPAN_HEXES: Final = 8


class TargetAnalysis:
    """Determines the value of each force on the map, and the forces that strikes can reach."""

    def __init__(self, situation: CbpsSituation) -> None:
        """Create the analysis of the current situation."""
        self.situation = situation
        self._target_values: dict[str, int] = {}
        self.min_target_value = (
            IDENTIFICATION_VALUE
            if situation.is_reconnaissance
            else situation.stance.min_target_value
        )
        self.max_strike_distance = (
            ONE_WAY_HEXES if situation.is_reconnaissance else situation.stance.max_strike_distance
        )

    def target_value(self, name: str) -> int:
        """Return the expected value of attacking a force or a lone crippled ship, in victory points."""
        if name not in self._target_values:
            self._target_values[name] = self._compute_target_value(name)
        return self._target_values[name]

    def _compute_target_value(self, name: str) -> int:
        situation = self.situation
        force = situation.view.forces.get(name)
        if situation.is_reconnaissance and force is not None:
            # At level 1, a force may still turn out to have carriers.
            is_surface = force.level > 1 and not force.is_carrier
            return IDENTIFICATION_VALUE if force.level < _TOP_LEVEL[not is_surface] else 0
        if force is None:
            ship = situation.game_data.japanese_ships.get(name)
            return _LONE_CRIPPLE_VALUE if ship is not None and ship.type in _SHIP_VALUES else 0
        hulls = [ship for ship, hull in situation.view.hulls.items() if hull.force == name]
        if hulls and (force.level >= 4 or not force.is_carrier):  # noqa: PLR2004  # the ships are known
            return sum(self.ship_points(ship) for ship in hulls) + self.invader_value(name)
        if force.is_carrier:
            chits = (
                situation.game_data.level_two
                if force.level == 2  # noqa: PLR2004
                else situation.game_data.level_three
            )
            chit = chits.get(force.chit)
            return 16 + 6 * chit.commitment if chit is not None else _CHIT_VALUES["Carrier"]
        if force.level == 1:
            return max(_CHIT_VALUES.get(force.chit, 0), self.invader_value(name))
        return self.invader_value(name) if force.level else 3

    def ship_points(self, ship: str) -> int:
        """Return the points that can still be scored for a Japanese carrier that is afloat."""
        hull = self.situation.view.hulls[ship]
        ship_data = self.situation.game_data.japanese_ships[ship]
        if hull.fate or hull.hex or ship_data.type not in _SHIP_VALUES:
            return 0
        hits = hull.hits.total
        return 3 if hits >= ship_data.damage_capacity else _SHIP_VALUES[ship_data.type] - 2 * hits

    def invader_value(self, name: str) -> int:
        """Return the value of stopping a force on its way to the invasion fleet (7.23)."""
        situation = self.situation
        range_ = situation.distance(situation.view.forces[name].hex, situation.game_data.map.saipan)
        if range_ > min(_NEAR_SAIPAN_HEXES, situation.phases_left // PHASES):
            return 0
        ships = [ship for ship, hull in situation.view.hulls.items() if hull.force == name]
        if not ships:
            return _INVADER_VALUE
        return sum(_EXIT_VALUES[situation.game_data.japanese_ships[ship].type] for ship in ships)

    def detected(self) -> dict[str, str]:
        """Return the detected targets that are worth a strike, with their hexes."""
        situation = self.situation
        detected_forces = {
            name: force.hex
            for name, force in situation.view.forces.items()
            if force.detection and self.target_value(name) >= self.min_target_value
        }
        for name, hull in situation.view.hulls.items():
            if hull.hex and not hull.fate and self.target_value(name):
                detected_forces[name] = hull.hex
        return detected_forces

    def known_carriers(self) -> dict[str, str]:
        """Return all worthwhile forces that are known to have carriers, with their hexes.

        The forces need not be detected.
        """
        forces = self.situation.view.forces
        return {
            name: force.hex
            for name, force in forces.items()
            if force.is_carrier and self.target_value(name) >= self.min_target_value
        }

    def invaders(self) -> dict[str, str]:
        """Return the forces that may reach the invasion fleet in time, with their hexes."""
        forces = self.situation.view.forces
        return {name: force.hex for name, force in forces.items() if self.invader_value(name)}

    # -- reach

    def stays_detected(self, name: str, phases: int) -> bool:
        """Return whether a force will probably still be detected after the given number of phases (8.14)."""
        force = self.situation.view.forces.get(name)
        if force is None:
            return True
        turns = (self.situation.view.phase - 1 + phases) // PHASES
        return turns + (not force.has_acted) <= _DETECTION_DURATION[force.detection]

    def outbound_phases(self, hexes: int) -> int:
        """Return the number of phases that a fast flight over the given distance takes."""
        return (hexes + 1) // 2

    def return_fuel(self, hex_id: str) -> int:
        """Return the fuel needed for a slow return flight and the landing.

        It is assumed that the carriers move closer.
        """
        if self.situation.is_reconnaissance:
            return 0
        return_distance = self.situation.distance(
            hex_id, self.situation.nearest_carrier_hex(hex_id)
        )
        return return_distance - return_distance // (PHASES + 1) + 1

    def launch_targets(self, fuel: int) -> list[str]:
        """Return the targets for a new strike, best first."""
        situation = self.situation
        ranked_options = []
        for name, hex_id in self.detected().items():
            distance_out = situation.distance(situation.task_force_hex, hex_id)
            if (
                distance_out > self.max_strike_distance
                or situation.phases_left < self.outbound_phases(distance_out) + 1
            ):
                continue
            fuel_left = fuel - distance_out - 1 - self.return_fuel(hex_id)
            if fuel_left >= -situation.stance.max_critical_box and self.stays_detected(
                name, self.outbound_phases(distance_out)
            ):
                ranked_options.append((2 * distance_out - self.target_value(name), name))
        return [name for _, name in sorted(ranked_options)]

    def mission_target(self, mission: str) -> str:
        """Return the target that a strike should continue to, or an empty string if the strike should return."""
        situation = self.situation
        mission_view = situation.view.missions[mission]
        if mission_view.is_flipped or not situation.attackers(mission):
            return ""
        best_target, value = "", 0
        for name, hex_id in self.detected().items():
            distance_out = situation.distance(mission_view.hex, hex_id)
            if (
                distance_out > self.max_strike_distance
                or situation.phases_left < self.outbound_phases(distance_out)
            ):
                continue
            if (
                mission_view.fuel - distance_out - 1 - self.return_fuel(hex_id)
                < -situation.stance.max_critical_box
            ):
                continue
            mission_value = self.target_value(name) - 3 * distance_out + 40
            if mission_value > value:
                best_target, value = name, mission_value
        return best_target

    def target_hex(self, target: str) -> str:
        """Return a target's hex."""
        force = self.situation.view.forces.get(target)
        return force.hex if force is not None else self.situation.view.hulls[target].hex

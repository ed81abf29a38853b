"""Sets up the units for the greedy Carrier Battle bot (6.22, 14.11)."""

from typing import Final

from engine.bots.greedy_cbps_orders import Answer, Options, options_of_kind
from engine.bots.greedy_cbps_situation import CbpsSituation
from engine.bots.greedy_cbps_targets import TargetAnalysis
from engine.cbps import commands as orders

CAP_AT_START: Final = 3
"""Number of CAP units over each carrier group (4.33)."""
_SCALE: Final = 100


class SetupSituation:
    """Plans the set-up before the first turn."""

    def __init__(self, situation: CbpsSituation, targets: TargetAnalysis) -> None:
        """Create the planner for the current situation."""
        self.situation = situation
        self.targets = targets

    def next_placement(self, options: Options) -> Answer:
        """Return the command that places the next unit or strike, or None if the set-up is complete."""
        places = options_of_kind(options, orders.Place)
        return (
            self._fill_cap(options_of_kind(options, orders.Cap))
            or (self._replace_attackers(places) if self.situation.is_defence else None)
            or self._prepare_strike(options_of_kind(options, orders.Station))
        )

    def _fill_cap(self, caps: list[orders.Cap]) -> Answer:
        """Fill the CAP boxes. Each group has one CAP mission."""
        situation = self.situation
        for option in () if situation.is_reconnaissance else caps:
            group = situation.view.ships[situation.view.units[option.unit].at].group
            is_new = option.mission not in situation.view.missions
            if situation.cap_units(group) < CAP_AT_START and not (
                is_new and situation.cap_units(group)
            ):
                return option
        return None

    def _replace_attackers(self, placements: list[orders.Place]) -> Answer:
        """Replace attackers on deck with fighters. Attackers are useless in a defensive scenario."""
        situation = self.situation
        for option in placements:
            carrier = situation.view.units[option.unit].at
            waiting_attackers = (
                *situation.units_at("hangar", carrier),
                *situation.units_at("servicing", carrier),
            )
            fighters = [unit for unit in waiting_attackers if not situation.is_attacker(unit)]
            attackers = [
                unit for unit in situation.units_at("ready", carrier) if situation.is_attacker(unit)
            ]
            if not fighters:
                continue
            is_fighter = not situation.is_attacker(option.unit)
            if option.box == "hangar" and option.unit in attackers:
                return option
            has_room = situation.deck_unit_count(carrier) < situation.deck_size(carrier)
            if option.box == "ready" and has_room and is_fighter:
                return option
        return None

    def _prepare_strike(self, stations: list[orders.Station]) -> Answer:
        """Send all strikes to the force with the carriers that are easiest to sink (Scenario 2)."""
        situation = self.situation
        strikes = [option for option in stations if option.name in situation.view.missions]
        if not strikes:
            return None
        best_force = max(situation.view.forces, key=self._carrier_hit_value)
        goal = situation.view.forces[best_force].hex
        return next((option for option in strikes if option.hex == goal), None)

    def _carrier_hit_value(self, force: str) -> int:
        """Return the value, in points, of a hit on a force's carriers."""
        situation = self.situation
        ships = [ship for ship, hull in situation.view.hulls.items() if hull.force == force]
        return sum(
            _SCALE
            * self.targets.ship_points(ship)
            // situation.game_data.japanese_ships[ship].damage_capacity
            for ship in ships
        )

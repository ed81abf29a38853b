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
    """The situation before the first turn."""

    def __init__(self, now: CbpsSituation, targets: TargetAnalysis) -> None:
        """Initialise for the current situation."""
        self.now = now
        self.targets = targets

    def next_placement(self, options: Options) -> Answer:
        """Return the command that moves the next unit or strike, or None if the set-up is complete."""
        places = options_of_kind(options, orders.Place)
        return (
            self._cap(options_of_kind(options, orders.Cap))
            or (self._fighters(places) if self.now.is_defence else None)
            or self._strike(options_of_kind(options, orders.Station))
        )

    def _cap(self, found: list[orders.Cap]) -> Answer:
        """Fill the CAP boxes, with one mission per group."""
        now = self.now
        for option in () if now.is_reconnaissance else found:
            group = now.view.ships[now.view.units[option.unit].at].group
            is_new = option.mission not in now.view.missions
            if now.cap_units(group) < CAP_AT_START and not (is_new and now.cap_units(group)):
                return option
        return None

    def _fighters(self, found: list[orders.Place]) -> Answer:
        """Replace attackers on deck with fighters, because attackers are useless in a defensive scenario."""
        now = self.now
        for option in found:
            carrier = now.view.units[option.unit].at
            waiting = (*now.units_at("hangar", carrier), *now.units_at("servicing", carrier))
            fighters = [unit for unit in waiting if not now.is_attacker(unit)]
            attackers = [unit for unit in now.units_at("ready", carrier) if now.is_attacker(unit)]
            if not fighters:
                continue
            is_fighter = not now.is_attacker(option.unit)
            if option.box == "hangar" and option.unit in attackers:
                return option
            has_room = now.on_deck(carrier) < now.deck_size(carrier)
            if option.box == "ready" and has_room and is_fighter:
                return option
        return None

    def _strike(self, found: list[orders.Station]) -> Answer:
        """Send all strikes to the force whose carriers are easiest to sink (Scenario 2)."""
        now = self.now
        strikes = [option for option in found if option.name in now.view.missions]
        if not strikes:
            return None
        best = max(now.view.forces, key=self._carrier_hit_value)
        goal = now.view.forces[best].hex
        return next((option for option in strikes if option.hex == goal), None)

    def _carrier_hit_value(self, force: str) -> int:
        """Return the value, in points, of a hit on a force's carriers."""
        now = self.now
        ships = [ship for ship, hull in now.view.hulls.items() if hull.force == force]
        return sum(
            _SCALE * self.targets.ship_points(ship) // now.book.japanese_ships[ship].damage_capacity
            for ship in ships
        )

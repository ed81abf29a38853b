"""Moves ships and submarines for the greedy Carrier Battle bot (6.3, 14.1)."""

from typing import Final

from engine.bots.greedy_cbps_orders import Answer, Options, options_of_kind
from engine.bots.greedy_cbps_situation import CbpsSituation
from engine.bots.greedy_cbps_targets import TargetAnalysis
from engine.cbps import commands as orders
from engine.cbps.ids import TASK_FORCE

SUBMARINE_RANGE: Final = 4
"""Maximum distance, in hexes, between a submarine and a force that it pursues."""


class FleetPlanner:
    """Plans the moves of ships and submarines for one decision."""

    def __init__(self, situation: CbpsSituation, targets: TargetAnalysis) -> None:
        """Create the planner for the current situation."""
        self.situation = situation
        self.targets = targets

    def sail(self, options: Options) -> Answer:
        """Move towards the nearest known carriers. If no carriers are known, move west by day."""
        situation = self.situation
        moves = [
            command
            for command in options_of_kind(options, orders.Sail)
            if command.group == TASK_FORCE and self._covers_invasion(command.hex)
        ]
        if not moves:
            return None
        start_hex = situation.task_force_hex
        if self._forces_to_approach():
            best_move = max(moves, key=lambda command: self._attraction(command.hex))
            return (
                best_move if self._attraction(best_move.hex) > self._attraction(start_hex) else None
            )
        if int(start_hex[2:]) >= situation.stance.westernmost_column or not situation.is_day:
            return None
        west = situation.grid.neighbour(start_hex, "W")
        return next((command for command in moves if command.hex == west), None)

    def _covers_invasion(self, hex_id: str) -> bool:
        """Return whether a hex is close enough to cover the invasion fleet. Also True if the fleet needs no cover."""
        situation = self.situation
        saipan = situation.game_data.map.saipan
        distance = situation.distance(hex_id, saipan)
        is_nearer = distance < situation.distance(situation.task_force_hex, saipan)
        return (
            distance <= situation.stance.max_saipan_distance
            or is_nearer
            or situation.phases_left <= situation.stance.covered_phases
        )

    def _forces_to_approach(self) -> dict[str, str]:
        """Return the forces to approach, with their hexes.

        These are the invaders and the known carriers. If no carriers are known, detected forces take their place.
        """
        targets = self.targets.known_carriers() or self.targets.detected()
        return {**targets, **self.targets.invaders()}

    def _attraction(self, hex_id: str) -> int:
        """Return a hex's value. It rises as valuable forces get closer, down to the minimum useful distance."""
        total = 0
        for name, force_hex in self._forces_to_approach().items():
            distance = max(
                self.situation.distance(hex_id, force_hex),
                self.situation.stance.min_useful_distance,
            )
            total += 1_000 * self.targets.target_value(name) // (distance * distance)
        return total

    # -- submarines

    def order_submarines(self, options: Options) -> Answer:
        """Attack carriers, shadow other forces, or move towards a force."""
        situation = self.situation
        torpedoes = options_of_kind(options, orders.Torpedo)
        shadows = options_of_kind(options, orders.Shadow)
        if torpedoes and shadows:
            contact = getattr(situation.view.frames[-1], "contact", "")
            return torpedoes[0] if self._is_worth_torpedoes(contact) else shadows[0]
        for option in torpedoes:
            boat = situation.view.boats[option.boat]
            if not boat.shadowing or self._is_worth_torpedoes(boat.shadowing):
                return option
        contacts = options_of_kind(options, orders.Contact)
        if contacts:
            return max(contacts, key=lambda option: self.targets.target_value(option.target))
        return self._pursue(options_of_kind(options, orders.Hunt))

    def _is_worth_torpedoes(self, name: str) -> bool:
        """Return whether a force or a lone ship is worth torpedoes."""
        force = self.situation.view.forces.get(name)
        return force is None or force.is_carrier

    def _pursue(self, hunt_options: list[orders.Hunt]) -> Answer:
        """Move a submarine towards the best force nearby."""
        situation = self.situation
        ranked_options = []
        for option in hunt_options:
            start_hex = situation.view.boats[option.boat].hex
            for name, force in situation.view.forces.items():
                distance = situation.distance(start_hex, force.hex)
                if (
                    0 < distance <= SUBMARINE_RANGE
                    and situation.distance(option.hex, force.hex) < distance
                ):
                    ranked_options.append((self.targets.target_value(name) - 6 * distance, option))
        return max(ranked_options, key=lambda entry: entry[0])[1] if ranked_options else None

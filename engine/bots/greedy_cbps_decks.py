"""Operates the flight decks for the greedy Carrier Battle bot: raises, services, lowers and lands units (6.25-6.28)."""

from collections.abc import Sequence
from functools import cached_property
from typing import Final

from engine.bots.greedy_cbps_launch import LaunchPlanner
from engine.bots.greedy_cbps_orders import Answer, Options, options_of_kind
from engine.bots.greedy_cbps_situation import CbpsSituation
from engine.bots.greedy_cbps_targets import TargetAnalysis
from engine.cbps import commands as orders

MANY_NIGHT_LANDINGS: Final = 14
"""The lights are switched on if at least this many units are waiting to land in the dark."""
RECOVERY_HEXES: Final = 3
"""Decks are kept free for a returning strike if it is at most this many hexes from home."""
LOW_INTERCEPTOR_FUEL: Final = 3
"""An interceptor lands even during a raid if it has at most this much fuel."""
_LAST_PHASES: Final = 6
"""Number of final phases of a defensive scenario in which attackers are raised first.

Attackers that are ready when the scenario ends score points.
"""
_CAP_LANDING_PHASES: Final = 3
"""CAP stays in the air if at least this many phases remain until dusk."""


class DeckPlanner:
    """Plans the flight deck operations for one decision in the US Air Operations Segment."""

    def __init__(self, situation: CbpsSituation, targets: TargetAnalysis) -> None:
        """Create the planner for the current situation."""
        self.situation = situation
        self.targets = targets

    def next_operation(self, options: Options) -> Answer:
        """Return the next deck operation (launches first, landings last), or None if no operation is useful."""
        return (
            self._choose_lights(options)
            or self.launches.next_launch(options)
            or self._choose_raise(options_of_kind(options, orders.Raise))
            or self._choose_servicing(options_of_kind(options, orders.Service))
            or self._choose_lowering(options_of_kind(options, orders.Lower))
            or self._choose_landing(options_of_kind(options, orders.Land))
        )

    @cached_property
    def launches(self) -> LaunchPlanner:
        """Return the launch planner. It skips carriers that keep their decks free for landings."""
        return LaunchPlanner(self.situation, self.targets, self.recovering_carriers)

    # -- returning aircraft

    @cached_property
    def waiting_to_land(self) -> frozenset[str]:
        """Return the units that are over carriers and should land now."""
        situation = self.situation
        waiting_units: list[str] = []
        for name in situation.view.missions:
            if situation.mission_hex(name) in situation.carrier_hexes and self._is_done(name):
                waiting_units.extend(situation.units_at("mission", name))
        return frozenset(waiting_units)

    def _is_done(self, mission: str) -> bool:
        """Return whether a mission has nothing left to do, so that its units should land."""
        situation = self.situation
        mission_view = situation.view.missions[mission]
        if mission_view.kind == "strike":
            return not mission_view.is_fresh and not self.targets.mission_target(mission)
        if mission_view.cap:
            if situation.is_reconnaissance:
                return True
            return not situation.raids and situation.phases_to_dusk < _CAP_LANDING_PHASES
        return not situation.raids or mission_view.fuel <= LOW_INTERCEPTOR_FUEL

    @cached_property
    def incoming_units(self) -> int:
        """Return the number of units due to land next phase: strikes near home, and searches on their last leg."""
        situation = self.situation
        incoming_count = sum(
            len(situation.units_at("mission", name))
            for name, mission in situation.view.missions.items()
            if mission.kind == "strike" and mission.is_flipped and self._is_near(mission.hex)
        )
        return incoming_count + max(self.returning_searches - self.landing_capacity, 0)

    def _is_near(self, hex_id: str) -> bool:
        """Return whether a hex is near the carriers but not one of their hexes."""
        return (
            0
            < self.situation.distance(hex_id, self.situation.nearest_carrier_hex(hex_id))
            <= RECOVERY_HEXES
        )

    @cached_property
    def returning_searches(self) -> int:
        """Return how many search units will land in the next Search Segment."""
        situation = self.situation
        return sum(
            len(situation.units_at("search", name))
            for name, search in situation.view.searches.items()
            if search.is_back
            and situation.distance(search.hex, situation.view.groups[search.group].hex) <= 4  # noqa: PLR2004  # one leg
        )

    @cached_property
    def recovering_carriers(self) -> frozenset[str]:
        """Return the carriers whose decks must stay free for landings in this phase or the next."""
        situation = self.situation
        needed_spaces = len(self.waiting_to_land) + self.incoming_units
        recovering_units: list[str] = []
        open_decks = [
            name
            for name in situation.carriers
            if not situation.is_closed(name) and not situation.view.ships[name].launched
        ]
        # The emptiest decks come first, so that as few carriers as possible are kept from
        # launching.
        for name in sorted(open_decks, key=self._units_on_deck):
            if needed_spaces <= 0:
                break
            room = situation.landing_room(name, self._units_on_deck(name))
            if room:
                recovering_units.append(name)
                needed_spaces -= room
        return frozenset(recovering_units)

    def _units_on_deck(self, carrier: str) -> int:
        situation = self.situation
        waiting_count = min(
            len(situation.units_at("landed", carrier)), situation.deck_size(carrier)
        )
        return situation.deck_unit_count(carrier) - waiting_count

    # -- deck operations

    def _choose_lights(self, options: Options) -> Answer:
        """Switch on the lights if many units return in the dark."""
        situation = self.situation
        if situation.is_day or len(self.waiting_to_land) < MANY_NIGHT_LANDINGS:
            return None
        return next(iter(options_of_kind(options, orders.LightUp)), None)

    def _choose_raise(self, raise_options: Sequence[orders.Raise]) -> Answer:
        """Choose a unit to raise, if its deck has room for another launch. Decks reserved for landings are skipped."""
        situation = self.situation
        ranked_options = []
        for option in raise_options:
            carrier = situation.view.units[option.unit].at
            size = situation.deck_size(carrier) + int(self._is_last_launch_over)
            if carrier in self.recovering_carriers or situation.deck_unit_count(carrier) >= size:
                continue
            ranked_options.append((self._readiness_rank(option.unit, carrier), option.unit, option))
        return min(ranked_options, key=lambda entry: entry[:2])[2] if ranked_options else None

    @property
    def _is_last_launch_over(self) -> bool:
        """Return whether a defensive scenario has no launches left. Decks may then be filled completely."""
        return (
            self.situation.is_defence
            and self.situation.phases_left <= 1
            and not self.situation.raids
        )

    def _choose_servicing(self, services: Sequence[orders.Service]) -> Answer:
        """Choose the unit to fuel and arm next."""
        situation = self.situation
        ranked_options = [
            (
                self._readiness_rank(option.unit, situation.view.units[option.unit].at),
                option.unit,
                option,
            )
            for option in services
        ]
        return min(ranked_options, key=lambda entry: entry[:2])[2] if ranked_options else None

    def _readiness_rank(self, unit: str, carrier: str) -> int:
        """Return a unit's priority for fuelling and arming. The lowest number comes first.

        In a defensive scenario, fighters come first until its last phases. Otherwise, fighters come first only on small
        carriers and in an alarm.
        """
        situation = self.situation
        is_attacker = situation.is_attacker(unit)
        if situation.is_defence:
            return int(is_attacker == (situation.phases_left > _LAST_PHASES))
        if situation.deck_size(carrier) == 1 or self.launches.missing_fighters() > 0:
            return int(is_attacker)
        return int(not is_attacker)

    def _choose_lowering(self, lower_options: Sequence[orders.Lower]) -> Answer:
        """Choose a landed unit to lower. Ready units stay on deck."""
        return next(
            (
                command
                for command in lower_options
                if self.situation.view.units[command.unit].place == "landed"
            ),
            None,
        )

    def _choose_landing(self, landings: Sequence[orders.Land]) -> Answer:
        """Choose a waiting unit to land, starting with the least fuel, and land it on the emptiest deck."""
        situation = self.situation
        ranked_options = []
        for option in landings:
            if option.unit not in self.waiting_to_land:
                continue
            mission = situation.view.missions[situation.view.units[option.unit].at]
            # CAP has no fuel marker and cannot run out of fuel, so it lands last.
            fuel = 99 if mission.cap else mission.fuel
            ranked_options.append(
                (fuel, situation.deck_unit_count(option.carrier), option.unit, option)
            )
        return min(ranked_options, key=lambda entry: entry[:3])[3] if ranked_options else None

    @cached_property
    def landing_capacity(self) -> int:
        """Return how many units the decks can take in this phase as they are now."""
        situation = self.situation
        return sum(
            situation.landing_room(name, situation.deck_unit_count(name))
            for name in situation.carriers
            if not situation.is_closed(name) and not situation.view.ships[name].launched
        )

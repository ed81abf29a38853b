"""Flight deck operations of the greedy bot for Carrier Battle: raise, service, lower, land (6.25-6.28)."""

from collections.abc import Sequence
from functools import cached_property
from typing import Final

from engine.bots.greedy_cbps_launch import LaunchPlanner
from engine.bots.greedy_cbps_orders import Answer, Options, options_of_kind
from engine.bots.greedy_cbps_situation import CbpsSituation
from engine.bots.greedy_cbps_targets import TargetAnalysis
from engine.cbps import commands as orders

MANY_NIGHT_LANDINGS: Final = 14
"""Minimum number of units landing in the dark for the lights to be switched on."""
RECOVERY_HEXES: Final = 3
"""Maximum distance from home, in hexes, at which decks are kept free for a returning strike."""
LOW_INTERCEPTOR_FUEL: Final = 3
"""Maximum fuel at which an interceptor lands even during a raid."""
_LAST_PHASES: Final = 6
"""With at most this many phases left and no strikes, attackers are raised so that they count."""
_CAP_LANDING_PHASES: Final = 3
"""CAP lands when fewer than this many phases are left until dusk."""


class DeckPlanner:
    """The flight decks at one moment of the US Air Operations Segment."""

    def __init__(self, now: CbpsSituation, targets: TargetAnalysis) -> None:
        """Initialise for the current situation."""
        self.now = now
        self.targets = targets

    def next_operation(self, options: Options) -> Answer:
        """Return the next deck operation, with launches first and landings last, or None if there is none."""
        return (
            self._switch_on_lights(options)
            or self.launches.next_launch(options)
            or self._raise(options_of_kind(options, orders.Raise))
            or self._service(options_of_kind(options, orders.Service))
            or self._lower(options_of_kind(options, orders.Lower))
            or self._land(options_of_kind(options, orders.Land))
        )

    @cached_property
    def launches(self) -> LaunchPlanner:
        """Return the possible launches, excluding carriers whose decks are kept free for landings."""
        return LaunchPlanner(self.now, self.targets, self.recovering)

    # -- returning aircraft

    @cached_property
    def waiting_to_land(self) -> frozenset[str]:
        """Return the units over carriers that should land now."""
        now = self.now
        waiting: list[str] = []
        for name in now.view.missions:
            if now.mission_hex(name) in now.carrier_hexes and self._is_done(name):
                waiting.extend(now.units_at("mission", name))
        return frozenset(waiting)

    def _is_done(self, mission: str) -> bool:
        """Return whether a mission is finished."""
        now = self.now
        held = now.view.missions[mission]
        if held.kind == "strike":
            return not held.is_fresh and not self.targets.mission_target(mission)
        if held.cap:
            if now.is_reconnaissance:
                return True
            return not now.raids and now.phases_to_dusk < _CAP_LANDING_PHASES
        return not now.raids or held.fuel <= LOW_INTERCEPTOR_FUEL

    @cached_property
    def incoming_units(self) -> int:
        """Return how many units from strikes near home and searches on their last leg are due to land next phase."""
        now = self.now
        incoming = sum(
            len(now.units_at("mission", name))
            for name, mission in now.view.missions.items()
            if mission.kind == "strike" and mission.is_flipped and self._is_near(mission.hex)
        )
        return incoming + max(self.returning_searches - self.landing_capacity, 0)

    def _is_near(self, hex_id: str) -> bool:
        """Return whether a hex is near home but not home itself."""
        return 0 < self.now.distance(hex_id, self.now.nearest_carrier_hex(hex_id)) <= RECOVERY_HEXES

    @cached_property
    def returning_searches(self) -> int:
        """Return the number of search units that land in the next Search Segment."""
        now = self.now
        return sum(
            len(now.units_at("search", name))
            for name, search in now.view.searches.items()
            if search.is_back and now.distance(search.hex, now.view.groups[search.group].hex) <= 4  # noqa: PLR2004  # one leg
        )

    @cached_property
    def recovering(self) -> frozenset[str]:
        """Return the carriers whose decks are kept free for landings in this phase or the next."""
        now = self.now
        need = len(self.waiting_to_land) + self.incoming_units
        recovering_units: list[str] = []
        open_decks = [
            name
            for name in now.carriers
            if not now.is_closed(name) and not now.view.ships[name].launched
        ]
        for name in sorted(open_decks, key=self._units_on_deck):
            if need <= 0:
                break
            recovering_units.append(name)
            need -= min(now.deck_size(name), now.deck_size(name) + 1 - self._units_on_deck(name))
        return frozenset(recovering_units)

    def _units_on_deck(self, carrier: str) -> int:
        now = self.now
        lowered = min(len(now.units_at("landed", carrier)), now.deck_size(carrier))
        return now.on_deck(carrier) - lowered

    # -- deck operations

    def _switch_on_lights(self, options: Options) -> Answer:
        """Switch on the lights if many units return in the dark."""
        now = self.now
        if now.is_day or len(self.waiting_to_land) < MANY_NIGHT_LANDINGS:
            return None
        return next(iter(options_of_kind(options, orders.LightUp)), None)

    def _raise(self, found: Sequence[orders.Raise]) -> Answer:
        """Raise as many serviced units as a deck can launch, but none on decks reserved for landings."""
        now = self.now
        ranked = []
        for option in found:
            carrier = now.view.units[option.unit].at
            size = now.deck_size(carrier) + int(self._is_last_launch_over)
            if carrier in self.recovering or now.on_deck(carrier) >= size:
                continue
            ranked.append((self._rank(option.unit, carrier), option.unit, option))
        return min(ranked, key=lambda one: one[:2])[2] if ranked else None

    @property
    def _is_last_launch_over(self) -> bool:
        """Return whether there will be no more launches, so that the decks may fill up."""
        return self.now.is_defence and self.now.phases_left <= 1 and not self.now.raids

    def _service(self, found: Sequence[orders.Service]) -> Answer:
        """Fuel and arm the units that are needed next."""
        now = self.now
        ranked = [
            (self._rank(option.unit, now.view.units[option.unit].at), option.unit, option)
            for option in found
        ]
        return min(ranked, key=lambda one: one[:2])[2] if ranked else None

    def _rank(self, unit: str, carrier: str) -> int:
        """Return a unit's priority (lowest first): fighters on small carriers or in an alarm, otherwise attackers."""
        now = self.now
        is_attacker = now.is_attacker(unit)
        if now.is_defence:
            return int(is_attacker == (now.phases_left > _LAST_PHASES))
        if now.deck_size(carrier) == 1 or self.launches.fighters_wanted() > 0:
            return int(is_attacker)
        return int(not is_attacker)

    def _lower(self, found: Sequence[orders.Lower]) -> Answer:
        """Lower landed units. Ready units stay on deck."""
        return next(
            (command for command in found if self.now.view.units[command.unit].place == "landed"),
            None,
        )

    def _land(self, found: Sequence[orders.Land]) -> Answer:
        """Land waiting units on the emptiest decks, lowest fuel first."""
        now = self.now
        ranked = []
        for option in found:
            if option.unit not in self.waiting_to_land:
                continue
            mission = now.view.missions[now.view.units[option.unit].at]
            fuel = 99 if mission.cap else mission.fuel
            ranked.append((fuel, now.on_deck(option.carrier), option.unit, option))
        return min(ranked, key=lambda one: one[:3])[3] if ranked else None

    @cached_property
    def landing_capacity(self) -> int:
        """Return how many units can land in this phase, given the current state of the decks."""
        now = self.now
        return sum(
            min(now.deck_size(name), now.deck_size(name) + 1 - now.on_deck(name))
            if now.deck_size(name) > 1
            else int(not now.on_deck(name))
            for name in now.carriers
            if not now.is_closed(name) and not now.view.ships[name].launched
        )

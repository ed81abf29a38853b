"""Plans searches for the greedy Carrier Battle bot (8.2)."""

from functools import cached_property
from typing import Final

from engine.bots.greedy_cbps_orders import Answer, Options, options_of_kind
from engine.bots.greedy_cbps_situation import CbpsSituation
from engine.bots.greedy_cbps_targets import TargetAnalysis
from engine.cbps import commands as orders
from engine.cbps.search_area import BEARINGS, is_in_search_area

SEARCH_INTEREST_HEXES: Final = 12
"""Maximum distance, in hexes, to a force that is worth searching for."""
_MOVES_BETWEEN_WAVES: Final = 2
"""Number of moves after which a search no longer counts as recent. Recent searches limit the number of new ones."""
_MIN_DAYLIGHT_PHASES: Final = 9
"""Minimum number of daylight phases for a search. A shorter search could not find anything far away."""
_STRIKE_FUEL: Final = 15
"""Fuel of a typical strike at launch."""
_MIN_INTEREST: Final = 4
"""Units search along a bearing only if its interest is at least this high."""
_UNKNOWN_FORCE_INTEREST: Final = 4
"""Value of searching for a completely unknown force."""


class SearchPlanner:
    """Plans searches for one decision."""

    def __init__(self, situation: CbpsSituation, targets: TargetAnalysis) -> None:
        """Create the planner for the current situation."""
        self.situation = situation
        self.targets = targets

    def choose_segment(self, options: Options, room: int, landing: int) -> Answer:
        """Hold the Search Segment if searches are in flight or can start. Postpone it while decks lack landing space.

        Args:
            options: The options of the decision.
            room: Number of units that could land now.
            landing: Number of units that would land.
        """
        hold_options = options_of_kind(options, orders.HoldSearch)
        if not hold_options:
            return None
        if landing > room and self.situation.view.phase < 4:  # noqa: PLR2004  # the last phase of the turn
            return None
        return hold_options[0] if self.situation.view.searches or self._wants_more() else None

    def _wants_more(self) -> bool:
        return bool(self.situation.is_day and self._wanted_bearings() and self._has_units())

    def _has_units(self) -> bool:
        """Return whether a ready unit can be spared for a search."""
        situation = self.situation
        return any(
            self.is_spare(unit)
            for name in situation.carriers
            for unit in situation.units_at("ready", name)
        )

    def is_spare(self, unit: str) -> bool:
        """Return whether a unit is more useful on a search than on a strike."""
        situation = self.situation
        if not situation.is_attacker(unit):
            return False
        carrier = situation.view.units[unit].at
        return situation.deck_size(carrier) == 1 or not self._has_targets

    @cached_property
    def _has_targets(self) -> bool:
        """Return whether there are targets for a new strike."""
        return bool(self.targets.launch_targets(_STRIKE_FUEL))

    def _wanted_bearings(self) -> dict[int, int]:
        """Return the bearings on which a search should start, each with its interest."""
        situation = self.situation
        recent_searches = [
            search
            for search in situation.view.searches.values()
            if not search.is_back and search.moves < _MOVES_BETWEEN_WAVES
        ]
        is_late = situation.phases_to_dusk < _MIN_DAYLIGHT_PHASES
        if (
            is_late
            or len(situation.view.searches) >= situation.stance.max_searches
            or len(recent_searches) >= situation.stance.max_new_searches
        ):
            return {}
        weights = dict.fromkeys(BEARINGS, 0)
        for name, force in situation.view.forces.items():
            if situation.distance(situation.task_force_hex, force.hex) > SEARCH_INTEREST_HEXES:
                continue
            search_count = sum(
                is_in_search_area(
                    situation.grid, other_search.origin, other_search.bearing, force.hex
                )
                for other_search in recent_searches
            )
            search_value = self._search_value(name) // (1 + search_count)
            for bearing in BEARINGS:
                if is_in_search_area(situation.grid, situation.task_force_hex, bearing, force.hex):
                    weights[bearing] += search_value
        return {
            bearing: search_value
            for bearing, search_value in weights.items()
            if search_value >= _MIN_INTEREST
        }

    def _search_value(self, name: str) -> int:
        """Return the value of learning more about a force. Carrier forces have the highest value."""
        force = self.situation.view.forces[name]
        if not force.level:
            return _UNKNOWN_FORCE_INTEREST
        value = self.targets.target_value(name)
        return value if force.is_carrier else value // 2

    def launch(self, options: Options) -> Answer:
        """Launch single attackers towards possible enemies.

        Two searches with one unit each find more than a single search with two units.
        """
        situation = self.situation
        weights = self._wanted_bearings()
        if not weights or not situation.is_day:
            return None
        ranked_options = [
            (
                -weights[option.bearing],
                situation.deck_size(situation.view.units[option.unit].at),
                option,
            )
            for option in options_of_kind(options, orders.SearchOut)
            if option.bearing in weights and self.is_spare(option.unit)
        ]
        return min(ranked_options, key=lambda entry: entry[:2])[2] if ranked_options else None

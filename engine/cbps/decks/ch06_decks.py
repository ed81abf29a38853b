"""Flight deck restrictions: carrier limits, damage, wind (6.22-6.29, 12.34, 17.2-17.3)."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

import msgspec

from engine.cbps.charts.listed import DamageLevel
from engine.cbps.clock import turn_label
from engine.cbps.events.fleet import GroupOperates
from engine.cbps.game_data import GameData
from engine.cbps.locations import all_carriers, carriers_in_group, units_aboard, units_by_location
from engine.cbps.run import Run
from engine.cbps.scenario_rules import scenario_rules
from engine.cbps.state import State, UsShip
from engine.kernel.ids import Refusal, Rule
from engine.kernel.memo import Memo

LEEWARD_MARKER: Final = "leeward"
STATION_MARKER: Final = "station"
_CVL: Final = "CVL"
_MARKER_LIMIT: Final = 1
"""Maximum launches or landings per phase after a Leeward Move or while keeping station (17.2, 17.3)."""
_TYPES_WITH_LEVELS: Final = ("CV", "CVL", "BB")
"""Ship types that have damage levels (12.11, 12.51)."""


class DeckLimits(msgspec.Struct, frozen=True, kw_only=True):
    """The limits of one carrier, in units (6.22)."""

    launch_or_land: int
    flight_deck: int
    launch_occupancy: int
    lower: int
    servicing: int
    hangar_total: int


@lru_cache(maxsize=16)
def _limits_by_type(game_data: GameData, ship_type: str) -> DeckLimits:
    chart = game_data.charts.carrier_operations_limits
    return DeckLimits(
        **{name: chart.look_up(name, ship_type) for name in DeckLimits.__struct_fields__}
    )


def deck_limits(state: State, carrier: str) -> DeckLimits:
    """Return a carrier's limits, which depend on its type (6.22)."""
    return _limits_by_type(state.game_data, state.game_data.us_ships[carrier].type)


NO_UNIT: Final = Refusal(Rule("2.34"), "this air unit is not in play")
NO_SHIP: Final = Refusal(Rule("2.32"), "this ship is not in play")


def damage_level(state: State, ship: str) -> DamageLevel | None:
    """Return the damage level and effects for a US carrier or battleship, or None if undamaged (12.11, 12.51)."""
    hits = state.ships[ship].hits
    us_ships = state.game_data.us_ships[ship]
    if not hits or us_ships.type not in _TYPES_WITH_LEVELS:
        return None
    return state.game_data.charts.us_damage_effects.level(
        us_ships.type, us_ships.damage_capacity, hits
    )


def is_crippled(state: State, ship: str) -> bool:
    """Return whether a US ship is afloat but crippled, and so cannot move with its group (12.16, 12.41)."""
    level = damage_level(state, ship)
    return level is not None and not state.ships[ship].is_sunk and not level.move


def _is_sound(ship: UsShip) -> bool:
    """Return whether a carrier is with its group and has no damage, fire or deck marker."""
    return bool(ship.group) and not (
        ship.hits or ship.is_inoperative or ship.is_crashed or ship.fires
    )


def closed_deck_refusals(state: State, carrier: str) -> Iterator[Refusal]:
    """Yield the reasons why a carrier cannot do any air operations (6.23, 12.34)."""
    ship = state.ships[carrier]
    if _is_sound(ship) and not ship.is_sunk:
        return
    if ship.is_sunk or not ship.group:
        yield Refusal(Rule("6.23"), "this carrier is sunk or left behind")
        return
    if ship.fires:
        yield Refusal(Rule("12.34"), "the carrier is on fire")
    if ship.is_inoperative:
        yield Refusal(Rule("12.12"), "its flight deck is inoperative")
    if ship.is_crashed:
        yield Refusal(Rule("4.452"), "a deck crash blocks its flight deck")
    level = damage_level(state, carrier)
    if level is not None and (level.flight_ops or "").startswith("none"):
        # OP-44: heavy damage ends air operations for the rest of the game
        yield Refusal(
            Rule("12.11"), f"a carrier with {level.level} damage cannot conduct air operations"
        )


def is_open(state: State, carrier: str) -> bool:
    """Return whether a carrier can do air operations (6.23)."""
    return (
        # The first test is only a shortcut: an undamaged carrier in a group cannot be sunk.
        _is_sound(state.ships[carrier]) or next(closed_deck_refusals(state, carrier), None) is None
    )


_OPEN_CARRIERS_CACHE: Final[Memo[tuple[str, ...]]] = Memo(2)


def open_carriers(state: State) -> tuple[str, ...]:
    """Return the carriers that can do air operations, in display order (6.23)."""
    ships = state.ships

    def find_open_carriers() -> tuple[str, ...]:
        return tuple(
            name for name in all_carriers(state.game_data) if name in ships and is_open(state, name)
        )

    return _OPEN_CARRIERS_CACHE.get(state, (ships,), find_open_carriers)


def _flight_count(ship: UsShip) -> int:
    return ship.launched + ship.landed


def _wind_refusals(state: State, carrier: str) -> Iterator[Refusal]:
    """Yield the refusals that follow from the wind marker of the carrier's group (17.2, 17.3, OP-64)."""
    name = state.ships[carrier].group
    group = state.groups[name]
    if group.marker == LEEWARD_MARKER:
        flight_total = sum(
            _flight_count(state.ships[other_ship]) for other_ship in carriers_in_group(state, name)
        )
        if flight_total >= _MARKER_LIMIT:
            text = "a group on a Leeward Move can launch or land only one unit per phase"
            yield Refusal(Rule("17.2"), text)
    elif group.marker == STATION_MARKER:
        is_cvl = state.game_data.us_ships[carrier].type == _CVL
        if is_cvl and group.operates not in {"", carrier}:
            text = "this group keeps station, and another of its CVLs operates in this phase"
            yield Refusal(Rule("17.3"), text)
        if _flight_count(state.ships[carrier]) >= _MARKER_LIMIT:
            text = "a carrier that keeps station can launch or land only one unit per phase"
            yield Refusal(Rule("17.3"), text)


def launch_deck_refusals(state: State, carrier: str) -> Iterator[Refusal]:
    """Yield the reasons why a carrier cannot launch another unit in this phase (6.22-6.24)."""
    yield from closed_deck_refusals(state, carrier)
    ship = state.ships[carrier]
    if not ship.group:
        return
    limit = deck_limits(state, carrier)
    if ship.step > 1:
        yield Refusal(Rule("6.23"), "launching comes first: this carrier is past that step")
    if ship.landed:
        yield Refusal(Rule("6.22"), "a carrier can launch or land in a phase, but not both")
    if ship.launched >= limit.launch_or_land:
        yield Refusal(Rule("6.22"), "the carrier cannot launch any more units in this phase")
    yield from _wind_refusals(state, carrier)
    if (
        scenario_rules(state).has_servicing
        and units_on_deck(state, carrier) > limit.launch_occupancy
    ):
        yield Refusal(Rule("6.24"), "its flight deck is too full for launching")


def landing_deck_refusals(state: State, carrier: str) -> Iterator[Refusal]:
    """Yield the reasons why no more units can land on a carrier in this phase (6.28, 6.29, 8.28, 22.6)."""
    yield from closed_deck_refusals(state, carrier)
    ship = state.ships[carrier]
    if not ship.group:
        return
    limit = deck_limits(state, carrier)
    if ship.launched:
        yield Refusal(Rule("6.28"), "a carrier that has launched in this phase cannot land units")
    is_limited = bool(ship.night_launches) and _is_first_turn_of_day(state)
    if ship.landed >= limit.launch_or_land - is_limited:
        rule, suffix = ("22.6", " after its night launches") if is_limited else ("6.22", "")
        yield Refusal(Rule(rule), f"the carrier cannot land any more units in this phase{suffix}")
    yield from _wind_refusals(state, carrier)
    if not scenario_rules(state).has_servicing:  # units that have landed are out of play (4.16)
        return
    if units_on_deck(state, carrier) >= limit.flight_deck:
        yield Refusal(Rule("6.22"), "there is no room on its flight deck")
    if len(units_aboard(state, carrier)) >= limit.hangar_total:
        yield Refusal(Rule("6.29"), "the carrier already has as many units aboard as it can hold")


def _is_first_turn_of_day(state: State) -> bool:
    return turn_label(state) == state.game_data.charts.turn_track.turns[0].label


def units_on_deck(state: State, carrier: str) -> int:
    """Return the number of Ready and Landed units on a flight deck (6.22)."""
    units = units_by_location(state)
    return len(units.get(("ready", carrier), ())) + len(units.get(("landed", carrier), ()))


def record_operating_carrier(run: Run, carrier: str) -> None:
    """Record the CVL that operates for a group keeping station: the first to launch or land units (17.3)."""
    state = run.state
    name = state.ships[carrier].group
    group = state.groups[name]
    is_cvl = state.game_data.us_ships[carrier].type == _CVL
    if is_cvl and group.marker == STATION_MARKER and not group.operates:
        run.add(GroupOperates(group=name, carrier=carrier))

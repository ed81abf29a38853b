"""Advanced search options (18)."""

from typing import Final

from engine.cbps.air.ch04_fuel import is_fighter
from engine.cbps.clock import day_and_time
from engine.cbps.directions import Direction
from engine.cbps.events.boats import BoatPlaced
from engine.cbps.events.japan import ForceMoved
from engine.cbps.events.search import SearchShadows, SearchTurned
from engine.cbps.forces.ch07_targets import occupied_hexes
from engine.cbps.locations import units_at
from engine.cbps.rulings import (
    BLOCKED_RELOCATION,
    FOUND_CARRIERS,
    LONG_SEARCHES,
    MORNING_SEARCH,
    SHADOWING,
    is_on,
)
from engine.cbps.run import Run
from engine.cbps.search.ch08_courses import LONG_SEARCH, STANDARD
from engine.cbps.search_area import zone_at
from engine.cbps.state import Search, State

MORNING_TURN: Final = ("19 June", "0530")
"""The turn in which the search may be flown before the arrivals (18.41)."""
SHADOWED_HEXES: Final = 8
"""Maximum distance at which a standard search may shadow a force in the far zone (18.13)."""


def is_morning_turn(state: State) -> bool:
    """Return whether this turn's only Search Segment precedes the arrivals (18.41)."""
    return is_on(state, MORNING_SEARCH) and day_and_time(state) == MORNING_TURN


def may_shadow(state: State, search: Search, force: str) -> bool:
    """Return whether a search may shadow a force that it has just found (18.11, 18.13, 18.15)."""
    if not is_on(state, SHADOWING) or search.is_back or search.shadowing or search.has_shadowed:
        return False
    distance = state.game_data.map.grid.distance(search.origin, state.forces[force].hex)
    is_far = search.kind == STANDARD and zone_at(distance) == "far"
    return not is_far or distance <= SHADOWED_HEXES


def is_second_attempt(search: Search) -> bool:
    """Return whether a search has moved with the force that it shadows, for a second attempt to find it (18.11)."""
    return bool(search.shadowing) and not search.zone and not search.passed


def end_shadowing(run: Run) -> None:
    """End the shadowing of searches that have made their second attempt (18.11)."""
    for name, search in run.state.searches.items():
        if is_second_attempt(search):
            run.add(SearchShadows(search=name))


def turn_search_back(run: Run, name: str, force: str) -> None:
    """Turn back a search if it has found a known carrier force (18.23)."""
    is_carrier = run.state.forces[force].is_carrier
    if is_carrier and not run.state.searches[name].is_back and _is_turning_back(run.state, name):
        run.add(SearchTurned(search=name))


def _is_turning_back(state: State, name: str) -> bool:
    """Return whether a search turns back on finding carriers: a 12-hex or, by ruling, fighter-only search (OP-74)."""
    if state.searches[name].kind == LONG_SEARCH:
        return True
    if not is_on(state, LONG_SEARCHES) or not FOUND_CARRIERS.uses_alternative(state.options):
        return False
    return all(is_fighter(state, unit) for unit in units_at(state, "search", name))


def relocate_force(run: Run, force: str) -> None:
    """Relocate a force whose true position differs from its reported position (18.31-18.34).

    The force stops at the map edge and in front of hexes with US ships (OP-54). The other half of a double force moves
    along. So do submarines that shadow either half.
    """
    charts = run.state.game_data.charts
    direction = run.roll_on_chart(charts.location_direction, force)
    if direction == "none":
        return
    hexes = run.roll_on_chart(charts.location_distance, force)
    start_hex = run.state.forces[force].hex
    hex = _displaced_hex(run.state, start_hex, direction, hexes)
    if hex == start_hex:
        return
    partner = run.state.forces[force].partner
    for force_name in (force, partner) if partner else (force,):
        run.add(ForceMoved(force=force_name, hex=hex, why="relocate"))
        for name, boat in run.state.boats.items():
            if boat.shadowing == force_name:
                run.add(BoatPlaced(boat=name, hex=hex, why="follow"))


def _displaced_hex(state: State, start_hex: str, direction: Direction, hexes: int) -> str:
    hex, occupied_ids = start_hex, occupied_hexes(state)
    for _ in range(hexes):
        neighbour = state.game_data.map.grid.neighbour(hex, direction)
        if neighbour is None or neighbour in occupied_ids:
            # OP-54: the force stops one hex short
            return start_hex if BLOCKED_RELOCATION.uses_alternative(state.options) else hex
        hex = neighbour
    return hex

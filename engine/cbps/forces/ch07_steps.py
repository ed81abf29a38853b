"""The next step of a Japanese force: mission, direct, away or contact (7.2). Forces may cross islands (7.25)."""

from typing import Final

from engine.cbps.clock import current_light
from engine.cbps.damage.ch12_hulls import hull_level, ships_in_force
from engine.cbps.directions import DIRECTIONS, Direction
from engine.cbps.forces.ch07_forces import is_surface, is_unknown
from engine.cbps.forces.ch07_targets import (
    carrier_distance,
    crippled_hexes,
    nearest_carriers,
    nearest_hex,
    occupied_hexes,
)
from engine.cbps.rulings import AWAY_MOVES, EAST_EDGE, HAS_RAIDED, SURFACE_COMBAT, is_on
from engine.cbps.run import Run
from engine.cbps.state import Force, State

EXIT: Final = "exit"
"""Destination of a force that leaves the map from the invasion zone (7.23)."""
CRIPPLE_ATTRACTION_HEXES: Final = 6
"""Maximum distance, in hexes, over which crippled ships attract surface forces (12.45)."""
_ADVANCE_HEXES: Final = 15
_WITHDRAW_HEXES: Final = 8
_HOLD_HEXES: Final = 9
"""Distances from US carriers that decide how a force moves after it has launched a raid (7.21(7))."""

Step = tuple[str, str]
"""A destination (hex or :data:`EXIT`) and kind of move: ``mission``, ``direct``, ``away``, ``hold`` or ``contact``."""


def next_step(run: Run, name: str) -> Step:
    """Return the step for a force that is not retiring, using the first priority that applies (7.21)."""
    state = run.state
    force = state.forces[name]
    if force.hex in state.game_data.map.invasion_zone:
        return mission_step(run, name)
    if us_hexes := _us_hexes_nearby(state, force.hex):
        return contact_step(run, name, us_hexes)
    if is_surface(force):
        return _surface_step(run, name)
    if is_unknown(force) or not has_raided(state, force):
        return mission_step(run, name)
    return _raider_step(run, name)


def has_raided(state: State, force: Force) -> bool:
    """Return whether a carrier force counts as having launched a raid (OP-22)."""
    return bool(force.boxes) if HAS_RAIDED.uses_alternative(state.options) else force.raids > 0


def _us_hexes_nearby(state: State, hex: str) -> tuple[str, ...]:
    """Return the US-occupied hexes among a hex and its neighbours (7.24)."""
    occupied_ids = occupied_hexes(state)
    return tuple(
        nearby_hex
        for nearby_hex in (hex, *state.game_data.map.grid.neighbours(hex))
        if nearby_hex in occupied_ids
    )


def _surface_step(run: Run, name: str) -> Step:
    """Return a surface force's step: toward crippled ships or by mission movement (7.21(4), 12.45, OP-21)."""
    state = run.state
    sea, hex = state.game_data.map, state.forces[name].hex
    goals = [
        cripple
        for cripple in crippled_hexes(state)
        if sea.grid.distance(hex, cripple) <= CRIPPLE_ATTRACTION_HEXES
    ]
    is_bound = sea.touches_east_edge(sea.hexes[hex].zone) and not EAST_EDGE.uses_alternative(
        state.options
    )
    if not goals or is_bound:
        return mission_step(run, name)
    return direct_step(run, name, nearest_hex(run, goals, hex, name))


def _raider_step(run: Run, name: str) -> Step:
    """Return the step for a carrier force that has launched a raid (7.21(7))."""
    state = run.state
    hex = state.forces[name].hex
    distance = carrier_distance(state, hex)
    if distance is None or distance >= _ADVANCE_HEXES:
        return mission_step(run, name)
    if distance <= _WITHDRAW_HEXES:
        return away_step(run, name)
    if distance == _HOLD_HEXES:
        return hex, "hold"
    if state.game_data.map.hexes[hex].section == "E":
        return mission_step(run, name)
    goal = nearest_carriers(run, hex, name)
    assert goal is not None, "a group must have a carrier"
    return direct_step(run, name, goal)


def mission_step(run: Run, name: str) -> Step:
    """Return the mission movement step, using the zone's compass and the segment's die (7.22, 7.23)."""
    state = run.state
    sea, hex = state.game_data.map, state.forces[name].hex
    direction = sea.compass_direction(hex, state.mission_die)
    if hex in sea.invasion_zone:
        return _invasion_step(run, name, direction), "mission"
    next_hex = sea.grid.neighbour(hex, direction)
    if next_hex is None:
        next_hex = run.pick(sea.grid.edge_step(hex, direction), "7.222", name)
    return (hex if next_hex in occupied_hexes(state) else next_hex), "mission"  # 7.24(2)


def _invasion_step(run: Run, name: str, direction: Direction) -> str:
    """Return the step for a force in the invasion zone: by compass, off the map, or around a group (7.23, 7.231)."""
    state = run.state
    sea, hex = state.game_data.map, state.forces[name].hex
    east = sea.grid.neighbour(hex, sea.exit_direction)
    if east is None:
        return EXIT
    occupied_ids = occupied_hexes(state)
    if east in occupied_ids:
        steps = [
            sea.grid.neighbour(hex, way) or EXIT for way in _adjacent_directions(sea.exit_direction)
        ]
        free_steps = [way for way in steps if way not in occupied_ids]
        return run.pick(free_steps, "7.231", name) if free_steps else hex
    next_hex = sea.grid.neighbour(hex, direction) or EXIT
    return hex if next_hex in occupied_ids else next_hex


def _adjacent_directions(direction: Direction) -> tuple[Direction, Direction]:
    place = DIRECTIONS.index(direction)
    return DIRECTIONS[place - 1], DIRECTIONS[(place + 1) % len(DIRECTIONS)]


def direct_step(run: Run, name: str, goal: str) -> Step:
    """Return the step straight toward a goal, or the current hex if US-occupied hexes block the way (7.2)."""
    state = run.state
    hex = state.forces[name].hex
    occupied_ids = occupied_hexes(state)
    neighbours = [
        neighbour
        for neighbour in state.game_data.map.grid.steps_toward(hex, goal)
        if neighbour not in occupied_ids
    ]
    return (run.pick(neighbours, "7.21", name) if neighbours else hex), "direct"


def away_step(run: Run, name: str) -> Step:
    """Return the easternmost hex leading away from the nearest carriers, or the current hex if none does (7.21(7b))."""
    state = run.state
    grid, hex = state.game_data.map.grid, state.forces[name].hex
    threat = nearest_carriers(run, hex, name)
    assert threat is not None, "a group must have a carrier"
    occupied_ids = occupied_hexes(state)
    neighbours = [
        neighbour for neighbour in grid.receding(hex, threat) if neighbour not in occupied_ids
    ]
    if not neighbours and AWAY_MOVES.uses_alternative(state.options):
        distance = grid.distance(hex, threat)
        alternatives = [
            neighbour
            for neighbour in grid.neighbours(hex)
            if grid.distance(neighbour, threat) == distance
        ]
        neighbours = [neighbour for neighbour in alternatives if neighbour not in occupied_ids]
    return (run.pick(grid.easternmost(neighbours), "7.21", name) if neighbours else hex), "away"


def contact_step(run: Run, name: str, nearby_hexes: tuple[str, ...]) -> Step:
    """Return the step for a force next to US ships: into combat if 21.0 is in use, or by mission movement (7.24)."""
    state = run.state
    force = state.forces[name]
    if is_on(state, SURFACE_COMBAT):
        cripples = crippled_hexes(state) if is_surface(force) else ()
        targets = [force_hex for force_hex in nearby_hexes if force_hex in cripples] or (
            nearby_hexes if _seeks_combat(state, name) else ()
        )
        if targets:
            return run.pick(targets, "7.24", name), "contact"
    return mission_step(run, name)


def _seeks_combat(state: State, name: str) -> bool:
    """Return whether a force is strong enough to seek combat: with a BB, or at night with cruisers (7.24(1))."""
    force = state.forces[name]
    if force.is_carrier or force.level <= 1:
        return False
    is_night = current_light(state) == "night"
    if force.level == 2:  # noqa: PLR2004  # only its chit is known
        return force.chit == "Large Surface" or (is_night and force.chit == "Medium Surface")
    types = _mobile_ship_types(state, name)
    return "BB" in types or (is_night and "CA" in types)


def _mobile_ship_types(state: State, name: str) -> set[str]:
    """Return the types of the ships that can move with a force (12.41)."""
    return {
        state.game_data.japanese_ships[ship].type
        for ship in ships_in_force(state, name)
        if hull_level(state, ship) != "crippled"
    }


def leadership_rank(state: State, force: Force) -> int:
    """Return a force's rank for leading a double force. The half with the lower rank leads (OP-3b)."""
    if force.is_carrier:
        return 0 if has_raided(state, force) else 1
    return 2 if is_unknown(force) else 3

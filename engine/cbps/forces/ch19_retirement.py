"""Retirement of Japanese forces and of crippled ships (19, 12.43)."""

from typing import Final

from engine.cbps.damage.ch12_hulls import hull_level
from engine.cbps.directions import Direction, nearest_directions, opposite
from engine.cbps.events.japan import DoubleFormed, ForceRetires
from engine.cbps.forces.ch07_forces import CARRIER_MAXIMUM, SURFACE_MAXIMUM, double_partner
from engine.cbps.forces.ch07_steps import EXIT
from engine.cbps.forces.ch07_targets import group_hexes, nearest_hex, occupied_hexes
from engine.cbps.rulings import RETIREMENT, is_on
from engine.cbps.run import Run
from engine.cbps.state import State

OFF_MAP: Final = "off"
"""The destination for leaving the map anywhere except from the invasion zone (19.2)."""
_SAFE_HEXES: Final = 9
"""The compass alone determines the move if all task groups are at least this many hexes away (19.2)."""


def check_retirement(run: Run, force: str) -> None:
    """Retire a force if its latest ship losses require it (19.1).

    Call this before applying 9.13 and before leaving crippled ships behind. For losses in surface combat, see 21.28.
    """
    state = run.state
    force_state = state.forces[force]
    if is_on(state, RETIREMENT) and not force_state.is_retiring and _is_beaten(state, force):
        retire(run, force, "losses")


def _is_beaten(state: State, force: str) -> bool:
    """Return whether a carrier force has lost all carriers, or a surface force without BBs has lost a cruiser unit."""
    force_state = state.forces[force]
    if force_state.is_carrier:
        carriers = force_state.first_carriers if force_state.level == CARRIER_MAXIMUM else ()
        return bool(carriers) and all(_is_out_of_action(state, force, ship) for ship in carriers)
    own_hulls = [name for name, hull in state.hulls.items() if hull.force == force]
    types = {name: state.game_data.japanese_ships[name].type for name in own_hulls}
    if force_state.level != SURFACE_MAXIMUM or "BB" in types.values():
        return False
    return any(
        kind == "CA" and _is_out_of_action(state, force, name) for name, kind in types.items()
    )


def _is_out_of_action(state: State, force: str, ship: str) -> bool:
    hull = state.hulls[ship]
    is_with = hull.force == force and not hull.hex and not hull.fate
    return not is_with or hull_level(state, ship) in {"crippled", "sunk"}


def retire(run: Run, force: str, cause: str) -> None:
    """Retire a force for the rest of the game, and separate it from a half that does not retire (19.1, 19.4)."""
    if not run.state.forces[force].is_retiring:
        run.add(ForceRetires(force=force, why=cause))
    separate_halves(run, force)


def separate_halves(run: Run, force: str) -> None:
    """Separate the halves of a double force if exactly one of them is retiring (19.4)."""
    state = run.state
    partner = double_partner(state, force)
    if partner and state.forces[partner].is_retiring != state.forces[force].is_retiring:
        run.add(DoubleFormed(force=force, chits=state.double_chits))


def retire_step(run: Run, hex: str, subject: str) -> str:
    """Return the destination of a retirement move: a new hex, the old hex, :data:`OFF_MAP` or :data:`EXIT` (19.2).

    Args:
        run: The command being carried out.
        hex: The hex of the force or crippled ship.
        subject: Name of the force or ship.
    """
    state = run.state
    sea = state.game_data.map
    homeward = opposite(sea.compass_direction(hex, state.mission_die))
    hex_occupancy = occupied_hexes(state)
    groups = tuple(group_hexes(state).values())
    threat = nearest_hex(run, groups, hex, subject) if groups else None
    if threat is None or sea.grid.distance(hex, threat) >= _SAFE_HEXES:
        retreat_hex = _hex_beyond(state, hex, homeward)
        return hex if retreat_hex in hex_occupancy else retreat_hex
    directions = {
        direction: _hex_beyond(state, hex, direction)
        for direction in sea.grid.receding_directions(hex, threat)
    }
    free_directions = [
        direction
        for direction, destination in directions.items()
        if destination not in hex_occupancy
    ]
    if not free_directions:
        return hex
    best_directions = nearest_directions(free_directions, homeward)
    return (
        directions[best_directions[0]]
        if len(best_directions) == 1
        else directions[_pick_direction(run, best_directions, subject)]
    )


def _pick_direction(run: Run, directions: tuple[Direction, ...], subject: str) -> Direction:
    picked_direction = run.pick(directions, "19.2", subject)
    return next(direction for direction in directions if direction == picked_direction)


def _hex_beyond(state: State, hex: str, direction: Direction) -> str:
    sea = state.game_data.map
    next_hex = sea.grid.neighbour(hex, direction)
    if next_hex is not None:
        return next_hex
    return EXIT if hex in sea.exit_hexes else OFF_MAP

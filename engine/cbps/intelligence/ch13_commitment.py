"""Commitment: the test for new carrier forces, and the effects of the limit (13.2)."""

from typing import Final

from engine.cbps.events.japan import ChitsReturned, CommitmentSet, LevelChanged, LimitReached
from engine.cbps.forces.ch07_forces import is_surface, is_unknown, remove_force, set_chit_aside
from engine.cbps.forces.ch13_index import (
    commitment_index,
    commitment_limit,
    commitment_threshold,
    ships_in_play,
)
from engine.cbps.ids import CARRIER, D10, DOUBLE_FORCE, FALSE_CONTACT, SURFACE, Context
from engine.cbps.intelligence.ch07_draws import draw_level_1, is_carrier_chit, read_level_2
from engine.cbps.rulings import COMMITMENT_TESTS
from engine.cbps.run import Run
from engine.cbps.scenario_rules import scenario_rules
from engine.cbps.state import State

MAX_SURFACE_FORCES: Final = 4
"""Maximum number of surface forces that stay on the map once the limit is reached (13.23)."""
_DIRECT_CONTEXTS: Final[tuple[Context, ...]] = ("strike", "sub", "surface_combat", "exit")
"""Procedures that reveal a force by direct contact, so that no Commitment Test is taken (OP-47)."""


def passes_commitment_test(run: Run, context: Context, subject: str = "") -> bool:
    """Carry out a Commitment Test if one is required. Return whether the new carrier force is real (13.22)."""
    state = run.state
    if not scenario_rules(state).has_full_rules or state.commitment < commitment_threshold(state):
        return True
    if context in _DIRECT_CONTEXTS and not COMMITMENT_TESTS.uses_alternative(state.options):
        return True
    chart, line, index = (
        state.game_data.charts.commitment_test,
        ships_in_play(state),
        state.commitment,
    )
    die = run.dice.roll(D10)
    cell = chart.look_up(die, line, index)
    column = f"{line}, {index}"
    run.record_result(chart, subject, cell.result, die, column=column, is_assumed=cell.is_assumed)
    return cell.result == "real"


def recompute_commitment(run: Run) -> None:
    """Update the Commitment Index and apply the effects of reaching the limit (13.12, 13.23)."""
    if not scenario_rules(run.state).has_full_rules:
        return
    index = commitment_index(run.state)
    if index != run.state.commitment:
        run.add(CommitmentSet(index=index, departed=run.state.departed_commitment))
    if index >= commitment_limit(run.state) and not run.state.limit_reached:
        run.add(LimitReached())
        _remove_unknown_forces(run)


def _remove_unknown_forces(run: Run) -> None:
    """Remove forces of unknown type, but keep up to four surface forces on the map (13.23-13.232)."""
    surface_forces = sum(is_surface(force) for force in run.state.forces.values())
    for name in _unknown_forces_nearest_first(run):
        if surface_forces >= MAX_SURFACE_FORCES:
            remove_force(run, name, "limit")
        else:
            surface_forces += _resolve_unknown_force(run, name)


def _unknown_forces_nearest_first(run: Run) -> list[str]:
    """Return the forces of unknown type, nearest to the invasion zone first, with ties in random order."""
    state = run.state
    distances = {
        name: _invasion_zone_distance(state, force.hex)
        for name, force in state.forces.items()
        if is_unknown(force) and not force.historical
    }
    if sum(is_surface(force) for force in state.forces.values()) >= MAX_SURFACE_FORCES:
        return list(distances)  # 13.231: all of them are removed, so their order does not matter
    order: list[str] = []
    while distances:
        min_distance = min(distances.values())
        nearest_force = run.pick_force(
            [name for name, distance in distances.items() if distance == min_distance], "13.232", ""
        )
        order.append(nearest_force)
        del distances[nearest_force]
    return order


def _invasion_zone_distance(state: State, hex: str) -> int:
    """Return the distance from a hex to the invasion zone."""
    grid = state.game_data.map.grid
    return min(
        grid.distance(hex, zone_hex) for zone_hex in sorted(state.game_data.map.invasion_zone)
    )


def _resolve_unknown_force(run: Run, name: str) -> bool:
    """Determine the type of an unknown force at the limit. Remove it unless it is a surface force (13.232).

    Return whether the force remains.
    """
    if run.state.forces[name].level == 0:
        chit = draw_level_1(run, name)
        if chit in (CARRIER, FALSE_CONTACT, DOUBLE_FORCE):
            if chit != DOUBLE_FORCE:
                run.add(ChitsReturned(chits=(chit,), is_to_cup=False))
            remove_force(run, name, "limit")
            return False
        run.add(LevelChanged(force=name, level=1, chit=chit))
        if chit == SURFACE:
            return True
    chit = read_level_2(run, name, is_limit_step=True)
    if is_carrier_chit(chit):
        remove_force(run, name, "limit")
        return False
    set_chit_aside(run, name)
    run.add(LevelChanged(force=name, level=2, chit=chit))
    return True

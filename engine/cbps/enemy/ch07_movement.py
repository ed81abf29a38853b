"""Movement of Japanese forces (7.2)."""

from collections.abc import Iterable
from typing import NamedTuple

from engine.cbps.damage.ch12_hulls import ships_in_force
from engine.cbps.events.japan import ForceMoved, HullExited
from engine.cbps.forces.ch07_forces import double_partner, maximum_level, remove_force
from engine.cbps.forces.ch07_steps import EXIT, Step, direct_step, leadership_rank, next_step
from engine.cbps.forces.ch07_targets import occupied_hexes
from engine.cbps.forces.ch12_cripples import leave_cripples, sink_lone_cripples
from engine.cbps.forces.ch19_retirement import OFF_MAP, retire_step
from engine.cbps.forces.ch20_refuelling import is_refuelling, join_queue
from engine.cbps.ids import Direction
from engine.cbps.intelligence.ch07_levels import promote
from engine.cbps.rulings import GONE_FOR_GOOD
from engine.cbps.run import Run
from engine.cbps.scenario_rules import scenario_rules
from engine.cbps.state import State
from engine.cbps.submarines.ch14_boats import shadowing_boats_follow


class MoveResult(NamedTuple):
    """The result of moving a force or both halves of a double force."""

    forces: tuple[str, ...]
    """The moved forces that are still in play."""
    origin: str = ""
    """Hex that the forces left to enter a US-occupied hex. Empty if they did not enter one (21.0)."""


def move_force(run: Run, force: str) -> MoveResult:
    """Move a force, together with the other half of a double force, by at most one hex (7.21, 7.53)."""
    leader = _leading_half(run.state, force)
    halves = double_halves(run, force)
    next_hex, reason = _next_step(run, leader)
    if next_hex in (EXIT, OFF_MAP):
        _leave_map_together(run, halves, is_exit=next_hex == EXIT)
        return MoveResult(_still_in_play(run.state, halves))
    origin = run.state.forces[leader].hex
    heading = (
        None
        if next_hex == origin
        else run.state.game_data.map.grid.direction_between(origin, next_hex)
    )
    for half_force in halves:
        _move_half(run, half_force, next_hex, heading, reason)
    moved_forces = _still_in_play(run.state, halves)
    join_queue(run, moved_forces)
    if next_hex != origin:
        sink_lone_cripples(run, next_hex)
    is_combat = (
        moved_forces
        and next_hex in occupied_hexes(run.state)
        and (next_hex != origin or reason == "contact")
    )
    return MoveResult(moved_forces, origin if is_combat else "")


def double_halves(run: Run, force: str) -> tuple[str, ...]:
    """Return a force and, if it is half of a double force, the other half."""
    partner = double_partner(run.state, force)
    return (force, partner) if partner else (force,)


def _still_in_play(state: State, forces: Iterable[str]) -> tuple[str, ...]:
    return tuple(force for force in forces if force in state.forces)


def _leading_half(state: State, force: str) -> str:
    """Return the half that leads a double force or, in a tie, the half whose chit was drawn (OP-3b)."""
    partner = double_partner(state, force)
    if not partner:
        return force
    return min(force, partner, key=lambda name: leadership_rank(state, state.forces[name]))


def _next_step(run: Run, name: str) -> Step:
    """Return the next step of a force: toward an oiler, in retirement, or by the priorities of 7.21."""
    force = run.state.forces[name]
    if not force.is_retiring:
        return next_step(run, name)
    if is_refuelling(run.state, name):
        next_hex, _ = direct_step(run, name, force.oiler)
        return next_hex, "refuel"
    return retire_step(run, force.hex, name), "retire"


def _move_half(
    run: Run, force: str, destination: str, heading: Direction | None, cause: str
) -> None:
    """Move one force, leave its crippled ships behind, and let submarines follow (14.131, 12.41, 14.152)."""
    origin = run.state.forces[force].hex
    if origin == destination:
        run.add(ForceMoved(force=force, hex=destination, why=cause))
    else:
        boats_met = tuple(
            boat for boat, boat_state in run.state.boats.items() if boat_state.hex == destination
        )
        run.add(
            ForceMoved(force=force, hex=destination, heading=heading, why=cause, entered=boats_met)
        )
        leave_cripples(run, force, origin)
    if force in run.state.forces:
        shadowing_boats_follow(run, force, origin)


def exit_map(run: Run, force: str) -> None:
    """Promote a force to its maximum level, then take it off the map from the invasion zone (7.23, 15.11).

    Both halves of a double force exit, even if the second half is only revealed now.
    """
    _leave_map_together(run, double_halves(run, force), is_exit=True)


def _leave_map_together(run: Run, halves: Iterable[str], *, is_exit: bool) -> None:
    for half_force in halves:
        if half_force in run.state.forces:  # promoting the first half may have removed it (13.23)
            _leave_map(run, half_force, is_exit=is_exit)


def _leave_map(run: Run, force: str, *, is_exit: bool) -> None:
    """Remove a force and its uncrippled ships from the map. Its counter does not return (OP-71, 19.2)."""
    partner = double_partner(run.state, force)
    if is_exit and scenario_rules(run.state).has_raids:
        promote(run, force, maximum_level(run.state.forces[force]), "exit")
    if force in run.state.forces:
        leave_cripples(run, force, run.state.forces[force].hex)
    if force not in run.state.forces:
        return
    revealed_partner = double_partner(run.state, force)
    for ship in ships_in_force(run.state, force):
        run.add(HullExited(ship=ship, is_vp_exit=is_exit))
    is_gone = not GONE_FOR_GOOD.uses_alternative(run.state.options)
    remove_force(run, force, "exit" if is_exit else "retired", is_gone=is_gone)
    if revealed_partner and revealed_partner != partner:
        _leave_map(run, revealed_partner, is_exit=is_exit)

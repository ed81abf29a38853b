"""Movement of Japanese forces (7.2)."""

from typing import NamedTuple

from engine.cbps.damage.ch12_hulls import ships_in_force
from engine.cbps.events.japan import ForceMoved, HullExited
from engine.cbps.forces.ch07_forces import double_partner, maximum_level, remove_force
from engine.cbps.forces.ch07_steps import EXIT, Step, direct_step, leadership_rank, next_step
from engine.cbps.forces.ch07_targets import occupied_hexes
from engine.cbps.forces.ch12_cripples import leave_cripples, sink_lone_cripples
from engine.cbps.forces.ch19_retirement import OFF_MAP, retire_step
from engine.cbps.forces.ch20_refuelling import is_refuelling, join_queue
from engine.cbps.intelligence.ch07_levels import promote
from engine.cbps.rulings import GONE_FOR_GOOD
from engine.cbps.run import Run
from engine.cbps.scenario_rules import scenario_rules
from engine.cbps.state import State
from engine.cbps.submarines.ch14_boats import shadowing_boats_follow


class MoveResult(NamedTuple):
    """The result of a move."""

    names: tuple[str, ...]
    """The current names of the forces that are still in play."""
    origin: str = ""
    """The hex that they left if they entered a US-occupied hex. Empty otherwise (21.0)."""


def move_force(run: Run, force: str) -> MoveResult:
    """Move a force, together with the other half of a double force, by at most one hex (7.21, 7.53)."""
    leader = _leading_half(run.state, force)
    halves = tuple(name for name in (force, double_partner(run.state, force)) if name)
    to, reason = _next_step(run, leader)
    if to in (EXIT, OFF_MAP):
        for name in halves:
            if name in run.state.forces:  # the limit may have removed it in the meantime (13.23)
                _leave_map(run, name, is_exit=to == EXIT)
        return MoveResult(tuple(name for name in halves if name in run.state.forces))
    origin = run.state.forces[leader].hex
    heading = None if to == origin else run.state.game_data.map.grid.direction_between(origin, to)
    names: list[str] = []
    for name in halves:
        old = run.state.forces[name]
        if old.hex == to:
            _record_stay(run, name, reason)
            shadowing_boats_follow(run, name, to)
        else:
            boats_met = tuple(
                boat for boat, boat_state in run.state.boats.items() if boat_state.hex == to
            )
            run.add(ForceMoved(force=name, hex=to, heading=heading, why=reason, entered=boats_met))
        moved_name = name if old.hex == to else _finish_move(run, name, old.hex)
        names += (moved_name,) if moved_name else ()
    join_queue(run, names)
    if to != origin:
        sink_lone_cripples(run, to)
    is_combat = names and to in occupied_hexes(run.state) and (to != origin or reason == "contact")
    return MoveResult(tuple(names), origin if is_combat else "")


def _leading_half(state: State, force: str) -> str:
    """Return the half that leads a double force or, in a tie, the half whose chit was drawn (OP-3b)."""
    partner = double_partner(state, force)
    if not partner:
        return force
    return min(force, partner, key=lambda name: leadership_rank(state, state.forces[name]))


def _next_step(run: Run, name: str) -> Step:
    """Return a force's step (7.21): toward an oiler, in retirement, or by the movement priorities."""
    force = run.state.forces[name]
    if not force.is_retiring:
        return next_step(run, name)
    if is_refuelling(run.state, name):
        to, _ = direct_step(run, name, force.oiler)
        return to, "refuel"
    return retire_step(run, force.hex, name), "retire"


def _record_stay(run: Run, name: str, why: str) -> None:
    """Record that a force did not move, and why (14.131)."""
    run.add(ForceMoved(force=name, hex=run.state.forces[name].hex, why=why))


def _finish_move(run: Run, name: str, origin: str) -> str:
    """Leave crippled ships behind, let submarines follow, and return the force's current name (12.41, 14.152)."""
    moved_name = leave_cripples(run, name, origin)
    if moved_name:
        shadowing_boats_follow(run, moved_name, origin)
    return moved_name if moved_name in run.state.forces else ""


def exit_map(run: Run, force: str) -> None:
    """Take a force off the map from the invasion zone, promoted to its maximum level and scored (7.23, 15.11).

    Both halves of a double force exit, even if the second half is only revealed now.
    """
    for name in (force, double_partner(run.state, force)):
        if name in run.state.forces:
            _leave_map(run, name, is_exit=True)


def _leave_map(run: Run, name: str, *, is_exit: bool) -> None:
    """Remove a force and its uncrippled ships from the map. Its counter does not return (OP-71, 19.2)."""
    partner = double_partner(run.state, name)
    if is_exit and scenario_rules(run.state).has_raids:
        name = promote(run, name, maximum_level(run.state.forces[name]), "exit")
    name = name and leave_cripples(run, name, run.state.forces[name].hex)
    if not name:
        return
    revealed_partner = double_partner(run.state, name)
    for ship in ships_in_force(run.state, name):
        run.add(HullExited(ship=ship, is_vp_exit=is_exit))
    is_gone = not GONE_FOR_GOOD.uses_alternative(run.state.options)
    remove_force(run, name, "exit" if is_exit else "retired", is_gone=is_gone)
    if revealed_partner and revealed_partner != partner:
        _leave_map(run, revealed_partner, is_exit=is_exit)

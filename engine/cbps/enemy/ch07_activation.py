"""Activation of chits (3.1, 3.22)."""

from engine.cbps.enemy.ch07_movement import MoveResult, move_force
from engine.cbps.events.japan import AdvantageChanged, ForceActivated
from engine.cbps.forces.ch07_forces import double_partner
from engine.cbps.forces.ch08_detection import reduce_detection
from engine.cbps.forces.ch09_butai import shift_boxes
from engine.cbps.forces.ch12_cripples import tow_force_hulls
from engine.cbps.forces.ch19_retirement import separate_halves
from engine.cbps.forces.ch20_refuelling import begin_retirement, refuel
from engine.cbps.ids import GUAM, IWO_JIMA, US_MOVE, US_SUBS, YAP
from engine.cbps.raids.ch10_raids import raid_procedure
from engine.cbps.raids.ch11_guam import activate_guam
from engine.cbps.raids.ch16_reinforcements import activate_base
from engine.cbps.rulings import BOX_SHIFT
from engine.cbps.run import Run
from engine.cbps.scenario_rules import scenario_rules
from engine.cbps.submarines.ch14_boats import activate_submarines
from engine.cbps.surface.ch06_sailing import begin_us_move
from engine.cbps.surface.ch21_surface_combat import begin_surface_combat


def activate_chit(run: Run, chit: str) -> None:
    """Carry out a drawn chit. No Op and the chits of forces that have left play have no effect (3.22, OP-2)."""
    if chit == US_MOVE:
        begin_us_move(run)
    elif chit == US_SUBS:
        activate_submarines(run)
    elif chit == GUAM:
        activate_guam(run)
    elif chit in (IWO_JIMA, YAP):
        activate_base(run, chit)
    elif chit in run.state.forces:
        activate_force(run, chit)


def activate_force(run: Run, force: str) -> None:
    """Activate a force and the other half of a double force, whose own chit then has no effect (7.53, OP-3)."""
    if run.state.forces[force].has_acted:
        return
    halves = tuple(name for name in (force, double_partner(run.state, force)) if name)
    for name in halves:
        run.add(ForceActivated(force=name))
    begin_retirement(run, halves)
    names = tuple(raided for name in halves if (raided := _raid_step(run, name)))
    in_play = [name for name in names if name in run.state.forces]
    if not in_play:
        return
    for name in in_play:
        tow_force_hulls(run, name)
        refuel(run, name)
    separate_halves(run, in_play[0])
    while in_play:
        move = _move_step(run, in_play[0])
        in_play = [name for name in in_play[1:] if name in run.state.forces and name not in move]


def _raid_step(run: Run, name: str) -> str:
    """Reduce detection, carry out the raid procedure, and shift the Butai display (8.14, 10.1, 9.12).

    Returns:
        The force's current name, or an empty string if it has left play.
    """
    if name not in run.state.forces:
        return ""
    reduce_detection(run, name)
    if scenario_rules(run.state).has_raids:
        name = raid_procedure(run, name)
    if name not in run.state.forces:
        return ""
    if run.state.forces[name].is_butai and not BOX_SHIFT.uses_alternative(run.state.options):
        shift_boxes(run, name)
    return name


def _move_step(run: Run, name: str) -> tuple[str, ...]:
    """Move a force, end its US Advantage, and resolve surface combat if it has entered a US hex (7.2, 8.35, 21.0).

    Returns:
        The names of all forces moved, as they were before and after the move.
    """
    partner = double_partner(run.state, name)
    move: MoveResult = move_force(run, name)
    for moved_name in move.names:
        if run.state.forces[moved_name].has_advantage:
            run.add(AdvantageChanged(force=moved_name, has_advantage=False))
    if move.origin:
        hex = run.state.forces[move.names[0]].hex
        begin_surface_combat(run, hex, "japan", dict.fromkeys(move.names, move.origin))
    return (name, partner, *move.names)

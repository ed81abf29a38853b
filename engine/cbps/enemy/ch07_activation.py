"""Activation of the force or procedure on a drawn chit (3.1, 3.22)."""

from engine.cbps.enemy.ch07_movement import double_halves, move_force
from engine.cbps.events.japan import AdvantageChanged, ForceActivated
from engine.cbps.force_ids import force_with_counter
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
    elif (force := force_with_counter(run.state, chit)) in run.state.forces:
        activate_force(run, force)


def activate_force(run: Run, force: str) -> None:
    """Activate a force and, if it is half of a double force, the other half too (7.53, OP-3)."""
    if run.state.forces[force].has_acted:
        return
    halves = double_halves(run, force)
    for half_force in halves:
        run.add(ForceActivated(force=half_force))
    begin_retirement(run, halves)
    for half_force in halves:
        # The raid of the first half may have led to the removal of the second one (13.23).
        if half_force in run.state.forces:
            _raid_step(run, half_force)
    in_play = [half for half in halves if half in run.state.forces]
    if not in_play:
        return
    for half_force in in_play:
        tow_force_hulls(run, half_force)
        refuel(run, half_force)
    separate_halves(run, in_play[0])
    partner = double_partner(run.state, in_play[0])  # it moves together with the first half
    movers = [half for half in in_play if half != partner]
    for mover in movers:
        if mover in run.state.forces:
            _move_step(run, mover)


def _raid_step(run: Run, force: str) -> None:
    """Reduce detection, carry out the raid procedure, and shift the points on the Butai display (8.14, 10.1, 9.12)."""
    reduce_detection(run, force)
    if scenario_rules(run.state).has_raids:
        raid_procedure(run, force)
    is_shifted = force in run.state.forces and run.state.forces[force].is_butai
    if is_shifted and not BOX_SHIFT.uses_alternative(run.state.options):
        shift_boxes(run, force)


def _move_step(run: Run, force: str) -> None:
    """Move a force, end its US Advantage, and resolve surface combat if it has entered a US hex (7.2, 8.35, 21.0)."""
    move = move_force(run, force)
    for moved_force in move.forces:
        if run.state.forces[moved_force].has_advantage:
            run.add(AdvantageChanged(force=moved_force, has_advantage=False))
    if move.origin:
        origins = dict.fromkeys(move.forces, move.origin)
        hex = run.state.forces[move.forces[0]].hex
        begin_surface_combat(run, hex, "japan", origins)

"""Activation of chits (3.1, 3.22)."""

from engine.cbps.enemy.ch07_movement import double_halves, move_force
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
from engine.cbps.run import ForceRef, Run
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
    halves = double_halves(run, run.follow(force))
    for half in halves:
        run.add(ForceActivated(force=half.name))
    begin_retirement(run, [half.name for half in halves])
    for half in halves:
        if half.is_in_play:  # the first half's raid may have removed the second one (13.23)
            _raid_step(run, half)
    in_play = [half for half in halves if half.is_in_play]
    if not in_play:
        return
    for half in in_play:
        tow_force_hulls(run, half.name)
        refuel(run, half.name)
    separate_halves(run, in_play[0].name)
    partner = double_partner(run.state, in_play[0].name)  # moves together with the first half
    movers = [half for half in in_play if half.name != partner]
    for mover in movers:
        if mover.is_in_play:
            _move_step(run, mover)


def _raid_step(run: Run, force: ForceRef) -> None:
    """Reduce detection, carry out the raid procedure, and shift the Butai display (8.14, 10.1, 9.12)."""
    reduce_detection(run, force.name)
    if scenario_rules(run.state).has_raids:
        raid_procedure(run, force)
    is_shifted = force.is_in_play and force.state.is_butai
    if is_shifted and not BOX_SHIFT.uses_alternative(run.state.options):
        shift_boxes(run, force.name)


def _move_step(run: Run, force: ForceRef) -> None:
    """Move a force, end its US Advantage, and resolve surface combat if it has entered a US hex (7.2, 8.35, 21.0)."""
    move = move_force(run, force)
    for moved in move.forces:
        if moved.state.has_advantage:
            run.add(AdvantageChanged(force=moved.name, has_advantage=False))
    if move.origin:
        origins = {moved.name: move.origin for moved in move.forces}
        begin_surface_combat(run, move.forces[0].state.hex, "japan", origins)

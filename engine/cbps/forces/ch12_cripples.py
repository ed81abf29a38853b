"""Lone crippled ships on the map (12.4)."""

from engine.cbps.clock import is_half_past
from engine.cbps.damage.ch12_hulls import hull_level, lone_hulls, ships_in_force
from engine.cbps.damage.ch12_us_damage import sink_us_ship
from engine.cbps.events.japan import HullExited, HullLeft, HullSunk
from engine.cbps.forces.ch07_forces import is_surface, remove_force
from engine.cbps.forces.ch07_steps import EXIT
from engine.cbps.forces.ch07_targets import group_hexes, lone_us_ships, occupied_hexes
from engine.cbps.forces.ch09_lost import become_surface_force
from engine.cbps.forces.ch19_retirement import OFF_MAP, retire_step
from engine.cbps.run import Run


def leave_cripples(run: Run, name: str, hex: str) -> None:
    """Leave a force's crippled ships behind in the hex that it has left (12.41).

    A force left without carriers becomes a surface force (9.13). A force that consisted only of crippled ships leaves
    play (OP-45).
    """
    for ship in ships_in_force(run.state, name):
        if hull_level(run.state, ship) == "crippled":
            run.add(HullLeft(ship=ship, hex=hex))
    if ships_in_force(run.state, name):
        become_surface_force(run, name)
    elif any(hull.force == name for hull in run.state.hulls.values()):
        remove_force(run, name, "cripples")


def sink_lone_cripples(run: Run, hex: str) -> None:
    """Sink the lone crippled ships in a hex entered by an enemy task group or surface force (12.46).

    If others accompany the crippled ships, surface combat decides their fate instead (21.16).
    """
    state = run.state
    forces = [force for force in state.forces.values() if force.hex == hex]
    is_us = hex in occupied_hexes(state)
    if hex in group_hexes(state).values() and not forces:
        for ship in lone_hulls(state, hex):
            run.add(HullSunk(ship=ship))
    if not is_us and any(is_surface(force) for force in forces):
        for ship in lone_us_ships(state, hex):
            sink_us_ship(run, ship)


def tow_lone_hulls(run: Run) -> None:
    """Tow the crippled ships whose force has left play. They move before all others (12.43, OP-45)."""
    for ship, hull in tuple(run.state.hulls.items()):
        if hull.hex and not hull.fate and hull.force not in run.state.forces:
            _tow_cripple(run, ship)


def tow_force_hulls(run: Run, force: str) -> None:
    """Tow the crippled ships that an activated force left behind, in a turn whose label ends in 30 (12.42, 12.43)."""
    if not is_half_past(run.state):
        return
    for ship, hull in tuple(run.state.hulls.items()):
        if hull.hex and not hull.fate and hull.force == force:
            _tow_cripple(run, ship)


def _tow_cripple(run: Run, ship: str) -> None:
    """Move a crippled ship one hex by retirement movement (19.2)."""
    hex = run.state.hulls[ship].hex
    next_hex = retire_step(run, hex, ship)
    if next_hex in (EXIT, OFF_MAP):
        run.add(HullExited(ship=ship, is_vp_exit=next_hex == EXIT))
    elif next_hex != hex:
        run.add(HullLeft(ship=ship, hex=next_hex))

"""Retreats from surface combat, and their effect on crippled ships (21.13-21.161, 21.27)."""

from engine.cbps.damage.ch12_hulls import ships_in_force, us_level
from engine.cbps.events.fleet import (
    GroupDetached,
    GroupFormed,
    GroupMoved,
    ShipCrippled,
    ShipDetached,
)
from engine.cbps.events.japan import ForceMoved
from engine.cbps.forces.ch07_targets import group_hexes, occupied_hexes
from engine.cbps.forces.ch12_cripples import leave_cripples, sink_lone_cripples
from engine.cbps.frames import SurfaceCombatFrame
from engine.cbps.ids import SURFACE_GROUPS, Direction
from engine.cbps.run import Run
from engine.cbps.state import State
from engine.cbps.submarines.ch14_boats import shadowing_boats_follow
from engine.cbps.surface.ch06_groups import share_lights, task_force_groups
from engine.cbps.surface.ch21_sides import OTHER_SIDE, Side, forces_in, ships_in, us_hex


def retreat_sides(run: Run, frame: SurfaceCombatFrame, sides: tuple[Side, ...]) -> None:
    """Retreat one or both sides, the mover first.

    Then sink crippled ships that are left in the hex with an enemy (21.15, 21.161).
    """
    for side in sorted(sides, key=lambda side: side != frame.mover):
        if side == "us":
            _retreat_us(run, frame)
        else:
            _retreat_japan(run, frame)
    hold = [side for side in OTHER_SIDE if ships_in(run.state, side, frame.hex)]
    if len(hold) == 1:
        _sink_left_behind(run, OTHER_SIDE[hold[0]], frame.hex)


def _sink_left_behind(run: Run, side: Side, hex: str) -> None:
    if side == "us":
        _leave_us_cripples(run, hex)
    else:
        for force in forces_in(run.state, hex):
            leave_cripples(run, force, hex)
    sink_lone_cripples(run, hex)


# -- the Japanese side


def _retreat_japan(run: Run, frame: SurfaceCombatFrame) -> None:
    for name in forces_in(run.state, frame.hex):
        goal = _japanese_retreat_hex(run.state, frame, name)
        if goal:
            heading = run.state.game_data.map.grid.direction_between(frame.hex, goal)
            run.add(ForceMoved(force=name, hex=goal, heading=heading, why="retreat"))
            leave_cripples(run, name, frame.hex)
            if name in run.state.forces:
                shadowing_boats_follow(run, name, frame.hex)  # 14.152
            sink_lone_cripples(run, goal)


def _japanese_retreat_hex(state: State, frame: SurfaceCombatFrame, force: str) -> str:
    """Return a force's retreat hex, or an empty string if the hex is barred (21.15, OP-55).

    This is the hex that the force left or, if it did not move, the adjacent hex to the west.
    """
    ships = ships_in_force(state, force)
    if ships and not any(ship in ships_in(state, "japan", frame.hex) for ship in ships):
        return ""  # 21.161
    goal = _retreat_hex(state, frame, force, "W")
    return "" if goal in occupied_hexes(state) else goal


# -- the US side


def _retreat_us(run: Run, frame: SurfaceCombatFrame) -> None:
    _form_escort_group(run, frame.hex)
    for name, group in tuple(run.state.groups.items()):
        if group.hex == frame.hex:
            goal = _us_retreat_hex(run.state, frame, name)
            if goal:
                _leave_us_cripples(run, frame.hex, name)
                heading = run.state.game_data.map.grid.direction_between(frame.hex, goal)
                run.add(GroupMoved(group=name, hex=goal, heading=heading))
                share_lights(run, goal)
                sink_lone_cripples(run, goal)
    _detach_remaining_groups(run)


def _detach_remaining_groups(run: Run) -> None:
    """Detach the groups that are no longer in the hex that contains the most groups of TF 58 (6.33)."""
    groups = run.state.groups
    hexes = {name: groups[name].hex for name in task_force_groups(run.state)}
    places = list(hexes.values())
    usual_place = max(dict.fromkeys(places), key=places.count, default="")
    for name, hex in hexes.items():
        if hex != usual_place:
            run.add(GroupDetached(group=name))


def _us_retreat_hex(state: State, frame: SurfaceCombatFrame, group: str) -> str:
    """Return a group's retreat hex, or an empty string if the hex is barred (21.15, 2.12, OP-55).

    This is the hex that the group left or, if it did not move, the adjacent hex to the east.
    """
    sailing = [
        ship for ship in ships_in(state, "us", frame.hex) if state.ships[ship].group == group
    ]
    goal = _retreat_hex(state, frame, group, "E")
    if not sailing or not goal or forces_in(state, goal):
        return ""
    has_carrier = any(state.game_data.us_ships[ship].is_carrier for ship in sailing)
    return "" if has_carrier and goal in state.game_data.map.islands else goal


def _form_escort_group(run: Run, hex: str) -> None:
    """Form a surface group from the escorts of crippled ships, which are left behind (12.411, 21.161)."""
    escorts = [
        ship
        for ship, ship_state in run.state.ships.items()
        if ship_state.escorts and ship_state.hex == hex
    ]
    markers = SURFACE_GROUPS[: run.state.game_data.surface_tg_markers]
    marker = next(
        (free_marker for free_marker in markers if free_marker not in group_hexes(run.state)), ""
    )
    if not escorts or not marker:
        return
    run.add(GroupFormed(group=marker, hex=hex))
    for ship in escorts:
        run.add(ShipDetached(ship=ship, group=marker))


def _leave_us_cripples(run: Run, hex: str, group: str = "") -> None:
    """Leave the crippled ships of a group, or of every group in a hex, alone on the map (12.41)."""
    for ship, ship_state in tuple(run.state.ships.items()):
        is_here = (
            ship_state.group and us_hex(run.state, ship) == hex and group in ("", ship_state.group)
        )
        if is_here and us_level(run.state, ship) == "crippled":
            run.add(ShipCrippled(ship=ship, hex=hex))


def _retreat_hex(
    state: State, frame: SurfaceCombatFrame, name: str, away_direction: Direction
) -> str:
    origin = frame.origin.get(name, "")
    if origin and origin != frame.hex:
        return origin
    return state.game_data.map.grid.neighbour(frame.hex, away_direction) or ""

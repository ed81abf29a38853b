"""Checks the names in an untrusted position: groups, hexes, seats, forces (2.2, 2.3)."""

from collections.abc import Iterator

from engine.cbps.ids import GUAM
from engine.cbps.seats import commanders
from engine.cbps.state import State
from engine.kernel.vocabulary import Problem


def name_problems(state: State) -> Iterator[Problem]:
    """Yield a problem for each name that does not exist."""
    yield from _fleet_name_problems(state)
    yield from _flight_name_problems(state)
    yield from _japanese_name_problems(state)
    roles = commanders(state)
    for field in ("groups", "missions", "searches"):
        for name, value in getattr(state, field).items():
            if value.commander not in roles:
                yield f"$.{field}.{name}.commander", f"there is no seat '{value.commander}'"


def _fleet_name_problems(state: State) -> Iterator[Problem]:
    hexes = state.game_data.map.hexes
    for name, ship in state.ships.items():
        if ship.group and ship.group not in state.groups:
            yield f"$.ships.{name}.group", f"there is no task group '{ship.group}'"
        if ship.hex and ship.hex not in hexes:
            yield f"$.ships.{name}.hex", f"there is no hex '{ship.hex}'"
        if ship.escorts and ship.escorts not in state.ships:
            yield f"$.ships.{name}.escorts", f"there is no ship '{ship.escorts}'"
    for name in state.boats:
        if name not in state.game_data.submarines:
            yield f"$.boats.{name}", f"there is no submarine '{name}'"


def _flight_name_problems(state: State) -> Iterator[Problem]:
    hexes = state.game_data.map.hexes
    for name, mission in state.missions.items():
        path = f"$.missions.{name}"
        if mission.cap and mission.cap not in state.groups:
            yield f"{path}.cap", f"there is no task group '{mission.cap}'"
        if mission.hex and mission.hex not in hexes:
            yield f"{path}.hex", f"there is no hex '{mission.hex}'"
        for group in mission.groups:
            if group not in state.groups:
                yield f"{path}.groups", f"there is no task group '{group}'"


def _japanese_name_problems(state: State) -> Iterator[Problem]:
    hexes = state.game_data.map.hexes
    for name, force in state.forces.items():
        if force.partner and force.partner not in state.forces:
            yield f"$.forces.{name}.partner", f"there is no force '{force.partner}'"
        for hull in force.first_carriers:
            if hull not in state.game_data.japanese_ships:
                yield f"$.forces.{name}.first_carriers", f"there is no ship '{hull}'"
    for name, ship in state.hulls.items():
        if ship.hex and ship.hex not in hexes:
            yield f"$.hulls.{name}.hex", f"there is no hex '{ship.hex}'"
    for name, force in state.forces.items():
        if force.oiler and force.oiler not in hexes:
            yield f"$.forces.{name}.oiler", f"there is no hex '{force.oiler}'"
    for name, hex in state.oilers.items():
        if hex not in hexes:
            yield f"$.oilers.{name}", f"there is no hex '{hex}'"
    for name, raid in state.raids.items():
        if raid.line_from and raid.line_from not in hexes:
            yield f"$.raids.{name}.line_from", f"there is no hex '{raid.line_from}'"
        if raid.target and raid.target not in {*state.groups, *state.ships, GUAM}:
            yield f"$.raids.{name}.target", f"there is no '{raid.target}'"

"""Invariants that hold in every state between commands. Fuzzing checks them."""

from collections.abc import Iterator
from typing import Final

from engine.cbps.ids import ABOARD, GUAM, JapaneseBox
from engine.cbps.locations import lit_groups, ships_in_group
from engine.cbps.scenario_rules import scenario_rules
from engine.cbps.search_area import BEARINGS
from engine.cbps.state import State
from engine.kernel.vocabulary import Problem

_RAID_BOXES: Final[tuple[JapaneseBox, ...]] = ("raid-a", "raid-b")

_FATAL_FUEL_BOX: Final = 7
"""The Fuel Critical box that eliminates a mission (4.454)."""


def violations(state: State) -> Iterator[str]:
    """Yield a description of every broken invariant."""
    for path, problem in broken_invariants(state):
        yield f"{path}: {problem}"


def broken_invariants(state: State) -> Iterator[Problem]:
    """Yield every broken invariant with the path to the value in the position."""
    yield from _unit_violations(state)
    yield from _mission_violations(state)
    yield from _deck_violations(state)
    yield from _location_violations(state)
    yield from _japanese_violations(state)
    yield from _searcher_violations(state)
    yield from _raid_violations(state)


def _unit_violations(state: State) -> Iterator[Problem]:
    for name, unit in state.units.items():
        path = f"$.units.{name}.at"
        if unit.place in ABOARD and (unit.at not in state.ships or state.ships[unit.at].is_sunk):
            yield path, f"'{unit.at}' is not a carrier afloat (6.21)"
        if unit.place == "mission" and unit.at not in state.missions:
            yield path, f"there is no mission '{unit.at}'"
        if unit.place == "search" and unit.at not in state.searches:
            yield path, f"there is no search '{unit.at}'"


def _mission_violations(state: State) -> Iterator[Problem]:
    displays: dict[str, str] = {}
    for name, mission in state.missions.items():
        path = f"$.missions.{name}"
        if all(name not in (unit.at, unit.came_from) for unit in state.units.values()):
            yield path, f"{name} has no units"
        if bool(mission.hex) == bool(mission.cap):
            yield f"{path}.hex", f"{name} must be either in a hex or in a CAP box (4.33)"
        if not mission.cap and mission.fuel <= -_FATAL_FUEL_BOX:
            yield f"{path}.fuel", f"a mission with fuel {mission.fuel} is eliminated (4.454)"
        number = name.rpartition("-")[2]
        if number in displays:
            yield path, f"{name} and {displays[number]} share one display (4.13)"
        displays[number] = name
    for name in state.searches:
        if all(unit.at != name for unit in state.units.values()):
            yield f"$.searches.{name}", f"{name} has no units"


def _deck_violations(state: State) -> Iterator[Problem]:
    """Yield violations of the carrier limits that hold at all times (6.22)."""
    if not scenario_rules(state).has_servicing:
        return
    limits = state.game_data.charts.carrier_operations_limits
    unit_counts: dict[tuple[str, str], int] = {}
    for unit in state.units.values():
        if unit.place in ABOARD:
            unit_counts[unit.at, unit.place] = unit_counts.get((unit.at, unit.place), 0) + 1
    for name in state.ships:
        card = state.game_data.us_ships[name]
        if not card.is_carrier:
            continue
        ready_count, landed = (
            unit_counts.get((name, "ready"), 0),
            unit_counts.get((name, "landed"), 0),
        )
        servicing, hangar = (
            unit_counts.get((name, "servicing"), 0),
            unit_counts.get((name, "hangar"), 0),
        )
        if ready_count + landed > limits.look_up("flight_deck", card.type):
            yield f"$.ships.{name}", f"{ready_count + landed} units are on the flight deck (6.22)"
        if servicing > limits.look_up("servicing", card.type):
            yield f"$.ships.{name}", f"{servicing} units are in the Servicing box (6.22)"
        total = ready_count + landed + servicing + hangar
        if total > limits.look_up("hangar_total", card.type):
            yield f"$.ships.{name}", f"{total} units are aboard (6.29)"


def _location_violations(state: State) -> Iterator[Problem]:
    hexes = state.game_data.map.hexes
    for field in ("groups", "forces", "raids"):
        for name, piece in getattr(state, field).items():
            if piece.hex not in hexes:
                yield f"$.{field}.{name}.hex", f"there is no hex '{piece.hex}'"
    unlit_groups = {
        group.hex
        for name, group in state.groups.items()
        if not group.is_lit and ships_in_group(state, name)
    }
    for name in lit_groups(state):
        if state.groups[name].hex in unlit_groups:
            problem = "either all groups in a hex are lit, or none are (6.431)"
            yield f"$.groups.{name}.is_lit", problem
    for name, group in state.groups.items():
        has_carrier = any(
            ship.group == name and state.game_data.us_ships[key].is_carrier and not ship.is_sunk
            for key, ship in state.ships.items()
        )
        if has_carrier and group.hex in state.game_data.map.islands:
            problem = f"a group with a carrier cannot be in the island hex {group.hex} (2.12)"
            yield f"$.groups.{name}.hex", problem


def _japanese_violations(state: State) -> Iterator[Problem]:
    for name, force in state.forces.items():
        path = f"$.forces.{name}"
        for box, points in force.boxes.items():
            if points < 0:
                yield f"{path}.boxes.{box}", f"a box cannot contain {points} points"
        if force.partner and state.forces.get(force.partner, force).partner != name:
            problem = f"'{force.partner}' is not the other half of a double force (7.53)"
            yield f"{path}.partner", problem
    for chit, count in state.level_1_cup.items():
        if count < 0:
            yield f"$.level_1_cup.{chit}", f"a cup cannot contain {count} chits"


def _raid_violations(state: State) -> Iterator[Problem]:
    """Yield inconsistencies between raids and their boxes (9.12, 10.13)."""
    points_in_air: dict[tuple[str, str], int] = {}
    for name, raid in state.raids.items():
        path = f"$.raids.{name}"
        for field, min_value in (("points", 1), ("fighters", 0), ("attackers", 0), ("aborted", 0)):
            if (number := getattr(raid, field)) < min_value:
                yield f"{path}.{field}", f"a raid cannot have {number} {field}"
        if raid.is_split and raid.points != raid.fighters + raid.attackers:
            problem = f"{raid.points} points are not {raid.fighters} fighters and {raid.attackers} attackers (10.13)"
            yield f"{path}.points", problem
        if raid.aborted > raid.attackers:
            yield f"{path}.aborted", f"{raid.aborted} of {raid.attackers} attackers cannot abort"
        if raid.slot:
            key = raid.origin, f"raid-{raid.slot}"
            points_in_air[key] = points_in_air.get(key, 0) + raid.points
    displays = {name: force.boxes for name, force in state.forces.items()}
    displays[GUAM] = state.guam.boxes
    for name, boxes in displays.items():
        for box in _RAID_BOXES:
            is_left = state.outcome is not None and name == GUAM  # its raids have been removed
            if boxes.get(box, 0) != points_in_air.get((name, box), 0) and not is_left:
                path = "$.guam.boxes" if name == GUAM else f"$.forces.{name}.boxes"
                points_in_box, points_flying = boxes.get(box, 0), points_in_air.get((name, box), 0)
                yield (
                    f"{path}.{box}",
                    f"{points_in_box} points, but its raid has {points_flying} (9.12)",
                )
    for name, force in state.forces.items():
        for slot, track in force.returning.items():
            if not force.boxes.get(track):
                problem = f"the raid returns without points in box {track} (10.31)"
                yield f"$.forces.{name}.returning.{slot}", problem


def _searcher_violations(state: State) -> Iterator[Problem]:
    """Yield violations by searches and submarines (8.2, 14.15)."""
    hexes = state.game_data.map.hexes
    for name, search in state.searches.items():
        path = f"$.searches.{name}"
        for field in ("hex", "origin", "radius"):
            if (hex := getattr(search, field)) not in hexes:
                yield f"{path}.{field}", f"there is no hex '{hex}'"
        if search.kind != "narrow" and search.bearing not in BEARINGS:
            yield f"{path}.bearing", f"{search.bearing} is not one of the twelve bearings (8.25)"
        if search.group not in state.groups:
            yield f"{path}.group", f"there is no task group '{search.group}'"
        if search.shadowing and search.shadowing not in state.forces:
            yield f"{path}.shadowing", f"there is no force '{search.shadowing}'"
    for name, boat in state.boats.items():
        path = f"$.boats.{name}"
        if boat.hex and boat.hex not in hexes:
            yield f"{path}.hex", f"there is no hex '{boat.hex}'"
        shadowed_force = state.forces.get(boat.shadowing)
        if boat.shadowing and (shadowed_force is None or shadowed_force.hex != boat.hex):
            yield f"{path}.shadowing", f"force '{boat.shadowing}' is not in its hex (14.15)"

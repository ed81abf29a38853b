"""What always holds of a full state; fuzzing looks for a breach."""

from collections.abc import Iterator
from typing import Final

from engine.cbps.ids import ABOARD, DISPLAYS, GUAM, JapaneseBox
from engine.cbps.scope import scope
from engine.cbps.search_area import BEARINGS
from engine.cbps.state import State

_RAID_BOXES: Final[tuple[JapaneseBox, ...]] = ("raid-a", "raid-b")

_GONE: Final = 7
"""The Fuel Critical box in which a mission is eliminated (4.454)."""


def violations(state: State) -> Iterator[str]:
    """Yield every broken invariant."""
    yield from _units(state)
    yield from _decks(state)
    yield from _places(state)
    yield from _japan(state)
    yield from _searchers(state)
    yield from _raids(state)


def _units(state: State) -> Iterator[str]:
    for name, unit in state.units.items():
        if unit.place in ABOARD and (unit.at not in state.ships or state.ships[unit.at].is_sunk):
            yield f"{name} is aboard {unit.at}, which is not afloat"
        if unit.place == "mission" and unit.at not in state.missions:
            yield f"{name} flies with {unit.at}, which is not a mission"
        if unit.place == "search" and unit.at not in state.searches:
            yield f"{name} flies with {unit.at}, which is not a search"
    for name, mission in state.missions.items():
        if all(name not in (unit.at, unit.came_from) for unit in state.units.values()):
            yield f"{name} has no units"
        if bool(mission.hex) == bool(mission.cap):
            yield f"{name} is neither in a CAP box nor in a hex"
        if not mission.cap and mission.fuel <= -_GONE:
            yield f"{name} has no fuel at all"
    numbers = [int(name.rpartition("-")[2]) for name in state.missions]
    if len(set(numbers)) != len(numbers) or any(one not in DISPLAYS for one in numbers):
        yield "two missions have one display"
    for name in state.searches:
        if all(unit.at != name for unit in state.units.values()):
            yield f"{name} has no units"


def _decks(state: State) -> Iterator[str]:
    """Yield breaches of the limits at all times (6.22)."""
    if not scope(state).has_servicing:
        return
    limits = state.book.charts.carrier_operations_limits
    held: dict[tuple[str, str], int] = {}
    for unit in state.units.values():
        if unit.place in ABOARD:
            held[unit.at, unit.place] = held.get((unit.at, unit.place), 0) + 1
    for name in state.ships:
        card = state.book.us_ships[name]
        if not card.is_carrier:
            continue
        ready, landed = held.get((name, "ready"), 0), held.get((name, "landed"), 0)
        servicing, hangar = held.get((name, "servicing"), 0), held.get((name, "hangar"), 0)
        if ready + landed > limits.at("flight_deck", card.type):
            yield f"the flight deck of {name} is overfull"
        if servicing > limits.at("servicing", card.type):
            yield f"the servicing box of {name} is overfull"
        if ready + landed + servicing + hangar > limits.at("hangar_total", card.type):
            yield f"{name} has too many units aboard"


def _places(state: State) -> Iterator[str]:
    hexes = state.book.sea.hexes
    for kind in (state.groups, state.forces, state.raids):
        for name, one in kind.items():
            if one.hex not in hexes:
                yield f"{name} is off the map"
    for name, group in state.groups.items():
        has_carrier = any(
            ship.group == name and state.book.us_ships[key].is_carrier and not ship.is_sunk
            for key, ship in state.ships.items()
        )
        if has_carrier and group.hex in state.book.sea.islands:
            yield f"{name} is in an island hex (2.12)"


def _japan(state: State) -> Iterator[str]:
    for name, force in state.forces.items():
        if any(points < 0 for points in force.boxes.values()):
            yield f"{name} has a box with fewer than no points"
        if force.partner and state.forces.get(force.partner, force).partner != name:
            yield f"{name} and {force.partner} are not one double force"
    if any(count < 0 for count in state.level_1_cup.values()):
        yield "the level-1 cup holds fewer than no chits"


def _raids(state: State) -> Iterator[str]:
    """Yield breaches of what raids and their boxes have in common (9.12, 10.13)."""
    flying: dict[tuple[str, str], int] = {}
    for name, raid in state.raids.items():
        if raid.points <= 0 or raid.fighters < 0 or raid.attackers < 0:
            yield f"{name} has no points, or fewer"
        if raid.is_split and raid.points != raid.fighters + raid.attackers:
            yield f"{name} has other points than fighters and attackers"
        if raid.slot:
            key = raid.origin, f"raid-{raid.slot}"
            flying[key] = flying.get(key, 0) + raid.points
    displays = {name: force.boxes for name, force in state.forces.items()}
    displays[GUAM] = state.guam.boxes
    for name, boxes in displays.items():
        for box in _RAID_BOXES:
            is_left = state.outcome is not None and name == GUAM  # its raids were on their way home
            if boxes.get(box, 0) != flying.get((name, box), 0) and not is_left:
                yield f"box {box} of {name} does not hold the points of its raid"
    for name, force in state.forces.items():
        for slot, track in force.returning.items():
            if not force.boxes.get(track):
                yield f"raid {slot} of {name} returns without points"


def _searchers(state: State) -> Iterator[str]:
    """Yield breaches about searches and submarines (8.2, 14.15)."""
    hexes = state.book.sea.hexes
    for name, search in state.searches.items():
        if any(hex not in hexes for hex in (search.hex, search.origin, search.radius)):
            yield f"{name} is off the map"
        if search.kind != "narrow" and search.bearing not in BEARINGS:
            yield f"{name} has no bearing"
        if search.group not in state.groups:
            yield f"{name} has no group to which it returns"
        if search.shadowing and search.shadowing not in state.forces:
            yield f"{name} shadows nothing"
    for name, boat in state.boats.items():
        if boat.hex and boat.hex not in hexes:
            yield f"{name} is off the map"
        shadowed = state.forces.get(boat.shadowing)
        if boat.shadowing and (shadowed is None or shadowed.hex != boat.hex):
            yield f"{name} shadows a force that is not in its hex"

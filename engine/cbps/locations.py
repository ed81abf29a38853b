"""Locations of US units and ships, by box, mission, search, group and hex (2.2, 2.21)."""

from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache
from itertools import compress
from operator import is_, is_not
from typing import Final, NamedTuple, assert_never

from engine.cbps.game_data import GameData
from engine.cbps.geometry import HexMap
from engine.cbps.ids import Place
from engine.cbps.state import AirUnit, State
from engine.kernel.memo import Memo


def sea_map(state: State) -> HexMap:
    """Return the hex map of this match."""
    return state.game_data.map.grid


@lru_cache(maxsize=8)
def all_carriers(game_data: GameData) -> tuple[str, ...]:
    """Return every US carrier in display order (6.13)."""
    return tuple(name for name, ship in game_data.us_ships.items() if ship.is_carrier)


_MAX_INCREMENTAL_CHANGES: Final = 8
"""Maximum number of changed units to update one by one. Above this, all locations are recomputed."""


class _UnitLocations(NamedTuple):
    """The locations of all units in a state."""

    units: Mapping[str, AirUnit]
    units_by_place: dict[tuple[str, str], tuple[str, ...]]
    order: Mapping[str, int]
    """Index of each unit in counter order."""


_LATEST_LOCATIONS: Final[Memo[_UnitLocations]] = Memo()


def _locate_all(units: Mapping[str, AirUnit]) -> _UnitLocations:
    pieces: dict[tuple[str, str], list[str]] = defaultdict(list)
    for name, unit in units.items():
        pieces[unit.place, unit.at].append(name)
    order = {name: number for number, name in enumerate(units)}
    return _UnitLocations(units, {place: tuple(names) for place, names in pieces.items()}, order)


def _current_locations(
    locations_before: _UnitLocations, units: Mapping[str, AirUnit]
) -> _UnitLocations:
    """Return the locations of all units. If only a few units have changed, update the previous result."""
    old_units = locations_before.units
    # Folds reuse the key objects, so comparing identities is sufficient and faster.
    if len(units) != len(old_units) or not all(map(is_, units, old_units)):
        return _locate_all(units)
    changed_items = tuple(compress(units, map(is_not, units.values(), old_units.values())))
    return (
        _locate_all(units)
        if len(changed_items) > _MAX_INCREMENTAL_CHANGES
        else _relocate(locations_before, units, changed_items)
    )


def _relocate(
    locations_before: _UnitLocations, units: Mapping[str, AirUnit], changed_units: tuple[str, ...]
) -> _UnitLocations:
    """Return the locations after some units have changed. Only places that a unit left or entered are recomputed."""
    old_units = locations_before.units
    by_place = dict(locations_before.units_by_place)
    for name in changed_units:
        place = (old_units[name].place, old_units[name].at)
        by_place[place] = tuple(
            [other_name for other_name in by_place[place] if other_name != name]
        )
    for name in changed_units:
        place = (units[name].place, units[name].at)
        occupants = by_place.get(place)
        if occupants is None or name not in occupants:
            by_place[place] = tuple(
                sorted((*(occupants or ()), name), key=locations_before.order.__getitem__)
            )
    return _UnitLocations(units, by_place, locations_before.order)


def units_by_location(state: State) -> Mapping[tuple[str, str], tuple[str, ...]]:
    """Return the units at each occupied location, in counter order.

    Each key is a pair: a box and its carrier, or ``mission`` or ``search`` and a name. Empty locations have no
    entry, so use ``get``.
    """
    units = state.units
    locations_before = _LATEST_LOCATIONS.latest_result(state)
    if locations_before is None:
        return _LATEST_LOCATIONS.store(state, _locate_all(units)).units_by_place
    return (
        locations_before.units_by_place
        if locations_before.units is units
        else _LATEST_LOCATIONS.store(
            state, _current_locations(locations_before, units)
        ).units_by_place
    )


def note_unit_change(state: State, units: Mapping[str, AirUnit], unit: str) -> None:
    """Update the cached locations for the next state, which differs in one unit only."""
    locations_before = _LATEST_LOCATIONS.latest_result(state)
    if locations_before is not None and locations_before.units is state.units:
        _LATEST_LOCATIONS.store(state, _relocate(locations_before, units, (unit,)))


def units_at(state: State, place: Place, location: str) -> tuple[str, ...]:
    """Return the units in a carrier's box, on a mission or on a search, in counter order."""
    return units_by_location(state).get((place, location), ())


def units_aboard(state: State, carrier: str) -> tuple[str, ...]:
    """Return the units aboard a carrier, in the order Ready, Landed, Servicing, Hangar (6.21)."""
    units = units_by_location(state)
    return tuple(
        unit
        for box in ("ready", "landed", "servicing", "hangar")
        for unit in units.get((box, carrier), ())
    )


def _ships_by_group(state: State) -> dict[str, tuple[str, ...]]:
    ships: dict[str, list[str]] = {}
    for name, ship in state.ships.items():
        if ship.group and not ship.is_sunk:
            ships.setdefault(ship.group, []).append(name)
    return {group: tuple(names) for group, names in ships.items()}


_SHIPS_BY_GROUP: Final = Memo[dict[str, tuple[str, ...]]]()


def ships_by_group(state: State) -> Mapping[str, tuple[str, ...]]:
    """Return the ships afloat in each task group that has any."""
    return _SHIPS_BY_GROUP.get(state, (state.ships,), lambda: _ships_by_group(state))


def ships_in_group(state: State, group: str) -> tuple[str, ...]:
    """Return a task group's ships that are afloat (6.13, 6.14)."""
    return ships_by_group(state).get(group, ())


def carriers_in_group(state: State, group: str) -> tuple[str, ...]:
    """Return a task group's carriers that are afloat, in display order (6.13)."""
    us_ships = state.game_data.us_ships
    return tuple(ship for ship in ships_in_group(state, group) if us_ships[ship].is_carrier)


def groups_in(state: State, hex: str) -> tuple[str, ...]:
    """Return the task groups in a hex that still have a ship afloat."""
    return tuple(
        name
        for name, group in state.groups.items()
        if group.hex == hex and ships_in_group(state, name)
    )


def carriers_in(state: State, hex: str) -> tuple[str, ...]:
    """Return the carriers afloat in a hex, from all task groups, in display order (6.28)."""
    groups, ships = state.groups, state.ships
    carriers = []
    for name in all_carriers(state.game_data):
        ship = ships.get(name)
        if ship is not None and ship.group and not ship.is_sunk and groups[ship.group].hex == hex:
            carriers.append(name)
    return tuple(carriers)


def _carriers_by_group(state: State) -> dict[str, int]:
    us_ships = state.game_data.us_ships
    counts: dict[str, int] = {}
    for name, ship in state.ships.items():
        if ship.group and not ship.is_sunk and us_ships[name].is_carrier:
            counts[ship.group] = counts.get(ship.group, 0) + 1
    return counts


_CARRIERS_BY_GROUP: Final = Memo[dict[str, int]]()


def carriers_by_group(state: State) -> Mapping[str, int]:
    """Return the number of carriers afloat in each task group that has any, in the order of their first carriers."""
    return _CARRIERS_BY_GROUP.get(state, (state.ships,), lambda: _carriers_by_group(state))


def carrier_groups(state: State) -> tuple[str, ...]:
    """Return the task groups that have a carrier afloat, in the order of the groups."""
    carriers_by_name = carriers_by_group(state)
    return tuple([name for name in state.groups if name in carriers_by_name])


def nearest_carrier_groups(state: State, hex: str) -> tuple[str, ...]:
    """Return the task groups with a carrier afloat that are nearest to a hex.

    Returns:
        Task groups in their usual order. More than one means a tie. Empty if no carrier is left.
    """
    sea = sea_map(state)
    ranges = [
        (sea.distance(hex, state.groups[group].hex), group) for group in carrier_groups(state)
    ]
    min_hexes = min((hexes for hexes, _ in ranges), default=0)
    return tuple(group for hexes, group in ranges if hexes == min_hexes)


def ship_hex(state: State, ship: str) -> str:
    """Return the hex of a US ship, in its group or alone, or an empty string if it is sunk."""
    ship_state = state.ships[ship]
    return state.groups[ship_state.group].hex if ship_state.group else ship_state.hex


def mission_hex(state: State, mission: str) -> str:
    """Return a mission's hex or, if the mission is in a CAP box, its group's hex (4.33)."""
    mission_state = state.missions[mission]
    return state.groups[mission_state.cap].hex if mission_state.cap else mission_state.hex


def unit_hex(state: State, unit: str) -> str:
    """Return an air unit's hex, or an empty string if the unit is out of play."""
    unit_state = state.units[unit]
    match unit_state.place:
        case "hangar" | "servicing" | "ready" | "landed":
            return ship_hex(state, unit_state.at)
        case "mission":
            return mission_hex(state, unit_state.at)
        case "search":
            return state.searches[unit_state.at].hex
        case "lost" | "lost-at-group" | "gone":
            return ""
        case other_case:
            assert_never(other_case)


def is_lit(state: State, hex: str) -> bool:
    """Return whether a hex is illuminated. One lit group lights the whole hex (6.431)."""
    return any(state.groups[name].is_lit for name in groups_in(state, hex))


def lit_groups(state: State) -> tuple[str, ...]:
    """Return the task groups that have a ship afloat and their lights on (6.43)."""
    return tuple(
        name for name, group in state.groups.items() if group.is_lit and ships_in_group(state, name)
    )

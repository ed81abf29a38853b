"""Checks the values in an untrusted position: the clock, chits, US units and ships (2, 3, 6, 12.1, 14)."""

from collections.abc import Iterable, Iterator
from typing import Final

from engine.cbps.air.ch04_fuel import endurance
from engine.cbps.decks.ch06_decks import LEEWARD_MARKER, STATION_MARKER
from engine.cbps.decks.ch06_launch import CAP_MISSIONS, CAP_UNITS
from engine.cbps.force_ids import is_force_counter
from engine.cbps.ids import ACTIVATION_CHITS, DISPLAYS, LEVEL_1_CHITS, SURFACE_GROUPS
from engine.cbps.locations import units_at
from engine.cbps.state import Mission, State, UsShip
from engine.kernel.numerals import is_count
from engine.kernel.vocabulary import Problem

_COUNT_FIELDS: Final = (
    *("chits_per_phase", "commitment", "departed_commitment"),
    *("destroyed_naval", "destroyed", "through"),
)
_SHIP_COUNT_FIELDS: Final = (
    *("hits", "segment_hits", "launched", "landed", "lowered", "serviced", "night_launches"),
)
_CARRIER_ONLY_FIELDS: Final = ("fires", "is_inoperative", "is_crashed", "step")
_OPERATION_STEPS: Final = 5
"""The number of steps in a carrier's air operations (6.23)."""
_MAX_FIRE_LEVEL: Final = 3
_MAX_MOVED: Final = 3
_MAX_ATTEMPTS: Final = 2
_MAX_PIN: Final = 2
_DIE_FACES: Final = 10


def value_problems(state: State) -> Iterator[Problem]:
    """Yield a problem for each value that could not occur in a game."""
    yield from _clock_problems(state)
    yield from _cup_problems(state)
    yield from _group_problems(state)
    yield from _ship_problems(state)
    yield from _unit_problems(state)
    yield from _mission_problems(state)
    yield from _search_problems(state)
    yield from _boat_problems(state)


def negative_counts(path: str, holder: object, fields: Iterable[str]) -> Iterator[Problem]:
    """Yield a problem for each of these fields that is negative."""
    for field in fields:
        number = getattr(holder, field)
        if number < 0:
            yield f"{path}.{field}", f"{number} is negative"


def _clock_problems(state: State) -> Iterator[Problem]:
    time = state.game_data.scenarios[state.scenario].turns[state.turn][1]
    phases = len(state.game_data.charts.turn_track.turn(time).light)
    if not 1 <= state.phase <= phases:
        yield "$.phase", f"a turn has phases 1 to {phases}, not {state.phase} (3.1)"
    if not 0 <= state.mission_die <= _DIE_FACES:
        yield "$.mission_die", f"a die cannot show {state.mission_die} (2.5)"
    yield from negative_counts("$", state, _COUNT_FIELDS)


def _cup_problems(state: State) -> Iterator[Problem]:
    for chit in state.cup:
        if chit not in ACTIVATION_CHITS and not is_force_counter(state, chit):
            yield "$.cup", f"there is no activation chit '{chit}' (3.22)"
    for field in ("level_1_cup", "set_aside"):
        for chit, count in getattr(state, field).items():
            if chit not in LEVEL_1_CHITS:
                yield f"$.{field}.{chit}", f"there is no level-1 chit '{chit}' (7.32)"
            elif count < 0:
                yield f"$.{field}.{chit}", f"{count} is negative"
    for chit in state.double_chits:
        if chit not in LEVEL_1_CHITS:
            yield "$.double_chits", f"there is no level-1 chit '{chit}' (7.51)"
    for letter in state.gone_letters:
        if not is_force_counter(state, letter):
            yield "$.gone_letters", f"there is no force '{letter}'"


def _group_problems(state: State) -> Iterator[Problem]:
    names = (*state.game_data.task_groups, *SURFACE_GROUPS[: state.game_data.surface_tg_markers])
    for name, group in state.groups.items():
        path = f"$.groups.{name}"
        if name not in names:
            yield path, f"there is no task group '{name}' (2.211)"
        if group.marker not in ("", LEEWARD_MARKER, STATION_MARKER):
            yield f"{path}.marker", f"there is no wind marker '{group.marker}' (17)"
        row = state.game_data.us_ships.get(group.operates)
        if group.operates and (row is None or row.type != "CVL"):
            yield f"{path}.operates", f"'{group.operates}' is not a light carrier (17.3)"


def _ship_problems(state: State) -> Iterator[Problem]:
    for name, ship in state.ships.items():
        path = f"$.ships.{name}"
        yield from negative_counts(path, ship, _SHIP_COUNT_FIELDS)
        capacity = state.game_data.us_ships[name].damage_capacity
        if ship.hits >= capacity and not ship.is_sunk:
            yield (
                f"{path}.hits",
                f"a ship with {ship.hits} of {capacity} hits has sunk (12.1, 12.5)",
            )
        if ship.is_sunk and (ship.group or ship.hex):
            field = "group" if ship.group else "hex"
            yield f"{path}.{field}", "a sunk ship cannot be in a group or a hex (2.26)"
        elif ship.group and ship.hex:
            yield (
                f"{path}.hex",
                f"a ship can be in {ship.group} or alone in a hex, but not both (12.41)",
            )
        yield from _carrier_problems(state, path, name, ship)


def _carrier_problems(state: State, path: str, name: str, ship: UsShip) -> Iterator[Problem]:
    for level in ship.fires:
        if not 1 <= level <= _MAX_FIRE_LEVEL:
            yield f"{path}.fires", f"a fire has level 1 to {_MAX_FIRE_LEVEL}, not {level} (12.33)"
    if not 0 <= ship.step <= _OPERATION_STEPS:
        yield (
            f"{path}.step",
            f"air operations have steps 1 to {_OPERATION_STEPS}, not {ship.step} (6.23)",
        )
    if not state.game_data.us_ships[name].is_carrier:
        for field in _CARRIER_ONLY_FIELDS:
            if getattr(ship, field):
                yield f"{path}.{field}", f"{name} is not a carrier (12.35, 6.2)"


def _unit_problems(state: State) -> Iterator[Problem]:
    for name, unit in state.units.items():
        row = state.game_data.us_ships.get(unit.at)
        if unit.place in {"hangar", "servicing", "ready", "landed"} and (
            row is None or not row.is_carrier
        ):
            yield f"$.units.{name}.at", f"'{unit.at}' is not a carrier (6.21)"
        if unit.came_from and not _is_flight(unit.came_from):
            yield f"$.units.{name}.came_from", f"there is no mission or search '{unit.came_from}'"


def _is_flight(name: str) -> bool:
    kind, _, number = name.partition("-")
    if not is_count(number):
        return False
    return kind == "search" or (kind in {"strike", "intercept"} and int(number) in DISPLAYS)


def _mission_problems(state: State) -> Iterator[Problem]:
    boxes: dict[str, list[str]] = {}
    for name, mission in state.missions.items():
        path = f"$.missions.{name}"
        if not _is_flight(name) or name.startswith("search"):
            yield path, f"there is no air mission '{name}' (4.13)"
        elif not name.startswith(mission.kind):
            yield f"{path}.kind", f"{name} is not of kind {mission.kind} (4.14)"
        if mission.cap:
            boxes.setdefault(mission.cap, []).append(name)
        yield from _mission_number_problems(state, path, name, mission)
    for group, names in boxes.items():
        units = [unit for name in names for unit in units_at(state, "mission", name)]
        if len(names) > CAP_MISSIONS or len(units) > CAP_UNITS:
            problem = f"{group} has {len(names)} CAP missions of {len(units)} units (4.33)"
            yield f"$.missions.{names[-1]}.cap", problem


def _mission_number_problems(
    state: State, path: str, name: str, mission: Mission
) -> Iterator[Problem]:
    if not 0 <= mission.moved <= _MAX_MOVED:
        yield f"{path}.moved", f"a mission cannot move {mission.moved} hexes (4.41)"
    if not 0 <= mission.attempts <= _MAX_ATTEMPTS:
        yield (
            f"{path}.attempts",
            f"a strike has two contact attempts, not {mission.attempts} (5.21)",
        )
    units = units_at(state, "mission", name)
    max_fuel = max((endurance(state, unit) for unit in state.units), default=mission.fuel)
    if mission.fuel > max_fuel:
        yield f"{path}.fuel", f"fuel {mission.fuel} is more than any unit carries (4.15)"
    if mission.kind == "strike" and mission.cap:
        yield f"{path}.cap", "a strike cannot fly CAP (4.33)"
    if mission.kind == "intercept":
        for unit in units:
            if not state.game_data.is_fighter(unit):
                yield (
                    f"$.units.{unit}.at",
                    f"{unit} is not a fighter and cannot fly interceptions (4.31)",
                )


def _search_problems(state: State) -> Iterator[Problem]:
    for name, search in state.searches.items():
        path = f"$.searches.{name}"
        if not state.frames:
            yield path, f"{name} cannot be in flight before the first turn begins (8.23)"
        if not _is_flight(name) or not name.startswith("search"):
            yield path, f"there is no search '{name}' (8.23)"
        yield from negative_counts(path, search, ("moves",))
        for hex in search.passed:
            if hex not in state.game_data.map.hexes:
                yield f"{path}.passed", f"there is no hex '{hex}'"


def _boat_problems(state: State) -> Iterator[Problem]:
    for name, boat in state.boats.items():
        path = f"$.boats.{name}"
        if not 0 <= boat.pin <= _MAX_PIN:
            yield f"{path}.pin", f"a submarine is pinned 0 to {_MAX_PIN}, not {boat.pin} (14.171)"
        if boat.is_sunk and (boat.hex or boat.shadowing):
            yield f"{path}.hex", "a sunk submarine cannot be in a hex (14.171)"

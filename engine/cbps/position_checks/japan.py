"""Checks the Japanese forces, ships, raids and bases in an untrusted position (7, 9, 10, 11, 12.2)."""

from collections.abc import Collection, Iterator
from typing import Final

from engine.cbps.force_ids import is_force_counter
from engine.cbps.forces.ch07_forces import CARRIER_MAXIMUM
from engine.cbps.ids import CARRIER, GUAM, IWO_JIMA, LEVEL_1_FORCES, YAP
from engine.cbps.intelligence.ch07_draws import is_carrier_chit
from engine.cbps.intelligence.ch07_fleet import historical_fleet
from engine.cbps.position_checks.values import negative_counts
from engine.cbps.state import Force, Hull, State
from engine.kernel.vocabulary import Problem

SURFACE_SHIPS: Final = "surface"
"""The chit of a level-3 surface force, whose ships are known (7.332)."""
_FUEL_STATES: Final = ("", "wants", "refuelled", "given-up")
_FATES: Final = ("", "sunk", "exited")
_SLOTS: Final = ("a", "b")
_TRACK: Final = ("r12", "r8", "r4", "r0")
_BASES: Final = (IWO_JIMA, YAP)
_HIT_AGES: Final = ("current", "previous", "permanent")
_FALSE_CONTACT_PREFIX: Final = "false-contact-"


def japanese_problems(state: State) -> Iterator[Problem]:
    """Yield a problem for each value of the Japanese side that could not occur in a game."""
    for name, force in state.forces.items():
        yield from _force_problems(state, name, force)
    for name, hull in state.hulls.items():
        yield from _hull_problems(state, name, hull)
    yield from _raid_problems(state)
    yield from _guam_problems(state)
    yield from _score_problems(state)


def is_known_carrier(level: int, chit: str) -> bool:
    """Return whether a force with this level and chit is known to be a carrier force (7.32-7.332)."""
    match level:
        case 0:
            return False
        case 1:
            return chit == CARRIER
        case 2:
            return bool(chit) and is_carrier_chit(chit)
        case 3:
            return bool(chit) and chit != SURFACE_SHIPS
        case _:
            return True


def _possible_chits(state: State, level: int) -> Collection[str]:
    """Return the chits that a force of the given level may have (7.31-7.332)."""
    level_two_chits, level_three_chits = (
        state.game_data.level_two,
        (SURFACE_SHIPS, *state.game_data.level_three),
    )
    return {
        0: ("",),
        1: LEVEL_1_FORCES,
        2: level_two_chits,
        3: level_three_chits,
        CARRIER_MAXIMUM: ("", *level_two_chits, *level_three_chits),
    }[level]


def _force_problems(state: State, name: str, force: Force) -> Iterator[Problem]:
    path = f"$.forces.{name}"
    if not is_force_counter(state, name):
        yield path, f"there is no force '{name}': forces have letters, Butai numbers (2.3)"
    yield from _level_problems(state, path, force)
    yield from negative_counts(path, force, ("queue", "raids", "free_lost"))
    yield from negative_counts(f"{path}.hits", force.hits, _HIT_AGES)
    if force.cap is not None and force.cap < 0:
        yield f"{path}.cap", f"{force.cap} is negative"
    if force.free_lost > force.boxes.get("lost", 0):
        yield (
            f"{path}.free_lost",
            f"{force.free_lost} points are more than the LOST box contains (23.3)",
        )
    if force.fuel not in _FUEL_STATES:
        yield (
            f"{path}.fuel",
            f"'{force.fuel}' is not one of {', '.join(filter(None, _FUEL_STATES))} (20.5)",
        )
    for boat in force.entered:
        if boat not in state.game_data.submarines:
            yield f"{path}.entered", f"there is no submarine '{boat}'"
    for slot, track in force.returning.items():
        if slot not in _SLOTS or track not in _TRACK:
            problem = f"raid '{slot}' cannot be returning in box '{track}' (9.12)"
            yield f"{path}.returning.{slot}", problem
    if force.partner == name:
        yield f"{path}.partner", "a force cannot be its own other half (7.53)"
    parts = [
        str(number) for number, _ in enumerate(historical_fleet(state.game_data, state), start=1)
    ]
    if force.historical and force.historical not in parts:
        problem = f"the historical fleet has no part '{force.historical}' here"
        yield f"{path}.historical", problem


def _level_problems(state: State, path: str, force: Force) -> Iterator[Problem]:
    if not 0 <= force.level <= CARRIER_MAXIMUM:
        yield f"{path}.level", f"levels are 0 to {CARRIER_MAXIMUM}, not {force.level} (7.3)"
        return
    chits = _possible_chits(state, force.level)
    if force.chit not in chits:
        chit_names = ", ".join(filter(None, chits)) or "none"
        problem_text = f"'{force.chit}' is not a chit" if force.chit else "a chit is missing"
        yield f"{path}.chit", f"{problem_text} of level {force.level}, which has {chit_names} (7.3)"
        return
    is_carrier = is_known_carrier(force.level, force.chit)
    if force.is_carrier != is_carrier:
        chit = f" and chit {force.chit}" if force.chit else ""
        problem = f"level {force.level}{chit} is {'a' if is_carrier else 'no'} carrier force (7.33)"
        yield f"{path}.is_carrier", problem


def _hull_problems(state: State, name: str, hull: Hull) -> Iterator[Problem]:
    path = f"$.hulls.{name}"
    is_alone = bool(hull.hex or hull.fate)  # its force may have left play or changed its counter
    if hull.force and not is_alone and not is_force_counter(state, hull.force):
        yield f"{path}.force", f"there is no force '{hull.force}'"
    if hull.fate not in _FATES:
        yield (
            f"{path}.fate",
            f"'{hull.fate}' is not one of {', '.join(filter(None, _FATES))} (2.26)",
        )
    yield from negative_counts(f"{path}.hits", hull.hits, _HIT_AGES)
    row = state.game_data.japanese_ships[name]
    hits = hull.hits.permanent if row.is_carrier or row.type == "BB" else hull.hits.total
    if hits >= row.damage_capacity and not hull.fate:
        problem = f"a ship with {hits} of {row.damage_capacity} hits has sunk (12.27, 12.5)"
        yield f"{path}.hits", problem
    if hull.fate and hull.hex:
        yield f"{path}.hex", f"a ship that has {hull.fate} cannot be in a hex (2.26)"


def _raid_problems(state: State) -> Iterator[Problem]:
    for name, raid in state.raids.items():
        path = f"$.raids.{name}"
        is_known = raid.origin in (GUAM, *_BASES, name) or is_force_counter(state, raid.origin)
        if not is_known:
            yield f"{path}.origin", f"there is no force or base '{raid.origin}' (10.1)"
        if raid.slot and raid.slot not in _SLOTS:
            yield f"{path}.slot", f"there is no raid box '{raid.slot}' (9.12)"


def _guam_problems(state: State) -> Iterator[Problem]:
    yield from negative_counts("$.guam", state.guam, ("air_value",))
    for box, points in state.guam.boxes.items():
        if points < 0:
            yield f"$.guam.boxes.{box}", f"a box cannot contain {points} points"
    for field in ("reinforced", "first_day"):
        for base in getattr(state.guam, field):
            if base not in _BASES:
                yield f"$.guam.{field}", f"there is no base '{base}' (11.13)"
    for oiler in state.oilers:
        if oiler not in state.game_data.oilers:
            yield f"$.oilers.{oiler}", f"there is no oiler '{oiler}' (20.2)"
    for hex in state.oilers_tried:
        if hex not in state.game_data.map.hexes:
            yield "$.oilers_tried", f"there is no hex '{hex}'"


def _score_problems(state: State) -> Iterator[Problem]:
    for name, points in state.found.items():
        counter = name.partition("-")[0]
        if not name.startswith(_FALSE_CONTACT_PREFIX) and not is_force_counter(state, counter):
            yield f"$.found.{name}", f"there is no force '{name}'"
        if points < 0:
            yield f"$.found.{name}", f"{points} is negative"

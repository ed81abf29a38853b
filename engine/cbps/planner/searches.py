"""Planning for searches: the area covered each turn, possible sightings, and the return time (8.2-8.34)."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

import msgspec
from msgspec.structs import replace

from engine.cbps.charts.results import SearchCode
from engine.cbps.clock import day_and_time
from engine.cbps.decks.ch22_night import is_night_capable
from engine.cbps.events.chance import Modifier
from engine.cbps.evolve.folds import evolve
from engine.cbps.frames import SearchFlightFrame, SearchLaunchFrame
from engine.cbps.ids import Light, SearchKind
from engine.cbps.locations import ship_hex, units_at
from engine.cbps.planner.chances import die_chances
from engine.cbps.search.ch08_attempts import attempt_modifiers
from engine.cbps.search.ch08_courses import NARROW, RADIUS_HEXES, is_home
from engine.cbps.search.ch08_flight import home_hex, move_of, moved_event
from engine.cbps.search_area import ZONES, Zone, radius_hex, zone_hexes
from engine.cbps.state import Force, Search, State
from engine.kernel.chances import probability

_NEW_SEARCH: Final = "search-0"
_HYPOTHETICAL_FORCE: Final = "somebody"
"""Name of a hypothetical force, used to compute the odds of finding a force that is not on the map."""
_MAX_LEGS: Final = 12


class SearchLeg(msgspec.Struct, frozen=True, kw_only=True):
    """One Search Segment of a search (8.271, 8.28)."""

    day: str
    time: str
    """Label of the turn. Each turn has one Search Segment (8.22)."""
    lights: tuple[Light, ...]
    """The different light conditions in the turn's phases. The segment may take place in any of these phases."""
    hex: str
    """The hex where the leg ends."""
    is_back: bool
    zone: str
    """Zone examined: near, middle, far or extended. Empty for a narrow search or if nothing is examined."""
    hexes: tuple[str, ...]
    """The hexes that the search examines in this segment."""
    modifiers: tuple[Modifier, ...]
    chances: Mapping[SearchCode, Fraction]
    """Probabilities of an attempt's results in the farthest hex.

    Empty if nothing is examined or the units cannot see at night.
    """


class Sighting(msgspec.Struct, frozen=True, kw_only=True):
    """A force on the map that the search will examine if the force does not move."""

    force: str
    legs: tuple[int, ...]
    """Indexes of the legs that examine the force's hex, counting from 0."""
    found: Fraction
    """Probability of a sighting in at least one attempt."""
    located: Fraction
    """Probability of a located or spotted result (L or S) in at least one attempt."""


class SearchPlan(msgspec.Struct, frozen=True, kw_only=True):
    """The plan for one search, from launch to landing."""

    kind: str
    origin: str
    bearing: int
    radius: str
    units: tuple[str, ...]
    legs: tuple[SearchLeg, ...]
    is_home: bool
    """True if the last leg ends with the landing, False if the scenario ends first."""
    sightings: tuple[Sighting, ...]

    @property
    def hexes(self) -> tuple[str, ...]:
        """Return all hexes that the search examines, in the order of the legs."""
        return tuple(dict.fromkeys(hex for leg in self.legs for hex in leg.hexes))


def sighting_chance(chances: Mapping[SearchCode, Fraction]) -> Fraction:
    """Return the probability of any sighting (8.341)."""
    return probability(chances, lambda code: code != "none")


def location_chance(chances: Mapping[SearchCode, Fraction]) -> Fraction:
    """Return the probability of a located or spotted result (8.341)."""
    return probability(chances, lambda code: code[0] in "LS")


def level_rise_chance(chances: Mapping[SearchCode, Fraction]) -> Fraction:
    """Return the probability of a result that raises the force's level (8.342)."""
    return probability(chances, lambda code: "chit" in code)


def planned_search(
    state: State, units: tuple[str, ...], kind: SearchKind, *, bearing: int = 0, radius: str = ""
) -> Search:
    """Return a search that could be launched with one or two units from one hex (8.27).

    Args:
        state: The position.
        units: One or two ready units.
        kind: Kind of search: ``standard``, ``narrow`` or ``long``.
        bearing: Bearing in degrees, for standard and long searches.
        radius: The hex of the Max Radius marker, or empty to derive it from the bearing.
    """
    carrier = state.units[units[0]].at
    origin = ship_hex(state, carrier)
    if not radius:
        radius = radius_hex(state.game_data.map.grid, origin, bearing, RADIUS_HEXES[kind])
    return Search(
        kind=kind,
        origin=origin,
        group=state.ships[carrier].group,
        bearing=bearing,
        radius=radius,
        hex=origin,
    )


def search_units(state: State, search: str) -> tuple[str, ...]:
    """Return the units on a search in flight."""
    return units_at(state, "search", search)


def search_plan(
    state: State, search: Search, units: tuple[str, ...], name: str = _NEW_SEARCH
) -> SearchPlan:
    """Return a search's plan, starting with its next Search Segment (possibly in this turn).

    The plan assumes that groups and forces stay where they are and that nothing is shadowed.
    """
    searching_units = {unit: replace(state.units[unit], place="search", at=name) for unit in units}
    table = replace(
        state, units={**state.units, **searching_units}, searches={**state.searches, name: search}
    )
    turns = state.game_data.scenarios[state.scenario].turns
    legs: list[SearchLeg] = []
    turn = state.turn + _has_flown(state, search, name)
    has_landed = False
    while turn < len(turns) and len(legs) < _MAX_LEGS and not has_landed:
        table = _after_next_move(_with_turn(table, state, turn), name)
        legs.append(_next_leg(table, name, units))
        moved_search = table.searches[name]
        has_landed = is_home(state.game_data.map.grid, moved_search, home_hex(table, moved_search))
        turn += 1
    return SearchPlan(
        kind=search.kind,
        origin=search.origin,
        bearing=search.bearing,
        radius=search.radius,
        units=units,
        legs=tuple(legs),
        is_home=has_landed,
        sightings=tuple(_sightings(state, tuple(legs))),
    )


def _has_flown(state: State, search: Search, name: str) -> bool:
    """Return whether a search has already made its move in this turn (8.22)."""
    for frame in state.frames:
        if isinstance(frame, SearchLaunchFrame):
            return False
        if isinstance(frame, SearchFlightFrame):
            return name not in frame.left
    return state.has_searched and bool(search.moves)


def _with_turn(table: State, state: State, turn: int) -> State:
    """Return a state advanced to phase 1 of a turn, or unchanged if this is the current turn."""
    return table if turn == state.turn else replace(table, turn=turn, phase=1)


def _after_next_move(table: State, name: str) -> State:
    """Return the state after the next move of a search (8.271, 8.28)."""
    move = move_of(table, table.searches[name])
    path = tuple(alternatives[0] for alternatives in move.steps)
    return evolve(table, moved_event(table, name, move, path))


def _examined_hexes(table: State, search: Search) -> tuple[str, ...]:
    """Return the hexes that a search examines in its current segment, in ascending order (8.32, 8.33)."""
    if search.kind == NARROW:
        return tuple(sorted(set(search.passed)))
    zones: tuple[Zone, ...] = tuple(ZONES)
    zone = next((other_zone for other_zone in zones if other_zone == search.zone), None)
    return (
        ()
        if zone is None
        else zone_hexes(table.game_data.map.grid, search.origin, search.bearing, zone)
    )


def _next_leg(table: State, name: str, units: tuple[str, ...]) -> SearchLeg:
    search, grid = table.searches[name], table.game_data.map.grid
    hexes = _examined_hexes(table, search)
    day, time = day_and_time(table)
    lights = table.game_data.charts.turn_track.turn(time).light
    is_blind = set(lights) == {"night"} and not all(is_night_capable(table, unit) for unit in units)
    modifiers: tuple[Modifier, ...] = ()
    chances: Mapping[SearchCode, Fraction] = {}
    if hexes and not is_blind:
        farthest_hex = max(hexes, key=lambda hex: grid.distance(search.origin, hex))
        state_met = replace(
            table, forces={**table.forces, _HYPOTHETICAL_FORCE: Force(hex=farthest_hex)}
        )
        modifiers = tuple(
            unit for unit in attempt_modifiers(state_met, name, _HYPOTHETICAL_FORCE) if unit.drm
        )
        chances = die_chances(table.game_data.charts.air_search, modifiers)
    return SearchLeg(
        day=day,
        time=time,
        lights=tuple(dict.fromkeys(lights)),
        hex=search.hex,
        is_back=search.is_back,
        zone=search.zone,
        hexes=hexes,
        modifiers=modifiers,
        chances=chances,
    )


def _sightings(state: State, legs: tuple[SearchLeg, ...]) -> list[Sighting]:
    """Return the forces in the hexes that a search examines, with the most likely sightings first."""
    sightings = []
    for name, force in state.forces.items():
        met_chances = tuple(
            place for place, leg in enumerate(legs) if leg.chances and force.hex in leg.hexes
        )
        if met_chances:
            chance_missed = unlocated_chance = Fraction(1)
            for place in met_chances:
                chance_missed *= 1 - sighting_chance(legs[place].chances)
                unlocated_chance *= 1 - location_chance(legs[place].chances)
            sightings.append(
                Sighting(
                    force=name,
                    legs=met_chances,
                    found=1 - chance_missed,
                    located=1 - unlocated_chance,
                )
            )
    return sorted(sightings, key=lambda sighting: -sighting.found)

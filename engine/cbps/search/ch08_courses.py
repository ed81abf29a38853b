"""Flight paths of searches, and the area that they examine (8.23-8.28, 8.32, 8.33, 18.2)."""

from functools import lru_cache
from typing import Final, NamedTuple

from engine.cbps.geometry import HexMap
from engine.cbps.ids import SearchKind, SearchZone
from engine.cbps.search_area import (
    EXTENDED_HEXES,
    STANDARD_HEXES,
    ZONES,
    Zone,
    is_in_search_area,
    last_zone,
    leg_hexes,
    zone_at,
)
from engine.cbps.state import Search

STANDARD: Final[SearchKind] = "standard"
NARROW: Final[SearchKind] = "narrow"
LONG_SEARCH: Final[SearchKind] = "long"
RADIUS_HEXES: Final = {STANDARD: STANDARD_HEXES, LONG_SEARCH: EXTENDED_HEXES}
"""Distance in hexes to the Max Radius marker, for each kind of search on a bearing (8.25, 18.21)."""
FARTHEST_ZONES: Final[dict[str, Zone]] = {STANDARD: "far", LONG_SEARCH: "extended"}
_ZONES: Final[tuple[Zone, ...]] = tuple(ZONES)
_HOMEWARD_HEXES: Final = 4
_FROM_EXTENDED_HEXES: Final = 2
"""Length of the first move home of a 12-hex search, back to 10 hexes (18.22)."""
_MOVE_END_HEXES: Final = (2, 6, 10)
"""Distances flown by a narrow search after each of its first three moves. They are the limits of its zones (8.271)."""


class Move(NamedTuple):
    """The move of one search in a Search Segment, before any choice between tied hexes."""

    steps: tuple[tuple[str, ...], ...]
    """The hexes that may be entered at each step. Two hexes mean a tie. Empty if the search does not move."""
    zone: SearchZone = ""
    """The zone that the search examines. Empty if it examines none."""
    skipped: SearchZone = ""
    is_back: bool = False


def next_move(hexes: HexMap, search: Search, home: str, *, is_in_turn: bool = False) -> Move:
    """Return the current move of a search that is not shadowing, according to the timetable in 8.271 and 8.28.

    Args:
        hexes: The map.
        search: The search.
        home: The current hex of the group that launched the search.
        is_in_turn: True if zones on the way home are examined in strict order, wherever the group has moved (OP-31).
    """
    is_back = search.is_back or search.has_shadowed or not _flies_out(hexes, search)
    if search.kind == NARROW:
        if is_back:
            return Move(_homeward_courses(hexes, search.hex, home), is_back=True)
        return Move(leg_hexes(hexes, search.origin, search.radius, search.moves))
    if not is_back:
        zone = _ZONES[search.moves]
        line = hexes.line(search.origin, search.radius)
        flown_before, flown_after = (
            hexes_flown(moves, len(line) - 1) for moves in (search.moves, search.moves + 1)
        )
        return Move(line[flown_before + 1 : flown_after + 1], zone)
    if search.has_shadowed and not search.is_back:
        skipped_zone = zone_at(hexes.distance(search.origin, search.hex)) or ""
        return Move(_homeward_courses(hexes, search.hex, home), skipped=skipped_zone, is_back=True)
    examined_zone = _homeward_zone(hexes, search, is_in_turn=is_in_turn)
    max_hexes = _FROM_EXTENDED_HEXES if examined_zone == "extended" else _HOMEWARD_HEXES
    return Move(_homeward_courses(hexes, search.hex, home, max_hexes), examined_zone, is_back=True)


def hexes_flown(moves: int, limit: int) -> int:
    """Return the number of hexes flown outward after a number of moves, never past the marker (8.27, 8.271, 18.22)."""
    last_zone_hex = ZONES[_ZONES[moves - 1]][1] if moves else 0
    return min(last_zone_hex, limit)


def _flies_out(hexes: HexMap, search: Search) -> bool:
    """Return whether a search has outward moves left (8.271, 8.332)."""
    if search.kind == NARROW:
        return search.hex != search.radius
    last_zone_flown = last_zone(hexes, search.origin, search.bearing, FARTHEST_ZONES[search.kind])
    return search.moves <= _ZONES.index(last_zone_flown)


def turns_at_edge(hexes: HexMap, search: Search) -> bool:
    """Return whether the map edge shortens the radius of a search on a bearing (8.261)."""
    return (
        search.kind != NARROW
        and hexes.distance(search.origin, search.radius) < RADIUS_HEXES[search.kind]
    )


def _homeward_courses(
    hexes: HexMap, hex: str, home: str, reach: int = _HOMEWARD_HEXES
) -> tuple[tuple[str, ...], ...]:
    return hexes.line(hex, home)[1 : reach + 1]


def _homeward_zone(hexes: HexMap, search: Search, *, is_in_turn: bool) -> SearchZone:
    """Return the zone examined on the way home, or an empty string for none (8.28, OP-31).

    This is the zone of the hex where the search begins its move, and each zone is examined only once. A search that
    turned at the map edge follows the timetable of the full flight (8.332).
    """
    searched = search.zones if search.is_back else ()
    if is_in_turn or turns_at_edge(hexes, search):
        # On the way home, the last outward zone is examined again first (8.332).
        if not searched:
            return search.zone
        number = _ZONES.index(searched[-1])
        return _ZONES[number - 1] if number else ""
    zone = zone_at(hexes.distance(search.origin, search.hex))
    if (
        zone is None
        or zone in searched
        or _ZONES.index(zone) > _ZONES.index(FARTHEST_ZONES[search.kind])
    ):
        return ""
    return zone


def is_home(hexes: HexMap, search: Search, home: str) -> bool:
    """Return whether a search lands at the end of this segment (8.28, 8.332)."""
    if not search.is_back or search.hex != home:
        return False
    # A search that turned at the map edge lands only in its near-zone segment (8.332).
    return not turns_at_edge(hexes, search) or "near" in search.zones


def examined_on_path(hexes: HexMap, search: Search, path: tuple[str, ...]) -> tuple[str, ...]:
    """Return the hexes in which a narrow search looks for forces during a move (8.32, 18.11)."""
    if not search.has_shadowed:
        return path
    turned_hexes = (
        _distance_band(hexes, search, search.hex)
        if not search.is_back
        else len(_MOVE_END_HEXES) + 1
    )
    return tuple(hex for hex in path if _distance_band(hexes, search, hex) < turned_hexes)


def _distance_band(hexes: HexMap, search: Search, hex: str) -> int:
    distance = hexes.distance(search.origin, hex)
    return sum(distance > last_hex for last_hex in _MOVE_END_HEXES)


def examines(hexes: HexMap, search: Search, hex: str) -> bool:
    """Return whether a search examines a hex in this segment (8.32, 8.33)."""
    if search.kind == NARROW:
        return hex in search.passed
    return bool(search.zone) and _is_in_zone(hexes, search.origin, search.bearing, search.zone, hex)


@lru_cache(maxsize=8_192)
def _is_in_zone(hexes: HexMap, origin: str, bearing: int, zone: SearchZone, hex: str) -> bool:
    """Return whether a hex is inside a zone of a search's wedges (8.33)."""
    return zone_at(hexes.distance(origin, hex)) == zone and is_in_search_area(
        hexes, origin, bearing, hex
    )

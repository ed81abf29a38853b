"""What searches look at: bearings, radius hexes, wedges and zones (8.2, 8.3, 18.2).

A standard search flies on one of 12 bearings and covers the 30 degrees to both sides of it; the rays that bound this
are themselves the bearings beside its own, so that two cross products tell on which side of them a hex lies.
"""

from functools import lru_cache
from typing import Final, Literal, TypeAlias

from engine.cbps.directions import DIRECTIONS, OFFSETS, Offset, cross, offset_distance
from engine.cbps.geometry import HexMap

Zone: TypeAlias = Literal["near", "middle", "far", "extended"]

ZONES: Final[dict[Zone, tuple[int, int]]] = {
    "near": (0, 2),
    "middle": (3, 6),
    "far": (7, 10),
    "extended": (11, 12),
}
"""First and last distance from the origin, outwards (8.33); the last zone is that of fighters alone (18.22)."""
STANDARD_HEXES: Final = 10
NARROW_HEXES: Final = 14
EXTENDED_HEXES: Final = 12
LEGS: Final = ((1, 2), (3, 6), (7, 10), (11, 14))
"""First and last step of each move outwards, at most to the radius (8.27, 8.271)."""


def _between(first: Offset, second: Offset) -> Offset:
    return first[0] + second[0], first[1] + second[1]


_RAYS: Final[dict[int, Offset]] = {
    bearing: ray
    for number, direction in enumerate(DIRECTIONS)
    for bearing, ray in (
        (60 * number, _between(OFFSETS[DIRECTIONS[number - 1]], OFFSETS[direction])),
        (60 * number + 30, OFFSETS[direction]),
    )
}
"""The first hex on each bearing: the next one, or every other one between two directions."""

BEARINGS: Final = tuple(_RAYS)
"""Degrees clockwise from north (8.25)."""


def _is_covered(bearing: int, offset: Offset) -> bool:
    """Return whether an offset lies in the wedges beside a bearing, their bounds included (8.251, OP-30)."""
    left, right = _RAYS[(bearing - 30) % 360], _RAYS[(bearing + 30) % 360]
    return cross(left, offset) >= 0 and cross(offset, right) >= 0


def _areas() -> dict[tuple[int, Zone], tuple[Offset, ...]]:
    """Return the offsets that each bearing covers in each zone, from north-east to south-west by rows."""
    reach = range(-EXTENDED_HEXES, EXTENDED_HEXES + 1)
    offsets = [
        (east, south)
        for south in reach
        for east in range(2 * EXTENDED_HEXES, -2 * EXTENDED_HEXES - 1, -1)
        if (east + south) % 2 == 0
    ]
    return {
        (bearing, zone): tuple(
            offset
            for offset in offsets
            if first <= offset_distance(offset) <= last and _is_covered(bearing, offset)
        )
        for bearing in BEARINGS
        for zone, (first, last) in ZONES.items()
    }


_AREAS: Final = _areas()


def _ring(hexes: int) -> tuple[Offset, ...]:
    """Return the offsets that lie exactly so far away, clockwise from north-east."""
    found = []
    for number, direction in enumerate(DIRECTIONS):
        corner, along = OFFSETS[direction], OFFSETS[DIRECTIONS[(number + 2) % 6]]
        found += [
            (hexes * corner[0] + steps * along[0], hexes * corner[1] + steps * along[1])
            for steps in range(hexes)
        ]
    return tuple(found)


_NARROW_RING: Final = _ring(NARROW_HEXES)


def zone_at(distance_hexes: int) -> Zone | None:
    """Return the zone at a distance from the origin, None beyond the last one (8.33, 18.22)."""
    for zone, (first, last) in ZONES.items():
        if first <= distance_hexes <= last:
            return zone
    return None


def radius_hex(hexes: HexMap, origin: str, bearing: int, radius_hexes: int = STANDARD_HEXES) -> str:
    """Return the hex of the Max Radius marker of a standard search (8.25, 8.261).

    Args:
        hexes: The map.
        origin: Where the search was launched.
        bearing: One of :data:`BEARINGS`.
        radius_hexes: Even number of hexes, 12 for fighters alone (18.21).

    Returns:
        The hex exactly that far away, or the last one on the map on the straight way there; of two on a hexside
        the anticlockwise one.
    """
    east, south = _RAYS[bearing]
    steps = radius_hexes // offset_distance((east, south))
    return hexes.last_on_map(origin, (steps * east, steps * south))[0]


def in_search_area(hexes: HexMap, origin: str, bearing: int, hex: str) -> bool:
    """Return whether a hex lies in the wedges of a search, at whatever distance (8.251, OP-30).

    A hex on a bounding ray counts, and so does the origin.
    """
    return _is_covered(bearing, hexes.offset(origin, hex))


@lru_cache(maxsize=4096)
def area(hexes: HexMap, origin: str, bearing: int, zone: Zone) -> tuple[str, ...]:
    """Return the hexes on the map that a search examines in a zone, in ascending order (8.33, 8.332)."""
    found = (hexes.beyond(origin, offset) for offset in _AREAS[bearing, zone])
    return tuple(hex for hex in found if hex is not None)


def last_zone(hexes: HexMap, origin: str, bearing: int, farthest: Zone = "far") -> Zone:
    """Return the zone in which a search turns: the last one of which any hex is on the map (8.332)."""
    zones: list[Zone] = list(ZONES)
    for zone in reversed(zones[: zones.index(farthest) + 1]):
        if area(hexes, origin, bearing, zone):
            return zone
    return "near"


@lru_cache(maxsize=1024)
def narrow_radii(hexes: HexMap, origin: str) -> tuple[str, ...]:
    """Return the hexes in which the Max Radius marker of a narrow search may lie, in ascending order (8.26).

    They are exactly 14 hexes away, or the last ones on the map on the straight way to such a hex (8.261). The origin
    itself is none: a search that goes nowhere is not flown.
    """
    markers = {hex for offset in _NARROW_RING for hex in hexes.last_on_map(origin, offset)}
    return tuple(sorted(markers - {origin}))


def leg(hexes: HexMap, origin: str, radius: str, number: int) -> tuple[tuple[str, ...], ...]:
    """Return the hexes that a search enters in one of its moves outwards (8.27, 8.32).

    Args:
        hexes: The map.
        origin: Where the search was launched.
        radius: Hex of its Max Radius marker.
        number: 0 for the move of the Search Segment of its launch, then one more each time.

    Returns:
        One entry per step; of two hexes beside a hexside the player picks one, and either leads on to every hex of
        the next entry. Nothing when the search has reached its marker before, because the map ends there (8.332).
    """
    first, last = LEGS[number]
    return hexes.line(origin, radius)[first : last + 1]

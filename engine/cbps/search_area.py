"""The area covered by searches: bearings, radius hexes, wedges and zones (8.2, 8.3, 18.2).

A standard search flies on one of 12 bearings and covers 30 degrees to either side. The neighbouring bearings are the
boundaries of its area, so two cross products show whether a hex is between them.
"""

from functools import lru_cache
from typing import Final, Literal, TypeAlias

from engine.cbps.directions import (
    DIRECTIONS,
    OFFSETS,
    Offset,
    normalised_cross_product,
    offset_distance,
)
from engine.cbps.geometry import HexMap

Zone: TypeAlias = Literal["near", "middle", "far", "extended"]

ZONES: Final[dict[Zone, tuple[int, int]]] = {
    "near": (0, 2),
    "middle": (3, 6),
    "far": (7, 10),
    "extended": (11, 12),
}
"""Distances from the origin at which each zone begins and ends (8.33). Only 12-hex searches reach the last zone."""
STANDARD_HEXES: Final = 10
NARROW_HEXES: Final = 14
EXTENDED_HEXES: Final = 12
LEG_STEPS: Final = ((1, 2), (3, 6), (7, 10), (11, 14))
"""First and last step of each outward move, up to the radius (8.27, 8.271)."""


def _add_offsets(first_offset: Offset, second_offset: Offset) -> Offset:
    return first_offset[0] + second_offset[0], first_offset[1] + second_offset[1]


_RAYS: Final[dict[int, Offset]] = {
    bearing: ray
    for number, direction in enumerate(DIRECTIONS)
    for bearing, ray in (
        (60 * number, _add_offsets(OFFSETS[DIRECTIONS[number - 1]], OFFSETS[direction])),
        (60 * number + 30, OFFSETS[direction]),
    )
}
"""Offset of the first hex exactly on each bearing: one hex away, or two for a bearing between two directions."""

BEARINGS: Final = tuple(_RAYS)
"""Bearings in degrees clockwise from north (8.25)."""


def _is_covered(bearing: int, offset: Offset) -> bool:
    """Return whether an offset is in the wedges next to a bearing, including their boundaries (8.251, OP-30)."""
    left_ray, right_ray = _RAYS[(bearing - 30) % 360], _RAYS[(bearing + 30) % 360]
    return (
        normalised_cross_product(left_ray, offset) >= 0
        and normalised_cross_product(offset, right_ray) >= 0
    )


def _areas() -> dict[tuple[int, Zone], tuple[Offset, ...]]:
    """Return the offsets that a search covers, by bearing and zone, row by row from north-east to south-west."""
    max_hexes = range(-EXTENDED_HEXES, EXTENDED_HEXES + 1)
    offsets = [
        (east, south)
        for south in max_hexes
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
    """Return the offsets at exactly the given distance, clockwise from north-east."""
    offsets = []
    for number, direction in enumerate(DIRECTIONS):
        corner, direction_offset = OFFSETS[direction], OFFSETS[DIRECTIONS[(number + 2) % 6]]
        offsets += [
            (
                hexes * corner[0] + steps * direction_offset[0],
                hexes * corner[1] + steps * direction_offset[1],
            )
            for steps in range(hexes)
        ]
    return tuple(offsets)


_NARROW_RING: Final = _ring(NARROW_HEXES)


def zone_at(distance_hexes: int) -> Zone | None:
    """Return the zone at a distance from the origin, or None beyond the last zone (8.33, 18.22)."""
    for zone, (first, last) in ZONES.items():
        if first <= distance_hexes <= last:
            return zone
    return None


def radius_hex(hexes: HexMap, origin: str, bearing: int, radius_hexes: int = STANDARD_HEXES) -> str:
    """Return the hex of a standard search's Max Radius marker (8.25, 8.261).

    Args:
        hexes: The map.
        origin: Hex from which the search was launched.
        bearing: One of :data:`BEARINGS`.
        radius_hexes: An even number of hexes, which is 12 for fighter-only searches (18.21).

    Returns:
        The hex at exactly that distance, or the last hex on the map on the way there. In a tie, this is the
        anticlockwise hex.
    """
    east, south = _RAYS[bearing]
    steps = radius_hexes // offset_distance((east, south))
    return hexes.last_on_map(origin, (steps * east, steps * south))[0]


def is_in_search_area(hexes: HexMap, origin: str, bearing: int, hex: str) -> bool:
    """Return whether a hex is in the wedges of a search, at any distance (8.251, OP-30).

    Hexes on a boundary ray and the origin itself are included.
    """
    return _is_covered(bearing, hexes.offset(origin, hex))


@lru_cache(maxsize=4096)
def zone_hexes(hexes: HexMap, origin: str, bearing: int, zone: Zone) -> tuple[str, ...]:
    """Return the on-map hexes that a search examines in a zone, in ascending order (8.33, 8.332)."""
    candidates = (hexes.hex_at_offset(origin, offset) for offset in _AREAS[bearing, zone])
    return tuple(hex for hex in candidates if hex is not None)


def last_zone(hexes: HexMap, origin: str, bearing: int, farthest_zone: Zone = "far") -> Zone:
    """Return the last zone with a hex on the map. A search turns back there (8.332)."""
    zones: list[Zone] = list(ZONES)
    for zone in reversed(zones[: zones.index(farthest_zone) + 1]):
        if zone_hexes(hexes, origin, bearing, zone):
            return zone
    return "near"


@lru_cache(maxsize=1024)
def narrow_radii(hexes: HexMap, origin: str) -> tuple[str, ...]:
    """Return the possible hexes of a narrow search's Max Radius marker, in ascending order (8.26).

    They are exactly 14 hexes away, or the last hexes on the map on the straight path to such a hex (8.261). The origin
    is excluded, because a search must move.
    """
    markers = {hex for offset in _NARROW_RING for hex in hexes.last_on_map(origin, offset)}
    return tuple(sorted(markers - {origin}))


def leg_hexes(hexes: HexMap, origin: str, radius: str, number: int) -> tuple[tuple[str, ...], ...]:
    """Return the hexes that a search enters in one of its outward moves (8.27, 8.32).

    Args:
        hexes: The map.
        origin: Hex from which the search was launched.
        radius: Hex of its Max Radius marker.
        number: 0 for the move in the Search Segment of its launch, 1 for the next one, and so on.

    Returns:
        One entry per step. An entry of two hexes is a hexside, where the player picks one. From either, every hex in
        the next entry can be reached. Empty if the map ends before this move, so the search has already reached its
        marker (8.332).
    """
    first, last = LEG_STEPS[number]
    return hexes.line(origin, radius)[first : last + 1]

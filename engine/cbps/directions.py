"""Directions and straight paths, independent of the map (0, 7.22, 14.13, 17.0).

Angles and distances from a line are compared exactly. Offsets between hex centres are counted in half hexes east
and rows south, and the height of a row is sqrt(3)/2 of a hex. In a cross product, the square root is a common factor,
which is left out.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final, Literal, TypeAlias

Direction: TypeAlias = Literal["NE", "E", "SE", "SW", "W", "NW"]
Approach: TypeAlias = Literal["oblique", "stern chase"]
"""The direction of a submarine's approach to a force, if it affects contact (14.131)."""
Offset: TypeAlias = tuple[int, int]
"""An offset in half hexes east and rows south."""

SIDE_DEGREES: Final = 60
"""Degrees between adjacent directions."""
DIRECTIONS: Final[tuple[Direction, ...]] = ("NE", "E", "SE", "SW", "W", "NW")
"""The six directions clockwise, with bearings of 30, 90, 150, 210, 270 and 330 degrees."""
OFFSETS: Final[dict[Direction, Offset]] = {
    "NE": (1, -1),
    "E": (2, 0),
    "SE": (1, 1),
    "SW": (-1, 1),
    "W": (-2, 0),
    "NW": (-1, -1),
}
"""The offset of one step in each direction."""

_OPPOSITE: Final[dict[Direction, Direction]] = {
    direction: DIRECTIONS[(number + 3) % 6] for number, direction in enumerate(DIRECTIONS)
}
_ANGLES: Final[dict[tuple[Direction, Direction], int]] = {
    (first, second): SIDE_DEGREES * min((i - j) % 6, (j - i) % 6)
    for i, first in enumerate(DIRECTIONS)
    for j, second in enumerate(DIRECTIONS)
}
"""The angle between two directions in degrees: 0, 60, 120 or 180."""


def opposite(direction: Direction) -> Direction:
    """Return the opposite direction (19.2)."""
    return _OPPOSITE[direction]


def nearest_directions(
    options: Iterable[Direction], wanted_direction: Direction
) -> tuple[Direction, ...]:
    """Return the directions, out of several options, at the smallest angle to a given one (7.222, 19.2).

    Returns:
        Directions in the given order. More than one means a tie. Empty if there are no options.
    """
    angles = [(_ANGLES[option, wanted_direction], option) for option in options]
    min_degrees = min((degrees for degrees, _ in angles), default=0)
    return tuple(option for degrees, option in angles if degrees == min_degrees)


def approach_angle(move: Direction, last_move: Direction) -> Approach | None:
    """Return the direction of a submarine's approach to a force, or None if no modifier applies (14.131, OP-48).

    Args:
        move: Direction in which the submarine entered the force's hex.
        last_move: Direction of the force's move at its latest activation.
    """
    degrees = _ANGLES[move, last_move]
    return "stern chase" if degrees == 0 else "oblique" if degrees == SIDE_DEGREES else None


def is_downwind(move: Direction, wind: Direction) -> bool:
    """Return whether a move is downwind, straight or diagonally (17.0).

    Args:
        move: Direction in which the group moved.
        wind: Direction in which the wind blows: W unless 17.6 is in use.
    """
    return _ANGLES[move, wind] <= SIDE_DEGREES


def normalised_cross_product(first_offset: Offset, second_offset: Offset) -> int:
    """Return the cross product without its common factor, positive if the second offset is clockwise of the first."""
    return first_offset[0] * second_offset[1] - first_offset[1] * second_offset[0]


def offset_distance(offset: Offset) -> int:
    """Return the length of an offset in hexes (0)."""
    east, south = abs(offset[0]), abs(offset[1])
    return south + max(0, east - south) // 2


@lru_cache(maxsize=8192)
def straight_path(offset: Offset) -> tuple[tuple[Offset, ...], ...]:
    """Return the straight path to an offset, ignoring the edges of the map (0).

    Every shortest path uses at most two adjacent directions. At each step, the straight path takes the hexes that are
    nearest to the line between the centres of the start and end hexes.

    Returns:
        One entry per step, including the start: one hex, or two if the line follows the side between them. From
        either of them, the next step can reach every hex of the next entry.
    """
    length = offset_distance(offset)
    if not length:
        return ((offset,),)
    first, second, turns = _components(offset, length)
    path: list[tuple[Offset, ...]] = []
    for steps in range(length + 1):
        # Of these steps, turns * steps / length are in the second direction. If the result ends in
        # exactly one half, it is rounded both down and up.
        turns_taken, remainder = divmod(2 * turns * steps + length, 2 * length)
        shares = (turns_taken - 1, turns_taken) if remainder == 0 else (turns_taken,)
        path.append(
            tuple(
                (
                    (steps - share) * first[0] + share * second[0],
                    (steps - share) * first[1] + share * second[1],
                )
                for share in shares
            )
        )
    return tuple(path)


def _components(offset: Offset, length: int) -> tuple[Offset, Offset, int]:
    """Return two adjacent directions, clockwise, that make up an offset, and the steps in the second direction."""
    for number, direction in enumerate(DIRECTIONS):
        first, second = OFFSETS[direction], OFFSETS[DIRECTIONS[(number + 1) % 6]]
        if (
            normalised_cross_product(first, offset) >= 0
            and normalised_cross_product(offset, second) > 0
        ):
            # the cross product of adjacent directions is 2
            return first, second, normalised_cross_product(first, offset) // 2
    raise AssertionError(f"no way of {length} hexes to {offset}")

"""Directions and straight ways, wherever on the map (0, 7.22, 14.13, 17.0).

Comparisons of angles and of distances from a line are exact: the middle of a hex lies X half hexes east and Y rows
south of another one, a row is half the root of 3 high, and in a cross product that root is a common factor.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final, Literal, TypeAlias

Direction: TypeAlias = Literal["NE", "E", "SE", "SW", "W", "NW"]
Approach: TypeAlias = Literal["oblique", "stern chase"]
"""How a submarine came upon a force, where that matters (14.131)."""
Offset: TypeAlias = tuple[int, int]
"""Half hexes east and rows south."""

SIDE: Final = 60
"""Degrees between directions side by side."""
DIRECTIONS: Final[tuple[Direction, ...]] = ("NE", "E", "SE", "SW", "W", "NW")
"""Clockwise; the first one bears 30 degrees, each further one 60 more."""
OFFSETS: Final[dict[Direction, Offset]] = {
    "NE": (1, -1),
    "E": (2, 0),
    "SE": (1, 1),
    "SW": (-1, 1),
    "W": (-2, 0),
    "NW": (-1, -1),
}
"""One step in each direction."""

_OPPOSITE: Final[dict[Direction, Direction]] = {
    direction: DIRECTIONS[(number + 3) % 6] for number, direction in enumerate(DIRECTIONS)
}
_ANGLE: Final[dict[tuple[Direction, Direction], int]] = {
    (first, second): SIDE * min((i - j) % 6, (j - i) % 6)
    for i, first in enumerate(DIRECTIONS)
    for j, second in enumerate(DIRECTIONS)
}


def opposite(direction: Direction) -> Direction:
    """Return the direction that points back (19.2)."""
    return _OPPOSITE[direction]


def angle(first: Direction, second: Direction) -> int:
    """Return the degrees between two directions: 0, 60, 120 or 180."""
    return _ANGLE[first, second]


def nearest_directions(options: Iterable[Direction], wanted: Direction) -> tuple[Direction, ...]:
    """Return those of some directions that differ least from the wanted one (7.222, 19.2).

    Returns:
        In the given order; more than one is a tie, none when there are no options.
    """
    angles = [(_ANGLE[option, wanted], option) for option in options]
    least = min((degrees for degrees, _ in angles), default=0)
    return tuple(option for degrees, option in angles if degrees == least)


def approach(move: Direction, last_move: Direction) -> Approach | None:
    """Return how a submarine came upon a force, None where it brings no modifier (14.131, OP-48).

    Args:
        move: How the boat entered the force's hex.
        last_move: How the force moved at its latest activation.
    """
    degrees = _ANGLE[move, last_move]
    return "stern chase" if degrees == 0 else "oblique" if degrees == SIDE else None


def is_downwind(move: Direction, wind: Direction) -> bool:
    """Return whether a move goes with the wind, directly or diagonally (17.0).

    Args:
        move: How the group moved.
        wind: Where the wind blows to: W unless 17.6 is in use.
    """
    return _ANGLE[move, wind] <= SIDE


def cross(first: Offset, second: Offset) -> int:
    """Return the cross product without its factor: positive when the second lies clockwise of the first."""
    return first[0] * second[1] - first[1] * second[0]


def offset_distance(offset: Offset) -> int:
    """Return how many hexes away an offset leads (0)."""
    east, south = abs(offset[0]), abs(offset[1])
    return south + max(0, east - south) // 2


@lru_cache(maxsize=8192)
def straight(offset: Offset) -> tuple[tuple[Offset, ...], ...]:
    """Return the straight way to an offset, as if there were no edge of the map (0).

    Every shortest way goes in at most two directions side by side; after so many steps those hexes are on the straight
    one which lie nearest to the line between the middles of both ends.

    Returns:
        One entry per step, the start included: a hex, or two where the line runs along the side between them. Whatever
        is taken of two, the next step reaches every hex of the next entry.
    """
    length = offset_distance(offset)
    if not length:
        return ((offset,),)
    first, second, turns = _components(offset, length)
    way: list[tuple[Offset, ...]] = []
    for steps in range(length + 1):
        # of so many steps the line has gone turns * steps / length in the second direction; round half both ways
        taken, rest = divmod(2 * turns * steps + length, 2 * length)
        shares = (taken - 1, taken) if rest == 0 else (taken,)
        way.append(
            tuple(
                (
                    (steps - share) * first[0] + share * second[0],
                    (steps - share) * first[1] + share * second[1],
                )
                for share in shares
            )
        )
    return tuple(way)


def _components(offset: Offset, length: int) -> tuple[Offset, Offset, int]:
    """Return two directions, clockwise, that make up an offset, and how many steps go in the second one."""
    for number, direction in enumerate(DIRECTIONS):
        first, second = OFFSETS[direction], OFFSETS[DIRECTIONS[(number + 1) % 6]]
        if cross(first, offset) >= 0 and cross(offset, second) > 0:
            # the cross product of two neighbouring directions is 2
            return first, second, cross(first, offset) // 2
    raise AssertionError(f"no way of {length} hexes to {offset}")

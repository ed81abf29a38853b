"""The map: borders, straits and stars. A set of spaces is an integer with one bit for each of the 53 spaces (5)."""

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

import msgspec

from engine.qmg.data.reading import load


class Space(msgspec.Struct, frozen=True, kw_only=True):
    """One space, as printed on the map."""

    id: str
    name: str
    abbr: str
    kind: str
    """``land`` or ``sea``."""
    supply: bool
    """True if the space has a star (5.5)."""
    home: str | None
    adjacent: tuple[str, ...]
    grid: tuple[int, int]
    """The column and row on the text map."""
    controls_strait: str | None = None
    also_called: tuple[str, ...] = ()
    """Names used in other sources, such as Sea of Japan for the East China Sea (18.29)."""


class Strait(msgspec.Struct, frozen=True, kw_only=True):
    """A strait, with the land space that controls it and the seas that it connects (5.3)."""

    id: str
    name: str
    land: str
    seas: tuple[str, str]


class Layout(msgspec.Struct, frozen=True, kw_only=True):
    """The layout of the text map."""

    columns: int
    rows: int
    wrap_edges: tuple[tuple[str, str], ...]
    """Pairs of spaces that share a border across the map edges. These spaces also list each other as adjacent (5.2)."""
    long_edges: tuple[tuple[str, str], ...]


class Atlas(msgspec.Struct, frozen=True, kw_only=True):
    """The contents of the map file."""

    format: int
    homes: dict[str, str]
    straits: tuple[Strait, ...]
    layout: Layout
    spaces: tuple[Space, ...]


ATLAS: Final = load("map.json", Atlas)
SPACES: Final = ATLAS.spaces
SPACE_IDS: Final = tuple(space.id for space in SPACES)
INDEX: Final = {space.id: index for index, space in enumerate(SPACES)}
BIT: Final = {space.id: 1 << index for index, space in enumerate(SPACES)}
SPACE: Final = {space.id: space for space in SPACES}
STRAITS: Final = ATLAS.straits
HOMES: Final = ATLAS.homes


def mask(names: Iterable[str]) -> int:
    """Return the set of the named spaces, or raise KeyError if a name is unknown."""
    bit_mask = 0
    for name in names:
        bit_mask |= BIT[name]
    return bit_mask


def bits(spaces: int) -> Iterator[int]:
    """Yield the indexes of the spaces in a set, lowest first."""
    while spaces:
        low_bit = spaces & -spaces
        yield low_bit.bit_length() - 1
        spaces ^= low_bit


def names(spaces: int) -> tuple[str, ...]:
    """Return the ids of the spaces in a set, in the order of the map file."""
    return tuple([SPACE_IDS[index] for index in bits(spaces)])


EVERYWHERE: Final = (1 << len(SPACES)) - 1
LAND: Final = mask(space.id for space in SPACES if space.kind == "land")
SEA: Final = EVERYWHERE & ~LAND
STARS: Final = mask(space.id for space in SPACES if space.supply)
BORDERS: Final = tuple(mask(space.adjacent) for space in SPACES)
"""The neighbours of each space, including those across the map edges but not those across straits (5.1, 5.2)."""


@cache
def spaces_titled(words: str) -> int:
    """Return the spaces whose English name contains the given text."""
    return mask(space.id for space in SPACES if words in space.name)

"""Fits place names into tight spaces: across hex edges, on two lines, or shortened."""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple

from tui.hexmap.geometry import HexStyle
from tui.hexmap.hex_interior import hex_layout
from tui.hexmap.scene import HexCell
from tui.map_enums import Zoom

_WORDS: Final = {
    "Islands": "Is.",
    "Island": "I.",
    "Group": "Grp",
    "Point": "Pt",
    "Port": "Pt",
    "Cape": "C.",
    "New": "N.",
    "San": "S.",
    "Santa": "Sta",
    "Little": "L.",
    "Mount": "Mt",
}
"""Common abbreviations for words in place names."""
_DROPPED: Final = (" Is.", " Grp", " I.")
"""Endings that can be dropped without making a name ambiguous."""
_BREAKS: Final = re.compile(r"(?<=[ /-])")
_VOWELS: Final = "aeiou"
_CELLS_A_VOWEL: Final = 4
"""One vowel may be dropped for each of this many cells of width."""
_DOTTED: Final = 4
"""Minimum width, in cells, for a shortened name to end with a dot."""
_WEAK: Final = " .'-/"
"""Characters removed before the final dot."""


@lru_cache(1024)
def shorten(name: str, width: int) -> str:
    """Shorten a name to a width: abbreviate words, then drop vowels, and finally truncate it with a dot."""
    if len(name) <= width:
        return name
    name = " ".join(_WORDS.get(word, word) for word in name.split(" "))
    if len(name) > width and "/" in name:
        name = name.split("/")[0]
    for end in _DROPPED:
        if len(name) > width:
            name = name.removesuffix(end)
    if len(name) > width:
        name = name.replace(". ", ".")
    return _drop_vowels(name, width) or _cut_off(name, width)


def _drop_vowels(name: str, width: int) -> str:
    """Shorten a name by dropping a few vowels; return an empty string if it is still too long."""
    if len(name) - width > width // _CELLS_A_VOWEL:
        return ""
    while len(name) > width:
        at = _last_vowel(name)
        if at is None:
            return ""
        name = name[:at] + name[at + 1 :]
    return name


def _cut_off(name: str, width: int) -> str:
    """Truncate a name, ending it with a dot if there is enough room."""
    if width < _DOTTED:
        return name[:width].rstrip()
    return f"{name[: width - 1].rstrip(_WEAK)}."


def _last_vowel(letters: str) -> int | None:
    """Return the index of the last vowel inside a word, because readers miss it least; None if there is none."""
    for at in range(len(letters) - 2, 0, -1):
        if letters[at] in _VOWELS and letters[at - 1] not in " ." and letters[at + 1] not in " .":
            return at
    return None


@lru_cache(1024)
def split_name(name: str, width: int) -> tuple[str, ...]:
    """Split a name into two lines that fit the width; return an empty tuple if that is impossible."""
    parts = _BREAKS.split(name)
    for stop in range(len(parts) - 1, 0, -1):
        lines = "".join(parts[:stop]).rstrip(), "".join(parts[stop:])
        if all(len(line) <= width for line in lines):
            return lines
    return ()


_NAME_LINES: Final = 2
"""Number of lines after the first that may contain the name of a hex."""


class PlacedName(NamedTuple):
    """The part of a name that is on one line."""

    text: str
    offset: int
    """Offset from the first cell inside the hex; negative if the text starts farther left."""


def place_on_line(name: str, width: int, left: int, right: int) -> PlacedName:
    """Place a name on one line, extending beyond the sides of its hex if necessary.

    Args:
        name: The name.
        width: Width of the line inside the hex, in cells.
        left: Number of free cells to the left, including the edge.
        right: Number of free cells to the right, including the edge.
    """
    text = shorten(name, width + left + right)
    more = len(text) - width
    if more <= 0:
        return PlacedName(text, (width - len(text)) // 2)
    at_right = min(right, max((more + 1) // 2, more - left))
    return PlacedName(text, at_right - more)


def is_long(cell: HexCell, hex_style: HexStyle) -> bool:
    """Return whether a hex's name is too long for its line."""
    return len(cell.name) > hex_style.shape.width(1)


def _name_above(
    cell: HexCell, hex_style: HexStyle, measure: Callable[[], tuple[int, int]]
) -> PlacedName:
    """Place a name where the hex number would be, extending beyond slanting sides if necessary."""
    shape = hex_style.shape
    if not shape.is_flat_topped:
        return PlacedName(shorten(cell.name, shape.flat - 1 - len(cell.tag)), 0)
    long = len(cell.name) > shape.flat
    return place_on_line(cell.name, shape.flat, *(measure() if long else (0, 0)))


def placed_name(
    cell: HexCell, hex_style: HexStyle, line: int, measure: Callable[[], tuple[int, int]]
) -> PlacedName | None:
    """Return the part of a hex's name that is on the given line; None if there is none.

    Args:
        cell: The hex.
        hex_style: Settings for drawing hexes.
        line: Index of the line within the hex.
        measure: Returns the number of free cells to the left and right of the name's line; called only if needed.
    """
    shape = hex_style.shape
    if hex_style.zoom is Zoom.OVERVIEW:
        if shape.is_flat_topped or cell.counters:
            return None
        return place_on_line(cell.name, shape.flat, *measure())
    if line > _NAME_LINES:
        return None
    items, name_line, _, _ = hex_layout(cell, hex_style)
    if name_line == 0:
        return _name_above(cell, hex_style, measure) if line == 0 else None
    width = shape.width(1)
    room = measure() if len(cell.name) > width else (0, 0)
    if len(cell.name) > width + sum(room) and not items:
        lines = cell.fold or split_name(cell.name, width)
        if lines and 0 < line <= len(lines):
            text = lines[line - 1][:width]
            return PlacedName(text, (width - len(text)) // 2)
        if lines:
            return None
    return place_on_line(cell.name, width, *room) if line == 1 else None

"""Fits place names into tight spaces: across hex edges, on two lines, or shortened."""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple

from tui.maps.enums import Zoom
from tui.maps.hexmap.geometry import HexStyle
from tui.maps.hexmap.rendering.hex_interior import hex_layout
from tui.maps.hexmap.scene import HexCell

_ABBREVIATIONS: Final = {
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
_DROPPABLE_ENDINGS: Final = (" Is.", " Grp", " I.")
"""Endings that can be dropped without making a name ambiguous."""
_BREAK_POINTS: Final = re.compile(r"(?<=[ /-])")
_VOWELS: Final = "aeiou"
_CELLS_PER_DROPPED_VOWEL: Final = 4
"""Number of cells of a shortened name's width for each vowel that it may lose."""
_MIN_DOTTED_WIDTH: Final = 4
"""Minimum width, in cells, for ending a shortened name with a dot."""
_STRIPPED_BEFORE_DOT: Final = " .'-/"
"""Characters removed before the final dot."""


@lru_cache(1024)
def shorten(name: str, width: int) -> str:
    """Shorten a name to a width by abbreviating words, then dropping vowels, and finally truncating it with a dot."""
    if len(name) <= width:
        return name
    name = " ".join(_ABBREVIATIONS.get(word, word) for word in name.split(" "))
    if len(name) > width and "/" in name:
        name = name.split("/")[0]
    for ending in _DROPPABLE_ENDINGS:
        if len(name) > width:
            name = name.removesuffix(ending)
    if len(name) > width:
        name = name.replace(". ", ".")
    return _drop_vowels(name, width) or _truncate(name, width)


def _drop_vowels(name: str, width: int) -> str:
    """Shorten a name by dropping a few vowels. Return an empty string if the result is still too long."""
    if len(name) - width > width // _CELLS_PER_DROPPED_VOWEL:
        return ""
    while len(name) > width:
        index = _last_vowel(name)
        if index is None:
            return ""
        name = name[:index] + name[index + 1 :]
    return name


def _truncate(name: str, width: int) -> str:
    """Truncate a name. If there is enough room, end it with a dot."""
    if width < _MIN_DOTTED_WIDTH:
        return name[:width].rstrip()
    return f"{name[: width - 1].rstrip(_STRIPPED_BEFORE_DOT)}."


def _last_vowel(name: str) -> int | None:
    """Return the index of the last vowel inside a word; None if there is none. Readers miss the last vowel least."""
    for index in range(len(name) - 2, 0, -1):
        if name[index] in _VOWELS and name[index - 1] not in " ." and name[index + 1] not in " .":
            return index
    return None


@lru_cache(1024)
def split_name(name: str, width: int) -> tuple[str, ...]:
    """Split a name into two lines that fit the width. Return an empty tuple if the name cannot be split."""
    parts = _BREAK_POINTS.split(name)
    for end_index in range(len(parts) - 1, 0, -1):
        lines = "".join(parts[:end_index]).rstrip(), "".join(parts[end_index:])
        if all(len(line) <= width for line in lines):
            return lines
    return ()


_NAME_LINES: Final = 2
"""Number of lines after the first that may contain a hex's name."""


class PlacedName(NamedTuple):
    """The part of a name that is written on one line."""

    text: str
    offset: int
    """Offset in cells from the first cell inside the hex; negative if the text starts to the left of that cell."""


def place_on_line(name: str, width: int, left_margin: int, right_margin: int) -> PlacedName:
    """Place a name on one line. If necessary, the name extends beyond the sides of its hex.

    Args:
        name: The name.
        width: Width of the line inside the hex, in cells.
        left_margin: Number of free cells to the left, including the edge.
        right_margin: Number of free cells to the right, including the edge.
    """
    text = shorten(name, width + left_margin + right_margin)
    overhang = len(text) - width
    if overhang <= 0:
        return PlacedName(text, (width - len(text)) // 2)
    right_overhang = min(right_margin, max((overhang + 1) // 2, overhang - left_margin))
    return PlacedName(text, right_overhang - overhang)


def is_name_too_long(cell: HexCell, hex_style: HexStyle) -> bool:
    """Return whether a hex's name is too long for its line."""
    return len(cell.name) > hex_style.shape.width(1)


def _name_on_number_line(
    cell: HexCell, hex_style: HexStyle, measure_margins: Callable[[], tuple[int, int]]
) -> PlacedName:
    """Place a name on the line of the hex number. A long name may extend beyond slanting sides."""
    shape = hex_style.shape
    if not shape.is_flat_topped:
        return PlacedName(shorten(cell.name, shape.flat_width - 1 - len(cell.tag)), 0)
    is_too_long = len(cell.name) > shape.flat_width
    return place_on_line(
        cell.name, shape.flat_width, *(measure_margins() if is_too_long else (0, 0))
    )


def placed_name(
    cell: HexCell, hex_style: HexStyle, line: int, measure_margins: Callable[[], tuple[int, int]]
) -> PlacedName | None:
    """Return the part of a hex's name that belongs on the given line; None if no part does.

    Args:
        cell: The hex.
        hex_style: Settings for drawing hexes.
        line: Index of the line within the hex.
        measure_margins: Returns the number of free cells on either side of the name's line. Called only if needed.
    """
    shape = hex_style.shape
    if hex_style.zoom is Zoom.OVERVIEW:
        if shape.is_flat_topped or cell.counters:
            return None
        return place_on_line(cell.name, shape.flat_width, *measure_margins())
    if line > _NAME_LINES:
        return None
    counters, name_line, _, _ = hex_layout(cell, hex_style)
    if name_line == 0:
        return _name_on_number_line(cell, hex_style, measure_margins) if line == 0 else None
    width = shape.width(1)
    margins = measure_margins() if len(cell.name) > width else (0, 0)
    if len(cell.name) > width + sum(margins) and not counters:
        lines = cell.name_lines or split_name(cell.name, width)
        if lines and 0 < line <= len(lines):
            text = lines[line - 1][:width]
            return PlacedName(text, (width - len(text)) // 2)
        if lines:
            return None
    return place_on_line(cell.name, width, *margins) if line == 1 else None

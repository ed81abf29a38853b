"""Writes names where there is little room: over the edge of the hex, on two lines, or shortened."""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple

from tui.hexmap.geometry import Manner
from tui.hexmap.inside import layout
from tui.hexmap.scene import HexCell
from tui.marks import Zoom

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
"""Words that everybody reads when they are short."""
_DROPPED: Final = (" Is.", " Grp", " I.")
"""Ends of a name that say nothing of which place it is."""
_BREAKS: Final = re.compile(r"(?<=[ /-])")
_VOWELS: Final = "aeiou"
_CELLS_A_VOWEL: Final = 4
"""For so many cells of a name one vowel may be left out."""
_DOTTED: Final = 4
"""Cells from which a name that is cut ends with a dot."""
_WEAK: Final = " .'-/"
"""What no dot follows."""


@lru_cache(1024)
def shortened(name: str, width: int) -> str:
    """Return a name in at most so many cells: with short words, without a vowel or two, else cut with a dot."""
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
    return _squeezed(name, width) or _begun(name, width)


def _squeezed(name: str, width: int) -> str:
    """Return a name without the few vowels that a reader hardly misses; empty where that is not enough."""
    if len(name) - width > width // _CELLS_A_VOWEL:
        return ""
    while len(name) > width:
        at = _last_vowel(name)
        if at is None:
            return ""
        name = name[:at] + name[at + 1 :]
    return name


def _begun(name: str, width: int) -> str:
    """Return the beginning of a name; a dot says that more follows, where it leaves enough of the name."""
    if width < _DOTTED:
        return name[:width].rstrip()
    return f"{name[: width - 1].rstrip(_WEAK)}."


def _last_vowel(letters: str) -> int | None:
    """Return a vowel that a reader misses least: inside a word, the last one."""
    for at in range(len(letters) - 2, 0, -1):
        if letters[at] in _VOWELS and letters[at - 1] not in " ." and letters[at + 1] not in " .":
            return at
    return None


@lru_cache(1024)
def folded(name: str, width: int) -> tuple[str, ...]:
    """Return a name on two lines, none wider than the hex; empty when it has no place to break."""
    parts = _BREAKS.split(name)
    for stop in range(len(parts) - 1, 0, -1):
        lines = "".join(parts[:stop]).rstrip(), "".join(parts[stop:])
        if all(len(line) <= width for line in lines):
            return lines
    return ()


_NAME_LINES: Final = 2
"""Lines of a hex, after its first one, in which its name may stand."""


class Written(NamedTuple):
    """Part of a name in one line."""

    text: str
    offset: int
    """Cells from the first one inside the hex; negative where the text begins left of it."""


def spread(name: str, width: int, left: int, right: int) -> Written:
    """Return how a name is written across the sides of its hex.

    Args:
        name: The name.
        width: Cells of the hex's own line.
        left: Free cells at its left, those of the edge included.
        right: Free cells at its right.
    """
    text = shortened(name, width + left + right)
    more = len(text) - width
    if more <= 0:
        return Written(text, (width - len(text)) // 2)
    at_right = min(right, max((more + 1) // 2, more - left))
    return Written(text, at_right - more)


def is_long(cell: HexCell, manner: Manner) -> bool:
    """Return whether the name of a hex would like to run over its sides."""
    return len(cell.name) > manner.shape.width(1)


def _on_top(cell: HexCell, manner: Manner, measure: Callable[[], tuple[int, int]]) -> Written:
    """Return how a name stands in place of the number of its hex, across the sides where hexes lean."""
    shape = manner.shape
    if not shape.leans:
        return Written(shortened(cell.name, shape.flat - 1 - len(cell.tag)), 0)
    long = len(cell.name) > shape.flat
    return spread(cell.name, shape.flat, *(measure() if long else (0, 0)))


def written(
    cell: HexCell, manner: Manner, line: int, measure: Callable[[], tuple[int, int]]
) -> Written | None:
    """Return what of a name stands in a line of its hex.

    Args:
        cell: The hex.
        manner: How hexes are drawn.
        line: Line of the hex, from 0.
        measure: Tells the free cells at the left and the right of the line of names.
    """
    shape = manner.shape
    if manner.zoom is Zoom.OVERVIEW:
        if shape.leans or cell.counters:
            return None
        return spread(cell.name, shape.flat, *measure())
    if line > _NAME_LINES:
        return None
    items, name_line, _, _ = layout(cell, manner)
    if name_line == 0:
        return _on_top(cell, manner, measure) if line == 0 else None
    width = shape.width(1)
    room = measure() if len(cell.name) > width else (0, 0)
    if len(cell.name) > width + sum(room) and not items:
        lines = cell.fold or folded(cell.name, width)
        if lines and 0 < line <= len(lines):
            text = lines[line - 1][:width]
            return Written(text, (width - len(text)) // 2)
        if lines:
            return None
    return spread(cell.name, width, *room) if line == 1 else None

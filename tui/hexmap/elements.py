"""What lies upon the hexes of a map: fills, counters, borders, tracks; in words that no game owns."""

from collections.abc import Iterable
from enum import Enum, StrEnum, auto

import msgspec

from tui.marks import Owner
from tui.tones import Tone

ARROWS = {
    "N": "↑",
    "NE": "↗",
    "E": "→",
    "SE": "↘",
    "S": "↓",
    "SW": "↙",
    "W": "←",
    "NW": "↖",
}
"""Course across a side. In ASCII ``^ > v <``, and for the slanting ones a stroke high or low, left or right."""


class Fill(msgspec.Struct, frozen=True):
    """How the ground of an area is filled."""

    mark: str
    """One character, strewn over the empty part of the hex, so that the area shows without colour."""
    tone: Tone
    name: str = ""
    """For the legend."""


class Emphasis(Enum):
    """How much a counter stands out."""

    QUIET = auto()
    """In its colour, thin."""
    NORMAL = auto()
    """On a chip of its colour."""
    ALERT = auto()
    """On a chip that is seen first."""


class Counter(msgspec.Struct, frozen=True, kw_only=True):
    """A counter in a hex."""

    text: str
    """For the operational zoom, up to five characters: ``TF58``, ``A?L1``."""
    brief: str = ""
    """For the overview, up to three characters; empty for the beginning of the text."""
    long: str = ""
    """For the detail zoom; empty for the text."""
    owner: Owner = Owner.NOBODY
    emphasis: Emphasis = Emphasis.NORMAL
    count: int = 1
    """How many of its kind it stands for."""
    course: str = ""
    """Side across which it moved last, as the grid names it; empty for none."""


class Outline(StrEnum):
    """How a border between hexes is drawn; the first character stands upright, the second lies."""

    DASHED = "╏╍"
    DOTTED = "┋┉"
    BROKEN = "┇┅"
    GATE = "▓▓"
    """A part of an edge where something comes in or goes out."""

    @property
    def upright(self) -> str:
        """Return the character of an upright border."""
        return self.value[0]

    @property
    def level(self) -> str:
        """Return the character of a level or leaning border."""
        return self.value[1]


class Ring(msgspec.Struct, frozen=True, kw_only=True):
    """The outline of an area, such as a range."""

    hexes: frozenset[str]
    outline: Outline
    tone: Tone
    name: str = ""
    """For the legend."""


class EdgeMark(msgspec.Struct, frozen=True, kw_only=True):
    """A side of a hex that stands out, such as where somebody arrives."""

    hex: str
    side: str
    """As the grid names it."""
    outline: Outline = Outline.GATE
    tone: Tone
    name: str = ""
    """For the legend."""


class Track(msgspec.Struct, frozen=True, kw_only=True):
    """A line through the middles of hexes, such as the way of a raid; drawn where the ground is empty."""

    hexes: tuple[str, ...]
    """At least two; straight from each to the next."""
    mark: str = "*"
    tone: Tone
    name: str = ""
    """For the legend."""


def legend(elements: Iterable[Fill | Ring | EdgeMark | Track]) -> str:
    """Return one line that explains marks by their names, each once; what has no name is left out."""
    words: dict[str, None] = {}
    for one in elements:
        mark = one.outline.upright if isinstance(one, Ring | EdgeMark) else one.mark
        if one.name:
            words[f"{mark} {one.name}"] = None
    return "  ".join(words)

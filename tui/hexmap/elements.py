"""What lies upon the hexes of a map: fills, counters, borders, tracks; in words that no game owns."""

from collections.abc import Iterable
from enum import Enum, StrEnum, auto
from typing import Final

import msgspec

from tui.marks import FLOOR_MARKS, TINT_MARKS, Owner
from tui.tones import Floor, Tint, Tone

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
    tint: Tint = Tint.ZONE
    """How the area is painted where there are backgrounds; no letters are strewn there."""


class Emphasis(Enum):
    """How much a counter stands out."""

    QUIET = auto()
    """In its colour, thin."""
    NORMAL = auto()
    """On a chip of its colour."""
    ACTIVE = auto()
    """On a brighter chip: it acts now."""
    HOLLOW = auto()
    """In its colour without a chip: it is out of supply."""
    ALERT = auto()
    """On a chip that is seen first."""
    FLIGHT = auto()
    """On a chip in the colour of aircraft on their way."""


class Counter(msgspec.Struct, frozen=True, kw_only=True):
    """A counter in a hex."""

    text: str
    """For the operational zoom, up to eight characters, five where hexes stand upright: ``TF58``, ``▲3■1``."""
    brief: str = ""
    """For the overview, up to three characters; empty for the beginning of the text."""
    icon: str = ""
    """Character before `brief` where colours tell the owner."""
    mark: str = ""
    """Letter of the owner, which stands before the text where colours do not tell him."""
    is_reduced: bool = False
    """Told by a dot."""
    long: str = ""
    """For the detail zoom; empty for the text."""
    owner: Owner = Owner.NOBODY
    emphasis: Emphasis = Emphasis.NORMAL
    count: int = 1
    """How many of its kind it stands for."""
    course: str = ""
    """Side across which it moved last, as the grid names it; empty for none."""
    below: str = ""
    """A word on the line below, where nothing else needs that line."""


class Outline(StrEnum):
    """How a border between hexes is drawn; the first character stands upright, the second lies."""

    DASHED = "╏╍"
    DOTTED = "┋┉"
    BROKEN = "┇┅"
    GATE = "▓▓"
    """A part of an edge where something comes in or goes out."""

    @property
    def roof(self) -> str:
        """Return what is repeated along the upper side of an upright hex, so that it joins the corners."""
        return _ROOFS[self]

    @property
    def edge(self) -> str:
        """Return the character of an upright border that joins the corners."""
        return self.upright if self is Outline.GATE else "▏"

    @property
    def upright(self) -> str:
        """Return the character of an upright border."""
        return self.value[0]

    @property
    def level(self) -> str:
        """Return the character of a level or leaning border."""
        return self.value[1]


_ROOFS: Final = {
    Outline.DASHED: "▔",
    Outline.DOTTED: "▔ ",
    Outline.BROKEN: " ▔",
    Outline.GATE: "▓",
}


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


class Swatch(msgspec.Struct, frozen=True):
    """What a tint means, or a floor that says more than land or water, for the legend."""

    tint: Tint
    name: str
    floor: Floor = Floor.SEA
    """The ground below the tint; without a tint this is what is explained."""

    @property
    def mark(self) -> tuple[str, Tone]:
        """Return the letter that is strewn where there are no backgrounds, and how it looks."""
        return TINT_MARKS[self.tint] if self.tint else FLOOR_MARKS[self.floor]


class Caption(msgspec.Struct, frozen=True, kw_only=True):
    """A name that stretches over many hexes, such as that of a sea; shown in the overview."""

    hex: str
    """Its middle."""
    text: str
    wide: str = ""
    """The text where there is more room; empty for none."""
    tone: Tone = Tone.CAPTION


def legend(elements: Iterable[Fill | Ring | EdgeMark | Track]) -> str:
    """Return one line that explains marks by their names, each once; what has no name is left out."""
    words: dict[str, None] = {}
    for one in elements:
        mark = one.outline.upright if isinstance(one, Ring | EdgeMark) else one.mark
        if one.name:
            words[f"{mark} {one.name}"] = None
    return "  ".join(words)

"""What an area map shows, in words that no game owns; presenters build it, the drawing reads it."""

from collections.abc import Mapping
from enum import Enum
from functools import cached_property
from typing import Final

import msgspec

from tui.marks import HIGHLIGHT_TINTS, Highlight, Owner
from tui.tones import Floor, Tint, Tone

CHANGED_MARK: Final = "~"
PART: Final = "  "
"""Between the parts of a legend, of which the last are left out where there is no room."""
_MARK_WORDS: Final = {
    Highlight.TARGET.value: "battle or removal",
    Highlight.REACH.value: "may be chosen",
    Highlight.PATH.value: "way",
    Highlight.SELECTED.value: "shown now",
    CHANGED_MARK: "changed",
}
"""What marks mean where no overlay gives them another meaning."""
"""Stands in a place that others changed; a ``*`` could be taken for a star."""


class Arm(Enum):
    """What moves where; each has a sign of its own."""

    LAND = "A"
    SEA = "N"
    AIR = "F"


class Token(msgspec.Struct, frozen=True, kw_only=True):
    """A piece in a place."""

    letter: str
    """One letter and marks for places without room, such as ``G!``."""
    code: str
    """Whose it is in two letters: ``GE``."""
    words: tuple[str, ...]
    """For the detail zoom, the longest first, such as ``German Army``, ``Ger Army``."""
    arm: Arm
    tone: Tone
    """The colours of its chip."""
    is_supplied: bool = True


class AreaCell(msgspec.Struct, frozen=True, kw_only=True):
    """One place as it is shown; every text is plain ASCII."""

    id: str
    name: str
    """Full name."""
    short: str
    """Name in at most four characters."""
    middle: str
    """Name in at most seven characters."""
    is_sea: bool
    floor: Floor = Floor.NONE
    """How the ground is painted; NONE for what follows from land and sea."""
    symbol: str = ""
    """One or two characters for what is printed there: a star, who holds a strait."""
    symbol_tone: Tone = Tone.PLAIN
    tokens: tuple[Token, ...] = ()
    note: str = ""
    """A short line that stands instead of the symbol where there is room."""
    has_note: bool = False
    """The player has written something about it."""
    highlight: Highlight = Highlight.NONE
    is_focus: bool = False
    """The present step is about this place: its outline is lit."""
    tint: Tint = Tint.NONE
    """Why the ground stands out; painted over it, or told by a mark where there are no backgrounds."""

    @property
    def paint(self) -> tuple[Floor, Tint]:
        """Return what the ground is painted with: the tint named, else that of the highlight."""
        floor = self.floor or (Floor.SEA if self.is_sea else Floor.OPEN)
        return floor, self.tint or HIGHLIGHT_TINTS[self.highlight]

    @property
    def mark(self) -> str:
        """Return the letter that tells why the place stands out; empty when it does not."""
        is_changed = self.highlight is Highlight.NONE and self.tint is Tint.CHANGED
        if is_changed or self.highlight is Highlight.CHANGED:
            return CHANGED_MARK
        return self.highlight.value


class Link(msgspec.Struct, frozen=True):
    """Two places that are next to each other."""

    one: str
    other: str
    mark: str = ""
    """Letter of a link that is not open to all; empty for a plain border."""
    owner: Owner = Owner.NOBODY
    """To whom it is open."""


class Rim(msgspec.Struct, frozen=True):
    """Where a place goes on beyond the left or right edge."""

    place: str
    is_right: bool
    beyond: str
    """The place on the other side."""


class Chart(msgspec.Struct, frozen=True, eq=False):
    """The world in squares, each of them a part of one place: places that share a side are next to each other."""

    rows: tuple[tuple[str, ...], ...]
    """Ids of places; empty where there is nothing."""

    @property
    def size(self) -> tuple[int, int]:
        """Return columns and rows."""
        return len(self.rows[0]), len(self.rows)


class AreaScene(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """All places of a map on their chart."""

    chart: Chart
    cells: Mapping[str, AreaCell]
    links: tuple[Link, ...]
    rims: tuple[Rim, ...] = ()
    legend: str = ""
    """One line that explains tints and marks in use; empty to tell what the marks in use usually mean."""

    @property
    def signs(self) -> str:
        """Return the legend, or each mark in use with its meaning."""
        if self.legend:
            return self.legend
        used = {cell.mark for cell in self.cells.values()}
        return PART.join(f"{mark} {words}" for mark, words in _MARK_WORDS.items() if mark in used)

    @cached_property
    def beside(self) -> Mapping[str, Mapping[str, str]]:
        """Return, for each place, its neighbours with the marks of their links."""
        found: dict[str, dict[str, str]] = {name: {} for name in self.cells}
        for link in self.links:
            found[link.one].setdefault(link.other, link.mark)
            found[link.other].setdefault(link.one, link.mark)
        return found

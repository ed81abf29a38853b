"""The content of an area map, independent of any game; presenters build it and the drawing code reads it."""

from collections.abc import Mapping
from enum import Enum
from functools import cached_property
from typing import Final

import msgspec

from tui.drawing.tones import GroundRole, OverlayRole, TextRole
from tui.map_enums import HIGHLIGHT_TINTS, Highlight, Owner

CHANGED_MARK: Final = "~"
PART: Final = "  "
"""Separates the parts of a legend; the last parts are left out if they do not fit."""
_MARK_WORDS: Final = {
    Highlight.TARGET.value: "battle or removal",
    Highlight.REACH.value: "may be chosen",
    Highlight.PATH.value: "way",
    Highlight.SELECTED.value: "shown now",
    CHANGED_MARK: "changed",
}
"""Default meanings of marks, for maps without a legend of their own."""
"""Shown in a place that other players have changed; a ``*`` could be mistaken for a star."""


class Arm(Enum):
    """Type of a piece; each has its own symbol."""

    LAND = "A"
    SEA = "N"
    AIR = "F"


class Token(msgspec.Struct, frozen=True, kw_only=True):
    """A piece in a place."""

    letter: str
    """One letter and marks for places with little room, such as ``G!``."""
    code: str
    """Two letters for its country, such as ``GE``."""
    words: tuple[str, ...]
    """Text for the detail zoom, the longest first, such as ``German Army``, ``Ger Army``."""
    arm: Arm
    tone: TextRole
    """The colours of its chip."""
    is_supplied: bool = True


class AreaCell(msgspec.Struct, frozen=True, kw_only=True):
    """One place as displayed; all texts are plain ASCII."""

    id: str
    name: str
    """Full name."""
    short: str
    """Name in at most four characters."""
    middle: str
    """Name in at most seven characters."""
    is_sea: bool
    floor: GroundRole = GroundRole.NONE
    """How the ground is painted; NONE for the default of land or sea."""
    symbol: str = ""
    """One or two characters for a printed feature: a star, or the holder of a strait."""
    symbol_tone: TextRole = TextRole.PLAIN
    tokens: tuple[Token, ...] = ()
    note: str = ""
    """A short line shown instead of the symbol if there is room."""
    has_note: bool = False
    """Whether the player has written a note about it."""
    highlight: Highlight = Highlight.NONE
    is_focus: bool = False
    """Whether the current step is about this place, which then gets a bright outline."""
    tint: OverlayRole = OverlayRole.NONE
    """Why the ground stands out; shown as a colour, or as a mark without background colours."""

    @property
    def paint(self) -> tuple[GroundRole, OverlayRole]:
        """The floor and tint of the ground: its own tint or, if it has none, that of the highlight."""
        floor = self.floor or (GroundRole.SEA if self.is_sea else GroundRole.OPEN)
        return floor, self.tint or HIGHLIGHT_TINTS[self.highlight]

    @property
    def mark(self) -> str:
        """The mark that shows why the place stands out; empty if it does not."""
        is_changed = self.highlight is Highlight.NONE and self.tint is OverlayRole.CHANGED
        if is_changed or self.highlight is Highlight.CHANGED:
            return CHANGED_MARK
        return self.highlight.value


class Link(msgspec.Struct, frozen=True):
    """Two adjacent places."""

    one: str
    other: str
    mark: str = ""
    """Letter of a link that not everyone may use; empty for a plain border."""
    owner: Owner = Owner.NOBODY
    """The side that may use it."""


class Rim(msgspec.Struct, frozen=True):
    """A place that continues beyond the left or right edge."""

    place: str
    is_right: bool
    beyond: str
    """The place on the other side."""


class Chart(msgspec.Struct, frozen=True, eq=False):
    """The world as squares that each belong to one place; places that share a side are normally adjacent."""

    rows: tuple[tuple[str, ...], ...]
    """Ids of places; empty where there is none."""

    @property
    def size(self) -> tuple[int, int]:
        """Number of columns and rows."""
        return len(self.rows[0]), len(self.rows)


class AreaScene(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """All places of a map on their chart."""

    chart: Chart
    cells: Mapping[str, AreaCell]
    links: tuple[Link, ...]
    rims: tuple[Rim, ...] = ()
    legend: str = ""
    """One line that explains the tints and marks in use; empty to use the default meanings of the marks."""

    @property
    def signs(self) -> str:
        """The legend, or the default meaning of each mark in use."""
        if self.legend:
            return self.legend
        used = {cell.mark for cell in self.cells.values()}
        return PART.join(f"{mark} {words}" for mark, words in _MARK_WORDS.items() if mark in used)

    @cached_property
    def beside(self) -> Mapping[str, Mapping[str, str]]:
        """The neighbours of each place, with the marks of their links."""
        found: dict[str, dict[str, str]] = {name: {} for name in self.cells}
        for link in self.links:
            found[link.one].setdefault(link.other, link.mark)
            found[link.other].setdefault(link.one, link.mark)
        return found

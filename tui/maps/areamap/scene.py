"""The contents of an area map, for any game. Presenters build it, and the drawing code reads it."""

from collections.abc import Mapping
from enum import Enum
from functools import cached_property
from typing import Final

import msgspec

from tui.drawing.colour_roles import GroundRole, OverlayRole, TextRole
from tui.maps.enums import HIGHLIGHT_TINTS, Highlight, Owner

CHANGED_MARK: Final = "~"
"""Mark of a place that other players have changed. It is not ``*``, which could be mistaken for a supply star."""
LEGEND_SEPARATOR: Final = "  "
"""Separates the entries of a legend. If they do not all fit, the last entries are omitted."""
_MARK_MEANINGS: Final = {
    Highlight.TARGET.value: "battle or removal",
    Highlight.REACH.value: "may be chosen",
    Highlight.PATH.value: "way",
    Highlight.SELECTED.value: "shown now",
    CHANGED_MARK: "changed",
}
"""Default meanings of marks, used if the scene has no legend."""


class Arm(Enum):
    """Type of a piece. Each type has its own symbol."""

    LAND = "A"
    SEA = "N"
    AIR = "F"


class Token(msgspec.Struct, frozen=True, kw_only=True):
    """A piece in a place."""

    letter: str
    """A letter with marks, such as ``G!``; used in small places."""
    code: str
    """Two letters for the piece's country, such as ``GE``."""
    arm: Arm
    tone: TextRole
    """Colours of the piece's chip."""
    is_supplied: bool = True


class AreaCell(msgspec.Struct, frozen=True, kw_only=True):
    """One place as displayed. All texts are plain ASCII."""

    id: str
    name: str
    """Full name."""
    short: str
    """Name of at most four characters."""
    medium: str
    """Name of at most seven characters."""
    is_sea: bool
    floor: GroundRole = GroundRole.NONE
    """Background colour; NONE for the default colour of land or sea."""
    symbol: str = ""
    """One or two characters for a printed feature: a star, or the team that controls a strait."""
    symbol_tone: TextRole = TextRole.PLAIN
    tokens: tuple[Token, ...] = ()
    note: str = ""
    """A short text that replaces the symbol if there is room, such as ``Suez: Allies``. It may fold at the colon."""
    has_note: bool = False
    """True if the player has written a note about the place."""
    highlight: Highlight = Highlight.NONE
    is_focus: bool = False
    """True if the current step is about this place, which then has a bright outline."""
    tint: OverlayRole = OverlayRole.NONE
    """Reason for highlighting the place; shown as a colour or, without background colours, as a mark."""

    @property
    def paint(self) -> tuple[GroundRole, OverlayRole]:
        """Background colour and tint. If the place has no tint of its own, the highlight's tint is used."""
        ground = self.floor or (GroundRole.SEA if self.is_sea else GroundRole.OPEN)
        return ground, self.tint or HIGHLIGHT_TINTS[self.highlight]

    @property
    def mark(self) -> str:
        """The mark that shows why the place is highlighted; empty if the place is not highlighted."""
        is_changed = self.highlight is Highlight.NONE and self.tint is OverlayRole.CHANGED
        if is_changed or self.highlight is Highlight.CHANGED:
            return CHANGED_MARK
        return self.highlight.value


class AreaLink(msgspec.Struct, frozen=True):
    """Two adjacent places."""

    first: str
    second: str
    mark: str = ""
    """Letter that marks a link which only some players may use; empty for a plain border."""
    owner: Owner = Owner.NONE
    """The side that may use the link."""


class WrappedEdge(msgspec.Struct, frozen=True):
    """A place that continues beyond the left or right edge of the chart."""

    place: str
    is_right: bool
    beyond: str
    """The place beyond the edge."""


class AreaChart(msgspec.Struct, frozen=True, eq=False):
    """The world as squares, each belonging to one place. Places that share a side are normally adjacent."""

    rows: tuple[tuple[str, ...], ...]
    """Place id of each square, row by row; empty for squares without a place."""

    @property
    def size(self) -> tuple[int, int]:
        """Number of columns and rows of squares."""
        return len(self.rows[0]), len(self.rows)


class AreaScene(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """All places of a map on their chart."""

    chart: AreaChart
    cells: Mapping[str, AreaCell]
    links: tuple[AreaLink, ...]
    wrapped_edges: tuple[WrappedEdge, ...] = ()
    legend: str = ""
    """One line that explains the tints and marks in use; empty to use the default meanings."""

    @property
    def legend_text(self) -> str:
        """The legend or, if the scene has none, the default meaning of each mark in use."""
        if self.legend:
            return self.legend
        used_marks = {cell.mark for cell in self.cells.values()}
        return LEGEND_SEPARATOR.join(
            f"{mark} {meaning}" for mark, meaning in _MARK_MEANINGS.items() if mark in used_marks
        )

    @cached_property
    def neighbours(self) -> Mapping[str, Mapping[str, str]]:
        """The neighbours of each place, with the mark of each link."""
        neighbours: dict[str, dict[str, str]] = {name: {} for name in self.cells}
        for link in self.links:
            neighbours[link.first].setdefault(link.second, link.mark)
            neighbours[link.second].setdefault(link.first, link.mark)
        return neighbours

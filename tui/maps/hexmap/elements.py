"""Elements drawn on a hex map, such as fills, counters, borders and tracks, for any game."""

from collections.abc import Iterable
from enum import Enum, StrEnum, auto
from typing import Final

import msgspec

from tui.drawing.colour_roles import GroundRole, OverlayRole, TextRole
from tui.maps.enums import FLOOR_MARKS, TINT_MARKS, Owner

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
"""Arrows for the hexside that a counter crossed.

In ASCII, straight arrows become ``^ > v <``, and diagonal arrows become quotes or dots.
"""


class Fill(msgspec.Struct, frozen=True):
    """How the background of an area is filled."""

    mark: str
    """One character, scattered over the empty part of each hex so that the area can be seen without colour."""
    tone: TextRole
    name: str = ""
    """Name in the legend."""
    tint: OverlayRole = OverlayRole.ZONE
    """Tint of the area. It replaces the mark on terminals with background colours."""


class Emphasis(Enum):
    """Prominence of a counter."""

    QUIET = auto()
    """Text in the owner's colour, without a background."""
    NORMAL = auto()
    """Text on a background in the owner's colour."""
    ACTIVE = auto()
    """Text on a brighter background, because the unit is active."""
    HOLLOW = auto()
    """Text in the owner's colour without a background, because the unit is out of supply."""
    ALERT = auto()
    """Text on a conspicuous background."""
    FLIGHT = auto()
    """Text on a background in the colour of aircraft in flight."""


class MapCounter(msgspec.Struct, frozen=True, kw_only=True):
    """A counter in a hex."""

    text: str
    """Text for the operational zoom, such as ``TF58`` or ``▲3■1``: up to 8 characters, or 5 in pointy-topped hexes."""
    brief: str = ""
    """Text for the overview, at most three characters; empty to use the beginning of `text`."""
    icon: str = ""
    """Character shown before `brief` on terminals whose colours show the owner."""
    mark: str = ""
    """Letter of the owner, shown before the text on terminals whose colours do not show the owner."""
    is_reduced: bool = False
    """True to mark the counter with a dot."""
    long: str = ""
    """Text for the detail zoom; empty to use `text`."""
    owner: Owner = Owner.NONE
    emphasis: Emphasis = Emphasis.NORMAL
    count: int = 1
    """Number of identical units that the counter represents."""
    course: str = ""
    """The last hexside that the counter crossed, named as in the grid; empty if it has not crossed one."""
    note_below: str = ""
    """A note, shown if the line below the counter is free."""


class Outline(StrEnum):
    """Style of a border between hexes. The value is the vertical character followed by the horizontal one."""

    DASHED = "╏╍"
    DOTTED = "┋┉"
    BROKEN = "┇┅"
    GATE = "▓▓"
    """The style for a section of the map edge where units enter or leave."""

    @property
    def top_border(self) -> str:
        """The characters repeated along the top of a pointy-topped hex so that the border joins the corners."""
        return _TOP_BORDERS[self]

    @property
    def side_border(self) -> str:
        """The character of a vertical border that joins the corners of the hex."""
        return self.vertical_char if self is Outline.GATE else "▏"

    @property
    def vertical_char(self) -> str:
        """The character of a vertical border."""
        return self.value[0]

    @property
    def horizontal_char(self) -> str:
        """The character of a horizontal or slanting border."""
        return self.value[1]


_TOP_BORDERS: Final = {
    Outline.DASHED: "▔",
    Outline.DOTTED: "▔ ",
    Outline.BROKEN: " ▔",
    Outline.GATE: "▓",
}


class Ring(msgspec.Struct, frozen=True, kw_only=True):
    """The outline of an area, such as one around the hexes within range."""

    hexes: frozenset[str]
    outline: Outline
    tone: TextRole
    name: str = ""
    """Name in the legend."""


class EdgeMark(msgspec.Struct, frozen=True, kw_only=True):
    """A highlighted hexside, such as one where units arrive."""

    hex: str
    side: str
    """The hexside, named as in the grid."""
    outline: Outline = Outline.GATE
    tone: TextRole
    name: str = ""
    """Name in the legend."""


class Track(msgspec.Struct, frozen=True, kw_only=True):
    """A line through the centres of hexes, such as a raid's path. It is never drawn over text or counters."""

    hexes: tuple[str, ...]
    """At least two hexes, joined by straight lines."""
    mark: str = "*"
    tone: TextRole
    name: str = ""
    """Name in the legend."""


class Swatch(msgspec.Struct, frozen=True):
    """A legend entry for a tint or for a background colour with a special meaning."""

    tint: OverlayRole
    name: str
    floor: GroundRole = GroundRole.SEA
    """Background colour below the tint. If there is no tint, the entry explains this colour."""

    @property
    def mark(self) -> tuple[str, TextRole]:
        """The mark, with its tone, that is scattered over the ground on terminals without background colours."""
        return FLOOR_MARKS.get(self.floor) or TINT_MARKS[self.tint]


class Caption(msgspec.Struct, frozen=True, kw_only=True):
    """A name that spans many hexes, such as the name of a sea. It is shown in the overview."""

    hex: str
    """The hex at the centre of the name."""
    text: str
    wide: str = ""
    """The text with spaces between the letters, used if it fits; empty if there is no such form."""
    tone: TextRole = TextRole.CAPTION
    is_place: bool = False
    """True for the name of a single hex, which must be next to it or be omitted."""


def legend(elements: Iterable[Fill | Ring | EdgeMark | Track]) -> str:
    """Return one line that explains each mark once. Elements without a legend name are omitted."""
    entries: dict[str, None] = {}
    for element in elements:
        mark = (
            element.outline.vertical_char if isinstance(element, Ring | EdgeMark) else element.mark
        )
        if element.name:
            entries[f"{mark} {element.name}"] = None
    return "  ".join(entries)

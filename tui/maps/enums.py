"""Enumerations and marks shared by all maps: zoom levels, owners, and reasons to highlight a place."""

from enum import IntEnum, StrEnum
from typing import Final

from tui.drawing.colour_roles import GroundRole, OverlayRole, TextRole


class Zoom(IntEnum):
    """Level of detail of a map."""

    OVERVIEW = 0
    OPERATIONAL = 1
    DETAIL = 2


class Owner(StrEnum):
    """Owner of a place. Each presenter decides which side each value represents."""

    NONE = ""
    ONE = "1"
    TWO = "2"


class Highlight(StrEnum):
    """Reason for highlighting a place. The value is the mark drawn at the place."""

    NONE = ""
    REACH = "+"
    PATH = "o"
    TARGET = "x"
    SELECTED = "@"
    RANGE = "-"
    SUPPLY = "="
    LAST = "!"
    CHANGED = "*"


NOTE: Final = "¶"
"""Mark of a place that has a note by the player."""
TINT_MARKS: Final = {
    OverlayRole.NONE: (" ", TextRole.PLAIN),
    OverlayRole.REACH: ("+", TextRole.REACH),
    OverlayRole.NEAR: ("-", TextRole.REACH),
    OverlayRole.FAR: (",", TextRole.REACH),
    OverlayRole.PATH: ("o", TextRole.PATH),
    OverlayRole.TARGET: ("x", TextRole.TARGET),
    OverlayRole.SELECTED: ("@", TextRole.SELECTED),
    OverlayRole.OURS: (":", TextRole.SHADE_ONE),
    OverlayRole.THEIRS: (";", TextRole.SHADE_TWO),
    OverlayRole.OURS_FAR: ("'", TextRole.SHADE_ONE),
    OverlayRole.THEIRS_FAR: (",", TextRole.SHADE_TWO),
    OverlayRole.BOTH: ("#", TextRole.PLAIN),
    OverlayRole.SUPPLIED: ("=", TextRole.PATH),
    OverlayRole.CUT: ("x", TextRole.TARGET),
    OverlayRole.ZONE: ("-", TextRole.ZONE),
    OverlayRole.CHANGED: ("*", TextRole.PATH),
    OverlayRole.HIGHLIGHTED: ("@", TextRole.SELECTED),
    OverlayRole.SCAN_NEAR: (";", TextRole.SCAN),
    OverlayRole.SCAN_MIDDLE: (":", TextRole.SCAN),
    OverlayRole.SCAN_FAR: (".", TextRole.SCAN_FAR),
    OverlayRole.SCAN_FARTHEST: ("'", TextRole.SCAN_FAR),
}
"""Characters scattered over the ground instead of tints, for terminals without background colours."""
FLOOR_MARKS: Final = {GroundRole.SHALLOW: (",", TextRole.SEA)}
"""Characters scattered sparsely over contrasting water, for terminals without background colours."""
OWNER_TONES: Final = {
    Owner.NONE: TextRole.PLAIN,
    Owner.ONE: TextRole.SIDE_ONE,
    Owner.TWO: TextRole.SIDE_TWO,
}
CHIP_TONES: Final = {
    Owner.NONE: TextRole.CHIP_NEUTRAL,
    Owner.ONE: TextRole.CHIP_ONE,
    Owner.TWO: TextRole.CHIP_TWO,
}
HIGHLIGHT_TONES: Final = {
    Highlight.NONE: TextRole.PLAIN,
    Highlight.REACH: TextRole.REACH,
    Highlight.PATH: TextRole.PATH,
    Highlight.TARGET: TextRole.TARGET,
    Highlight.SELECTED: TextRole.SELECTED,
    Highlight.RANGE: TextRole.REACH,
    Highlight.SUPPLY: TextRole.PATH,
    Highlight.LAST: TextRole.TARGET,
    Highlight.CHANGED: TextRole.WARN,
}
HIGHLIGHT_TINTS: Final = {
    Highlight.NONE: OverlayRole.NONE,
    Highlight.REACH: OverlayRole.REACH,
    Highlight.PATH: OverlayRole.PATH,
    Highlight.TARGET: OverlayRole.TARGET,
    Highlight.SELECTED: OverlayRole.SELECTED,
    Highlight.RANGE: OverlayRole.NEAR,
    Highlight.SUPPLY: OverlayRole.SUPPLIED,
    Highlight.LAST: OverlayRole.CHANGED,
    Highlight.CHANGED: OverlayRole.CHANGED,
}
"""Tint for each kind of highlight, on any kind of map."""

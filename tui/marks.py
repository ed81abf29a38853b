"""Words that every kind of map shares: zoom, sides, and why a place stands out."""

from enum import IntEnum, StrEnum
from typing import Final

from tui.tones import Floor, Tint, Tone


class Zoom(IntEnum):
    """How much of a place is shown."""

    OVERVIEW = 0
    OPERATIONAL = 1
    DETAIL = 2


class Owner(StrEnum):
    """Who holds a place, seen from the presenter."""

    NOBODY = ""
    ONE = "1"
    TWO = "2"


class Highlight(StrEnum):
    """Why a place stands out; the value is the mark drawn into it."""

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
"""Stands where the player has written a note."""
TINT_MARKS: Final = {
    Tint.NONE: (" ", Tone.PLAIN),
    Tint.REACH: ("+", Tone.REACH),
    Tint.NEAR: ("-", Tone.REACH),
    Tint.FAR: (",", Tone.REACH),
    Tint.PATH: ("o", Tone.PATH),
    Tint.TARGET: ("x", Tone.TARGET),
    Tint.SELECTED: ("@", Tone.SELECTED),
    Tint.OURS: (":", Tone.SHADE_ONE),
    Tint.THEIRS: (";", Tone.SHADE_TWO),
    Tint.OURS_FAR: ("'", Tone.SHADE_ONE),
    Tint.THEIRS_FAR: (",", Tone.SHADE_TWO),
    Tint.BOTH: ("#", Tone.PLAIN),
    Tint.SUPPLIED: ("=", Tone.PATH),
    Tint.CUT: ("x", Tone.TARGET),
    Tint.ZONE: ("-", Tone.ZONE),
    Tint.CHANGED: ("*", Tone.PATH),
    Tint.LOOKED: ("@", Tone.SELECTED),
    Tint.SCAN_NEAR: (";", Tone.SCAN),
    Tint.SCAN_MIDDLE: (":", Tone.SCAN),
    Tint.SCAN_FAR: (".", Tone.SCAN_FAR),
    Tint.SCAN_FARTHEST: ("'", Tone.SCAN_FAR),
}
"""What is strewn over the ground instead of a tint where there are no backgrounds."""
FLOOR_MARKS: Final = {Floor.SHALLOW: (",", Tone.SEA)}
"""What is strewn, thinly, over water that stands out where there are no backgrounds."""
OWNER_TONES: Final = {
    Owner.NOBODY: Tone.PLAIN,
    Owner.ONE: Tone.SIDE_ONE,
    Owner.TWO: Tone.SIDE_TWO,
}
CHIP_TONES: Final = {
    Owner.NOBODY: Tone.CHIP_NEUTRAL,
    Owner.ONE: Tone.CHIP_ONE,
    Owner.TWO: Tone.CHIP_TWO,
}
HIGHLIGHT_TONES: Final = {
    Highlight.NONE: Tone.PLAIN,
    Highlight.REACH: Tone.REACH,
    Highlight.PATH: Tone.PATH,
    Highlight.TARGET: Tone.TARGET,
    Highlight.SELECTED: Tone.SELECTED,
    Highlight.RANGE: Tone.REACH,
    Highlight.SUPPLY: Tone.PATH,
    Highlight.LAST: Tone.TARGET,
    Highlight.CHANGED: Tone.WARN,
}
HIGHLIGHT_TINTS: Final = {
    Highlight.NONE: Tint.NONE,
    Highlight.REACH: Tint.REACH,
    Highlight.PATH: Tint.PATH,
    Highlight.TARGET: Tint.TARGET,
    Highlight.SELECTED: Tint.SELECTED,
    Highlight.RANGE: Tint.NEAR,
    Highlight.SUPPLY: Tint.SUPPLIED,
    Highlight.LAST: Tint.CHANGED,
    Highlight.CHANGED: Tint.CHANGED,
}
"""What paints the ground of a place that stands out, on either kind of map."""

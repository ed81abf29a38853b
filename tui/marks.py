"""Enumerations and marks shared by all maps: zoom, owners, and why a place is emphasised."""

from enum import IntEnum, StrEnum
from typing import Final

from tui.tones import Floor, Tint, Tone


class Zoom(IntEnum):
    """Level of detail of a map."""

    OVERVIEW = 0
    OPERATIONAL = 1
    DETAIL = 2


class Owner(StrEnum):
    """Owner of a place; the presenter assigns the sides."""

    NOBODY = ""
    ONE = "1"
    TWO = "2"


class Highlight(StrEnum):
    """Why a place is emphasised; the value is the mark drawn in it."""

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
"""Marks places with a note of the player."""
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
"""Characters scattered over the ground instead of tints, on terminals without backgrounds."""
FLOOR_MARKS: Final = {Floor.SHALLOW: (",", Tone.SEA)}
"""Characters scattered thinly over contrasting water, on terminals without backgrounds."""
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
"""Tint of an emphasised place, on any kind of map."""

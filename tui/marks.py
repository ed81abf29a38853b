"""Words that every kind of map shares: zoom, sides, and why a place stands out."""

from enum import IntEnum, StrEnum
from typing import Final

from tui.tones import Tone


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
}

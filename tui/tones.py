"""What the pieces of a map stand for; how that looks is a palette's business."""

from enum import IntEnum, auto
from typing import Final


class Tone(IntEnum):
    """What a piece of the map stands for."""

    PLAIN = 0
    GRID = auto()
    SEA = auto()
    LAND = auto()
    ROUGH = auto()
    VOID = auto()
    SIDE_ONE = auto()
    SIDE_TWO = auto()
    LABEL = auto()
    SHADE_ONE = auto()
    """Shaded in the colour of the first side."""
    SHADE_TWO = auto()
    REACH = auto()
    PATH = auto()
    TARGET = auto()
    SELECTED = auto()
    CURSOR = auto()
    CHIP_ONE = auto()
    """A counter of the first side, lifted off the ground."""
    CHIP_TWO = auto()
    CHIP_NEUTRAL = auto()
    ALERT = auto()
    """A counter that is to be seen first."""
    SCAN = auto()
    """Ground that is looked at."""
    SCAN_FAR = auto()
    ZONE = auto()
    """Ground with rules of its own."""
    RING_ONE = auto()
    """Outline of a range of the first side."""
    RING_TWO = auto()
    RING_NEUTRAL = auto()
    TRACK = auto()
    """A way through the air or over the sea."""


FULL: Final = frozenset({Tone.CURSOR, Tone.CHIP_ONE, Tone.CHIP_TWO, Tone.CHIP_NEUTRAL, Tone.ALERT})
"""Tones in which a blank can be told from an empty cell."""

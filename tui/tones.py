"""What the pieces of a map stand for; how that looks is a palette's business."""

from enum import IntEnum, auto


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

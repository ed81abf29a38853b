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
    NAME = auto()
    """The name of a place."""
    CITY = auto()
    """The name of a place that counts for more."""
    BASE = auto()
    """What is built in a place."""
    TEXTURE = auto()
    """Letters that are strewn over the ground."""
    FRAME = auto()
    """The outline around the place under the cursor."""
    CHIP_ONE_ACTIVE = auto()
    """A counter of the first side that acts now."""
    CHIP_TWO_ACTIVE = auto()
    HOLLOW_ONE = auto()
    """A counter of the first side that is out of supply."""
    HOLLOW_TWO = auto()
    CHIP_A = auto()
    """A counter of the first of six colours, for games with more than two parties."""
    CHIP_B = auto()
    CHIP_C = auto()
    CHIP_D = auto()
    CHIP_E = auto()
    CHIP_F = auto()
    DIM = auto()
    """Words that may be passed over."""
    HEAD = auto()
    """A heading."""
    KEY = auto()
    """The name of a key."""
    GOOD = auto()
    WARN = auto()
    BAD = auto()
    BADGE = auto()
    """The name of the game on the top line."""
    STEP = auto()
    """The present step of a sequence."""
    CARD = auto()
    """The text of a card, on its own paper."""
    CARD_DIM = auto()
    CARD_TITLE = auto()
    CARD_WAR = auto()
    """The head of a card with which is fought."""
    CARD_MEANS = auto()
    """The head of a card that brings troops and goods."""
    CARD_POLICY = auto()
    CARD_SEA = auto()
    CARD_LAND = auto()
    CARD_OTHER = auto()
    CARD_LIT = auto()
    """The head of the card that is looked at."""
    PICK = auto()
    """The line of a list that Enter takes."""
    PICK_DULL = auto()
    """The line of a list on which the bar stands while the keys go elsewhere."""
    CAPTION = auto()
    """The name of a sea or a country, written wide over it."""
    CHIP_STORED = auto()
    """A thing that is put away."""
    CHIP_WORKED = auto()
    """A thing that is being made ready."""
    CHIP_READY = auto()
    """A thing that can be used now."""
    CHIP_SPENT = auto()
    """A thing that was used and is in the way."""
    CHIP_FLIGHT = auto()
    """Own aircraft on their way."""


class Floor(IntEnum):
    """The ground below the letters of a map, painted as their background."""

    NONE = 0
    """The screen itself."""
    DEEP = auto()
    SEA = auto()
    SHALLOW = auto()
    """Sea that stands out from the rest."""
    OPEN = auto()
    MIXED = auto()
    JUNGLE = auto()
    MOUNTAIN = auto()
    ATOLL = auto()
    HOME_A = auto()
    """Home of the first of six colours."""
    HOME_B = auto()
    HOME_C = auto()
    HOME_D = auto()
    HOME_E = auto()
    HOME_F = auto()
    BAR = auto()
    """A line across the screen: the top line, the line of keys."""
    OUTSIDE = auto()
    """Not part of the game."""
    COAST = auto()
    """Sea beside land."""


class Tint(IntEnum):
    """Why the ground of a place stands out; laid over its floor."""

    NONE = 0
    REACH = auto()
    """An option lies there."""
    NEAR = auto()
    """Reached easily, or well within a range."""
    FAR = auto()
    """Reached just so."""
    PATH = auto()
    TARGET = auto()
    SELECTED = auto()
    OURS = auto()
    """Zone of the first side."""
    THEIRS = auto()
    """Zone of the second side."""
    BOTH = auto()
    """Zones of both sides."""
    SUPPLIED = auto()
    CUT = auto()
    """Out of supply."""
    ZONE = auto()
    """Ground with rules of its own."""
    CHANGED = auto()
    """Others changed something here."""
    LOOKED = auto()
    """What the bar of the list is about."""
    OURS_FAR = auto()
    """Reached by the first side at its utmost."""
    THEIRS_FAR = auto()
    SCAN_NEAR = auto()
    """Looked at from near by."""
    SCAN_MIDDLE = auto()
    SCAN_FAR = auto()
    SCAN_FARTHEST = auto()


CHIPS: Final = (Tone.CHIP_A, Tone.CHIP_B, Tone.CHIP_C, Tone.CHIP_D, Tone.CHIP_E, Tone.CHIP_F)
HOMES: Final = (
    Floor.HOME_A,
    Floor.HOME_B,
    Floor.HOME_C,
    Floor.HOME_D,
    Floor.HOME_E,
    Floor.HOME_F,
)
FULL: Final = frozenset(
    {
        Tone.CURSOR,
        Tone.CHIP_ONE,
        Tone.CHIP_TWO,
        Tone.CHIP_NEUTRAL,
        Tone.ALERT,
        Tone.CHIP_ONE_ACTIVE,
        Tone.CHIP_TWO_ACTIVE,
        Tone.CHIP_FLIGHT,
        *CHIPS,
        Tone.BADGE,
        Tone.PICK,
    }
)
"""Tones in which a blank can be told from an empty cell."""

"""Semantic colours: each role is the meaning of a text or background colour. A palette determines the actual colour."""

from enum import IntEnum, auto
from typing import Final


class TextRole(IntEnum):
    """The tone of a text, which is named after its meaning and determines its colour."""

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
    """Shading in the first side's colour."""
    SHADE_TWO = auto()
    REACH = auto()
    PATH = auto()
    TARGET = auto()
    SELECTED = auto()
    CURSOR = auto()
    CHIP_ONE = auto()
    """A counter of the first side, drawn so that it stands out from the background."""
    CHIP_TWO = auto()
    CHIP_NEUTRAL = auto()
    ALERT = auto()
    """A counter that must catch the eye."""
    SCAN = auto()
    """An area that is being searched."""
    SCAN_FAR = auto()
    ZONE = auto()
    """An area with special rules."""
    RING_ONE = auto()
    """Outline of a range of the first side."""
    RING_TWO = auto()
    RING_NEUTRAL = auto()
    TRACK = auto()
    """A route by air or sea."""
    NAME = auto()
    """The name of a place."""
    CITY = auto()
    """The name of a major place."""
    BASE = auto()
    """A base or other installation."""
    TEXTURE = auto()
    """Letters scattered over the background."""
    FRAME = auto()
    """Outline of the place under the cursor."""
    CHIP_ONE_ACTIVE = auto()
    """A counter of the first side that is currently acting."""
    CHIP_TWO_ACTIVE = auto()
    HOLLOW_ONE = auto()
    """A counter of the first side that is out of supply."""
    HOLLOW_TWO = auto()
    CHIP_A = auto()
    """A counter in the first of six colours, for games with more than two sides."""
    CHIP_B = auto()
    CHIP_C = auto()
    CHIP_D = auto()
    CHIP_E = auto()
    CHIP_F = auto()
    DIM = auto()
    """Less important text."""
    HEAD = auto()
    """A heading."""
    KEY = auto()
    """The name of a key."""
    GOOD = auto()
    WARN = auto()
    BAD = auto()
    BADGE = auto()
    """The name of the game in the top line."""
    STEP = auto()
    """The current step of a sequence."""
    CARD = auto()
    """Text on a card, on the card's own background."""
    CARD_DIM = auto()
    CARD_TITLE = auto()
    CARD_WAR = auto()
    """Title of a combat card."""
    CARD_MEANS = auto()
    """Title of a card that provides troops or supplies."""
    CARD_POLICY = auto()
    CARD_SEA = auto()
    CARD_LAND = auto()
    CARD_OTHER = auto()
    CARD_LIT = auto()
    """Title of the highlighted card."""
    PICK = auto()
    """The highlighted list line, if Enter would choose it."""
    PICK_DULL = auto()
    """The highlighted list line, if another panel has the focus."""
    CAPTION = auto()
    """The name of a sea or country, with its letters spread across the area."""
    CHIP_STORED = auto()
    """An aircraft or other item in storage."""
    CHIP_WORKED = auto()
    """An item being made ready."""
    CHIP_READY = auto()
    """An item ready for use."""
    CHIP_SPENT = auto()
    """A used item that still takes up space."""
    CHIP_FLIGHT = auto()
    """The player's own aircraft in flight."""
    BORDER = auto()
    """Border between two land spaces."""
    BAND_ONE = auto()
    """Part of a chart where the first side is winning."""
    BAND_ONE_DEEP = auto()
    """Part of a chart where the first side is winning decisively."""
    BAND_TWO = auto()
    BAND_TWO_DEEP = auto()
    BAND_NEUTRAL = auto()
    """Part of a chart where neither side is winning."""


class GroundRole(IntEnum):
    """Kind of background, such as the terrain on a map, painted behind the text."""

    NONE = 0
    """The plain screen. Its value is 0, so that `or` can replace it with a default."""
    DEEP = auto()
    SEA = auto()
    SHALLOW = auto()
    """Sea that stands out from other sea, such as sea within strike range."""
    OPEN = auto()
    MIXED = auto()
    JUNGLE = auto()
    MOUNTAIN = auto()
    ATOLL = auto()
    HOME_A = auto()
    """Home area in the first of six colours."""
    HOME_B = auto()
    HOME_C = auto()
    HOME_D = auto()
    HOME_E = auto()
    HOME_F = auto()
    BAR = auto()
    """A bar across the screen, such as the top line or the key line."""
    OUTSIDE = auto()
    """Outside the game area."""
    COAST = auto()
    """Sea next to land."""


class OverlayRole(IntEnum):
    """Reason for highlighting a place, drawn as a tint over its background."""

    NONE = 0
    """No highlight. Its value is 0, so that `or` can replace it with another reason."""
    REACH = auto()
    """A place that one of the options targets."""
    NEAR = auto()
    """Easily reached, or well within range."""
    FAR = auto()
    """Barely within reach."""
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
    """An area with special rules."""
    CHANGED = auto()
    """Changed by another player."""
    HIGHLIGHTED = auto()
    """The place named in the highlighted list line."""
    OURS_FAR = auto()
    """Within the first side's reach, but only at maximum range."""
    THEIRS_FAR = auto()
    SCAN_NEAR = auto()
    """Inside the near zone of a search."""
    SCAN_MIDDLE = auto()
    SCAN_FAR = auto()
    SCAN_FARTHEST = auto()


CHIP_ROLES: Final = (
    TextRole.CHIP_A,
    TextRole.CHIP_B,
    TextRole.CHIP_C,
    TextRole.CHIP_D,
    TextRole.CHIP_E,
    TextRole.CHIP_F,
)
HOME_ROLES: Final = (
    GroundRole.HOME_A,
    GroundRole.HOME_B,
    GroundRole.HOME_C,
    GroundRole.HOME_D,
    GroundRole.HOME_E,
    GroundRole.HOME_F,
)
FULL_CELL_ROLES: Final = frozenset(
    {
        TextRole.CURSOR,
        TextRole.CHIP_ONE,
        TextRole.CHIP_TWO,
        TextRole.CHIP_NEUTRAL,
        TextRole.ALERT,
        TextRole.CHIP_ONE_ACTIVE,
        TextRole.CHIP_TWO_ACTIVE,
        TextRole.CHIP_FLIGHT,
        *CHIP_ROLES,
        TextRole.BADGE,
        TextRole.PICK,
    }
)
"""Tones that fill the whole cell, so that even a blank shows the tone."""

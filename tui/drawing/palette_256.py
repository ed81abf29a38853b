"""Chooses from the 256 terminal colours: fixed colours for most backgrounds, the nearest colour for everything else.

The few dark colours are grey or garish, so colours for large areas are chosen by hand.
"""

from functools import cache
from typing import Final

from tui.drawing.colour_roles import GroundRole, OverlayRole, TextRole
from tui.drawing.colours import Rgb

_CUBE_LEVELS: Final = (0, 95, 135, 175, 215, 255)
_MAX_LEVEL_GAP: Final = 95
"""The widest gap between adjacent levels of the colour cube."""
_FIRST_CUBE_NUMBER: Final = 16
"""Number of the cube's first colour. Lower numbers are the terminal's own colours."""
_FIRST_GREY_NUMBER: Final = 232
_SEA_GROUNDS: Final = (
    GroundRole.DEEP,
    GroundRole.SEA,
    GroundRole.SHALLOW,
    GroundRole.COAST,
    GroundRole.ATOLL,
)

_DARK_GROUNDS: Final = {
    GroundRole.DEEP: 17,
    GroundRole.SEA: 17,
    GroundRole.SHALLOW: 24,  # the only muted blue apart from navy, which is used for the deep sea
    GroundRole.COAST: 24,
    GroundRole.OPEN: 101,
    GroundRole.MIXED: 65,
    GroundRole.JUNGLE: 22,
    GroundRole.MOUNTAIN: 94,
    GroundRole.ATOLL: 30,
    GroundRole.OUTSIDE: 235,
    GroundRole.HOME_A: 242,
    GroundRole.HOME_B: 96,
    GroundRole.HOME_C: 94,
    GroundRole.HOME_D: 88,
    GroundRole.HOME_E: 64,
    GroundRole.HOME_F: 29,
}
_LIGHT_GROUNDS: Final = {
    GroundRole.DEEP: 110,
    GroundRole.SEA: 153,
    GroundRole.SHALLOW: 195,
    GroundRole.COAST: 153,
    GroundRole.OPEN: 229,
    GroundRole.MIXED: 193,
    GroundRole.JUNGLE: 151,
    GroundRole.MOUNTAIN: 180,
    GroundRole.ATOLL: 158,
    GroundRole.OUTSIDE: 252,
    GroundRole.HOME_A: 250,
    GroundRole.HOME_B: 182,
    GroundRole.HOME_C: 179,
    GroundRole.HOME_D: 174,
    GroundRole.HOME_E: 150,
    GroundRole.HOME_F: 115,
}
_DARK_OVERLAYS: Final = {
    OverlayRole.REACH: (29, 71),
    OverlayRole.NEAR: (29, 71),
    OverlayRole.FAR: (30, 66),
    OverlayRole.PATH: (136, 136),
    OverlayRole.TARGET: (130, 130),
    OverlayRole.SELECTED: (67, 102),
    OverlayRole.OURS: (67, 67),
    OverlayRole.OURS_FAR: (31, 66),
    OverlayRole.THEIRS: (131, 131),
    OverlayRole.THEIRS_FAR: (95, 95),
    OverlayRole.BOTH: (133, 96),
    OverlayRole.SUPPLIED: (29, 71),
    OverlayRole.CUT: (124, 124),
    OverlayRole.ZONE: (59, 101),
    OverlayRole.CHANGED: (100, 136),
    OverlayRole.HIGHLIGHTED: (100, 143),
    OverlayRole.SCAN_NEAR: (72, 72),
    OverlayRole.SCAN_MIDDLE: (66, 66),
    OverlayRole.SCAN_FAR: (23, 65),
    OverlayRole.SCAN_FARTHEST: (23, 65),
}
"""Colour numbers of overlays, at sea and on land."""
_LIGHT_OVERLAYS: Final = {
    OverlayRole.REACH: (150, 150),
    OverlayRole.NEAR: (150, 150),
    OverlayRole.FAR: (152, 187),
    OverlayRole.PATH: (222, 222),
    OverlayRole.TARGET: (216, 216),
    OverlayRole.SELECTED: (189, 188),
    OverlayRole.OURS: (68, 111),
    OverlayRole.OURS_FAR: (117, 152),
    OverlayRole.THEIRS: (167, 217),
    OverlayRole.THEIRS_FAR: (225, 224),
    OverlayRole.BOTH: (134, 183),
    OverlayRole.SUPPLIED: (157, 157),
    OverlayRole.CUT: (210, 210),
    OverlayRole.ZONE: (230, 230),
    OverlayRole.CHANGED: (228, 228),
    OverlayRole.HIGHLIGHTED: (227, 227),
    OverlayRole.SCAN_NEAR: (115, 115),
    OverlayRole.SCAN_MIDDLE: (151, 151),
    OverlayRole.SCAN_FAR: (158, 187),
    OverlayRole.SCAN_FARTHEST: (159, 194),
}
_COLOUR_BLIND_OVERLAYS: Final = _DARK_OVERLAYS | {
    OverlayRole.REACH: (66, 109),
    OverlayRole.NEAR: (66, 109),
    OverlayRole.FAR: (60, 102),
    OverlayRole.PATH: (143, 143),
    OverlayRole.TARGET: (166, 166),
    OverlayRole.THEIRS: (136, 136),
    OverlayRole.THEIRS_FAR: (58, 100),
    OverlayRole.BOTH: (102, 145),
    OverlayRole.SUPPLIED: (25, 67),
    OverlayRole.CUT: (172, 172),
}
"""Overlay colours for colour-blind players, with blue for the first side and orange for the second."""
_CHIP_COLOURS: Final = {
    TextRole.CHIP_ONE: 26,
    TextRole.CHIP_TWO: 124,
    TextRole.CHIP_ONE_ACTIVE: 33,
    TextRole.CHIP_TWO_ACTIVE: 160,
    TextRole.CHIP_A: 236,
    TextRole.CHIP_B: 90,
    TextRole.CHIP_C: 130,
    TextRole.CHIP_D: 124,
    TextRole.CHIP_E: 28,
    TextRole.CHIP_F: 23,
    TextRole.CHIP_STORED: 238,
    TextRole.CHIP_WORKED: 23,
    TextRole.CHIP_READY: 28,
    TextRole.CHIP_SPENT: 94,
    TextRole.CHIP_FLIGHT: 120,
}
_COLOUR_BLIND_CHIPS: Final = {
    TextRole.CHIP_ONE: 26,
    TextRole.CHIP_TWO: 172,
    TextRole.CHIP_ONE_ACTIVE: 117,
    TextRole.CHIP_TWO_ACTIVE: 220,
}
"""Blue and orange counters for colour-blind players."""
_CARD_COLOURS: Final = {
    **dict.fromkeys((TextRole.CARD, TextRole.CARD_DIM, TextRole.CARD_TITLE), 230),
    TextRole.CARD_WAR: 88,
    TextRole.CARD_MEANS: 22,
    TextRole.CARD_POLICY: 54,
    TextRole.CARD_SEA: 25,
    TextRole.CARD_LAND: 94,
    TextRole.CARD_OTHER: 240,
}


def ground_colour(
    ground: GroundRole, overlay: OverlayRole, *, is_dark: bool, is_colour_blind: bool
) -> int | None:
    """Return a background's colour number; None to use the number nearest to the mixed colour.

    Args:
        ground: Kind of background.
        overlay: Reason for highlighting the place.
        is_dark: True if the theme has light text on a dark background.
        is_colour_blind: True if the theme is for colour-blind players.
    """
    grounds = _DARK_GROUNDS if is_dark else _LIGHT_GROUNDS
    if ground not in grounds:
        return None
    if overlay is OverlayRole.NONE:
        return grounds[ground]
    overlays = (
        _COLOUR_BLIND_OVERLAYS
        if is_colour_blind
        else _DARK_OVERLAYS
        if is_dark
        else _LIGHT_OVERLAYS
    )
    pair = overlays.get(overlay)
    return None if pair is None else pair[ground not in _SEA_GROUNDS]


def chip_colour(tone: TextRole, *, is_colour_blind: bool) -> int | None:
    """Return the background colour number of a counter or card; None to use the nearest number."""
    return (_COLOUR_BLIND_CHIPS if is_colour_blind else _CHIP_COLOURS).get(
        tone
    ) or _CARD_COLOURS.get(tone)


@cache
def _colours() -> tuple[tuple[int, Rgb], ...]:
    cube = [
        (red, green, blue)
        for red in _CUBE_LEVELS
        for green in _CUBE_LEVELS
        for blue in _CUBE_LEVELS
    ]
    greys = [(level, level, level) for level in range(8, 248, 10)]
    return tuple(enumerate([*cube, *greys], start=_FIRST_CUBE_NUMBER))


def colour_of_number(number: int) -> Rgb:
    """Return the colour with the given number."""
    return _colours()[number - _FIRST_CUBE_NUMBER][1]


def _distance(first_colour: Rgb, second_colour: Rgb) -> int:
    """Return the perceived difference between two colours, weighted by the eye's sensitivity."""
    # The "redmean" formula, multiplied by 256 to stay in integers.
    red_mean = (first_colour[0] + second_colour[0]) // 2
    red, green, blue = (a - b for a, b in zip(first_colour, second_colour, strict=True))
    return (512 + red_mean) * red * red + 1024 * green * green + (767 - red_mean) * blue * blue


@cache
def nearest_number(colour: Rgb) -> int:
    """Return the number of the most similar colour. Only nearby cube colours and greys are compared."""
    nearby_numbers = [
        [step for step, level in enumerate(_CUBE_LEVELS) if abs(level - channel) < _MAX_LEVEL_GAP]
        for channel in colour
    ]
    numbers = [
        _FIRST_CUBE_NUMBER + 36 * red + 6 * green + blue
        for red in nearby_numbers[0]
        for green in nearby_numbers[1]
        for blue in nearby_numbers[2]
    ]
    # The 24 greys have levels 8, 18, 28 and so on up to 238.
    grey_level = min(max((sum(colour) // 3 - 3) // 10, 0), 23)
    numbers += range(
        _FIRST_GREY_NUMBER + max(grey_level - 1, 0), _FIRST_GREY_NUMBER + min(grey_level + 2, 24)
    )
    best_number: int = min(numbers, key=lambda number: _distance(colour_of_number(number), colour))
    return best_number

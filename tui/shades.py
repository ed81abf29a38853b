"""Chooses among the 256 terminal colours: one for each kind of ground, and the nearest to any other colour.

The fixed palette has few dark colours, all of them either grey or garish. Those for large areas are therefore
chosen by hand; text takes the nearest colour.
"""

from functools import cache
from typing import Final

from tui.colours import Rgb
from tui.tones import Floor, Tint, Tone

_STEPS: Final = (0, 95, 135, 175, 215, 255)
_WIDEST: Final = 95
"""The widest gap between two steps."""
_CUBE: Final = 16
"""Number of the first colour of the cube; lower numbers are the terminal's own colours."""
_GREYS: Final = 232
_SEAS: Final = (Floor.DEEP, Floor.SEA, Floor.SHALLOW, Floor.COAST, Floor.ATOLL)

_DARK_FLOORS: Final = {
    Floor.DEEP: 17,
    Floor.SEA: 17,
    Floor.SHALLOW: 24,  # the only muted blue besides the navy of the deep sea
    Floor.COAST: 24,
    Floor.OPEN: 101,
    Floor.MIXED: 65,
    Floor.JUNGLE: 22,
    Floor.MOUNTAIN: 94,
    Floor.ATOLL: 30,
    Floor.OUTSIDE: 235,
    Floor.HOME_A: 242,
    Floor.HOME_B: 96,
    Floor.HOME_C: 94,
    Floor.HOME_D: 88,
    Floor.HOME_E: 64,
    Floor.HOME_F: 29,
}
_LIGHT_FLOORS: Final = {
    Floor.DEEP: 110,
    Floor.SEA: 153,
    Floor.SHALLOW: 195,
    Floor.COAST: 153,
    Floor.OPEN: 229,
    Floor.MIXED: 193,
    Floor.JUNGLE: 151,
    Floor.MOUNTAIN: 180,
    Floor.ATOLL: 158,
    Floor.OUTSIDE: 252,
    Floor.HOME_A: 250,
    Floor.HOME_B: 182,
    Floor.HOME_C: 179,
    Floor.HOME_D: 174,
    Floor.HOME_E: 150,
    Floor.HOME_F: 115,
}
_DARK_TINTS: Final = {
    Tint.REACH: (29, 71),
    Tint.NEAR: (29, 71),
    Tint.FAR: (30, 66),
    Tint.PATH: (136, 136),
    Tint.TARGET: (130, 130),
    Tint.SELECTED: (67, 102),
    Tint.OURS: (25, 67),
    Tint.OURS_FAR: (31, 66),
    Tint.THEIRS: (52, 131),
    Tint.THEIRS_FAR: (53, 95),
    Tint.BOTH: (54, 96),
    Tint.SUPPLIED: (29, 71),
    Tint.CUT: (124, 124),
    Tint.ZONE: (59, 101),
    Tint.CHANGED: (100, 136),
    Tint.LOOKED: (100, 143),
    Tint.SCAN_NEAR: (72, 72),
    Tint.SCAN_MIDDLE: (66, 66),
    Tint.SCAN_FAR: (23, 65),
    Tint.SCAN_FARTHEST: (23, 65),
}
"""Colours at sea and on land."""
_LIGHT_TINTS: Final = {
    Tint.REACH: (150, 150),
    Tint.NEAR: (150, 150),
    Tint.FAR: (152, 187),
    Tint.PATH: (222, 222),
    Tint.TARGET: (216, 216),
    Tint.SELECTED: (189, 188),
    Tint.OURS: (111, 111),
    Tint.OURS_FAR: (117, 152),
    Tint.THEIRS: (217, 217),
    Tint.THEIRS_FAR: (225, 224),
    Tint.BOTH: (183, 183),
    Tint.SUPPLIED: (157, 157),
    Tint.CUT: (210, 210),
    Tint.ZONE: (230, 230),
    Tint.CHANGED: (228, 228),
    Tint.LOOKED: (227, 227),
    Tint.SCAN_NEAR: (115, 115),
    Tint.SCAN_MIDDLE: (151, 151),
    Tint.SCAN_FAR: (158, 187),
    Tint.SCAN_FARTHEST: (159, 194),
}
_CALM_TINTS: Final = _DARK_TINTS | {
    Tint.REACH: (66, 109),
    Tint.NEAR: (66, 109),
    Tint.FAR: (60, 102),
    Tint.PATH: (143, 143),
    Tint.TARGET: (166, 166),
    Tint.THEIRS: (94, 136),
    Tint.THEIRS_FAR: (58, 100),
    Tint.BOTH: (102, 145),
    Tint.SUPPLIED: (25, 67),
    Tint.CUT: (172, 172),
}
"""For colour-blind players."""
_CHIPS: Final = {
    Tone.CHIP_ONE: 26,
    Tone.CHIP_TWO: 124,
    Tone.CHIP_ONE_ACTIVE: 33,
    Tone.CHIP_TWO_ACTIVE: 160,
    Tone.CHIP_A: 236,
    Tone.CHIP_B: 90,
    Tone.CHIP_C: 130,
    Tone.CHIP_D: 124,
    Tone.CHIP_E: 28,
    Tone.CHIP_F: 23,
    Tone.CHIP_STORED: 238,
    Tone.CHIP_WORKED: 23,
    Tone.CHIP_READY: 28,
    Tone.CHIP_SPENT: 94,
    Tone.CHIP_FLIGHT: 120,
}
_CALM_CHIPS: Final = {
    Tone.CHIP_ONE: 26,
    Tone.CHIP_TWO: 172,
    Tone.CHIP_ONE_ACTIVE: 117,
    Tone.CHIP_TWO_ACTIVE: 220,
}
"""Blue and orange, for colour-blind players."""
_CARDS: Final = {
    **dict.fromkeys((Tone.CARD, Tone.CARD_DIM, Tone.CARD_TITLE), 230),
    Tone.CARD_WAR: 88,
    Tone.CARD_MEANS: 22,
    Tone.CARD_POLICY: 54,
    Tone.CARD_SEA: 25,
    Tone.CARD_LAND: 94,
    Tone.CARD_OTHER: 240,
}


def ground_of(floor: Floor, tint: Tint, *, is_dark: bool, is_calm: bool) -> int | None:
    """Return the colour number of a ground; None if the nearest to the mixed colour should be used.

    Args:
        floor: The ground.
        tint: Why it is emphasised.
        is_dark: Whether the theme has light text on a dark background.
        is_calm: Whether the theme is for colour-blind players.
    """
    floors = _DARK_FLOORS if is_dark else _LIGHT_FLOORS
    if floor not in floors:
        return None
    if tint is Tint.NONE:
        return floors[floor]
    tints = _CALM_TINTS if is_calm else _DARK_TINTS if is_dark else _LIGHT_TINTS
    pair = tints.get(tint)
    return None if pair is None else pair[floor not in _SEAS]


def chip_of(tone: Tone, *, is_calm: bool) -> int | None:
    """Return the background colour number of a counter or card; None to use the nearest one."""
    return (_CALM_CHIPS if is_calm else _CHIPS).get(tone) or _CARDS.get(tone)


@cache
def _colours() -> tuple[tuple[int, Rgb], ...]:
    cube = [(red, green, blue) for red in _STEPS for green in _STEPS for blue in _STEPS]
    greys = [(level, level, level) for level in range(8, 248, 10)]
    return tuple(enumerate([*cube, *greys], start=_CUBE))


def shade(number: int) -> Rgb:
    """Return the colour with a number."""
    return _colours()[number - _CUBE][1]


def _distance(one: Rgb, other: Rgb) -> int:
    """Return the perceived difference of two colours, weighted for the eye's sensitivity."""
    mean = (one[0] + other[0]) // 2
    red, green, blue = (a - b for a, b in zip(one, other, strict=True))
    return (512 + mean) * red * red + 1024 * green * green + (767 - mean) * blue * blue


@cache
def nearest(colour: Rgb) -> int:
    """Return the number of the most similar colour, among nearby colours of the cube and greys."""
    around = [
        [step for step, level in enumerate(_STEPS) if abs(level - part) < _WIDEST]
        for part in colour
    ]
    numbers = [
        _CUBE + 36 * red + 6 * green + blue
        for red in around[0]
        for green in around[1]
        for blue in around[2]
    ]
    grey = min(max((sum(colour) // 3 - 3) // 10, 0), 23)
    numbers += range(_GREYS + max(grey - 1, 0), _GREYS + min(grey + 2, 24))
    found: int = min(numbers, key=lambda number: _distance(shade(number), colour))
    return found

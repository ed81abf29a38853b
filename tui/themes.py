"""The light, high-contrast and colour-blind themes, defined by their differences from the dark one."""

from typing import Final

from tui.colours import (
    DARK,
    DARK_FLOORS,
    DARK_TONES,
    DARK_WASHES,
    Colour,
    Rgb,
    ThemeName,
    Wash,
    mixed,
    rgb,
)
from tui.tones import HOMES, Floor, Tint, Tone

_BLACK: Final = rgb("000000")
_WHITE: Final = rgb("ffffff")

# -- high contrast: black panels, brighter coasts and lines

HIGH_CONTRAST: Final = DARK._replace(
    name=ThemeName.HIGH_CONTRAST,
    paper=_BLACK,
    surface=rgb("101820"),
    ink=_WHITE,
    line=rgb("8a98a8"),
    floors=DARK_FLOORS
    | {
        Floor.DEEP: rgb("000a20"),
        Floor.SEA: rgb("00203e"),
        Floor.SHALLOW: rgb("004066"),
        Floor.COAST: rgb("003a5e"),
        Floor.OPEN: rgb("5c6a20"),
        Floor.MIXED: rgb("3a6420"),
        Floor.JUNGLE: rgb("0c5028"),
        Floor.MOUNTAIN: rgb("6e4a24"),
        Floor.ATOLL: rgb("006a6e"),
        Floor.OUTSIDE: rgb("1c1c1c"),
    },
    washes={
        tint: Wash(colour, min(share * 1.5, 0.7)) for tint, (colour, share) in DARK_WASHES.items()
    },
    tones=DARK_TONES
    | {
        Tone.GRID: Colour(lift=0.34),
        Tone.LABEL: Colour(lift=0.55),
        Tone.TEXTURE: Colour(lift=0.4),
        Tone.CAPTION: Colour(lift=0.8),
        Tone.NAME: Colour(_WHITE),
        Tone.CITY: Colour(_WHITE, attributes="bold"),
        Tone.BASE: Colour(rgb("fff0a0")),
        Tone.SIDE_ONE: Colour(rgb("9cccff"), attributes="bold"),
        Tone.SIDE_TWO: Colour(rgb("ffb0a8"), attributes="bold"),
        Tone.CHIP_ONE: Colour(_WHITE, rgb("1058b8"), attributes="bold"),
        Tone.CHIP_TWO: Colour(_WHITE, rgb("c00808"), attributes="bold"),
        Tone.CHIP_ONE_ACTIVE: Colour(_BLACK, rgb("6cb8ff"), attributes="bold"),
        Tone.CHIP_TWO_ACTIVE: Colour(_BLACK, rgb("ff8078"), attributes="bold"),
        Tone.HOLLOW_ONE: Colour(rgb("a8d4ff"), attributes="bold"),
        Tone.HOLLOW_TWO: Colour(rgb("ffb8b0"), attributes="bold"),
        Tone.DIM: Colour(rgb("b8c4d0")),
    },
)

# -- colour-blind: blue and orange instead of blue and red, light and dark instead of green and red

_BLUE: Final = rgb("56b4e9")
_ORANGE: Final = rgb("e69f00")
COLOUR_BLIND: Final = DARK._replace(
    name=ThemeName.COLOUR_BLIND,
    bar=rgb("f0e442"),
    good=_BLUE,
    warn=rgb("f0e442"),
    bad=_ORANGE,
    floors=DARK_FLOORS
    | {
        Floor.OPEN: rgb("5c5a40"),
        Floor.MIXED: rgb("4a4c3a"),
        Floor.JUNGLE: rgb("333a30"),
        Floor.MOUNTAIN: rgb("6a6058"),
        Floor.ATOLL: rgb("2a5a70"),
    },
    washes=DARK_WASHES
    | {
        Tint.REACH: Wash(_WHITE, 0.34),
        Tint.NEAR: Wash(_WHITE, 0.27),
        Tint.FAR: Wash(_WHITE, 0.12),
        Tint.PATH: Wash(rgb("f0e442"), 0.40),
        Tint.TARGET: Wash(_ORANGE, 0.48),
        Tint.OURS: Wash(_BLUE, 0.26),
        Tint.OURS_FAR: Wash(_BLUE, 0.14),
        Tint.THEIRS: Wash(_ORANGE, 0.28),
        Tint.THEIRS_FAR: Wash(_ORANGE, 0.14),
        Tint.BOTH: Wash(_WHITE, 0.30),
        Tint.SUPPLIED: Wash(_BLUE, 0.34),
        Tint.CUT: Wash(_ORANGE, 0.50),
    },
    tones=DARK_TONES
    | {
        Tone.SIDE_ONE: Colour(rgb("86cdf5"), attributes="bold"),
        Tone.SIDE_TWO: Colour(rgb("ffb52e"), attributes="bold"),
        Tone.SHADE_ONE: Colour(_BLUE),
        Tone.SHADE_TWO: Colour(_ORANGE),
        Tone.REACH: Colour(rgb("f0e442"), attributes="bold"),
        Tone.PATH: Colour(rgb("f0e442"), attributes="bold"),
        Tone.TARGET: Colour(rgb("ffb52e"), attributes="bold"),
        Tone.CHIP_ONE: Colour(_WHITE, rgb("0072b2")),
        Tone.CHIP_TWO: Colour(_BLACK, rgb("d98a00")),
        Tone.CHIP_ONE_ACTIVE: Colour(_BLACK, rgb("86cdf5"), attributes="bold"),
        Tone.CHIP_TWO_ACTIVE: Colour(_BLACK, rgb("ffc14d"), attributes="bold"),
        Tone.HOLLOW_ONE: Colour(rgb("86cdf5")),
        Tone.HOLLOW_TWO: Colour(rgb("ffb52e")),
        Tone.ALERT: Colour(_BLACK, rgb("f0e442"), attributes="bold"),
        Tone.RING_ONE: Colour(rgb("86cdf5"), attributes="bold"),
        Tone.RING_TWO: Colour(rgb("ffb52e"), attributes="bold"),
        Tone.GOOD: Colour(_BLUE),
        Tone.WARN: Colour(rgb("f0e442")),
        Tone.BAD: Colour(rgb("ffb52e"), attributes="bold"),
    },
)

# -- light

_INK: Final = rgb("1d2733")


def _darkened(colour: Colour) -> Colour:
    """Adapt a colour of the dark theme to a light background; chips keep their own background."""
    if colour.ink is None or colour.paper is not None:
        return colour
    return colour._replace(ink=_deep(colour.ink))


def _deep(colour: Rgb) -> Rgb:
    """Darken a colour enough for a light background, keeping its hue."""
    most = max(colour)
    share = 0.3 if min(colour) > 170 else 0.62  # noqa: PLR2004  (nearly white becomes ink)
    red, green, blue = (round(255 * part / most * share) for part in colour)
    return mixed((red, green, blue), _INK, 0.25)


LIGHT: Final = DARK._replace(
    name=ThemeName.LIGHT,
    is_dark=False,
    paper=rgb("f4f1ea"),
    surface=rgb("e2ddd0"),
    ink=_INK,
    accent=rgb("9a5b00"),
    bar=rgb("bfe3b4"),
    line=rgb("b9b2a2"),
    good=rgb("1d6b2a"),
    warn=rgb("8a5200"),
    bad=rgb("a81f1c"),
    floors={
        Floor.DEEP: rgb("a9c6de"),
        Floor.SEA: rgb("bcd6ea"),
        Floor.SHALLOW: rgb("d2e6f2"),
        Floor.COAST: rgb("cde3f1"),
        Floor.OPEN: rgb("ece2b4"),
        Floor.MIXED: rgb("d5dfae"),
        Floor.JUNGLE: rgb("b4d0a0"),
        Floor.MOUNTAIN: rgb("d8c3a5"),
        Floor.ATOLL: rgb("bfe4dc"),
        Floor.OUTSIDE: rgb("dcd8d0"),
    }
    | {home: mixed(DARK_FLOORS[home], _WHITE, 0.62) for home in HOMES},
    washes={
        tint: Wash(mixed(colour, _BLACK, 0.06), min(share * 1.25, 0.6))
        for tint, (colour, share) in DARK_WASHES.items()
    },
    tones={tone: _darkened(colour) for tone, colour in DARK_TONES.items()}
    | {
        Tone.GRID: Colour(lift=0.14),
        Tone.LABEL: Colour(lift=0.36),
        Tone.TEXTURE: Colour(lift=0.18),
        Tone.CAPTION: Colour(lift=0.5),
        Tone.NAME: Colour(rgb("2a2418")),
        Tone.CITY: Colour(rgb("120e06"), attributes="bold"),
        Tone.BASE: Colour(rgb("6a4a00")),
        Tone.FRAME: Colour(rgb("b3261e"), attributes="bold"),
        Tone.SELECTED: Colour(_BLACK, attributes="bold"),
        Tone.HEAD: Colour(_BLACK, attributes="bold"),
        Tone.KEY: Colour(rgb("9a5b00"), attributes="bold"),
        Tone.DIM: Colour(rgb("6d6a60")),
        Tone.CHIP_NEUTRAL: Colour(_WHITE, rgb("5a6470")),
    },
)

SCHEMES: Final = {scheme.name: scheme for scheme in (DARK, LIGHT, HIGH_CONTRAST, COLOUR_BLIND)}

"""Defines the colour of each role, with one table per theme.

The palette mixes these colours and adapts them to the terminal.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, NamedTuple

from tui.drawing.colour_roles import CHIP_ROLES, HOME_ROLES, GroundRole, OverlayRole, TextRole

Rgb = tuple[int, int, int]


class ThemeName(StrEnum):
    """The themes that a player can choose."""

    DARK = "dark"
    LIGHT = "light"
    HIGH_CONTRAST = "high-contrast"
    COLOUR_BLIND = "colour-blind"


class Colour(NamedTuple):
    """The appearance of text in one tone, on any background."""

    foreground: Rgb | None = None
    """Text colour; None for the theme's default."""
    background: Rgb | None = None
    """Background of the text; None to keep the background of the map."""
    contrast: float = 0.0
    """Contrast between text and background, from 0 to 1. If this is not 0, it is used instead of `foreground`."""
    attributes: str = ""
    """Rich style attributes, such as ``bold``."""


class ColourOverlay(NamedTuple):
    """A translucent colour over the background."""

    colour: Rgb
    strength: float
    """Opacity of the colour, from 0 (invisible) to 1 (opaque)."""


class Scheme(NamedTuple):
    """All colours of one theme."""

    name: ThemeName
    is_dark: bool
    background: Rgb
    """Background of panels."""
    surface: Rgb
    """Background of bars, such as the header and the key line."""
    foreground: Rgb
    accent: Rgb
    """Colour of keys and of the focused panel's border."""
    selection: Rgb
    """Background of the list line that Enter would choose."""
    border: Rgb
    """Border colour of panels without focus."""
    good: Rgb
    warn: Rgb
    bad: Rgb
    ground_colours: Mapping[GroundRole, Rgb]
    overlay_colours: Mapping[OverlayRole, ColourOverlay]
    tones: Mapping[TextRole, Colour]


def rgb(text: str) -> Rgb:
    """Parse a colour given as six hex digits."""
    return int(text[0:2], 16), int(text[2:4], 16), int(text[4:6], 16)


def mix(first_colour: Rgb, second_colour: Rgb, share: float) -> Rgb:
    """Mix two colours. `share` is the proportion of the second colour, from 0 to 1."""
    red, green, blue = (
        round(a + (b - a) * share) for a, b in zip(first_colour, second_colour, strict=True)
    )
    return red, green, blue


_WHITE: Final = rgb("ffffff")
_CREAM: Final = rgb("e9e2d0")
_COUNTRY_COLOURS: Final = tuple(
    map(rgb, ("4b515c", "8c4a72", "b57518", "a32a2e", "55842c", "2f6b4a"))
)
"""Counter colours, in this order: Germany, the United Kingdom, Japan, the Soviet Union, Italy and the United States."""

DARK_TONES: Final = {
    TextRole.GRID: Colour(contrast=0.13),
    TextRole.BORDER: Colour(rgb("10161f")),
    TextRole.LABEL: Colour(contrast=0.22),
    TextRole.TEXTURE: Colour(contrast=0.13),
    TextRole.SEA: Colour(rgb("9db8d8")),
    TextRole.LAND: Colour(rgb("e6e2cf")),
    TextRole.ROUGH: Colour(rgb("d8c3a5")),
    TextRole.NAME: Colour(rgb("f2efe2")),
    TextRole.CITY: Colour(rgb("fffbe8"), attributes="bold"),
    TextRole.BASE: Colour(rgb("d9cf8f")),
    TextRole.SIDE_ONE: Colour(rgb("7fb4f0"), attributes="bold"),
    TextRole.SIDE_TWO: Colour(rgb("ff8f86"), attributes="bold"),
    TextRole.SHADE_ONE: Colour(rgb("86b6ec")),
    TextRole.SHADE_TWO: Colour(rgb("ee8f86")),
    TextRole.REACH: Colour(rgb("9bedA0".lower()), attributes="bold"),
    TextRole.PATH: Colour(rgb("ffd54a"), attributes="bold"),
    TextRole.TARGET: Colour(rgb("ff9d6b"), attributes="bold"),
    TextRole.SELECTED: Colour(rgb("ffffff"), attributes="bold"),
    TextRole.CURSOR: Colour(rgb("0b121c"), rgb("ffd54a"), attributes="bold"),
    TextRole.FRAME: Colour(rgb("ffd54a"), attributes="bold"),
    TextRole.CHIP_ONE: Colour(_WHITE, rgb("2b67a8")),
    TextRole.CHIP_TWO: Colour(_WHITE, rgb("a8302e")),
    TextRole.CHIP_ONE_ACTIVE: Colour(_WHITE, rgb("3f8ce0"), attributes="bold"),
    TextRole.CHIP_TWO_ACTIVE: Colour(_WHITE, rgb("dd4a44"), attributes="bold"),
    TextRole.HOLLOW_ONE: Colour(rgb("8fc0f5")),
    TextRole.HOLLOW_TWO: Colour(rgb("ff9c94")),
    TextRole.CHIP_NEUTRAL: Colour(rgb("10161f"), rgb("b9c2cc")),
    TextRole.ALERT: Colour(rgb("10161f"), rgb("ffa94d"), attributes="bold"),
    TextRole.SCAN: Colour(rgb("9bd8c0")),
    TextRole.SCAN_FAR: Colour(rgb("7fb3a2")),
    TextRole.ZONE: Colour(rgb("d8c47a")),
    TextRole.RING_ONE: Colour(rgb("7fb4f0"), attributes="bold"),
    TextRole.RING_TWO: Colour(rgb("ff8f86"), attributes="bold"),
    TextRole.RING_NEUTRAL: Colour(rgb("dfe6ee"), attributes="bold"),
    TextRole.TRACK: Colour(rgb("ffd54a"), attributes="bold"),
    TextRole.CAPTION: Colour(contrast=0.5),
    TextRole.DIM: Colour(rgb("8492a3")),
    TextRole.HEAD: Colour(rgb("ffffff"), attributes="bold"),
    TextRole.KEY: Colour(rgb("ffd54a"), attributes="bold"),
    TextRole.GOOD: Colour(rgb("9beda0")),
    TextRole.WARN: Colour(rgb("ffb35c")),
    TextRole.BAD: Colour(rgb("ff7a70"), attributes="bold"),
    TextRole.BADGE: Colour(rgb("0b121c"), rgb("ffd54a"), attributes="bold"),
    TextRole.STEP: Colour(rgb("7fb4f0"), attributes="bold"),
    TextRole.CARD: Colour(rgb("1c232b"), _CREAM),
    TextRole.CARD_DIM: Colour(rgb("6d6a60"), _CREAM),
    TextRole.CARD_TITLE: Colour(rgb("10161f"), _CREAM, attributes="bold"),
    TextRole.CARD_WAR: Colour(_WHITE, rgb("7f2c2c"), attributes="bold"),
    TextRole.CARD_MEANS: Colour(_WHITE, rgb("2f5f38"), attributes="bold"),
    TextRole.CARD_POLICY: Colour(_WHITE, rgb("5a4684"), attributes="bold"),
    TextRole.CARD_SEA: Colour(_WHITE, rgb("35598c"), attributes="bold"),
    TextRole.CARD_LAND: Colour(_WHITE, rgb("80562e"), attributes="bold"),
    TextRole.CARD_OTHER: Colour(_WHITE, rgb("4a5563"), attributes="bold"),
    TextRole.CARD_LIT: Colour(rgb("10161f"), rgb("9beda0"), attributes="bold"),
    TextRole.CHIP_STORED: Colour(rgb("c3d0de"), rgb("22344a")),
    TextRole.CHIP_WORKED: Colour(rgb("d2dfd4"), rgb("30463a")),
    TextRole.CHIP_READY: Colour(_WHITE, rgb("1f6a40"), attributes="bold"),
    TextRole.CHIP_SPENT: Colour(rgb("f2dfc4"), rgb("5c4626")),
    TextRole.CHIP_FLIGHT: Colour(rgb("10161f"), rgb("9beda0"), attributes="bold"),
    TextRole.BAND_ONE: Colour(_WHITE, rgb("15273f")),
    TextRole.BAND_ONE_DEEP: Colour(_WHITE, rgb("1b456b")),
    TextRole.BAND_TWO: Colour(_WHITE, rgb("37181e")),
    TextRole.BAND_TWO_DEEP: Colour(_WHITE, rgb("662a30")),
    TextRole.BAND_NEUTRAL: Colour(_WHITE, rgb("262c33")),
} | {
    chip: Colour(_WHITE, colour) for chip, colour in zip(CHIP_ROLES, _COUNTRY_COLOURS, strict=True)
}

DARK_GROUNDS: Final = {
    GroundRole.DEEP: rgb("0b1a33"),
    GroundRole.SEA: rgb("12304c"),
    GroundRole.SHALLOW: rgb("17405e"),
    GroundRole.COAST: rgb("17405e"),
    GroundRole.OPEN: rgb("4d5a33"),
    GroundRole.MIXED: rgb("3d5430"),
    GroundRole.JUNGLE: rgb("23472c"),
    GroundRole.MOUNTAIN: rgb("5c4a38"),
    GroundRole.ATOLL: rgb("22626a"),
    GroundRole.OUTSIDE: rgb("1a1e22"),
} | {
    home: mix(colour, rgb("202a33"), 0.45)
    for home, colour in zip(HOME_ROLES, _COUNTRY_COLOURS, strict=True)
}

DARK_OVERLAYS: Final = {
    OverlayRole.REACH: ColourOverlay(rgb("58c878"), 0.38),
    OverlayRole.NEAR: ColourOverlay(rgb("58b898"), 0.36),
    OverlayRole.FAR: ColourOverlay(rgb("4a9aa0"), 0.26),
    OverlayRole.PATH: ColourOverlay(rgb("d8b040"), 0.40),
    OverlayRole.TARGET: ColourOverlay(rgb("d86a40"), 0.42),
    OverlayRole.SELECTED: ColourOverlay(rgb("9fb4c8"), 0.34),
    OverlayRole.OURS: ColourOverlay(rgb("5aa8ff"), 0.27),
    OverlayRole.THEIRS: ColourOverlay(rgb("ff6a60"), 0.38),
    OverlayRole.OURS_FAR: ColourOverlay(rgb("5aa8ff"), 0.15),
    OverlayRole.THEIRS_FAR: ColourOverlay(rgb("ff6a60"), 0.24),
    OverlayRole.BOTH: ColourOverlay(rgb("b87ae0"), 0.42),
    OverlayRole.SUPPLIED: ColourOverlay(rgb("58c878"), 0.30),
    OverlayRole.CUT: ColourOverlay(rgb("e05030"), 0.48),
    OverlayRole.ZONE: ColourOverlay(rgb("c88c3c"), 0.20),
    OverlayRole.CHANGED: ColourOverlay(rgb("e0c050"), 0.30),
    OverlayRole.HIGHLIGHTED: ColourOverlay(rgb("ffd54a"), 0.26),
    OverlayRole.SCAN_NEAR: ColourOverlay(rgb("7ad0a0"), 0.42),
    OverlayRole.SCAN_MIDDLE: ColourOverlay(rgb("7ad0a0"), 0.30),
    OverlayRole.SCAN_FAR: ColourOverlay(rgb("7ad0a0"), 0.19),
    OverlayRole.SCAN_FARTHEST: ColourOverlay(rgb("7ad0a0"), 0.12),
}

DARK: Final = Scheme(
    name=ThemeName.DARK,
    is_dark=True,
    background=rgb("10161f"),
    surface=rgb("182430"),
    foreground=rgb("cdd6e0"),
    accent=rgb("ffd54a"),
    selection=rgb("9beda0"),
    border=rgb("32404f"),
    good=rgb("9beda0"),
    warn=rgb("ffb35c"),
    bad=rgb("ff7a70"),
    ground_colours=DARK_GROUNDS,
    overlay_colours=DARK_OVERLAYS,
    tones=DARK_TONES,
)

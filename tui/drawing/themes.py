"""The light, high-contrast and colour-blind themes, defined as changes to the dark theme."""

from typing import Final

from tui.drawing.colour_roles import HOME_ROLES, GroundRole, OverlayRole, TextRole
from tui.drawing.colours import (
    DARK,
    DARK_GROUNDS,
    DARK_OVERLAYS,
    DARK_TONES,
    Colour,
    ColourOverlay,
    Rgb,
    ThemeName,
    mix,
    rgb,
)

_BLACK: Final = rgb("000000")
_WHITE: Final = rgb("ffffff")

# -- high contrast: black panels, brighter coasts and lines

HIGH_CONTRAST: Final = DARK._replace(
    name=ThemeName.HIGH_CONTRAST,
    background=_BLACK,
    surface=rgb("101820"),
    foreground=_WHITE,
    border=rgb("8a98a8"),
    ground_colours=DARK_GROUNDS
    | {
        GroundRole.DEEP: rgb("000a20"),
        GroundRole.SEA: rgb("00203e"),
        GroundRole.SHALLOW: rgb("004066"),
        GroundRole.COAST: rgb("003a5e"),
        GroundRole.OPEN: rgb("5c6a20"),
        GroundRole.MIXED: rgb("3a6420"),
        GroundRole.JUNGLE: rgb("0c5028"),
        GroundRole.MOUNTAIN: rgb("6e4a24"),
        GroundRole.ATOLL: rgb("006a6e"),
        GroundRole.OUTSIDE: rgb("1c1c1c"),
    },
    overlay_colours={
        tint: ColourOverlay(colour, min(share * 1.5, 0.7))
        for tint, (colour, share) in DARK_OVERLAYS.items()
    }
    | {
        OverlayRole.OURS: ColourOverlay(rgb("5aa8ff"), 0.34),
        OverlayRole.THEIRS: ColourOverlay(rgb("ff6a60"), 0.46),
        OverlayRole.BOTH: ColourOverlay(rgb("b87ae0"), 0.50),
    },
    tones=DARK_TONES
    | {
        TextRole.GRID: Colour(contrast=0.34),
        TextRole.BORDER: Colour(_BLACK),
        TextRole.LABEL: Colour(contrast=0.55),
        TextRole.TEXTURE: Colour(contrast=0.4),
        TextRole.CAPTION: Colour(contrast=0.8),
        TextRole.NAME: Colour(_WHITE),
        TextRole.CITY: Colour(_WHITE, attributes="bold"),
        TextRole.BASE: Colour(rgb("fff0a0")),
        TextRole.SIDE_ONE: Colour(rgb("9cccff"), attributes="bold"),
        TextRole.SIDE_TWO: Colour(rgb("ffb0a8"), attributes="bold"),
        TextRole.CHIP_ONE: Colour(_WHITE, rgb("1058b8"), attributes="bold"),
        TextRole.CHIP_TWO: Colour(_WHITE, rgb("c00808"), attributes="bold"),
        TextRole.CHIP_ONE_ACTIVE: Colour(_BLACK, rgb("6cb8ff"), attributes="bold"),
        TextRole.CHIP_TWO_ACTIVE: Colour(_BLACK, rgb("ff8078"), attributes="bold"),
        TextRole.HOLLOW_ONE: Colour(rgb("a8d4ff"), attributes="bold"),
        TextRole.HOLLOW_TWO: Colour(rgb("ffb8b0"), attributes="bold"),
        TextRole.DIM: Colour(rgb("b8c4d0")),
    },
)

# -- colour-blind: blue and orange instead of blue and red, light and dark instead of green and red

_BLUE: Final = rgb("56b4e9")
_ORANGE: Final = rgb("e69f00")
COLOUR_BLIND: Final = DARK._replace(
    name=ThemeName.COLOUR_BLIND,
    selection=rgb("f0e442"),
    good=_BLUE,
    warn=rgb("f0e442"),
    bad=_ORANGE,
    ground_colours=DARK_GROUNDS
    | {
        GroundRole.OPEN: rgb("5c5a40"),
        GroundRole.MIXED: rgb("4a4c3a"),
        GroundRole.JUNGLE: rgb("333a30"),
        GroundRole.MOUNTAIN: rgb("6a6058"),
        GroundRole.ATOLL: rgb("2a5a70"),
    },
    overlay_colours=DARK_OVERLAYS
    | {
        OverlayRole.REACH: ColourOverlay(_WHITE, 0.34),
        OverlayRole.NEAR: ColourOverlay(_WHITE, 0.27),
        OverlayRole.FAR: ColourOverlay(_WHITE, 0.12),
        OverlayRole.PATH: ColourOverlay(rgb("f0e442"), 0.40),
        OverlayRole.TARGET: ColourOverlay(_ORANGE, 0.48),
        OverlayRole.OURS: ColourOverlay(_BLUE, 0.26),
        OverlayRole.OURS_FAR: ColourOverlay(_BLUE, 0.14),
        OverlayRole.THEIRS: ColourOverlay(_ORANGE, 0.28),
        OverlayRole.THEIRS_FAR: ColourOverlay(_ORANGE, 0.18),
        OverlayRole.BOTH: ColourOverlay(_WHITE, 0.30),
        OverlayRole.SUPPLIED: ColourOverlay(_BLUE, 0.34),
        OverlayRole.CUT: ColourOverlay(_ORANGE, 0.50),
    },
    tones=DARK_TONES
    | {
        TextRole.SIDE_ONE: Colour(rgb("86cdf5"), attributes="bold"),
        TextRole.SIDE_TWO: Colour(rgb("ffb52e"), attributes="bold"),
        TextRole.SHADE_ONE: Colour(_BLUE),
        TextRole.SHADE_TWO: Colour(_ORANGE),
        TextRole.REACH: Colour(rgb("f0e442"), attributes="bold"),
        TextRole.PATH: Colour(rgb("f0e442"), attributes="bold"),
        TextRole.TARGET: Colour(rgb("ffb52e"), attributes="bold"),
        TextRole.CHIP_ONE: Colour(_WHITE, rgb("0072b2")),
        TextRole.CHIP_TWO: Colour(_BLACK, rgb("d98a00")),
        TextRole.CHIP_ONE_ACTIVE: Colour(_BLACK, rgb("86cdf5"), attributes="bold"),
        TextRole.CHIP_TWO_ACTIVE: Colour(_BLACK, rgb("ffc14d"), attributes="bold"),
        TextRole.HOLLOW_ONE: Colour(rgb("86cdf5")),
        TextRole.HOLLOW_TWO: Colour(rgb("ffb52e")),
        TextRole.ALERT: Colour(_BLACK, rgb("f0e442"), attributes="bold"),
        TextRole.RING_ONE: Colour(rgb("86cdf5"), attributes="bold"),
        TextRole.RING_TWO: Colour(rgb("ffb52e"), attributes="bold"),
        TextRole.BAND_TWO: Colour(_WHITE, rgb("3a2a08")),
        TextRole.BAND_TWO_DEEP: Colour(_WHITE, rgb("6b4a00")),
        TextRole.GOOD: Colour(_BLUE),
        TextRole.WARN: Colour(rgb("f0e442")),
        TextRole.BAD: Colour(rgb("ffb52e"), attributes="bold"),
    },
)

# -- light

_LIGHT_FOREGROUND: Final = rgb("1d2733")


def _adapt_to_light(colour: Colour) -> Colour:
    """Adapt a dark theme's colour to a light background. Text with its own background keeps both colours."""
    if colour.foreground is None or colour.background is not None:
        return colour
    return colour._replace(foreground=_darken(colour.foreground))


def _darken(colour: Rgb) -> Rgb:
    """Darken a colour enough for a light background, but keep its hue."""
    max_channel = max(colour)
    share = 0.3 if min(colour) > 170 else 0.62  # noqa: PLR2004  (nearly white becomes nearly black)
    red, green, blue = (round(255 * channel / max_channel * share) for channel in colour)
    return mix((red, green, blue), _LIGHT_FOREGROUND, 0.25)


LIGHT: Final = DARK._replace(
    name=ThemeName.LIGHT,
    is_dark=False,
    background=rgb("f4f1ea"),
    surface=rgb("e2ddd0"),
    foreground=_LIGHT_FOREGROUND,
    accent=rgb("9a5b00"),
    selection=rgb("bfe3b4"),
    border=rgb("b9b2a2"),
    good=rgb("1d6b2a"),
    warn=rgb("8a5200"),
    bad=rgb("a81f1c"),
    ground_colours={
        GroundRole.DEEP: rgb("a9c6de"),
        GroundRole.SEA: rgb("bcd6ea"),
        GroundRole.SHALLOW: rgb("d2e6f2"),
        GroundRole.COAST: rgb("cde3f1"),
        GroundRole.OPEN: rgb("ece2b4"),
        GroundRole.MIXED: rgb("d5dfae"),
        GroundRole.JUNGLE: rgb("b4d0a0"),
        GroundRole.MOUNTAIN: rgb("d8c3a5"),
        GroundRole.ATOLL: rgb("bfe4dc"),
        GroundRole.OUTSIDE: rgb("dcd8d0"),
    }
    | {home: mix(DARK_GROUNDS[home], _WHITE, 0.62) for home in HOME_ROLES},
    overlay_colours={
        tint: ColourOverlay(mix(colour, _BLACK, 0.06), min(share * 1.25, 0.6))
        for tint, (colour, share) in DARK_OVERLAYS.items()
    }
    | {
        OverlayRole.OURS: ColourOverlay(rgb("2a66b8"), 0.41),
        OverlayRole.OURS_FAR: ColourOverlay(rgb("2a66b8"), 0.23),
        OverlayRole.THEIRS: ColourOverlay(rgb("c03028"), 0.34),
        OverlayRole.THEIRS_FAR: ColourOverlay(rgb("c03028"), 0.19),
        OverlayRole.BOTH: ColourOverlay(rgb("7a3aa0"), 0.42),
    },
    tones={tone: _adapt_to_light(colour) for tone, colour in DARK_TONES.items()}
    | {
        TextRole.GRID: Colour(contrast=0.14),
        TextRole.BORDER: Colour(rgb("6a5a3a")),
        TextRole.LABEL: Colour(contrast=0.36),
        TextRole.TEXTURE: Colour(contrast=0.18),
        TextRole.CAPTION: Colour(contrast=0.5),
        TextRole.NAME: Colour(rgb("2a2418")),
        TextRole.CITY: Colour(rgb("120e06"), attributes="bold"),
        TextRole.BASE: Colour(rgb("6a4a00")),
        TextRole.FRAME: Colour(rgb("b3261e"), attributes="bold"),
        TextRole.SELECTED: Colour(_BLACK, attributes="bold"),
        TextRole.HEAD: Colour(_BLACK, attributes="bold"),
        TextRole.KEY: Colour(rgb("9a5b00"), attributes="bold"),
        TextRole.DIM: Colour(rgb("6d6a60")),
        TextRole.CHIP_NEUTRAL: Colour(_WHITE, rgb("5a6470")),
        TextRole.BAND_ONE: Colour(_BLACK, rgb("dbe7f3")),
        TextRole.BAND_ONE_DEEP: Colour(_BLACK, rgb("b3cfe8")),
        TextRole.BAND_TWO: Colour(_BLACK, rgb("f5dcd8")),
        TextRole.BAND_TWO_DEEP: Colour(_BLACK, rgb("ecb8b0")),
        TextRole.BAND_NEUTRAL: Colour(_BLACK, rgb("e6e2d8")),
    },
)

SCHEMES: Final = {scheme.name: scheme for scheme in (DARK, LIGHT, HIGH_CONTRAST, COLOUR_BLIND)}

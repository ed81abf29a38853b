"""Maps text, background and overlay roles to styles. The style depends on the theme and the terminal's colour depth."""

from collections.abc import Mapping
from functools import cache, cached_property
from typing import Final

from rich.color import Color
from rich.style import Style
from textual.theme import Theme

from tui.drawing.capabilities import Depth
from tui.drawing.colour_roles import CHIP_ROLES, GroundRole, OverlayRole, TextRole
from tui.drawing.colours import Colour, Rgb, Scheme, ThemeName, mix
from tui.drawing.palette_256 import chip_colour, colour_of_number, ground_colour, nearest_number
from tui.drawing.themes import SCHEMES

_SIXTEEN_COLOURS: Final = {
    TextRole.GRID: "bright_black",
    TextRole.BORDER: "bright_black",
    TextRole.SEA: "blue",
    TextRole.LAND: "green",
    TextRole.ROUGH: "yellow",
    TextRole.SIDE_ONE: "bold bright_cyan",
    TextRole.SIDE_TWO: "bold bright_red",
    TextRole.SHADE_ONE: "cyan",
    TextRole.SHADE_TWO: "red",
    TextRole.REACH: "bold bright_green",
    TextRole.PATH: "bold bright_yellow",
    TextRole.TARGET: "bold bright_magenta",
    TextRole.SELECTED: "bold bright_white",
    TextRole.CURSOR: "bold reverse",
    TextRole.CHIP_ONE: "bold bright_white on blue",
    TextRole.CHIP_TWO: "bold bright_white on red",
    TextRole.CHIP_NEUTRAL: "black on white",
    TextRole.ALERT: "bold black on bright_yellow",
    TextRole.SCAN: "bright_green",
    TextRole.SCAN_FAR: "green",
    TextRole.ZONE: "yellow",
    TextRole.RING_ONE: "bold bright_cyan",
    TextRole.RING_TWO: "bold bright_red",
    TextRole.RING_NEUTRAL: "bold bright_white",
    TextRole.TRACK: "bold bright_yellow",
    TextRole.CITY: "bold",
    TextRole.BASE: "yellow",
    TextRole.TEXTURE: "bright_black",
    TextRole.FRAME: "bold bright_yellow",
    TextRole.CHIP_ONE_ACTIVE: "bold black on bright_cyan",
    TextRole.CHIP_TWO_ACTIVE: "bold black on bright_red",
    TextRole.HOLLOW_ONE: "cyan",
    TextRole.HOLLOW_TWO: "red",
    **dict(
        zip(
            CHIP_ROLES,
            (
                "bold bright_white on bright_black",
                "bold bright_white on magenta",
                "black on yellow",
                "bold bright_white on red",
                "black on green",
                "black on cyan",
            ),
            strict=True,
        )
    ),
    TextRole.DIM: "bright_black",
    TextRole.HEAD: "bold",
    TextRole.KEY: "bold bright_yellow",
    TextRole.GOOD: "bright_green",
    TextRole.WARN: "bright_yellow",
    TextRole.BAD: "bold bright_red",
    TextRole.BADGE: "black on bright_yellow",
    TextRole.STEP: "bold bright_cyan",
    TextRole.CARD_DIM: "bright_black",
    TextRole.CARD_TITLE: "bold",
    TextRole.CARD_WAR: "bold bright_white on red",
    TextRole.CARD_MEANS: "black on green",
    TextRole.CARD_POLICY: "bold bright_white on magenta",
    TextRole.CARD_SEA: "bold bright_white on blue",
    TextRole.CARD_LAND: "black on yellow",
    TextRole.CARD_OTHER: "black on white",
    TextRole.CARD_LIT: "bold black on bright_green",
    TextRole.PICK: "black on bright_green",
    TextRole.PICK_DULL: "bold",
    TextRole.CHIP_WORKED: "cyan",
    TextRole.CHIP_READY: "bold bright_cyan",
    TextRole.CHIP_SPENT: "yellow",
    TextRole.CHIP_FLIGHT: "black on cyan",
    TextRole.BAND_ONE: "bright_cyan",
    TextRole.BAND_ONE_DEEP: "bold bright_cyan",
    TextRole.BAND_TWO: "bright_red",
    TextRole.BAND_TWO_DEEP: "bold bright_red",
}
_SIXTEEN_COLOUR_BLIND: Final = _SIXTEEN_COLOURS | {
    TextRole.SEA: "bright_black",
    TextRole.LAND: "white",
    TextRole.ROUGH: "white",
    TextRole.SIDE_ONE: "bold bright_blue",
    TextRole.SIDE_TWO: "bold bright_yellow",
    TextRole.SHADE_ONE: "blue",
    TextRole.SHADE_TWO: "yellow",
    TextRole.REACH: "bold bright_white",
    TextRole.PATH: "bold bright_white",
    TextRole.TARGET: "bold bright_white",
    TextRole.CHIP_TWO: "bold black on yellow",
    TextRole.ALERT: "bold black on bright_white",
    TextRole.SCAN: "bright_white",
    TextRole.SCAN_FAR: "white",
    TextRole.RING_ONE: "bold bright_blue",
    TextRole.RING_TWO: "bold bright_yellow",
    TextRole.CHIP_ONE_ACTIVE: "bold black on bright_blue",
    TextRole.CHIP_TWO_ACTIVE: "bold black on bright_yellow",
    TextRole.HOLLOW_ONE: "blue",
    TextRole.HOLLOW_TWO: "yellow",
    TextRole.BAND_ONE: "bright_blue",
    TextRole.BAND_ONE_DEEP: "bold bright_blue",
    TextRole.BAND_TWO: "bright_yellow",
    TextRole.BAND_TWO_DEEP: "bold bright_yellow",
    TextRole.GOOD: "bright_blue",
    TextRole.BAD: "bold bright_yellow",
}
_MONOCHROME: Final = {
    TextRole.GRID: "dim",
    TextRole.BORDER: "dim",
    TextRole.SEA: "dim",
    TextRole.SIDE_TWO: "bold",
    TextRole.REACH: "bold",
    TextRole.PATH: "bold",
    TextRole.TARGET: "bold",
    TextRole.SELECTED: "bold",
    TextRole.CURSOR: "bold reverse",
    TextRole.CHIP_ONE: "reverse",
    TextRole.CHIP_TWO: "bold reverse",
    TextRole.CHIP_NEUTRAL: "reverse",
    TextRole.ALERT: "bold underline reverse",
    TextRole.SCAN_FAR: "dim",
    TextRole.ZONE: "dim",
    TextRole.RING_ONE: "bold",
    TextRole.RING_TWO: "bold",
    TextRole.RING_NEUTRAL: "bold",
    TextRole.TRACK: "bold",
    TextRole.CITY: "bold",
    TextRole.TEXTURE: "dim",
    TextRole.FRAME: "bold",
    TextRole.CHIP_ONE_ACTIVE: "underline reverse",
    TextRole.CHIP_TWO_ACTIVE: "bold underline reverse",
    TextRole.HOLLOW_TWO: "bold",
    **dict.fromkeys(CHIP_ROLES, "reverse"),
    TextRole.DIM: "dim",
    TextRole.HEAD: "bold",
    TextRole.KEY: "bold",
    TextRole.WARN: "bold",
    TextRole.BAD: "bold",
    TextRole.BADGE: "reverse",
    TextRole.STEP: "bold",
    TextRole.CARD_DIM: "dim",
    TextRole.CARD_TITLE: "bold",
    TextRole.CARD_LIT: "reverse",
    TextRole.PICK: "reverse",
    TextRole.PICK_DULL: "bold",
    TextRole.CHIP_READY: "bold",
    TextRole.CHIP_FLIGHT: "reverse",
}


class Palette:
    """All styles for one theme and colour depth."""

    def __init__(self, scheme: Scheme, depth: Depth) -> None:
        """Create the palette. Styles are computed when first used.

        Args:
            scheme: The colours of the theme.
            depth: Colour depth of the terminal.
        """
        self.scheme = scheme
        self.depth = depth
        self.has_backgrounds = depth >= Depth.MANY
        """True if background colours show the terrain; False if only characters do."""
        self.theme = _theme(scheme, depth) if self.has_backgrounds else _ansi_theme(scheme, depth)
        """Textual theme for the widgets around the map."""
        self._styles: dict[tuple[TextRole, GroundRole, OverlayRole], Style] = {}

    @cached_property
    def unfocused(self) -> "Palette":
        """The palette for a map without the focus. Its cursor frame has the plain text colour."""
        if not self.has_backgrounds:
            return self
        tones = {**self.scheme.tones, TextRole.FRAME: Colour(self.scheme.foreground)}
        return Palette(self.scheme._replace(tones=tones), self.depth)

    def style(self, tone: TextRole) -> Style:
        """Return the style of a tone on the plain background."""
        return self.style_on(tone)

    def style_on(
        self,
        tone: TextRole,
        ground: GroundRole = GroundRole.NONE,
        overlay: OverlayRole = OverlayRole.NONE,
    ) -> Style:
        """Return the style of text in a tone, on a background with an overlay."""
        key = tone, ground, overlay
        style = self._styles.get(key)
        if style is None:
            style = self._styles[key] = self._create_style(*key)
        return style

    def _create_style(self, tone: TextRole, ground: GroundRole, overlay: OverlayRole) -> Style:
        if not self.has_backgrounds:
            table = _style_strings(self.scheme.name, self.depth)
            return Style.parse(table.get(tone, ""))
        scheme = self.scheme
        colour = scheme.tones.get(tone) or _selection_styles(scheme).get(tone, Colour())
        background = self._background(tone, colour, ground, overlay)
        foreground = scheme.foreground if colour.foreground is None else colour.foreground
        if colour.contrast:
            foreground = self._with_contrast(background, colour.contrast)
        return Style.parse(colour.attributes) + Style(
            color=self._to_terminal_colour(foreground), bgcolor=self._to_terminal_colour(background)
        )

    def _background(
        self, tone: TextRole, colour: Colour, ground_role: GroundRole, overlay: OverlayRole
    ) -> Rgb:
        """Return the background colour of text in a tone, as displayed by the terminal."""
        scheme, has_256_colours = self.scheme, self.depth is Depth.MANY
        is_colour_blind = scheme.name is ThemeName.COLOUR_BLIND
        if colour.background is not None:
            number = chip_colour(tone, is_colour_blind=is_colour_blind) if has_256_colours else None
            return colour.background if number is None else colour_of_number(number)
        default_ground = scheme.surface if ground_role is GroundRole.BAR else scheme.background
        ground = scheme.ground_colours.get(ground_role, default_ground)
        if has_256_colours:
            number = ground_colour(
                ground_role, overlay, is_dark=scheme.is_dark, is_colour_blind=is_colour_blind
            )
            if number is not None:
                return colour_of_number(number)
            number = ground_colour(
                ground_role,
                OverlayRole.NONE,
                is_dark=scheme.is_dark,
                is_colour_blind=is_colour_blind,
            )
            ground = ground if number is None else colour_of_number(number)
        return (
            mix(ground, *scheme.overlay_colours[overlay])
            if overlay is not OverlayRole.NONE
            else ground
        )

    def _with_contrast(self, background: Rgb, contrast: float) -> Rgb:
        """Return a text colour with the given contrast to a background.

        With 256 colours, return the faintest colour that differs from the background.
        """
        extreme_colour = (255, 255, 255) if self.scheme.is_dark else (0, 0, 0)
        if self.depth is Depth.TRUE:
            return mix(background, extreme_colour, contrast)
        # A faint mix is often rounded to the background colour itself, so try stronger mixes.
        ground = nearest_number(background)
        steps = (step / 100 for step in range(round(150 * contrast), 101, 5))
        candidates = (mix(background, extreme_colour, step) for step in steps)
        return next(
            (candidate for candidate in candidates if nearest_number(candidate) != ground),
            extreme_colour,
        )

    def _to_terminal_colour(self, colour: Rgb) -> Color:
        """Convert a colour to the terminal's colour depth."""
        if self.depth is Depth.TRUE:
            return Color.from_rgb(*colour)
        return Color.from_ansi(nearest_number(colour))


def _selection_styles(scheme: Scheme) -> Mapping[TextRole, Colour]:
    """Return the styles of the highlighted list line, with and without the focus."""
    dark_colour = scheme.background if scheme.is_dark else scheme.foreground
    return {
        TextRole.PICK: Colour(dark_colour, scheme.selection, attributes="bold"),
        TextRole.PICK_DULL: Colour(scheme.foreground, scheme.border),
    }


def _style_strings(name: ThemeName, depth: Depth) -> Mapping[TextRole, str]:
    if depth is Depth.NONE:
        return _MONOCHROME
    return _SIXTEEN_COLOUR_BLIND if name is ThemeName.COLOUR_BLIND else _SIXTEEN_COLOURS


def _theme(scheme: Scheme, depth: Depth) -> Theme:
    """Create a Textual theme with the scheme's colours.

    With 256 colours, each colour is rounded to the nearest available one.
    """

    def hex_code(colour: Rgb) -> str:
        shown_colour = colour if depth is Depth.TRUE else colour_of_number(nearest_number(colour))
        return "#" + "".join(f"{channel:02x}" for channel in shown_colour)

    background, foreground, border = (
        hex_code(scheme.background),
        hex_code(scheme.foreground),
        hex_code(scheme.border),
    )
    selection, dark_colour = (
        hex_code(scheme.selection),
        hex_code(scheme.background if scheme.is_dark else scheme.foreground),
    )
    return Theme(
        name=f"flagplot-{scheme.name}-{depth.name.lower()}",
        primary=hex_code(scheme.accent),
        secondary=hex_code(scheme.accent),
        accent=hex_code(scheme.accent),
        success=hex_code(scheme.good),
        warning=hex_code(scheme.warn),
        error=hex_code(scheme.bad),
        foreground=foreground,
        background=background,
        surface=background,
        panel=hex_code(scheme.surface),
        boost=background,
        dark=scheme.is_dark,
        variables={
            "border": hex_code(scheme.accent),
            "border-blurred": border,
            "block-cursor-foreground": dark_colour,
            "block-cursor-background": selection,
            "block-cursor-text-style": "bold",
            "block-cursor-blurred-foreground": foreground,
            "block-cursor-blurred-background": border,
            "block-cursor-blurred-text-style": "none",
            "block-hover-background": border,
            "input-cursor-background": selection,
            "input-cursor-foreground": dark_colour,
            "input-cursor-text-style": "none",
            "input-selection-background": border,
            "scrollbar": border,
            "scrollbar-hover": border,
            "scrollbar-active": hex_code(scheme.accent),
            "scrollbar-background": background,
            "scrollbar-background-hover": background,
            "scrollbar-background-active": background,
            "scrollbar-corner-color": background,
            "footer-background": hex_code(scheme.surface),
            "footer-key-foreground": hex_code(scheme.accent),
        },
    )


def _ansi_theme(scheme: Scheme, depth: Depth) -> Theme:
    """Create a Textual theme that keeps the terminal's own text and background colours."""
    default = "ansi_default"
    accent, good, warn, bad = default, default, default, default
    if depth is Depth.SIXTEEN:
        is_colour_blind = scheme.name is ThemeName.COLOUR_BLIND
        accent = "ansi_bright_blue" if is_colour_blind else "ansi_cyan"
        good = "ansi_bright_blue" if is_colour_blind else "ansi_green"
        warn, bad = "ansi_yellow", "ansi_bright_yellow" if is_colour_blind else "ansi_bright_red"
    # In monochrome, the output filter turns any background into reverse video.
    selection = "ansi_white" if accent == default else accent
    return Theme(
        name=f"flagplot-{scheme.name}-{depth.name.lower()}",
        ansi=True,
        primary=accent,
        secondary=accent,
        accent=accent,
        success=good,
        warning=warn,
        error=bad,
        foreground=default,
        background=default,
        surface=default,
        panel=default,
        boost=default,
        dark=True,
        variables={
            "border": accent,
            "border-blurred": default,
            "ansi-background": default,
            "ansi-foreground": default,
            "block-cursor-foreground": "ansi_black",
            "block-cursor-background": selection,
            "block-cursor-text-style": "none",
            "block-cursor-blurred-foreground": default,
            "block-cursor-blurred-background": default,
            "block-cursor-blurred-text-style": "bold",
            "block-hover-background": default,
            "input-cursor-background": selection,
            "input-cursor-foreground": "ansi_black",
            "input-cursor-text-style": "none",
            "input-selection-background": default,
            "input-selection-foreground": default,
            "scrollbar": default,
            "scrollbar-hover": default,
            "scrollbar-active": default,
            "scrollbar-background": default,
            "scrollbar-background-hover": default,
            "scrollbar-background-active": default,
            "scrollbar-corner-color": default,
            "screen-selection-background": default,
            "screen-selection-foreground": default,
            "footer-key-foreground": default,
        },
    )


@cache
def get_palette(name: ThemeName = ThemeName.DARK, depth: Depth = Depth.TRUE) -> Palette:
    """Return the palette of a theme for a colour depth."""
    return Palette(SCHEMES[name], depth)


PLAIN_PALETTE: Final = get_palette(ThemeName.DARK, Depth.NONE)
"""The palette without colours, for plain text."""

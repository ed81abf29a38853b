"""Maps tones, floors and tints to styles, depending on the theme and the terminal's colour depth."""

from collections.abc import Mapping
from functools import cache, cached_property
from typing import Final

from rich.color import Color
from rich.style import Style
from textual.theme import Theme

from tui.drawing.capabilities import Depth
from tui.drawing.colours import Colour, Rgb, Scheme, ThemeName, mix
from tui.drawing.palette_256 import chip_colour, ground_colour, nearest, shade
from tui.drawing.themes import SCHEMES
from tui.drawing.tones import CHIPS, GroundRole, OverlayRole, TextRole

_SIXTEEN: Final = {
    TextRole.GRID: "bright_black",
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
            CHIPS,
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
}
_SIXTEEN_COLOUR_BLIND: Final = _SIXTEEN | {
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
    TextRole.GOOD: "bright_blue",
    TextRole.BAD: "bold bright_yellow",
}
_MONOCHROME: Final = {
    TextRole.GRID: "dim",
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
    **dict.fromkeys(CHIPS, "reverse"),
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
        self.has_floors = depth >= Depth.MANY
        """True if background colours show the ground; otherwise only characters do."""
        self.theme = _theme(scheme, depth) if self.has_floors else _ansi_theme(scheme, depth)
        """Textual theme for the widgets around the map."""
        self._inks: dict[tuple[TextRole, GroundRole, OverlayRole], Style] = {}

    @cached_property
    def unfocused(self) -> "Palette":
        """The same palette with a plain frame, for a map without the focus."""
        if not self.has_floors:
            return self
        tones = {**self.scheme.tones, TextRole.FRAME: Colour(self.scheme.ink)}
        return Palette(self.scheme._replace(tones=tones), self.depth)

    def style(self, tone: TextRole) -> Style:
        """Return the style of a tone on the plain background."""
        return self.style_on(tone)

    def style_on(
        self,
        tone: TextRole,
        floor: GroundRole = GroundRole.NONE,
        tint: OverlayRole = OverlayRole.NONE,
    ) -> Style:
        """Return the style for a tone on a tinted floor."""
        key = tone, floor, tint
        known = self._inks.get(key)
        if known is None:
            known = self._inks[key] = self._mix(*key)
        return known

    def _mix(self, tone: TextRole, floor: GroundRole, tint: OverlayRole) -> Style:
        if not self.has_floors:
            table = _plain_table(self.scheme.name, self.depth)
            return Style.parse(table.get(tone, ""))
        scheme = self.scheme
        colour = scheme.tones.get(tone) or _bar(scheme).get(tone, Colour())
        paper = self._paper(tone, colour, floor, tint)
        ink = scheme.ink if colour.ink is None else colour.ink
        if colour.lift:
            ink = self._with_contrast(paper, colour.lift)
        return Style.parse(colour.attributes) + Style(
            color=self._to_terminal_colour(ink), bgcolor=self._to_terminal_colour(paper)
        )

    def _paper(self, tone: TextRole, colour: Colour, floor: GroundRole, tint: OverlayRole) -> Rgb:
        """Return the background of a tone on a floor, as the terminal displays it."""
        scheme, is_many = self.scheme, self.depth is Depth.MANY
        is_calm = scheme.name is ThemeName.COLOUR_BLIND
        if colour.paper is not None:
            number = chip_colour(tone, is_calm=is_calm) if is_many else None
            return colour.paper if number is None else shade(number)
        bare = scheme.surface if floor is GroundRole.BAR else scheme.paper
        ground = scheme.floors.get(floor, bare)
        if is_many:
            number = ground_colour(floor, tint, is_dark=scheme.is_dark, is_calm=is_calm)
            if number is not None:
                return shade(number)
            number = ground_colour(floor, OverlayRole.NONE, is_dark=scheme.is_dark, is_calm=is_calm)
            ground = ground if number is None else shade(number)
        return mix(ground, *scheme.washes[tint]) if tint is not OverlayRole.NONE else ground

    def _with_contrast(self, paper: Rgb, lift: float) -> Rgb:
        """Return a text colour with the given contrast to its background or, with few colours, any different colour."""
        end = (255, 255, 255) if self.scheme.is_dark else (0, 0, 0)
        if self.depth is Depth.TRUE:
            return mix(paper, end, lift)
        ground = nearest(paper)
        steps = (step / 100 for step in range(round(150 * lift), 101, 5))
        inks = (mix(paper, end, step) for step in steps)
        return next((ink for ink in inks if nearest(ink) != ground), end)

    def _to_terminal_colour(self, colour: Rgb) -> Color:
        """Convert a colour to the terminal's colour depth."""
        if self.depth is Depth.TRUE:
            return Color.from_rgb(*colour)
        return Color.from_ansi(nearest(colour))


def _bar(scheme: Scheme) -> Mapping[TextRole, Colour]:
    """Return the styles of the highlighted list line, with and without the focus."""
    dark = scheme.paper if scheme.is_dark else scheme.ink
    return {
        TextRole.PICK: Colour(dark, scheme.bar, attributes="bold"),
        TextRole.PICK_DULL: Colour(scheme.ink, scheme.line),
    }


def _plain_table(name: ThemeName, depth: Depth) -> Mapping[TextRole, str]:
    if depth is Depth.NONE:
        return _MONOCHROME
    return _SIXTEEN_COLOUR_BLIND if name is ThemeName.COLOUR_BLIND else _SIXTEEN


def _theme(scheme: Scheme, depth: Depth) -> Theme:
    """Create a Textual theme with the scheme's colours, rounded to the nearest of 256 if necessary."""

    def _hex(colour: Rgb) -> str:
        shown = colour if depth is Depth.TRUE else shade(nearest(colour))
        return "#" + "".join(f"{part:02x}" for part in shown)

    paper, ink, line = _hex(scheme.paper), _hex(scheme.ink), _hex(scheme.line)
    bar, dark = _hex(scheme.bar), _hex(scheme.paper if scheme.is_dark else scheme.ink)
    return Theme(
        name=f"flagplot-{scheme.name}-{depth.name.lower()}",
        primary=_hex(scheme.accent),
        secondary=_hex(scheme.accent),
        accent=_hex(scheme.accent),
        success=_hex(scheme.good),
        warning=_hex(scheme.warn),
        error=_hex(scheme.bad),
        foreground=ink,
        background=paper,
        surface=paper,
        panel=_hex(scheme.surface),
        boost=paper,
        dark=scheme.is_dark,
        variables={
            "border": _hex(scheme.accent),
            "border-blurred": line,
            "block-cursor-foreground": dark,
            "block-cursor-background": bar,
            "block-cursor-text-style": "bold",
            "block-cursor-blurred-foreground": ink,
            "block-cursor-blurred-background": line,
            "block-cursor-blurred-text-style": "none",
            "block-hover-background": line,
            "input-cursor-background": bar,
            "input-cursor-foreground": dark,
            "input-cursor-text-style": "none",
            "input-selection-background": line,
            "scrollbar": line,
            "scrollbar-hover": line,
            "scrollbar-active": _hex(scheme.accent),
            "scrollbar-background": paper,
            "scrollbar-background-hover": paper,
            "scrollbar-background-active": paper,
            "scrollbar-corner-color": paper,
            "footer-background": _hex(scheme.surface),
            "footer-key-foreground": _hex(scheme.accent),
        },
    )


def _ansi_theme(scheme: Scheme, depth: Depth) -> Theme:
    """Create a Textual theme that keeps the terminal's own text and background colours."""
    plain = "ansi_default"
    accent, good, warn, bad = plain, plain, plain, plain
    if depth is Depth.SIXTEEN:
        is_colour_blind = scheme.name is ThemeName.COLOUR_BLIND
        accent = "ansi_bright_blue" if is_colour_blind else "ansi_cyan"
        good = "ansi_bright_blue" if is_colour_blind else "ansi_green"
        warn, bad = "ansi_yellow", "ansi_bright_yellow" if is_colour_blind else "ansi_bright_red"
    # the output filter turns white into reverse video
    bar = "ansi_white" if accent == plain else accent
    return Theme(
        name=f"flagplot-{scheme.name}-{depth.name.lower()}",
        ansi=True,
        primary=accent,
        secondary=accent,
        accent=accent,
        success=good,
        warning=warn,
        error=bad,
        foreground=plain,
        background=plain,
        surface=plain,
        panel=plain,
        boost=plain,
        dark=True,
        variables={
            "border": accent,
            "border-blurred": plain,
            "ansi-background": plain,
            "ansi-foreground": plain,
            "block-cursor-foreground": "ansi_black",
            "block-cursor-background": bar,
            "block-cursor-text-style": "none",
            "block-cursor-blurred-foreground": plain,
            "block-cursor-blurred-background": plain,
            "block-cursor-blurred-text-style": "bold",
            "block-hover-background": plain,
            "input-cursor-background": bar,
            "input-cursor-foreground": "ansi_black",
            "input-cursor-text-style": "none",
            "input-selection-background": plain,
            "input-selection-foreground": plain,
            "scrollbar": plain,
            "scrollbar-hover": plain,
            "scrollbar-active": plain,
            "scrollbar-background": plain,
            "scrollbar-background-hover": plain,
            "scrollbar-background-active": plain,
            "scrollbar-corner-color": plain,
            "screen-selection-background": plain,
            "screen-selection-foreground": plain,
            "footer-key-foreground": plain,
        },
    )


@cache
def get_palette(name: ThemeName = ThemeName.DARK, depth: Depth = Depth.TRUE) -> Palette:
    """Return the palette of a theme for a colour depth."""
    return Palette(SCHEMES[name], depth)


PLAIN: Final = get_palette(ThemeName.DARK, Depth.NONE)
"""A palette without colours, for plain text."""

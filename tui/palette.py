"""Maps tones, floors and tints to styles, depending on the theme and the terminal's colours."""

from collections.abc import Mapping
from functools import cache, cached_property
from typing import Final

from rich.color import Color
from rich.style import Style
from textual.theme import Theme

from tui.colours import Colour, Rgb, Scheme, ThemeName, mixed
from tui.shades import chip_of, ground_of, nearest, shade
from tui.terminal import Depth
from tui.themes import SCHEMES
from tui.tones import CHIPS, Floor, Tint, Tone

_SIXTEEN: Final = {
    Tone.GRID: "bright_black",
    Tone.SEA: "blue",
    Tone.LAND: "green",
    Tone.ROUGH: "yellow",
    Tone.SIDE_ONE: "bold bright_cyan",
    Tone.SIDE_TWO: "bold bright_red",
    Tone.SHADE_ONE: "cyan",
    Tone.SHADE_TWO: "red",
    Tone.REACH: "bold bright_green",
    Tone.PATH: "bold bright_yellow",
    Tone.TARGET: "bold bright_magenta",
    Tone.SELECTED: "bold bright_white",
    Tone.CURSOR: "bold reverse",
    Tone.CHIP_ONE: "bold bright_white on blue",
    Tone.CHIP_TWO: "bold bright_white on red",
    Tone.CHIP_NEUTRAL: "black on white",
    Tone.ALERT: "bold black on bright_yellow",
    Tone.SCAN: "bright_green",
    Tone.SCAN_FAR: "green",
    Tone.ZONE: "yellow",
    Tone.RING_ONE: "bold bright_cyan",
    Tone.RING_TWO: "bold bright_red",
    Tone.RING_NEUTRAL: "bold bright_white",
    Tone.TRACK: "bold bright_yellow",
    Tone.CITY: "bold",
    Tone.BASE: "yellow",
    Tone.TEXTURE: "bright_black",
    Tone.FRAME: "bold bright_yellow",
    Tone.CHIP_ONE_ACTIVE: "bold black on bright_cyan",
    Tone.CHIP_TWO_ACTIVE: "bold black on bright_red",
    Tone.HOLLOW_ONE: "cyan",
    Tone.HOLLOW_TWO: "red",
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
    Tone.DIM: "bright_black",
    Tone.HEAD: "bold",
    Tone.KEY: "bold bright_yellow",
    Tone.GOOD: "bright_green",
    Tone.WARN: "bright_yellow",
    Tone.BAD: "bold bright_red",
    Tone.BADGE: "black on bright_yellow",
    Tone.STEP: "bold bright_cyan",
    Tone.CARD_DIM: "bright_black",
    Tone.CARD_TITLE: "bold",
    Tone.CARD_WAR: "bold bright_white on red",
    Tone.CARD_MEANS: "black on green",
    Tone.CARD_POLICY: "bold bright_white on magenta",
    Tone.CARD_SEA: "bold bright_white on blue",
    Tone.CARD_LAND: "black on yellow",
    Tone.CARD_OTHER: "black on white",
    Tone.CARD_LIT: "bold black on bright_green",
    Tone.PICK: "black on bright_green",
    Tone.PICK_DULL: "bold",
    Tone.CHIP_WORKED: "cyan",
    Tone.CHIP_READY: "bold bright_cyan",
    Tone.CHIP_SPENT: "yellow",
    Tone.CHIP_FLIGHT: "black on cyan",
}
_SIXTEEN_COLOUR_BLIND: Final = _SIXTEEN | {
    Tone.SEA: "bright_black",
    Tone.LAND: "white",
    Tone.ROUGH: "white",
    Tone.SIDE_ONE: "bold bright_blue",
    Tone.SIDE_TWO: "bold bright_yellow",
    Tone.SHADE_ONE: "blue",
    Tone.SHADE_TWO: "yellow",
    Tone.REACH: "bold bright_white",
    Tone.PATH: "bold bright_white",
    Tone.TARGET: "bold bright_white",
    Tone.CHIP_TWO: "bold black on yellow",
    Tone.ALERT: "bold black on bright_white",
    Tone.SCAN: "bright_white",
    Tone.SCAN_FAR: "white",
    Tone.RING_ONE: "bold bright_blue",
    Tone.RING_TWO: "bold bright_yellow",
    Tone.CHIP_ONE_ACTIVE: "bold black on bright_blue",
    Tone.CHIP_TWO_ACTIVE: "bold black on bright_yellow",
    Tone.HOLLOW_ONE: "blue",
    Tone.HOLLOW_TWO: "yellow",
    Tone.GOOD: "bright_blue",
    Tone.BAD: "bold bright_yellow",
}
_MONOCHROME: Final = {
    Tone.GRID: "dim",
    Tone.SEA: "dim",
    Tone.SIDE_TWO: "bold",
    Tone.REACH: "bold",
    Tone.PATH: "bold",
    Tone.TARGET: "bold",
    Tone.SELECTED: "bold",
    Tone.CURSOR: "bold reverse",
    Tone.CHIP_ONE: "reverse",
    Tone.CHIP_TWO: "bold reverse",
    Tone.CHIP_NEUTRAL: "reverse",
    Tone.ALERT: "bold underline reverse",
    Tone.SCAN_FAR: "dim",
    Tone.ZONE: "dim",
    Tone.RING_ONE: "bold",
    Tone.RING_TWO: "bold",
    Tone.RING_NEUTRAL: "bold",
    Tone.TRACK: "bold",
    Tone.CITY: "bold",
    Tone.TEXTURE: "dim",
    Tone.FRAME: "bold",
    Tone.CHIP_ONE_ACTIVE: "underline reverse",
    Tone.CHIP_TWO_ACTIVE: "bold underline reverse",
    Tone.HOLLOW_TWO: "bold",
    **dict.fromkeys(CHIPS, "reverse"),
    Tone.DIM: "dim",
    Tone.HEAD: "bold",
    Tone.KEY: "bold",
    Tone.WARN: "bold",
    Tone.BAD: "bold",
    Tone.BADGE: "reverse",
    Tone.STEP: "bold",
    Tone.CARD_DIM: "dim",
    Tone.CARD_TITLE: "bold",
    Tone.CARD_LIT: "reverse",
    Tone.PICK: "reverse",
    Tone.PICK_DULL: "bold",
    Tone.CHIP_READY: "bold",
    Tone.CHIP_FLIGHT: "reverse",
}


class Palette:
    """All styles for one theme and colour depth."""

    def __init__(self, scheme: Scheme, depth: Depth) -> None:
        """Create the palette; styles are computed when they are first used.

        Args:
            scheme: The colours of the theme.
            depth: Number of colours of the terminal.
        """
        self.scheme = scheme
        self.depth = depth
        self.has_floors = depth >= Depth.MANY
        """Whether backgrounds paint the ground; otherwise only characters show it."""
        self.theme = _theme(scheme, depth) if self.has_floors else _ansi_theme(scheme, depth)
        """Textual theme for the widgets around the map."""
        self._inks: dict[tuple[Tone, Floor, Tint], Style] = {}

    @cached_property
    def resting(self) -> "Palette":
        """The same palette with a plain frame, for a map that does not have the focus."""
        if not self.has_floors:
            return self
        tones = {**self.scheme.tones, Tone.FRAME: Colour(self.scheme.ink)}
        return Palette(self.scheme._replace(tones=tones), self.depth)

    def style(self, tone: Tone) -> Style:
        """Return the style of a tone on the plain screen."""
        return self.ink(tone)

    def ink(self, tone: Tone, floor: Floor = Floor.NONE, tint: Tint = Tint.NONE) -> Style:
        """Return the style of a tone on a floor with a tint."""
        key = tone, floor, tint
        known = self._inks.get(key)
        if known is None:
            known = self._inks[key] = self._mix(*key)
        return known

    def _mix(self, tone: Tone, floor: Floor, tint: Tint) -> Style:
        if not self.has_floors:
            table = _plain_table(self.scheme.name, self.depth)
            return Style.parse(table.get(tone, ""))
        scheme = self.scheme
        colour = scheme.tones.get(tone) or _bar(scheme).get(tone, Colour())
        paper = self._paper(tone, colour, floor, tint)
        ink = scheme.ink if colour.ink is None else colour.ink
        if colour.lift:
            ink = self._lifted(paper, colour.lift)
        return Style.parse(colour.attributes) + Style(
            color=self._sent(ink), bgcolor=self._sent(paper)
        )

    def _paper(self, tone: Tone, colour: Colour, floor: Floor, tint: Tint) -> Rgb:
        """Return the background of a tone on a floor, as the terminal shows it."""
        scheme, is_many = self.scheme, self.depth is Depth.MANY
        is_calm = scheme.name is ThemeName.COLOUR_BLIND
        if colour.paper is not None:
            number = chip_of(tone, is_calm=is_calm) if is_many else None
            return colour.paper if number is None else shade(number)
        bare = scheme.surface if floor is Floor.BAR else scheme.paper
        ground = scheme.floors.get(floor, bare)
        if is_many:
            number = ground_of(floor, tint, is_dark=scheme.is_dark, is_calm=is_calm)
            if number is not None:
                return shade(number)
            number = ground_of(floor, Tint.NONE, is_dark=scheme.is_dark, is_calm=is_calm)
            ground = ground if number is None else shade(number)
        return mixed(ground, *scheme.washes[tint]) if tint is not Tint.NONE else ground

    def _lifted(self, paper: Rgb, lift: float) -> Rgb:
        """Return a text colour with this contrast to its background; with few colours, one that differs at all."""
        end = (255, 255, 255) if self.scheme.is_dark else (0, 0, 0)
        if self.depth is Depth.TRUE:
            return mixed(paper, end, lift)
        ground = nearest(paper)
        steps = (step / 100 for step in range(round(150 * lift), 101, 5))
        inks = (mixed(paper, end, step) for step in steps)
        return next((ink for ink in inks if nearest(ink) != ground), end)

    def _sent(self, colour: Rgb) -> Color:
        """Convert a colour for the terminal's colour depth."""
        if self.depth is Depth.TRUE:
            return Color.from_rgb(*colour)
        return Color.from_ansi(nearest(colour))


def _bar(scheme: Scheme) -> Mapping[Tone, Colour]:
    """Return the styles of the highlighted list line, with and without the focus."""
    dark = scheme.paper if scheme.is_dark else scheme.ink
    return {
        Tone.PICK: Colour(dark, scheme.bar, attributes="bold"),
        Tone.PICK_DULL: Colour(scheme.ink, scheme.line),
    }


def _plain_table(name: ThemeName, depth: Depth) -> Mapping[Tone, str]:
    if depth is Depth.NONE:
        return _MONOCHROME
    return _SIXTEEN_COLOUR_BLIND if name is ThemeName.COLOUR_BLIND else _SIXTEEN


def _theme(scheme: Scheme, depth: Depth) -> Theme:
    """Create a Textual theme in the scheme's colours, rounded to the nearest of 256 if necessary."""

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
    """Create a Textual theme that keeps the terminal's own foreground and background."""
    plain = "ansi_default"
    accent, good, warn, bad = plain, plain, plain, plain
    if depth is Depth.SIXTEEN:
        is_colour_blind = scheme.name is ThemeName.COLOUR_BLIND
        accent = "ansi_bright_blue" if is_colour_blind else "ansi_cyan"
        good = "ansi_bright_blue" if is_colour_blind else "ansi_green"
        warn, bad = "ansi_yellow", "ansi_bright_yellow" if is_colour_blind else "ansi_bright_red"
    bar = "ansi_white" if accent == plain else accent  # the gate turns white into reverse video
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
def palette_of(name: ThemeName = ThemeName.DARK, depth: Depth = Depth.TRUE) -> Palette:
    """Return the palette of a theme for a colour depth."""
    return Palette(SCHEMES[name], depth)


PLAIN: Final = palette_of(ThemeName.DARK, Depth.NONE)
"""A palette without any colours, for text."""

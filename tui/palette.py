"""Colours and attributes by meaning; 16 colours at most, and never the only carrier of a meaning."""

from collections.abc import Mapping
from typing import Final

import msgspec
from rich.style import Style
from textual.theme import Theme

from tui.terminal import PaletteName
from tui.tones import Tone


class Palette(msgspec.Struct, frozen=True):
    """One way to paint all tones."""

    name: PaletteName
    styles: tuple[Style, ...]
    """One style per tone, in the order of `Tone`."""
    theme: Theme
    """Textual theme of the widgets around the map."""

    def style(self, tone: Tone) -> Style:
        """Return the style of a tone."""
        return self.styles[tone]


def _styles(table: Mapping[Tone, str]) -> tuple[Style, ...]:
    return tuple(Style.parse(table.get(tone, "")) for tone in Tone)


_COLOUR: Final = {
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
}
_COLOUR_BLIND: Final = {
    Tone.GRID: "bright_black",
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
    Tone.SELECTED: "bold bright_white",
    Tone.CURSOR: "bold reverse",
    Tone.CHIP_ONE: "bold bright_white on blue",
    Tone.CHIP_TWO: "bold black on yellow",
    Tone.CHIP_NEUTRAL: "black on white",
    Tone.ALERT: "bold black on bright_white",
    Tone.SCAN: "bright_white",
    Tone.SCAN_FAR: "white",
    Tone.ZONE: "yellow",
    Tone.RING_ONE: "bold bright_blue",
    Tone.RING_TWO: "bold bright_yellow",
    Tone.RING_NEUTRAL: "bold bright_white",
    Tone.TRACK: "bold bright_yellow",
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
}


def _theme(name: PaletteName, accent: str, good: str, warn: str, bad: str) -> Theme:
    """Return a theme that leaves the terminal's own foreground and background alone."""
    plain = "ansi_default"
    bar = "ansi_white" if accent == plain else accent  # the gate turns it into reverse video
    return Theme(
        name=f"flagplot-{name}",
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


PALETTES: Final = {
    PaletteName.COLOUR: Palette(
        PaletteName.COLOUR,
        _styles(_COLOUR),
        _theme(PaletteName.COLOUR, "ansi_cyan", "ansi_green", "ansi_yellow", "ansi_bright_red"),
    ),
    PaletteName.COLOUR_BLIND: Palette(
        PaletteName.COLOUR_BLIND,
        _styles(_COLOUR_BLIND),
        _theme(
            PaletteName.COLOUR_BLIND,
            "ansi_bright_blue",
            "ansi_bright_blue",
            "ansi_yellow",
            "ansi_bright_yellow",
        ),
    ),
    PaletteName.MONOCHROME: Palette(
        PaletteName.MONOCHROME,
        _styles(_MONOCHROME),
        _theme(PaletteName.MONOCHROME, *["ansi_default"] * 4),
    ),
}

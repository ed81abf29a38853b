"""The last filter before the terminal. It replaces control characters and, in ASCII mode, all non-ASCII characters."""

import re
from functools import lru_cache
from typing import Any, Final

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter
from typing_extensions import override

from tui.terminal.sanitising import REPLACEMENT

# Control codes, and characters that reorder text or have zero width. They could disguise a name or
# shift the text after it.
_UNSAFE_CHARACTERS: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff]"
)
_OPTION_META_KEY: Final = "option"
"""Metadata key that Textual's option list uses to store a character's line."""
# Each replacement is one character, so that the layout does not change.
_LOOKALIKES: Final = {
    **dict.fromkeys("─━═╌┄▔▁╴╶╸╺‐‑‒–—―", "-"),
    **dict.fromkeys("│┃║╎┆▏▕▎▍▌▐▊▋", "|"),
    **dict.fromkeys("┌┐└┘├┤┬┴┼╭╮╰╯╔╗╚╝╠╣╦╩╬┏┓┗┛", "+"),
    **dict.fromkeys("▀▄█▇▆▅▃▂░▒▓▪●•▮", "#"),
    **dict.fromkeys("▯", "."),
    **dict(zip("○☀◐☾", "oo-*", strict=True)),
    **dict.fromkeys("→▶▸❯›", ">"),
    **dict.fromkeys("←◀◂❮‹", "<"),
    **dict.fromkeys("↑▴", "^"),
    **dict(zip("▲◆■★", "nagH", strict=True)),
    **dict.fromkeys("↓▼▾", "v"),
    **dict(zip("╱╲╳╏╍┋┉┇┅", '/\\X!=""%~', strict=True)),
    **dict(zip("↖↗↘↙", "`'.,", strict=True)),
    **dict.fromkeys("‘’‚´", "'"),
    **dict.fromkeys("“”„", '"'),
    "…": ".",
    "¶": "&",
    "·": ".",
    "×": "x",
    "✓": "x",
    "\u00a0": " ",
}


@lru_cache(4096)
def to_ascii(text: str) -> str:
    """Return the text in ASCII, with the same width."""
    pieces = []
    for character in text:
        if character.isascii():
            pieces.append(character)
        else:
            pieces.append(
                _LOOKALIKES.get(character) or _base_letter(character) * cell_len(character)
            )
    return "".join(pieces)


def _base_letter(character: str) -> str:
    import unicodedata

    base = unicodedata.normalize("NFD", character)[0]
    return base if base.isascii() else REPLACEMENT


@lru_cache(1024)
def _minimal_style(style: Style, *, monochrome: bool) -> Style | None:
    """Return the equivalent style that needs the fewest codes; None if the style needs no codes.

    The terminal's default colours need no codes. Without colours, a coloured background becomes reverse video.
    """
    colour = None if style.color is None or style.color.is_default else style.color
    background = None if style.bgcolor is None or style.bgcolor.is_default else style.bgcolor
    is_reverse = bool(style.reverse)
    if monochrome:
        is_reverse = is_reverse or background is not None
        colour = background = None
    bold, dim, underline = bool(style.bold), bool(style.dim), bool(style.underline)
    meta = _meta(style)
    if not (colour or background or bold or dim or underline or is_reverse or meta):
        return None
    return Style(
        color=colour,
        bgcolor=background,
        bold=bold or None,
        dim=dim or None,
        underline=underline or None,
        reverse=is_reverse or None,
        meta=meta,
    )


def _meta(style: Style) -> dict[str, Any] | None:
    """Return the part of the metadata that Textual's option list uses to find the line under the mouse, or None."""
    return {key: value for key, value in style.meta.items() if key == _OPTION_META_KEY} or None


def _shows_blanks(style: Style | None) -> bool:
    """Return whether a blank in this style looks different from an unstyled blank."""
    return style is not None and bool(style.bgcolor or style.reverse or style.underline)


class OutputFilter(LineFilter):
    """Passes only safe text to the terminal, in as few bytes as possible. Every line drawn goes through this filter.

    It replaces control characters and anything that the terminal cannot show, drops codes without effect, and joins
    adjacent segments that look alike.
    """

    def __init__(self, *, ascii_only: bool, monochrome: bool) -> None:
        super().__init__()
        self.ascii_only = ascii_only
        self.monochrome = monochrome

    def _safe_text(self, text: str) -> str:
        if text.isascii() and text.isprintable():
            return text
        text = _UNSAFE_CHARACTERS.sub(REPLACEMENT, text)
        return to_ascii(text) if self.ascii_only else text

    @override
    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return segments with safe text and the same appearance."""
        del background
        filtered_segments: list[Segment] = []
        run, run_style = "", None
        for text, style, control in segments:
            if control:
                continue
            minimal_style = _minimal_style(style, monochrome=self.monochrome) if style else None
            is_invisible = (
                text.isspace() and not _shows_blanks(minimal_style) and not _shows_blanks(run_style)
            )
            if minimal_style == run_style or (is_invisible and run):
                run += self._safe_text(text)
                continue
            if run:
                filtered_segments.append(Segment(run, run_style))
            run, run_style = self._safe_text(text), minimal_style
        if run:
            filtered_segments.append(Segment(run, run_style))
        return filtered_segments

"""Writes styled text with as few escape codes as possible (robustness S6)."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from rich.color import ColorSystem
from rich.style import Style

Cell = tuple[str, Style | None]
"""Text and style of a cell. The right half of a wide character has empty text."""
_END: Final = "\x1b[0m"


class SgrStyle(NamedTuple):
    """The appearance of text, as terminal codes."""

    colour: str
    """Codes for the text colour; empty for the terminal's default."""
    paper: str
    attributes: frozenset[str]

    @property
    def codes(self) -> str:
        """All codes, joined by semicolons."""
        return ";".join(
            code for code in (*sorted(self.attributes), self.colour, self.paper) if code
        )


_PLAIN: Final = SgrStyle("", "", frozenset())
_BOLD: Final = frozenset({"1", "2"})
_OFF: Final = {"1": "22", "2": "22", "3": "23", "4": "24", "7": "27", "9": "29"}


@lru_cache(4096)
def _sgr_style(style: Style | None, colours: ColorSystem) -> SgrStyle:
    if style is None:
        return _PLAIN
    words = (style.bold, style.dim, style.italic, style.underline, style.reverse, style.strike)
    attributes = frozenset(code for code, is_on in zip(_OFF, words, strict=True) if is_on)
    colour = paper = ""
    if style.color is not None and not style.color.is_default:
        colour = ";".join(style.color.downgrade(colours).get_ansi_codes())
    if style.bgcolor is not None and not style.bgcolor.is_default:
        paper = ";".join(style.bgcolor.downgrade(colours).get_ansi_codes(foreground=False))
    return SgrStyle(colour, paper, attributes)


@lru_cache(8192)
def _transition_codes(before: SgrStyle, after: SgrStyle, *, is_modern: bool) -> str:
    """Return the codes that switch from one style to another, or a full reset if that is shorter.

    Args:
        before: The current style.
        after: The new style.
        is_modern: True if the terminal can switch off individual attributes.
    """
    whole = f"\x1b[0;{after.codes}m" if after.codes else _END
    gone = before.attributes - after.attributes
    if gone and not is_modern:
        return whole
    codes = sorted({_OFF[code] for code in gone})
    # code 22 switches off both bold and dim, so whichever is still wanted must be set again
    new = after.attributes if gone & _BOLD else after.attributes - before.attributes
    codes += sorted(new)
    if before.colour != after.colour:
        codes.append(after.colour or "39")
    if before.paper != after.paper:
        codes.append(after.paper or "49")
    part = f"\x1b[{';'.join(codes)}m" if codes else ""
    return part if len(part) < len(whole) else whole


@lru_cache(4096)
def _blank_appearance(style: Style | None) -> tuple[object, ...]:
    """Return the parts of a style that are visible on a blank."""
    if style is None:
        return (None, False, False, False)
    paper = None if style.bgcolor is None or style.bgcolor.is_default else style.bgcolor
    shown = bool(style.underline), bool(style.reverse), bool(style.strike)
    return (paper, *shown, style.color) if any(shown) else (paper, *shown)


def is_same_blank(one: Cell, other: Cell) -> bool:
    """Return whether two cells are blanks that look alike, even if their text colours differ."""
    return one[0] == other[0] == " " and _blank_appearance(one[1]) == _blank_appearance(other[1])


class AnsiWriter:
    """Collects output for the terminal."""

    def __init__(self, colours: ColorSystem) -> None:
        self._colours = colours
        # 16-colour terminals may be too old to switch off individual attributes
        self._is_modern = colours not in (ColorSystem.STANDARD, ColorSystem.WINDOWS)
        self._ink = _PLAIN
        self._style: Style | None = None
        self._pieces: list[str] = []

    def move_to(self, line: int, column: int) -> None:
        """Move the cursor to a cell, counted from 0."""
        self._pieces.append(f"\x1b[{line + 1};{column + 1}H")

    def write(self, cells: Sequence[Cell]) -> None:
        """Write cells. A blank is written in the current style if it looks the same that way."""
        pieces = self._pieces
        for letter, style in cells:
            if style is not self._style and not (
                letter == " " and _blank_appearance(style) == _blank_appearance(self._style)
            ):
                self._switch_style(style)
            pieces.append(letter)

    def _switch_style(self, style: Style | None) -> None:
        ink = _sgr_style(style, self._colours)
        if ink != self._ink:
            self._pieces.append(_transition_codes(self._ink, ink, is_modern=self._is_modern))
            self._ink = ink
        self._style = style

    def text(self) -> str:
        """Return all the output, ending with a switch back to the terminal's default style."""
        if self._ink != _PLAIN:
            self._pieces.append(_END)
            self._ink, self._style = _PLAIN, None
        return "".join(self._pieces)

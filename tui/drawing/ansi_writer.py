"""Writes styled text with as few escape codes as possible (robustness S6)."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from rich.color import ColorSystem
from rich.style import Style

Cell = tuple[str, Style | None]
"""Text and style of a cell. The right half of a wide character is a cell with empty text."""
_RESET: Final = "\x1b[0m"


class SgrStyle(NamedTuple):
    """A text style as SGR codes, which are numbers that set a terminal's colours and attributes."""

    colour: str
    """Codes for the text colour; empty for the terminal's default."""
    background: str
    attributes: frozenset[str]

    @property
    def codes(self) -> str:
        """All codes, joined by semicolons."""
        return ";".join(
            code for code in (*sorted(self.attributes), self.colour, self.background) if code
        )


_DEFAULT_STYLE: Final = SgrStyle("", "", frozenset())
_INTENSITY_CODES: Final = frozenset({"1", "2"})
_OFF_CODES: Final = {"1": "22", "2": "22", "3": "23", "4": "24", "7": "27", "9": "29"}


@lru_cache(4096)
def _sgr_style(style: Style | None, colours: ColorSystem) -> SgrStyle:
    if style is None:
        return _DEFAULT_STYLE
    flags = (style.bold, style.dim, style.italic, style.underline, style.reverse, style.strike)
    attributes = frozenset(code for code, is_on in zip(_OFF_CODES, flags, strict=True) if is_on)
    colour = background = ""
    if style.color is not None and not style.color.is_default:
        colour = ";".join(style.color.downgrade(colours).get_ansi_codes())
    if style.bgcolor is not None and not style.bgcolor.is_default:
        background = ";".join(style.bgcolor.downgrade(colours).get_ansi_codes(foreground=False))
    return SgrStyle(colour, background, attributes)


@lru_cache(8192)
def _transition_codes(
    old_style: SgrStyle, new_style: SgrStyle, *, can_clear_attributes: bool
) -> str:
    """Return the codes that switch from one style to another, or a full reset and the new style if that is shorter.

    Args:
        old_style: The current style.
        new_style: The new style.
        can_clear_attributes: True if the terminal can switch off individual attributes.
    """
    reset_sequence = f"\x1b[0;{new_style.codes}m" if new_style.codes else _RESET
    removed_attributes = old_style.attributes - new_style.attributes
    if removed_attributes and not can_clear_attributes:
        return reset_sequence
    codes = sorted({_OFF_CODES[code] for code in removed_attributes})
    # code 22 switches off both bold and dim, so an attribute that is still wanted must be set again
    added_attributes = (
        new_style.attributes
        if removed_attributes & _INTENSITY_CODES
        else new_style.attributes - old_style.attributes
    )
    codes += sorted(added_attributes)
    if old_style.colour != new_style.colour:
        codes.append(new_style.colour or "39")
    if old_style.background != new_style.background:
        codes.append(new_style.background or "49")
    sequence = f"\x1b[{';'.join(codes)}m" if codes else ""
    return sequence if len(sequence) < len(reset_sequence) else reset_sequence


@lru_cache(4096)
def _visible_on_blank(style: Style | None) -> tuple[object, ...]:
    """Return the parts of a style that are visible on a blank."""
    if style is None:
        return (None, False, False, False)
    background = None if style.bgcolor is None or style.bgcolor.is_default else style.bgcolor
    decorations = bool(style.underline), bool(style.reverse), bool(style.strike)
    return (
        # Underlines, strikethrough and reverse video show the text colour, which a plain blank does
        # not.
        (background, *decorations, style.color) if any(decorations) else (background, *decorations)
    )


def is_same_blank(first_cell: Cell, second_cell: Cell) -> bool:
    """Return whether two cells are blanks that look alike, even if their text colours differ."""
    return first_cell[0] == second_cell[0] == " " and _visible_on_blank(
        first_cell[1]
    ) == _visible_on_blank(second_cell[1])


class AnsiWriter:
    """Collects terminal output and tracks the style that is in effect."""

    def __init__(self, colours: ColorSystem) -> None:
        self._colours = colours
        # a 16-colour terminal may be too old to switch off individual attributes
        self._can_clear_attributes = colours not in (ColorSystem.STANDARD, ColorSystem.WINDOWS)
        self._sgr = _DEFAULT_STYLE
        self._style: Style | None = None
        self._pieces: list[str] = []

    def move_to(self, line: int, column: int) -> None:
        """Move the cursor to a cell, counted from 0."""
        self._pieces.append(f"\x1b[{line + 1};{column + 1}H")

    def write(self, cells: Sequence[Cell]) -> None:
        """Write cells. The style is not switched for a blank that looks the same in the current style."""
        pieces = self._pieces
        for character, style in cells:
            # Neighbouring cells usually share a style object, so most cells need only this identity
            # check.
            if style is not self._style and not (
                character == " " and _visible_on_blank(style) == _visible_on_blank(self._style)
            ):
                self._switch_style(style)
            pieces.append(character)

    def _switch_style(self, style: Style | None) -> None:
        sgr = _sgr_style(style, self._colours)
        if sgr != self._sgr:
            self._pieces.append(
                _transition_codes(self._sgr, sgr, can_clear_attributes=self._can_clear_attributes)
            )
            self._sgr = sgr
        self._style = style

    def text(self) -> str:
        """Return all the output. It ends with a switch back to the terminal's default style."""
        if self._sgr != _DEFAULT_STYLE:
            self._pieces.append(_RESET)
            self._sgr, self._style = _DEFAULT_STYLE, None
        return "".join(self._pieces)

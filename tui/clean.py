"""Foreign text fit for a screen: what `netplay.cleaning` leaves of it, with marks for the rest, cut to a width.

What leaves this module is safe to print on any terminal; it must still be shown as plain text, never as markup
(`safe` does both).
"""

from typing import Final

from rich.cells import cell_len
from textual.content import Content

from netplay.cleaning import RAW_FACTOR, visible, visible_lines

MARKER: Final = "?"
"""Stands where something was taken out, so that two different names never look alike by omission."""
LINE_CELLS: Final = 200
"""Cells kept of one line unless the caller says otherwise."""
TEXT_LINES: Final = 200
"""Lines kept of a text unless the caller says otherwise."""
_CUT: Final = "..."


def _cut(text: str, cells: int) -> str:
    """Return the text shortened to a width, with three dots when something was cut."""
    if cell_len(text) <= cells:
        return text
    room = max(cells - len(_CUT), 0)
    width = 0
    for place, letter in enumerate(text):
        width += cell_len(letter)
        if width > room:
            return text[:place] + _CUT[:cells]
    return text


def clean(text: str, cells: int = LINE_CELLS) -> str:
    """Return one line that is safe to show; line breaks become blanks.

    Args:
        text: Anything at all, lone surrogates included.
        cells: Greatest width of the result in terminal cells.
    """
    raw = text[: cells * RAW_FACTOR]
    shown = visible(raw, MARKER)
    return _cut(shown + _CUT if len(raw) < len(text) else shown, cells)


def clean_lines(text: str, cells: int = LINE_CELLS, lines: int = TEXT_LINES) -> tuple[str, ...]:
    """Return a text as lines that are safe to show.

    Args:
        text: Anything at all.
        cells: Greatest width of a line.
        lines: Greatest number of lines; a last line of three dots tells that some were cut.
    """
    raw = text[: cells * lines * RAW_FACTOR]
    pieces = visible_lines(raw, MARKER)
    kept = tuple(_cut(piece, cells) for piece in pieces[:lines])
    return kept if len(pieces) <= lines and len(raw) == len(text) else (*kept[: lines - 1], _CUT)


def safe(text: str, cells: int = LINE_CELLS) -> Content:
    """Return cleaned text for a widget, in which brackets are brackets and never markup."""
    return Content(clean(text, cells))


def is_clean(text: str) -> bool:
    """Return whether a line would be shown exactly as it is."""
    return clean(text, max(len(text), 1) * 2) == text

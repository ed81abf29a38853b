"""Sanitises untrusted text for display. It applies `netplay.wire.sanitising`, marks omissions, and limits the width.

The results are safe to print on any terminal. They must still be shown as plain text, never as markup.
`sanitised_content` does both.
"""

from typing import Final

from rich.cells import cell_len
from textual.content import Content

from netplay.wire.sanitising import INPUT_FACTOR, visible, visible_lines

REPLACEMENT: Final = "?"
"""Replacement for unsafe characters. If they were removed instead, different names could become identical."""
LINE_CELLS: Final = 200
"""Default maximum width of a line."""
TEXT_LINES: Final = 200
"""Default maximum number of lines."""
_ELLIPSIS: Final = "..."


def _truncate(text: str, cells: int) -> str:
    """Truncate text to a width. Text that was cut off ends in three dots."""
    if cell_len(text) <= cells:
        return text
    text_cells = max(cells - len(_ELLIPSIS), 0)
    width = 0
    for index, character in enumerate(text):
        width += cell_len(character)
        if width > text_cells:
            return text[:index] + _ELLIPSIS[:cells]
    return text


def sanitise_line(text: str, cells: int = LINE_CELLS) -> str:
    """Sanitise text for display on one line. Line breaks become spaces.

    Args:
        text: Any string; lone surrogates are allowed.
        cells: Maximum width of the result in terminal cells.
    """
    # Examine only the first part, so that a huge text from another player takes little time.
    prefix = text[: cells * INPUT_FACTOR]
    visible_text = visible(prefix, REPLACEMENT)
    return _truncate(visible_text + _ELLIPSIS if len(prefix) < len(text) else visible_text, cells)


def sanitise_lines(text: str, cells: int = LINE_CELLS, lines: int = TEXT_LINES) -> tuple[str, ...]:
    """Sanitise text for display on several lines.

    Args:
        text: Any string.
        cells: Maximum width of a line.
        lines: Maximum number of lines. If lines are cut off, the last one is replaced by three dots.
    """
    prefix = text[: cells * lines * INPUT_FACTOR]
    pieces = visible_lines(prefix, REPLACEMENT)
    shown_pieces = tuple(_truncate(piece, cells) for piece in pieces[:lines])
    return (
        shown_pieces
        if len(pieces) <= lines and len(prefix) == len(text)
        else (*shown_pieces[: lines - 1], _ELLIPSIS)
    )


def sanitised_content(text: str, cells: int = LINE_CELLS) -> Content:
    """Sanitise text for a widget, and make sure that brackets are not interpreted as markup."""
    return Content(sanitise_line(text, cells))

"""Draws a hand of cards as styled lines: a coloured head, then the title, kind and text on the card's background."""

import textwrap
from collections.abc import Sequence
from typing import Final, NamedTuple

from rich.cells import cell_len

from tui.drawing.tones import TextRole
from tui.status_bar import CardFace, Toned
from tui.terminal.sanitising import sanitise_line

_MAX_WIDTH: Final = 24
_MIN_WIDTH: Final = 14
_MIN_HEIGHT: Final = 5
"""Minimum number of lines per card: head, title, kind, and two lines of text."""
_ROOMY: Final = 7
"""Minimum height, in lines, at which a blank line precedes the text."""
_GAP: Final = 1
_TITLE_LINES: Final = 3
_MORE: Final = "…"


class Grid(NamedTuple):
    """The arrangement of cards in a box."""

    columns: int
    rows: int
    width: int
    """Width of one card."""
    height: int

    @property
    def room(self) -> int:
        """Number of cards that are visible at once."""
        return self.columns * self.rows

    def card_at(self, x: int, y: int) -> int:
        """Return the index of the card that covers a cell; -1 between cards."""
        column, left = divmod(x, self.width + _GAP)
        row = y // self.height
        is_on = left < self.width and column < self.columns and row < self.rows
        return row * self.columns + column if is_on else -1


def grid(cards: int, width: int, height: int) -> Grid:
    """Arrange cards in a box, in the fewest rows that show them all or, failing that, in as many rows as fit."""
    most_columns = max((width + _GAP) // (_MIN_WIDTH + _GAP), 1)
    most_rows = max(height // _MIN_HEIGHT, 1)
    rows = min(max(-(-cards // most_columns), 1), most_rows)
    columns = min(max(-(-cards // rows), 1), most_columns)
    wide = (width + _GAP) // columns - _GAP
    return Grid(columns, rows, max(min(wide, _MAX_WIDTH), 1), max(height // rows, 1))


def _padded(text: str, width: int) -> str:
    """Return a text padded to a width, or truncated with an ellipsis."""
    shown = sanitise_line(text, 400)
    if cell_len(shown) > width:
        while shown and cell_len(shown) > width - 1:
            shown = shown[:-1]
        shown = shown.rstrip() + _MORE
    return shown + " " * max(width - cell_len(shown), 0)


def _wrap_text(text: str, width: int, lines: int) -> list[str]:
    """Wrap a text into a limited number of lines, ending with an ellipsis if it is truncated."""
    if lines < 1:
        return []
    found = textwrap.wrap(sanitise_line(text, 800), max(width, 1))
    if len(found) > lines:
        found = found[:lines]
        found[-1] = _padded(f"{found[-1]} {' ' * width}", width - 1).rstrip().removesuffix(_MORE)
        found[-1] = f"{found[-1].rstrip()[: width - 1]}{_MORE}"
    return found


def _card_head(face: CardFace, width: int) -> str:
    copies = f"{face.count}x " if face.count > 1 else ""
    left = f"{copies}{face.left or face.title}"
    if not face.right:
        return _padded(left, width)
    room = width - cell_len(face.right) - 1
    return f"{_padded(left, room)} {face.right}"


def _whole_words(text: str, width: int) -> str:
    """Return as many whole words as fit in a width, padded to it."""
    words = sanitise_line(text, 400).split()
    while len(words) > 1 and cell_len(" ".join(words)) > width:
        words.pop()
    return _padded(" ".join(words), width)


def card_lines(
    face: CardFace, size: tuple[int, int], *, is_lit: bool, is_boxed: bool = False
) -> list[tuple[Toned, ...]]:
    """Draw a card as lines that exactly fill a given size.

    Args:
        face: The card.
        size: Number of columns and lines.
        is_lit: Highlight the card.
        is_boxed: Draw a box around the card, for terminals without background colours.
    """
    width, height = size
    inner = width - 2
    room = height - 1 - is_boxed
    title = _wrap_text(face.title, inner, _TITLE_LINES) if face.left else []
    rows: list[Toned] = [(line, TextRole.CARD_TITLE) for line in title]
    rows += [(_whole_words(face.kind, inner), TextRole.CARD_DIM)] if face.kind else []
    text = _wrap_text(face.text, inner, room - len(rows))
    if room - len(rows) > len(text) and height >= _ROOMY:
        rows.append(("", TextRole.CARD))
    rows = [*rows, *((line, TextRole.CARD) for line in text)][:room]
    rows += [("", TextRole.CARD)] * (room - len(rows))
    tone = TextRole.CARD_LIT if is_lit else face.tone
    left, right, foot = ("│", "│", f"└{'─' * inner}┘") if is_boxed else (" ", " ", "")
    head = f"┌{_card_head(face, inner)}┐" if is_boxed else f" {_card_head(face, inner)} "
    body = [
        ((left, TextRole.CARD), (_padded(line, inner), shade), (right, TextRole.CARD))
        for line, shade in rows
    ]
    return [((head, tone),), *body, *([((foot, TextRole.CARD),)] if is_boxed else [])]


def hand_rows(
    faces: Sequence[CardFace],
    size: tuple[int, int],
    highlighted: str,
    first: int = 0,
    *,
    is_boxed: bool = False,
) -> list[list[Toned]]:
    """Draw cards side by side, in as many rows as needed.

    Args:
        faces: All cards.
        size: Number of columns and lines in the box.
        highlighted: Id of the highlighted card; empty if there is none.
        first: Index of the first visible card.
        is_boxed: Draw boxes around the cards, for terminals without background colours.
    """
    laid = grid(len(faces), *size)
    lines: list[list[Toned]] = [[] for _ in range(size[1])]
    for place, face in enumerate(faces[first : first + laid.room]):
        row, column = divmod(place, laid.columns)
        each = laid.width, laid.height
        drawn = card_lines(face, each, is_lit=face.id == highlighted, is_boxed=is_boxed)
        for y, pieces in enumerate(drawn, row * laid.height):
            gap: list[Toned] = [(" " * _GAP, TextRole.PLAIN)] if column else []
            lines[y] += [*gap, *pieces]
    return lines


def first_visible_card(faces: Sequence[CardFace], laid: Grid, highlighted: str, first: int) -> int:
    """Return the index of the first visible card after scrolling the highlighted one into view."""
    last = max(len(faces) - laid.room, 0)
    place = next((at for at, face in enumerate(faces) if face.id == highlighted), -1)
    if place >= 0:
        first = min(first, place)
        first = max(first, place - laid.room + 1)
    return min(max(first, 0), last)

"""A hand of cards as lines of toned texts: a coloured head, the title, the kind, the text on paper of its own."""

import textwrap
from collections.abc import Sequence
from typing import Final, NamedTuple

from rich.cells import cell_len

from tui.clean import clean
from tui.ribbon import CardFace, Toned
from tui.tones import Tone

_WIDEST: Final = 24
_NARROWEST: Final = 14
_LOWEST: Final = 5
"""Lines of a card: head, title, kind, and two of its text."""
_ROOMY: Final = 7
"""Lines from which a blank one stands above the text."""
_GAP: Final = 1
_TITLE_LINES: Final = 3
_MORE: Final = "…"


class Grid(NamedTuple):
    """How cards lie in a box."""

    columns: int
    rows: int
    width: int
    """Of one card."""
    height: int

    @property
    def room(self) -> int:
        """Return how many cards are in sight."""
        return self.columns * self.rows

    def card_at(self, x: int, y: int) -> int:
        """Return the place of the card that owns a cell; -1 between cards."""
        column, left = divmod(x, self.width + _GAP)
        row = y // self.height
        is_on = left < self.width and column < self.columns and row < self.rows
        return row * self.columns + column if is_on else -1


def grid(cards: int, width: int, height: int) -> Grid:
    """Return how to lay cards in a box: in as few rows as hold all of them, else as many as there is room for."""
    most_columns = max((width + _GAP) // (_NARROWEST + _GAP), 1)
    most_rows = max(height // _LOWEST, 1)
    rows = min(max(-(-cards // most_columns), 1), most_rows)
    columns = min(max(-(-cards // rows), 1), most_columns)
    wide = (width + _GAP) // columns - _GAP
    return Grid(columns, rows, max(min(wide, _WIDEST), 1), max(height // rows, 1))


def _fit(text: str, width: int) -> str:
    """Return a text of exactly this width, its end marked where it was cut."""
    shown = clean(text, 400)
    if cell_len(shown) > width:
        while shown and cell_len(shown) > width - 1:
            shown = shown[:-1]
        shown = shown.rstrip() + _MORE
    return shown + " " * max(width - cell_len(shown), 0)


def _folded(text: str, width: int, lines: int) -> list[str]:
    """Return a text in so many lines at most; a last line that is not the end tells so."""
    if lines < 1:
        return []
    found = textwrap.wrap(clean(text, 800), max(width, 1))
    if len(found) > lines:
        found = found[:lines]
        found[-1] = _fit(f"{found[-1]} {' ' * width}", width - 1).rstrip().removesuffix(_MORE)
        found[-1] = f"{found[-1].rstrip()[: width - 1]}{_MORE}"
    return found


def _head(face: CardFace, width: int) -> str:
    copies = f"{face.count}x " if face.count > 1 else ""
    left = f"{copies}{face.left or face.title}"
    if not face.right:
        return _fit(left, width)
    room = width - cell_len(face.right) - 1
    return f"{_fit(left, room)} {face.right}"


def _whole(text: str, width: int) -> str:
    """Return as many words of a text as fit whole."""
    words = clean(text, 400).split()
    while len(words) > 1 and cell_len(" ".join(words)) > width:
        words.pop()
    return _fit(" ".join(words), width)


def card_lines(
    face: CardFace, size: tuple[int, int], *, is_lit: bool, is_boxed: bool = False
) -> list[tuple[Toned, ...]]:
    """Return a card as lines of exactly this width and number.

    Args:
        face: The card.
        size: Columns and lines.
        is_lit: It is the card that is looked at.
        is_boxed: The terminal cannot paint paper: a box of letters stands around it.
    """
    width, height = size
    inner = width - 2
    room = height - 1 - is_boxed
    title = _folded(face.title, inner, _TITLE_LINES) if face.left else []
    rows: list[Toned] = [(line, Tone.CARD_TITLE) for line in title]
    rows += [(_whole(face.kind, inner), Tone.CARD_DIM)] if face.kind else []
    text = _folded(face.text, inner, room - len(rows))
    if room - len(rows) > len(text) and height >= _ROOMY:
        rows.append(("", Tone.CARD))
    rows = [*rows, *((line, Tone.CARD) for line in text)][:room]
    rows += [("", Tone.CARD)] * (room - len(rows))
    tone = Tone.CARD_LIT if is_lit else face.tone
    left, right, foot = ("│", "│", f"└{'─' * inner}┘") if is_boxed else (" ", " ", "")
    head = f"┌{_head(face, inner)}┐" if is_boxed else f" {_head(face, inner)} "
    body = [
        ((left, Tone.CARD), (_fit(line, inner), shade), (right, Tone.CARD)) for line, shade in rows
    ]
    return [((head, tone),), *body, *([((foot, Tone.CARD),)] if is_boxed else [])]


def row_lines(
    faces: Sequence[CardFace],
    size: tuple[int, int],
    lit: str,
    first: int = 0,
    *,
    is_boxed: bool = False,
) -> list[list[Toned]]:
    """Return cards side by side, in as many rows as are needed.

    Args:
        faces: All cards.
        size: Columns and lines of the box.
        lit: Id of the card that is looked at, empty for none.
        first: Place of the first card in sight.
        is_boxed: The terminal cannot paint paper.
    """
    laid = grid(len(faces), *size)
    lines: list[list[Toned]] = [[] for _ in range(size[1])]
    for place, face in enumerate(faces[first : first + laid.room]):
        row, column = divmod(place, laid.columns)
        each = laid.width, laid.height
        drawn = card_lines(face, each, is_lit=face.id == lit, is_boxed=is_boxed)
        for y, pieces in enumerate(drawn, row * laid.height):
            gap: list[Toned] = [(" " * _GAP, Tone.PLAIN)] if column else []
            lines[y] += [*gap, *pieces]
    return lines


def first_shown(faces: Sequence[CardFace], laid: Grid, lit: str, first: int) -> int:
    """Return the place of the first card in sight, moved so that the one looked at can be seen."""
    last = max(len(faces) - laid.room, 0)
    place = next((at for at, face in enumerate(faces) if face.id == lit), -1)
    if place >= 0:
        first = min(first, place)
        first = max(first, place - laid.room + 1)
    return min(max(first, 0), last)

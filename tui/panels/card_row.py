"""Draws a hand of cards as styled lines: a coloured head, then the title, kind and text on the card's background."""

import textwrap
from collections.abc import Sequence
from itertools import zip_longest
from typing import Final, NamedTuple

from msgspec.structs import replace
from rich.cells import cell_len

from tui.drawing.colour_roles import TextRole
from tui.panels.status_segments import CardFace, Toned
from tui.terminal.sanitising import sanitise_line

_MAX_WIDTH: Final = 34
_MIN_WIDTH: Final = 14
_MIN_HEIGHT: Final = 5
"""Minimum number of lines per card: head, title, kind, and two lines of text."""
_ROOMY_HEIGHT: Final = 7
"""A blank line precedes the text of cards that are at least this many lines high."""
_GAP: Final = 1
_PAGE_CARD_WIDTH: Final = 34
"""Minimum width of a card on the page that shows the whole hand."""
_TITLE_LINES: Final = 3
_HEAD_LINES: Final = 2
_ELLIPSIS: Final = "…"


class CardGrid(NamedTuple):
    """The arrangement of cards in a box."""

    columns: int
    rows: int
    width: int
    """Width of one card."""
    height: int

    @property
    def capacity(self) -> int:
        """Number of cards that are visible at once."""
        return self.columns * self.rows

    def card_at(self, x: int, y: int, heights: Sequence[Sequence[int]] = ()) -> int:
        """Return the index of the card that covers a cell; -1 between cards.

        Args:
            x: The cell's column.
            y: The cell's line.
            heights: The result of :func:`card_heights`; empty if all cards are equally high.
        """
        column, offset = divmod(x, self.width + _GAP)
        if offset >= self.width or column >= self.columns:
            return -1
        bottom = 0
        for row in range(self.rows):
            bottom += heights[column][row] if heights else self.height
            if y < bottom:
                return row * self.columns + column
        return -1


def arrange_cards(cards: int, width: int, height: int) -> CardGrid:
    """Arrange cards in a box, in the fewest rows that show all of them. If not all cards fit, use all rows."""
    most_columns = max((width + _GAP) // (_MIN_WIDTH + _GAP), 1)
    most_rows = max(height // _MIN_HEIGHT, 1)
    rows = min(max(-(-cards // most_columns), 1), most_rows)
    columns = min(max(-(-cards // rows), 1), most_columns)
    available_width = (width + _GAP) // columns - _GAP
    return CardGrid(columns, rows, max(min(available_width, _MAX_WIDTH), 1), max(height // rows, 1))


def visible_cards(
    faces: Sequence[CardFace],
    card_grid: CardGrid,
    first: int,
    height: int,
    *,
    is_boxed: bool = False,
) -> tuple[CardFace, ...]:
    """Return the visible cards, row by row. If texts would be cut, long cards share columns with short ones.

    Args:
        faces: All cards.
        card_grid: The arrangement of the cards.
        first: Index of the first visible card.
        height: Number of lines in the box.
        is_boxed: True if boxes are drawn around the cards.
    """
    shown_faces = tuple(faces[first : first + card_grid.capacity])
    needs = [_wanted_height(face, card_grid.width, is_boxed=is_boxed) for face in shown_faces]
    columns = [
        range(len(shown_faces))[column :: card_grid.columns] for column in range(card_grid.columns)
    ]
    if all(sum(needs[index] for index in column) <= height for column in columns):
        return shown_faces
    groups: list[list[int]] = [[] for _ in columns]
    for index in sorted(range(len(shown_faces)), key=lambda index: -needs[index]):
        open_groups = (
            group for group, column in zip(groups, columns, strict=True) if len(group) < len(column)
        )
        min(open_groups, key=lambda group: sum(needs[card_index] for card_index in group)).append(
            index
        )
    # Columns with equally many cards keep the order of the hand.
    groups.sort(key=lambda group: (-len(group), min(group, default=0)))
    rows = zip_longest(*(sorted(group) for group in groups))
    return tuple(shown_faces[index] for row in rows for index in row if index is not None)


def card_heights(
    faces: Sequence[CardFace], card_grid: CardGrid, height: int, *, is_boxed: bool = False
) -> tuple[tuple[int, ...], ...]:
    """Return the height of each visible card, column by column. Cards with long texts use rows that others leave free.

    Args:
        faces: The visible cards.
        card_grid: The arrangement of the cards.
        height: Number of lines in the box.
        is_boxed: True if boxes are drawn around the cards.
    """
    columns = []
    for column in range(card_grid.columns):
        cards = faces[column : card_grid.capacity : card_grid.columns]
        needs = [_wanted_height(face, card_grid.width, is_boxed=is_boxed) for face in cards]
        needs += [0] * (card_grid.rows - len(needs))
        heights = [card_grid.height] * card_grid.rows
        free_height = height - sum(heights)
        while (missing_step := _index_of_largest_excess(needs, heights)) is not None:
            giver = _index_of_largest_excess(heights, needs)
            if free_height > 0:
                free_height -= 1
            elif giver is not None:
                heights[giver] -= 1
            else:
                break
            heights[missing_step] += 1
        columns.append(tuple(heights))
    return tuple(columns)


def _index_of_largest_excess(amounts: Sequence[int], minima: Sequence[int]) -> int | None:
    """Return the index of the amount that exceeds its minimum by the most; None if no amount exceeds its minimum."""
    index = max(range(len(amounts)), key=lambda place: amounts[place] - minima[place])
    return index if amounts[index] > minima[index] else None


def _wanted_height(face: CardFace, width: int, *, is_boxed: bool) -> int:
    """Return the number of lines that show a card's whole text."""
    title = _wrap_text(face.title, width - 2, _TITLE_LINES) if face.left else []
    text = textwrap.wrap(sanitise_line(face.text, 800), max(width - 2, 1))
    return len(_card_head(face, width - 2)) + is_boxed + len(title) + bool(face.kind) + len(text)


def _fit_text(text: str, width: int) -> str:
    """Pad a string to a width. If it is too long, truncate it with an ellipsis."""
    fitted_text = sanitise_line(text, 400)
    if cell_len(fitted_text) > width:
        while fitted_text and cell_len(fitted_text) > width - 1:
            fitted_text = fitted_text[:-1]
        fitted_text = fitted_text.rstrip() + _ELLIPSIS
    return fitted_text + " " * max(width - cell_len(fitted_text), 0)


def _wrap_text(text: str, width: int, lines: int) -> list[str]:
    """Wrap text into at most the given number of lines. If it does not fit, truncate it with an ellipsis."""
    if lines < 1:
        return []
    wrapped_lines = textwrap.wrap(sanitise_line(text, 800), max(width, 1))
    if len(wrapped_lines) > lines:
        wrapped_lines = wrapped_lines[:lines]
        wrapped_lines[-1] = (
            _fit_text(f"{wrapped_lines[-1]} {' ' * width}", width - 1)
            .rstrip()
            .removesuffix(_ELLIPSIS)
        )
        wrapped_lines[-1] = f"{wrapped_lines[-1].rstrip()[: width - 1]}{_ELLIPSIS}"
    return wrapped_lines


def _card_head(face: CardFace, width: int, height: int = _ROOMY_HEIGHT) -> tuple[str, ...]:
    """Return the lines of a card's head, each as wide as `width`.

    A long head continues on a second line, after a comma if possible. A low card needs this line for its title and
    keeps only the words that fit on one line.
    """
    copies = f"{face.count}x " if face.count > 1 else ""
    left_label = f"{copies}{face.left or face.title}"
    if face.right:
        room = width - cell_len(face.right) - 1
        return (f"{_fit_text(left_label, room)} {face.right}",)
    if cell_len(left_label) <= width:
        return (_fit_text(left_label, width),)
    if face.left and height <= _MIN_HEIGHT:
        return (_fit_whole_words(left_label, width),)
    words, comma, remark = left_label.rpartition(", ")
    if comma and max(cell_len(words) + 1, cell_len(remark)) <= width:
        return _fit_text(f"{words},", width), _fit_text(remark, width)
    return tuple(_fit_text(line, width) for line in _wrap_text(left_label, width, _HEAD_LINES))


def _fit_whole_words(text: str, width: int) -> str:
    """Return as many whole words as fit in a width, without a comma at the end, padded to that width."""
    words = sanitise_line(text, 400).split()
    while len(words) > 1 and cell_len(" ".join(words)) > width:
        words.pop()
    return _fit_text(" ".join(words).rstrip(","), width)


def card_lines(
    face: CardFace, size: tuple[int, int], *, is_lit: bool, is_boxed: bool = False
) -> list[tuple[Toned, ...]]:
    """Draw a card as lines that exactly fill a given size.

    Args:
        face: The card.
        size: Number of columns and lines.
        is_lit: True to highlight the card.
        is_boxed: True to draw a box around the card, for terminals without background colours.
    """
    width, height = size
    inner_width = width - 2
    head_text = _card_head(face, inner_width, height)
    line_count = height - len(head_text) - is_boxed
    title = _wrap_text(face.title, inner_width, _TITLE_LINES) if face.left else []
    rows: list[Toned] = [(line, TextRole.CARD_TITLE) for line in title]
    rows += [(_fit_whole_words(face.kind, inner_width), TextRole.CARD_DIM)] if face.kind else []
    text = _wrap_text(face.text, inner_width, line_count - len(rows))
    if line_count - len(rows) > len(text) and height >= _ROOMY_HEIGHT:
        rows.append(("", TextRole.CARD))
    rows = [*rows, *((line, TextRole.CARD) for line in text)][:line_count]
    rows += [("", TextRole.CARD)] * (line_count - len(rows))
    tone = TextRole.CARD_LIT if is_lit else face.tone
    left, right, footer = ("│", "│", f"└{'─' * inner_width}┘") if is_boxed else (" ", " ", "")
    edges = [("┌", "┐"), ("│", "│")] if is_boxed else [(" ", " ")] * _HEAD_LINES
    headers = [
        f"{left_edge}{line}{right_edge}"
        for line, (left_edge, right_edge) in zip(head_text, edges, strict=False)
    ]
    body = [
        (
            (left, TextRole.CARD),
            (_fit_text(line, inner_width), line_tone),
            (right, TextRole.CARD),
        )
        for line, line_tone in rows
    ]
    return [
        *(((header, tone),) for header in headers),
        *body,
        *([((footer, TextRole.CARD),)] if is_boxed else []),
    ]


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
        highlighted: Id of the highlighted card; empty if no card is highlighted.
        first: Index of the first visible card.
        is_boxed: True to draw boxes around the cards, for terminals without background colours.
    """
    card_grid = arrange_cards(len(faces), *size)
    shown_faces = visible_cards(faces, card_grid, first, size[1], is_boxed=is_boxed)
    heights = card_heights(shown_faces, card_grid, size[1], is_boxed=is_boxed)
    lines: list[list[Toned]] = [[] for _ in range(size[1])]
    blank_piece: Toned = (" " * card_grid.width, TextRole.PLAIN)
    for column in range(card_grid.columns):
        card_rows: list[tuple[Toned, ...]] = []
        for face, height in zip(
            shown_faces[column :: card_grid.columns], heights[column], strict=False
        ):
            card_size = card_grid.width, height
            card_rows += card_lines(
                face, card_size, is_lit=face.id == highlighted, is_boxed=is_boxed
            )
        card_rows += [(blank_piece,)] * (size[1] - len(card_rows))
        gap: list[Toned] = [(" " * _GAP, TextRole.PLAIN)] if column else []
        for line, pieces in zip(lines, card_rows, strict=False):
            line += [*gap, *pieces]
    return lines


def hand_page(
    faces: Sequence[CardFace], width: int, *, is_boxed: bool = False
) -> list[tuple[Toned, ...]]:
    """Draw all cards with their whole text, side by side in as many rows as needed, for a page that can be scrolled."""
    columns = min(max((width + _GAP) // (_PAGE_CARD_WIDTH + _GAP), 1), max(len(faces), 1))
    card_width = (width + _GAP) // columns - _GAP
    lines: list[tuple[Toned, ...]] = []
    for first_index in range(0, len(faces), columns):
        row = [
            replace(face, text=" ".join(filter(None, (face.text, face.details))))
            for face in faces[first_index : first_index + columns]
        ]
        height = max(_full_height(face, card_width, is_boxed=is_boxed) for face in row)
        drawn_faces = [
            card_lines(face, (card_width, height), is_lit=False, is_boxed=is_boxed) for face in row
        ]
        gap: tuple[Toned, ...] = ((" " * _GAP, TextRole.PLAIN),)
        lines.extend(
            tuple(
                piece
                for number, card in enumerate(pieces)
                for piece in (*gap * bool(number), *card)
            )
            for pieces in zip(*drawn_faces, strict=True)
        )
        if not is_boxed:
            lines.append((("", TextRole.PLAIN),))
    return lines


def _full_height(face: CardFace, width: int, *, is_boxed: bool) -> int:
    """Return the number of lines that a card needs for its whole text."""
    title = _wrap_text(face.title, width - 2, _TITLE_LINES) if face.left else []
    text = textwrap.wrap(sanitise_line(face.text, 800), max(width - 2, 1))
    head_text = _card_head(face, width - 2)
    height = len(head_text) + len(title) + bool(face.kind) + len(text) + is_boxed
    return height + (height + 1 >= _ROOMY_HEIGHT)


def first_visible_card(
    faces: Sequence[CardFace], card_grid: CardGrid, highlighted: str, first: int
) -> int:
    """Return the index of the first visible card after scrolling the highlighted card into view."""
    last_index = max(len(faces) - card_grid.capacity, 0)
    index = next((number for number, face in enumerate(faces) if face.id == highlighted), -1)
    if index >= 0:
        first = min(first, index)
        first = max(first, index - card_grid.capacity + 1)
    return min(max(first, 0), last_index)

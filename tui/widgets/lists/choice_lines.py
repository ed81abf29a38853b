"""Pure functions that lay out a list of choices as lines with marks, columns and group headings."""

import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from rich.cells import cell_len

from play.choices import Cells, Choice, OptionState
from tui.drawing.colour_roles import TextRole
from tui.terminal.sanitising import sanitise_line

DIGITS: Final = 9
"""Maximum number of lines with a digit key."""
_MAX_CELLS: Final = 200
_NAME_COLUMN: Final = 1
"""Index of the name column. The later columns contain the figures that matter for the choice."""
_MIN_COLUMNS: Final = 3
"""Minimum number of columns. If fewer fit, the line is written out in words."""
_ABBREVIATIONS: Final = {"red.": "·", "no supply": "!"}
"""Map symbols that replace words if space is tight."""
_NUMERIC_CELL: Final = re.compile(r"[\d(]")
_STATE_MARKS: Final = {
    OptionState.OPEN: " ",
    OptionState.TICKED: "✓",
    OptionState.BARRED: " ",
    OptionState.READ_ONLY: " ",
}
_GUTTER: Final = 2
_NO_BREAK_SPACE: Final = "\u00a0"
"""Joins words that must stay on the same line."""
_ROOMY_WIDTH: Final = 40
"""Minimum width of a list, in cells, that has a space after the marks."""


class RowLine(NamedTuple):
    """One line of the list."""

    row: int
    """Index of the choice shown on the line; -1 for a group heading."""
    mark: str
    """The digit key and the tick shown before the line."""
    text: str
    tone: TextRole
    is_first: bool = True
    """True if this is the first line of its choice."""


def lay_out_choices(
    choices: Sequence[Choice], width: int, spare_cells: int = 0
) -> tuple[RowLine, ...]:
    """Lay out the list as lines that fit a width, including their marks.

    Args:
        choices: The choices to list.
        width: Width of the list in cells.
        spare_cells: Number of cells to leave empty at the end of each line. It is ignored if columns would not fit.
    """
    gutter = _GUTTER + (width >= _ROOMY_WIDTH)
    return tuple(_row_lines(choices, max(width - gutter, 1), gutter, spare_cells))


def digit_rows(choices: Sequence[Choice]) -> dict[int, int]:
    """Return the choice index for each digit key.

    Choices that discard something, that commit the draft or that are read-only have no digit key.
    """
    rows = [
        row
        for row, choice in enumerate(choices)
        if not (choice.loss or choice.is_commit) and choice.state is not OptionState.READ_ONLY
    ]
    return dict(enumerate(rows[:DIGITS], start=1))


def initial_row(
    choices: Sequence[Choice], is_safe: Callable[[Choice], bool] = lambda _: True
) -> int | None:
    """Return the bar's initial row: the first likely choice or, if there is none, the first that discards nothing.

    Return None if Enter is not safe on that row. The bar then waits for the player's first arrow key, because on
    another row, Enter would choose something less likely. Return None for an empty list, too.
    """
    likely_rows = (row for row, choice in enumerate(choices) if choice.is_likely)
    lossless_rows = (row for row, choice in enumerate(choices) if not choice.loss)
    row = next(likely_rows, next(lossless_rows, 0))
    return row if choices and is_safe(choices[row]) else None


def _row_lines(
    choices: Sequence[Choice], width: int, gutter: int, spare_cells: int
) -> Iterator[RowLine]:
    keys = {row: str(digit) for digit, row in digit_rows(choices).items()}
    full_width_texts, texts = (
        _columns(choices, width),
        _columns(choices, max(width - spare_cells, 1)),
    )
    if any(
        len(text.split()) > len(texts.get(row, "").split())
        for row, text in full_width_texts.items()
    ):
        texts = full_width_texts
    width = max(width - spare_cells, 1)
    headings: tuple[str, ...] = ()
    for row, choice in enumerate(choices):
        yield from _heading_lines(headings, choice.headings, width)
        headings = choice.headings
        pieces = [texts[row]] if row in texts else _wrap(_choice_text(choice), width, "  ")
        state_mark = _STATE_MARKS[OptionState.TICKED if choice.ticks else choice.state]
        mark = (keys.get(row, " ") + state_mark).ljust(gutter)
        for number, piece in enumerate(pieces):
            yield RowLine(row, " " * gutter if number else mark, piece, _tone(choice), number == 0)


def _heading_lines(
    lines_before: tuple[str, ...], headings: tuple[str, ...], width: int
) -> Iterator[RowLine]:
    """Yield the group headings that differ from the previous line's headings, outermost first."""
    shared_count = 0
    while (
        shared_count < min(len(lines_before), len(headings))
        and lines_before[shared_count] == headings[shared_count]
    ):
        shared_count += 1
    for level, heading in enumerate(headings[shared_count:], start=shared_count):
        if heading:
            indent, tone = ("", TextRole.HEAD) if level == 0 else (" ", TextRole.DIM)
            for piece in _wrap(heading, width):
                yield RowLine(-1, indent, piece, tone)


def _columns(choices: Sequence[Choice], width: int) -> dict[int, str]:
    """Format the lines that have columns. Lines with the same number of columns are aligned."""
    rows_with_cells = [(row, choice.cells) for row, choice in enumerate(choices) if choice.cells]
    texts: dict[int, str] = {}
    for size in {len(cells) for _, cells in rows_with_cells}:
        table = [(row, cells) for row, cells in rows_with_cells if len(cells) == size]
        rows = _align_columns([cells for _, cells in table], width)
        texts |= dict(zip((row for row, _ in table), rows, strict=False))
    return texts


def _tone(choice: Choice) -> TextRole:
    if choice.loss:
        return TextRole.WARN
    if choice.ticks:
        return TextRole.GOOD
    return {
        OptionState.OPEN: TextRole.PLAIN,
        OptionState.TICKED: TextRole.GOOD,
        OptionState.BARRED: TextRole.DIM,
        OptionState.READ_ONLY: TextRole.PLAIN,
    }[choice.state]


def _choice_text(choice: Choice) -> str:
    title = sanitise_line(choice.title, _MAX_CELLS)
    if choice.is_commit:
        return title
    if not choice.is_heading:
        return title
    *other_words, last_word = title.split(" ")  # keep the count on the same line as the last word
    line_count = len(choice.children) or choice.count
    return " ".join((*other_words, f"{last_word}{_NO_BREAK_SPACE}>{_NO_BREAK_SPACE}{line_count}"))


_SHORT_BRACKETS: Final = re.compile(r"\(\w+ \w{1,3}\)")
"""Two short words in brackets, such as ``(OV 2)``, which stay on one line."""


def _wrap(text: str, width: int, indent: str = "") -> list[str]:
    text = _NO_BREAK_SPACE.join(
        sanitise_line(part, _MAX_CELLS) for part in text.split(_NO_BREAK_SPACE)
    )
    if cell_len(text) <= width:
        return [text.replace(_NO_BREAK_SPACE, " ")]
    text = _SHORT_BRACKETS.sub(lambda match: match[0].replace(" ", _NO_BREAK_SPACE), text)
    pieces = textwrap.wrap(text, max(width, 4), subsequent_indent=indent) or [""]
    return [piece.replace(_NO_BREAK_SPACE, " ") for piece in pieces]


def _align_columns(rows: Sequence[Cells], width: int) -> list[str]:
    """Align rows in as many columns as fit. Return an empty list if fewer than `_MIN_COLUMNS` fit."""
    table = [[sanitise_line(cell, _MAX_CELLS) for cell in row] for row in rows]
    if _total_width(_widths(table)) > width:
        table = [[_ABBREVIATIONS.get(cell, cell) for cell in row] for row in table]
    columns = list(zip(*table, strict=True))
    widths = _widths(table)
    column_count = len(widths)
    while column_count > _MIN_COLUMNS and _total_width(widths[:column_count]) > width:
        column_count -= 1
    if _total_width(widths[:column_count]) > width:
        return []
    is_number = [
        index > _NAME_COLUMN and all(not cell or _NUMERIC_CELL.match(cell) for cell in column)
        for index, column in enumerate(columns)
    ]
    return [
        " ".join(
            _align_cell(cell, cell_width, is_right=is_right)
            for cell, cell_width, is_right in list(zip(row, widths, is_number, strict=True))[
                :column_count
            ]
            if cell_width
        ).rstrip()
        for row in table
    ]


def _widths(table: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(cell_len, column)) for column in zip(*table, strict=True)]


def _total_width(widths: Sequence[int]) -> int:
    non_empty = [width for width in widths if width]
    return sum(non_empty) + max(len(non_empty) - 1, 0)


def _align_cell(cell: str, width: int, *, is_right: bool) -> str:
    cell = sanitise_line(cell, width)
    blanks = " " * (width - cell_len(cell))
    return blanks + cell if is_right else cell + blanks

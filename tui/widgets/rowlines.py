"""Lines of a list of choices: marks, columns, words over a group; pure functions."""

import re
import textwrap
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from rich.cells import cell_len

from play.choices import Cells, Choice, Standing
from tui.clean import clean
from tui.tones import Tone

DIGITS: Final = 9
"""So many lines are taken by a digit."""
_CELLS: Final = 200
_NAME: Final = 1
"""The column of the name; behind it stand the numbers that decide."""
_FEWEST: Final = 3
"""Columns without which a line is told in words."""
_BRIEF: Final = {"red.": "·", "no supply": "!"}
"""Signs, as on the map, for words that have no room."""
_NUMBER: Final = re.compile(r"[\d(]")
_MARKS: Final = {
    Standing.OPEN: " ",
    Standing.TICKED: "✓",
    Standing.BARRED: " ",
    Standing.TOLD: " ",
}
_GUTTER: Final = 2
_GLUE: Final = "\u00a0"
"""Between words that stay in one line."""
_ROOMY: Final = 40
"""Columns from which a blank stands behind the marks."""


class RowLine(NamedTuple):
    """One line of the list."""

    row: int
    """Number of the choice that it belongs to; -1 for words over a group."""
    mark: str
    """In front of the line, behind the bar: a digit and a tick."""
    text: str
    tone: Tone
    is_first: bool = True
    """The first line of its choice."""


def lay_out(choices: Sequence[Choice], width: int, spare: int = 0) -> tuple[RowLine, ...]:
    """Return the list as lines of a width, marks included.

    Args:
        choices: What is listed.
        width: Columns of the list.
        spare: Columns at the end that stay empty where no value has to go for that.
    """
    gutter = _GUTTER + (width >= _ROOMY)
    return tuple(_lines(choices, max(width - gutter, 1), gutter, spare))


def digits(choices: Sequence[Choice]) -> dict[int, int]:
    """Return which choice each digit takes; what gives something up is never taken by one key."""
    taken = [
        row
        for row, choice in enumerate(choices)
        if not (choice.loss or choice.is_commit) and choice.standing is not Standing.TOLD
    ]
    return dict(enumerate(taken[:DIGITS], start=1))


def first_row(choices: Sequence[Choice]) -> int:
    """Return where the bar stands at first: on the most likely line, never on a loss if there is anything else."""
    likely = next((row for row, choice in enumerate(choices) if choice.is_likely), None)
    if likely is not None:
        return likely
    return next((row for row, choice in enumerate(choices) if not choice.loss), 0)


def _lines(choices: Sequence[Choice], width: int, gutter: int, spare: int) -> Iterator[RowLine]:
    keys = {row: str(digit) for digit, row in digits(choices).items()}
    full, texts = _columns(choices, width), _columns(choices, max(width - spare, 1))
    if any(len(text.split()) > len(texts.get(row, "").split()) for row, text in full.items()):
        texts = full
    width = max(width - spare, 1)
    over: tuple[str, ...] = ()
    for row, choice in enumerate(choices):
        yield from _over(over, choice.over, width)
        over = choice.over
        pieces = [texts[row]] if row in texts else _wrapped(_words(choice), width, "  ")
        mark = (keys.get(row, " ") + _MARKS[choice.standing]).ljust(gutter)
        for number, piece in enumerate(pieces):
            yield RowLine(row, " " * gutter if number else mark, piece, _tone(choice), number == 0)


def _over(before: tuple[str, ...], over: tuple[str, ...], width: int) -> Iterator[RowLine]:
    """Yield the words over the next line that are others than before: what is done, then where."""
    same = 0
    while same < min(len(before), len(over)) and before[same] == over[same]:
        same += 1
    for level, words in enumerate(over[same:], start=same):
        if words:
            indent, tone = ("", Tone.HEAD) if level == 0 else (" ", Tone.DIM)
            for piece in _wrapped(words, width):
                yield RowLine(-1, indent, piece, tone)


def _columns(choices: Sequence[Choice], width: int) -> dict[int, str]:
    """Return the lines that stand in columns; those with as many columns stand below one another."""
    told = [(row, choice.cells) for row, choice in enumerate(choices) if choice.cells]
    found: dict[int, str] = {}
    for size in {len(cells) for _, cells in told}:
        table = [(row, cells) for row, cells in told if len(cells) == size]
        rows = _in_columns([cells for _, cells in table], width)
        found |= dict(zip((row for row, _ in table), rows, strict=False))
    return found


def _tone(choice: Choice) -> Tone:
    if choice.loss:
        return Tone.WARN
    return {
        Standing.OPEN: Tone.PLAIN,
        Standing.TICKED: Tone.GOOD,
        Standing.BARRED: Tone.DIM,
        Standing.TOLD: Tone.PLAIN,
    }[choice.standing]


def _words(choice: Choice) -> str:
    title = clean(choice.title, _CELLS)
    if choice.is_commit:
        return title
    if not choice.is_heading:
        return title
    *rest, last = title.split(" ")  # the count stands in no line of its own
    return " ".join((*rest, f"{last}{_GLUE}>{_GLUE}{choice.count}"))


def _wrapped(text: str, width: int, indent: str = "") -> list[str]:
    text = _GLUE.join(clean(part, _CELLS) for part in text.split(_GLUE))
    if cell_len(text) <= width:
        return [text.replace(_GLUE, " ")]
    pieces = textwrap.wrap(text, max(width, 4), subsequent_indent=indent) or [""]
    return [piece.replace(_GLUE, " ") for piece in pieces]


def _in_columns(rows: Sequence[Cells], width: int) -> list[str]:
    """Return rows with their columns below one another, as many as there is room for; empty where that is too few."""
    table = [[clean(cell, _CELLS) for cell in row] for row in rows]
    if _total(_widths(table)) > width:
        table = [[_BRIEF.get(cell, cell) for cell in row] for row in table]
    columns = list(zip(*table, strict=True))
    widths = _widths(table)
    shown = len(widths)
    while shown > _FEWEST and _total(widths[:shown]) > width:
        shown -= 1
    if _total(widths[:shown]) > width:
        return []
    is_number = [
        place > _NAME and all(not cell or _NUMBER.match(cell) for cell in column)
        for place, column in enumerate(columns)
    ]
    return [
        " ".join(
            _set(cell, size, is_right=right)
            for cell, size, right in list(zip(row, widths, is_number, strict=True))[:shown]
            if size
        ).rstrip()
        for row in table
    ]


def _widths(table: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(cell_len, column)) for column in zip(*table, strict=True)]


def _total(widths: Sequence[int]) -> int:
    used = [width for width in widths if width]
    return sum(used) + max(len(used) - 1, 0)


def _set(cell: str, width: int, *, is_right: bool) -> str:
    cell = clean(cell, width)
    blanks = " " * (width - cell_len(cell))
    return blanks + cell if is_right else cell + blanks

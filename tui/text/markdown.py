"""Formats Markdown and rule paragraphs as plain text for a terminal."""

import re
import shutil
import textwrap
from collections.abc import Iterator

from engine.kernel.reference import Paragraph

MAX_WIDTH = 100
"""Maximum line width in cells. Longer lines are hard to read."""

_LIST_MARK_PATTERN = re.compile(r"\s*(?:[-*] |\d+\. |[A-Z]\. )?")
"""Matches the bullet or number of a list item."""

_NEW_LINE_PATTERN = re.compile(r"\s*(?:[-*] |\d+\. |[A-Z]\. |[A-Z][\w /]*: )")
"""Matches the beginning of a line that must not be joined to the previous one."""

_BARE_HEADING = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
"""Matches the id of a heading that has no printed number, such as ``rulings-op``."""


def terminal_width() -> int:
    """Return the number of columns available for text, or 80 if there is no terminal."""
    return min(shutil.get_terminal_size().columns, MAX_WIDTH)


def strip_markup(text: str) -> str:
    """Remove the markup for bold text and code."""
    return re.sub(r"\*\*|`", "", text)


def wrap_markdown(text: str, width: int) -> str:
    """Format Markdown as plain lines of limited width.

    A table that does not fit becomes a list with one item per row. In each item, cells follow their column headings.
    """
    return "\n".join(
        _wrap_line(block, width) if isinstance(block, str) else _table(block, width)
        for block in _blocks(strip_markup(text).splitlines())
    )


def _blocks(lines: list[str]) -> Iterator[str | list[list[str]]]:
    """Yield each paragraph as one line, and each table as rows of cells."""
    text: str | None = None
    table: list[list[str]] = []
    # the None at the end completes the last paragraph or table
    for line in [*lines, None]:
        if line is not None and line.startswith("|"):
            table.append([cell.strip() for cell in line.strip("|").split("|")])
            continue
        if text and line and line.strip() and not table and not _NEW_LINE_PATTERN.match(line):
            text = f"{text} {line.strip()}"
            continue
        if text is not None:
            yield text
        if table:
            yield table
        text, table = line, []


def _wrap_line(line: str, width: int) -> str:
    lead_match = _LIST_MARK_PATTERN.match(line)
    indent = " " * (lead_match.end() if lead_match else 0)
    return textwrap.fill(line, width, subsequent_indent=indent)


def _table(rows: list[list[str]], width: int) -> str:
    """Format a table in columns. If it does not fit, format it as a list."""
    head_cells, body = rows[0], rows[2:]
    columns = [max(map(len, column)) for column in zip(head_cells, *body, strict=False)]
    if sum(columns) + 2 * len(columns) <= width:
        return "\n".join(
            "  ".join(cell.ljust(size) for cell, size in zip(row, columns, strict=False)).rstrip()
            for row in (head_cells, *body)
        )
    return "\n".join(_wrap_line(_row(head_cells, row), width) for row in body)


def _row(head_cells: list[str], row: list[str]) -> str:
    """Format a row as a list item: the first cell, then each other cell after its column heading."""
    cells = [
        f"{label}: {cell}" if label else cell
        for label, cell in zip(head_cells[1:], row[1:], strict=False)
        if cell
    ]
    return f"- {row[0]}: {'; '.join(cells)}"


def printed_number(paragraph: Paragraph) -> str:
    """Return a paragraph's printed number; empty for a heading without a number."""
    is_bare = bool(paragraph.title) and _BARE_HEADING.fullmatch(paragraph.number) is not None
    is_word = any(letter.isalpha() for letter in paragraph.number)
    return "" if is_bare and is_word else paragraph.number


def heading(paragraph: Paragraph) -> str:
    """Return the number and title of a paragraph."""
    return f"{printed_number(paragraph)}  {strip_markup(paragraph.title)}".strip()

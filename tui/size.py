"""How large a screen is drawn: what the terminal says of itself, within bounds."""

import os
from typing import Final

MOST_COLUMNS: Final = 1_000
MOST_ROWS: Final = 500
"""No screen is larger; beyond that a terminal stays empty. What a screen costs grows with its cells."""
USUAL: Final = (80, 24)
"""Columns and rows of a terminal that does not tell."""
_NAMES: Final = ("COLUMNS", "LINES")


def screen_size(*terminals: int) -> tuple[int, int]:
    """Return how many columns and rows are drawn.

    The environment counts only where no terminal tells its size: who sets it wrongly, or keeps it after the window
    has another size, would get a screen that does not fit.

    Args:
        terminals: Descriptors, of which the first one that tells a size has the word.
    """
    columns, rows = next(filter(all, map(_told, terminals)), (0, 0))
    if not columns:
        columns, rows = map(_set, _NAMES)
    return bounded(columns or USUAL[0], rows or USUAL[1])


def bounded(columns: int, rows: int) -> tuple[int, int]:
    """Return the part of a terminal that is drawn."""
    return min(columns, MOST_COLUMNS), min(rows, MOST_ROWS)


def _told(terminal: int) -> tuple[int, int]:
    """Return the size that a terminal tells, zeros where it tells none."""
    try:
        columns, rows = os.get_terminal_size(terminal)
    except OSError:
        return 0, 0
    return columns, rows


def _set(name: str) -> int:
    """Return a number of the environment, 0 where there is none that means anything."""
    try:
        number = int(os.environ.get(name, ""))
    except ValueError:
        return 0
    return max(0, number)

"""Determines the size of the drawn area, within limits."""

import os
from typing import Final

MAX_COLUMNS: Final = 1_000
MAX_ROWS: Final = 500
"""Maximum size of the drawn area. Larger screens take longer to draw. Cells beyond it stay empty."""
DEFAULT_SIZE: Final = (80, 24)
"""Default columns and rows if the terminal does not report its size."""
_SIZE_VARIABLES: Final = ("COLUMNS", "LINES")


def screen_size(*descriptors: int) -> tuple[int, int]:
    """Return the number of columns and rows to draw.

    Environment variables are used only if no terminal reports its size. They may be wrong, or out of date
    because the window has been resized.

    Args:
        descriptors: File descriptors to try in order until one reports a size.
    """
    columns, rows = next(filter(all, map(_reported_size, descriptors)), (0, 0))
    if not columns:
        columns, rows = map(_environment_size, _SIZE_VARIABLES)
    return clamp_size(columns or DEFAULT_SIZE[0], rows or DEFAULT_SIZE[1])


def clamp_size(columns: int, rows: int) -> tuple[int, int]:
    """Limit a terminal size to the maximum size of the drawn area."""
    return min(columns, MAX_COLUMNS), min(rows, MAX_ROWS)


def _reported_size(descriptor: int) -> tuple[int, int]:
    """Return the size reported by the terminal at a file descriptor; zeros if the descriptor is not a terminal."""
    try:
        columns, rows = os.get_terminal_size(descriptor)
    except OSError:
        return 0, 0
    return columns, rows


def _environment_size(name: str) -> int:
    """Return the number in an environment variable; 0 if it is missing or invalid."""
    try:
        number = int(os.environ.get(name, ""))
    except ValueError:
        return 0
    return max(0, number)

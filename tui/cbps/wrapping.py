"""Wraps lines to the width of a panel."""

import textwrap
from collections.abc import Iterable

_INDENT = "  "
"""Extra indentation of continuation lines."""


def wrap_lines(lines: Iterable[str], width: int) -> tuple[str, ...]:
    """Wrap lines at word boundaries and indent the continuation lines."""
    return tuple(piece for line in lines for piece in _wrap_line(line, width))


def _wrap_line(line: str, width: int) -> list[str]:
    indent = line[: len(line) - len(line.lstrip())]
    # textwrap returns no lines for an empty line.
    return textwrap.wrap(
        line,
        width,
        initial_indent="",
        subsequent_indent=indent + _INDENT,
        break_on_hyphens=False,
    ) or [""]

"""Parses whole numbers. Each number has exactly one valid spelling, so a line means the same wherever it is read."""

import re
from typing import Final

_NUMERAL: Final = re.compile(r"0|-?[1-9][0-9]{0,8}")
_CHANGE: Final = re.compile(r"\+0|[+-][1-9][0-9]{0,8}")
_MAX_QUOTED: Final = 20
"""Maximum number of characters to quote from a word."""


def is_whole_number(word: str) -> bool:
    """Return whether a word is a whole number of at most nine digits, with no sign other than a minus."""
    return _NUMERAL.fullmatch(word) is not None


def is_count(word: str) -> bool:
    """Return whether a word is a whole number of at most nine digits that is not negative."""
    return is_whole_number(word) and not word.startswith("-")


def is_change(word: str) -> bool:
    """Return whether a word is a whole number of at most nine digits with a sign, such as +2, -1 or +0."""
    return _CHANGE.fullmatch(word) is not None


def whole_number(word: str) -> int:
    """Parse a whole number.

    Raises:
        ValueError: The word is not a whole number in the standard spelling. ``+1``, ``01`` and digits of other scripts
            are invalid.
    """
    if not is_whole_number(word):
        quoted_word = word if len(word) <= _MAX_QUOTED else f"{word[:_MAX_QUOTED]}..."
        raise ValueError(f"'{quoted_word}' is not a whole number such as 0, 12 or -3")
    return int(word)

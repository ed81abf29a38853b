"""Fuzzy matching of typed words, used by every list that can be filtered."""

from collections.abc import Sequence


def nearness(title: str, wanted: Sequence[str]) -> int | None:
    """Return the distance of a line from typed words: 0 if all occur in it; None if one does not match.

    Args:
        title: The line in lower case.
        wanted: The words in lower case.
    """
    parts = title.replace("/", " ").replace("-", " ").split()
    total = 0
    for word in wanted:
        if word in parts:
            continue
        if any(part.startswith(word) for part in parts):
            total += 1
        elif len(word) > 1 and word in title:
            total += 2
        elif any(_is_within(word, part) for part in parts):
            total += 3
        else:
            return None
    return total


def _is_within(word: str, part: str) -> bool:
    """Return whether a word's letters occur in another in this order: ``wshgtn`` in ``washington``."""
    letters = iter(part)
    return len(word) > 2 and all(letter in letters for letter in word)  # noqa: PLR2004  (shorter words match by accident)

"""What typed words mean: how near a line is to them, for every list that is filtered."""

from collections.abc import Sequence


def nearness(title: str, wanted: Sequence[str]) -> int | None:
    """Return how far a line is from typed words, 0 for the same words; None where one is missing.

    Args:
        title: The line, without capitals.
        wanted: The words, without capitals.
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
    """Return whether the letters of a word stand in another in this order: ``wshgtn`` in ``washington``."""
    letters = iter(part)
    return len(word) > 2 and all(letter in letters for letter in word)  # noqa: PLR2004  (too short to mean it)

"""Fuzzy matching of typed words, used by every list that can be filtered."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from play.choices import Choice


def match_distance(title: str, query_words: Sequence[str]) -> int | None:
    """Return a line's distance from the typed words: 0 if the line contains all of them, None if any does not match.

    Args:
        title: The line in lower case.
        query_words: The words in lower case.
    """
    parts = title.replace("/", " ").replace("-", " ").split()
    total = 0
    for word in query_words:
        if word in parts:
            continue
        if any(part.startswith(word) for part in parts):
            total += 1
        elif len(word) > 1 and (word in title or _starts_joined_parts(word, parts)):
            total += 2
        elif any(_is_subsequence(word, part) for part in parts):
            total += 3
        else:
            return None
    return total


def _starts_joined_parts(word: str, parts: Sequence[str]) -> bool:
    """Return whether a word was typed without the spaces of the line, like ``2mar`` for ``2 marine``."""
    return any("".join(parts[first:]).startswith(word) for first in range(len(parts)))


def _is_subsequence(word: str, other_word: str) -> bool:
    """Return whether a word's letters occur in another word in the same order, like ``wshgtn`` in ``washington``."""
    letters = iter(other_word)
    return len(word) > 2 and all(letter in letters for letter in word)  # noqa: PLR2004  (shorter words match by accident)


def filter_choices(lines: Sequence[Choice], query: str) -> tuple[Choice, ...]:
    """Return every option in the tree that matches the typed words, best match first.

    Typed words may be abbreviated, as in ``xi c`` for XI Corps (see :func:`match_distance`).
    """
    query_words = query.lower().split()
    hits = []
    for place, line in enumerate(_leaf_options(lines)):
        score = match_distance(_search_text(line), query_words)
        if score is not None:
            hits.append((score, place, line))
    return tuple(line for _, _, line in sorted(hits, key=lambda hit: hit[:2]))


def _search_text(line: Choice) -> str:
    """Return the searchable text of a line: its headings, and its columns or, without columns, its title."""
    return f"{' '.join(line.cells) or line.title} {' '.join(line.headings)}".lower()


def _leaf_options(lines: Sequence[Choice], path: str = "") -> Iterator[Choice]:
    for line in lines:
        if line.is_heading:
            yield from _leaf_options(line.children, line.title)
        elif path:
            yield replace(line, title=f"{line.title}, {path}", cells=())
        else:
            yield line

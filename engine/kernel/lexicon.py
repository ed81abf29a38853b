"""Looks up typed words among a game's ids of a given kind, and suggests similar ids."""

from collections.abc import Collection, Iterable, Mapping
from difflib import SequenceMatcher
from typing import Final

_COPY_SEPARATOR: Final = "#"
"""Separates the copy number from a card's id."""
_MIN_SIMILARITY: Final = 60
_FULL_SIMILARITY: Final = 100
_MAX_SUGGESTIONS: Final = 4
_MIN_PART_LETTERS: Final = 3
"""Minimum number of letters in a word that matches part of an id."""
_MAX_LISTED: Final = 60
"""If no id is similar, all ids of the kind are listed, provided that there are at most this many."""


def normalise_word(word: str) -> str:
    """Normalise a word for comparison: ignore case, and use ``-`` for ``_`` and spaces."""
    return word.casefold().replace("_", "-").replace(" ", "-")


def similarity(first_text: str, second_text: str) -> int:
    """Return how similar two words are: the percentage of letters that they share."""
    blocks = SequenceMatcher(None, first_text, second_text).get_matching_blocks()
    return (
        2
        * _FULL_SIMILARITY
        * sum(block.size for block in blocks)
        // max(1, len(first_text) + len(second_text))
    )


def most_similar(
    word: str, known_words: Iterable[str], limit: int = _MAX_SUGGESTIONS
) -> tuple[str, ...]:
    """Return the known names most similar to a word, best first. Empty if the word is a number."""
    normalised = normalise_word(word)
    if normalised.isdecimal():
        return ()
    ranked_options = []
    for name in known_words:
        normal_name = normalise_word(name)
        is_contained = len(normalised) >= _MIN_PART_LETTERS and normalised in normal_name
        score = _FULL_SIMILARITY if is_contained else similarity(normalised, normal_name)
        if score >= _MIN_SIMILARITY:
            ranked_options.append((-score, name))
    return tuple(name for _, name in sorted(ranked_options)[:limit])


def suggestion(word: str, known_words: Iterable[str]) -> str:
    """Return a suggestion of the most similar names, to be added to an error message. Empty if no name is similar."""
    similar_words = most_similar(word, known_words)
    return f"; did you mean {' or '.join(similar_words)}?" if similar_words else ""


def suggestion_or_list(word: str, known_words: Collection[str]) -> str:
    """Return a suggestion of the most similar names or, if no name is similar, the list of all names if it is short."""
    suggested_word = suggestion(word, known_words)
    if suggested_word or len(known_words) > _MAX_LISTED:
        return suggested_word
    return f"; known: {', '.join(known_words)}"


class Lexicon:
    """A game's ids by kind, such as its units or hexes."""

    def __init__(self, kinds: Mapping[str, Iterable[str]]) -> None:
        """Index the ids. The id of a card copy, such as ``de_build_army#2``, can also be found without its number."""
        self._kinds = {kind: tuple(ids) for kind, ids in kinds.items()}
        self._ids_by_word: dict[str, dict[str, tuple[str, ...]]] = {}
        for kind, ids in self._kinds.items():
            ids_by_word = self._ids_by_word[kind] = {}
            for name in ids:
                base = name.partition(_COPY_SEPARATOR)[0]
                for key in dict.fromkeys((normalise_word(name), normalise_word(base))):
                    ids_by_word[key] = (*ids_by_word.get(key, ()), name)

    def find_one(self, kind: str, word: str) -> str:
        """Return the id of the given kind that a word names, or the first copy if there are several copies.

        Raises:
            ValueError: There is no such id. The message suggests similar ids, or lists all ids if there are few.
        """
        return self.find_copies(kind, word)[0]

    def find_copies(self, kind: str, word: str) -> tuple[str, ...]:
        """Return the ids of the given kind that a word names: a single id, or every copy of a card.

        Raises the same errors as :meth:`find_one`.
        """
        ids = self._ids_by_word[kind].get(normalise_word(word))
        if ids:
            return ids
        raise ValueError(f"there is no {kind} '{word}'{self._suggestion_or_list(kind, word)}")

    def find_any(self, word: str) -> tuple[str, ...]:
        """Return the ids that a word names in the first kind that has any: a single id, or every copy of a card.

        Empty if no kind has such an id.
        """
        for ids_by_word in self._ids_by_word.values():
            if normalise_word(word) in ids_by_word:
                return ids_by_word[normalise_word(word)]
        return ()

    def kinds(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Return every kind with its ids, without copy numbers."""
        return tuple(
            (kind, tuple(dict.fromkeys(name.partition(_COPY_SEPARATOR)[0] for name in ids)))
            for kind, ids in self._kinds.items()
        )

    def names(self) -> tuple[str, ...]:
        """Return every id once, without copy numbers."""
        return tuple(dict.fromkeys(name for _, ids in self.kinds() for name in ids))

    def _suggestion_or_list(self, kind: str, word: str) -> str:
        ids = dict.fromkeys(name.partition(_COPY_SEPARATOR)[0] for name in self._kinds[kind])
        return suggestion_or_list(word, tuple(ids))

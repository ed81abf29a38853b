"""Finds the legal commands that match the command lines of a script."""

from collections.abc import Iterator, Sequence
from itertools import islice, product
from typing import Final

from engine.kernel.lexicon import Lexicon, normalise_word, similarity, suggestion

_ANY: Final = "*"
_MAX_SPELLINGS: Final = 64
_EMPTY_VALUES: Final = frozenset({"-", "."})
"""The notation for None and for an empty tuple."""


class TypedLine:
    """A command line as typed, in any letter case.

    Copy numbers or words may be omitted, and the line may end in ``*``.
    """

    def __init__(self, lexicon: Lexicon, line: str) -> None:
        """Split the line into words. A word that is not a name in the game stays unchanged."""
        self._lexicon = lexicon
        self.verb, *self._words = line.split() or [""]
        self._readings = [lexicon.find_any(word) or (word,) for word in self._words]

    def spellings(self) -> Iterator[str]:
        """Yield the notation lines that the typed line may mean. Lines with first copies of cards come first."""
        # Each card with several copies multiplies the number of spellings, so the number is
        # limited.
        for words in islice(product(*self._readings), _MAX_SPELLINGS):
            yield " ".join((self.verb, *words))

    def matches(self, line: str) -> bool:
        """Return whether a legal command's line contains the verb and all the typed words, in order."""
        verb, *words = map(normalise_word, line.split())
        remaining_words = iter(words)
        return verb == normalise_word(self.verb) and all(
            any(_matches_word(word, clock_reading) for word in remaining_words)
            for clock_reading in self._readings
            if clock_reading != (_ANY,)
        )

    def unknown_word_error(self) -> str:
        """Return an error message for the first word that no line can contain. Empty if there is no such word."""
        for word, suggested_word in zip(self._words, self._readings, strict=True):
            is_plain = (
                word in _EMPTY_VALUES or word.endswith(_ANY) or word.isdecimal() or "+" in word
            )
            if suggested_word == (word,) and not is_plain and not self._lexicon.find_any(word):
                return f"there is no '{word}' in this game{suggestion(word, self._lexicon.names())}"
        return ""


def _matches_word(word: str, readings: Sequence[str]) -> bool:
    return any(
        word.startswith(normalise_word(clock_reading[:-1]))
        if clock_reading.endswith(_ANY)
        else word == normalise_word(clock_reading)
        for clock_reading in readings
    )


def without_copies(line: str) -> str:
    """Return a line without copy numbers."""
    return " ".join(word.partition("#")[0] for word in line.split())


def most_similar(text: str, lines: Sequence[str], limit: int) -> tuple[str, ...]:
    """Return the lines most similar to a text, best first, ranked by shared words and then by spelling."""
    normalised = normalise_word(text)
    words = {normalise_word(word) for word in text.split()}

    def rank(line: str) -> tuple[int, int]:
        shared_words = words.intersection(map(normalise_word, line.split()))
        return -len(shared_words), -similarity(normalised, normalise_word(line))

    return tuple(sorted(lines, key=rank)[:limit])


def nearest_lines(line: str, offered_commands: Sequence[str], limit: int) -> tuple[str, ...]:
    """Return the offered lines that begin with a line's verb, most similar first.

    If there are none, return one offered line for each verb.
    """
    verb = normalise_word("".join(line.split()[:1]))
    same_verb = [
        candidate for candidate in offered_commands if normalise_word(candidate.split()[0]) == verb
    ]
    if same_verb:
        return most_similar(line, same_verb, limit)
    # A dict keeps the last entry for each verb. The lines are reversed, so that it keeps the first
    # one.
    return tuple(
        {candidate.split()[0]: candidate for candidate in reversed(offered_commands)}.values()
    )[::-1]

"""Numbers with their nouns in sentences for the player."""

import pytest

from engine.kernel.sentences import count_noun, pluralise


@pytest.mark.parametrize(
    ("number", "words"), [(0, "0 steps"), (1, "1 step"), (2, "2 steps"), (-1, "-1 steps")]
)
def test_nouns_are_counted_and_pluralised(number: int, words: str) -> None:
    assert count_noun(number, "step") == words
    assert pluralise(number, "step", "steps") == words

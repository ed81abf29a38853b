"""The safety words and their list."""

import re

from saves.fair.safety_words import WORDS, safety_words, word_list


def test_word_list_is_suitable_for_reading_aloud() -> None:
    words = word_list()
    assert len(words) == WORDS == 2_048
    assert list(words) == sorted(words)
    assert all(re.fullmatch("[a-z]{3,6}", word) for word in words)
    assert len({word[:4] for word in words}) == WORDS


def test_safety_words_depend_on_header_and_every_reveal() -> None:
    reveals = [b"a" * 32, b"b" * 32]
    words = {
        safety_words(b"h" * 32, reveals),
        safety_words(b"i" * 32, reveals),
        safety_words(b"h" * 32, reveals[::-1]),
        safety_words(b"h" * 32, [b"a" * 32, b"c" * 32]),
    }
    assert len(words) == 4
    assert safety_words(b"h" * 32, reveals) in words


def test_every_part_of_the_word_list_is_used() -> None:
    words = {word for n in range(400) for word in safety_words(b"h" * 32, [n.to_bytes(4, "big")])}
    places = {word_list().index(word) >> 5 for word in words}
    assert places == set(range(64))

"""Computes safety words: five words that a match's players read to each other and compare."""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Final

from saves.fair.derivation import plain_hash

WORDS: Final = 2_048
COUNT: Final = 5
_BITS: Final = 11


def safety_words(header_hash: bytes, reveals: Sequence[bytes]) -> tuple[str, str, str, str, str]:
    """Return a match's five safety words.

    Args:
        header_hash: The match header's hash.
        reveals: All reveals for throw 0, in header order.
    """
    hashed = plain_hash(b"fp7-words", header_hash + b"".join(reveals))
    number = int.from_bytes(hashed, "big") >> (len(hashed) * 8 - COUNT * _BITS)
    words = word_list()
    first, second, third, fourth, fifth = (
        words[number >> shift & (WORDS - 1)] for shift in range((COUNT - 1) * _BITS, -1, -_BITS)
    )
    return first, second, third, fourth, fifth


@cache
def word_list() -> tuple[str, ...]:
    """Return the list of safety words. A word's number is its index."""
    return tuple(files("saves.fair").joinpath("words.txt").read_text("ascii").split())

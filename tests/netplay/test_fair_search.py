"""The search for cards in files finds them as text and in MessagePack, but not in random bytes."""

import random

import msgspec

from tests.netplay.fair_search import words_in

CARDS = {f"{side}-{number}" for side in "AJ" for number in range(1, 85)}


def test_cards_in_text_and_messagepack_are_found() -> None:
    random_bytes = random.Random(1).randbytes(100)
    packed = msgspec.msgpack.encode({"hand": ["J-40"], "key": random_bytes})
    assert words_in(random_bytes + packed) & CARDS == {"J-40"}
    assert words_in(random_bytes + b'{"hand": ["J-4"]}' + random_bytes) & CARDS == {"J-4"}


def test_random_bytes_are_not_mistaken_for_cards() -> None:
    assert words_in(b"\x09\x89.@m\xe7\x1c\xffJ-4\x9c\xf3|?\x06") & CARDS == set()
    assert words_in(random.Random(2).randbytes(2_000_000)) & CARDS == set()

"""Canonical encoding, scalars and uniform numbers."""

import enum
from collections import Counter
from math import sqrt
from typing import Any

import msgspec
import pytest

from saves.errors import UnreadableError
from saves.fair import derivation
from saves.fair.derivation import (
    ORDER,
    ScalarSource,
    UniformSource,
    keyed_hash,
    pack,
    permutation,
    plain_hash,
)
from saves.fair.mixing import throw_key
from tests.sizes import sized


class Pair(msgspec.Struct, array_like=True):
    first: object
    second: str


class Table(msgspec.Struct):
    first: int


class Colour(enum.Enum):
    RED = "re\u0301d"


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(1.0, id="float"),
        pytest.param({"a": 1}, id="map"),
        pytest.param(Table(1), id="struct as a map"),
        pytest.param(Pair(1.5, ""), id="float in a struct"),
        pytest.param(Pair({}, ""), id="map in a struct"),
        pytest.param([[float("nan")]], id="nested"),
        pytest.param({1, 2}, id="set"),
        pytest.param(bytearray(b"a"), id="bytearray"),
        pytest.param(2**64, id="large"),
        pytest.param(-(2**63) - 1, id="small"),
        pytest.param("\ud800", id="surrogate"),
    ],
)
def test_values_without_a_canonical_form_are_refused(value: object) -> None:
    with pytest.raises(UnreadableError):
        pack(value)


def test_circular_nesting_is_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(UnreadableError):
        pack(endless)


def test_structs_and_enums_are_packed_like_their_plain_values() -> None:
    assert pack(Pair(b"a", "e\u0301")) == pack([b"a", "\u00e9"])
    assert pack([Pair(Pair(None, "x"), "y")]) == pack([[[None, "x"], "y"]])
    assert pack(Colour.RED) == pack("r\u00e9d")


def test_non_canonical_unicode_fails_the_byte_comparison() -> None:
    foreign = msgspec.msgpack.encode(["e\u0301"])
    assert pack(msgspec.msgpack.decode(foreign)) != foreign


def test_hashes_differ_by_purpose_and_key() -> None:
    hashes = [
        plain_hash(b"one", b"data"),
        plain_hash(b"two", b"data"),
        plain_hash(b"one", b"date"),
        keyed_hash(b"one", b"key", 32, b"data"),
        keyed_hash(b"one", b"kez", 32, b"data"),
        keyed_hash(b"two", b"key", 32, b"data"),
    ]
    assert len(set(hashes)) == len(hashes)


def test_a_zero_scalar_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    class Zero:
        """A hash that is a multiple of the order until the data ends with two zero bytes."""

        def __init__(self, data: bytes = b"") -> None:
            self.data = data

        def copy(self) -> "Zero":
            return Zero(self.data)

        def update(self, data: bytes) -> None:
            self.data += data

        def digest(self) -> bytes:
            number = 7 if self.data == b"data\0\0" else 5
            return (number * ORDER + (number == 7)).to_bytes(64, "little")

    monkeypatch.setattr(derivation, "blake2b", lambda **_: Zero())
    assert ScalarSource(b"purpose", b"key").scalar(b"data") == (1).to_bytes(32, "little")


def test_scalars_are_in_range_and_differ() -> None:
    source = ScalarSource(b"test", b"key")
    scalars = {source.scalar(bytes([number])) for number in range(200)}
    assert len(scalars) == 200
    assert all(0 < int.from_bytes(scalar, "little") < ORDER for scalar in scalars)


def is_uniform(counts: Counter[int], size: int) -> bool:
    """Chi-square within five standard deviations of its mean."""
    draws = counts.total()
    assert set(counts) <= set(range(size))
    mean = draws / size
    statistic = sum((counts[face] - mean) ** 2 / mean for face in range(size))
    freedom = size - 1
    return abs(statistic - freedom) < 5 * sqrt(2 * freedom)


SIZES = (2, 6, 10, 37, 84, 400)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.series("F2")
def test_draws_are_uniform(size: int) -> None:
    draws = sized(5_000, 100_000, of="draws of each of six sizes")
    uses = 20
    counts: Counter[int] = Counter()
    for number in range(draws // uses):
        source = UniformSource(throw_key(b"h" * 32, number, [bytes([size % 256]) * 32] * 2))
        counts.update(source.draw(k, size) for k in range(uses))
    assert is_uniform(counts, size)


@pytest.mark.series("F2")
def test_uniformity_check_rejects_biased_draws() -> None:
    source = UniformSource(b"key")
    biased = Counter(
        source.draw(k, 128) % 84 for k in range(sized(5_000, 100_000, of="biased draws"))
    )
    assert not is_uniform(biased, 84)


def test_rejection_keeps_large_sizes_uniform() -> None:
    size = (
        3 << 62
    )  # a fourth of all values is rejected; without that, low values come twice as often
    source = UniformSource(b"key")
    thirds = Counter(source.draw(k, size) >> 62 for k in range(sized(6_000, 60_000)))
    assert is_uniform(thirds, 3)


def test_permutations_are_uniform() -> None:
    size = 4
    orders = [
        permutation(number.to_bytes(4, "big"), size) for number in range(sized(4_800, 96_000))
    ]
    numbers = {order: place for place, order in enumerate(sorted(set(orders)))}
    assert len(numbers) == 24
    assert is_uniform(Counter(numbers[order] for order in orders), 24)


@pytest.mark.parametrize("size", [0, -1, 2**64 + 1])
def test_draw_from_an_empty_range_fails_an_assertion(size: int) -> None:
    with pytest.raises(AssertionError):
        UniformSource(b"key").draw(0, size)

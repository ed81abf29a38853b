"""Points and scalars of the group that hides cards (F5)."""

import pytest
from nacl import bindings

from saves.protocol6.cardseed import CardSeed
from saves.protocol6.errors import PointError
from saves.protocol6.group import (
    ONE,
    ORDER,
    Point,
    Scalar,
    card_point,
    check_point,
    check_scalar,
    inverse,
    multiply,
    product,
)
from tests.saves.protocol6.seats import JAPAN, seed_of
from tests.sizes import sized

pytestmark = pytest.mark.series("F5")

PRIME = 2**255 - 19
D = -121665 * pow(121666, -1, PRIME) % PRIME
ROOT = pow(2, (PRIME - 1) // 4, PRIME)
"""A square root of -1."""


def decoded(data: bytes) -> tuple[int, int] | None:
    """Return the point of RFC 8032 in these bytes; None if they are not its only encoding."""
    number = int.from_bytes(data, "little")
    y, sign = number & ((1 << 255) - 1), number >> 255
    if y >= PRIME:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, -1, PRIME) % PRIME
    x = pow(square, (PRIME + 3) // 8, PRIME)
    if x * x % PRIME != square:
        x = x * ROOT % PRIME
    if x * x % PRIME != square or (x == 0 and sign):
        return None
    return (PRIME - x if x % 2 != sign else x), y


def added(p: tuple[int, int], q: tuple[int, int]) -> tuple[int, int]:
    product_ = D * p[0] * q[0] * p[1] * q[1] % PRIME
    x = (p[0] * q[1] + q[0] * p[1]) * pow(1 + product_, -1, PRIME) % PRIME
    return x, (p[1] * q[1] + p[0] * q[0]) * pow(1 - product_, -1, PRIME) % PRIME


def multiplied(number: int, p: tuple[int, int]) -> tuple[int, int]:
    total = (0, 1)
    while number:
        if number & 1:
            total = added(total, p)
        p, number = added(p, p), number >> 1
    return total


def encoded(p: tuple[int, int]) -> bytes:
    return (p[1] | (p[0] & 1) << 255).to_bytes(32, "little")


def is_in_group(data: bytes) -> bool:
    """Return by independent arithmetic whether bytes are a point of prime order."""
    p = decoded(data)
    return p is not None and p != (0, 1) and multiplied(ORDER, p) == (0, 1)


def small_order() -> list[bytes]:
    """Return the eight points whose order divides 8, computed from one of order 8."""
    for y in range(2, 99):
        p = decoded(y.to_bytes(32, "little"))
        if p is not None and multiplied(4, torsion := multiplied(ORDER, p)) != (0, 1):
            return [encoded(multiplied(n, torsion)) for n in range(8)]
    raise AssertionError


GOOD = card_point("match", "japan", "J1")


@pytest.mark.parametrize("data", small_order())
def test_points_of_small_or_mixed_order_are_refused(data: bytes) -> None:
    with pytest.raises(PointError):
        check_point(data)
    p, q = decoded(GOOD), decoded(data)
    assert p is not None
    assert q is not None
    mixed = encoded(added(p, q))
    if q == (0, 1):
        assert check_point(mixed) == GOOD
    else:
        with pytest.raises(PointError):
            check_point(mixed)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param((1).to_bytes(32, "little"), id="neutral"),
        pytest.param((1 | 1 << 255).to_bytes(32, "little"), id="neutral-with-a-sign"),
        pytest.param((PRIME + 1).to_bytes(32, "little"), id="neutral-not-canonical"),
        pytest.param((PRIME + 3).to_bytes(32, "little"), id="not-canonical"),
        pytest.param((2).to_bytes(32, "little"), id="not-on-the-curve"),
        pytest.param(bytes(32), id="zeros"),
        pytest.param(b"\xff" * 32, id="ones"),
        pytest.param(b"", id="empty"),
        pytest.param(bytes(GOOD) + b"\0", id="too-long"),
        pytest.param(bytes(GOOD)[:-1], id="too-short"),
    ],
)
def test_invalid_points_are_refused_before_use(data: bytes) -> None:
    with pytest.raises(PointError):
        check_point(data)
    with pytest.raises(PointError):
        multiply(ONE, Point(data))


@pytest.mark.full
def test_random_strings_are_accepted_only_if_in_the_group() -> None:
    count = sized(40, 500, 10_000, of="random strings")
    seed = CardSeed("match", JAPAN, seed_of("strings"))
    found = 0
    for number in range(count):
        data = bytes(seed.card_key(number))[:31] + bytes([number % 256])
        try:
            check_point(data)
            is_accepted = True
        except PointError:
            is_accepted = False
        assert is_accepted == is_in_group(data), data.hex()
        found += is_accepted
    assert 0 < found < count / 8  # every 16th is a scalar


@pytest.mark.parametrize(
    "number", [0, ORDER, ORDER + 1, 1 << 252 | 1 << 255, (1 << 256) - 1], ids=str
)
def test_out_of_range_scalars_are_refused(number: int) -> None:
    with pytest.raises(PointError):
        check_scalar(number.to_bytes(32, "little"))


def test_scalar_of_wrong_length_is_refused() -> None:
    with pytest.raises(PointError):
        check_scalar(bytes(31) + b"")


def test_multiplication_matches_the_curve_and_commutes() -> None:
    seed = CardSeed("match", JAPAN, seed_of("keys"))
    first, second = seed.card_key(0), seed.deck_key(0)
    p = decoded(GOOD)
    assert p is not None
    assert multiply(first, GOOD) == encoded(multiplied(int.from_bytes(first, "little"), p))
    assert multiply(first, multiply(second, GOOD)) == multiply(second, multiply(first, GOOD))
    assert multiply(product(first, second), GOOD) == multiply(first, multiply(second, GOOD))
    assert multiply(inverse(first), multiply(first, GOOD)) == GOOD
    assert product() == ONE
    for number in (1, 2, ORDER - 1):  # no bit is set or cleared
        scalar = Scalar(number.to_bytes(32, "little"))
        assert multiply(scalar, GOOD) == encoded(multiplied(number, p))


@pytest.mark.full
def test_card_points_are_distinct_group_elements() -> None:
    places = [(m, d, c) for m in ("a", "b") for d in ("x", "y") for c in ("1", "2", "12")]
    points = {card_point(*place) for place in places}
    assert len(points) == len(places)
    assert all(map(is_in_group, points))
    assert bindings.has_crypto_core_ed25519
    assert card_point("match", "japan", "J1").hex() == (
        "c0b747cd6707eee8d52b1783c2c6f64c6ac9df7a2e08827017aa6a0769126e70"
    )  # another value would make old matches unreadable

"""Points and scalars from outside, and arithmetic, against plain integers."""

import random
from collections.abc import Iterator
from typing import Final

import pytest
from nacl import bindings

from saves.errors import LibraryError
from saves.fair import group, libsodium_check
from saves.fair.errors import GroupElementError
from saves.fair.group import Point, Scalar
from tests.saves.fair import second_implementation as page
from tests.sizes import sized

pytestmark = pytest.mark.series("F5")
SMALL_ORDINATE: Final = 0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826


def small_order() -> Iterator[page.Affine]:
    """The eight points of order 1, 2, 4 and 8."""
    x = page.abscissa(SMALL_ORDINATE, 0)
    assert x is not None
    point = page.NEUTRAL
    for _ in range(8):
        yield point
        point = page.plus(point, (x, SMALL_ORDINATE))
    assert point == page.NEUTRAL


def non_canonical() -> Iterator[bytes]:
    """Every encoding of an ordinate of at least 2**255 - 19, and both of a negative zero."""
    for ordinate in range(page.P, 2**255):
        for sign in (0, 1):
            yield (ordinate | sign << 255).to_bytes(32, "little")
    for ordinate in (1, page.P - 1):
        yield (ordinate | 1 << 255).to_bytes(32, "little")


CASES: Final = {
    "neutral": [group.NEUTRAL],
    "small order": [page.encode_point(point) for point in small_order()],
    "mixed order": [
        page.encode_point(page.plus(point, page.times(k, page.G)))
        for point in [*small_order()][1:]
        for k in (1, 2, page.L - 1)
    ],
    "non-canonical": [*non_canonical()],
    "constant bytes": [bytes([byte]) * 32 for byte in (0, 0xFF)],
    "other length": [b"", bytes(31), bytes(33), page.encode_point(page.G) + b"\0"],
}


@pytest.mark.parametrize("name", CASES)
def test_unusable_points_are_refused(name: str) -> None:
    for data in CASES[name]:
        assert len(data) != 32 or not page.is_usable(data)
        with pytest.raises(GroupElementError):
            group.check_point(data)


def test_random_strings_are_accepted_as_by_plain_integer_arithmetic() -> None:
    chance = random.Random(1)
    strings = [chance.randbytes(32) for _ in range(sized(60, 3_000, of="random strings"))]
    usable = [page.is_usable(data) for data in strings]
    assert usable == [is_accepted(data) for data in strings]
    assert any(usable)  # one in sixteen is a point of the group
    assert not all(usable)


def is_accepted(data: bytes) -> bool:
    try:
        return group.check_point(data) == data
    except GroupElementError:
        return False


def test_library_that_accepts_mixed_order_points_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    libsodium_check.check_library()
    monkeypatch.setattr(bindings, "crypto_core_ed25519_is_valid_point", lambda _: True)
    with pytest.raises(LibraryError):
        libsodium_check.check_library()


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(bytes(32), id="zero"),
        pytest.param(page.encode_scalar(page.L), id="order"),
        pytest.param(page.encode_scalar(page.L + 1), id="order and one"),
        pytest.param(b"\xff" * 32, id="largest"),
        pytest.param(bytes(31) + b"", id="short"),
        pytest.param(b"\1" + bytes(32), id="long"),
    ],
)
def test_unusable_scalars_are_refused(data: bytes) -> None:
    with pytest.raises(GroupElementError):
        group.check_scalar(data)


@pytest.mark.parametrize("number", [1, 2, page.L - 1])
def test_usable_scalars_are_accepted(number: int) -> None:
    data = page.encode_scalar(number)
    assert group.check_scalar(data) == data
    assert group.base_times(Scalar(data)) == page.encode_point(page.times(number, page.G))


def test_arithmetic_matches_plain_integers() -> None:
    chance = random.Random(2)
    for _ in range(sized(20, 500, of="pairs of points")):
        a, b = chance.randrange(1, page.L), chance.randrange(1, page.L)
        first, second = page.times(a, page.G), page.times(b, page.G)
        one, two = Point(page.encode_point(first)), Point(page.encode_point(second))
        assert group.base_times(Scalar(page.encode_scalar(a))) == one
        assert group.add(one, two) == page.encode_point(page.plus(first, second))
        assert group.subtract(one, two) == page.encode_point(page.minus(first, second))
        scalars = Scalar(page.encode_scalar(a)), Scalar(page.encode_scalar(b))
        assert group.scalar_add(*scalars) == page.encode_scalar((a + b) % page.L)
        assert group.scalar_sub(*scalars) == page.encode_scalar((a - b) % page.L)


def test_card_points_are_usable_and_differ_by_match_deck_and_card() -> None:
    names = [(m, d, c) for m in ("m", "n") for d in ("d", "e") for c in ("1", "2", "3")]
    points = [group.card_point(*name) for name in names]
    assert len(set(points)) == len(names)
    for name, point in zip(names, points, strict=True):
        assert page.is_usable(point)
        assert point == page.encode_point(page.card_point(*name))


def test_results_equal_to_the_neutral_element_are_refused() -> None:
    one, less = Scalar(page.encode_scalar(1)), Scalar(page.encode_scalar(page.L - 1))
    point = group.base_times(one)
    with pytest.raises(GroupElementError):
        group.base_times(group.ZERO)
    with pytest.raises(GroupElementError):
        group.subtract(point, point)
    with pytest.raises(GroupElementError):
        group.add(point, group.base_times(less))
    assert group.scalar_add(one, less) == group.ZERO
    assert group.scalar_sub(one, one) == group.ZERO


@pytest.mark.parametrize("operation", [group.add, group.subtract])
def test_arithmetic_refuses_bytes_off_the_curve(operation: object) -> None:
    assert callable(operation)
    point = group.base_times(Scalar(page.encode_scalar(1)))
    off = Point((2).to_bytes(32, "little"))
    assert page.decode_point(off) is None
    for pair in ((point, off), (off, point)):
        with pytest.raises(GroupElementError):
            operation(*pair)

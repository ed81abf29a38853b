"""Provides the group used to mask cards: the prime-order group of edwards25519, computed with libsodium through PyNaCl.

A card is a point whose logarithm is unknown. A key is a scalar that multiplies the point. Multiplication commutes, so
several seats' keys can be removed in any order. No untrusted point is used before :func:`check_point` accepts it.
"""

from functools import lru_cache
from hashlib import blake2b
from typing import Final, NewType

from nacl import bindings
from nacl.exceptions import CryptoError

from saves.decoding import canonical
from saves.fair.libsodium_check import check_library
from saves.protocol6.errors import PointError

POINT_BYTES: Final = 32
SCALAR_BYTES: Final = 32
ORDER: Final = (1 << 252) + 27742317777372353535851937790883648493
"""Number of points in the group; a prime."""

Point = NewType("Point", bytes)
"""A group element other than the neutral element, in its unique encoding."""
Scalar = NewType("Scalar", bytes)
"""A number from 1 to :data:`ORDER` - 1, in little-endian form."""

check_library()  # The check runs on import, so that no code uses a library that accepts invalid points.

ONE: Final = Scalar((1).to_bytes(SCALAR_BYTES, "little"))


def check_point(data: bytes) -> Point:
    """Validate untrusted bytes as a point.

    Raises:
        PointError: The bytes are not the canonical encoding of a point on the curve, or the point is neutral or outside
            the prime-order group (small or mixed order).
    """
    if len(data) != POINT_BYTES:
        raise PointError(f"a point has {POINT_BYTES} bytes, not {len(data)}")
    if not _is_point(data):
        raise PointError("this is not a point of the group")
    return Point(data)


@lru_cache(maxsize=8_192)
def _is_point(data: bytes) -> bool:
    """Return whether bytes are a valid point.

    The result is cached, because several parties in one process check the same points.
    """
    return bool(bindings.crypto_core_ed25519_is_valid_point(data))


def check_scalar(data: bytes) -> Scalar:
    """Validate untrusted bytes as a scalar.

    Raises:
        PointError: The bytes are not a number from 1 to :data:`ORDER` - 1.
    """
    if len(data) != SCALAR_BYTES or not 0 < int.from_bytes(data, "little") < ORDER:
        raise PointError("this is not a scalar of the group")
    return Scalar(data)


@lru_cache(maxsize=4_096)
def card_point(match_id: str, deck: str, card: str) -> Point:
    """Return a card's public point. No one knows the point's logarithm."""
    place = canonical((match_id, deck, card))
    uniform = blake2b(place, digest_size=POINT_BYTES, person=b"flagplot-card").digest()
    return Point(bindings.crypto_core_ed25519_from_uniform(uniform))


def scalar_from(uniform: bytes) -> Scalar:
    """Reduce 64 uniformly random bytes to a scalar. An input of 64 bytes limits the bias to 2**-250."""
    return check_scalar(bindings.crypto_core_ed25519_scalar_reduce(uniform))


def multiply(scalar: Scalar, point: Point) -> Point:
    """Multiply a point by a scalar without clamping, that is, without setting or clearing any bits.

    Raises:
        PointError: The library rejects the scalar or the point.
    """
    try:
        return Point(bindings.crypto_scalarmult_ed25519_noclamp(scalar, point))
    except CryptoError as error:
        raise PointError("this is not a point of the group") from error


def product(*scalars: Scalar) -> Scalar:
    """Multiply scalars. Return :data:`ONE` if no scalars are given."""
    result = ONE
    for scalar in scalars:
        result = Scalar(bindings.crypto_core_ed25519_scalar_mul(result, scalar))
    return result


def inverse(scalar: Scalar) -> Scalar:
    """Return a scalar's multiplicative inverse."""
    return Scalar(bindings.crypto_core_ed25519_scalar_invert(scalar))

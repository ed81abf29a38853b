"""The group in which cards are hidden: the prime-order group of edwards25519, by PyNaCl's bindings to libsodium.

A card is a point whose logarithm nobody knows; a key is a scalar that multiplies it. Multiplication commutes, so that
keys of several seats come off in any order. No point from outside is used before :func:`checked_point` has accepted it.
"""

from functools import lru_cache
from hashlib import blake2b
from typing import Final, NewType

from nacl import bindings
from nacl.exceptions import CryptoError

from saves.decoding import canonical
from saves.fair.library import check_library
from saves.protocol6.faults import PointError

POINT_BYTES: Final = 32
SCALAR_BYTES: Final = 32
ORDER: Final = (1 << 252) + 27742317777372353535851937790883648493
"""How many points the group has, a prime."""

Point = NewType("Point", bytes)
"""An element of the group other than its neutral one, in its only encoding."""
Scalar = NewType("Scalar", bytes)
"""A number from 1 to :data:`ORDER` - 1, little-endian."""

check_library()  # here, so that no program computes with a library that accepts invalid points

ONE: Final = Scalar((1).to_bytes(SCALAR_BYTES, "little"))


def checked_point(data: bytes) -> Point:
    """Return bytes from outside as a point.

    Raises:
        PointError: They are not on the curve, not in the one encoding of their point, the neutral point, or a point
            outside the prime-order group (small or mixed order).
    """
    if len(data) != POINT_BYTES:
        raise PointError(f"a point has {POINT_BYTES} bytes, not {len(data)}")
    if not _is_point(data):
        raise PointError("this is no point of the group")
    return Point(data)


@lru_cache(maxsize=8_192)
def _is_point(data: bytes) -> bool:
    """Return whether bytes are a point; a host, its bots and its spectators check each one once."""
    return bool(bindings.crypto_core_ed25519_is_valid_point(data))


def checked_scalar(data: bytes) -> Scalar:
    """Return bytes from outside as a scalar.

    Raises:
        PointError: They are no number from 1 to the order of the group less 1.
    """
    if len(data) != SCALAR_BYTES or not 0 < int.from_bytes(data, "little") < ORDER:
        raise PointError("this is no scalar of the group")
    return Scalar(data)


@lru_cache(maxsize=4_096)
def card_point(match_id: str, deck: str, card: str) -> Point:
    """Return the point that stands for a card, the same for everybody; it has a logarithm that nobody knows."""
    place = canonical((match_id, deck, card))
    uniform = blake2b(place, digest_size=POINT_BYTES, person=b"flagplot-card").digest()
    return Point(bindings.crypto_core_ed25519_from_uniform(uniform))


def scalar_from(uniform: bytes) -> Scalar:
    """Return a scalar from 64 uniform bytes; so many that no scalar is favoured by more than 2**-250."""
    return checked_scalar(bindings.crypto_core_ed25519_scalar_reduce(uniform))


def times(scalar: Scalar, point: Point) -> Point:
    """Return a point multiplied by a scalar, which is used as it is (no bits are set or cleared).

    Raises:
        PointError: The library refuses one of them.
    """
    try:
        return Point(bindings.crypto_scalarmult_ed25519_noclamp(scalar, point))
    except CryptoError as error:
        raise PointError("this is no point of the group") from error


def product(*scalars: Scalar) -> Scalar:
    """Return the product of scalars, :data:`ONE` for none."""
    result = ONE
    for scalar in scalars:
        result = Scalar(bindings.crypto_core_ed25519_scalar_mul(result, scalar))
    return result


def inverse(scalar: Scalar) -> Scalar:
    """Return the scalar that undoes a multiplication by this one."""
    return Scalar(bindings.crypto_core_ed25519_scalar_invert(scalar))

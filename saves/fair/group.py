"""Provides the group for card commitments: the prime-order subgroup of edwards25519, computed with libsodium.

The commitment to a card is ``P(card) + r*G``. It hides the card perfectly, because r is random. It binds the owner to
the card, because nobody knows the discrete logarithm of any P to the base G.
"""

from functools import lru_cache
from typing import Final, NewType

from nacl import bindings
from nacl.exceptions import CryptoError

from saves.fair.derivation import ORDER, SCALAR_BYTES, Scalar, pack, plain_hash
from saves.fair.errors import GroupElementError
from saves.fair.libsodium_check import check_library

__all__ = (
    "NEUTRAL",
    "ORDER",
    "POINT_BYTES",
    "SCALAR_BYTES",
    "ZERO",
    "Point",
    "Scalar",
    "add",
    "base_times",
    "card_point",
    "check_point",
    "check_scalar",
    "scalar_add",
    "scalar_sub",
    "subtract",
)

check_library()  # The check runs on import, so that no program uses a library that accepts invalid points.

POINT_BYTES: Final = 32

Point = NewType("Point", bytes)
"""A group element other than the neutral element, in its canonical encoding."""

ZERO: Final = Scalar(bytes(SCALAR_BYTES))
"""The blinding factor of labels whose cards are public from the start."""
NEUTRAL: Final = bytes([1]) + bytes(POINT_BYTES - 1)
"""Encoding of the neutral element, which no message may contain."""


@lru_cache(maxsize=4_096)
def card_point(match_id: str, deck: str, card: str) -> Point:
    """Hash a card to a group element specific to the match and deck.

    The element's discrete logarithm is unknown to everyone.
    """
    uniform = plain_hash(b"fp7-point", pack((match_id, deck, card)))
    return Point(bindings.crypto_core_ed25519_from_uniform(uniform))


def check_point(data: bytes) -> Point:
    """Validate untrusted bytes as a point.

    Raises:
        GroupElementError: The bytes are not the canonical encoding of a point on the curve, encode the neutral element,
            or encode a point outside the prime-order group (small or mixed order).
    """
    if len(data) != POINT_BYTES:
        raise GroupElementError(f"a point has {POINT_BYTES} bytes, not {len(data)}")
    if not _is_point(data):
        raise GroupElementError("these bytes are not a point of the prime-order group")
    return Point(data)


@lru_cache(maxsize=8_192)
def _is_point(data: bytes) -> bool:
    """Return whether 32 bytes encode a usable point.

    Results are cached, because the host, its bots and its spectators all check the same points.
    """
    return bool(bindings.crypto_core_ed25519_is_valid_point(data))


def check_scalar(data: bytes) -> Scalar:
    """Validate untrusted bytes as a scalar.

    Raises:
        GroupElementError: The bytes are not a 32-byte number from 1 to the group order minus 1.
    """
    if len(data) != SCALAR_BYTES or not 0 < int.from_bytes(data, "little") < ORDER:
        raise GroupElementError("these bytes are not a scalar of the group")
    return Scalar(data)


def base_times(scalar: Scalar) -> Point:
    """Multiply the base point by a scalar without clamping the scalar.

    Raises:
        GroupElementError: The scalar is zero.
    """
    try:
        # Clamping would change the scalar, and the blindings of successive mixes would no longer
        # add up.
        return Point(bindings.crypto_scalarmult_ed25519_base_noclamp(scalar))
    except CryptoError as error:
        raise GroupElementError("the base point times zero is not a usable point") from error


def add(first: Point, second: Point) -> Point:
    """Return the sum of two points.

    Raises:
        GroupElementError: A point is not on the curve, or the sum is the neutral element. For honest commitments, a
            neutral sum has a probability below 2**-250.
    """
    try:
        result = bindings.crypto_core_ed25519_add(first, second)
    except CryptoError as error:
        raise GroupElementError("these bytes are not a point of the curve") from error
    return _require_not_neutral(result)


def subtract(first: Point, second: Point) -> Point:
    """Return the first point minus the second point.

    Raises:
        GroupElementError: A point is not on the curve, or the points are equal.
    """
    try:
        result = bindings.crypto_core_ed25519_sub(first, second)
    except CryptoError as error:
        raise GroupElementError("these bytes are not a point of the curve") from error
    return _require_not_neutral(result)


def _require_not_neutral(result: bytes) -> Point:
    """Return the result, or raise an error if it is the neutral element."""
    if result == NEUTRAL:
        raise GroupElementError("the result is the neutral element")
    return Point(result)


def scalar_add(first: Scalar, second: Scalar) -> Scalar:
    """Return the sum of two scalars. The sum may be zero."""
    return Scalar(bindings.crypto_core_ed25519_scalar_add(first, second))


def scalar_sub(first: Scalar, second: Scalar) -> Scalar:
    """Return the first scalar minus the second scalar. The difference may be zero."""
    return Scalar(bindings.crypto_core_ed25519_scalar_sub(first, second))

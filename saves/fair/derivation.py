"""Derives keys, scalars and uniform numbers for protocol 7.

BLAKE2b is used in keyed form (:func:`keyed_hash`) and in unkeyed form (:func:`plain_hash`). In both forms, the purpose
is the personalisation parameter.
"""

from enum import Enum
from hashlib import blake2b
from typing import Final, NewType
from unicodedata import normalize

import msgspec

from saves.decoding import DECODE_ERRORS, canonical
from saves.errors import UnreadableError

Scalar = NewType("Scalar", bytes)
"""A number from 0 to :data:`ORDER` - 1, as 32 little-endian bytes."""

ORDER: Final = (1 << 252) + 27742317777372353535851937790883648493
"""Order of the prime-order subgroup of edwards25519."""
SCALAR_BYTES: Final = 32
HASH_BYTES: Final = 32
_WIDE_BYTES: Final = 64
"""Hash length before reduction to a scalar, long enough to keep the bias below 2**-250."""
_WORDS: Final = 1 << 64
"""Number of possible u64 values."""


def pack(value: object) -> bytes:
    """Encode a value as canonical MessagePack.

    Structs become arrays, integers have their shortest form, and text is in NFC form.

    Args:
        value: None, a boolean, an integer, text, bytes or an enum, or a list, tuple or array-like Struct of these.

    Raises:
        UnreadableError: The value has no canonical form. Examples are a float, a map, and an integer beyond 64 bits.
    """
    try:
        return canonical(_normalised(value))
    except DECODE_ERRORS as error:
        raise UnreadableError(f"a value has no canonical form: {error}") from error


def _normalised(value: object) -> object:
    """Convert a value to plain data with all text in Unicode's NFC form."""
    kind = type(value)
    if kind is str:
        return _normal_text(value)
    if value is None or kind in (bytes, int, bool):
        return value
    if isinstance(value, (list, tuple)):
        return [_normalised(item) for item in value]
    if isinstance(value, (msgspec.Struct, Enum)):
        return _normalised(msgspec.to_builtins(value, builtin_types=(bytes, bytearray)))
    raise UnreadableError(f"a value of type {kind.__name__} has no canonical form")


def _normal_text(value: object) -> str:
    assert isinstance(value, str)
    return value if value.isascii() else normalize("NFC", value)


def keyed_hash(purpose: bytes, key: bytes, size: int, data: bytes) -> bytes:
    """Return the data's keyed BLAKE2b hash, called K in the protocol.

    Args:
        purpose: Personalisation, at most 16 bytes.
        key: At most 64 bytes.
        size: Length of the result in bytes.
        data: The data to hash.
    """
    return blake2b(data, key=key, digest_size=size, person=purpose).digest()


def plain_hash(purpose: bytes, data: bytes) -> bytes:
    """Return the data's unkeyed BLAKE2b-256 hash, called H in the protocol."""
    return blake2b(data, digest_size=HASH_BYTES, person=purpose).digest()


class ScalarSource:
    """Derives uniform scalars for one purpose and key."""

    def __init__(self, purpose: bytes, key: bytes) -> None:
        """Hash the key once."""
        self._keyed = blake2b(key=key, digest_size=_WIDE_BYTES, person=purpose)

    def scalar(self, data: bytes) -> Scalar:
        """Return the scalar derived from the data, from 1 to :data:`ORDER` - 1.

        If the 64-byte hash reduces to zero, it is computed again with another zero byte appended to the data.
        """
        while True:
            hashed = self._keyed.copy()
            hashed.update(data)
            number = int.from_bytes(hashed.digest(), "little") % ORDER
            if number:
                return Scalar(number.to_bytes(SCALAR_BYTES, "little"))
            data += b"\0"


class UniformSource:
    """Derives uniformly distributed numbers from one key, each identified by a use number."""

    def __init__(self, key: bytes) -> None:
        """Hash the key once. The key may be up to 64 bytes long."""
        self._keyed = blake2b(key=key, digest_size=8, person=b"fp7-use")

    def draw(self, number: int, size: int) -> int:
        """Return a uniformly distributed number below ``size``.

        Args:
            number: The use number, a u32. Use each number only once, because results for the same number are not
                independent, even for different sizes.
            size: Number of possible results, from 1 to 2**64.
        """
        assert 0 < size <= _WORDS
        # Values from this limit on are rejected, because otherwise the remainder would favour small
        # results.
        limit = _WORDS - _WORDS % size
        input_prefix = number << 32
        while True:
            hashed = self._keyed.copy()
            hashed.update(input_prefix.to_bytes(8, "big"))
            value = int.from_bytes(hashed.digest(), "big")
            if value < limit:
                return value % size
            input_prefix += (
                1  # For the sizes that games need, fewer than one in 2**55 values is rejected.
            )


def permutation(key: bytes, count: int) -> tuple[int, ...]:
    """Return the numbers below ``count`` in a uniformly random order.

    This is a Fisher-Yates shuffle from the last position down. Swap n, counted from 0, uses draw n of the key's stream.
    """
    source = UniformSource(key)
    places = list(range(count))
    for number, last in enumerate(range(count - 1, 0, -1)):
        swap_index = source.draw(number, last + 1)
        places[last], places[swap_index] = places[swap_index], places[last]
    return tuple(places)

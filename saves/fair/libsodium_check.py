"""Checks libsodium before any group arithmetic."""

from typing import Final

from nacl import bindings

from saves.errors import LibraryError

MIXED_ORDER_POINT: Final = bytes.fromhex("95" + 31 * "99")
"""P + (0, -1), where P is the base point of edwards25519.

This point is on the curve but outside the prime-order subgroup.
"""


def check_library() -> None:
    """Raise an error if libsodium accepts points outside the prime-order subgroup.

    The libsodium in PyNaCl releases before 1.6.2 accepts such points. Without this check, the validation of points from
    the network or from files would be unsafe.

    Raises:
        LibraryError: The library accepts such points.
    """
    if bindings.crypto_core_ed25519_is_valid_point(MIXED_ORDER_POINT):
        raise LibraryError(
            "the installed libsodium accepts invalid curve points; install PyNaCl 1.6.2 or newer"
        )

"""The check of libsodium that runs before any group arithmetic is used."""

from typing import Final

from nacl import bindings

from saves.errors import LibraryError

MIXED_ORDER_POINT: Final = bytes.fromhex("95" + 31 * "99")
"""P + (0, -1), where P is the base point of edwards25519: on the curve, but outside the prime-order group."""


def check_library() -> None:
    """Refuse a libsodium that accepts a point outside the prime-order group.

    Releases before PyNaCl 1.6.2 do. Every check of a point received from the network or from a file depends on this.

    Raises:
        LibraryError: The library accepts the point.
    """
    if bindings.crypto_core_ed25519_is_valid_point(MIXED_ORDER_POINT):
        raise LibraryError(
            "the installed libsodium accepts invalid curve points; install PyNaCl 1.6.2 or newer"
        )

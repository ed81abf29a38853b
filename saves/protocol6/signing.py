"""Builds the messages that parties sign, and verifies the signatures.

Each signature also covers the preceding history.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Final

from engine.kernel.ids import Role
from saves.decoding import canonical
from saves.protocol6.parties import KEY_BYTES, SIGNATURE_BYTES

TAG: Final = "signature"
"""Tag of the entry that stores a command's signature."""


def promise_message(match_id: str, role: Role, head: bytes, cards: bytes = b"") -> bytes:
    """Return the message that a party signs for its commitments; ``cards`` is empty if the host deals."""
    fields = ("flagplot-party", match_id, role, head)
    return canonical((*fields, cards) if cards else fields)


def command_message(
    match_id: str, seq: int, prev: bytes, role: Role, tag: str, v: int, body: bytes
) -> bytes:
    """Return the message that a player signs for a command.

    Args:
        match_id: The match.
        seq: Number that the record will have.
        prev: Chain value before that record.
        role: The role that gives the command.
        tag: The command's tag.
        v: The tag's schema number.
        body: The complete command in MessagePack.
    """
    return canonical(("flagplot-command", match_id, seq, prev, role, tag, v, body))


def consent_message(
    kind: str, match_id: str, seq: int, prev: bytes, asker: Role, to_seq: int | None
) -> bytes:
    """Return the message that every party signs to consent to a record that is not a command.

    Args:
        kind: The record's kind, such as ``takeback``.
        match_id: The match.
        seq: Number that the record will have.
        prev: Chain value before that record.
        asker: The role that asked for the record.
        to_seq: For a takeback, the number of the record whose state is restored; otherwise None.
    """
    return canonical(("flagplot-consent", kind, match_id, seq, prev, asker, to_seq))


def is_signed(verify_key: bytes, message: bytes, signature: bytes) -> bool:
    """Return whether a signature over the message is valid under the key."""
    return len(signature) == SIGNATURE_BYTES and _signature_verifier(verify_key)(signature, message)


@lru_cache(maxsize=256)
def _signature_verifier(verify_key: bytes) -> Callable[[bytes, bytes], bool]:
    """Return a function that verifies signatures for a key."""
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415  # most records have no signature
    from cryptography.hazmat.primitives.asymmetric import ed25519  # noqa: PLC0415  # likewise

    key = ed25519.Ed25519PublicKey.from_public_bytes(verify_key)

    def check(signature: bytes, message: bytes) -> bool:
        try:
            key.verify(signature, message)
        except InvalidSignature:
            return False
        return True

    return check


_PRIME: Final = 2**255 - 19
_ORDER_8: Final = 0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826
"""One of the two y-coordinates of points of order 8. The other one is its negative."""
_SMALL_ORDER_ORDINATES: Final = frozenset({0, 1, _PRIME - 1, _ORDER_8, _PRIME - _ORDER_8})
"""The y-coordinates of points of order 1, 2, 4 and 8. For keys with these coordinates, anyone can forge a signature."""


def is_usable_key(verify_key: bytes) -> bool:
    """Return whether a key is secure: its encoding must be canonical, and its point must not have small order."""
    ordinate = int.from_bytes(verify_key, "little") & ((1 << 255) - 1)
    return (
        len(verify_key) == KEY_BYTES
        and ordinate < _PRIME
        and ordinate not in _SMALL_ORDER_ORDINATES
    )

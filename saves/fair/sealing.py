"""Derives a dealing host's keys from its secret, and encrypts hidden commands for that host (``joint`` mode).

The box key is derived from the host's secret, which the host publishes once the match is over. From then on, every copy
can decrypt every box, so hidden commands need not be stored outside the transcript.
"""

from typing import Final

from nacl import bindings
from nacl.exceptions import CryptoError

from engine.kernel.ids import Role
from saves.commitments import position_commitment, secret_commitment
from saves.decoding import canonical
from saves.fair.derivation import HASH_BYTES, keyed_hash, pack, plain_hash
from saves.fair.errors import BoxError
from saves.fair.secrets import (
    LENGTH_BYTES,
    NONCE_BYTES,
    SALT_BYTES,
    CardSecrets,
    entry_commitment,
    entry_salt,
    padded,
    unpadded,
)
from saves.fair.state import MatchSetup
from saves.records import Entry

SETUP_PLACE: Final = 1
"""Place of the set-up event in the opening record."""
_KEY_BYTES: Final = bindings.crypto_box_PUBLICKEYBYTES
_MAC_BYTES: Final = bindings.crypto_secretbox_MACBYTES
_PREFIX_BYTES: Final = _KEY_BYTES + NONCE_BYTES


class DealerSecrets:
    """The values derived from a dealing host's secret. None of them may ever be logged."""

    def __init__(self, secret: bytes) -> None:
        """Derive the host's key pair for encrypted boxes.

        Args:
            secret: 32 random bytes, which must never be used for another header.
        """
        self.secret: Final = secret
        seed = keyed_hash(b"fp7-box", secret, 32, b"")
        self.public_key, self._box_key = bindings.crypto_box_seed_keypair(seed)

    def matches_header(self, setup: MatchSetup) -> bool:
        """Return whether this secret matches the commitment in the header.

        If this copy has the starting position, the position must match its commitment too.
        """
        if (secret_commitment(self.secret), self.public_key) != (
            setup.secret_commitment,
            setup.dealer_key,
        ):
            return False
        if not setup.knows_position:
            return True
        position = position_commitment(self.secret, canonical(setup.position))
        return position == setup.position_commitment

    def own_entry(self, setup: tuple[str, int, bytes]) -> Entry:
        """Return the complete record entry for the set-up event, with its salt and commitment.

        Args:
            setup: The tag, schema number and body of the set-up event.
        """
        tag, v, body = setup
        salt = entry_salt(self.secret, bytes(HASH_BYTES), SETUP_PLACE, setup)
        commitment = entry_commitment(salt, tag, v, body)
        return Entry(tag=tag, v=v, body=body, commitment=commitment, salt=salt)

    def dice_key(self, throw_key: bytes) -> bytes:
        """Return the 32-byte seed for a record's dice. Neither the host nor the seats alone can choose it.

        Args:
            throw_key: All seats' joint randomness.
        """
        return keyed_hash(b"fp7-dealt", self.secret, 32, throw_key)

    def salt(self, anchor_hash: bytes, place: int, tag: str, v: int, body: bytes) -> bytes:
        """Return an event's salt. For the arguments, see :meth:`CardSecrets.salt`."""
        return entry_salt(self.secret, anchor_hash, place, (tag, v, body))

    def open(self, role: Role, anchor_hash: bytes, box: bytes) -> tuple[bytes, bytes]:
        """Decrypt a request's box and return its salt and entry.

        Args:
            role: The request's author.
            anchor_hash: Transcript hash up to the request's anchor.
            box: The encrypted box.

        Raises:
            BoxError: The box does not belong to this host, seat and anchor, or its content is malformed.
        """
        return _open_box(box, _box_prefix(role, anchor_hash), (box[:_KEY_BYTES], self._box_key))


def seal(
    secrets: CardSecrets,
    dealer_key: bytes,
    anchor_hash: bytes,
    salted: tuple[bytes, bytes],
    size: int,
) -> bytes:
    """Encrypt a hidden command for a dealing host. The same command at the same anchor always yields the same box.

    Args:
        secrets: The seat's secrets, which the host does not know.
        dealer_key: The host's public key.
        anchor_hash: Transcript hash up to the request's anchor.
        salted: The commitment's salt, and the entry.
        size: The entry's padded length, which is a constant in the ruleset.

    Raises:
        BoxError: The entry is longer than ``size``.
    """
    salt, entry = salted
    plaintext = _box_prefix(secrets.role, anchor_hash) + salt + padded(entry, size)
    public, secret = secrets.sender_keys(anchor_hash)
    nonce = secrets.box_nonce(anchor_hash, plaintext)
    return public + nonce + bindings.crypto_box(plaintext, nonce, dealer_key, secret)


def open_own(
    secrets: CardSecrets, dealer_key: bytes, anchor_hash: bytes, box: bytes
) -> tuple[bytes, bytes]:
    """Decrypt a box that this seat encrypted, and return the box's salt and entry.

    Raises:
        BoxError: This seat did not encrypt the box at this anchor.
    """
    secret = secrets.sender_keys(anchor_hash)[1]
    return _open_box(box, _box_prefix(secrets.role, anchor_hash), (dealer_key, secret))


def _open_box(box: bytes, place: bytes, keys: tuple[bytes, bytes]) -> tuple[bytes, bytes]:
    nonce, ciphertext = box[_KEY_BYTES:_PREFIX_BYTES], box[_PREFIX_BYTES:]
    try:
        plaintext = bindings.crypto_box_open(ciphertext, nonce, *keys)
    except (CryptoError, ValueError) as error:
        raise BoxError("a box cannot be decrypted with the host's key") from error
    # Without this check, a seat could copy another seat's box from the transcript and send it as
    # its own command.
    if plaintext[:HASH_BYTES] != place:
        raise BoxError("a box belongs to a different seat or position")
    salt = plaintext[HASH_BYTES : HASH_BYTES + SALT_BYTES]
    return salt, unpadded(plaintext[HASH_BYTES + SALT_BYTES :])


def _box_prefix(role: Role, anchor_hash: bytes) -> bytes:
    """Return a prefix that binds a box to its author and anchor, so that other seats cannot reuse the box."""
    return plain_hash(b"fp7-sealed", pack((role, anchor_hash)))


def sealed_bytes(entry_bytes: int) -> int:
    """Return the length of every box for a dealing host."""
    return _PREFIX_BYTES + _MAC_BYTES + HASH_BYTES + SALT_BYTES + LENGTH_BYTES + entry_bytes


def is_usable_dealer_key(key: bytes) -> bool:
    """Return whether seats can safely use a key to encrypt for the host.

    A key of small order is not safe, because it makes all shared secrets equal.
    """
    try:
        bindings.crypto_box_beforenm(key, bytes(range(_KEY_BYTES)))
    except (CryptoError, ValueError):
        return False
    return True

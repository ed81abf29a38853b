"""Encryption for a host that deals: its secret, and the boxes in which seats send it hidden commands (mode ``joint``).

The box key follows from the secret of the host, which the host opens after the end. From then on every copy reads every
box, so that no hidden command has to be kept beside the transcript.
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
"""Place of the set-up in the record of the opening."""
_KEY_BYTES: Final = bindings.crypto_box_PUBLICKEYBYTES
_MAC_BYTES: Final = bindings.crypto_secretbox_MACBYTES
_HEAD_BYTES: Final = _KEY_BYTES + NONCE_BYTES


class DealerSecrets:
    """What follows from the secret of a host that deals. Nothing here may be logged."""

    def __init__(self, secret: bytes) -> None:
        """Derive the key for which the seats encrypt.

        Args:
            secret: 32 random bytes, used for no other header.
        """
        self.secret: Final = secret
        seed = keyed_hash(b"fp7-box", secret, 32, b"")
        self.public_key, self._box_key = bindings.crypto_box_seed_keypair(seed)

    def is_promised(self, setup: MatchSetup) -> bool:
        """Return whether the header of a match promises this secret, and the position if this copy has it."""
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
        """Return the complete entry of the set-up of a position or data of the players' own.

        Args:
            setup: Tag, schema number and body of the event.
        """
        tag, v, body = setup
        salt = entry_salt(self.secret, bytes(HASH_BYTES), SETUP_PLACE, setup)
        commitment = entry_commitment(salt, tag, v, body)
        return Entry(tag=tag, v=v, body=body, commitment=commitment, salt=salt)

    def dice_key(self, throw_key: bytes) -> bytes:
        """Return the secret of the dice of a record, 32 bytes: neither host nor seats can choose it alone.

        Args:
            throw_key: Chance of all seats.
        """
        return keyed_hash(b"fp7-dealt", self.secret, 32, throw_key)

    def salt(self, anchor_hash: bytes, place: int, tag: str, v: int, body: bytes) -> bytes:
        """Return the salt of an event; the arguments are those of :meth:`CardSecrets.salt`."""
        return entry_salt(self.secret, anchor_hash, place, (tag, v, body))

    def open(self, role: Role, anchor_hash: bytes, box: bytes) -> tuple[bytes, bytes]:
        """Return salt and entry in the box of a request.

        Args:
            role: Author of the request.
            anchor_hash: Hash of the transcript up to its anchor.
            box: The box.

        Raises:
            BoxError: It was not encrypted for this host, seat and anchor, or its content has another form.
        """
        return _opened(box, _place(role, anchor_hash), (box[:_KEY_BYTES], self._box_key))


def seal(
    secrets: CardSecrets,
    dealer_key: bytes,
    anchor_hash: bytes,
    salted: tuple[bytes, bytes],
    size: int,
) -> bytes:
    """Return the box of a hidden command for a host that deals: the same box for the same command at one anchor.

    Args:
        secrets: Those of the seat, which the host does not know.
        dealer_key: Key of the host.
        anchor_hash: Hash of the transcript up to the anchor of the request.
        salted: Salt of the commitment, and the entry.
        size: Constant of the ruleset to which the entry is padded.

    Raises:
        BoxError: The entry is longer than the constant.
    """
    salt, entry = salted
    plaintext = _place(secrets.role, anchor_hash) + salt + padded(entry, size)
    public, secret = secrets.sender_keys(anchor_hash)
    nonce = secrets.box_nonce(anchor_hash, plaintext)
    return public + nonce + bindings.crypto_box(plaintext, nonce, dealer_key, secret)


def open_own(
    secrets: CardSecrets, dealer_key: bytes, anchor_hash: bytes, box: bytes
) -> tuple[bytes, bytes]:
    """Return salt and entry in a box that the seat has encrypted itself.

    Raises:
        BoxError: It is not one of this seat at this anchor.
    """
    secret = secrets.sender_keys(anchor_hash)[1]
    return _opened(box, _place(secrets.role, anchor_hash), (dealer_key, secret))


def _opened(box: bytes, place: bytes, keys: tuple[bytes, bytes]) -> tuple[bytes, bytes]:
    nonce, ciphertext = box[_KEY_BYTES:_HEAD_BYTES], box[_HEAD_BYTES:]
    try:
        plaintext = bindings.crypto_box_open(ciphertext, nonce, *keys)
    except (CryptoError, ValueError) as error:
        raise BoxError("a box does not open with the key of the host") from error
    if plaintext[:HASH_BYTES] != place:
        raise BoxError("a box belongs to another seat or another place")
    salt = plaintext[HASH_BYTES : HASH_BYTES + SALT_BYTES]
    return salt, unpadded(plaintext[HASH_BYTES + SALT_BYTES :])


def _place(role: Role, anchor_hash: bytes) -> bytes:
    """Return what binds a box to its request, so that no other seat can give the same command without knowing it."""
    return plain_hash(b"fp7-sealed", pack((role, anchor_hash)))


def sealed_bytes(entry_bytes: int) -> int:
    """Return the length of every box for a host that deals."""
    return _HEAD_BYTES + _MAC_BYTES + HASH_BYTES + SALT_BYTES + LENGTH_BYTES + entry_bytes


def is_usable_dealer_key(key: bytes) -> bool:
    """Return whether seats can encrypt for a key; not for one of small order, with which every secret is the same."""
    try:
        bindings.crypto_box_beforenm(key, bytes(range(_KEY_BYTES)))
    except (CryptoError, ValueError):
        return False
    return True

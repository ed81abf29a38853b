"""Derives all of a seat's secrets in a match from one master key (protocol 7).

:class:`SeatSecrets` never leave the seat. :class:`CardSecrets` are derived only from the card seed. Once the match is
over, the seat publishes its card seed, so that anyone can recompute its cards.
"""

from collections.abc import Sequence
from functools import cached_property
from hashlib import blake2b
from typing import Final

from nacl import bindings
from nacl.exceptions import CryptoError

from engine.kernel.ids import Role
from saves.fair.blinding_guard import BlindingGuard
from saves.fair.derivation import HASH_BYTES, keyed_hash, pack, plain_hash
from saves.fair.errors import BoxError, GroupElementError
from saves.fair.group import check_point

MASTER_BYTES: Final = 32
SIGNATURE_BYTES: Final = 64
REVEALS: Final = 32_768
"""Maximum number of throws in a match."""
SALT_BYTES: Final = 16
_CHECKPOINT_STEP: Final = 256
"""Interval between stored chain values. This interval takes 4 kB per seat; storing every value would take 1 MB."""
_CHAIN_HASH: Final = b"fp7-link"
NONCE_BYTES: Final = bindings.crypto_secretbox_NONCEBYTES
LENGTH_BYTES: Final = 4
"""Size of the big-endian length prefix on each entry in a box."""


class SeatSecrets:
    """One seat's signing key, hash chain and card seed. None of these may ever be logged."""

    def __init__(self, match_id: str, role: Role, master: bytes) -> None:
        """Derive the signing key. The card seed and the hash chain are computed on first use.

        Args:
            match_id: The match. A master key must never be used for a second match.
            role: The seat's role.
            master: 32 random bytes.
        """
        assert len(master) == MASTER_BYTES
        self.match_id: Final = match_id
        self.role: Final = role
        self._master = master
        self._name = pack((match_id, role))
        seed = keyed_hash(b"fp7-sign", master, 32, self._name)
        self.verify_key, self._signing_key = bindings.crypto_sign_seed_keypair(seed)

    @cached_property
    def card_seed(self) -> bytes:
        """The card seed, which must not be published before the match has ended."""
        return keyed_hash(b"fp7-card", self._master, 32, self._name)

    @property
    def cardseed_commitment(self) -> bytes:
        """The commitment to the card seed, as published in the match header."""
        return cardseed_commitment(self.card_seed)

    @cached_property
    def cards(self) -> "CardSecrets":
        """The secrets derived from the card seed."""
        return CardSecrets(self.match_id, self.role, self.card_seed)

    def sign(self, message: bytes) -> bytes:
        """Sign a message with Ed25519 and return the 64-byte signature."""
        # crypto_sign() returns the signature followed by the message.
        return bindings.crypto_sign(message, self._signing_key)[:SIGNATURE_BYTES]

    @property
    def head(self) -> bytes:
        """The hash chain's head, as published in the match header."""
        return self._chain[1]

    def reveal(self, number: int) -> bytes:
        """Return the seat's reveal for a throw.

        Args:
            number: The throw's number, counted from 0.

        Raises:
            IndexError: The number is negative or past the end of the chain.
        """
        if not 0 <= number < REVEALS:
            raise IndexError(f"reveals are numbered from 0 to {REVEALS - 1}")
        # Reveals run backwards through the chain. Hashing a reveal yields the previous reveal, but
        # never the next one.
        index = REVEALS - 1 - number
        return _chain_value(
            self._name, self._chain[0][index // _CHECKPOINT_STEP], index % _CHECKPOINT_STEP
        )

    @cached_property
    def _chain(self) -> tuple[list[bytes], bytes]:
        """Every 256th chain value, and the chain's head. The computation takes 32,768 hashes."""
        value = keyed_hash(b"fp7-chain", self._master, HASH_BYTES, self._name)
        checkpoints = []
        for _ in range(REVEALS // _CHECKPOINT_STEP):
            checkpoints.append(value)
            value = _chain_value(self._name, value, _CHECKPOINT_STEP)
        return checkpoints, value


def _chain_value(name: bytes, value: bytes, steps: int) -> bytes:
    """Return the chain value reached after the given number of steps."""
    # The match and role are part of every link, so no reveal matches a head copied from another match or role.
    named_hash = blake2b(name, digest_size=HASH_BYTES, person=_CHAIN_HASH)
    for _ in range(steps):
        link_hash = named_hash.copy()
        link_hash.update(value)
        value = link_hash.digest()
    return value


class CardSecrets:
    """The secrets that hide one seat's cards and hidden commands. None of these may ever be logged."""

    def __init__(self, match_id: str, role: Role, card_seed: bytes) -> None:
        """Store a seat's 32-byte card seed for a match."""
        assert len(card_seed) == MASTER_BYTES
        self.match_id: Final = match_id
        self.role: Final = role
        self.guard: Final = BlindingGuard()
        self._seed = card_seed

    def mix_key(
        self,
        header_hash: bytes,
        anchor_index: int,
        anchor_hash: bytes,
        deck: str,
        purpose: str,
        input_labels: Sequence[int],
        chosen_order: Sequence[int] | None,
    ) -> bytes:
        """Return the 32-byte key W for a mix. The mix's permutation and blindings are derived from this key.

        Args:
            header_hash: The match header's hash.
            anchor_index: The anchor message's index.
            anchor_hash: Transcript hash up to the anchor.
            deck: The cards' deck.
            purpose: The pile's name.
            input_labels: Labels to be mixed, in ascending order.
            chosen_order: For each output, the index of its input if the owner chooses the order; None for a random
                order.
        """
        order = None if chosen_order is None else tuple(chosen_order)
        labels = tuple(input_labels)
        key_input = (header_hash, anchor_index, anchor_hash, deck, purpose, labels, order)
        return keyed_hash(b"fp7-mix", self._seed, 32, pack(key_input))

    def salt(self, anchor_hash: bytes, place: int, tag: str, v: int, body: bytes) -> bytes:
        """Return the 16-byte salt for the commitment to an entry.

        Args:
            anchor_hash: Transcript hash up to the message's anchor.
            place: The entry's position in its record.
            tag: The entry's tag.
            v: The tag's schema number.
            body: The complete entry, encoded as MessagePack.
        """
        return entry_salt(self._seed, anchor_hash, place, (tag, v, body))

    def sender_keys(self, anchor_hash: bytes) -> tuple[bytes, bytes]:
        """Return the seat's public and secret X25519 keys for encrypting to a dealing host at one anchor."""
        seed = keyed_hash(b"fp7-sender", self._seed, 32, pack((anchor_hash,)))
        public, secret = bindings.crypto_box_seed_keypair(seed)
        return public, secret

    @cached_property
    def box_key(self) -> bytes:
        """The 32-byte key for all of the seat's boxes."""
        return keyed_hash(b"fp7-box", self._seed, 32, b"")

    def box_nonce(self, anchor_hash: bytes, plaintext: bytes) -> bytes:
        """Return a box's 24-byte nonce.

        The nonce is derived from the content, so even a program that has lost its files never uses one nonce for
        different contents.
        """
        data = pack((anchor_hash, plaintext))
        return keyed_hash(b"fp7-nonce", self._seed, NONCE_BYTES, data)

    def box(self, anchor_hash: bytes, entries: Sequence[bytes], entry_bytes: int) -> bytes:
        """Encrypt entries in a box whose length depends only on the number of entries.

        Args:
            anchor_hash: Transcript hash up to the message's anchor.
            entries: Plaintext entries, each at most ``entry_bytes`` long.
            entry_bytes: The padded length of an entry, which is a constant in the ruleset.

        Returns:
            The nonce, followed by the XSalsa20-Poly1305 ciphertext.

        Raises:
            BoxError: An entry is longer than ``entry_bytes``.
        """
        plaintext = b"".join(padded(entry, entry_bytes) for entry in entries)
        nonce = self.box_nonce(anchor_hash, plaintext)
        return nonce + bindings.crypto_secretbox(plaintext, nonce, self.box_key)

    def open_box(self, anchor_hash: bytes, box: bytes, entry_bytes: int) -> tuple[bytes, ...]:
        """Decrypt a box and return its entries.

        Raises:
            BoxError: The box cannot be decrypted, or this card seed does not produce the box at this anchor.
        """
        nonce, ciphertext = box[:NONCE_BYTES], box[NONCE_BYTES:]
        try:
            plaintext = bindings.crypto_secretbox_open(ciphertext, nonce, self.box_key)
        except (CryptoError, ValueError) as error:
            raise BoxError("a box cannot be decrypted with this card seed") from error
        # All boxes have the same key, so only the nonce binds a box to its anchor.
        if nonce != self.box_nonce(anchor_hash, plaintext):
            raise BoxError("a box belongs to a different position")
        size = LENGTH_BYTES + entry_bytes
        if len(plaintext) % size:
            raise BoxError("the length of a box does not fit its entries")
        return tuple(
            unpadded(plaintext[start : start + size]) for start in range(0, len(plaintext), size)
        )


def box_bytes(entries: int, entry_bytes: int) -> int:
    """Return the length of a box that contains the given number of entries. For zero entries, return 0."""
    if not entries:
        return 0
    return NONCE_BYTES + bindings.crypto_secretbox_MACBYTES + entries * (LENGTH_BYTES + entry_bytes)


def padded(entry: bytes, entry_bytes: int) -> bytes:
    """Prefix an entry with its length and pad it with zero bytes to ``entry_bytes``.

    Raises:
        BoxError: The entry is longer than ``entry_bytes``.
    """
    if len(entry) > entry_bytes:
        raise BoxError(f"an entry of {len(entry)} bytes exceeds the limit of {entry_bytes}")
    return len(entry).to_bytes(LENGTH_BYTES, "big") + entry.ljust(entry_bytes, b"\0")


def unpadded(data: bytes) -> bytes:
    """Return the entry without its length prefix and padding.

    Raises:
        BoxError: The padding is not canonical.
    """
    length = int.from_bytes(data[:LENGTH_BYTES], "big")
    entry = data[LENGTH_BYTES : LENGTH_BYTES + length]
    if padded(entry, len(data) - LENGTH_BYTES) != data:
        raise BoxError("an entry of a box has wrong padding")
    return entry


def cardseed_commitment(card_seed: bytes) -> bytes:
    """Return the commitment to a card seed."""
    return plain_hash(b"fp7-cardseed", card_seed)


def reveal_follows(value: bytes, previous: bytes, match_id: str, role: Role) -> bool:
    """Return whether a reveal hashes to the seat's previous reveal or, for the first reveal, to the head."""
    return len(value) == HASH_BYTES and _chain_value(pack((match_id, role)), value, 1) == previous


def entry_salt(key: bytes, anchor_hash: bytes, place: int, entry: tuple[str, int, bytes]) -> bytes:
    """Return an entry's 16-byte salt, derived from a card seed or from a dealing host's secret.

    Args:
        key: The card seed or the host's secret.
        anchor_hash: Transcript hash up to the message's anchor.
        place: The entry's position in its record.
        entry: The complete entry's tag, schema number and body.
    """
    return keyed_hash(b"fp7-salt", key, SALT_BYTES, pack((anchor_hash, place, *entry)))


def entry_commitment(salt: bytes, tag: str, v: int, body: bytes) -> bytes:
    """Return the commitment to a hidden entry."""
    return plain_hash(b"fp7-entry", salt + pack((tag, v, body)))


def verify_signature(key: bytes, message: bytes, signature: bytes) -> bool:
    """Return whether an Ed25519 signature over a message is valid under a key."""
    if len(signature) != SIGNATURE_BYTES:
        return False
    try:
        bindings.crypto_sign_open(signature + message, key)
    except (CryptoError, ValueError):
        return False
    return True


def is_usable_key(key: bytes) -> bool:
    """Return whether a verification key is canonically encoded and has prime order, as every honest seat's key does."""
    try:
        # A signature under a key of small order can be valid for many messages.
        check_point(key)
    except GroupElementError:
        return False
    return True

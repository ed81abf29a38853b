"""Secrets of one seat in one match: all of them follow from one master key (protocol 7, section 2.3).

:class:`SeatSecrets` holds what never leaves the seat. :class:`CardSecrets` follows from the card seed alone, which the
seat publishes after the end so that everyone can recompute its cards.
"""

from collections.abc import Sequence
from functools import cached_property
from hashlib import blake2b
from typing import Final

from nacl import bindings
from nacl.exceptions import CryptoError

from engine.kernel.ids import Role
from saves.fair.derivation import HASH_BYTES, keyed_hash, pack, plain_hash
from saves.fair.errors import BoxError, GroupElementError
from saves.fair.group import check_point
from saves.fair.guard import BlindingGuard

MASTER_BYTES: Final = 32
SIGNATURE_BYTES: Final = 64
REVEALS: Final = 32_768
"""Throws of one match at most."""
SALT_BYTES: Final = 16
_STEP: Final = 256
"""Distance of the chain values that are kept: 4 kB for each seat in place of 1 MB."""
_LINK: Final = b"fp7-link"
NONCE_BYTES: Final = bindings.crypto_secretbox_NONCEBYTES
LENGTH_BYTES: Final = 4
"""Length of an entry in a box, big-endian."""


class SeatSecrets:
    """Signing key, hash chain and card seed of one seat. Nothing here may be logged."""

    def __init__(self, match_id: str, role: Role, master: bytes) -> None:
        """Derive the signing key and the card seed; the hash chain is computed when it is needed.

        Args:
            match_id: The match; a master key is never used for two.
            role: The seat.
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
        """The card seed: released after the end of the match and never before."""
        return keyed_hash(b"fp7-card", self._master, 32, self._name)

    @property
    def cardseed_commitment(self) -> bytes:
        """The promise of the card seed that the header of the match contains."""
        return cardseed_commitment(self.card_seed)

    @cached_property
    def cards(self) -> "CardSecrets":
        """The secrets that follow from the card seed."""
        return CardSecrets(self.match_id, self.role, self.card_seed)

    def sign(self, message: bytes) -> bytes:
        """Return the Ed25519 signature of a message, 64 bytes."""
        return bindings.crypto_sign(message, self._signing_key)[:SIGNATURE_BYTES]

    @property
    def head(self) -> bytes:
        """The head of the hash chain, which the header of the match contains."""
        return self._chain[1]

    def reveal(self, number: int) -> bytes:
        """Return the reveal of a throw.

        Args:
            number: Number of the throw, from 0.

        Raises:
            IndexError: The chain has no such reveal.
        """
        if not 0 <= number < REVEALS:
            raise IndexError(f"a chain has reveals 0 to {REVEALS - 1}")
        index = REVEALS - 1 - number
        return _chain_value(self._name, self._chain[0][index // _STEP], index % _STEP)

    @cached_property
    def _chain(self) -> tuple[list[bytes], bytes]:
        """Every 256th value of the chain, and its head; 32,768 hashes."""
        value = keyed_hash(b"fp7-chain", self._master, HASH_BYTES, self._name)
        kept = []
        for _ in range(REVEALS // _STEP):
            kept.append(value)
            value = _chain_value(self._name, value, _STEP)
        return kept, value


def _chain_value(name: bytes, value: bytes, steps: int) -> bytes:
    """Return the chain value so many steps after this one."""
    named = blake2b(name, digest_size=HASH_BYTES, person=_LINK)
    for _ in range(steps):
        link = named.copy()
        link.update(value)
        value = link.digest()
    return value


class CardSecrets:
    """Everything that hides the cards and hidden commands of one seat. Nothing here may be logged."""

    def __init__(self, match_id: str, role: Role, card_seed: bytes) -> None:
        """Keep the card seed of a seat in a match, 32 bytes."""
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
        """Return the key W of a mix, 32 bytes: its permutation and blindings follow from it.

        Args:
            header_hash: Hash of the header of the match.
            anchor_index: Index of the anchor message.
            anchor_hash: Hash of the transcript up to the anchor.
            deck: Deck of the cards.
            purpose: Name of the pile.
            input_labels: Labels that are mixed, ascending.
            chosen_order: Input of each output if the owner chooses the order, counted from 0; else None.
        """
        order = None if chosen_order is None else tuple(chosen_order)
        labels = tuple(input_labels)
        question = (header_hash, anchor_index, anchor_hash, deck, purpose, labels, order)
        return keyed_hash(b"fp7-mix", self._seed, 32, pack(question))

    def salt(self, anchor_hash: bytes, place: int, tag: str, v: int, body: bytes) -> bytes:
        """Return the salt of the commitment to an entry, 16 bytes.

        Args:
            anchor_hash: Hash of the transcript up to the anchor of the message.
            place: Place of the entry in its record.
            tag: Tag of the entry.
            v: Schema number of the tag.
            body: The complete entry in MessagePack.
        """
        return entry_salt(self._seed, anchor_hash, place, (tag, v, body))

    def sender_keys(self, anchor_hash: bytes) -> tuple[bytes, bytes]:
        """Return public and secret X25519 key of what the seat encrypts at an anchor for a host that deals."""
        seed = keyed_hash(b"fp7-sender", self._seed, 32, pack((anchor_hash,)))
        public, secret = bindings.crypto_box_seed_keypair(seed)
        return public, secret

    @cached_property
    def box_key(self) -> bytes:
        """Key of all boxes of the seat, 32 bytes."""
        return keyed_hash(b"fp7-box", self._seed, 32, b"")

    def box_nonce(self, anchor_hash: bytes, plaintext: bytes) -> bytes:
        """Return the nonce of a box, 24 bytes.

        It follows from the content, so a program that has lost its memory never uses one nonce for two contents.
        """
        data = pack((anchor_hash, plaintext))
        return keyed_hash(b"fp7-nonce", self._seed, NONCE_BYTES, data)

    def box(self, anchor_hash: bytes, entries: Sequence[bytes], entry_bytes: int) -> bytes:
        """Encrypt entries; the length of the box depends on the number of entries only.

        Args:
            anchor_hash: Hash of the transcript up to the anchor of the message.
            entries: The entries, each at most ``entry_bytes`` long.
            entry_bytes: Constant of the ruleset.

        Returns:
            The nonce, then the XSalsa20-Poly1305 ciphertext.

        Raises:
            BoxError: An entry is longer than the constant.
        """
        plaintext = b"".join(padded(entry, entry_bytes) for entry in entries)
        nonce = self.box_nonce(anchor_hash, plaintext)
        return nonce + bindings.crypto_secretbox(plaintext, nonce, self.box_key)

    def open_box(self, anchor_hash: bytes, box: bytes, entry_bytes: int) -> tuple[bytes, ...]:
        """Return the entries of a box.

        Raises:
            BoxError: The box is not the one that this card seed makes of these entries at this anchor.
        """
        nonce, ciphertext = box[:NONCE_BYTES], box[NONCE_BYTES:]
        try:
            plaintext = bindings.crypto_secretbox_open(ciphertext, nonce, self.box_key)
        except (CryptoError, ValueError) as error:
            raise BoxError("a box does not open with this card seed") from error
        if nonce != self.box_nonce(anchor_hash, plaintext):
            raise BoxError("a box belongs to another place")
        size = LENGTH_BYTES + entry_bytes
        if len(plaintext) % size:
            raise BoxError("a box has another length than its entries")
        return tuple(
            unpadded(plaintext[start : start + size]) for start in range(0, len(plaintext), size)
        )


def box_bytes(entries: int, entry_bytes: int) -> int:
    """Return the length of a box: of the number of its entries alone, 0 for none."""
    if not entries:
        return 0
    return NONCE_BYTES + bindings.crypto_secretbox_MACBYTES + entries * (LENGTH_BYTES + entry_bytes)


def padded(entry: bytes, entry_bytes: int) -> bytes:
    """Return the length of an entry, the entry, and zero bytes up to the constant."""
    if len(entry) > entry_bytes:
        raise BoxError(f"an entry of {len(entry)} bytes is longer than {entry_bytes}")
    return len(entry).to_bytes(LENGTH_BYTES, "big") + entry.ljust(entry_bytes, b"\0")


def unpadded(data: bytes) -> bytes:
    """Return the entry, if this is its only padded form.

    Raises:
        BoxError: It is not.
    """
    length = int.from_bytes(data[:LENGTH_BYTES], "big")
    entry = data[LENGTH_BYTES : LENGTH_BYTES + length]
    if padded(entry, len(data) - LENGTH_BYTES) != data:
        raise BoxError("an entry of a box has another padding")
    return entry


def cardseed_commitment(card_seed: bytes) -> bytes:
    """Return the promise of a card seed."""
    return plain_hash(b"fp7-cardseed", card_seed)


def reveal_follows(value: bytes, previous: bytes, match_id: str, role: Role) -> bool:
    """Return whether a reveal hashes to the previous one of its seat, or to the head for the first."""
    return len(value) == HASH_BYTES and _chain_value(pack((match_id, role)), value, 1) == previous


def entry_salt(key: bytes, anchor_hash: bytes, place: int, entry: tuple[str, int, bytes]) -> bytes:
    """Return the salt of an entry, 16 bytes, from a card seed or from the secret of a host that deals.

    Args:
        key: The card seed or the secret.
        anchor_hash: Hash of the transcript up to the anchor of the message.
        place: Place of the entry in its record.
        entry: Tag, schema number and body of the complete entry.
    """
    return keyed_hash(b"fp7-salt", key, SALT_BYTES, pack((anchor_hash, place, *entry)))


def entry_commitment(salt: bytes, tag: str, v: int, body: bytes) -> bytes:
    """Return the commitment to a hidden entry."""
    return plain_hash(b"fp7-entry", salt + pack((tag, v, body)))


def verify_signature(key: bytes, message: bytes, signature: bytes) -> bool:
    """Return whether this is the Ed25519 signature of the message under the key."""
    if len(signature) != SIGNATURE_BYTES:
        return False
    try:
        bindings.crypto_sign_open(signature + message, key)
    except (CryptoError, ValueError):
        return False
    return True


def is_usable_key(key: bytes) -> bool:
    """Return whether a signing key is canonical and of prime order, as the key of every honest seat is."""
    try:
        check_point(key)
    except GroupElementError:
        return False
    return True
